#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""peers.py SPOOR SOURCES: `calls`, `profile` and `flame` against what Arm's tarmac trace utilities print.

Their outputs are in SHARED/oracles/tarmac ($SPOOR_SHARED, else ../shared).  --like ttu is equal
line for line, but for names that they miss: of functions that share their address with a mapping
symbol, which they find first; spoor names those.  Then one program as Fast Models, ES and gem5 print it
has the same calls and the same profile, and so has one that was recorded for two processors; files
for speedscope and Perfetto have what their readers demand.  TAP on stdout.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

SPOOR, SOURCES = sys.argv[1:3]
SHARED = Path(os.environ.get("SPOOR_SHARED", Path(SOURCES) / ".." / "shared"))
TTU = SHARED / "oracles" / "tarmac" / "ttu"
TRACES = {
    "calculator-aarch32-es-ld-st-style": ("wild/calculator-aarch32-es-ld-st-style.tarmac.xz",
                                          "calculator-aarch32"),
    "calculator-aarch32-fastmodel": ("wild/calculator-aarch32-fastmodel.tarmac.xz",
                                     "calculator-aarch32"),
    "calculator-aarch64-es-ld-st-style": ("tarmac/es/calculator-aarch64-es-ld-st-style.tarmac",
                                          "calculator-aarch64"),
    "calculator-aarch64-fastmodel": ("tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
                                     "calculator-aarch64"),
    "calltest32": ("tarmac/calltest32.tarmac", "calltest32"),
    "calltest64": ("tarmac/calltest64.tarmac", "calltest64"),
    "instances-v7m": ("wild/instances-v7m.tarmac.xz", "instances-v7m"),
    "labels-v7m": ("tarmac/v7m/labels-v7m.tarmac", "labels-v7m"),
    "markers-v7m": ("tarmac/v7m/markers-v7m.tarmac", "markers-v7m"),
}
VERBS = {"calltree": ["calls"], "profile": ["profile"], "folded": ["profile", "--flame"]}
tests = []


def spoor(*words):
    done = subprocess.run([SPOOR, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def unnamed(symbols):
    """Functions that share their address with a mapping symbol, which they find first."""
    names, mapped = {}, set()
    for line in symbols.read_text().splitlines():
        words = line.split()
        if line.startswith("#") or len(words) < 6:
            continue
        address = int(words[0], 16)
        if words[5].startswith("$"):
            mapped.add(address & ~1)
        elif words[2] == "FUNC":
            names.setdefault(address & ~1, words[5])
    return {address: name for address, name in names.items() if address in mapped}


def named(text, names):
    """What they print, with the names that they miss."""
    def full(match):
        return names.get(int(match[1], 16) & ~1, match[0])
    lines = []
    for line in text.splitlines():
        if re.match(r"[0-9a-zA-Z_]+(;|\b.* \d+$)", line) and not re.match(r"0x\w+ +\d+ +\d+ ", line):
            line = re.sub(r"0x([0-9a-f]+)(?=[; ])", full, line)
        elif line.endswith(" ") and not line.lstrip().startswith("-"):
            address = re.search(r"pc:0x(\w+)", line) or re.match(r"0x(\w+)", line)
            line += names.get(int(address[1], 16) & ~1, "")
        lines.append(line)
    return lines


def compare(name, trace, oracle, words, symbols):
    found = spoor(*words, "--like", "ttu", *symbols, trace).splitlines()
    expected = oracle.read_text().splitlines()
    if symbols:
        expected = named("\n".join(expected), unnamed(symbols[1]))
    if "folded" in name:
        found, expected = sorted(found), sorted(expected)
    for number, (one, other) in enumerate(zip(found, expected), 1):
        assert one == other, f"{name}: line {number}: found {one!r}, expected {other!r}"
    assert found == expected, f"{name}: another number of lines"


def layouts(name):
    trace, program = TRACES[name]
    for report, words in VERBS.items():
        for kind in ("addr", "symbols"):
            oracle = TTU / f"{name}.{report}-{kind}"
            symbols = TTU / "symbols" / f"{program}.symbols"
            if not oracle.exists() or (kind == "symbols" and not symbols.exists()):
                continue
            options = ["--image", symbols] if kind == "symbols" else []
            compare(oracle.name, SHARED / "traces" / trace, oracle, words, options)


def quicksort():
    trace = SHARED / "traces/tarmac/fastmodel/quicksort.tarmac"
    for report, words in (("calltree", ["calls"]), ("profile", ["profile"]),
                          ("flamegraph", ["profile", "--flame"])):
        oracle = SHARED / "oracles" / "tarmac" / f"{report}-quicksort-addr.ref"
        compare(oracle.name, trace, oracle, words, [])


def callinfo():
    for oracle in sorted(TTU.glob("*.callinfo")):
        for part in oracle.read_text().split("$ ")[1:]:
            head, *lines = part.splitlines()
            _, trace, address = head.split()
            path = next(iter((SHARED / "traces").rglob(trace)), None)
            found = spoor("calls", "--like", "ttu", "--of", address.removeprefix("0x"), path)
            assert found.splitlines() == lines, f"{oracle.name}: {address}: found {found}"


def schemas():
    """What speedscope's schema and Perfetto's description of JSON traces demand."""
    trace = SHARED / "traces/tarmac/fastmodel/quicksort.tarmac"
    scope = json.loads(spoor("profile", "--no-index", "--speedscope", trace))
    assert scope["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = scope["shared"]["frames"]
    assert frames and all(isinstance(frame["name"], str) for frame in frames)
    folded = {}
    for line in spoor("profile", "--flame", "--no-index", trace).splitlines():
        stack, amount = line.rsplit(" ", 1)
        folded[stack] = int(amount)
    assert set(scope) <= {"$schema", "shared", "profiles", "name", "activeProfileIndex", "exporter"}
    assert all(set(frame) <= {"name", "file", "line", "col"} for frame in frames)
    for profile in scope["profiles"]:
        assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples",
                                "weights"}
        assert all(0 <= frame < len(frames) for sample in profile["samples"] for frame in sample)
        assert profile["type"] == "sampled" and isinstance(profile["name"], str)
        assert profile["unit"] in ("none", "nanoseconds", "microseconds", "milliseconds", "seconds",
                                   "bytes")
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
        stacks = {";".join(frames[frame]["name"] for frame in sample): weight
                  for sample, weight in zip(profile["samples"], profile["weights"])}
        assert stacks == folded
    events = json.loads(spoor("profile", "--perfetto", "--no-index", trace))["traceEvents"]
    calls = [event for event in events if event["ph"] == "X"]
    named = {(event["pid"], event["tid"]) for event in events
             if event["ph"] == "M" and event["name"] == "thread_name" and event["args"]["name"]}
    assert {event["ph"] for event in events} == {"M", "X"}
    for event in calls:
        assert isinstance(event["name"], str) and isinstance(event["cat"], str)
        assert event["ts"] >= 0 and event["dur"] >= 0 and (event["pid"], event["tid"]) in named
    ends = []  # slices of a track lie inside each other
    for event in calls:
        while ends and ends[-1] <= event["ts"]:
            ends.pop()
        assert not ends or event["ts"] + event["dur"] <= ends[-1]
        ends.append(event["ts"] + event["dur"])
    assert len(calls) == spoor("calls", "--no-index", "--csv", trace).count("\n") - 1


def flat(calls, depth=0):
    for call in calls:
        yield depth, call["pc"], call["instructions"]
        yield from flat(call["children"], depth + 1)


def one_program():
    """The producers agree on calls and instructions; gem5 stops before the program ends."""
    traces = ["tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
              "tarmac/es/calculator-aarch64-es-ld-st-style.tarmac",
              "tarmac/gem5/calculator-aarch64-gem5.tarmac"]
    trees, profiles = [], []
    for trace in traces:
        path = SHARED / "traces" / trace
        tree = json.loads(spoor("calls", "--no-index", "--json", path))
        trees.append([list(flat(cpu["calls"])) for cpu in tree["cpus"]])
        profile = json.loads(spoor("profile", "--no-index", "--json", path))["functions"]
        profiles.append({(row["pc"], row["calls"], row["inclusive"], row["exclusive"])
                         for row in profile})
    for other in (1, 2):
        assert trees[0] == trees[other], f"{traces[other]}: {difference(trees[0][0], trees[other][0])}"
        assert profiles[0] == profiles[other], profiles[0] ^ profiles[other]


def two_processors():
    """`record`'s micro-ops of x86-64 and Tarmac of AArch64, of one source: who calls whom."""
    examples, compared = Path(SOURCES) / "examples", 0
    for program in ("list", "matmul", "search", "sort"):
        sides = []
        for kind in ("x86_64.uop", "aarch64.tarmac"):
            machine = kind.split(".")[0]
            trace = next(iter(examples.glob(f"{program}-{kind}*")), None)
            if not trace:
                break
            rows = json.loads(spoor("profile", "--no-index", "--json", "--callers", "--image",
                                    examples / "programs" / f"{program}-{machine}.elf", trace))
            sides.append({(row["function"], edge["function"], edge["calls"]) for row in rows["functions"]
                          for edge in row["callees"] if row["function"] != "_start"})
        if len(sides) == 2:
            compared += 1
            assert sides[0] == sides[1] and sides[0], f"{program}: {sides[0] ^ sides[1]}"
    assert compared, "no program was recorded for both"


def arguments():
    """The registers of arguments and results are those of `state` at these moments: of A64, A32, T32
    and RISC-V.  memset returns its first argument."""
    examples = Path(SOURCES) / "examples"
    for trace, image, function in (
            (TRACES["calltest64"][0], TTU / "symbols/calltest64.symbols", "leaf_ret"),
            (TRACES["calculator-aarch64-fastmodel"][0], TTU / "symbols/calculator-aarch64.symbols",
             "Lexer::nextch()"),
            (TRACES["calltest32"][0], TTU / "symbols/calltest32.symbols", "leaf_bx_lr"),
            (TRACES["calculator-aarch32-fastmodel"][0], TTU / "symbols/calculator-aarch32.symbols",
             "Lexer::nextch()"),
            (TRACES["labels-v7m"][0], TTU / "symbols/labels-v7m.symbols", "memset"),
            (examples / "sort.tarmac.xz", examples / "programs/sort.elf", "swap")):
        path = SHARED / "traces" / trace
        calls = json.loads(spoor("calls", "--no-index", "--json", "--image", image, "--of", function,
                                 path))["calls"]
        assert calls, f"{trace}: {function} is not called"
        for call in calls[:4]:
            values = dict(call["arguments"])
            compare_registers(path, call["enter_record"] - 1, values)
            if function == "memset":
                assert int(call["result"], 16) == int(values["r0"], 16), call


def compare_registers(path, record, values):
    state = json.loads(spoor("state", "--no-index", "--json", "--at", f"record:{record}", path))
    registers = {name.lower(): value for name, value in state["cpus"][0]["registers"].items()}
    for name, value in values.items():
        known = registers.get(name) or registers[f"x{int(name[1:]) + 10}"]  # a0 is x10
        assert int(known, 16) == int(value, 16), f"{path}: {record}: {name} {known}, found {value}"


def difference(one, other):
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"call {at}: {one[at:at + 2]} and {other[at:at + 2]}; {len(one)} and {len(other)} calls"


def main():
    if not TTU.exists():
        print("1..0 # SKIP ../shared is not here")
        return 0
    checks = [(name, lambda name=name: layouts(name)) for name in TRACES]
    checks += [("quicksort", quicksort), ("callinfo", callinfo), ("one program", one_program),
               ("two processors", two_processors), ("arguments", arguments),
               ("schemas", schemas)]
    print(f"1..{len(checks)}")
    failed = 0
    for number, (name, check) in enumerate(checks, 1):
        try:
            check()
            print(f"ok {number} - {name}")
        except (AssertionError, FileNotFoundError) as why:
            failed += 1
            print(f"not ok {number} - {name}\n# " + str(why).replace("\n", "\n# "))
    return 1 if failed else 0


sys.exit(main())

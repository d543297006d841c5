#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gaps.py SPOOR [SEEDS]: a trace from which instructions were removed is two traces.

The machines of firmware.py print traces whose instructions have numbers.  From each, a run of lines
between two instructions is removed.  What is left is a trace with a gap: it must have the exceptions,
calls, registers and memory of its two parts, each read alone, and nothing that spans the gap; `info`
and `exceptions` must count it, with the instructions in it, which are counted here.  Two logs that
are joined, whose numbers begin again, have such a gap, of an unknown number of instructions.  TAP on
stdout.
"""
import csv
import io
import json
import os
import random
import re
import sys
import tempfile

sys.argv[2:] = sys.argv[2:] or ["120"]
import firmware  # noqa: E402

NUMBERED = re.compile(r" I[TS] \((\d+)\) ")


def cut(lines, rng):
    """The lines before and after a gap, and the instructions in it; None: there is no place."""
    instructions = [i for i, line in enumerate(lines) if NUMBERED.search(line)]
    if len(instructions) < 8:
        return None
    first, last = sorted(rng.sample(range(1, len(instructions)), 2))
    begin, end = instructions[first], instructions[last]
    return lines[:begin], lines[end:], last - first


def join(lines, _):
    """A log and the same again, from its first instruction on."""
    first = next((i for i, line in enumerate(lines) if NUMBERED.search(line)), None)
    return None if first is None else (lines, lines[first:], 0)


def answers(paths):
    options = ["-q", "--no-index", "--implicit-thumb"]
    exceptions = json.loads(firmware.run("exceptions", "--json", *options, *paths))
    states = json.loads(firmware.run("state", "--json", "-q", "--no-index", "-m", "20000f00+256", *paths))
    infos = json.loads(firmware.run("info", "--json", "-q", *paths))
    calls = {path: [] for path in paths}
    for row in csv.DictReader(io.StringIO(firmware.run("calls", "--csv", *options, *paths))):
        calls[row["trace"]].append(row)
    return [(e, s, i, calls[path]) for e, s, i, path in zip(exceptions, states, infos, paths)]


def exceptions_of(found, shift, cuts=False):
    return [(e["record"] + shift, e["cause"], e.get("number"), e.get("from"), e.get("handler"), e["returned"],
             e["cut"] or (cuts and not e["returned"]), e["instructions"], e["own_instructions"],
             e["nesting"], e["stack"]) for e in found["exceptions"]]


def calls_of(rows, shift, end, cuts=False):
    """Rows by record and depth; at a gap, what is open ends at record `end`."""
    out = []
    for row in rows:
        left = int(row["leave_record"]) + shift if row["leave_record"] else None
        is_open = row["end"] == "open"
        out.append((int(row["enter_record"]) + shift, int(row["depth"]), row["pc"], row["kind"],
                    end if is_open and cuts else left, "cut" if is_open and cuts else row["end"],
                    int(row["instructions"])))
    return sorted(out, key=lambda row: (row[0], row[1]))


def registers_of(state):
    cpu = state["cpus"][0]
    return cpu["registers"], [memory["bytes"] for memory in cpu["memory"]]


def compare(whole, before, after, records, missing):
    exceptions, state, info, calls = whole
    expected = {"count": 1, "uncounted": int(missing == 0), "instructions": missing}
    firmware.first([expected], [exceptions.get("gaps")], "gaps")
    firmware.first([expected], [info.get("gaps")], "gaps of info")
    firmware.first(exceptions_of(before[0], 0, True) + exceptions_of(after[0], records),
                   exceptions_of(exceptions, 0), "exceptions")
    firmware.first(calls_of(before[3], 0, records, True) + calls_of(after[3], records, None),
                   calls_of(calls, 0, None), "calls")
    firmware.first(sorted(registers_of(after[1])[0].items()), sorted(registers_of(state)[0].items()),
                   "registers")
    firmware.first(registers_of(after[1])[1], registers_of(state)[1], "memory")


def loop(first, count, cpu="cpu0", pc=0x1000, step=1, bits=64):
    """Instructions of a loop of eight, whose numbers count in so many bits."""
    return [f"0 clk {cpu} IT ({(first + i * step) % 2**bits}) {pc + i % 8 * 4:08x} d503201f O EL1h : nop"
            for i in range(count)]


def in_turns(left, right):
    return [line for pair in zip(left, right) for line in pair]


# Lines, and the gaps of them: count, uncounted, instructions.
NUMBERS = {
    "again from 0": (loop(0, 20) + loop(0, 20), (1, 1, 0)),
    "again from 1, then a gap": (loop(1, 20) + loop(1, 20) + loop(26, 10), (2, 1, 5)),
    "three runs": (loop(0, 20) * 3, (2, 2, 0)),
    "back to another number, which states nothing more": (
        loop(100, 20) + loop(50, 20) + loop(90, 5), (1, 1, 0)),
    "a full counter of 31 bits at a branch": (loop(2**31 - 24, 43, bits=31), None),
    "a full counter of 32 bits at a branch": (loop(2**32 - 24, 43, bits=32), None),
    "a full counter of 32 bits": (loop(2**32 - 20, 43, bits=32), None),
    "a full counter of 64 bits": (loop(2**64 - 24, 43), None),
    "a number twice": (loop(0, 20) + loop(19, 20) + loop(0, 20), None),
    "ticks": (loop(0, 40, step=3) + loop(0, 40, step=3), None),
    "one of two processors begins again": (
        in_turns(loop(0, 40), loop(0, 20, "cpu1", 0x9000) + loop(0, 20, "cpu1", 0x9000)), (1, 1, 0)),
}


def compare_numbers(directory):
    """Each of NUMBERS in one run; of two processors, the calls of the other one go on."""
    failures, paths = [], []
    for name, (lines, _) in NUMBERS.items():
        paths.append(os.path.join(directory, name.replace(" ", "-") + ".tarmac"))
        with open(paths[-1], "w", encoding="ascii") as file:
            file.write("".join(line + "\n" for line in lines))
    for (name, (_, gaps)), (_, _, info, calls) in zip(NUMBERS.items(), answers(paths)):
        expected = gaps and dict(zip(("count", "uncounted", "instructions"), gaps))
        if info.get("gaps") != expected:
            failures.append(f"{name}: expected {expected}, found {info.get('gaps')}")
        cut_cpus = {row["cpu"] for row in calls if row["end"] == "cut"}
        if name.startswith("one of two") and cut_cpus != {"cpu1"}:
            failures.append(f"{name}: calls are cut on {sorted(cut_cpus)}")
    return failures


def main():
    seeds = int(sys.argv[2])
    failures, count = [], 0
    with tempfile.TemporaryDirectory() as directory:
        os.environ["XDG_CACHE_HOME"] = directory
        machines, paths = [], []
        for seed in range(seeds):
            parts = (join if seed % 4 == 0 else cut)(firmware.make(seed).lines, random.Random(seed))
            if not parts:
                continue
            before, after, missing = parts
            machines.append((seed, len(before), missing))
            for name, lines in (("whole", before + after), ("before", before), ("after", after)):
                paths.append(os.path.join(directory, f"{seed}-{name}.tarmac"))
                with open(paths[-1], "w", encoding="ascii") as file:
                    file.write("".join(line + "\n" for line in lines))
        found = answers(paths)
        wholes = paths[::3]
        for words in ["exceptions --json", "calls --csv", "state --json -m 20000f00+256"]:
            outputs = [firmware.run(*words.split(), "-q", *options, *wholes)
                       for options in [["--no-index"], [], []]]
            if len(set(outputs)) > 1:
                failures.append(f"{words}: another answer from the index")
        for i, (seed, records, missing) in enumerate(machines):
            try:
                compare(*found[3 * i:3 * i + 3], records, missing)
            except AssertionError as error:
                failures.append(f"seed {seed}, gap at record {records}: {error}")
        count = len(machines)
        others = compare_numbers(directory)
    print("1..2")
    for failure in failures[:int(os.environ.get("SHOW", "5"))]:
        print("# " + failure)
    failures += [] if count > seeds // 3 else ["too few traces have numbers"]
    print(f"{'not ' if failures else ''}ok 1 - {count} traces with a gap: {len(failures)} differ")
    for failure in others:
        print("# " + failure)
    print(f"{'not ' if others else ''}ok 2 - {len(NUMBERS)} ways to number: {len(others)} differ")
    return 1 if failures or others else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A part counts its own: of every verb that reads records, the result of a selection is that of the trace
that `spoor cut` writes with the same selection.

    parts.py SPOOR ROOT     prints TAP

The traces are those of examples/, and one of two processors that is made here.  --records, --time, --cpu and
--where are chosen at random, alone and together; the verb is asked with them and of the trace that cut wrote.
Numbers of records in a result are those of the whole trace: those of the cut are replaced by the ones that
`spoor print --fields record` gives for the selection.  Every question is asked with and without an index.
SPOOR_SEED (1) chooses the selections, SPOOR_TIMES (1) how many of a question; SPOOR_ONLY is a verb.

What the cut states otherwise than the trace is no part of the comparison: BYU's times are sums of deltas,
which begin anew, and Trace Matcher names a processor on instructions only.  The instruction set is that of the
whole trace, and is given to the cut.  info, mix, branch and pipe are compared by tests/index/skipping.py.

A cut does not say what was left out between its records, and a selection knows it: there, what led to the next
record, and what registers and memory are, is not known.  So the verbs about these (FOLLOWING) are compared with
the cut for selections without holes, and for those with holes with the whole trace: what `state` knows is what
the whole trace states at that record, and no function has more calls.  --cpu of MACHINE says of whose registers
they answer: memory is that of all.

The second half is about the declared options: every verb that reads records has all of the options, or
stands here with the reason why not.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from built import fold_plugin

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
OPTIONS = ("records", "time", "cpu", "where")
# numbers of records in results
NUMBERS = {"record", "enter_record", "leave_record", "first_record", "last_record", "overwritten_record"}
QUESTIONS = [
    "print --csv --fields kind,op,pc,addr,size,reg,data,time,cpu,disasm",
    "stats cache --json", "stats walk --json", "stats tlb --json", "stats bus --json",
    "calls --json", "profile --json", "profile --by address --json", "profile --by opcode --json",
    "exceptions --json --all", "coverage --by address --json", "annotate --json --top 3", "profile --flame",
    "vcd -o /dev/stdout", "phases --interval 500 --json", "state --json --memory all", "stack --json",
    "who --json --all REGISTER", "who --json ADDRESS", "slice --json REGISTER", "why --json",
    "strings --json", "values --json", f"fold --json {fold_plugin(SPOOR)}", "check --json", "cache -l u:4K,2,64 --json", "tlb --json", "page --json", "diff --json ITSELF",
    "diff --json --by-record ITSELF"]
FOLLOWING = ("calls", "profile", "exceptions", "annotate", "vcd", "state", "stack", "who", "slice", "why", "strings")
MACHINE = ("state", "slice", "why", "strings")
# Why a verb that reads traces has not all of the options, or not the same meaning of them.
NO_SIBLINGS = {
    "convert": "writes the whole trace: cut writes a part, in another format with -t",
    "merge": "joins whole traces: cut selects from the joined one",
    "describe": "proposes a description of a log that has no records yet",
    "browse": "moves through the whole trace; --where is a filter there, typed while it runs",
    "gdb": "replays the whole machine to a debugger",
    "serve": "shows the whole trace; the page has its own search",
    "mcp": "runs the verbs, which have it",
    "sql": "WHERE selects: record, time and cpu are columns",
    "index": "is of the whole trace, and selections of all verbs use it",
    "sweep": "runs another verb, whose selection is in its words",
    "record": "makes a trace", "formats": "reads no trace", "help": "reads no trace",
    "new": "reads no trace"}


def run(words, folder, **how):
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "COLUMNS": "100"}
    done = subprocess.run([SPOOR, *words], cwd=folder, capture_output=True, check=False, timeout=300,
                          env=environment, stdin=subprocess.DEVNULL, **how)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def two_cpus():
    """A Tarmac trace of two processors that call functions and share memory."""
    random_ = random.Random(53)
    counts = [0, 0]
    for number in range(1500):
        index = random_.randrange(2)
        step = counts[index] % 30
        cpu, counts[index] = f"cpu{index}", counts[index] + 1
        # a loop that calls 0x1100 in step 3, which returns in 12, and takes an exception from 20 to 23
        pc = 4 * step + (0x1000 if step <= 3 else 0x10f0 if step <= 12 else 0xfdc if step <= 20 else
                         0x1ac if step <= 23 else 0xfd0)
        code, words = {3: (0x9400003d, "BL 0x1100"), 12: (0xd65f03c0, "RET"), 20: (0xd4000001, "SVC #0"),
                       23: (0xd69f03e0, "ERET"), 29: (0x17ffffef, "B 0x1000")}.get(step, (0xf9400020, "LDR x0,[x1]"))
        yield f"{number} clk {cpu} IT ({counts[index]}) {pc:08x} {code:08x} O EL1h_n : {words}"
        if step == 20:
            yield f"{number} clk {cpu} E {pc:08x} 00000088 CoreEvent_CURRENT_SPx_SYNC"
        elif words.startswith("BL"):
            yield f"{number} clk {cpu} R X30 {pc + 4:016x}"
        else:
            data = "_".join("".join(f"{random_.randrange(0x61, 0x7b):02x}" for _ in range(4)) for _ in range(2))
            yield f"{number} clk {cpu} M{random_.choice('RW')}8 {0x8000 + 8 * (number % 50):08x} {data}"
            yield f"{number} clk {cpu} R X{number % 4} {number:016x}"
        if number % 90 == 0:
            yield f"{number} clk {cpu} CACHE {cpu}.l1dcache LINE {number % 16:04x} ALLOC 0x0000{64 * number:08x}"


def two_harts():
    """Spike's log of two harts, of which nothing numbers the instructions, with calls and shared memory."""
    random_ = random.Random(54)
    steps = [0, 0]
    for number in range(1500):
        hart = random_.randrange(2)
        step = steps[hart] % 13
        steps[hart] += 1
        pc = 0x80000000 + (4 * step if step < 6 else 0x18 if step == 12 else 0x100 + 4 * (step - 6))
        line = f"core   {hart}: 3 0x{pc:016x} "
        if step == 5:  # jal ra, 0x80000100
            yield f"{line}(0x0ec000ef) x1  0x{pc + 4:016x}"
        elif step == 11:  # ret
            yield f"{line}(0x00008067)"
        elif step == 12:  # j 0x80000000
            yield f"{line}(0xfe9ff06f)"
        elif step % 2:
            yield f"{line}(0x00d53023) mem 0x{0x80008000 + 8 * random_.randrange(9):016x} 0x{number:016x}"
        else:
            yield f"{line}(0x00150513) x{10 + step % 3} 0x{number:016x}"


class Trace:
    def __init__(self, folder, path):
        self.folder, self.path, self.name = folder, path, Path(path).name
        self.format = json.loads(run(["info", "--json", path], folder)[1])["format"]
        out = run(["print", "-q", "--csv", "--fields", "record,time,pc,cpu,reg,addr", path], folder)[1]
        rows = [line.split(",") for line in out.splitlines()[1:]]
        self.records = len(rows)
        self.times = [int(row[1]) for row in rows if row[1].isdigit()]
        self.pcs, self.cpus, self.registers, self.addresses = (
            sorted({row[i] for row in rows if row[i]}) for i in range(2, 6))
        self.isa = ["--isa", "riscv"] if Path(path).name in ("part-sort.tarmac", "part-sort.matcher") else []
        self.anew = set()  # what the cut states otherwise
        if self.format.startswith("byu"):
            self.times, self.anew = [], {"time", "times", "window", "windows", "span", "bytes_per_time",
                                          "utilisation_ratio", "highest_utilisation_ratio"}
        if self.format == "matcher":
            self.anew = {"cpu", "cpus"}

    def span(self, random_, values):
        first = random_.choice(values)
        last = first + random_.choice((0, 30, 400, 3000))
        return random_.choice((f"{first}:{last}", f"{first}:{last}", f":{last}", f"{first}:"))

    def selection(self, random_, verb):
        """Words, of one or two of the options."""
        words = []
        for option in random_.sample(OPTIONS, random_.choice((1, 1, 2))):
            if option == "records":
                words += ["--records", self.span(random_, range(self.records))]
            elif option == "time" and self.times:
                words += ["--time", self.span(random_, self.times)]
            elif option == "cpu" and self.cpus:
                if verb not in MACHINE or not self.format.startswith("byu"):  # an agent has no registers
                    words += ["--cpu", random_.choice(self.cpus)]
            elif option == "where" and verb in FOLLOWING:
                words += ["--where", f"record >= {random_.randrange(self.records)}"]
            elif option == "where":
                words += ["--where", random_.choice((
                    f"record >= {random_.randrange(self.records)}", *self.holes(random_)))]
        return words or ["--records", "10:2000"]


    def holes(self, random_):
        cpu = [f"cpu = '{random_.choice(self.cpus)}'"] if self.cpus else []
        return (*cpu, f"pc >= {random_.choice(self.pcs)} or kind != insn" if self.pcs else "kind = mem",
                "kind in {insn, reg, mem, uop, bus, event}",
                f"pc != {random_.choice(self.pcs)}" if self.pcs else "op = read")


def renumbered(value, numbers, left_out, key=None):
    if isinstance(value, dict):
        return {name: renumbered(item, numbers, left_out, name) for name, item in value.items()
                if name not in left_out and not name.endswith("line")}
    if isinstance(value, list):
        return [renumbered(item, numbers, left_out, key) for item in value]
    if key in NUMBERS and numbers is not None and isinstance(value, int):
        return numbers[value] if value < len(numbers) else f"beyond {value}"
    return value


def comparable(question, text, numbers, trace):
    if question.startswith("vcd"):
        return re.sub(r"(?m)^.*(part-|cut)[^\n]*\n", "", text)
    if question.startswith("check"):  # in which place, is said by what a line is for
        return "errors: " + str(json.loads(text).get("errors") if text else None)
    if "--json" not in question or not text:
        return text
    return renumbered(json.loads(text), numbers, trace.anew | {"trace", "bytes", "isa", "part"})


def first_difference(one, other, where=""):
    if type(one) is not type(other):
        return f"{where}: {one!r:.90} and {other!r:.90}"
    if isinstance(one, dict):
        for key in sorted(set(one) | set(other)):
            if one.get(key) != other.get(key):
                return first_difference(one.get(key), other.get(key), f"{where}.{key}")
    if isinstance(one, list):
        for i, pair in enumerate(zip(one, other)):
            if pair[0] != pair[1]:
                return first_difference(*pair, f"{where}[{i}]")
    if isinstance(one, str) and "\n" in one:
        for pair in zip(one.splitlines() + ["(end)"], other.splitlines() + ["(end)"]):
            if pair[0] != pair[1]:
                return f"{where}: {pair[0]!r:.120} and {pair[1]!r:.120}"
    return f"{where}: {one!r:.90} and {other!r:.90}"


def ask(trace, question, random_):
    """None: equal; else what differs."""
    words = question.split()
    selection = trace.selection(random_, words[0])
    cpu = []
    if words[0] in MACHINE and "--cpu" in selection:
        at = selection.index("--cpu")
        cpu, selection = selection[at:at + 2], selection[:at] + selection[at + 2:]
    if words[0] == "vcd" and "time" in trace.anew:
        return None, selection
    register = random_.choice(trace.registers or ["x0"])
    address = random_.choice(trace.addresses or ["8000"])
    after = [{"REGISTER": register, "ADDRESS": address}[word] for word in words if word in ("REGISTER", "ADDRESS")]
    words = [word for word in words if word not in ("REGISTER", "ADDRESS", "ITSELF")]
    twice = "ITSELF" in question
    cut = trace.folder / f"cut.{trace.format}"
    code, _, errors = run(["cut", *selection, "-o", cut.name, trace.path], trace.folder)
    if code == 5 or "would lose" in errors or "lost: " in errors:
        return None, selection
    if code != 0:
        return f"cut: {errors}", selection
    numbers = [int(line) for line in run(["print", "-q", *selection, "--fields", "record", trace.path],
                                         trace.folder)[1].split()]
    format_ = ["-f", trace.format]
    if words[0] == "print":
        words[-1] = ",".join(field for field in words[-1].split(",") if field not in trace.anew)
    for index in ([], ["--no-index"]):
        part = run([*words, *index, "-q", *trace.isa, *selection, *cpu, *[trace.path] * (1 + twice), *after],
                   trace.folder)
        whole = run([*words, "-q", *format_, *trace.isa, *cpu, *[cut.name] * (1 + twice), *after], trace.folder)
        one = comparable(question, part[1], None, trace)
        other = comparable(question, whole[1], numbers, trace)
        if part[0] != whole[0] and not {part[0], whole[0]} <= {2, 5}:
            return f"exit code {part[0]} ({part[2].strip()}) and {whole[0]} ({whole[2].strip()})", selection
        if part[0] in (0, 1) and one != other:
            return first_difference(one, other), selection
    return None, selection


def stated(trace, words):
    """What state knows: {(cpu, register) or (space, address): digits}, and the record of the answer."""
    code, out, errors = run(["state", "-q", "--json", "--memory", "all", *trace.isa, *words, trace.path], trace.folder)
    if code != 0:
        return {}, None, "" if code == 5 else errors
    answer, known = json.loads(out), {}
    for cpu in answer["cpus"]:
        known |= {(cpu.get("cpu"), name): value for name, value in cpu.get("registers", {}).items()}
        for range_ in cpu["memory"]:
            space, _, digits = range_["address"].rpartition("0x")
            for i in range(0, len(range_["bytes"]), 2):
                if range_["bytes"][i] != "?":
                    known[space, int(digits, 16) + i // 2] = range_["bytes"][i:i + 2]
    return known, answer.get("record"), ""


def known_calls(trace, words):
    """{(record, pc)} of the calls; what runs at a beginning, or after a gap, was not called there."""
    code, out, _ = run(["calls", "-q", "--json", *trace.isa, *words, trace.path], trace.folder)
    calls, rest = set(), [call for cpu in json.loads(out)["cpus"] for call in cpu["calls"]] if code == 0 else []
    while rest:
        call = rest.pop()
        rest += call.get("children", [])
        if call["kind"] == "call":
            calls.add((call["enter_record"], call["pc"]))
    return calls


def tested_holes(folder):
    """What is known between records that were left out is what the whole trace states there."""
    random_ = random.Random(int(os.environ.get("SPOOR_SEED", "1")))
    if os.environ.get("SPOOR_ONLY", "holes") != "holes":
        return
    wrong, values, calls = [], 0, 0
    for trace in traces_of_examples(folder):
        whole_calls = known_calls(trace, [])
        for _ in range(4 * int(os.environ.get("SPOOR_TIMES", "1"))):
            ends = sorted(random_.sample(range(trace.records), 4))
            where = random_.choice((*trace.holes(random_), "record in {} .. {} or record in {} .. {}".format(*ends)))
            words = ["--where", where, "--records", f":{random_.randrange(trace.records)}"]
            part, record, errors = stated(trace, words)
            if record is None:
                wrong += [f"{words} {trace.name}: {errors}"] if errors else []
                continue
            whole, _, errors = stated(trace, ["--at", f"record:{record}"])
            values += len(part)
            wrong += [f"{words} {trace.name}: {key} is {part[key]}, and of the whole trace {whole.get(key)} {errors}"
                      for key in part if part[key] != whole.get(key)][:3]
            found = known_calls(trace, ["--where", where])
            calls += len(found)
            wrong += [f"{where} {trace.name}: the whole trace has no call of {call}" for call in sorted(found - whole_calls)][:3]
    yield "what is known of a selection with holes, state and calls, is so in the whole trace", wrong
    yield "such selections have values and calls to compare", [] if values > 100 and calls > 100 else [
        f"{values} values, {calls} calls"]


def traces_of_examples(folder):
    two = folder / "two.tarmac"
    two.write_text("".join(line + "\n" for line in two_cpus()))
    spike = folder / "two.spike"
    spike.write_text("".join(line + "\n" for line in two_harts()))
    paths = [str(two), str(spike)] + [str(ROOT / "examples" / name) for name in
                          ("sort.tarmac.xz", "sort-aarch64.tarmac.xz", "sort.matcher.xz", "sort.uop.xz",
                           "sort.byu12.xz", "sort.lackey.xz")]
    traces = []
    for path in paths:
        beginning = folder / ("part-" + Path(path).name.replace(".xz", ""))
        run(["cut", "-q", "--records", ":6000", "-o", beginning.name, path], folder)
        run(["index", "-q", beginning.name], folder)
        traces.append(Trace(folder, beginning.name))
    return traces


def tested_parts(folder):
    random_ = random.Random(int(os.environ.get("SPOOR_SEED", "1")))
    rounds = int(os.environ.get("SPOOR_TIMES", "1"))
    traces = traces_of_examples(folder)
    for question in QUESTIONS:
        verb = question.split()[0]
        if os.environ.get("SPOOR_ONLY", verb) != verb:
            continue
        wrong = []
        for trace in traces:
            for _ in range(rounds):
                found, selection = ask(trace, question, random_)
                if found:
                    wrong.append(f"{' '.join(selection)} {trace.name}: {found}")
        yield f"{question}: a part is the trace that cut writes", wrong


def tested_options(_):
    """By the table of docs/options.md, which a test compares with the program's."""
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")]
            for line in (ROOT / "docs" / "options.md").read_text().split("## Which verb has it")[1].splitlines()
            if line.startswith("|")]
    wrong = []
    for name, *cells in rows[2:]:
        has = {option for option, cell in zip(rows[0][1:], cells) if cell}
        missing = [f"--{option}" for option in OPTIONS if f"--{option}" not in has]
        if missing and name not in NO_SIBLINGS:
            wrong.append(f"{name} lacks {', '.join(missing)}")
        if not missing and name in NO_SIBLINGS:
            wrong.append(f"{name} has all, and is listed as lacking some")
    yield "every verb that reads records has the selection", wrong


def main():
    count = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for tests in (tested_options, tested_parts, tested_holes):
            for title, wrong in tests(folder):
                count += 1
                failed += bool(wrong)
                for line in wrong:
                    print(f"# {line}")
                print(f"{'not ok' if wrong else 'ok'} {count} - {title}", flush=True)
    print(f"1..{count}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gate.py SPOOR TRACE: faults that a core may have, in the logs of two programs; `spoor diff` must pass
none of them, and name the first cause of each.

TRACE is a recorded program of RISC-V in Tarmac, compressed with xz, which `spoor convert` makes a log
of Spike; the other program is one of programs.py, with an interrupt handler.  Each fault is an edit of
the log, or another execution, so the first cause is known.
"""
import json
import operator
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from programs import Handler, Program

SNIPPET = 0x90000000


def line(index, word, effects=""):
    """A line of code that belongs to no other program."""
    return f"core   0: 0 0x{SNIPPET + 4 * index:016x} (0x{word:08x}){effects}\n"


class Gate:
    def __init__(self, spoor, trace, directory):
        self.spoor, self.directory, self.mistakes, self.count = spoor, Path(directory), 0, 0
        self.paths = [self.directory / "model.log", self.directory / "core.log"]
        subprocess.run([spoor, "convert", "-q", "--lossy", "-t", "spike", "-o", self.paths[0], trace],
                       check=True)
        self.model = self.paths[0].read_text().splitlines(keepends=True)
        for seed in range(100):  # a program that is long enough
            self.program = Program(random.Random(seed))
            self.log = [text for _, text in self.program.run()]
            if 2000 < len(self.log) < 6000:
                break

    def diff(self, *options):
        run = subprocess.run([self.spoor, "diff", "--json", "-f", "spike", *options, *self.paths],
                             capture_output=True, text=True)
        return run.returncode, json.loads(run.stdout)

    def fault(self, name, core, first, classes, expected, equal=None, model=None):
        """Compares the model with the core.  The first cause is in line `first` of the model, from 1,
        of one of the classes; `expected`: further numbers of the report; `equal`: options with which
        the logs are equal."""
        self.count += 1
        for path, lines in zip(self.paths, (self.model if model is None else model, core)):
            path.write_text("".join(lines))
        code, report = self.diff()
        cause = report.get("first") or {}
        unit = cause.get("left_unit") or cause.get("right_unit") or {}
        found = {"roots": report["roots"], "mismatches": report["mismatches"],
                 "gaps": [(gap["skipped_left"], gap["skipped_right"]) for gap in report["gaps"]],
                 "interrupts": report["moved"]["interrupts"], "order": report["moved"]["order"],
                 "least": report["moved"]["least"], "most": report["moved"]["most"]}
        mistakes = [] if code == 1 else [f"exit code {code}"]
        if first is not None and unit.get("line") != first:
            mistakes.append(f"the first cause in line {unit.get('line')}, expected {first}")
        if cause.get("class") not in classes:
            mistakes.append(f"class {cause.get('class')}, expected {' or '.join(sorted(classes))}")
        mistakes += [f"{what} {found[what]}, expected {number}"
                     for what, number in expected.items() if found[what] != number]
        if equal:
            code, report = self.diff(*equal)
            if code != 0:
                mistakes.append(f"exit code {code} with {' '.join(equal)}")
        self.tell(name, mistakes)
        return report

    def tell(self, name, mistakes):
        self.mistakes += bool(mistakes)
        print(f"{'not ok' if mistakes else 'ok'} {self.count} - {name}" +
              "".join(f"\n# {mistake}" for mistake in mistakes))

    # ---- places in the model ----

    def places(self, what, count=1):
        """Numbers of lines with the text, far from the ends and from each other."""
        able = [i for i, text in enumerate(self.model[1000:-1000], 1000) if what(text)]
        return able[len(able) // 3::max(1, len(able) // (2 * count))][:count]

    def with_snippets(self, places, snippet):
        """The model with a snippet at each of these places, and the numbers of its first lines."""
        lines, begins, last = [], [], 0
        for number, place in enumerate(places):
            lines += self.model[last:place]
            begins.append(len(lines))
            lines += snippet(number)
            last = place
        return lines + self.model[last:], begins


def writes(text):
    return " x" in text and " mem " not in text


def stores(text):
    return " mem " in text and " x" not in text


def pc_of(text):
    return text.split()[3]


def other_value(text):
    """The line with another last digit."""
    text = text.rstrip("\n")
    return text[:-1] + ("7" if text[-1] != "7" else "2") + "\n"


def replaced(lines, changes):
    return [changes.get(i, text) for i, text in enumerate(lines)]


def without(lines, gone):
    return [text for i, text in enumerate(lines) if i not in gone]


VALUES = {"value", "value-sign", "value-one-bit", "value-upper-half", "value-endian",
          "value-off-by-one"}


def values(gate):
    core = [text for _, text in gate.program.run(xor=operator.or_)]
    differ = [i for i, pair in enumerate(zip(gate.log, core)) if pair[0] != pair[1]]
    report = gate.fault("xor computes or, and what is computed from it", core, differ[0] + 1, VALUES,
                        {"mismatches": len(differ), "gaps": []}, model=gate.log)
    strange = [row for row in report["differences"]
               if row["cause"] == "root" and not row["left_unit"]["disasm"].startswith("xor")]
    gate.count += 1
    gate.tell("roots of it are xor", [f"{len(strange)} others"] if strange else [])
    place, = gate.places(writes)
    model = gate.model
    gate.fault("one wrong value", replaced(model, {place: other_value(model[place])}), place + 1, VALUES,
               {"roots": 1, "mismatches": 1, "gaps": []})
    number = int(model[place].split(" x")[1].split()[0])
    wrong = model[place].replace(f" x{number:<2} ", f" x{number % 30 + 1:<2} ")
    gate.fault("another destination register", replaced(model, {place: wrong}), place + 1, {"register"},
               {"roots": 1, "mismatches": 1, "gaps": []})
    place = next(i for i in range(2000, len(model)) if stores(model[i]) and stores(model[i + 1]))
    first, second = model[place], model[place + 1]
    gate.fault("data and address of two stores are exchanged", replaced(model, {
        place: first.split(" mem")[0] + " mem" + second.split(" mem")[1],
        place + 1: second.split(" mem")[0] + " mem" + first.split(" mem")[1]}), place + 1,
        {"exchanged"}, {"roots": 2, "mismatches": 2, "gaps": []})
    changes = {i: text.replace(": 0 ", ": 3 ", 1) for i, text in enumerate(model) if 5000 <= i < 5300}
    gate.fault("the mode of 300 instructions", replaced(model, changes), 5001, {"mode"},
               {"mismatches": 300, "gaps": []}, equal=("--tolerate", "mode"))
    changes = {i: halves(text) for i, text in enumerate(model)
               if stores(text) and len(text.split()[-1]) == 18}
    gate.fault("stores in two halves", replaced(model, changes), min(changes) + 1,
               {"memory-size", "memory-data", "missing", "extra"}, {"mismatches": len(changes)},
               equal=("--tolerate", "split-memory"))


def halves(text):
    head, (address, value) = text.split(" mem")[0], text.split()[-2:]
    return (f"{head} mem {address} 0x{value[10:]} mem 0x{int(address, 16) + 4:016x} "
            f"0x{value[2:10]}\n")


def control_registers(gate):
    def snippet(number, mscratch=0):
        value = f"0x{0x1234500 + number + mscratch:016x}"
        return [line(0, 0x34051073, f" c832_mscratch {value}"), line(1, 0x340025F3, f" x11 {value}")]

    places = gate.places(writes, 4)
    model, begins = gate.with_snippets(places, snippet)
    core, _ = gate.with_snippets(places, lambda number: snippet(number, 16 * (number == 2)))
    gate.fault("a control register differs, and what reads it", core, begins[2] + 1, VALUES,
               {"mismatches": 2, "gaps": []}, model=model)
    missing = line(0, 0x34051073)
    gate.fault("one write of a control register is missing", replaced(model, {begins[2]: missing}),
               begins[2] + 1, {"missing"}, {"roots": 1, "mismatches": 1, "gaps": []}, model=model)

    def cycles(number, later=0):
        value = 1000 * number + later
        return [line(0, 0xB00027F3, f" x15 0x{value:016x}"),
                line(1, 0x00178713, f" x14 0x{value + 1:016x}")]

    places = gate.places(writes, 28)
    model, begins = gate.with_snippets(places, cycles)
    core, _ = gate.with_snippets(places, lambda number: cycles(number, number % 5 + 1))
    gate.fault("mcycle, and what is computed from it", core, begins[0] + 1, VALUES,
               {"mismatches": 2 * len(begins), "gaps": []}, equal=("--volatile", "mcycle"), model=model)

    def vectors(_, wrong=0):
        elements = [3, 2, 1 + wrong, 0]
        first, second = ("0x" + "".join(f"{factor * element:08x}" for element in elements)
                         for factor in (1, 2))
        return [line(0, 0x0D02F357, " x6  0x0000000000000004 c3104_vl 0x0000000000000004"
                                    " c3105_vtype 0x00000000000000d0"),
                line(1, 0x5208A0D7, f" e32 m1 l4 v1  {first}"),
                line(2, 0x02108157, f" e32 m1 l4 v2  {second}")]

    model, begins = gate.with_snippets(places[:3], vectors)
    core, _ = gate.with_snippets(places[:3], lambda number: vectors(number, 4 * (number == 1)))
    gate.fault("an element of a vector", core, begins[1] + 2, VALUES, {"mismatches": 2, "gaps": []},
               model=model)


def flow(gate):
    model = gate.model
    place, = gate.places(writes)
    gate.fault("one instruction is missing", without(model, {place}), place + 1, {"missing"},
               {"roots": 0, "gaps": [(1, 0)]})
    gate.fault("a line is there twice", model[:place + 1] + model[place:], None, {"doubled"},
               {"roots": 0, "mismatches": 0, "gaps": [(0, 1)]})
    gate.fault("one instruction retires later", model[:place] + [model[place + 1], model[place]] +
               model[place + 2:], place + 1, {"order"}, {"roots": 0, "mismatches": 0, "gaps": [],
                                                        "order": 1}, equal=("--window", "2"))
    core, swapped = list(model), 0
    for i in range(1000, len(core) - 1000, 61):
        swapped += core[i] != core[i + 1]
        core[i], core[i + 1] = core[i + 1], core[i]
    gate.fault(f"{swapped} instructions retire later", core, 1001, {"order"},
               {"roots": 0, "mismatches": 0, "gaps": [], "order": swapped}, equal=("--window", "2"))
    executed = [at for at, _ in gate.program.run()]
    back = next(i for i in range(1000, len(executed)) if gate.program.code[executed[i]][0] == "bne" and
                executed[i + 1] < executed[i])
    begin = max(i for i in range(back) if executed[i] == gate.program.code[executed[back]][3])
    gate.fault("a loop's body is skipped once", without(gate.log, range(begin, back + 1)), None,
               {"missing"}, {"roots": 0, "gaps": [(back + 1 - begin, 0)]}, model=gate.log)
    gate.fault("the core hangs", model[:-5000], len(model) - 4999, {"truncation"},
               {"roots": 0, "mismatches": 0})
    spins = f"core   0: 0 {pc_of(model[-1])} (0x0000006f)\n"
    gate.fault("the model spins after the end", model, None, {"truncation"},
               {"roots": 0, "mismatches": 0}, equal=("-sr",), model=model + 4656 * [spins])
    gate.fault("an empty log", [], 1, {"truncation"}, {"roots": 0, "mismatches": 0})
    for name, what in (("a store", stores), ("an instruction with a result", writes)):
        pcs = {}
        for i, text in enumerate(model):
            if what(text):
                pcs.setdefault(pc_of(text), []).append(i)
        gone = max((places for places in pcs.values() if len(places) < 800), key=len)
        gate.fault(f"{name} never retires, {len(gone)} times", without(model, set(gone)), gone[0] + 1,
                   {"missing"}, {"roots": 0, "gaps": len(gone) * [(1, 0)]})
    for count in (1, 2, 3, 5, 20):
        gone = gate.places(stores, count)
        gate.fault(f"stores are dropped, {count} times", without(model, set(gone)), gone[0] + 1,
                   {"missing"}, {"roots": 0, "gaps": count * [(1, 0)]})


def interrupts(gate):
    length, places = len(Handler.code), range(200, len(gate.log) - 400, 311)
    one = [text for _, text in gate.program.run(interrupts=[places[0]])]
    gate.fault("the core takes a trap", one, None, {"event", "extra"},
               {"roots": 0, "mismatches": 0, "gaps": [(0, length)]}, model=gate.log)
    model, core = ([text for _, text in gate.program.run(interrupts=[place + later for place in places])]
                   for later in (0, 7))
    gate.fault("interrupts are taken 7 instructions later", core, None, {"moved-interrupt"},
               {"roots": 0, "mismatches": 0, "gaps": [], "interrupts": len(places), "least": 7,
                "most": 7}, equal=("--tolerate", "moved-interrupt"), model=model)


def missing_log(gate):
    gate.count += 1
    folders = [gate.directory / "models", gate.directory / "cores"]
    for folder in folders:
        folder.mkdir()
        (folder / "a.log").write_text("".join(gate.log))
    (folders[0] / "b.log").write_text("".join(gate.log))
    junit = gate.directory / "junit.xml"
    run = subprocess.run([gate.spoor, "diff", "-q", "--junit", junit, *folders], capture_output=True)
    text = junit.read_text()
    mistakes = [] if run.returncode == 1 else [f"exit code {run.returncode}"]
    if 'tests="2"' not in text or 'failures="1"' not in text:
        mistakes.append(text.splitlines()[1])
    gate.tell("a log is missing", mistakes)


def main():
    with tempfile.TemporaryDirectory() as directory:
        gate = Gate(*sys.argv[1:3], directory)
        for part in (values, control_registers, flow, interrupts, missing_log):
            part(gate)
        print(f"1..{gate.count}")
        return 1 if gate.mistakes else 0


if __name__ == "__main__":
    sys.exit(main())

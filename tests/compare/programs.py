#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""programs.py SPOOR COUNT [FIRST]: make COUNT random RISC-V programs with loops, calls and recursion,
from number FIRST on, execute them, and write their commit logs as Spike does.  A second log is edited: every execution of one instruction is
deleted, one stretch, one iteration of a loop, all of one function, values are changed, neighbours
are exchanged; or the program runs again with a wrong result that propagates, or with its interrupts
at other places or not at all, and with a wrong value in a handler.  `spoor diff` must report the edits and nothing else: gaps of their
length, wrong values, one root for a wrong result, moved interrupts; never EQUAL.

A generator with a fixed seed makes the choices, and an interpreter in this file the values.
"""
import json
import operator
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

MASK = (1 << 64) - 1
LOWEST, STACK = 0x80000000, 0x80010000
HANDLER, SAVED = 0x80020000, 0x80030000
MSCRATCH, MEPC = 0x340, 0x341


def i_type(opcode, function, to, source, number):
    return (number & 0xFFF) << 20 | source << 15 | function << 12 | to << 7 | opcode


def r_type(function, to, first, second):
    return second << 20 | first << 15 | function << 12 | to << 7 | 0x33


def store(source, base, offset):
    return (offset >> 5) << 25 | source << 20 | base << 15 | 3 << 12 | (offset & 31) << 7 | 0x23


def branch(first, distance):
    """bne FIRST, x0, DISTANCE"""
    number = distance & 0x1FFF
    return (number >> 12) << 31 | (number >> 5 & 63) << 25 | first << 15 | 1 << 12 | \
        (number >> 1 & 15) << 8 | (number >> 11 & 1) << 7 | 0x63


def jump(to, distance):
    number = distance & 0x1FFFFF
    return (number >> 20) << 31 | (number >> 1 & 0x3FF) << 21 | (number >> 11 & 1) << 20 | \
        (number >> 12 & 0xFF) << 12 | to << 7 | 0x6F


def csr(function, to, source, number):
    return number << 20 | source << 15 | function << 12 | to << 7 | 0x73


class Handler:
    """An interrupt handler, which saves two registers, counts its calls, and reads mepc.  Its log."""

    code = [csr(1, 2, 2, MSCRATCH), store(10, 2, 0), store(11, 2, 8), csr(2, 10, 0, MEPC),
            store(10, 2, 16), i_type(3, 3, 11, 2, 24), i_type(0x13, 0, 11, 11, 1),
            store(11, 2, 24), i_type(3, 3, 11, 2, 8), i_type(3, 3, 10, 2, 0),
            csr(1, 2, 2, MSCRATCH), 0x30200073]

    def __init__(self, memory):
        self.memory = memory

    def run(self, x, pc):
        memory, count = self.memory, self.memory.get(SAVED + 24, 0)
        memory.update({SAVED: x[10], SAVED + 8: x[11], SAVED + 16: pc, SAVED + 24: count + 1})
        effects = [f" x2  0x{SAVED:016x} c832_mscratch 0x{x[2]:016x}",
                   f" mem 0x{SAVED:016x} 0x{x[10]:016x}", f" mem 0x{SAVED + 8:016x} 0x{x[11]:016x}",
                   f" x10 0x{pc:016x}", f" mem 0x{SAVED + 16:016x} 0x{pc:016x}",
                   f" x11 0x{count:016x} mem 0x{SAVED + 24:016x}", f" x11 0x{count + 1:016x}",
                   f" mem 0x{SAVED + 24:016x} 0x{count + 1:016x}",
                   f" x11 0x{x[11]:016x} mem 0x{SAVED + 8:016x}",
                   f" x10 0x{x[10]:016x} mem 0x{SAVED:016x}",
                   f" x2  0x{x[2]:016x} c832_mscratch 0x{SAVED:016x}",
                   " c768_mstatus 0x0000000000000080"]
        return [(None, f"core   0: 3 0x{HANDLER + 4 * i:016x} (0x{word:08x}){effect}\n")
                for i, (word, effect) in enumerate(zip(self.code, effects))]


class Program:
    """Functions, of which each calls those that were made before it; the last one is the program.
    The first one may call itself."""

    def __init__(self, draw, recursive=False):
        self.draw, self.code, self.functions = draw, [], []
        for level in range(3):
            self.functions.append((len(self.code), None))
            if recursive and not level:
                self.recursion()
            else:
                self.function(level)
            self.functions[-1] = (self.functions[-1][0], len(self.code))

    def emit(self, kind, word, *parts):
        self.code.append((kind, word, *parts))

    def work(self):
        to, first, second = self.draw.randrange(10, 16), self.draw.randrange(10, 16), \
            self.draw.randrange(10, 16)
        offset = 8 * self.draw.randrange(8, 16)
        choice = self.draw.randrange(6)
        if choice == 0:
            number = self.draw.randrange(1, 1000)
            self.emit("addi", i_type(0x13, 0, to, first, number), to, first, number)
        elif choice == 1:
            self.emit("add", r_type(0, to, first, second), to, first, second)
        elif choice == 2:
            self.emit("xor", r_type(4, to, first, second), to, first, second)
        elif choice == 3:
            self.emit("sd", store(first, 3, offset), first, 3, offset)
        elif choice == 4:
            self.emit("ld", i_type(3, 3, to, 3, offset), to, 3, offset)
        else:
            self.emit("addi", i_type(0x13, 0, to, to, 1), to, to, 1)

    def function(self, level):
        counter, slot = 20 + level, 8 * level
        self.emit("sd", store(1, 2, slot), 1, 2, slot)
        for _ in range(self.draw.randrange(1, 3)):
            rounds = self.draw.randrange(3, 12)
            self.emit("addi", i_type(0x13, 0, counter, 0, rounds), counter, 0, rounds)
            begin = len(self.code)
            for _ in range(self.draw.randrange(2, 9)):
                self.work()
            if level:
                to = self.functions[self.draw.randrange(level)][0]
                self.call(to)
            self.work()
            self.emit("addi", i_type(0x13, 0, counter, counter, -1), counter, counter, -1)
            self.branch(counter, begin)
        self.emit("ld", i_type(3, 3, 1, 2, slot), 1, 2, slot)
        self.emit("jalr", i_type(0x67, 0, 0, 1, 0))

    def branch(self, first, to, at=None):
        """At the end of the code, or instead of the instruction there."""
        at = len(self.code) if at is None else at
        self.code[at:at + 1] = [("bne", branch(first, 4 * (to - at)), first, to)]

    def addi(self, to, source, number):
        self.emit("addi", i_type(0x13, 0, to, source, number), to, source, number)

    def call(self, to):
        self.emit("jal", jump(1, 4 * (to - len(self.code))), to)

    def stack(self, kind, *registers):
        for slot, register in enumerate(registers):
            word = store(register, 2, 8 * slot) if kind == "sd" else i_type(3, 3, register, 2, 8 * slot)
            self.emit(kind, word, register, 2, 8 * slot)

    def recursion(self):
        """A function that calls itself once or twice, so deep as x23 states."""
        calls, works = self.draw.randrange(1, 3), [self.draw.randrange(1, 6) for _ in range(3)]
        self.stack("sd", 1)
        self.addi(23, 0, self.draw.randrange(2, 10 if calls == 1 else 5))
        self.call(len(self.code) + 3)
        self.stack("ld", 1)
        self.emit("jalr", i_type(0x67, 0, 0, 1, 0))
        begin = len(self.code)
        self.addi(2, 2, -16)
        self.stack("sd", 1, 23)
        for _ in range(works[0]):
            self.work()
        self.addi(23, 23, -1)
        self.branch(23, len(self.code) + 2)
        leaves = len(self.code)
        self.branch(2, leaves)  # always taken; its target follows
        for again in range(calls):
            self.call(begin)
            for _ in range(works[1] if not again else 0):
                self.work()
        self.branch(2, len(self.code), leaves)
        for _ in range(works[2]):
            self.work()
        self.stack("ld", 1, 23)
        self.addi(2, 2, 16)
        self.emit("jalr", i_type(0x67, 0, 0, 1, 0))

    def run(self, interrupts=(), wrong=None, xor=operator.xor):
        """The executed instructions: index, and the line of the log.  An interrupt is taken before
        each instruction of this number; `wrong` is the number of one with a wrong result, `xor` what xor
        computes."""
        x = [0] * 32
        x[2], x[3] = STACK, STACK + 4096
        memory, at, log, end = {}, self.functions[-1][0], [], len(self.code)
        x[1] = LOWEST + 4 * end
        handler, number = Handler(memory), 0
        while at < end:
            if number in interrupts:
                log += handler.run(x, LOWEST + 4 * at)
            kind, word, *parts = self.code[at]
            to, effect, after = None, "", at + 1
            if kind in ("add", "xor", "addi"):
                first = x[parts[1]]
                other = parts[2] if kind == "addi" else x[parts[2]]
                to, value = parts[0], xor(first, other) if kind == "xor" else first + other
            elif kind == "sd":
                address = x[parts[1]] + parts[2]
                memory[address] = x[parts[0]]
                effect = f" mem 0x{address:016x} 0x{x[parts[0]]:016x}"
            elif kind == "ld":
                address = x[parts[1]] + parts[2]
                to, value = parts[0], memory.get(address, 0)
                effect = f" mem 0x{address:016x}"
            elif kind == "jal":
                to, value, after = 1, LOWEST + 4 * (at + 1), parts[0]
            elif kind == "jalr":
                after = (x[1] - LOWEST) // 4
            elif x[parts[0]]:
                after = parts[1]
            if to is not None:
                x[to] = value & MASK ^ (0x20 if number == wrong else 0)
                effect = f" x{to:<2} 0x{x[to]:016x}" + effect
            log.append((at, f"core   0: 3 0x{LOWEST + 4 * at:016x} (0x{word:08x}){effect}\n"))
            at, number = after, number + 1
        return log


def stretches(gone):
    """The lengths of the runs of consecutive numbers."""
    lengths, before = [], None
    for number in sorted(gone):
        if number - 1 == before:
            lengths[-1] += 1
        else:
            lengths.append(1)
        before = number
    return lengths


def edit(draw, program, log):
    """What was done, the numbers of deleted lines, and those of lines whose value was changed."""
    kind = draw.choice(["pc", "stretch", "iteration", "function", "values"])
    last = len(log) - 1
    if kind == "pc":
        inner = [at for at, _ in log]
        at = draw.choice(inner[len(inner) // 3:])
        return kind, {i for i, (here, _) in enumerate(log) if here == at and i != last}, []
    if kind == "stretch":
        begin, length = draw.randrange(1, last - 20), draw.randrange(1, 20)
        return kind, set(range(begin, begin + length)), []
    if kind == "iteration":
        backs = [i for i, (at, _) in enumerate(log)
                 if program.code[at][0] == "bne" and log[i + 1][0] < at]
        i = draw.choice(backs)
        begin = program.code[log[i][0]][3]
        first = max(j for j in range(i) if log[j][0] == begin)
        return kind, set(range(first, i + 1)), []
    if kind == "function":
        begin, end = program.functions[0]
        return kind, {i for i, (at, _) in enumerate(log) if begin <= at < end and i != last}, []
    able = [i for i, (at, line) in enumerate(log) if " x" in line]
    return kind, set(), draw.sample(able, draw.randrange(1, 4))


def change_value(line):
    head, value = line.rstrip().split(" mem")[0], line.rstrip()[len(line.rstrip().split(" mem")[0]):]
    return head[:-1] + ("7" if head[-1] != "7" else "2") + value + "\n"


def places(draw, last, count, apart):
    """Numbers of instructions, at least so far apart."""
    chosen = []
    while len(chosen) < count:
        place = draw.randrange(1, last - apart)
        if all(abs(place - other) > apart for other in chosen):
            chosen.append(place)
    return sorted(chosen)


def run_again(draw, program, log):
    """What was done, the left log, the right one, and what the report must state."""
    last = len(log) - 1
    kind = draw.choice(["moved", "moved", "one-sided", "result", "swaps"])
    count = min(draw.randrange(1, 5), last // 200)
    if kind == "result" or not count:
        able = [i for i, (at, line) in enumerate(log) if program.code[at][0] in ("add", "xor", "addi")
                and 10 <= program.code[at][2] < 16]
        wrong = draw.choice(able)
        right = program.run(wrong=wrong)
        return "result", log, right, {"roots": 1, "mismatches": sum(
            a != b for (_, a), (_, b) in zip(log, right))}
    chosen = places(draw, last, count, 60)
    if kind == "swaps":
        right, swapped = list(log), 0
        for i in chosen:
            right[i], right[i + 1] = right[i + 1], right[i]
            swapped += right[i] != right[i + 1]
        return kind, log, right, {"order": swapped}
    left = program.run(interrupts=chosen)
    if kind == "one-sided":
        return kind, left, log, {"events": count, "length": len(Handler.code)}
    distances = [draw.randrange(1, 40) for _ in chosen]
    later = [place + distance for place, distance in zip(chosen, distances)]
    sides = [left, program.run(interrupts=later)]
    if draw.randrange(2):
        sides.reverse()
    return kind, *sides, {"interrupts": count, "least": min(distances), "most": max(distances)}


def compare(spoor, paths, *options):
    run = subprocess.run([spoor, "diff", "--json", *options, *paths], capture_output=True, text=True)
    return run.returncode, json.loads(run.stdout)


def check_handler(spoor, draw, paths, left, right):
    """A wrong value of what a handler finds is a difference: registers that it saves, and mepc; and so is a
    wrong result after it."""
    mistakes = []
    for path, lines in zip(paths, (left, right)):
        begin = draw.choice([i for i, (at, _) in enumerate(lines)
                             if at is None and lines[i - 1][0] is not None])
        end = begin + len(Handler.code)
        after = [i for i in range(end, min(end + 4, len(lines))) if lines[i][1].count("0x") > 2]
        number = draw.choice([begin + i for i in range(1, 5)] + after)
        line = lines[number][1].rstrip()
        changed = line[:-1] + ("7" if line[-1] != "7" else "2") + "\n"
        path.write_text("".join(changed if i == number else text
                                for i, (_, text) in enumerate(lines)))
        code, report = compare(spoor, paths, "--tolerate", "moved-interrupt")
        if code != 1 or report["roots"] != 1:
            mistakes.append(f"exit code {code} and {report['roots']} roots, expected 1 and 1, with "
                            f"a wrong value in line {number + 1} of {path.name}")
        path.write_text("".join(text for _, text in lines))
    return mistakes


def check_run(spoor, directory, seed):
    """Runs of one program that differ: see run_again()."""
    draw = random.Random(seed)
    program = Program(draw, seed // 2 % 2)
    log = program.run()
    kind, left, right, expected = run_again(draw, program, log)
    paths = [Path(directory, "left.log"), Path(directory, "right.log")]
    for path, lines in zip(paths, (left, right)):
        path.write_text("".join(line for _, line in lines))
    code, report = compare(spoor, paths)
    gaps = [gap for gap in report["gaps"] if gap["class"] != "event"]
    events = [gap for gap in report["gaps"] if gap["class"] == "event"]
    found = {"roots": report["roots"], "mismatches": report["mismatches"], "gaps": len(gaps),
             "events": len(events), **report["moved"]}
    if kind == "one-sided":
        found["length"] = max((gap["skipped_left"] for gap in events), default=0)
    mistakes = [] if code == 1 or not any(expected.values()) else [f"exit code {code}"]
    for what in ("roots", "mismatches", "gaps", "events", "order", "interrupts", "least", "most",
                 "length"):
        if found.get(what, 0) != expected.get(what, 0):
            mistakes.append(f"{found.get(what, 0)} {what}, expected {expected.get(what, 0)}")
    option = {"moved": "moved-interrupt", "one-sided": "one-sided-interrupt"}.get(kind)
    if option:
        code, report = compare(spoor, paths, "--tolerate", option)
        uses = {row["name"]: row["uses"] for row in report["tolerances"]}[option]
        if code != 0 or uses != (expected.get("interrupts") or expected.get("events")):
            mistakes.append(f"exit code {code} and {uses} uses with --tolerate {option}")
    if kind == "moved":
        mistakes += check_handler(spoor, draw, paths, left, right)
    if kind == "swaps" and expected["order"] and compare(spoor, paths, "--window", "2")[0] != 0:
        mistakes.append("not equal with --window 2")
    for mistake in mistakes:
        print(f"program {seed} ({kind}, {len(log)} instructions): {mistake}")
    return not mistakes


def check(spoor, directory, seed):
    if seed % 2:
        return check_run(spoor, directory, seed)
    draw = random.Random(seed)
    program = Program(draw, seed // 2 % 2)
    log = program.run()
    kind, gone, wrong = edit(draw, program, log)
    paths = [Path(directory, "left.log"), Path(directory, "right.log")]
    paths[0].write_text("".join(line for _, line in log))
    paths[1].write_text("".join(change_value(line) if i in wrong else line
                                for i, (_, line) in enumerate(log) if i not in gone))
    run = subprocess.run([spoor, "diff", "--json", *paths], capture_output=True, text=True)
    report = json.loads(run.stdout)
    found = sorted((gap["skipped_left"], gap["skipped_right"]) for gap in report["gaps"])
    expected = sorted((length, 0) for length in stretches(gone))
    mistakes = []
    if run.returncode != (1 if gone or wrong else 0):
        mistakes.append(f"exit code {run.returncode}")
    if sum(left for left, _ in found) != len(gone) or any(right for _, right in found):
        mistakes.append(f"{sum(l for l, _ in found)}/{sum(r for _, r in found)} skipped, expected "
                        f"{len(gone)}/0")
    if len(found) > len(expected):
        mistakes.append(f"{len(found)} gaps, expected {len(expected)}")
    if report["mismatches"] != len(wrong):
        mistakes.append(f"{report['mismatches']} wrong values, expected {len(wrong)}")
    if wrong and not report["roots"]:
        mistakes.append("no root")
    for mistake in mistakes:
        print(f"program {seed} ({kind}, {len(log)} instructions): {mistake}")
    return not mistakes


def check_absent(spoor, directory, seed):
    """Neighbouring instructions never retire on the right, or some on the left and others on the right:
    a gap for each time that they are reached."""
    draw = random.Random(seed)
    log = Program(draw, True).run()
    addresses = sorted({at for at, _ in log})
    length = draw.choice([2, 4, 6, 8, 12, 16])
    begin = draw.randrange(1, len(addresses) - length)
    absent = [set(), set(addresses[begin:begin + length])]
    if seed % 2:
        chosen = draw.sample(addresses, length)
        absent = [set(chosen[::2]), set(chosen[1::2])]
    paths = [Path(directory, "left.log"), Path(directory, "right.log")]
    for path, gone in zip(paths, absent):
        path.write_text("".join(line for at, line in log if at not in gone))
    code, report = compare(spoor, paths)
    found = (code, report["left"]["skipped"], report["right"]["skipped"], report["roots"])
    sides = [[i for i, (at, _) in enumerate(log) if at in gone] for gone in absent]
    expected = (1, len(sides[1]), len(sides[0]), 0)
    # neighbours of which each side lacks some are one gap, or one of each side
    fewest, most = len(stretches(sides[0] + sides[1])), sum(len(stretches(side)) for side in sides)
    good = found == expected and fewest <= report["gap_count"] <= most
    if not good:
        print(f"program {seed} without {length} instructions: exit code, skipped on the left and the right, "
              f"roots are {found}, expected {expected}; {report['gap_count']} gaps, expected {fewest} to {most}")
    return good


def check_repeated(spoor, directory, step):
    """A program four times in a row, of which each STEPth instruction is missing: no row of
    instructions occurs once, and a whole run is no gap."""
    log = 4 * [line for _, line in Program(random.Random(8880)).run()]
    paths = [Path(directory, "left.log"), Path(directory, "right.log")]
    paths[0].write_text("".join(log))
    paths[1].write_text("".join(line for i, line in enumerate(log) if i % step))
    code, report = compare(spoor, paths)
    gaps = [(gap["skipped_left"], gap["skipped_right"]) for gap in report["gaps"]]
    if code == 1 and not report["mismatches"] and gaps == len(range(0, len(log), step)) * [(1, 0)]:
        return True
    print(f"each {step}th instruction missing: {len(gaps)} gaps, {sum(r for _, r in gaps)} extra, "
          f"{report['mismatches']} mismatches, exit code {code}")
    return False


# The loop whose iteration is missing has an iteration of 1,000 instructions, in which one value differs.
LONG_ITERATION = 9578
# Each side lacks an instruction of the loop with which the window ends.
SHORT_ENDS = 1001


def main():
    spoor, count = sys.argv[1], int(sys.argv[2]) * int(os.environ.get("SPOOR_TIMES", "1"))
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with tempfile.TemporaryDirectory() as directory:
        seeds = [*range(first, first + count), LONG_ITERATION]
        good = sum(check(spoor, directory, seed) for seed in seeds)
        repeated = [check_repeated(spoor, directory, step) for step in (997, 97)]
        absent = [check_absent(spoor, directory, seed) for seed in [*range(60), SHORT_ENDS]]
    print(f"{good} of {len(seeds)} programs as expected")
    return 0 if good == len(seeds) and all(repeated + absent) else 1


if __name__ == "__main__":
    sys.exit(main())

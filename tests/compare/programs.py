#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""programs.py SPOOR COUNT: make COUNT random RISC-V programs with loops and calls, execute them, and
write their commit logs as Spike does.  A second log is edited: every execution of one instruction is
deleted, one stretch, one iteration of a loop, all of one function, or values are changed.  `spoor
diff` must report the edits and nothing else: gaps of their length, wrong values; never EQUAL.

A generator with a fixed seed makes the choices, and an interpreter in this file the values.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

MASK = (1 << 64) - 1
LOWEST, STACK = 0x80000000, 0x80010000


def i_type(opcode, function, to, source, number):
    return (number & 0xFFF) << 20 | source << 15 | function << 12 | to << 7 | opcode


def r_type(function, to, first, second):
    return second << 20 | first << 15 | function << 12 | to << 7 | 0x33


def store(source, base, offset):
    return (offset >> 5) << 25 | source << 20 | base << 15 | 3 << 12 | (offset & 31) << 7 | 0x23


def branch_back(first, distance):
    """bne FIRST, x0, -DISTANCE"""
    number = -distance & 0x1FFF
    return (number >> 12) << 31 | (number >> 5 & 63) << 25 | first << 15 | 1 << 12 | \
        (number >> 1 & 15) << 8 | (number >> 11 & 1) << 7 | 0x63


def jump(to, distance):
    number = distance & 0x1FFFFF
    return (number >> 20) << 31 | (number >> 1 & 0x3FF) << 21 | (number >> 11 & 1) << 20 | \
        (number >> 12 & 0xFF) << 12 | to << 7 | 0x6F


class Program:
    """Functions, of which each calls those that were made before it; the last one is the program."""

    def __init__(self, draw):
        self.draw, self.code, self.functions = draw, [], []
        for level in range(3):
            self.functions.append((len(self.code), None))
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
                distance = 4 * (to - len(self.code))
                self.emit("jal", jump(1, distance), to)
            self.work()
            self.emit("addi", i_type(0x13, 0, counter, counter, -1), counter, counter, -1)
            self.emit("bne", branch_back(counter, 4 * (len(self.code) - begin)), counter, begin)
        self.emit("ld", i_type(3, 3, 1, 2, slot), 1, 2, slot)
        self.emit("jalr", i_type(0x67, 0, 0, 1, 0))

    def run(self):
        """The executed instructions: index, and the line of the log."""
        x = [0] * 32
        x[2], x[3] = STACK, STACK + 4096
        memory, at, log, end = {}, self.functions[-1][0], [], len(self.code)
        x[1] = LOWEST + 4 * end
        while at < end:
            kind, word, *parts = self.code[at]
            to, effect, after = None, "", at + 1
            if kind in ("add", "xor", "addi"):
                first = x[parts[1]]
                other = parts[2] if kind == "addi" else x[parts[2]]
                to, value = parts[0], first ^ other if kind == "xor" else first + other
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
                x[to] = value & MASK
                effect = f" x{to:<2} 0x{x[to]:016x}" + effect
            log.append((at, f"core   0: 3 0x{LOWEST + 4 * at:016x} (0x{word:08x}){effect}\n"))
            at = after
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


def check(spoor, directory, seed):
    draw = random.Random(seed)
    program = Program(draw)
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


def main():
    spoor, count = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as directory:
        good = sum(check(spoor, directory, seed) for seed in range(count))
    print(f"{good} of {count} programs as expected")
    return 0 if good == count else 1


if __name__ == "__main__":
    sys.exit(main())

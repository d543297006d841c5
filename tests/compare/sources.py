#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sources.py SPOOR COUNT [FIRST]: run COUNT random programs twice, from number FIRST on, the second
time with faults: wrong results, and instructions that are skipped.  `spoor diff` must list each fault
as a root, each wrong value and gap that follows from one as a consequence of that root, and nothing
else.

Both sides are executed in step here, so each register and each byte of memory that differs is known,
and the fault that it came from: of several wrong sources, the first fault.  Programs load and store
1, 4 and 8 bytes, also at wrong addresses, and branch on wrong values.  One half are AArch64, written
as Tarmac, the other RISC-V, as Spike writes it: without the values that loads read.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

CODE, DATA = 0x80001000, 0x80010000
BASE, MASK, ZERO = 9, 8, 0  # x9: where the data are; x8: the bits of an offset; x0 is not written
WORK = range(10, 18)


class Arm:
    """Tarmac: a line for each instruction, access and register."""
    option = "tarmac"
    registers = [f"X{number}" for number in range(32)]

    def word(self, op, *of):
        if op == "movi":
            return 0xD2800000 | of[1] << 5 | of[0]
        if op in ("add", "xor", "and"):
            return {"add": 0x8B, "xor": 0xCA, "and": 0x8A}[op] << 24 | of[2] << 16 | of[1] << 5 | of[0]
        if op == "addi":
            return 0x91000000 | of[2] << 10 | of[1] << 5 | of[0]
        if op == "branch":
            return 0xB5000000 | (of[1] + 1) << 5 | of[0]
        number, base, offset, size = of
        return {8: 0xF9, 4: 0xB9, 1: 0x39}[size] << 24 | (op == "load") << 22 | offset // size << 10 | base << 5 | number

    def lines(self, time, pc, word, size, writes, access):
        head = f"{time} clk cpu0"
        made = [f"{head} IT ({time}) {pc:08x} {word:08x} O EL1h : an instruction"]
        if access:
            what, address, value = access
            made.append(f"{head} M{what}{size} {address:08x} {value:0{2 * size}x}")
        return made + [f"{head} R {self.registers[number]} {value:016x}" for number, value in writes]


class Riscv:
    """Spike's log of commits: one line for each instruction."""
    option = "spike"

    def word(self, op, *of):
        if op == "movi":
            return of[1] << 20 | of[0] << 7 | 0x13
        if op in ("add", "xor", "and"):
            return of[2] << 20 | of[1] << 15 | {"add": 0, "xor": 4, "and": 7}[op] << 12 | of[0] << 7 | 0x33
        if op == "addi":
            return of[2] << 20 | of[1] << 15 | of[0] << 7 | 0x13
        if op == "branch":
            distance = 4 * (of[1] + 1)
            return of[0] << 15 | 1 << 12 | (distance >> 1 & 15) << 8 | (distance >> 5 & 63) << 25 | 0x63
        number, base, offset, size = of
        function = {8: 3, 4: 6 if op == "load" else 2, 1: 4 if op == "load" else 0}[size]
        if op == "load":
            return offset << 20 | base << 15 | function << 12 | number << 7 | 3
        return (offset >> 5) << 25 | number << 20 | base << 15 | function << 12 | (offset & 31) << 7 | 0x23

    def lines(self, _, pc, word, size, writes, access):
        line = f"core   0: 3 0x{pc:016x} (0x{word:08x})"
        line += "".join(f" x{number:<2} 0x{value:016x}" for number, value in writes)
        if access:
            what, address, value = access
            line += f" mem 0x{address:016x}" + (f" 0x{value:0{2 * size}x}" if what == "W" else "")
        return [line]


def program(draw, length):
    """Instructions, each with the number of the next ones that it may skip."""
    # a gap explains instructions between it and the next one, if these are few
    apart, branched = 16, 0
    code = [("movi", BASE, 1), ("movi", MASK, 0x78)] + [("movi", number, draw.randrange(1, 2000)) for number in WORK]
    while len(code) < length:
        to, first, second = (draw.choice(WORK) for _ in range(3))
        choice, offset, size = draw.randrange(9), draw.randrange(16), draw.choice((8, 8, 4, 1))
        if choice < 2:
            code.append((draw.choice(("add", "xor")), to, first, second))
        elif choice < 3:
            code.append(("addi", to, first, draw.randrange(1, 2000)))
        elif choice < 5:
            code.append(("store", first, BASE, offset * 8, size))
        elif choice < 7:
            code.append(("load", to, BASE, offset * 8, size))
        elif choice < 8:  # an address that depends on a value
            code += [("and", to, first, MASK), ("add", to, to, BASE), (draw.choice(("load", "store")), second, to, 128, size)]
        elif len(code) - branched > apart:
            skipped = draw.randrange(1, 4)
            branched = len(code) + skipped
            code.append(("branch", first, skipped))
            for _ in range(skipped + 1):
                code.append(("xor", draw.choice(WORK), draw.choice(WORK), draw.choice(WORK)))
    return code


class Side:
    def __init__(self):
        self.x, self.memory, self.lines, self.at = [0] * 32, {}, [], 0

    def read(self, address, size):
        return sum(self.memory.get(address + i, 0) << 8 * i for i in range(size))


class Runs:
    """Both sides of a program, in step; the faults are in the right one."""

    def __init__(self, draw, isa, code):
        self.draw, self.isa, self.code = draw, isa, code
        self.sides = [Side(), Side()]
        self.wrong_registers, self.wrong_bytes = {}, {}  # to the number of the fault
        self.faults, self.branch, self.quiet = 0, None, 0
        self.expected, self.roots = [], {}

    def place(self, side):
        return side, len(self.sides[side].lines) + 1

    def step(self, side, wrong=0):
        """Executes an instruction of a side; what it wrote: register, its address, size."""
        own = self.sides[side]
        number = own.at
        op, *of = self.code[number]
        x, writes, access, size, own.at = own.x, [], None, 8, number + 1
        if op == "movi":
            x[of[0]] = (DATA if of[0] == BASE else of[1]) ^ wrong
            writes = [of[0]]
        elif op in ("add", "xor", "and", "addi"):
            first, second = x[of[1]], of[2] if op == "addi" else x[of[2]]
            value = first ^ second if op == "xor" else first & second if op == "and" else first + second
            x[of[0]] = value & (1 << 64) - 1 ^ wrong
            writes = [of[0]]
        elif op == "branch":
            if x[of[0]] & (1 << 64) - 1:
                own.at += of[1]
        else:
            register, base, offset, size = of
            address = x[base] + offset & (1 << 64) - 1
            if op == "load":
                access = ("R", address, own.read(address, size))
                x[register] = access[2] ^ wrong
                writes = [register]
            else:
                value = x[register] & (1 << 8 * size) - 1
                access = ("W", address, value)
                for i in range(size):
                    own.memory[address + i] = value >> 8 * i & 255
        own.lines += self.isa.lines(number, CODE + 4 * number, self.isa.word(op, *of), size,
                                    [(one, x[one]) for one in writes], access)
        return writes, access, size

    def sources(self, number):
        """The faults that the sources of an instruction came from."""
        op, *of = self.code[number]
        registers = {"movi": (), "addi": of[1:2], "branch": of[:1], "load": of[1:2], "store": of[:2]}.get(op, of[1:3])
        found = [self.wrong_registers[one] for one in registers if one in self.wrong_registers]
        if op in ("load", "store") and of[1] in self.wrong_registers:
            return [self.wrong_registers[of[1]]]  # another address: what is there does not matter
        if op == "load":
            for side in self.sides:
                address = side.x[of[1]] + of[2] & (1 << 64) - 1
                found += [self.wrong_bytes[address + i] for i in range(of[3]) if address + i in self.wrong_bytes]
        return found

    def differ(self, place, fault, gap):
        """A difference is expected there; the first one of its fault is the root."""
        self.expected.append((*place, fault, gap))

    def mark(self, registers, stores, fault):
        for register in registers:
            if self.sides[0].x[register] != self.sides[1].x[register]:
                self.wrong_registers[register] = fault
            else:
                self.wrong_registers.pop(register, None)
        for address, size, sure in stores:
            for byte in range(address, address + size):
                if sure or self.sides[0].memory.get(byte, 0) != self.sides[1].memory.get(byte, 0):
                    self.wrong_bytes[byte] = fault
                else:
                    self.wrong_bytes.pop(byte, None)

    def gap(self, side, end, fault):
        """One side alone executes up to an instruction."""
        self.differ(self.place(side), fault, True)
        registers, stores = [], []
        while self.sides[side].at < end:
            writes, access, size = self.step(side)
            registers += writes
            stores += [(access[1], size, True)] if access and access[0] == "W" else []
        self.mark(registers, stores, fault)
        self.quiet = 12

    def both(self):
        """Both sides execute the same instruction."""
        number = self.sides[0].at
        op, *of = self.code[number]
        found = self.sources(number)
        fault, wrong = min(found, default=None), 0
        able = number > 12 and not self.quiet and fault is None
        if able and op not in ("branch", "store") and self.draw.randrange(25) == 0:
            wrong, fault = 1 << self.draw.randrange(24), self.faults
            self.faults += 1
        elif able and not self.branch and op not in ("branch",) and self.draw.randrange(30) == 0 and \
                number + 20 < len(self.code) and all(one[0] != "branch" for one in self.code[number:number + 20]):
            self.sides[1].at += self.draw.randrange(1, 6)
            fault = self.faults
            self.faults += 1
            self.gap(0, self.sides[1].at, fault)
            return
        self.quiet = max(0, self.quiet - 1)
        place, before = self.place(0), [len(side.lines) for side in self.sides]
        (writes, left, size), (_, right, _) = self.step(0), self.step(1, wrong)
        texts = [side.lines[first:] for side, first in zip(self.sides, before)]
        if texts[0] != texts[1]:
            self.differ(place, fault, False)
        elif op == "load" and fault is not None:
            fault = None  # the values agree
        if op == "branch":
            self.branch = fault is not None
            ends = [side.at for side in self.sides]
            if ends[0] != ends[1]:
                behind = 0 if ends[0] < ends[1] else 1
                self.gap(behind, max(ends), fault)
                self.branch = False
        stores = []
        if left and left[0] == "W":
            same = left[1] == right[1]
            stores = [(access[1], size, not same) for access in (left, right)]
        self.mark(writes, stores, fault)

    def run(self):
        while self.sides[0].at < len(self.code):
            self.both()


def check(spoor, directory, seed):
    draw = random.Random(seed)
    isa = (Arm, Riscv)[seed % 2]()
    runs = Runs(draw, isa, program(draw, draw.randrange(100, 1200)))
    runs.run()
    paths = []
    for name, side in zip(("left", "right"), runs.sides):
        paths.append(os.path.join(directory, name))
        with open(paths[-1], "w", encoding="ascii") as file:
            file.write("\n".join(side.lines) + "\n")
    made = subprocess.run([spoor, "diff", "-f", isa.option, "--json", "--top", "1000000", *paths],
                          stdout=subprocess.PIPE, check=False)
    answer = json.loads(made.stdout)
    listed = answer["differences"]
    found = []
    for one in listed:
        side = 1 if one["gap"] and one["skipped_right"] else 0
        root = listed[one["root"]] if one["cause"] == "consequence" and "root" in one else one
        found.append(((side, one[("left_unit", "right_unit")[side]]["line"], one["gap"]), one["cause"],
                      (root["gap"], root["left_unit"]["line"])))
    first, followers, expected = {}, {}, []
    for side, line, fault, gap in runs.expected:
        place = (side, line, gap)
        new = fault not in first
        if new:
            first[fault] = (gap, line)
        else:
            followers[fault] = followers.get(fault, 0) + 1
        expected.append((place, "root" if new else "consequence", first[fault]))
    counts = [one["consequences"] for one in listed if one["cause"] == "root"]
    problems = []
    if found != expected:
        problems += [f"found {a}, expected {b}" for a, b in zip(found, expected) if a != b][:3] or \
            [f"found {len(found)} differences, expected {len(expected)}"]
    elif counts != [followers.get(fault, 0) for fault in first]:
        problems.append(f"consequences of each root: found {counts}, expected {[followers.get(fault, 0) for fault in first]}")
    for problem in problems:
        print(f"program {seed} ({isa.option}): {problem}")
    return not problems, len(first), len(expected)


def main():
    spoor, count, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    failed = roots = differences = 0
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(first, first + count):
            right, own, all_of_them = check(spoor, directory, seed)
            failed += not right
            roots += own
            differences += all_of_them
    if not roots or differences < 5 * roots:
        print("the programs have too few differences")
        failed += 1
    print(f"{count} programs, {roots} roots, {differences} differences, {failed} wrong")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""vectors.py SPOOR COUNT [FIRST]: make COUNT random programs of RISC-V vectors, execute them twice, and
write the commit logs as Spike does.  The second run has one or two wrong results, each where all that
the instruction reads is right; what is computed from them is wrong, too.  `spoor diff` must report
the wrong results as roots, all else that differs as consequences, and name the element.

A generator with a fixed seed makes the choices, and an interpreter in this file the values.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

VV, MV, VI, VX, MX = 0, 2, 3, 4, 6
# name: code, category, forms
COMPUTES = {
    "vadd": (0x00, (VV, VX, VI)), "vsub": (0x02, (VV, VX)), "vand": (0x09, (VV, VX, VI)),
    "vor": (0x0A, (VV, VX, VI)), "vxor": (0x0B, (VV, VX, VI)), "vmul": (0x25, (MV, MX)),
    "vmacc": (0x2D, (MV, MX)), "vminu": (0x04, (VV, VX)), "vsll": (0x25, (VI, VX)),
}
OTHERS = ["vmseq", "vmerge", "vid", "vredsum", "vslideup", "vslidedown", "vrgather", "vmv.x.s",
          "vmv.s.x", "vmv.v.v", "vwaddu", "vnsrl", "vle", "vse", "vsse", "vluxei", "vmand", "vcpop",
          "vsetvli", "addi", "csrr", "vmv2r", "vl1r"]


def vector(code, unmasked, second, first, form, to):
    return code << 26 | unmasked << 25 | second << 20 | first << 15 | form << 12 | to << 7 | 0x57


def access(is_store, mop, unmasked, second, base, width, to, fields=0):
    return fields << 29 | mop << 26 | unmasked << 25 | second << 20 | base << 15 | width << 12 | \
        to << 7 | (0x27 if is_store else 0x07)


class Noted(list):
    """Integer registers, which note what is read of them."""

    def __init__(self, read):
        super().__init__([0] * 32)
        self.read = read

    def __getitem__(self, number):
        self.read.add(number)
        return super().__getitem__(number)


class Machine:
    """Registers and memory; `read` has the numbers of the registers that were read, vectors from 32
    on."""

    def __init__(self, bytes_each):
        self.each = bytes_each
        self.read = set()
        self.x = Noted(self.read)
        self.v = [bytearray(bytes_each) for _ in range(32)]
        self.memory = {}
        self.sew = self.lmul = self.vl = 0

    def get(self, group, i, size):
        at = i * size
        data = self.v[(group + at // self.each) % 32]
        self.read.add(32 + (group + at // self.each) % 32)
        return int.from_bytes(data[at % self.each:at % self.each + size], "little")

    def put(self, group, i, size, value):
        at = i * size
        data = self.v[(group + at // self.each) % 32]
        data[at % self.each:at % self.each + size] = (value % (1 << 8 * size)).to_bytes(size, "little")

    def bit(self, register, i):
        self.read.add(32 + register)
        return self.v[register][i // 8] >> i % 8 & 1

    def put_bit(self, register, i, value):
        old = self.v[register][i // 8]
        self.v[register][i // 8] = old & ~(1 << i % 8) | value << i % 8

    def load(self, address, size):
        return sum(self.memory.get(address + k, (address + k) * 7 % 251) << 8 * k
                   for k in range(size))

    def store(self, address, size, value):
        for k in range(size):
            self.memory[address + k] = value >> 8 * k & 0xFF


class Step:
    """An instruction: its opcode, what it does to a machine, the vectors that it writes."""

    def __init__(self, opcode, run, writes=(), result=None, stores=False):
        self.opcode, self.run, self.writes = opcode, run, writes
        self.result, self.stores = result, stores


def registers(group, count):
    return [group + i for i in range(max(1, count))]


class Program:
    def __init__(self, draw, each):
        self.draw, self.each = draw, each
        self.sew, self.lmul = 4, 1
        self.steps = []
        for register in (5, 7, 8):
            self.add_number(register, draw.randrange(1, 40))
        self.add_number(10, 0x400)
        self.add_settings()
        for group in (1, 2, 4, 8, 16, 24):
            self.add_load(group)
        for _ in range(40):
            self.add(draw.choice(OTHERS + list(COMPUTES) * 2))

    def group(self, multiple=1, least=0):
        count = max(1, self.lmul * multiple)
        return self.draw.randrange(-(-least // count), 32 // count) * count

    def add_number(self, register, number):
        def run(m):
            m.x[register] = number
            return None
        self.steps.append(Step(number << 20 | register << 7 | 0x13, run, result=register))

    def add_settings(self):
        self.sew = self.draw.choice((1, 2, 4, 8))
        self.lmul = self.draw.choice((1, 1, 2, 4))
        sew, lmul = self.sew, self.lmul
        length, to = self.draw.choice((5, 5, 7)), 6

        def run(m):
            m.sew, m.lmul = sew, lmul
            m.vl = m.x[to] = min(m.x[length], lmul * m.each // sew)
            return None
        vtype = {1: 0, 2: 1, 4: 2, 8: 3}[sew] << 3 | {1: 0, 2: 1, 4: 2}[lmul]
        self.steps.append(Step(vtype << 20 | length << 15 | 7 << 12 | to << 7 | 0x57, run, result=to))
        self.steps[-1].settings = True

    def width(self, size):
        return {1: 0, 2: 5, 4: 6, 8: 7}[size]

    def add_load(self, group):
        group -= group % self.lmul
        size, each = self.sew, registers(group, self.lmul)

        def run(m):
            reads = []
            for i in range(m.vl):
                m.put(group, i, size, m.load(m.x[10] + i * size, size))
                reads.append((m.x[10] + i * size, None, size))
            return reads
        self.steps.append(Step(access(False, 0, 1, 0, 10, self.width(size), group), run, each))

    def add_compute(self, name):
        code, forms = COMPUTES[name]
        form = self.draw.choice(forms)
        masked = self.draw.random() < 0.3
        to, second = self.group(least=1 if masked else 0), self.group()
        source = self.group() if form in (VV, MV) else self.draw.choice((5, 7, 8, 9))
        number = self.draw.randrange(0, 16)
        size = self.sew

        def run(m):
            results = []
            for i in range(m.vl):
                b = m.get(second, i, size)
                a = m.get(source, i, size) if form in (VV, MV) else \
                    number if form == VI else m.x[source] % (1 << 8 * size)
                c = {"vadd": a + b, "vsub": b - a, "vand": a & b, "vor": a | b, "vxor": a ^ b,
                     "vmul": a * b, "vmacc": a * b + m.get(to, i, size), "vminu": min(a, b),
                     "vsll": b << a % (8 * size)}[name]
                if not masked or m.bit(0, i):
                    results.append((i, c))
            for i, c in results:
                m.put(to, i, size, c)
        first = number if form == VI else source
        self.steps.append(Step(vector(code, not masked, second, first, form, to), run,
                               registers(to, self.lmul)))

    def add(self, name):
        if name in COMPUTES:
            self.add_compute(name)
            return
        draw, size, lmul = self.draw, self.sew, self.lmul
        if name == "vsetvli":
            self.add_settings()
            return
        if name == "addi":
            self.add_number(draw.choice((7, 8, 9)), draw.randrange(1, 40))
            return
        to, second, first = self.group(least=1), self.group(), self.group()
        mask, one, scalar = draw.randrange(32), draw.randrange(32), draw.choice((7, 8, 9))
        wide = self.group(2) if lmul < 8 and size < 8 else None
        number = draw.randrange(0, 6)
        each = registers(to, lmul)
        elements = lmul * self.each // size
        opcode, writes, result, stores = None, each, None, False
        if name == "vmseq":
            opcode, writes = vector(0x18, 1, second, first, VV, mask), [mask]

            def run(m):
                bits = [m.get(second, i, size) == m.get(first, i, size) for i in range(m.vl)]
                for i, bit in enumerate(bits):
                    m.put_bit(mask, i, bit)
        elif name == "vmerge":
            opcode = vector(0x17, 0, second, first, VV, to)

            def run(m):
                for i, value in enumerate([m.get(first if m.bit(0, i) else second, i, size)
                                           for i in range(m.vl)]):
                    m.put(to, i, size, value)
        elif name == "vid":
            opcode = vector(0x14, 1, 0, 0x11, MV, to)

            def run(m):
                for i in range(m.vl):
                    m.put(to, i, size, i)
        elif name == "vredsum":
            opcode, writes = vector(0x00, 1, second, one, MV, mask), [mask]

            def run(m):
                if m.vl:
                    m.put(mask, 0, size, m.get(one, 0, size) +
                          sum(m.get(second, i, size) for i in range(m.vl)))
        elif name == "vslideup":
            opcode = vector(0x0E, 1, second, number, VI, to)

            def run(m):
                old = [m.get(second, i, size) for i in range(elements)]
                for i in range(number, m.vl):
                    m.put(to, i, size, old[i - number])
        elif name == "vslidedown":
            opcode = vector(0x0F, 1, second, number, VI, to)

            def run(m):
                old = [m.get(second, i, size) for i in range(elements)] + [0] * number
                for i in range(m.vl):
                    m.put(to, i, size, old[i + number])
        elif name == "vrgather":
            opcode = vector(0x0C, 1, second, first, VV, to)

            def run(m):
                at = [m.get(first, i, size) for i in range(m.vl)]
                old = [m.get(second, i, size) for i in range(elements)]
                for i, index in enumerate(at):
                    m.put(to, i, size, old[index] if index < elements else 0)
        elif name == "vmv.x.s":
            opcode, writes, result = vector(0x10, 1, one, 0, MV, 9), [], 9

            def run(m):
                value = m.get(one, 0, size)
                m.x[9] = (value - (value >> 8 * size - 1 << 8 * size)) % (1 << 64)
        elif name == "vmv.s.x":
            opcode, writes = vector(0x10, 1, 0, scalar, MX, one), [one]

            def run(m):
                if m.vl:
                    m.put(one, 0, size, m.x[scalar])
        elif name == "vmv.v.v":
            opcode = vector(0x17, 1, 0, first, VV, to)

            def run(m):
                for i, value in enumerate([m.get(first, i, size) for i in range(m.vl)]):
                    m.put(to, i, size, value)
        elif name == "vwaddu" and wide is not None:
            opcode, writes = vector(0x30, 1, second, first, MV, wide), registers(wide, 2 * lmul)

            def run(m):
                for i, value in enumerate([m.get(second, i, size) + m.get(first, i, size)
                                           for i in range(m.vl)]):
                    m.put(wide, i, 2 * size, value)
        elif name == "vnsrl" and wide is not None:
            opcode = vector(0x2C, 1, wide, number, VI, to)

            def run(m):
                for i, value in enumerate([m.get(wide, i, 2 * size) >> number
                                           for i in range(m.vl)]):
                    m.put(to, i, size, value)
        elif name == "vle":
            self.add_load(to)
            return
        elif name in ("vse", "vsse"):
            strided = name == "vsse"
            opcode = access(True, 2 if strided else 0, 1, 8 if strided else 0, 10, self.width(size),
                            second)
            writes, stores = [], True

            def run(m):
                stored = []
                for i in range(m.vl):
                    address = m.x[10] + i * (m.x[8] if strided else size)
                    m.store(address, size, m.get(second, i, size))
                    stored.append((address, m.get(second, i, size), size))
                return stored
        elif name == "vluxei":
            opcode = access(False, 1, 1, first, 10, self.width(size), to)

            def run(m):
                reads = []
                for i, index in enumerate([m.get(first, i, size) for i in range(m.vl)]):
                    m.put(to, i, size, m.load((m.x[10] + index) % (1 << 64), size))
                    reads.append(((m.x[10] + index) % (1 << 64), None, size))
                return reads
        elif name == "vmand":
            opcode, writes = vector(0x19, 1, one, draw.choice((0, one)), MV, mask), [mask]
            other = opcode >> 15 & 31

            def run(m):
                for i, bit in enumerate([m.bit(one, i) & m.bit(other, i) for i in range(m.vl)]):
                    m.put_bit(mask, i, bit)
        elif name == "vcpop":
            opcode, writes, result = vector(0x10, 1, one, 0x10, MV, 9), [], 9

            def run(m):
                m.x[9] = sum(m.bit(one, i) for i in range(m.vl))
        elif name == "csrr":
            opcode, writes, result = 0xC2002073 | 9 << 7, [], 9

            def run(m):
                m.x[9] = m.vl
        elif name == "vmv2r":
            to, second = draw.randrange(16) * 2, draw.randrange(16) * 2
            opcode, writes = vector(0x27, 1, second, 1, VI, to), [to, to + 1]

            def run(m):
                for k in range(2):
                    m.read.add(32 + second + k)
                    m.v[to + k][:] = m.v[second + k]
        elif name == "vl1r":
            opcode, writes = access(False, 0, 1, 8, 10, 0, one), [one]

            def run(m):
                m.v[one][:] = bytes(m.load(m.x[10] + k, 1) for k in range(m.each))
                return [(m.x[10] + k, None, 1) for k in range(m.each)]
        if opcode is not None:
            self.steps.append(Step(opcode, run, writes, result, stores))


def line_of(machine, number, step, accesses, states_csrs):
    words = [f"core   0: 3 0x{0x80000000 + 4 * number:016x} (0x{step.opcode:08x})"]
    if step.result:
        words.append(f"x{step.result:<2} 0x{machine.x[step.result]:016x}")
    for register in step.writes:
        words.append(f"v{register:<2} 0x{machine.v[register][::-1].hex()}")
    if states_csrs and hasattr(step, "settings"):
        words.append(f"c3104_vl 0x{machine.vl:016x} c3105_vtype 0x{step.opcode >> 20 & 0x7FF:016x}")
    for address, value, size in accesses or []:
        words.append(f"mem 0x{address:016x}" +
                     (f" 0x{value:0{2 * size}x}" if value is not None else ""))
    return " ".join(words) + "\n"


def spoil(draw, machine, step, size):
    """Makes a result wrong; returns its name."""
    if step.writes:
        register = draw.choice(step.writes)
        element = draw.randrange(machine.each // size)
        machine.v[register][element * size] ^= 1 << draw.randrange(8)
        return f"v{register}[{element}]"
    machine.x[step.result] ^= 1 << draw.randrange(3)
    return f"x{step.result}"


def sources_agree(step, machines, before, loads):
    """True if what the step read was right: registers with the others of the largest group, and what
    was in those that it writes.  before: the registers of both machines."""
    read = machines[0].read | machines[1].read
    near = {r // 8 * 8 + i for r in [r - 32 for r in read if r >= 32] + [0] + list(step.writes)
            for i in range(8)}
    return not loads and machines[0].vl == machines[1].vl and \
        all(before[0][1][r] == before[1][1][r] for r in near) and \
        all(before[0][0][r] == before[1][0][r] for r in read if r < 32)


def check(spoor, directory, seed):
    draw = random.Random(seed)
    each = draw.choice((16, 16, 32))
    program = Program(draw, each)
    states_csrs = draw.random() < 0.5
    machines = [Machine(each), Machine(each)]
    lines = [[], []]
    candidates = [i for i, step in enumerate(program.steps)
                  if (step.writes or step.result) and not hasattr(step, "settings")]
    at = draw.choice(candidates)
    name, roots, second = None, 0, draw.random() < 0.5
    for number, step in enumerate(program.steps):
        accesses = []
        before = [(list(m.x), [bytes(data) for data in m.v]) for m in machines]
        for machine in machines:
            machine.read.clear()
            accesses.append(step.run(machine))
        if number == at:
            name = spoil(draw, machines[1], step, machines[1].sew or 1)
            roots += 1
        elif second and number > at and number in candidates and \
                sources_agree(step, machines, before, accesses[0]):
            spoil(draw, machines[1], step, machines[1].sew or 1)
            roots += 1
            second = False
        for side in range(2):
            lines[side].append(line_of(machines[side], number, step, accesses[side], states_csrs))
    paths = [Path(directory, "left.log"), Path(directory, "right.log")]
    for side in range(2):
        paths[side].write_text("".join(lines[side]))
    run = subprocess.run([spoor, "diff", "--json", *paths], capture_output=True,
                         text=True)
    if not run.stdout:
        print(f"program {seed}: {run.stderr}")
        return False
    report = json.loads(run.stdout)
    wrong = [i for i in range(len(lines[0])) if lines[0][i] != lines[1][i]]
    mistakes = []
    if report["mismatches"] != len(wrong):
        mistakes.append(f"{report['mismatches']} wrong, expected {len(wrong)}")
    if report["roots"] != roots:
        mistakes.append(f"{report['roots']} roots, expected {roots} (instruction {at}, {name})")
    field = report["first"]["fields"][0]
    register = name.split("[")[0]
    if field.split("[")[0] != register:
        mistakes.append(f"found {field}, expected {name}")
    for mistake in mistakes:
        print(f"program {seed} ({len(lines[0])} instructions): {mistake}")
    if mistakes and len(sys.argv) > 4:
        print(subprocess.run([spoor, "diff", *paths], capture_output=True, text=True).stdout)
    return not mistakes


def main():
    spoor, count = sys.argv[1], int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with tempfile.TemporaryDirectory() as directory:
        good = sum(check(spoor, directory, seed) for seed in range(first, first + count))
    print(f"{good} of {count} programs as expected")
    return 0 if good == count else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""riscv_runs.py: random programs of RISC-V as ELF files, random runs of them, and what spoor makes of a trace of packets.

Tests of trace encoders (ntrace.py, etrace.py) import it."""
import csv
import io
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

BASE = 0x80000000
LINK = 1


def bits(value, *fields):
    """Bits of a value, (from, count, to) each, of an instruction."""
    return sum((value >> low & (1 << count) - 1) << to for low, count, to in fields)


def beq(offset):
    return 0x63 | 8 << 15 | bits(offset, (11, 1, 7), (1, 4, 8), (5, 6, 25), (12, 1, 31))


def jal(rd, offset):
    return 0x6F | rd << 7 | bits(offset, (12, 8, 12), (11, 1, 20), (1, 10, 21), (20, 1, 31))


def jalr(rd, rs, offset=0):
    return 0x67 | rd << 7 | rs << 15 | (offset & 0xFFF) << 20


def c_jump(funct, offset):
    return 1 | funct << 13 | bits(offset, (5, 1, 2), (1, 3, 3), (7, 1, 6), (6, 1, 7), (10, 1, 8), (8, 2, 9), (4, 1, 11), (11, 1, 12))


def c_beqz(offset):
    return 0xC001 | bits(offset, (5, 1, 2), (1, 2, 3), (6, 2, 5), (3, 2, 10), (8, 1, 12))


def auipc(rd, value):
    return 0x17 | rd << 7 | value & 0xFFFFF000


class Program:
    """Functions of blocks; a function calls only those after it.  The last one handles traps."""

    def __init__(self, rng, wide):
        self.wide, self.code, at = wide, {}, BASE
        functions, self.entries = rng.randint(3, 6), []
        shapes = []
        for number in range(functions + 1):
            self.entries.append(at)
            shape = []
            for _ in range(rng.randint(4, 30)):
                kinds = ["alu4", "alu2", "alu2", "branch", "c.branch", "jump", "c.jump", "switch"]
                if number < functions - 1:
                    kinds += ["call", "call", "icall", "far"] + ([] if wide else ["c.jal"])
                kind = rng.choice(kinds) if number < functions else rng.choice(["alu4", "alu2"])
                size = 2 if kind in ("alu2", "c.branch", "c.jump", "c.jal", "switch") else 4
                if kind == "far":
                    shape.append((at, 4, "auipc"))
                    at += 4
                shape.append((at, size, kind))
                at += size
            shape.append((at, 2 if number < functions else 4, "ret" if number < functions else "mret"))
            at += shape[-1][1]
            shapes.append(shape)
        self.end = at
        for number, shape in enumerate(shapes):
            for index, (pc, size, kind) in enumerate(shape):
                places = [p for p, _, k in shape if k != "far"]
                later = [p for p in places if p > pc]
                near = rng.choice(later if later and rng.random() < 0.7 else places)
                if kind in ("call", "c.jal", "icall", "far") and number < functions - 1:
                    near = rng.choice(self.entries[number + 1:functions])
                self.code[pc] = (size, kind, near, index)
        self.handler = self.entries[functions]

    def encode(self):
        image = bytearray()
        for pc, (size, kind, target, _) in sorted(self.code.items()):
            offset = target - pc
            word = {"alu4": 0x00130313, "alu2": 0x0305, "switch": 0x8502, "ret": 0x8082, "mret": 0x30200073, "icall": jalr(1, 10)}.get(kind)
            if kind == "auipc":  # of the jump after it
                far = self.code[pc + 4][2] - pc
                word = auipc(6, far + 0x800)
            elif kind == "far":
                word = jalr(LINK, 6, offset + 4)
            elif word is None:
                word = {"branch": beq, "c.branch": c_beqz}.get(kind, lambda o: 0)(offset)
                word = {"jump": jal(0, offset), "call": jal(LINK, offset), "c.jump": c_jump(5, offset), "c.jal": c_jump(1, offset)}.get(kind, word)
            image += word.to_bytes(size, "little")
        return bytes(image)

    def elf(self, path):
        image = self.encode()
        if self.wide:
            head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, 243, 1, BASE, 64, 0, 5, 64, 56, 1, 64, 0, 0)
            head += struct.pack("<IIQQQQQQ", 1, 5, 128, BASE, BASE, len(image), len(image), 4)
        else:
            head = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\x01\x01\x01", 2, 243, 1, BASE, 52, 0, 5, 52, 32, 1, 40, 0, 0)
            head += struct.pack("<IIIIIIII", 1, 128, BASE, BASE, len(image), len(image), 5, 4)
        path.write_bytes(head.ljust(128, b"\0") + image)

    def run(self, rng, count, trap_rate):
        """A run: (pc, size, kind, taken, next pc, trap after it: its number or 0)."""
        run, pc, stack, back, tight = [], self.entries[0], [], [], {}
        while len(run) < count:
            size, kind, target, _ = self.code[pc]
            taken, after = True, pc + size
            if kind in ("branch", "c.branch"):
                again = tight.get(pc, 0)
                taken = again > 0 or rng.random() < 0.5
                if target < pc and taken:
                    tight[pc] = again - 1 if again else rng.choice([0, 3, 200])
                after = target if taken else after
            elif kind in ("jump", "c.jump", "switch"):
                # a jump back may never end: it goes on after some rounds
                tight[pc] = tight.get(pc, 0) + 1
                if target < pc and tight[pc] > 40:
                    break
                after = target
            elif kind in ("call", "c.jal", "icall", "far"):
                stack.append(after)
                after = target
            elif kind == "ret":
                after = stack.pop() if stack else self.entries[0]
                if after != self.entries[0] and rng.random() < 0.03:
                    after = rng.choice(self.entries[:-1])  # to where no call came from
            elif kind == "mret":
                after = back.pop()
            trap = 0
            if rng.random() < trap_rate and not back and kind != "auipc":
                trap = rng.choice([2, 3])
                back.append(after)
            run.append((pc, size, kind, taken, after, trap))
            pc = self.handler if trap else after
        return run


def expected(run, kept):
    """The rows of the instructions that are kept; of one that is "open" nothing states where it went."""
    rows = []
    for (pc, _, kind, taken, after, _), has in zip(run, kept):
        if not has:
            continue
        rows.append((pc, None, None))
        if kind in ("branch", "c.branch", "jump", "c.jump", "switch", "call", "c.jal", "icall", "far", "ret", "mret"):
            rows.append((pc, "T" if taken else "N", after if taken and has != "open" else None))
    return rows


def read(stream, elf, name, dialect):
    command = ["spoor", "print", "--csv", "--fields", "kind,op,pc,branch,target", "--code", "--image", elf, "-f", name, stream]
    command += ["--dialect", dialect] if dialect else []
    printed = subprocess.run(command, capture_output=True, text=True, check=False)
    rows, events = [], []
    for row in csv.DictReader(io.StringIO(printed.stdout)):
        if row["kind"] == "insn":
            rows.append((int(row["pc"], 0), None, None))
        elif row["kind"] == "flow":
            rows.append((int(row["pc"], 0), row["branch"], int(row["target"], 0) if row["branch"] == "T" and row["target"] else None))
        elif row["kind"] == "event":
            events.append(row["op"])
    return rows, events, printed.stderr


def compare(seed, rows, want, said):
    """Ends the test where spoor's instructions and branches are others."""
    for i, (got, wanted) in enumerate(zip(rows, want)):
        if got != wanted:
            raise SystemExit(f"seed {seed}: row {i}: found {got}, expected {wanted}\n{said}")
    if len(rows) != len(want):
        raise SystemExit(f"seed {seed}: found {len(rows)} instructions and branches, expected {len(want)}\n{said}")


def totals(test):
    """Runs the test for the seeds of the command line, and prints the instructions and the bits of all."""
    total = size = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(*map(int, sys.argv[1:3])) if len(sys.argv) > 2 else range(int(sys.argv[1])):
            count, length = test(seed, Path(folder))
            total, size = total + count, size + length
    print(f"{total} instructions, {size / total:.1f} bits each")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sets.py SPOOR: `mix`, `branch` and `calls` of MIPS and LoongArch, from opcodes that a log states and
from those of an image.  Programs are executed by a small interpreter of each instruction set, written from
its manual, which notes what each instruction is: the truth that spoor's answers are compared with.  LLVM's
assembler made the opcodes of MIPS; those of LoongArch are put together here.  Prints TAP."""
import collections
import json
import os
import struct
import subprocess
import sys
import tempfile

# start: addiu $4, 5; addiu $2, 0; loop: jal f; addiu $4, -1; beql $2, $3, skip; addiu $5, 1; nop; skip: bne $4, loop;
# nop; lui $25; ori $25, f; jalr $25; nop; done: b done; nop; nop;
# f: sltu $3, $0, $4; beq $3, $0, last; addu $2, $2, $3; jr $31; addiu $6, 1; last: jr $31; nop
MIPS = [0x24040005, 0x24020000, 0x0FF00010, 0x2484FFFF, 0x50430002, 0x24A50001, 0, 0x1480FFFA, 0, 0x3C19BFC0, 0x37390040,
        0x0320F809, 0, 0x1000FFFF, 0, 0, 0x0004182B, 0x10600003, 0x00431021, 0x03E00008, 0x24C60001, 0x03E00008, 0]
MIPS_BASE, LOONGARCH_BASE, F = 0xBFC00000, 0x1C000000, 0x40


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


class Run:
    """What was executed: (pc, opcode, name, register that is written or None, value), and branches in order of
    execution: (pc, kind, taken, target), the kind "call", "return", "conditional" or "jump"."""

    def __init__(self):
        self.insns, self.branches, self.calls = [], [], 0

    def branch(self, pc, kind, taken, target):
        self.branches.append((pc, kind, taken, target))
        self.calls += kind == "call" and taken


def run_mips(steps):
    regs, pc, after, run = [0] * 32, MIPS_BASE, MIPS_BASE + 4, Run()
    for _ in range(steps):
        op = MIPS[(pc - MIPS_BASE) // 4]
        rs, rt, rd, imm = op >> 21 & 31, op >> 16 & 31, op >> 11 & 31, op & 0xFFFF
        primary, writes, value, then, skips = op >> 26, None, 0, after + 4, False
        near = after + 4 * signed(imm, 16)
        if op == 0:
            name = "nop"
        elif primary == 0:
            name = {0x08: "jr", 0x09: "jalr", 0x21: "addu", 0x2B: "sltu"}[op & 63]
            if name in ("jr", "jalr"):
                then = regs[rs]
                run.branch(pc, "return" if rs == 31 else "call", True, then)
            if name != "jr":
                writes = rd
                value = {"jalr": pc + 8, "addu": regs[rs] + regs[rt], "sltu": regs[rs] < regs[rt]}[name]
        elif primary == 3:
            name, then, writes, value = "jal", (after & 0xF0000000) | (op & 0x3FFFFFF) << 2, 31, pc + 8
            run.branch(pc, "call", True, then)
        elif primary in (0x04, 0x05, 0x14):
            name = {0x04: "beq", 0x05: "bne", 0x14: "beql"}[primary]
            taken = (regs[rs] == regs[rt]) != (name == "bne")
            skips = name == "beql" and not taken
            then = near if taken else after + 4
            run.branch(pc, "conditional" if op >> 16 != 0x1000 else "jump", taken, near)
        else:
            name, writes = {0x09: "addiu", 0x0D: "ori", 0x0F: "lui"}[primary], rt
            value = {"addiu": regs[rs] + signed(imm, 16), "ori": regs[rs] | imm, "lui": imm << 16}[name]
        if writes:
            regs[writes] = int(value) & 0xFFFFFFFF
        run.insns.append((pc, op, name, writes or None, regs[writes] if writes else 0))
        pc, after = (after + 4, after + 8) if skips else (after, then)
    return run


def loongarch():
    """addi.w $a0, $zero, 5; loop: bl f; addi.w $a0, $a0, -1; bnez $a0, loop; pcaddu12i $a1, 0;
    jirl $ra, $a1, 0x30; done: b done; f at 0x40: beq $a0, $a1, 8; add.w $a2, $a2, $a0; jirl $zero, $ra, 0"""
    near = lambda op, offset, rj, rd: op << 26 | (offset >> 2 & 0xFFFF) << 10 | rj << 5 | rd
    far = lambda op, offset: op << 26 | (offset >> 2 & 0xFFFF) << 10 | (offset >> 18 & 0x3FF)
    words = [0x02800000 | 5 << 10 | 4, far(0x15, F - 4), 0x02800000 | 0xFFF << 10 | 4 << 5 | 4,
             0x11 << 26 | (-8 >> 2 & 0xFFFF) << 10 | 4 << 5 | 31, 0x1C000005, near(0x13, F - 0x10, 5, 1), far(0x14, 0)]
    words += [0] * (16 - len(words))
    return words + [near(0x16, 8, 4, 5), 0x00100000 | 4 << 10 | 6 << 5 | 6, near(0x13, 0, 1, 0)]


def run_loongarch(steps):
    regs, pc, run, words = [0] * 32, LOONGARCH_BASE, Run(), loongarch()
    for _ in range(steps):
        op = words[(pc - LOONGARCH_BASE) // 4]
        rj, rd, near = op >> 5 & 31, op & 31, signed(op >> 10 & 0xFFFF, 16) * 4
        writes, value, then = None, 0, pc + 4
        primary = op >> 26
        if primary in (0x14, 0x15):
            name, then = {0x14: "b", 0x15: "bl"}[primary], pc + signed((op & 0x3FF) << 16 | (op >> 10 & 0xFFFF), 26) * 4
            run.branch(pc, "call" if name == "bl" else "jump", True, then)
            writes, value = (1, pc + 4) if name == "bl" else (None, 0)
        elif primary == 0x13:
            name, then = "jirl", regs[rj] + near
            run.branch(pc, "call" if rd == 1 else "return", True, then)
            writes, value = (rd or None), pc + 4
        elif primary in (0x11, 0x16):
            name = {0x11: "bnez", 0x16: "beq"}[primary]
            target = pc + (signed((op & 31) << 16 | (op >> 10 & 0xFFFF), 21) * 4 if name == "bnez" else near)
            taken = regs[rj] != 0 if name == "bnez" else regs[rj] == regs[rd]
            then = target if taken else pc + 4
            run.branch(pc, "conditional", taken, target)
        elif op >> 25 == 0x1C000000 >> 25:
            name, writes, value = "pcaddu12i", rd, pc + (op >> 5 & 0xFFFFF) * 4096
        elif op >> 15 == 0x00100000 >> 15:
            name, writes, value = "add.w", rd, regs[rj] + regs[op >> 10 & 31]
        else:
            name, writes, value = "addi.w", rd, regs[rj] + signed(op >> 10 & 0xFFF, 12)
        if writes:
            regs[writes] = value & 0xFFFFFFFF
        run.insns.append((pc, op, name, writes, regs[writes] if writes else 0))
        pc = then
    return run


def elf(words, base, machine, big):
    """A linked program of 32 bits whose only segment is the code, with functions start and f."""
    order, code = ">" if big else "<", b"".join(struct.pack(">I" if big else "<I", word) for word in words)
    names, at = b"\0start\0f\0\0.text\0.symtab\0.strtab\0", 52 + 32
    symbol = lambda name, value, size: struct.pack(order + "IIIBBH", name, value, size, 0x12, 0, 1)
    symbols = bytes(16) + symbol(1, base, F) + symbol(7, base + F, len(code) - F)
    section = lambda name, kind, flags, addr, offset, size, link, info, entry: struct.pack(
        order + "10I", name, kind, flags, addr, offset, size, link, info, 4, entry)
    end = at + len(code) + len(symbols) + len(names)
    sections = bytes(40) + section(10, 1, 6, base, at, len(code), 0, 0, 0)
    sections += section(16, 2, 0, 0, at + len(code), len(symbols), 3, 1, 16)
    sections += section(24, 3, 0, 0, at + len(code) + len(symbols), len(names), 0, 0, 0)
    head = b"\x7fELF" + bytes([1, 2 if big else 1, 1]) + bytes(9)
    head += struct.pack(order + "HHIIIIIHHHHHH", 2, machine, 1, base, 52, end, 0, 52, 32, 1, 40, 4, 3)
    head += struct.pack(order + "8I", 1, at, base, base, len(code), len(code), 5, 4)
    return head + code + symbols + names + sections


class Checks:
    def __init__(self, spoor, folder):
        self.spoor, self.folder, self.number, self.failed = spoor, folder, 0, 0

    def run(self, *words):
        done = subprocess.run([self.spoor, *words], cwd=self.folder, capture_output=True, check=False)
        return done.stdout.decode(), done.stderr.decode(), done.returncode

    def json(self, *words):
        out, errors, _ = self.run(*words, "--json")
        return json.loads(out) if out else {"errors": errors}

    def equal(self, what, found, expected):
        self.number += 1
        self.failed += found != expected
        print(("ok " if found == expected else "not ok "), self.number, " - ", what, sep="")
        if found != expected:
            print("# found", found, "\n# expected", expected)


def check_mix(checks, what, trace, insns):
    rows = checks.json("mix", *trace).get("opcodes", [])
    checks.equal(what, {row["opcode"]: row["count"] for row in rows}, dict(collections.Counter(insn[2] for insn in insns)))


def check_branches(checks, what, trace, insns, branches):
    """The branches by number, the conditional ones by pc, and returns that go where their calls came from."""
    found = checks.json("branch", "--hardest", "--top", "100", "-p", "never", "-p", "return-stack", *trace)
    kinds = collections.Counter(kind for _, kind, _, _ in branches)
    ways = collections.defaultdict(list)
    for pc, kind, taken, _ in branches:
        if kind == "conditional":
            ways[f"{pc:#x}"].append(taken)
    checks.equal(what, (found.get("branches"), found.get("conditional_branches"), found.get("taken_branches"),
                        found.get("instructions"), found.get("of_unknown_kind")),
                 (len(branches), kinds["conditional"], sum(map(sum, ways.values())), len(insns), None))
    # "never" is wrong at those that were taken; they are listed
    checks.equal(what + " by pc", {row["pc"]: (row["executions"], round(row["taken_ratio"], 6)) for row in found.get("hardest", [])},
                 {pc: (len(way), round(sum(way) / len(way), 6)) for pc, way in ways.items() if any(way)})
    stack = found.get("predictors", [{}, {}])[1]
    checks.equal(what + ": returns", (stack.get("predictions"), stack.get("mispredictions")), (kinds["return"], 0))


def check_calls(checks, what, trace, calls, base):
    rows = [line.split(",") for line in checks.run("calls", "--csv", "--top", "100", *trace)[0].splitlines()]
    ends = [(row[4], row[5], row[10]) for row in rows[1:] if row[5] != "start"]
    checks.equal(what, ends, [(f"{base + F:#x}", "call", "returned")] * calls)


def main():
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(os.path.abspath(sys.argv[1]), folder)
        put = lambda name, data: open(os.path.join(folder, name), "wb").write(data if isinstance(data, bytes) else data.encode())
        for name, run, words, base, machine in (("mips", run_mips(70), MIPS, MIPS_BASE, 8),
                                                ("loongarch", run_loongarch(30), loongarch(), LOONGARCH_BASE, 258)):
            put(name + ".spoor-format", f"title log of a core\nisa {name}\ninsn: {{pc:08x}} {{opcode:08x}}\n")
            put(name + ".log", "".join(f"{pc:08x} {op:08x}\n" for pc, op, *_ in run.insns))
            put(name + ".elf", elf(words, base, machine, name == "mips"))
            put(name + ".golden", "".join(f"1 {pc:08x} {reg:02x} {value:08x}\n" for pc, _, _, reg, value in run.insns if reg))
            put(name + ".addresses", "".join(f"{pc:08x}\n" for pc, *_ in run.insns))
            put("addresses.spoor-format", "title addresses\ninsn: {pc:08x}\n")
            # the last branch has no successor in the log: where it is conditional, its outcome is not known
            shown = run.branches[:-1] if run.insns[-1][0] == run.branches[-1][0] else run.branches
            of_log = ("-f", name + ".spoor-format", name + ".log")
            of_image = ("-f", "addresses.spoor-format", "--code", "--image", name + ".elf", name + ".addresses")
            for how, trace in (("opcodes of the log", of_log), ("opcodes of the image", of_image)):
                check_mix(checks, f"{name}, {how}: mix", trace, run.insns)
                check_branches(checks, f"{name}, {how}: branch", trace, run.insns, shown)
                check_calls(checks, f"{name}, {how}: calls", trace, run.calls, base)
            golden = [insn for insn in run.insns if insn[3]]
            check_mix(checks, f"{name}: mix of golden_trace with an image",
                      ("-f", "golden-trace", "--code", "--image", name + ".elf", name + ".golden"), golden)
    print(f"1..{checks.number}")
    return checks.failed > 0


if __name__ == "__main__":
    sys.exit(main())

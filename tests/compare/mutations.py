#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutations.py SPOOR TRACE COUNT: change one field in each of COUNT instructions of a Tarmac trace;
`spoor diff` must find every change, at its record, with its class, and nothing else.

TRACE is compressed with xz.  A generator with a fixed seed chooses the instructions and fields, so a
failure can be repeated.
"""
import json
import lzma
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

INSN = re.compile(r"^(\d+ clk \S+ IT \(\d+\) )([0-9a-f]+):([0-9a-f]+)(\S* )([0-9a-f]+) (\w) (\S+) (:.*)$")
REG = re.compile(r"^(\d+ clk \S+ R )(\S+) ([0-9A-F]+)$")
MEM = re.compile(r"^(\d+ clk \S+ M)([RW])(\d) ([0-9a-f]+):([0-9a-f]+)(\S*) ([0-9a-f_]+)$")
VALUES = {"value", "value-sign", "value-one-bit", "value-upper-half", "value-endian",
          "value-off-by-one"}


def other_digit(draw, text):
    """`text` with one hexadecimal digit changed."""
    places = [i for i, c in enumerate(text) if c in "0123456789abcdefABCDEF"]
    at = draw.choice(places)
    digits = "0123456789ABCDEF" if text.upper() == text and text.lower() != text else "0123456789abcdef"
    return text[:at] + draw.choice([c for c in digits if c != text[at].lower() and c != text[at]]) + text[at + 1:]


def mutate_insn(draw, parts):
    before, pc, pa, gap, opcode, iset, mode, rest = parts
    field = draw.choice(["pc", "pc_pa", "opcode", "mode"])
    if field == "pc":
        return f"{before}{other_digit(draw, pc)}:{pa}{gap}{opcode} {iset} {mode} {rest}", {"flow"}
    if field == "pc_pa":
        return (f"{before}{pc}:{other_digit(draw, pa)}{gap}{opcode} {iset} {mode} {rest}",
                {"memory-physical"})
    if field == "opcode":
        return f"{before}{pc}:{pa}{gap}{other_digit(draw, opcode)} {iset} {mode} {rest}", {"opcode"}
    return f"{before}{pc}:{pa}{gap}{opcode} {iset} svc_ns {rest}", {"mode"}


def mutate_reg(draw, parts):
    before, name, value = parts
    if draw.random() < 0.3:
        other = f"x{(int(name[1:]) + 12) % 31 + 1}"
        return (f"{before}{other} {value}", {"register"}) if other != name else None
    return f"{before}{name} {other_digit(draw, value)}", VALUES


def mutate_mem(draw, parts):
    before, op, size, va, pa, security, data = parts
    field = draw.choice(["op", "address", "physical", "data"])
    if field == "op":
        return f"{before}{'W' if op == 'R' else 'R'}{size} {va}:{pa}{security} {data}", {"memory-kind"}
    if field == "address":
        return f"{before}{op}{size} {other_digit(draw, va)}:{pa}{security} {data}", {"memory-address"}
    if field == "physical":
        return f"{before}{op}{size} {va}:{other_digit(draw, pa)}{security} {data}", {"memory-physical"}
    return f"{before}{op}{size} {va}:{pa}{security} {other_digit(draw, data)}", {"memory-data"}


def mutate(draw, line):
    for pattern, change in ((INSN, mutate_insn), (REG, mutate_reg), (MEM, mutate_mem)):
        match = pattern.match(line)
        if match:
            return change(draw, match.groups())
    return None


def mutations(lines, count):
    """{record of the instruction: (mutated line, its text, the classes it may have)}"""
    draw = random.Random(20)
    heads = [i for i, line in enumerate(lines) if " IT " in line]
    ends = heads[1:] + [len(lines)]
    chosen = {}
    while len(chosen) < count:
        unit = draw.randrange(len(heads))
        if heads[unit] in chosen:
            continue
        at = draw.randrange(heads[unit], ends[unit])
        made = mutate(draw, lines[at])
        if made:
            chosen[heads[unit]] = (at, *made)
    return chosen


def main():
    spoor, trace, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    lines = lzma.open(trace, "rt").read().splitlines()
    chosen = mutations(lines, count)
    changed = list(lines)
    for at, text, _ in chosen.values():
        changed[at] = text
    with tempfile.TemporaryDirectory() as directory:
        left, right = Path(directory, "left.tarmac"), Path(directory, "right.tarmac")
        left.write_text("\n".join(lines) + "\n")
        right.write_text("\n".join(changed) + "\n")
        run = subprocess.run([spoor, "diff", "-f", "tarmac", "--json", "--top", "1000000", left, right],
                             capture_output=True, text=True)
    report = json.loads(run.stdout)
    found = {d["left"]: d["class"] for d in report["differences"] if not d["gap"]}
    wrong = [f"record {record}: {found.get(record, 'not found')}, expected {sorted(classes)}: {text}"
             for record, (_, text, classes) in chosen.items() if found.get(record) not in classes]
    wrong += [f"record {record}: {name}, although nothing was changed there"
              for record, name in found.items() if record not in chosen]
    if report["gap_count"]:
        wrong.append(f"{report['gap_count']} gaps, expected none: {report['gaps'][:3]}")
    if report["mismatches"] != count or run.returncode != 1:
        wrong.append(f"{report['mismatches']} mismatches and exit code {run.returncode}, "
                     f"expected {count} and 1")
    print("\n".join(wrong[:20]) or f"{count} mutations found, and nothing else")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

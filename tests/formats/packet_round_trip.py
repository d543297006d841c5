#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""packet_round_trip.py TRACE[:FORMAT]...: each trace of RISC-V as N-Trace and E-Trace, which lead along what retired in it.

The code is an ELF file of the trace's own opcodes.  What must come back, by the records alone: each executed instruction, but for
those that a trap follows (which do not retire) and a last branch of a part, of which the trace does not say whether it was taken."""
import csv
import io
import struct
import subprocess
import sys
import tempfile
from pathlib import Path


def records(trace, kind):
    command = ["spoor", "print", "-q", "--csv", "--fields", "kind,op,cpu,pc,opcode,opcode_size,target", *kind, trace]
    return list(csv.DictReader(io.StringIO(subprocess.run(command, capture_output=True, text=True, check=False).stdout)))


def image(path, code, narrow):
    """An ELF file whose segments are runs of the code."""
    parts = []
    for pc, data in sorted(code.items()):
        if parts and parts[-1][0] + len(parts[-1][1]) == pc:
            parts[-1][1].extend(data)
        elif not parts or parts[-1][0] + len(parts[-1][1]) < pc:
            parts.append((pc, bytearray(data)))
    at = 52 + 32 * len(parts) if narrow else 64 + 56 * len(parts)
    head = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\x01\x01\x01", 2, 243, 1, parts[0][0], 52, 0, 5, 52, 32, len(parts), 40, 0, 0) if narrow else \
        struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, 243, 1, parts[0][0], 64, 0, 5, 64, 56, len(parts), 64, 0, 0)
    for pc, data in parts:
        head += struct.pack("<IIIIIIII", 1, at, pc, pc, len(data), len(data), 5, 1) if narrow else \
            struct.pack("<IIQQQQQQ", 1, 5, at, pc, pc, len(data), len(data), 1)
        at += len(data)
    path.write_bytes(head + b"".join(data for _, data in parts))


def check(trace, kind, folder):
    rows, code, cpus, cpu = records(trace, kind), {}, {}, ""
    if not any(row["opcode"] for row in rows):
        return ["no code"]
    for row in rows:
        if row["kind"] == "insn" and row["op"] == "taken" and row["opcode"]:
            size = int(row["opcode_size"])
            code[int(row["pc"], 0)] = (int(row["opcode"], 16) & (1 << 8 * size) - 1).to_bytes(size, "little")
        if row["kind"] in ("insn", "event"):
            cpu = row["cpu"] if row["kind"] == "insn" else row["cpu"] or cpu
            cpus.setdefault(cpu, []).append(row)
    image(folder / "a.elf", code, "rv32" in Path(trace).name)
    result = []
    for to in ("n-trace", "e-trace"):
        options = {"n-trace": "returns=8" + (",source=4" if len(cpus) > 1 else ""), "e-trace": "iaddress_width=64,return_stack_size=3"}[to]
        for hart in list(cpus) if to == "e-trace" and len(cpus) > 1 else [None]:  # whose streams are of one hart each
            source = trace
            if hart is not None:
                source = folder / "one.spoor"
                subprocess.run(["spoor", "cut", "-q", *kind, "--cpu", hart, "-t", "spoor", "-o", source, trace], check=True)
            subprocess.run(["spoor", "convert", "--lossy", "-q", *(kind if hart is None else []), "-t", to, "--encoder", options, "-o", folder / "a.out", source], check=True)
            result += compare(trace, to, made_of(to, options, len(cpus), folder), cpus if hart is None else {hart: cpus[hart]})
    return result


def made_of(to, options, harts, folder):
    """The records of the stream, by processor."""
    dialect = ["-f", to] + (["--dialect", "src4"] if to == "n-trace" and harts > 1 else ["--dialect", options] if to == "e-trace" else [])
    made = {}
    for row in records(folder / "a.out", dialect + ["--code", "--image", folder / "a.elf"]):
        made.setdefault(row["cpu"], []).append(row)
    return made


def compare(trace, to, made, cpus):
    result = []
    for cpu, wanted in cpus.items():
        got = [row["pc"] for row in next(iter(made.values()) if len(made) == 1 else iter([made[str(int("".join(filter(str.isdigit, cpu)) or 0))]])) if row["kind"] == "insn"]
        at = missing = 0
        steps = [row for row in wanted if row["kind"] == "event" or row["op"] == "taken"]
        for i, row in enumerate(steps):
            if row["kind"] == "event":
                continue
            if at < len(got) and got[at] == row["pc"]:
                at += 1
                continue
            size, word = int(row["opcode_size"] or 0), int(row["opcode"] or "0", 16)
            branch = (word & 0x7F) == 0x63 if size == 4 else (word & 0xC003) == 0xC001
            calls = word in (0x73, 0x100073, 0x9002)
            trapped = i + 1 < len(steps) and steps[i + 1]["kind"] == "event"
            if not (branch or calls or trapped or not row["opcode"]):
                raise SystemExit(f"{trace}: {to}: instruction {i} of {cpu!r} at {row['pc']} is not there: {got[at:at + 3]}")
            missing += 1
        if at != len(got) or missing > len(steps) // 3:
            raise SystemExit(f"{trace}: {to}: found {len(got)} instructions, expected {at}; {missing} are missing")
        result.append(f"{at}+{missing}")
    return result


with tempfile.TemporaryDirectory() as name:
    for argument in sys.argv[1:]:
        path, _, form = argument.partition("::")
        print(Path(path).name, *check(path, ["-f", form] if form else [], Path(name)))

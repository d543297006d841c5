#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""etm_parts.py TEST SPOOR: a CoreSight buffer whose instructions are known, decoded in parts.

Writes a snapshot of an ETMv4 that synchronises often, of a program of four instructions whose branches are random, compares
the instructions of SPOOR with those of the program, and runs TEST (test_parts.c) on it: points of synchronisation and parts
are as many as were written.  Two more traces are whole only in one part: a context ID that is stated once, and overflows."""
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

BASE, TRACE_ID, SYNCS, ATOMS = 0x40001000, 0x12, 24, 150
CODE = [0x91000400,  # add x0, x0, #1
        0x54FFFFE1,  # b.ne BASE
        0xD503201F,  # nop
        0xD61F0020]  # br x1
NOT_TAKEN, TAKEN, ADDRESS, ADDRESS_CONTEXT = 0xF6, 0xF7, 0x9D, 0x85
ASYNC, TRACE_INFO, EL0_64 = bytes(11) + b"\x80", bytes([1, 1, 0]), 0x30
CONTEXT, HAS_ID, OVERFLOW, TRACE_ON = 0x81, 0x80, bytes([0, 5]), 4


def address(value):
    return bytes([value >> 2 & 0x7F, value >> 9 & 0x7F]) + (value >> 16).to_bytes(6, "little")


def program(syncs, atoms, context_id=b"", overflows=False):
    """The bytes of the trace unit, and the addresses of the instructions."""
    out, pcs, at = bytearray(), [], BASE
    for sync in range(syncs):
        first_id = context_id if sync == 0 else b""
        out += ASYNC + TRACE_INFO + bytes([ADDRESS_CONTEXT]) + address(at)
        out += bytes([EL0_64 | (HAS_ID if first_id else 0)]) + first_id
        for atom in range(atoms):
            pcs += [at, at + 4]
            if at == BASE:
                taken = random.random() < 0.6
                out.append(TAKEN if taken else NOT_TAKEN)
                at = BASE if taken else BASE + 8
            else:
                out += bytes([TAKEN, ADDRESS]) + address(BASE)
                at = BASE
            if context_id and atom == atoms // 2:
                out += bytes([CONTEXT, EL0_64])
            if overflows and sync % 4 == 2 and atom == atoms // 2:  # two points after it
                out += bytes([TRACE_ON, ADDRESS]) + address(at)
        if overflows and sync % 4 == 0:
            out += OVERFLOW
    return bytes(out), pcs


def frames(data):
    """The bytes of a source in frames of 16 bytes, which state its trace id now and then."""
    out, at = bytearray(), 0
    while at < len(data):
        frame, lowest = bytearray(16), 0
        for i in range(15):
            names = i % 2 == 0 and (not out or random.random() < 0.02) and (i == 0 or out)
            if names or at == len(data):  # zeros of no source fill the last one
                frame[i] = (0 if at == len(data) else TRACE_ID) << 1 | 1 if i % 2 == 0 else 0
                continue
            if i % 2 == 0:
                lowest |= (data[at] & 1) << i // 2
            frame[i] = data[at] & 0xFE if i % 2 == 0 else data[at]
            at += 1
        frame[15] = lowest
        out += frame
    return bytes(out)


def write(folder, data):
    files = {
        "snapshot.ini": "[snapshot]\nversion=1.0\n[device_list]\nd0=cpu.ini\nd1=etm.ini\n[trace]\nmetadata=trace.ini\n",
        "trace.ini": "[trace_buffers]\nbuffers=b0\n[b0]\nname=etr\nfile=trace.bin\nformat=coresight\n"
                     "[source_buffers]\netm=etr\n[core_trace_sources]\ncpu=etm\n",
        "cpu.ini": f"[device]\nname=cpu\nclass=core\ntype=Cortex-A53\n[dump]\nfile=code.bin\naddress={BASE:#x}\n",
        "etm.ini": "[device]\nname=etm\nclass=trace_source\ntype=ETM4\n[regs]\nTRCCONFIGR=0x41\n"
                   f"TRCTRACEIDR={TRACE_ID:#x}\nTRCIDR0=0x28000EA1\nTRCIDR1=0x4100F400\nTRCIDR2=0x488\nTRCIDR8=0\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "code.bin").write_bytes(b"".join(word.to_bytes(4, "little") for word in CODE))
    (folder / "trace.bin").write_bytes(frames(data))


def check(test, spoor, points, parts, **others):
    data, pcs = program(SYNCS, ATOMS, **others)
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), data)
        command = [spoor, "print", "--where", "kind = insn", "--fields", "pc", "--csv", name]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = [int(line, 0) for line in printed.split()[1:]]
        if found != pcs:
            sys.exit(f"found {len(found)} instructions, expected {len(pcs)}, or others")
        # the address sanitizer ends a program in which a library that was loaded later throws
        if not os.environ.get("SPOOR_SANITIZED"):
            subprocess.run([test, name, str(points), str(parts)], check=True)


def main(test, spoor):
    random.seed(57)
    # the first point is in the first frame, before which no trace id is known
    check(test, spoor, SYNCS - 1, SYNCS)
    check(test, spoor, SYNCS - 1, 1, context_id=b"\x2a\0\0\0")
    check(test, spoor, SYNCS - 1, SYNCS // 4, overflows=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

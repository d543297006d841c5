#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pt_program.py: makes a program, `sum`, and a perf.data with the stream that Intel PT writes of it.

_start: mov ecx, 3; again: call add_up; dec ecx; jne again; mov eax, 60; syscall.  add_up: add eax, ecx; ret.
"""
import os
import struct

from perf_file import CPU, IDENTIFIER, IP, TID, TIME, Attr, Recording

BASE = 0x401000
CODE = bytes.fromhex("b903000000" "e80b000000" "ffc9" "75f7" "b83c000000" "0f05" "01c8" "c3")
SYMBOLS = (("_start", 0, 0x15), ("add_up", 0x15, 3))


def program():
    """An ELF file with the code and its symbols."""
    names, symbols = b"\0", bytes(24)
    for name, at, size in SYMBOLS:
        symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, BASE + at, size)
        names += name.encode() + b"\0"
    sections = b"\0.text\0.symtab\0.strtab\0"
    at = 0x1000 + len(CODE)
    places = [at, at + len(symbols), at + len(symbols) + len(names)]
    headers = bytes(64)
    headers += struct.pack("<IIQQQQIIQQ", 1, 1, 6, BASE, 0x1000, len(CODE), 0, 0, 1, 0)
    headers += struct.pack("<IIQQQQIIQQ", 7, 2, 0, 0, places[0], len(symbols), 3, 1, 8, 24)
    headers += struct.pack("<IIQQQQIIQQ", 15, 3, 0, 0, places[1], len(names), 0, 0, 1, 0)
    headers += struct.pack("<IIQQQQIIQQ", 15, 3, 0, 0, places[2], len(sections), 0, 0, 1, 0)
    table = places[2] + len(sections)
    head = b"\x7fELF\2\1\1".ljust(16, b"\0")
    head += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, BASE, 64, table, 0, 64, 56, 1, 64, 5, 4)
    head += struct.pack("<IIQQQQQQ", 1, 5, 0x1000, BASE, BASE, len(CODE), len(CODE), 0x1000)
    return head.ljust(0x1000, b"\0") + CODE + symbols + names + sections + headers


def stream():
    """The packets of one run: three calls, which return, and the branch after each."""
    def full(kind, ip):
        return bytes([kind | 3 << 5]) + struct.pack("<Q", ip)[:6]

    def tsc(ticks):
        return b"\x19" + struct.pack("<Q", ticks)[:7]

    out = b"\x02\x82" * 8 + tsc(1000) + b"\x02\x23" + b"\x99\x01" + full(0x11, BASE)
    for turn in range(3):
        out += tsc(1100 + 100 * turn) + full(0x0D, BASE + 10) + bytes([0b110 if turn < 2 else 0b100])
    return out + b"\x01"  # the system call is not traced


def main():
    with open("sum", "wb") as file:
        file.write(program())
    os.chmod("sum", 0o755)
    r = Recording([Attr(IDENTIFIER | IP | TID | TIME | CPU, type=8, config=0x400, name="intel_pt//u")])
    r.auxtrace_info(1, [8, 0, 1, 0, 1, 0x400, 0x800, 1, 0, 1, 0x200, 0x3C000, 1, 1, 0, 20, 0])
    r.comm("sum", 4711, 4711, 900, exec=True)
    r.mmap2(os.path.abspath("sum"), 4711, BASE, 0x1000, 0x1000, 910)
    r.itrace_start(4711, 4711, 920)
    data = stream()
    r.auxtrace(data, 0, 0, 4711)
    r.aux(0, len(data), pid=4711, tid=4711, time=1500)
    with open("perf.data", "wb") as file:
        file.write(r.bytes())


if __name__ == "__main__":
    main()

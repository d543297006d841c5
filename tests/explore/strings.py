#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""strings.py SPOOR: the strings of random stores are those of a memory that this test keeps; prints TAP.

The memory is a dictionary of bytes, the runs are found by walking it.  Each string must also have been in
memory as it is printed, from its last store until the store that overwrote it.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

SPOOR = os.path.abspath(sys.argv[1])
LETTERS = b"abcdefghij XYZ09~\t"
OTHERS = bytes([0, 0x1F, 0x7F, 0x80, 0xFF, 10])


def stores_of(chooser, count):
    """(record, pc, address, bytes; None: the value is not known): runs of letters that grow, shrink and are replaced."""
    base = chooser.choice([0x8000, 0xFFFFFFFFFFFFFF80, 0, 0x7FC0])
    end = min(base + 200, 1 << 64)
    stores = []
    for n in range(count):
        size = chooser.choice([1, 1, 1, 2, 4, 8, 16])
        address = chooser.randrange(base, end - size + 1)
        if stores and chooser.random() < 0.6 and stores[-1][2] + len(stores[-1][3]) + size <= end:
            address = stores[-1][2] + len(stores[-1][3])  # the next part of a text
        value = bytes(chooser.choice(LETTERS if chooser.random() < 0.93 else OTHERS) for _ in range(size))
        stores.append((2 * n + 1, 0x1000 + 4 * n, address, value))
    return stores


def trace_of(stores, big):
    lines = []
    for n, (_, pc, address, value) in enumerate(stores):
        number = value if big else value[::-1]
        digits = number.hex()
        lines.append(f"{10 * n} clk cpu0 IT ({n}) {pc:016x} d503201f O EL1h_n : NOP")
        lines.append(f"{10 * n + 1} clk cpu0 MW{len(value)} {address:016x} " +
                     "_".join(digits[at:at + 8] for at in range(0, len(digits), 8)))
    return "".join(line + "\n" for line in lines)


def is_letter(byte):
    return byte == 9 or 32 <= byte <= 126


def expected_of(stores, minimum):
    memory, new, found = {}, set(), []  # address: (character, record, pc)

    def find(at, overwritten):
        first = last = at
        while first - 1 in memory:
            first -= 1
        while last + 1 in memory:
            last += 1
        new.difference_update(range(first, last + 1))
        if last - first + 1 < minimum:
            return
        given = [memory[a] for a in range(first, last + 1)]
        latest = max(given, key=lambda one: one[1])
        found.append((latest[1], first, "".join(chr(one[0]) for one in given), latest[2],
                      min(one[1] for one in given), overwritten))

    for record, pc, address, value in stores:
        for at, byte in enumerate(value, address):
            if at in new and memory[at][0] != byte:
                find(at, record)
        for at, byte in enumerate(value, address):
            if not is_letter(byte):
                memory.pop(at, None)
                new.discard(at)
            elif at not in memory or memory[at][0] != byte:
                memory[at] = (byte, record, pc)
                new.add(at)
    while new:
        find(min(new), None)
    return sorted(found, key=str)


def was_there(stores, row):
    """True if memory had the text from its last store until it was overwritten, and no letter beside it."""
    memory, address, text = {}, int(row["address"], 16), row["text"].encode()
    until = row.get("overwritten_record", 1 << 62)
    for record, _, at, value in stores:
        if row["record"] < record <= until and row["record"] != record:
            there = bytes(memory.get(address + i, 0) for i in range(len(text))) == text
            if not there:
                return False
        if record == until:
            after = dict(memory)
            after.update(enumerate(value, at))
            beside = any(is_letter(memory.get(a, 0)) for a in (address - 1, address + len(text)))
            return not beside and any(after[address + i] != text[i] for i in range(len(text)))
        memory.update(enumerate(value, at))
    return bytes(memory.get(address + i, 0) for i in range(len(text))) == text


def main():
    print("TAP version 13")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.tarmac")
        for seed in range(24):
            chooser = random.Random(seed)
            big, minimum = seed % 3 == 0, chooser.choice([1, 3, 4, 9])
            stores = stores_of(chooser, 40 if seed < 12 else 900)
            with open(path, "w", encoding="ascii") as out:
                out.write(trace_of(stores, big))
            run = subprocess.run([SPOOR, "strings", "--json", "-f", "tarmac", f"--min-length={minimum}", "--no-index",
                                  *(["--bi"] if big else []), path], check=False, capture_output=True)
            rows = json.loads(run.stdout)["strings"] if run.returncode == 0 else []
            got = sorted(((row["record"], int(row["address"], 16), row["text"], int(row["pc"], 16), row["first_record"],
                           row.get("overwritten_record")) for row in rows), key=str)
            expected = expected_of(stores, minimum)
            good = got == expected and all(was_there(stores, row) for row in rows) and (rows or minimum > 4)
            order = [(row["record"], int(row["address"], 16)) for row in rows]
            good = good and order == sorted(order)
            print(f"{'ok' if good else 'not ok'} {seed + 1} - {len(expected)} strings of {len(stores)} stores")
            if not good:
                print("#", run.stderr.decode()[:300], [one for one in got if one not in expected][:3],
                      [one for one in expected if one not in got][:3])
    print("1..24")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""packet_damage.py SPOOR FORMAT STREAM ELF ADDRESSES: after bytes that are no packet, nothing false is followed.

In each of twelve copies of the stream, a packet is made none. The instructions before it are those of the run,
then `lost` is said, and those from the next address that the trace states on are again a part of the run.
"""
import lzma
import random
import subprocess
import sys
import tempfile
from pathlib import Path

spoor, kind, stream, elf, addresses = sys.argv[1:]
data = Path(stream).read_bytes()
true = ["0x" + line.lower().removeprefix("0x") for line in lzma.open(addresses, "rt").read().split()]


def packets():
    """Where each packet begins, and the byte that makes it none."""
    at = 0
    while at < len(data):
        end = at + 1
        if kind == "e-trace":
            end += data[at] & 31 if data[at] else 0
            if data[at]:
                yield at, data[at] & 31 | 0x20
        else:
            while data[end - 1] & 3 != 3:
                end += 1
            yield at, data[at] & ~3 | 2
        at = end


rng, places, after = random.Random(7), list(packets()), 0
for place, byte in rng.sample(places[10:-10], 12):
    with tempfile.NamedTemporaryFile() as file:
        file.write(data[:place] + bytes([byte]) + data[place + 1:])
        file.flush()
        done = subprocess.run([spoor, "print", "-q", "-f", kind, "--csv", "--fields", "pc,op", "--where", "kind == insn or op == lost",
                               "--code", "--image", elf, file.name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    assert done.returncode == 3, done.returncode
    runs, at = [[]], 0
    for row in done.stdout.decode().splitlines()[1:]:
        pc, op = row.split(",")
        if op == "lost":
            runs.append([])
        else:
            runs[-1].append(pc)
    assert len(runs) == 2 and runs[0] == true[:len(runs[0])], (place, [len(run) for run in runs])
    run = runs[1]
    at = next((at for at in range(len(runs[0]), len(true)) if true[at:at + len(run)] == run), None)
    assert at is not None, (place, len(run))
    after += len(run)
print(after > 0 or kind == "n-trace")

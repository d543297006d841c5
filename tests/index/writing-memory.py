#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""writing-memory.py SPOOR: writing a .spoor file takes at most 64 MiB, whatever the number of distinct addresses.

The index that the file gets is passed on in parts while it is made, is the same as one made of the file, and is so
large that its reader unpacks it into a file.  A message states which table it does without.  SPOOR_SOAK=1: 100
million addresses.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

MAXIMUM = 64 << 10  # KiB
COUNT = 100_000_000 if os.environ.get("SPOOR_SOAK") == "1" else 4_560_000
PCS = 1_520_000  # more than a table of counts in the file may have
AT_ONCE = 80_000  # a multiple of the loads of a loop
MIXED = 0x9E3779B97F4A7C15
LOOP = "".join(f"1 {pc:x} 1 2 -1 - - L 0 %x {pc + 4:x} 0 MOV LOAD\n" for pc in range(0x400000, 0x400100, 4))


def lines(first, count):
    """Micro-ops that load from addresses, none of which comes twice, in a loop of 64 instructions."""
    addresses = [(number * MIXED & 0xFFFFFFFFFFF00000) >> 17 for number in range(first, first + count)]
    return (LOOP * (count // 64) % tuple(addresses)).encode()


def straight(first, count):
    """Micro-ops at addresses, none of which comes twice."""
    return "".join(f"1 {pc:x} 1 2 -1 - - - 0 0 {pc + 4:x} 0 ADD ADD\n"
                   for pc in range(0x400000 + 4 * first, 0x400000 + 4 * (first + count), 4)).encode()


def write(spoor, file, lines_of, count):
    """Writes a trace through a pipe; the peak of resident memory in KiB, and what is said."""
    command = [spoor, "convert", "-j1", "-f", "uop", "-t", "spoor", "-o", file, "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for first in range(0, count, AT_ONCE):
            process.stdin.write(lines_of(first, AT_ONCE))
        process.stdin.close()
        said = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"convert ends with {process.returncode}: {said}"
    return usage.ru_maxrss, said


def state_what_lacks(spoor, file):
    """The index in the file has no counts; the one that a verb makes then has them."""
    peak, said = write(spoor, file, straight, PCS)
    assert "the index in the file has no counts" in said, said
    cache = file.parent / "cache"
    subprocess.run([spoor, "annotate", "-q", file], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "XDG_CACHE_HOME": str(cache)})
    assert len(list((cache / "spoor").iterdir())) == 1, "annotate makes no index with counts"
    print(f"{PCS} instructions: {peak} KiB", flush=True)
    assert peak <= MAXIMUM, f"more than {MAXIMUM} KiB"


def main():
    spoor = sys.argv[1]
    if os.environ.get("SPOOR_SANITIZED"):
        print("a sanitizer takes memory of its own")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "addresses.spoor"
        peak, said = write(spoor, file, lines, COUNT)
        assert said == "", said
        count = subprocess.run([spoor, "print", "--count", file], capture_output=True, check=True, text=True).stdout
        assert int(count) == COUNT, count
        index = subprocess.run([spoor, "index", "--verify", file], capture_output=True, text=True, check=False)
        assert index.returncode == 0, index.stdout + index.stderr
        print(f"{COUNT} addresses: {peak} KiB")
        assert peak <= MAXIMUM, f"more than {MAXIMUM} KiB"
        state_what_lacks(spoor, Path(folder) / "instructions.spoor")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""writing-memory.py SPOOR: writing a .spoor file takes at most 64 MiB, whatever the number of distinct addresses.

The index that the file gets is passed on in parts while it is made, and is the same as one made of the file.
SPOOR_SOAK=1: 100 million addresses, whose index is too large for the file, which then has none.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

MAXIMUM = 64 << 10  # KiB
SOAK = os.environ.get("SPOOR_SOAK") == "1"
COUNT = 100_000_000 if SOAK else 1_500_000
AT_ONCE = 100_000
MIXED = 0x9E3779B97F4A7C15


def lines(first, count):
    """Micro-ops that load from addresses, none of which comes twice."""
    at = (first * MIXED) & (1 << 64) - 1
    made = []
    for number in range(first, first + count):
        pc = 0x400000 + 4 * (number & 63)
        made.append(f"1 {pc:x} 1 2 -1 - - L 0 {at >> 20 << 3:x} {pc + 4:x} 0 MOV LOAD\n")
        at = (at + MIXED) & (1 << 64) - 1
    return "".join(made).encode()


def write(spoor, file):
    """Writes the trace through a pipe; the peak of resident memory in KiB."""
    command = [spoor, "convert", "-q", "-j1", "-f", "uop", "-t", "spoor", "-o", file, "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        for first in range(0, COUNT, AT_ONCE):
            process.stdin.write(lines(first, AT_ONCE))
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"convert ends with {process.returncode}"
    return usage.ru_maxrss


def main():
    spoor = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "addresses.spoor"
        peak = write(spoor, file)
        count = subprocess.run([spoor, "print", "--count", file], capture_output=True, check=True, text=True).stdout
        assert int(count) == COUNT, count
        index = subprocess.run([spoor, "index", "--verify", file], capture_output=True, text=True, check=False)
        assert (index.returncode == 0) is not SOAK, index.stdout + index.stderr
        print(f"{COUNT} addresses: {peak} KiB")
        assert peak <= MAXIMUM, f"more than {MAXIMUM} KiB"


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill.py SPOOR EXAMPLE.uop.xz: kill the writer of a .spoor file, and read what is there.

`spoor convert` reads micro-ops from a pipe that stays open, and is killed after some of them.  The
file must have all whole segments: its records are the first of the trace, and those that are missing
are fewer than a segment and what the pipe and the reader hold.  SPOOR_SOAK=100 kills 100 times, at random moments.
"""
import lzma
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SEGMENT, HELD = 65536, 16384  # records
# The note about the block that was being written, or, where it ends with a whole one, about the end
NOTE = re.compile(rb"bytes at offset \d+, \d+ bytes: damaged\n|the end of the file at offset \d+\n")


def write_and_kill(spoor, lines, path, moments):
    """Kills the writer after so many seconds, or once it has read all lines."""
    with open(path, "wb") as out:
        writer = subprocess.Popen([spoor, "convert", "-q", "-f", "uop", "-t", "spoor", "-"],
                                  stdin=subprocess.PIPE, stdout=out)
        given = 0
        begin = time.monotonic()
        try:
            for at in range(0, len(lines), 1000):
                if time.monotonic() - begin > moments:
                    break
                writer.stdin.write(b"".join(lines[at : at + 1000]))
                given = at + 1000
            writer.stdin.flush()
        finally:
            writer.kill()
            writer.wait()
            try:
                writer.stdin.close()
            except BrokenPipeError:
                pass
    return min(given, len(lines))


def check(spoor, lines, path, given):
    """The number of records that the file has."""
    if os.path.getsize(path) == 0:
        return 0
    back = subprocess.run([spoor, "print", "-q", path], capture_output=True, check=False).stdout
    records = back.splitlines(keepends=True)
    if records and NOTE.fullmatch(records[-1]):
        records.pop()
    assert records == lines[: len(records)], "other records than those of the trace"
    assert len(records) <= given
    return len(records)


def main():
    spoor, example = sys.argv[1:3]
    count = int(os.environ.get("SPOOR_SOAK", "3"))
    lines = lzma.open(example).read().splitlines(keepends=True) * 12
    print("1..1")
    random.seed(21)
    most = lost = 0
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "killed.spoor")
        for _ in range(count):
            given = write_and_kill(spoor, lines, path, random.uniform(0.0, 0.7))
            there = check(spoor, lines, path, given)
            assert given - there <= SEGMENT + HELD, f"{given} given, {there} there"
            most, lost = max(most, there), max(lost, given - there)
    print(f"# {count} writers killed; at most {most} records were there, at most {lost} given were not")
    print("ok 1 - a killed writer leaves whole segments")


if __name__ == "__main__":
    main()

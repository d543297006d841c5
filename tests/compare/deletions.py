#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""deletions.py SPOOR TRACE COUNT: remove COUNT stretches of 1 to 100 instructions from a Tarmac
trace, on either side; `spoor diff` must find each as one gap of its length, and nothing else.

In a loop with identical iterations the removed ones cannot be identified, so a gap may be found up
to a hundred instructions after its true place; its length cannot change.
"""
import json
import lzma
import random
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    spoor, trace, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    lines = lzma.open(trace, "rt").read().splitlines(True)
    heads = [i for i, line in enumerate(lines) if " IT " in line]
    draw = random.Random(8)
    apart = len(heads) // (count + 1)
    gone, made = ([], []), []
    for number in range(1, count + 1):
        first, length, side = number * apart, draw.randint(1, 100), draw.randrange(2)
        gone[side].append((heads[first], heads[first + length]))
        made.append((0, length) if side == 0 else (length, 0))
    with tempfile.TemporaryDirectory() as directory:
        paths = []
        for side in range(2):
            missing = {i for begin, end in gone[side] for i in range(begin, end)}
            paths.append(Path(directory, f"{side}.tarmac"))
            paths[side].write_text("".join(l for i, l in enumerate(lines) if i not in missing))
        run = subprocess.run([spoor, "diff", "--json", *paths], capture_output=True, text=True)
    report = json.loads(run.stdout)
    found = [(gap["skipped_left"], gap["skipped_right"]) for gap in report["gaps"]]
    if found != made or report["mismatches"] or run.returncode != 1:
        print(f"found {found}\nexpected {made}\n{report['mismatches']} mismatches, expected 0; "
              f"exit code {run.returncode}, expected 1")
        return 1
    print(f"{count} deletions found, and nothing else")
    return 0


if __name__ == "__main__":
    sys.exit(main())

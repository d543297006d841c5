#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""omissions.py SPOOR TRACE: logs that omit instructions of a Tarmac trace: samples, no branches, no
instructions that write no register, only a range of addresses or all others, no boot code.
With --omits right, `spoor diff` must pair every instruction that is present, state how many are omitted, and find the
wrong values.  Without it, all of them are gaps, and the exit code is 1.

TRACE is compressed with xz.  A generator with a fixed seed makes the choices.
"""
import json
import lzma
import random
import subprocess
import sys
import tempfile
from pathlib import Path


def read_units(trace):
    """The instructions, each with the lines of its effects, without the lines before the first."""
    units = []
    for line in lzma.open(trace, "rt"):
        if " IT " in line:
            units.append([line])
        elif units:
            units[-1].append(line)
    return units


def place(unit):
    return unit[0].split(":")[0].split()[-1]


def writes(unit):
    return any(" R " in line for line in unit)


def with_errors(draw, units, count):
    """The instructions with `count` wrong values, each in a register of another instruction."""
    units = [list(unit) for unit in units]
    able = [i for i, unit in enumerate(units) if any(" R x" in line for line in unit)]
    for i in draw.sample(able, count):
        j = next(j for j, line in enumerate(units[i]) if " R x" in line)
        digit = units[i][j].rstrip()[-1]
        units[i][j] = units[i][j].rstrip()[:-1] + ("1" if digit == "0" else "0") + "\n"
    return units


def variants(units):
    """Name, remaining instructions, wrong values, and instructions that are missing although equal ones
    are present."""
    draw = random.Random(13)
    places = sorted({place(unit) for unit in units})
    low, high = places[len(places) // 3], places[len(places) // 2]
    writing = [unit for unit in units if writes(unit)]
    yield "every second", units[::2], 0, 0
    yield "every tenth", units[::10], 0, 0
    yield "every hundredth", units[::100], 0, 0
    yield "one of ten", [unit for unit in units if draw.random() < 0.1], 0, 0
    yield "nine of ten", [unit for unit in units if draw.random() < 0.9], 0, 0
    yield "a range", [unit for unit in units if low <= place(unit) < high], 0, 0
    yield "all but a range", [unit for unit in units if not low <= place(unit) < high], 0, 0
    yield "no boot code", units[300:], 0, 0
    yield "what writes", writing, 0, 0
    yield "what writes, wrong", with_errors(draw, writing, 20), 20, 0
    yield "every tenth, wrong", with_errors(draw, units[::10], 10), 10, 0
    yield "what writes, some lost", writing[:5000] + writing[5040:], 0, 40


def compare(spoor, *operands):
    run = subprocess.run([spoor, "diff", "--json", *operands], capture_output=True, text=True)
    return run.returncode, json.loads(run.stdout)


def check(spoor, name, whole, left, directory, wrong, lost):
    path = Path(directory, "part.tarmac")
    path.write_text("".join(line for unit in left for line in unit))
    code, report = compare(spoor, whole, path)
    omitted = sum(report["omitted"][side]["instructions"] for side in ("left", "right"))
    if code not in (1, 4) or report["verdict"] not in ("differ", "lost-sync") or omitted:
        print(f"{name}: exit code {code}, {report['verdict']}, {omitted} omitted, expected gaps")
        return False
    code, report = compare(spoor, "--omits", "right", whole, path)
    gone = report["omitted"]["right"]["instructions"] + report["left"]["skipped"]
    found = (report["compared"], report["mismatches"], report["gap_count"], gone, code)
    every = sum(1 for line in Path(whole).read_text().splitlines() if " IT " in line)
    expected = (len(left), wrong, int(lost > 0), every - len(left), int(wrong + lost > 0))
    if wrong and name.startswith("every") and wrong // 2 <= found[1] <= wrong:
        expected = (expected[0], found[1], *expected[2:])  # right in another iteration
    if found == expected and report["left"]["skipped"] >= lost:
        return True
    print(f"{name}: found {found}, expected {expected}: pairs, mismatches, gaps, left out, exit")
    return False


def main():
    spoor, trace = sys.argv[1], Path(sys.argv[2])
    units = read_units(trace)
    with tempfile.TemporaryDirectory() as directory:
        whole = Path(directory, "whole.tarmac")
        whole.write_text("".join(line for unit in units for line in unit))
        good = [check(spoor, name, whole, left, directory, wrong, lost)
                for name, left, wrong, lost in variants(units)]
    print(f"{sum(good)} of {len(good)} as expected")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

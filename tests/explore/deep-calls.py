#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""deep-calls.py SPOOR: calls that never return, each inside the one before; prints TAP.

The time of each verb grows with the calls (a square would take 16 times as long for four times as many), memory
is bounded, every instruction is counted once, and what is cut is stated.  SPOOR_SOAK=1 nests a million calls.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SPOOR = os.path.abspath(sys.argv[1])
FEW, MANY = (250000, 1000000) if os.environ.get("SPOOR_SOAK") else (40000, 160000)
number = 0
failures = 0


def check(good, title, why=""):
    global number, failures
    number += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {number} - {title}" + ("" if good else f"\n# {str(why)[:1000]}"), flush=True)


def write(path, count, bits, space):
    """A64: bl to the place `space` bytes on, which is what runs next; other bits are exceptions there."""
    with path.open("w", encoding="ascii") as file:
        for i in range(count):
            pc = 0x400000 + space * i
            file.write(f"{i} clk cpu0 IT ({i}) {pc:08x}:0000{pc:08x}_NS {bits} O usr_ns : bl 0x{pc + space:x}\n")


def run(*words, cwd):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["/usr/bin/env", "time", "-f", "%M", "-o", "memory", SPOOR, *words] if HAS_TIME else [SPOOR, *words],
                          cwd=cwd, capture_output=True, text=True, check=False, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    memory = int((cwd / "memory").read_text().split()[-1]) if HAS_TIME else 0
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, memory


HAS_TIME = subprocess.run(["/usr/bin/env", "time", "-f", "", "true"], capture_output=True, check=False).returncode == 0
VERBS = (["stack", "--no-index"], ["exceptions", "--no-index"], ["profile", "--flame", "--no-index"], ["profile", "--svg", "--no-index"],
         ["profile", "--no-index"], ["profile", "--json", "--no-index"], ["calls", "--no-index"], ["report", "-o", "r.html"])


def times(folder):
    for bits in ("94000002", "97ffffff"):  # bl +8, which is what happens; bl -4, so that exceptions come
        write(folder / "few.tarmac", FEW, bits, 8)
        write(folder / "many.tarmac", MANY, bits, 8)
        for words in VERBS:
            few, few_time, _ = run(*words, "-j1", "few.tarmac", cwd=folder)
            many, many_time, memory = run(*words, "-j1", "many.tarmac", cwd=folder)
            name = " ".join(words)
            check(few.returncode == many.returncode == 0 and many_time <= 8 * few_time + 0.2,
                  f"{bits}: {name}: time is linear", (few_time, many_time, many.stderr))
            if not os.environ.get("SPOOR_SANITIZED"):
                most = 450 if words[0] == "report" else 600 if "--json" in words else 200
                check(memory <= most << 10, f"{bits}: {name}: memory", memory)


def truths(folder):
    write(folder / "t.tarmac", MANY, "94000002", 8)
    folded = run("profile", "--flame", "--no-index", "t.tarmac", cwd=folder)[0].stdout
    lines = folded.splitlines()
    check(sum(int(line.rpartition(" ")[2]) for line in lines) == MANY and len(folded) <= 32 << 20,
          "flame: each instruction is counted once, in at most 32 MiB", (len(lines), len(folded)))
    cut = [line for line in lines if "(deeper calls)" in line]
    depth = {line.count(";") for line in cut}
    check(cut and len(depth) == 1 and max(line.count(";") for line in lines) == max(depth) and
          all(";(deeper calls) " in line for line in cut), "and calls beyond a depth are one frame", depth)
    first = lines[0].split(" ")[0].split(";")
    check(all(int(b, 16) - int(a, 16) == 8 for a, b in zip(first[:-2], first[1:-1])), "below the calls that led there", first[:4])
    done = run("stack", "--no-index", "t.tarmac", cwd=folder)[0]
    stack = done.stdout.splitlines()
    numbers = [int(line.split()[0][1:]) for line in stack if line.startswith("  #")]
    check(numbers == list(range(len(numbers))) and len(numbers) >= min(MANY - 1, 1 << 15) and
          f"0x{0x400000 + 8 * (MANY - 1):08x}" in stack[2], "stack: the innermost calls", stack[:4])
    check("outermost ones may be missing" in done.stderr, "and that outer ones may not be kept", done.stderr)
    profile = run("profile", "--no-index", "t.tarmac", cwd=folder)[0].stdout
    check(re.search(r"\d+ calls are too deep", profile), "profile: how many calls are not kept apart", profile[:300])
    write(folder / "s.tarmac", 3000, "97ffffff", 8)
    nested = run("exceptions", "--csv", "--no-index", "s.tarmac", cwd=folder)[0].stdout.splitlines()
    column = nested[0].split(",").index("nesting") if "nesting" in nested[0] else -1
    check(column >= 0 and [int(line.split(",")[column]) for line in nested[1:10]] == list(range(9)) and
          nested[-1].split(",")[column] == "255", "exceptions: each is in those before it", (nested[0], nested[1:4]))


def main():
    with tempfile.TemporaryDirectory() as name:
        times(Path(name))
        truths(Path(name))
    print(f"1..{number}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sessions.py SPOOR ROOT: GDB itself on the shipped examples, by scripts; prints TAP.

A session is a trace, an image, commands for GDB, and patterns that its output must have in this
order.  Without gdb-multiarch there is nothing to run.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

SESSIONS = [
    ("a backtrace names the callers", "sort-aarch64.tarmac.xz", "sort-aarch64.elf",
     ["break swap", "continue", "bt"],
     [r"Breakpoint 1, swap ", r"#1 .* in partition \(first=first@entry=0", r"#2 .* in sort ",
      r"#3 .* in main \(\)"]),
    ("reverse-continue finds the last write", "sort-aarch64.tarmac.xz", "sort-aarch64.elf",
     ["goto end", "watch -l numbers[5]", "reverse-continue", "reverse-continue"],
     [r"Old value = 648", r"New value = 613", r"swap \(", r"Old value = 613", r"New value = 340"]),
    ("continue finds the next write", "sort-aarch64.tarmac.xz", "sort-aarch64.elf",
     ["break partition", "continue", "delete", "watch -l numbers[0]", "continue", "bt 1"],
     [r"Breakpoint 1, partition", r"Old value = 9675", r"New value = 8715", r"#0 .*swap"]),
    ("reverse-finish goes to the call", "sort-aarch64.tarmac.xz", "sort-aarch64.elf",
     ["break swap", "continue", "reverse-finish", "info symbol $pc"],
     [r"Breakpoint 1, swap", r"in partition \(first=first@entry=0", r"partition \+ \d+ in section"]),
    ("reverse-step enters functions from below", "sort-aarch64.tarmac.xz", "sort-aarch64.elf",
     ["break swap", "continue", "finish", "reverse-step", "reverse-step"],
     [r"Breakpoint 1, swap", r"partition \(first=first@entry=0", r"in swap \("]),
    ("RISC-V: locals and watchpoints", "sort.tarmac.xz", "sort.elf",
     ["break swap", "continue", "bt", "watch -l numbers[0]", "continue", "reverse-continue",
      "info threads"],
     [r"Breakpoint 1, swap \(a=0x13050 <numbers>", r"#3 .* in main \(\)", r"Old value = 9675",
      r"New value = 8715", r"Old value = 8715", r"New value = 9675", r"\* 1 +Thread 1 \"cpu0\""]),
    ("x86-64 micro-ops: breakpoints both ways", "sort-x86_64.uop.xz", "sort-x86_64.elf",
     ["break swap", "continue", "stepi", "reverse-stepi", "reverse-continue", "info registers rip",
      "info registers rsp"],
     [r"Breakpoint 1, swap", r"No more reverse-execution history", r"rip +0x",
      r"rsp +<unavailable>"]),
    ("nothing can be written", "sort-aarch64.tarmac.xz", "sort-aarch64.elf",
     ["goto end", "set var numbers[5] = 3"],
     [r"cannot be written: a trace is what was recorded", r"Cannot access memory"]),
    ("monitor answers questions", "sort-aarch64.tarmac.xz", "sort-aarch64.elf",
     ["goto record:1000", "who $sp", "monitor slice x0", "monitor where", "monitor nonsense"],
     [r"before record 999 of 43731", r"record \d+, time \d+, value 0x", r"x0: record \d+",
      r"before record \d+", r"goto MOMENT"]),
]


def run(spoor, root, trace, image, commands):
    words = [spoor, "gdb", "--no-index", root / "examples" / trace, "--image",
             root / "examples/programs" / image, "--", "-batch", "-nx"]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=110)
    return done.stdout


def main(spoor, root):
    if not shutil.which("gdb-multiarch"):
        print("1..0 # SKIP gdb-multiarch is not installed")
        return
    print(f"1..{len(SESSIONS)}")
    for number, (what, trace, image, commands, patterns) in enumerate(SESSIONS, 1):
        output = run(spoor, Path(root), trace, image, commands)
        at, missing = 0, None
        for pattern in patterns:
            found = re.compile(pattern).search(output, at)
            if not found:
                missing = pattern
                break
            at = found.end()
        print(f"{'not ok' if missing else 'ok'} {number} - {what}")
        if missing:
            print(f"# expected {missing!r} in")
            for line in output.splitlines():
                print("#   " + line)


main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sessions.py SPOOR ROOT: GDB itself on the shipped examples, by scripts; prints TAP.

A session is a trace (an example, the lines of one, or an example as Spike's log), an image, commands
for GDB, and patterns that its output must have in this order.  Without gdb-multiarch there is nothing to run.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# A call of a handler, and a function; and a semihosting call that reads 16 bytes to 0x2000.
HANDLER = """\
0 clk cpu0 R SP_EL0 0000000000001000
1 clk cpu0 IT (1) 00400000 d2800020 O EL0t : mov x0, #1
1 clk cpu0 R X0 0000000000000001
2 clk cpu0 IT (2) 00400004 d4000001 O EL0t : svc #0
3 clk cpu0 IT (3) 00800400 f9000001 O EL1h : str x1, [x0]
3 clk cpu0 MW8 00002000 00000000_00000005
4 clk cpu0 IT (4) 00800404 d69f03e0 O EL1h : eret
5 clk cpu0 IT (5) 00400008 94000002 O EL0t : bl 0x400010
5 clk cpu0 R X30 000000000040000c
6 clk cpu0 IT (6) 00400010 d65f03c0 O EL0t : ret
7 clk cpu0 IT (7) 0040000c d503201f O EL0t : nop
"""
SEMIHOSTING = """\
1 clk cpu0 IT (1) 00400000 f9000020 O EL0t : str x0, [x1]
1 clk cpu0 MW8 00003000 00000000_00000001
2 clk cpu0 IT (2) 00400004 f9000420 O EL0t : str x0, [x1, #8]
2 clk cpu0 MW8 00003008 00000000_00002000
3 clk cpu0 IT (3) 00400008 f9000820 O EL0t : str x0, [x1, #16]
3 clk cpu0 MW8 00003010 00000000_00000010
4 clk cpu0 IT (4) 0040000c d28000c0 O EL0t : mov x0, #6
4 clk cpu0 R X0 0000000000000006
5 clk cpu0 IT (5) 00400010 d2860001 O EL0t : mov x1, #0x3000
5 clk cpu0 R X1 0000000000003000
6 clk cpu0 IT (6) 00400014 d45e0000 O EL0t : hlt #0xf000
7 clk cpu0 IT (7) 00400018 d503201f O EL0t : nop
8 clk cpu0 IT (8) 0040001c d503201f O EL0t : nop
8 clk cpu0 MR8 00002008 00000000_00000041
9 clk cpu0 IT (9) 00400020 d503201f O EL0t : nop
"""

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
    ("A32: a backtrace, locals, and back to the call", "sort-arm.tarmac.xz", "sort-arm.elf",
     ["break swap", "continue", "bt", "info locals", "info registers cpsr", "reverse-finish",
      "info symbol $pc"],
     [r"Breakpoint 1, swap ", r"#1 .*partition \(first=0, last=127\)", r"#2 .*sort \(first=0",
      r"#3 .* in main \(\)", r"kept = 9675", r"cpsr +0x", r"in partition \(first=0, last=127\)"]),
    ("A32: watchpoints, and steps back over calls", "sort-arm.tarmac.xz", "sort-arm.elf",
     ["goto end", "watch -l numbers[5]", "reverse-continue", "bt 1", "reverse-continue", "delete",
      "break say_text", "continue", "delete", "finish", "reverse-step", "bt 2", "info threads"],
     [r"Old value = 648", r"New value = 613", r"#0 .*swap \(", r"Old value = 613",
      r"New value = 340", r"Breakpoint [0-9.]+, say_text", r"main \(\)", r"#0 .* say_text ",
      r"#1 .* main ", r"\* 1 +Thread 1 \"cpu0\""]),
    ("Spike: a backtrace, watchpoints, and back", "spike", "sort.elf",
     ["break swap", "continue", "bt", "info locals", "reverse-finish", "delete",
      "watch -l numbers[0]", "continue", "reverse-continue", "reverse-continue", "delete",
      "break say_text", "continue", "finish", "reverse-step"],
     [r"Breakpoint 1, swap \(a=0x13050 <numbers>", r"#1 .* in partition \(first=first@entry=0",
      r"#3 .* in main \(\)", r"kept = ", r"in partition ", r"Old value = 9675",
      r"New value = 8715", r"Old value = 8715", r"New value = 9675", r"Old value = 9675",
      r"in fill \(\)", r"Breakpoint \d+, say_text \(text=0x12000 \"sorted", r"main \(\)",
      r"in say_text \("]),
    ("x86-64 micro-ops: what is known, and accesses", "sort-x86_64.uop.xz", "sort-x86_64.elf",
     ["break swap", "continue", "bt", "info locals", "delete", "goto end", "awatch -l numbers[5]",
      "reverse-continue", "bt 1", "reverse-continue", "reverse-finish"],
     [r"Breakpoint 1, swap \(a=<unavailable>, b=<unavailable>", r"#0 +swap \(",
      r"not enough registers or memory available", r"kept = ", r"Value = <unreadable>",
      r"#0 .*main \(\)", r"Value = <unreadable>", r"not meaningful in the outermost frame"]),
    ("reverse steps go through a handler", HANDLER, None,
     ["goto end"] + ["reverse-stepi", "x/i $pc"] * 6 + ["reverse-stepi", "stepi", "stepi", "stepi"]
     + ["break *0x400008", "continue", "reverse-nexti"],
     [r"=> 0x40000c:", r"=> 0x400010:", r"=> 0x400008:\tbl", r"=> 0x800404:\teret",
      r"=> 0x800400:\tstr", r"=> 0x400004:\tsvc", r"0x0*400000 in", r"0x0*400004 in",
      r"0x0*800400 in", r"0x0*800404 in", r"Breakpoint 1, 0x0*400008", r"0x0*800404 in"]),
    ("what semihosting calls write is watched", SEMIHOSTING, None,
     ["goto end", "watch *(long *) 0x2008", "reverse-continue", "x/i $pc", "continue"],
     [r"Old value = 65", r"New value = <unreadable>", r"=> 0x400014:\thlt", r"New value = 65",
      r"0x0*400018 in"]),
    ("nothing can be written", "sort-aarch64.tarmac.xz", "sort-aarch64.elf",
     ["goto end", "set var numbers[5] = 3"],
     [r"cannot be written: a trace is a recording", r"Cannot access memory"]),
    ("monitor answers questions", "sort-aarch64.tarmac.xz", "sort-aarch64.elf",
     ["goto record:1000", "who $sp", "monitor slice x0", "monitor where", "monitor nonsense"],
     [r"before record 999 of 43731", r"record \d+, time \d+, value 0x", r"x0: record \d+",
      r"before record \d+", r"goto MOMENT"]),
]


def path_of(spoor, root, trace, folder):
    """The example; or a file of its lines, or of the log that Spike would write."""
    if trace.endswith(".xz"):
        return root / "examples" / trace
    path = folder / "trace"
    if trace == "spike":
        subprocess.run([spoor, "convert", "-q", "--lossy", "-t", "spike", "-o", path,
                        root / "examples/sort.tarmac.xz"], check=True)
        trace = path.read_text().replace("core   0: ", "core   0: 3 ")  # Tarmac has no such level
    path.write_text(trace)
    return path


def run(spoor, root, trace, image, commands):
    words = [spoor, "gdb", "--no-index", trace]
    words += ["--image", root / "examples/programs" / image] if image else []
    words += ["--", "-batch", "-nx"]
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
        with tempfile.TemporaryDirectory() as folder:
            path = path_of(spoor, Path(root), trace, Path(folder))
            output = run(spoor, Path(root), path, image, commands)
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

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

# Each mode has its own stack pointer, or link register, from its first instruction on.
BANKS_M = """\
1 clk IT (1) 00001000 b084 T thread : SUB SP, #16
1 clk R MSP 20000ff0
2 clk IT (2) 00001002 f3808809 T thread : MSR PSP, R0
2 clk R PSP 20002000
3 clk IT (3) 00001006 2102 T thread : MOVS R1, #2
3 clk R r1 00000002
4 clk IT (4) 00001008 f3818814 T thread : MSR CONTROL, R1
4 clk R CONTROL 00000002
5 clk IT (5) 0000100c f3bf8f6f T thread : ISB SY
6 clk IT (6) 00001010 b082 T thread : SUB SP, #8
6 clk R PSP 20001ff8
7 clk IT (7) 00001012 466b T thread : MOV R3, SP
7 clk R r3 20001ff8
7 clk E 00001014 0000000f CoreEvent_SYSTICK
7 clk R PSP 20001fd8
7 clk R r14 fffffffd
7 clk R cpsr 0100000f
8 clk IT (8) 00004000 466b T handler : MOV R3, SP
8 clk R r3 20000ff0
9 clk IT (9) 00004002 4770 T handler : BX LR
9 clk R r3 20001ff8
9 clk R PSP 20001ff8
9 clk R r14 00000001
9 clk R cpsr 01000000
10 clk IT (10) 00001014 466d T thread : MOV R5, SP
10 clk R r5 20001ff8
"""
BANKS_A32 = """\
1 clk IT (1) 00001000 eb00003e A usr : BL 0X1100
1 clk R r14_usr 00001004
2 clk IT (2) 00001100 e3a00001 A usr : MOV R0, #1
2 clk R r0 00000001
2 clk E 00001104 00000006 CoreEvent_IRQ
2 clk R r14_irq 00001108
2 clk R spsr_irq 00000010
2 clk R cpsr 00000092
3 clk IT (3) 00000018 e24ee004 A irq : SUB LR, LR, #4
3 clk R r14_irq 00001104
4 clk IT (4) 0000001c f96d0513 A irq : SRSDB SP!, #19
4 clk MW4 00020ff8 00001104
4 clk MW4 00020ffc 00000010
4 clk R r13_svc 00020ff8
5 clk IT (5) 00000020 f10e0093 A irq : CPSID I, #19
5 clk R cpsr 00000093
6 clk IT (6) 00000024 e92d5001 A svc : PUSH {R0, R12, LR}
6 clk MW4 00020fec 00000001
6 clk MW4 00020ff0 0000000c
6 clk MW4 00020ff4 00000000
6 clk R r13_svc 00020fec
7 clk IT (7) 00000028 eb0007f4 A svc : BL 0X2000
7 clk R r14_svc 0000002c
8 clk IT (8) 00002000 e3a00002 A svc : MOV R0, #2
8 clk R r0 00000002
8 clk E 00002004 00000007 CoreEvent_FIQ
8 clk R r14_fiq 00002008
8 clk R spsr_fiq 00000093
8 clk R cpsr 000000d1
9 clk IT (9) 0000001c e25ef004 A fiq : SUBS PC, LR, #4
9 clk R cpsr 00000093
"""

# Traces that begin in the middle: nothing states the stack pointer, nor the flags.
THUMB = """\
1 clk IT (1) 00001000 f000fffe T thread_s : BL 0x2000
1 clk R r14 00001005
2 clk IT (2) 00002000 b082 T thread_s : SUB sp,#8
2 clk R r13_process_s 30000ff8
3 clk IT (3) 00002002 f000fffd T thread_s : BL 0x3000
3 clk R r14 00002007
4 clk IT (4) 00003000 bf00 T thread_s : NOP
4 clk E 00003002 0000000f CoreEvent_SysTick
4 clk R r13_main_s 20000ff0
4 clk R r14 fffffffd
5 clk IT (5) 00004000 bf00 T handler_s : NOP
6 clk IT (6) 00004002 4770 T handler_s : BX lr
7 clk IT (7) 00003002 4770 T thread_s : BX lr
8 clk IT (8) 00002006 bf00 T thread_s : NOP
"""
A32 = """\
1 clk IT (1) 00001000 eb0003fe A svc_s : BL 0x2000
1 clk R r14_svc 00001004
2 clk IT (2) 00002000 1a000000 A svc_s : BNE 0x2008
3 clk IT (3) 00002008 fa0003fc A svc_s : BLX 0x3000
3 clk R r14_svc 0000200c
4 clk IT (4) 00003000 bf00 T svc_s : NOP
5 clk IT (5) 00003002 4770 T svc_s : BX lr
6 clk IT (6) 0000200c e1a00000 A svc_s : NOP
"""
M0 = """\
             0 ns E RESET
            80 ns R psr 01000000
           120 ns IT 00000100 a101        ADR      r1,{pc}+8
           120 ns R r1 00000108
           140 ns IT 00000102 2201        MOVS     r2,#1
           140 ns R r2 00000001
           140 ns R r13 20001000 (MSP)
           160 ns IT 00000104 bf00        NOP
           180 ns IT 00000106 bf00        NOP
"""
LOOP = """\
1 clk IT (1) 00009000 bf00 T thread : NOP
2 clk IT (2) 00009002 e7fe T thread : B 0x9002
"""
RETURN = """\
1 clk IT (1) 00009000 94000400 O EL1h_n : BL 0xa000
1 clk R X30 0000000000009004
2 clk IT (2) 0000a000 d65f03c0 O EL1h_n : RET
"""
BNE = """\
1 clk IT (1) 00008000 e3500000 A svc_s : CMP r0,#0
1 clk R cpsr 20000013
2 clk IT (2) 00008004 1afffffd A svc_s : BNE 0x8000
"""
UNKNOWN = "the trace does not state the flags here"

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
      r"#1 .* in partition ", r"#2 .* in sort ", r"#3 .* in main \(\)", r"kept = ",
      r"Value = <unreadable>",
      r"#0 .*main \(\)", r"Value = <unreadable>", r"not meaningful in the outermost frame"]),
    ("reverse steps go through a handler", HANDLER, None,
     ["goto end"] + ["reverse-stepi", "x/i $pc"] * 6 + ["reverse-stepi", "stepi", "stepi", "stepi"]
     + ["break *0x400008", "continue", "reverse-nexti"],
     [r"=> 0x40000c:", r"=> 0x400010:", r"=> 0x400008:\tbl", r"=> 0x800404:\teret",
      r"=> 0x800400:\tstr", r"=> 0x400004:\tsvc", r"0x0*400000 in", r"0x0*400004 in",
      r"0x0*800400 in", r"0x0*800404 in", r"Breakpoint 1, 0x0*400008", r"0x0*400004 in"]),
    ("v8-M: steps, stack pointers and calls without any of them at first", THUMB, None,
     ["p $sp", "stepi", "stepi", "p $sp", "stepi", "bt", "stepi", "p $sp", "bt", "finish", "bt",
      "reverse-stepi", "reverse-stepi 2", "x/i $pc", "goto start", "bt", "info registers"],
     [UNKNOWN, r"= <unavailable>", r"0x0*2000 in", r"0x0*2002 in", r"= .*0x30000ff8",
      r"0x0*3000 in", r"#0 +0x0*3000 in.*\n#1 +0x0*2006 in.*\n#2 +0x0*1004 in.*\nBacktrace stopped",
      r"0x0*4000 in", r"= .*0x20000ff0", r"#0 +0x0*4000 in.*\n#1 +0x0*300[02] in.*\n#2 +0x0*2006",
      r"0x0*3002 in", r"#0 +0x0*3002 in.*\n#1 +0x0*2006", r"0x0*4002 in",
      r"0x0*3000 in", r"=> 0x3000:\tnop", r"#0 +0x0*1000 in .*\nBacktrace stopped",
      r"r0 +<unavailable>", r"xpsr +0x1000000"]),
    ("A32 and T32 without a stack pointer: steps, calls, the T bit", A32, None,
     ["stepi", "stepi", "x/i $pc", "stepi", "x/i $pc", "p/x $cpsr", "bt", "reverse-stepi",
      "p/x $cpsr", "break *0x200c", "continue", "bt"],
     [UNKNOWN, r"0x0*2000 in", r"0x0*2008 in", r"=> 0x2008:\tblx", r"=> 0x3000:\tnop",
      r"= 0x33", r"#0 +0x0*3000 in.*\n#1 +0x0*200c in.*\n#2 +0x0*1004 in", r"0x0*2008 in",
      r"= 0x13", r"Breakpoint 1, 0x0*200c", r"#0 +0x0*200c in.*\n#1 +0x0*1004 in"]),
    ("Cortex-M: MSP at the first instruction of a handler, PSP at that of the thread", BANKS_M, None,
     ["stepi 4", "p $sp", "stepi 3", "p $sp", "stepi 2", "p $sp"],
     [r"0x0*100c in", r"= .*0x20002000", r"0x0*4000 in", r"= .*0x20000ff0", r"0x0*1014 in",
      r"= .*0x20001ff8"]),
    ("A32: the registers of IRQ, SVC and FIQ mode from their first instruction on", BANKS_A32, None,
     ["stepi 2", "p/x $lr", "stepi 3", "p/x $sp", "p/x $lr", "stepi 3", "p/x $sp", "p/x $lr"],
     [r"0x0*18 in", r"= 0x1108", r"0x0*24 in", r"= 0x20ff8", r"= <unavailable>", r"0x0*1c in",
      r"= <unavailable>", r"= 0x2008"]),
    ("RTL of Cortex-M0, which has no letters", M0, None,
     ["stepi", "stepi", "p $sp", "p/x $xpsr", "x/i $pc", "bt"],
     [r"0x0*102 in", r"0x0*104 in", r"= .*0x20001000", r"= 0x1000000", r"=> 0x104:\tnop",
      r"#0 +0x0*104 in"]),
    ("after the last instruction, a branch that was taken leads to its target", LOOP, None,
     ["goto end", "p/x $pc", "reverse-stepi"], [r"= 0x9002", r"0x0*9002 in"]),
    ("after the last instruction, a return leads to where its register says", RETURN, None,
     ["goto end", "p/x $pc", "reverse-stepi", "p/x $pc"], [r"= 0x9004", r"= 0xa000"]),
    ("a conditional branch that Tarmac does not mark as skipped was taken", BNE, None,
     ["goto end", "p/x $pc"], [r"= 0x8000"]),
    ("a script goes on where registers are not known", THUMB, None,
     ["source SCRIPT", "echo after\\n"],
     [r"0x0*2000 in", r"#1 .*0x0*1004", r"0x0*2002 in", r"done", r"after"]),
    ("what semihosting calls write is watched", SEMIHOSTING, None,
     ["goto end", "watch *(long *) 0x2008", "reverse-continue", "x/i $pc", "continue"],
     [r"Old value = 65", r"New value = <unreadable>", r"=> 0x400014:\thlt", r"New value = 65",
      r"0x0*400018 in"]),
    ("nothing can be written", "sort-aarch64.tarmac.xz", "sort-aarch64.elf",
     ["goto end", "set var numbers[5] = 3"],
     [r"cannot be written: a trace is a recording", r"Cannot access memory"]),
    ("monitor answers questions", "sort-aarch64.tarmac.xz", "sort-aarch64.elf",
     ["goto record:1000", "who $sp", "monitor slice x0", "monitor where", "monitor nonsense"],
     [r"before record 999 of 43712", r"record \d+, time \d+, value 0x", r"x0: record \d+",
      r"before record \d+", r"goto MOMENT"]),
]


def path_of(spoor, root, trace, folder):
    """The example; or a file of its lines, or of the log that Spike would write."""
    if trace.endswith(".xz"):
        return Path(shutil.copy(root / "examples" / trace, folder))
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
    script = Path(trace).parent / "script.gdb"
    script.write_text("stepi\nbt\nstepi\necho done\\n\n")
    for command in commands:
        words += ["-ex", command.replace("SCRIPT", str(script))]
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

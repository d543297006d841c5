#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""With an index, what a selection excludes is passed over: the output of print, cut and what counts or
simulates, their messages and their exit codes are those without one, for random selections, formats and
compressions; and what is counted of a selection is what is counted of the cut.

    skipping.py SPOOR [SELECTIONS]    per trace; SPOOR_POINTS in the environment overrides it
"""
import gzip
import lzma
import os
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

COUNTING = ["info", "mix", "cache -l u:32K,8,64", "tlb", "pipe --preset penn-hw5", "branch"]
SELECTING = COUNTING + ["check", "check --severity error --all"]
PHASES, STEPS = 4, 4000  # each phase is some 1.2 MB: more than a segment


def tarmac(phase, step, number):
    pc, address = 0x1000 * (phase + 1) + 4 * (step % 64), 0x20000 * (phase + 1) + 8 * (step % 300)
    cpu = f"cpu{phase % 3}"
    yield f"{number} clk {cpu} IT ({number}) {pc:08x}:0000{pc:08x} f9000020 O EL1h_n : STR x0,[x1]"
    yield f"{number} clk {cpu} R X{step % 8} {number:016x}"
    yield f"{number} clk {cpu} MW8 {address:08x}:0000{address:08x} 00000000_{number:08x}"
    yield f"{number} clk {cpu} MR4 {address + 64:08x}:0000{address + 64:08x} {number:08x}"
    if step % 101 == 0:  # what has an address and accesses no memory
        other = 0x200000 * (phase + 1) + 64 * step
        yield (f"{number} clk {cpu} CACHE cpu.cpu0.l1icache LINE 0096 ALLOC 0x0000{other:08x}",
               f"{number} clk {cpu} CACHE MAINTENANCE D CLEAN+INVALIDATE MVA_POC "
               f"{other:08x}:0000{other + 4096:08x} 4K Normal",
               f"{number} clk {cpu} TLB EVICT cpu.cpu0.DTLB 4K 0x{other:08x} EL1_n vmid=3, nG asid=17",
               f"{number} clk {cpu} TTW ITLB LPAE 1:3 0000{other:08x} 00000000152204c3 : BLOCK "
               "ATTRIDX=0 NS=0 AP=3 SH=0 AF=1 nG=0 16E=0 PXN=0 XN=0 ADDR=0x0000000015220000",
               f"{number} clk {cpu} E {other:08x}:0000{other:08x} 00000088 CoreEvent_LOWER_64_SYNC",
               f"{number} clk {cpu} BR8D__S I_RCB_ O_RCB_ 0 0000{other:08x} 0000000013000000",
               )[step // 101 % 6]


def matcher(phase, step, number):
    pc, address = 0x1000 * (phase + 1) + 4 * (step % 64), 0x20000 * (phase + 1) + 8 * (step % 300)
    yield (f"{number} clk {phase % 3} IT ({number}) {pc:016x} 00002197 A usr_ns : auipc x3,0x2"
           + 10 * " ")
    yield f"{number} clk R x{step % 8 + 1} {number:016x}"
    yield f"{number} clk MW8 {address:016x} {number:016x}"
    yield f"{number} clk MR8 {address + 64:016x} {number:016x}"


def spike(phase, step, number):
    pc, address = 0x80001000 + 0x1000 * phase + 4 * (step % 64), 0x20000 * (phase + 1) + step % 300
    for i in range(3):
        yield f"core   0: 0x{pc + i:016x} (0x00a13023) sd      a0, 0(sp)"
        yield f"core   0: 3 0x{pc + i:016x} (0x00a13023) mem 0x{8 * address:016x} 0x{number:016x}"


def uop(phase, step, number):
    pc, address = 0x1000 * (phase + 1) + 4 * (step % 64), 0x20000 * (phase + 1) + 8 * (step % 300)
    for i in range(4):
        ldst = "-LS-"[i]
        yield (f"1 {pc + i:x}  3 -1  {step % 20} - - {ldst}  {number % 100:8d} {address:12x} "
               f"{pc + i + 4:12x} {0:12x} {'LOAD' if i == 1 else 'ADDI'}     ADD_IMM")


def make(folder, name, lines_of):
    lines, number = [], 0
    for phase in range(PHASES):
        for step in range(STEPS):
            number += 1
            lines.extend(lines_of(phase, step, number))
        if phase == 2:
            lines.append("this line keeps no rule")
    path = folder / f"t.{name}"
    path.write_text("\n".join(lines) + "\n")
    return path


def compressed(path):
    content = path.read_bytes()
    yield path
    for suffix, compress in ((".gz", lambda b: gzip.compress(b, 1)), (".xz", None), (".zst", None)):
        other = Path(str(path) + suffix)
        if compress:
            other.write_bytes(compress(content))
        else:
            done = subprocess.run([SPOOR, "convert", "-q", "-o", other, path],
                                  stderr=subprocess.DEVNULL)
            if done.returncode not in (0, 3):
                sys.exit(f"{other}: cannot be written")
        yield other


def number_test(random_, field, low, high, form):
    a, b = sorted(random_.randint(low, high) for _ in range(2))
    return random_.choice([f"{field} in {form(a)}..{form(b)}", f"{field} = {form(a)}",
                           f"{field} < {form(a)}", f"{field} >= {form(b)}", f"{field} != {form(a)}"])


def expression(random_, depth=0):
    def hexa(value):
        return f"{value:#x}"
    choice = random_.randrange(12 if depth < 2 else 9)
    if choice == 0:
        return number_test(random_, "time", 0, PHASES * STEPS, str)
    if choice in (1, 2):
        base = random_.choice([0, 0x80000000])
        return number_test(random_, "pc", base + 0x800, base + 0x5000, hexa)
    if choice == 3:
        return number_test(random_, "addr", 0, random_.choice([0x500000, 0xA00000]), hexa)
    if choice == 4:
        return number_test(random_, "pa", 0x10000, random_.choice([0xA0000, 0xA00000]), hexa)
    if choice == 5:
        return random_.choice(["cpu = cpu1", "cpu = cpu9", "cpu ~ cpu*", "cpu = 2", "cpu != 1", "cpu"])
    if choice == 6:
        return random_.choice(["kind = mem", "kind = note", "op = write", "kind != uop", "reg = x3",
                               "kind = insn", "data = 0x2000"])
    if choice in (7, 8):
        return number_test(random_, random_.choice(["record", "line"]), 0, 4 * PHASES * STEPS, str)
    if choice == 9:
        return f"not ({expression(random_, depth + 1)})"
    return (f"({expression(random_, depth + 1)}) {'and' if choice == 10 else 'or'} "
            f"({expression(random_, depth + 1)})")


def span(random_, most):
    a, b = sorted(random_.randint(0, most) for _ in range(2))
    return f"{a}:{min(b, a + random_.choice([0, 50, most]))}"


def selection(random_):
    """A verb and what it selects."""
    words = []
    verb = random_.choice(["print", "cut"] + SELECTING)
    if random_.random() < 0.7:
        words += ["--where", expression(random_)]
    if not words or random_.random() < 0.3:
        words += ["--records", span(random_, 4 * PHASES * STEPS)]
    if verb != "print":
        if random_.random() < 0.3:
            words += ["--time", span(random_, PHASES * STEPS)]
        if random_.random() < 0.3:
            words += ["--cpu", random_.choice(["cpu0", "cpu1", "2", "cpu7"])]
    return verb.split() + words


def sql(random_):
    """A query of one table by a place, an address or a range of them."""
    table, column = random_.choice([
        ("record", "record"), ("record", "line"), ("record", "time"), ("record", "addr"),
        ("record", "pa"), ("record", "pc"), ("insn", "pc"), ("mem", "addr"), ("mem", "pa"),
        ("uop", "addr"), ("uop", "pc"), ("tlb", "addr"), ("cacheop", "addr"), ("cacheop", "pa"),
        ("cache", "pa"), ("walk", "pa"), ("bus", "pa"), ("event", "pa")])
    phase, step = random_.randrange(PHASES), random_.randrange(STEPS)
    value = {"pc": 0x1000 * (phase + 1) + 4 * (step % 64), "record": step, "line": step,
             "time": phase * STEPS + step}.get(column, 0x200000 * (phase + 1) + 6464 * (step // 101))
    if table in ("mem", "uop") and column != "pc":
        value = 0x20000 * (phase + 1) + 8 * (step % 300)
    condition = random_.choice(["= {0}", "= {0}", ">= {0}", "< {0}", "between {0} and {0} + 100"])
    return ["sql", f"select count(*), min(record), max(record), sum(record) from {table} "
            f"where {column} {condition.format(value)}"]


def run(*words):
    done = subprocess.run([SPOOR, *words], capture_output=True)
    return done.returncode, done.stdout, done.stderr


def compare(path, random_, count):
    run("index", "-q", path)
    if not Path(str(path) + ".spoor-index").exists():
        sys.exit(f"{path}: has no index")
    for _ in range(count):
        words = selection(random_) + [random_.choice(["-j1", "-j3"]), path]
        if run(*words) != run(*words, "--no-index"):
            sys.exit(f"differs: {' '.join(map(str, words))}")
        verb, query = sql(random_)
        words = [verb, random_.choice(["-j1", "-j3"]), path, query]
        if run(*words) != run(*words, "--no-index"):
            sys.exit(f"differs: {' '.join(map(str, words))}")


def compare_cut(path, random_, format_):
    """A selection of a trace is counted as a trace that has nothing else."""
    cut = path.with_name("c" + path.suffix)
    words = ["--records", span(random_, 4 * PHASES * STEPS), "--where", "kind != note"]
    if run("cut", *words, "-o", cut, path)[0] != 0:
        return
    for verb in COUNTING:
        one = run(*verb.split(), "-f", format_, *words, path)[1].splitlines()
        other = run(*verb.split(), "-f", format_, cut)[1].replace(bytes(cut), bytes(path)).splitlines()
        if [line for line in one if not line.startswith(b"why")] != [
                line for line in other if not line.startswith(b"why")]:
            sys.exit(f"is not as its cut: {verb} {' '.join(words)} {path}")


def bytes_read(*words):
    """What the system counts of a process, before it is waited for."""
    with subprocess.Popen([SPOOR, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        lines = Path(f"/proc/{process.pid}/io").read_text().splitlines()
    return int(lines[0].split()[1])


def prove_skipping(path):
    """What is passed over is not read."""
    words = ["print", "-j1", "--where", f"time > {3 * STEPS + 100}", path]
    with_index, without = bytes_read(*words), bytes_read(*words, "--no-index")
    if with_index > without - path.stat().st_size // 4:
        sys.exit(f"nothing was passed over: {with_index} bytes were read, and {without} without the index")


def drmemtrace(path):
    """A trace that states the code of an instruction where it first ran, and again where a program
    has changed it; and windows of tracing: what is stated in one segment is known in all after it."""
    def entry(type_, size, value):
        return struct.pack("<HHQ", type_, size, value)
    header, thread, pid, marker, insn, encoding, read = 25, 22, 24, 28, 10, 47, 0
    content = [entry(header, 0, 7), entry(marker, 12, 7), entry(marker, 9, 0x40),
               entry(thread, 0, 42), entry(pid, 0, 42)]
    codes = [0x90, 0xC3, 0xCC, 0xF8, 0xF9, 0xFA]  # of one byte each
    stated = {}
    for i in range(12 * STEPS):
        pc = 0x400000 + i % 97 + i // STEPS
        if pc not in stated or i % 5000 == 4999:
            stated[pc] = codes[i % len(codes)]
            content.append(entry(encoding, 1, stated[pc]))
        content += [entry(insn, 1, pc), entry(read, 8, 0x7000 + i % 4096)]
        if i % 9000 == 8999:
            content.append(entry(marker, 14, i // 9000))
    path.write_bytes(b"".join(content))


def compare_entered(path):
    """Records of a part are the same, however the part is found."""
    run("index", "-q", path)
    segments = [line.split()[1] for line in run("index", "--show", path)[1].decode().splitlines()
                if line.startswith("segments ")]
    if not segments or int(segments[0]) < 2:
        sys.exit(f"{path}: has one segment: it cannot be entered")
    for words in (["--where", "pc = 0x400020"], ["--records", "90000:90500"], ["--where", "disasm = ret"],
                  ["--where", "kind = event"]):
        words = ["print", "--fields", "record,pc,opcode,disasm,op", *words, path]
        if run(*words) != run(*words, "--no-index") or not run(*words)[1]:
            sys.exit(f"differs: {' '.join(map(str, words))}")
    for at in 30000, 90000:  # rows, but for the status, which says what only an index knows
        words = ["browse", "--at", f"record:{at}", "--dump", "160x40", path]
        rows, other = (run(*words, *how)[1].splitlines() for how in ([], ["--no-index"]))
        if rows[:-2] != other[:-2] or len(rows) != 40 or b" line " in other[-2]:
            sys.exit(f"{path}: rows at record {at} differ without an index")


FORMATS = ("tarmac", tarmac), ("matcher", matcher), ("spike", spike), ("uop", uop)


def main():
    count = int(os.environ.get("SPOOR_POINTS", sys.argv[2] if len(sys.argv) > 2 else 1))
    random_ = random.Random(int(os.environ.get("SPOOR_SEED", "1")))
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = name
        for format_, lines_of in FORMATS[::3 if os.environ.get("SPOOR_SANITIZED") else 1]:
            path = make(Path(name), format_, lines_of)
            for other in compressed(path):
                compare(other, random_, count)
            if format_ != "spike":  # whose lines have several records: a cut changes them
                compare_cut(path, random_, format_)
            if format_ == "tarmac":
                prove_skipping(path)
        path = Path(name) / "t.memtrace"
        drmemtrace(path)
        compare_entered(path)


SPOOR = sys.argv[1]
main()

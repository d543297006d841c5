#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""memory.py SPOOR [--full]: the peak memory of spoor on inputs that are made to take much of it.

Each row is an input, a command, its exit code and the peak of its resident memory, which stays below
a limit, however large the input claims to be or becomes.  What holds something for each address takes at
most as many bytes for each as its manual page states.  What follows calls also takes time in proportion
to calls that never return: of four times the calls less than eight times.  Prints a table, then TAP.
--full: large inputs (1 GiB decompressed); else 64 MiB.
"""
import bz2
import gzip
import lzma
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

LINE = b"1 400000 -1 -1 3 - - - 8192 0 400004 0 AUIPC SAVE_PC\n"
MIB = 1 << 20
LIMIT = 192  # MiB, with up to 4 threads


def bombs(folder, size):
    """Small files that become large ones."""
    zeros, lines = b"\0" * MIB, LINE * (MIB // len(LINE))
    for name, opener in (("gz", gzip.open), ("xz", lzma.open), ("bz2", bz2.open)):
        with opener(folder / f"zeros.{name}", "wb") as file:
            for _ in range(size // MIB):
                file.write(zeros)
    with gzip.open(folder / "lines.uop.gz", "wb", compresslevel=1) as file:
        for _ in range(size // MIB):
            file.write(lines)


def make(folder, size):
    bombs(folder, size)
    rng = random.Random(20)
    (folder / "window.zst").write_bytes(bytes.fromhex("28b52ffd00b0310000" + "32203430300a"))
    (folder / "line").write_bytes(b"1 " + b"4" * size + b"\n")
    (folder / "random").write_bytes(rng.randbytes(8 * MIB))
    (folder / "names.uop").write_bytes(b"".join(
        b"1 %x -1 5 45 - - - 0 0 %x 0 M%d N%d\n" % (4194304 + 4 * i, 4194308 + 4 * i, i, i) for i in range(70000)))
    (folder / "far.uop").write_bytes(b"".join(
        b"1 %x -1 -1 3 - - - 8192 0 %x 0 AUIPC SAVE_PC\n" % (rng.getrandbits(62), rng.getrandbits(62)) for _ in range(20000)))
    (folder / "pages.din").write_bytes(b"".join(b"2 %x\n" % (rng.getrandbits(52) << 12) for _ in range(100000)))
    (folder / "plain.uop").write_bytes(LINE * 1000)
    for name, count in SCATTERED.items():
        (folder / name).write_bytes(b"".join(b"%d clk IT (%d) %08x d503201f O EL0t : nop\n" % (i, i, rng.getrandbits(30) * 4)
                                             for i in range(count)))
    with open(folder / "nested.tarmac", "wb") as file, open(folder / "quarter.tarmac", "wb") as quarter:
        for i in range(CALLS):
            at = 0x400000 + 8 * i
            line = b"%d clk cpu0 IT (%d) %08x:0000%08x_NS 94000002 O usr_ns : bl 0x%x\n" % (i, i, at, at, at + 8)
            file.write(line)
            if i < CALLS // 4:
                quarter.write(line)
    elf = bytearray((Path(__file__).resolve().parent.parent / "fuzz/seeds/image/x86-dwarf5").read_bytes())
    for at in range(64, len(elf) - 8, 97):
        elf[at:at + 8] = b"\xff\xff\xff\xff\xff\xff\xff\x7f"
    (folder / "image").write_bytes(elf)


COMMANDS = [
    "info -f uop zeros.gz", "info -f uop zeros.xz", "info -f uop zeros.bz2", "info -f tarmac zeros.gz",
    "check -f tarmac zeros.xz", "info lines.uop.gz", "convert -o out.zst lines.uop.gz",
    "convert -o out.xz -j2 lines.uop.gz", "diff lines.uop.gz lines.uop.gz", "profile --no-index lines.uop.gz",
    "index lines.uop.gz", "pipe lines.uop.gz", "print -f din window.zst", "info -f uop line", "print -f tarmac line",
    "check -f spike line", "info -f tarmac random", "info -f champsim random", "check -f cvp1 random",
    "info -f bt9 random", "info -f sbbt random", "mix names.uop", "diff names.uop names.uop", "state names.uop",
    "pipe far.uop", "pipe --limits --critical far.uop", "check far.uop", "coverage far.uop", "calls --no-index far.uop",
    "cache pages.din", "page --address-bits 64 --levels 40 pages.din", "cache --curve pages.din", "mix pages.din",
    "index pages.din", "cache --level l1:16G,8,64 plain.uop", "cache --sweep size=1K..16G,ways=1..1K plain.uop",
    "page --tlb 2G plain.uop", "branch -p gshare:bits=27 -p gshare:bits=40 plain.uop",
    "pipe --sweep rob=16..16384 --sweep memory=naive,perfect --sweep miss_latency_1=10,10000 --level l1:1K,2,32 plain.uop",
    "state --no-index --memory 0+100000000000 plain.uop", "profile --no-index --image image plain.uop",
]

# instructions far apart, and the bytes for each that the manual pages state
SCATTERED = {"few.tarmac": 100_000, "many.tarmac": 300_000}
GROWING = {"coverage --no-index": 260, "coverage --no-index --by address": 600, "annotate --no-index": 400}

# one million calls, none of which returns
CALLS = 1_000_000
NESTED = ["report -o out.html", "profile --flame --no-index", "profile --svg --no-index", "profile --perfetto --no-index",
          "profile --speedscope --no-index", "stack --no-index", "exceptions --no-index", "profile --no-index",
          "calls --no-index", "branch --hardest"]


def peak(spoor, words, folder):
    """(exit code, MiB, seconds of processor time)"""
    with open(os.devnull, "r+b") as nothing:
        child = subprocess.Popen([spoor, *words.split()], cwd=folder, stdin=nothing, stdout=nothing, stderr=nothing)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def main(words):
    spoor, size = str(Path(words[1]).resolve()), (1024 if "--full" in words else 64) * MIB
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        maker = os.fork()  # what this process takes before exec() would count as spoor's
        if maker == 0:
            make(Path(folder), size)
            os._exit(0)
        os.waitpid(maker, 0)
        for command in COMMANDS + [f"{verb} nested.tarmac" for verb in NESTED]:
            rows.append((command, *peak(spoor, command, folder)))
        growth = {verb: [peak(spoor, f"{verb} {name}", folder)[1] * MIB for name in SCATTERED] for verb in GROWING}
        quarters = {f"{verb} nested.tarmac": peak(spoor, f"{verb} quarter.tarmac", folder)[2] for verb in NESTED}
    good = {command: 0 <= code <= 5 and size < LIMIT and seconds < 8 * quarters.get(command, seconds) + 0.1
            for command, code, size, seconds in rows}
    for verb, (few, many) in growth.items():
        each = (many - few) / (SCATTERED["many.tarmac"] - SCATTERED["few.tarmac"])
        print(f"# {verb}: {each:.0f} bytes for each address")
        good[f"{verb}: at most {GROWING[verb]} bytes for each address"] = each <= GROWING[verb]
    print(f"# {'command':100} {'exit':>4} {'MiB':>6} {'s':>5}")
    for command, code, size, seconds in rows:
        print(f"# {command:100} {code:4} {size:6.1f} {seconds:5.2f}")
    print(f"1..{len(good)}")
    for number, command in enumerate(good, 1):
        print("ok" if good[command] else "not ok", number, "-", command)
    return not all(good.values())


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv))

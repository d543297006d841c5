#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""widths.py SPOOR ROOT: no line that a verb prints is wider than its terminal; prints TAP.

Every verb, and the options that change what it prints, on the shipped examples, on a terminal of 80 and
one of 120 columns.  NO_COLOR takes the colours, and nothing else.
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from built import fold_plugin
from schema_runs import FILES
from terminal import COLOR, plain, printed

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
A64, ELF = "sort-aarch64.tarmac.xz", "--image programs/sort-aarch64.elf"
UOP, BUS = "sort.uop.xz", "sort.byu12.xz"
RUNS = {
    "formats": ["", "uop"], "info": [UOP, A64, BUS, f"{UOP} {A64} {BUS}", "gap.tarmac"],
    "print": ["--fields record,pc,disasm -n 5 " + A64],
    "check": [f"{UOP} sort.din.xz", "-f uop damaged.uop", "two.tarmac fault.tarmac", "--list rules"],
    "diff": ["sort.tarmac.xz sort.matcher.xz", "sort.tarmac.xz list.tarmac.xz", "sort.uop.xz list.uop.xz",
             "--top 3 sort.uop.xz search.uop.xz", "-f uop one.uop other.uop"],
    "mix": [UOP, A64, BUS, f"--map {UOP}"],
    "cache": [UOP, f"{UOP} list.uop.xz", f"--sweep size=1K..64K {UOP}", f"--curve {UOP}",
              "--by-pc --by-region --by-set sort.lackey.xz", f"-l c:1K,2,32,prefetch=miss {UOP}"],
    "tlb": [UOP, f"--sweep entries=4,8 {UOP}"], "page": [UOP, f"--sweep frames=2,4 {BUS}"],
    "branch": [UOP, f"{UOP} list.uop.xz search.uop.xz matmul.uop.xz", f"-p gshare -p btb --hardest --compare --over-time {UOP}"],
    "pipe": [UOP, f"{UOP} list.uop.xz search.uop.xz", f"--limits --critical --timeline 100:120 {UOP}", f"--sweep rob=16,32,64 {UOP}",
             f"--preset five-stage --timeline 1:9 {A64}", "--list parameters"],
    "phases": [f"--interval 1000 {UOP}"],
    "state": [A64, f"-m 404000+40 {A64}", f"{A64} --diff record:100 record:200 -m 404000+40", f"{ELF} {A64}"],
    "who": [f"{A64} x0", f"--all {A64} x9", f"{ELF} {A64} 4040dc+4", f"{ELF} --all {A64} 4040dc+4"],
    "stack": [A64, f"--at line:9000 {A64}", f"{ELF} --at line:9000 {A64}"],
    "slice": [f"{A64} x0", f"{ELF} --at line:9000 {A64} x0", f"--forward --at line:90 {A64} x0"],
    "why": ["fault.tarmac"],
    "calls": [A64, f"--of 401060 {A64}", f"{ELF} --of partition --callers {A64}"],
    "profile": [A64, f"{ELF} --callers {A64}", f"{ELF} --by line {A64}", f"--by opcode {A64}"],
    "values": [A64], "fold": [f"{fold_plugin(SPOOR)} {A64}"],
    "strings": [A64, f"{ELF} {A64}", f"--min-length 2 {A64}"],
    "exceptions": [A64, "taken.tarmac", "fault.tarmac"],
    "coverage": [A64, f"{ELF} --by function {A64}", f"{ELF} --by line {A64}"],
    "annotate": [A64, f"{ELF} {A64} swap"], "stats": [f"bus {BUS}", "cache cache.tarmac", "tlb cache.tarmac",
                                                     "walk cache.tarmac"],
    "index": [f"--show {UOP}"], "help": ["", "expressions", "exit-codes", "fields", "--schema", "selection", "cache --all"],
    "sql": [f"{UOP} 'select * from uop limit 5'", f"{A64} 'select * from record limit 5'",
            f"{A64} 'select * from profile()'"],
    "sweep": ["--help"],
}
# These print a trace, a page, or the lines of another program; or wait for one.
OTHERS = {"convert", "describe", "cut", "merge", "vcd", "record", "report", "mcp", "new", "serve", "browse", "gdb"}


def verbs():
    listed = subprocess.run([SPOOR, "help", "--list", "verbs"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in listed.splitlines()[1:]]


def wide_lines(folder, words, columns):
    text = printed([SPOOR, *words], columns, folder)
    wrong = [f"{len(line)} columns: {line}" for line in plain(text).split("\n") if len(line) > columns][:2]
    return wrong + ["prints nothing"] * (not text.strip())


def main():
    names = verbs()
    print(f"1..{len(names) + 2}")
    failed = number = 0

    def expect(title, wrong):
        nonlocal failed, number
        number += 1
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {title}")
        print("".join(f"# {line}\n" for line in wrong), end="", flush=True)

    with tempfile.TemporaryDirectory(prefix="spoor-widths-") as place:
        folder = Path(place) / "examples"
        shutil.copytree(ROOT / "examples", folder, ignore=shutil.ignore_patterns("*.spoor-index"))
        for name, text in FILES.items():
            (folder / name).write_text(text)
        os.environ["XDG_CACHE_HOME"] = place
        for verb in names:
            runs = [] if verb in OTHERS else RUNS.get(verb)
            wrong = [] if runs is not None else ["no run of it is known"]
            for words in [*(runs or []), "--help"]:
                for columns in (80, 120):
                    found = wide_lines(folder, [verb, *shlex.split(words)], columns)
                    wrong += [f"spoor {verb} {words}, {columns}: {line}" for line in found]
            expect(f"spoor {verb}", wrong)
        wrong = []
        for verb, words in (("profile", A64), ("annotate", A64), ("check", "-f uop damaged.uop"), ("info", UOP),
                            ("diff", "sort.tarmac.xz list.tarmac.xz"), ("state", f"--at line:9000 {A64}")):
            command = [SPOOR, verb, *shlex.split(words)]
            printed(command, 80, folder)  # makes the index, whose gaps and notes come once
            colored = printed(command, 80, folder)
            without = printed(command, 80, folder, NO_COLOR="1")
            if not COLOR.search(colored) or COLOR.search(without) or plain(colored) != without:
                wrong.append(f"{verb} {words}: NO_COLOR prints another text, or no colour is printed without it")
        expect("NO_COLOR takes the colours alone", wrong)
        # a line that is too wide is found: every verb's text at 120 columns, held to 80
        wide = {verb for verb in names for words in (RUNS.get(verb) or []) if
                any(len(line) > 80 for line in plain(printed([SPOOR, verb, *shlex.split(words)], 120, folder)).split("\n"))}
        expect("120 columns are used", [] if len(wide) >= 12 else [f"only by {', '.join(sorted(wide))}"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nothing.py SPOOR ROOT: every verb that selects has exit code 5 where nothing matched; prints TAP.

Walks all verbs: each one whose help has --where, --records A:B or --time A:B is run with a selection
that accepts nothing, and has to say so on standard error.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

from built import fold_plugin

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
A64 = "sort-aarch64.tarmac.xz"
# What a verb needs besides the selection.
WORDS = {
    "print": [A64], "info": [A64], "check": [A64], "cut": [A64, "-o", "/dev/null"], "mix": [A64],
    "cache": [A64], "tlb": [A64], "page": [A64], "branch": [A64], "pipe": ["sort.uop.xz"],
    "state": ["--no-index", A64], "who": ["--no-index", A64, "x0"], "stack": ["--no-index", A64],
    "slice": ["--no-index", A64, "x0"], "calls": ["--no-index", A64], "profile": ["--no-index", A64],
    "exceptions": ["--no-index", A64], "coverage": ["--no-index", A64],
    "annotate": ["--no-index", A64], "vcd": [A64, "-o", "/dev/null"], "stats": ["bus", "sort.byu12.xz"],
    "report": [A64, "-o", "/dev/null"], "diff": [A64, A64], "phases": [A64], "strings": [A64], "values": [A64], "fold": [*fold_plugin(SPOOR).split(), A64],
    "why": ["--no-index", A64],
    "serve": ["--no-index", "--export", "/dev/null", A64],
}
SELECTIONS = {"where": "pc = 0x7", "records": "99999999:", "time": "99999999999:"}


def run(*words):
    return subprocess.run([SPOOR, *words], check=False, capture_output=True, text=True, timeout=120,
                          cwd=ROOT / "examples", stdin=subprocess.DEVNULL)


def verbs():
    return [line.split()[0] for line in run("help", "--list", "verbs").stdout.splitlines()[1:]]


def selections_of(verb):
    text = run("help", verb, "--all").stdout
    found = [name for name in ("records", "time") if re.search(rf"--{name} A:B", text)]
    return found + (["where"] if re.search(r"--where EXPR", text) else [])


def main():
    selecting = {verb: selections_of(verb) for verb in verbs()}
    selecting = {verb: names for verb, names in selecting.items() if names}
    print(f"1..{len(selecting) + 1}")
    unknown = sorted(set(selecting) ^ set(WORDS))
    print(f"{'not ok' if unknown else 'ok'} 1 - this test knows the verbs that select", *unknown)
    failed = bool(unknown)
    for number, (verb, names) in enumerate(selecting.items(), 2):
        wrong = []
        for name in names:
            if verb not in WORDS:
                continue
            done = run(verb, *WORDS[verb], f"--{name}", SELECTIONS[name])
            if done.returncode != 5 or not done.stderr.startswith("spoor: "):
                wrong.append(f"--{name}: exit code {done.returncode}, expected 5: {done.stderr.strip()[:200]}")
        failed |= bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {verb} --{' --'.join(names)}")
        print("".join(f"# {line}\n" for line in wrong), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

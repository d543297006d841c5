#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torture.py SPOOR INJECT [--full] [--only WORD]: let each call of spoor fail once.

Every verb reads a small trace of each format repeatedly.  In each run, inject.c makes one allocation,
read, write, open, mapping, thread, flush or rename fail, be short or be interrupted, or sends a signal
at it.  Each run must give the same result as without the failure, or print an error and return 3; a
file that it writes is the old one or the complete new one.

Without --full, the program makes a few of these runs and prints TAP.  With --full it makes all of
them and prints a table.  --only: the commands whose words contain WORD.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SEEDS = Path(__file__).resolve().parent.parent / "fuzz" / "seeds"
SMALL = 6000  # bytes of a trace
FILE = "out"  # what a command writes

# The verbs, as they do the most with one trace T.  A verb that is not here is run as it is.
COMMANDS = {
    "info": ["T"],
    "print": ["T", "--jsonl T", "--csv T", "-o out T"],
    "check": ["T", "--json T"],
    "mix": ["T", "--json T"],
    "cache": ["--by-pc --by-set --by-region T", "--level l1:1K,2,32 --json T"],
    "tlb": ["T"],
    "page": ["T"],
    "branch": ["T"],
    "pipe": ["T", "--timeline 0:20 T", "--kanata out T", "--o3pipeview out T"],
    "convert": ["-o out T", "-o out.gz T", "-o out.zst T", "-o out.xz T", "--lossy -t din -o out T"],
    "cut": ["--records 1:5 -o out T"],
    "merge": ["-o out T T"],
    "diff": ["T T", "--junit out --json T T", "--markdown out T T"],
    "coverage": ["T", "--by address T"],
    "vcd": ["-o out T"],
    "state": ["--no-index --at 3 T"],
    "who": [], "slice": [], "stack": [],  # each needs an address
    "stats": ["cache T"],
    "help": [], "formats": [""], "record": [], "gdb": [], "gdbserver": [], "index": [], "serve": [],
    "browse": [],
}
# What fails, how, and with how many threads: all that is done with --full.
ALLOCATIONS = [("malloc:12", 1), ("malloc:12", 2)]
INPUTS = [("read:5", 1), ("read:short", 1), ("read:again", 1), ("open:13", 1), ("mmap:12", 1),
          ("thread:11", 2), ("read:5", 2), ("read:short", 2)]
OUTPUTS = [("write:28", 1), ("write:short", 1), ("write:again", 1), ("sync:5", 1), ("rename:13", 1)]
SIGNALS = [("io:kill", 1), ("io:int", 1), ("io:term", 1), ("io:hup", 1)]
LIGHT = {"formats": ("uop", "tarmac", "din"), "malloc": 61, "io": 3}


def traces(spoor, only=None):
    """(format, file): a small seed of each format."""
    listed = subprocess.run([spoor, "formats", "--json"], capture_output=True, check=True).stdout
    names = {name.replace("-", "_"): name for name in re.findall(r'"name": *"([^"]+)"', listed.decode())}
    for folder in sorted(SEEDS.iterdir()):
        if folder.name.replace("-", "_") not in names or (only and folder.name not in only):
            continue
        seeds = sorted((seed for seed in folder.iterdir() if 0 < seed.stat().st_size <= SMALL),
                       key=lambda seed: -seed.stat().st_size)
        if seeds:
            yield names[folder.name.replace("-", "_")], seeds[0]


def verbs(spoor):
    words = subprocess.run([spoor, "help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z]\w*) ", words[words.index("Verbs:"):words.index("Examples:")], re.M)


def commands(spoor):
    for verb in verbs(spoor):
        for words in COMMANDS.get(verb, ["T"]):
            yield verb, words


class Torture:
    def __init__(self, spoor, inject):
        self.spoor, self.inject = str(Path(spoor).resolve()), str(Path(inject).resolve())
        self.totals = collections.Counter()
        self.findings = []

    def run(self, verb, words, name, seed, what, threads, step=1, named=False):
        """All failures of one kind; the number of runs."""
        with tempfile.TemporaryDirectory() as directory:
            trace = Path(directory) / "t.trace"
            trace.write_bytes(seed.read_bytes())
            report = Path(directory) / "report"
            command = [self.spoor, verb, *(f"-j{threads}", "-f", name)[:1 if verb == "formats" else 3],
                       *words.replace("T", "t.trace").split()]
            output = next((word for word in command if word.split(".")[0] == FILE), None)
            environment = dict(os.environ, LD_PRELOAD=self.inject, INJECT=f"{what}:{step}",
                               INJECT_REPORT=str(report), XDG_CACHE_HOME=directory)
            if output:
                environment["INJECT_FILE"] = output
            if named:
                environment["INJECT_NAMED"] = "1"
            subprocess.run(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            lines = report.read_text().splitlines() if report.exists() else ["runs 0 findings 1 status 99"]
            last = re.match(r"runs (\d+) findings (\d+)", lines[-1])
            key = f"{what} -j{threads}" + (" named" if named else "")
            self.totals[key, "runs"] += int(last[1])
            self.totals[key, "findings"] += int(last[2])
            where = f"{' '.join(command[1:])} ({name}, {key})"
            found = [f"{where}: {line}" for line in lines[:-1]]
            strays = [path.name for path in Path(directory).iterdir() if path.name.startswith(".spoor-")]
            if strays and not what.endswith("kill"):
                found.append(f"{where}: finding: left {strays}")
                self.totals[key, "findings"] += 1
            if int(last[2]) and not found:
                found.append(f"{where}: finding: could not be run")
            self.findings += found
            return int(last[1])

    def whole(self, only):
        for name, seed in traces(self.spoor):
            for verb, words in commands(self.spoor):
                if only and only not in f"{verb} {words} {name}":
                    continue
                for what, threads in ALLOCATIONS + INPUTS:
                    self.run(verb, words, name, seed, what, threads)
                if FILE in words:
                    for named in (False, True):
                        for what, threads in OUTPUTS + SIGNALS:
                            self.run(verb, words, name, seed, what, threads, named=named)
            print(f"{name}: {self.sum('runs')} runs, {self.sum('findings')} findings so far", flush=True)

    def sum(self, what):
        return sum(count for (_, kind), count in self.totals.items() if kind == what)

    def table(self):
        print(f"{'failing call':24} {'runs':>9} {'findings':>9}")
        for key in sorted({key for key, _ in self.totals}):
            print(f"{key:24} {self.totals[key, 'runs']:9} {self.totals[key, 'findings']:9}")
        print(f"{'all':24} {self.sum('runs'):9} {self.sum('findings'):9}")


def light(torture):
    """A sample of all that: one TAP line for each verb."""
    seeds = list(traces(torture.spoor, LIGHT["formats"]))
    todo = list(commands(torture.spoor))
    print(f"1..{len(todo)}")
    for number, (verb, words) in enumerate(todo):
        name, seed = seeds[number % len(seeds)]
        before = len(torture.findings)
        torture.run(verb, words, name, seed, "malloc:12", 1, LIGHT["malloc"])
        if FILE in words:
            torture.run(verb, words, name, seed, "io:kill", 1, LIGHT["io"], named=number % 2 == 0)
            torture.run(verb, words, name, seed, "write:28", 1, LIGHT["io"])
        found = torture.findings[before:]
        print("not ok" if found else "ok", f"{number + 1} - {verb} {words}")
        for line in found:
            print("#", line)


def main(words):
    full = "--full" in words
    only = words[words.index("--only") + 1] if "--only" in words else None
    torture = Torture(words[1], words[2])
    if not full:
        light(torture)
        return bool(torture.findings)
    torture.whole(only)
    print(*torture.findings, sep="\n")
    torture.table()
    return bool(torture.findings)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torture.py SPOOR INJECT [--full] [--only WORD] [--slice I/N]: let each call of spoor fail once.

Every verb reads a small trace of each format repeatedly.  In each run, inject.c makes one allocation,
read, write, open, mapping, thread, flush or rename fail, be short or be interrupted, or sends a signal
at it, or truncates, changes or replaces the trace at a read.  Each run must give the same result as
without the failure, or print an error and return 3; a file that it writes is the old one or the
complete new one.  With -j1 no verb starts a thread.

Without --full, the program makes a few of these runs and prints TAP.  With --full it makes all of
them and prints a table.  --only: the commands whose words contain WORD.  --slice: of all pairs of a
command and a format, those with the numbers I, I + N, ...
"""
import collections
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SEEDS = Path(__file__).resolve().parent.parent / "fuzz" / "seeds"
SMALL = 6000  # bytes of a trace
FILE = "out"  # what a command writes

# The verbs, as they do the most with one trace T; U is a copy of it, V one that differs, {pc},
# {address} and {register} are of the trace.  A command whose trace has none is left out.  A verb
# that is not here is run with T alone.
COMMANDS = {
    "info": ["T", "--quick T"],
    "print": ["T", "--jsonl T", "--csv T", "-o out T", "--where 'record > 1' --fields record,kind T"],
    "check": ["T", "--json T"],
    "mix": ["T", "--json T"],
    "cache": ["--by-pc --by-set --by-region T", "--level l1:1K,2,32,victim=4,prefetch=stream --json T",
              "--level l1:1K,2,32,policy=opt T", "--sweep size=1K..2K,ways=1..2 T",
              "--sweep size=1K..2K,policy=ship --csv T", "--curve T", "--curve --rate 0.5 T"],
    "tlb": ["T", "--level dtlb:16,4,4K,policy=random --json T"],
    "page": ["--address-bits 64 --levels 20,20 T", "--address-bits 64 --levels 40 --frames 2 --tlb 4 T",
             "--address-bits 64 --levels 40 --frames 2 --replace opt T"],
    "branch": ["T", "--hardest --over-time T", "--compare -p bimodal -p gshare T"],
    "pipe": ["T", "--timeline 0:20 T", "--kanata out T", "--o3pipeview out T", "--limits --critical T",
             "--set memory=store-sets --level l1:1K,2,32 --predictor gshare --json T",
             "--sweep rob=16..32 --sweep memory=naive,perfect --csv T"],
    "convert": ["-o out T", "-o out.gz T", "-o out.zst T", "-o out.xz T", "-o out.bz2 T", "-o out.lz4 T",
                "-o out.spoor T",
                "--lossy -t din -o out T"],
    "cut": ["--records 1:5 -o out T", "--stuck -o out T"],
    "merge": ["-o out T U"],
    "diff": ["T U", "T V", "--junit out --json T V", "--markdown out T V", "--by-record T V"],
    "coverage": ["T", "--by address T", "--image I --lcov out T"],
    "vcd": ["-o out T", "--like ttu -o out T"],
    "state": ["--no-index --at record:3 T", "--no-index --memory all T", "T"],
    "who": ["--no-index T {register}", "--no-index --all T {address}"],
    "slice": ["--no-index T {register}", "--no-index --forward --at record:1 T {address}"],
    "stack": ["--no-index T"],
    "calls": ["--no-index T", "--no-index --json T"],
    "profile": ["--no-index T", "--no-index --by opcode T", "--no-index --cache l1:1K,2,32 T",
                "--no-index --branch bimodal --image I T", "--compare --no-index T V"],
    "flame": ["--no-index T", "--no-index --svg -o out T", "--no-index --speedscope -o out T",
              "--no-index --perfetto -o out T"],
    "exceptions": ["--no-index T", "--no-index --all T"],
    "annotate": ["--no-index T", "--no-index --misses l1:1K,2,32 --csv T"],
    "gdbserver": ["--no-index --stdio T"],
    "gdb": ["--gdb /bin/true T"],
    "stats": ["cache T", "bus T", "tlb T", "walk T", "cache --against l1:1K,2,32 T"],
    "sql": ["--no-index T 'select * from record limit 3'",
            "--no-index T 'select count(*), pc from instruction group by pc'",
            "--no-index --json T 'select * from state()'"],
    "index": ["T", "--show T"],
    "browse": ["--no-index --dump 80x24 T", "--dump 80x24 --at record:3 --keys jj T",
               "--dump 80x24 --image I --keys jj T V"],
    "record": ["-q --limit 500 -o out -- /bin/true", "-q --limit 500 -o out.zst -- /bin/true"],
    "help": [], "formats": [""], "serve": [],
    "report": [],  # does not heed all memory that runs out yet
}
# A session of GDB on standard input.
PACKETS = ["qSupported:multiprocess+", "?", "g", "m0,8", "s", "bs", "c", "qXfer:threads:read::0,fff", "D"]
# What fails, how, and with how many threads: all that is done with --full.
ALLOCATIONS = [("malloc:12", 1), ("malloc:12", 2)]
INPUTS = [("read:5", 1), ("read:short", 1), ("read:again", 1), ("open:13", 1), ("mmap:12", 1),
          ("thread:11", 2), ("read:5", 2), ("read:short", 2)]
CHANGES = [(f"trace:{how}", threads) for how in ("shrink", "change", "replace") for threads in (1, 2)]
OUTPUTS = [("write:28", 1), ("write:short", 1), ("write:again", 1), ("sync:5", 1), ("rename:13", 1)]
SIGNALS = [("io:kill", 1), ("any:kill", 1), ("any:kill", 2), ("io:int", 1), ("io:term", 1), ("io:hup", 1)]
HUNDRED = 0  # a step: about a hundred runs
LIGHT = {"formats": ("uop", "tarmac", "din"), "malloc": 61, "io": 3, "kill": 97}


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


def names_of(spoor, name, seed):
    """What a command may ask of the trace: {pc}, {address}, {register}."""
    found = {}
    out = subprocess.run([spoor, "print", "-q", "-f", name, "--jsonl", seed], capture_output=True,
                         check=False).stdout
    for line in out.decode(errors="replace").splitlines():
        record = json.loads(line)
        for key, field in (("pc", "pc"), ("address", "addr"), ("register", "reg")):
            if field in record and key not in found:
                found[key] = re.sub("^0x", "", str(record[field]))
    return found


def packet(words):
    return f"${words}#{sum(words.encode()) % 256:02x}"


class Torture:
    def __init__(self, spoor, inject):
        self.spoor, self.inject = str(Path(spoor).resolve()), str(Path(inject).resolve())
        self.totals = collections.Counter()
        self.findings = []
        self.names = {}

    def prepare(self, directory, seed):
        """The files of a run; the path of its trace."""
        content = seed.read_bytes()
        for name in ("t.trace", "u.trace"):
            (directory / name).write_bytes(content)
        middle = content.rfind(b"\n", 0, len(content) // 2 + 1) + 1
        (directory / "v.trace").write_bytes(content[:middle] + content[2 * middle // 3:])
        (directory / "image").write_bytes((SEEDS / "image" / "x86-dwarf5").read_bytes())
        (directory / "input").write_text("+" + "+".join(packet(words) for words in PACKETS))
        return directory / "t.trace"

    def words(self, verb, words, name, seed, threads):
        """The command; None: it asks for what the trace does not have."""
        if name not in self.names:
            self.names[name] = names_of(self.spoor, name, seed)
        try:
            words = shlex.split(words.format(**self.names[name]))
        except KeyError:
            return None
        files = {"T": "t.trace", "U": "u.trace", "V": "v.trace", "I": "image"}
        options = [] if verb == "formats" else [f"-j{threads}"]
        if verb not in ("formats", "record"):
            options += ["-f", name]
        return [self.spoor, verb, *options, *(files.get(word, word) for word in words)]

    def run(self, verb, words, name, seed, what, threads, step=1, named=False):
        """All failures of one kind; the number of runs."""
        command = self.words(verb, words, name, seed, threads)
        if not command:
            return 0
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder)
            trace = self.prepare(directory, seed)
            report = directory / "report"
            output = next((word for word in command if word.split(".")[0] == FILE), None)
            if verb == "index":
                output = "t.trace.spoor-index"
            environment = dict(os.environ, LD_PRELOAD=self.inject, INJECT=f"{what}:{step}", HOME="",
                               INJECT_REPORT=str(report), XDG_CACHE_HOME="/dev/null/none")
            if output:
                environment["INJECT_FILE"] = output
            if what.startswith("trace"):
                environment["INJECT_TRACE"] = str(trace)
                environment["INJECT"] += ":2"  # before the first read, it is another one from the start
            if named:
                environment["INJECT_NAMED"] = "1"
            with open(directory / "input", "rb") as given:
                subprocess.run(command, cwd=directory, env=environment, stdin=given,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            lines = report.read_text(errors="replace").splitlines() if report.exists() else []
            last = re.match(r"runs (\d+) findings (\d+)", lines[-1] if lines else "")
            runs, count = (int(last[1]), int(last[2])) if last else (0, 1)
            key = f"{what} -j{threads}" + (" named" if named else "")
            where = f"{' '.join(command[1:])} ({name}, {key})"
            found = [f"{where}: {line}" for line in lines[:-1]]
            strays = [path.name for path in directory.iterdir() if path.name.startswith(".spoor-")]
            if strays and not what.endswith("kill"):
                found.append(f"{where}: finding: left {strays}")
                count += 1
            if count and not found:
                found.append(f"{where}: finding: could not be run")
            self.totals[key, "runs"] += runs
            self.totals[key, "findings"] += count
            self.findings += found
            return runs

    def no_thread(self, verb, words, name, seed):
        """With -j1 no thread is started."""
        if self.run(verb, words, name, seed, "thread:11", 1):
            self.findings.append(f"{verb} {words} ({name}): finding: -j1 starts a thread")
            self.totals["thread:11 -j1", "findings"] += 1

    def all_of(self, verb, words, name, seed):
        if verb != "record":
            self.no_thread(verb, words, name, seed)
            for what, threads in ALLOCATIONS + INPUTS:
                self.run(verb, words, name, seed, what, threads)
        if re.search(r"\bT\b", words):
            for what, threads in CHANGES:
                self.run(verb, words, name, seed, what, threads)
        if FILE in words or verb == "index":
            for named in (False, True):
                for what, threads in OUTPUTS + SIGNALS:
                    step = HUNDRED if what.endswith("kill") else 1
                    self.run(verb, words, name, seed, what, threads, step, named)

    def whole(self, only, part):
        first, parts = (int(number) for number in part.split("/")) if part else (0, 1)
        tasks = [(verb, words, name, seed) for verb, words in commands(self.spoor)
                 for name, seed in traces(self.spoor)
                 if not only or only in f"{verb} {words} {name}"]
        once = ("record", "formats", "sql")  # not of a format, or, as sql, mostly SQLite's own
        tasks = [task for task in tasks if task[0] not in once or task[2] == "uop"]
        for verb, words, name, seed in tasks[first::parts]:
            before = len(self.findings)
            self.all_of(verb, words, name, seed)
            print(*self.findings[before:], sep="\n", end="\n" * (len(self.findings) > before), flush=True)

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
        torture.no_thread(verb, words, name, seed)
        if FILE in words:
            torture.run(verb, words, name, seed, "any:kill", 1, LIGHT["kill"], named=number % 2 == 0)
            torture.run(verb, words, name, seed, "write:28", 1, LIGHT["io"])
        found = torture.findings[before:]
        print("not ok" if found else "ok", f"{number + 1} - {verb} {words}")
        for line in found:
            print("#", line)


def value_of(words, option):
    return words[words.index(option) + 1] if option in words else None


def main(words):
    torture = Torture(words[1], words[2])
    if "--full" not in words:
        light(torture)
        return bool(torture.findings)
    torture.whole(value_of(words, "--only"), value_of(words, "--slice"))
    torture.table()
    return bool(torture.findings)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv))

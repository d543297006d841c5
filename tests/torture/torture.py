#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torture.py SPOOR INJECT [--full [--places FOLDER] | --kill] [--only WORD] [--slice I/N]: let calls fail.

Every verb reads a small trace of each format repeatedly.  In each run, inject.c makes one allocation,
read, write, open, mapping, thread, flush or rename fail, be short or be interrupted, or sends a signal
at it, or truncates, changes or replaces the trace at a read.  Each run must give the same result as
without the failure, or print an error and return 3; a file that it writes is the old one or the
complete new one; no process is left.  With -j1 no verb starts a thread.

INJECT is the library to preload, or "-" where SPOOR is linked with inject.c itself: a sanitizer's
program, of which only allocations fail.

Without an option, the program makes a few of these runs and prints TAP.
--full makes all of them and prints a table: every call but two kinds.  Allocations, reads, openings
    and mappings: of those with the same callers (24 of them) the first, second, fourth, ... in a run,
    and each of these in three runs of all, so that other formats and numbers of threads repeat what
    they share three times.  SIGKILL at calls that change no file: at a hundred, with one format.
    --only: the commands whose words contain WORD.  --slice: of all pairs of a command and a format,
    those with the numbers I, I + N, ...  --places: count the places in this folder, for several slices
    together.
--kill kills each verb that writes a file at SPOOR_KILL_POINTS (4) of its calls and prints TAP; with
    100 and more, with and without files that have no name, with one and two threads.  --only and
    --slice choose among these verbs.
"""
import collections
import concurrent.futures
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
PROBED = 128  # a shorter trace is repeated: verbs look at its first 64 bytes before they read it
FILE = "out"  # what a command writes
INDEX = "+index"  # a word of a command that finds an index
SWEPT = "+swept"  # a word of a command that finds results of the study
UOP = "1 400000 -1 -1 3 - - - 8192 0 400004 0 AUIPC SAVE_PC\n" * 3
STUDY, RESULTS = "study.json", "study.results"
STRAYS = (".spoor-*", "*.tmp")  # names of files while they are written
# Commands that store an index in the user's cache folder.
INDEXING = {(verb, words) for verb in ("state", "stack", "why", "profile", "who", "slice", "index")
            for words in ("T", "T {register}")}

# The verbs, as they do the most with one trace T; U is a copy of it, V one that differs, {pc},
# {address} and {register} are of the trace.  A command whose trace has none is left out.  A verb
# that is not here is run with T alone.
COMMANDS = {
    "info": ["T", "--quick T", "--json -o out T"],
    "print": ["T", "--jsonl T", "--csv T", "-o out T", "--where 'record > 1' --fields record,kind T"],
    "check": ["T", "--json T", "--junit out T"],
    "mix": ["T", "--json T", "--plot out.svg T"],
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
                "-o out.spoor T", "-t parquet -o out T",
                "--lossy -t din -o out T"],
    "cut": ["--records 1:5 -o out T", "+index --records 1:5 -o out T", "--stuck -o out T"],
    "merge": ["-o out T U", "-o out.spoor T U", "-o out.zst T V", "--no-index -o out.spoor T U V"],
    "diff": ["T U", "T V", "--junit out --json T V", "--markdown out T V", "--html out T V", "--by-record T V"],
    "phases": ["T", "--simpoints out --bbv out2 T"],
    "coverage": ["T", "--by address T", "--image I --lcov out T", "--drcov out T"],
    "report": ["T", "-o out T U", "--image I T"],
    "vcd": ["T", "-o out T", "-o out.gz T", "--like ttu -o out T", "--image I -o out T",
            "--where 'record > 1' -o out T"],
    "state": ["--no-index --at record:3 T", "--no-index --memory all T", "T", "+index T"],
    "who": ["--no-index T {register}", "+index T {register}", "T {register}", "--no-index --all T {address}",
            "--no-index --next --before record:1 --csv -o out T {register}"],
    "slice": ["--no-index T {register}", "+index T {register}", "T {register}",
              "--no-index --forward --at record:1 T {address}",
              "--no-index --image I --json -o out T {register}"],
    "stack": ["--no-index T", "+index T", "T", "--no-index --at record:3 --image I --csv -o out T"],
    "why": ["--no-index T", "+index T", "T", "--no-index --depth 0 --at record:3 --image I --json -o out T"],
    "calls": ["--no-index T", "--no-index --json T"],
    "profile": ["--no-index T", "T", "+index T", "--no-index --by opcode T", "--no-index --cache l1:1K,2,32 T",
                "--no-index --branch bimodal --image I T", "--compare --no-index T V",
                "--flame --no-index T", "--svg --no-index -o out T", "--speedscope --no-index -o out T",
                "--perfetto --no-index -o out T"],
    "exceptions": ["--no-index T", "--no-index --all T"],
    "annotate": ["--no-index T", "--no-index --cache l1:1K,2,32 --csv T"],
    "gdb": ["--gdb /bin/true T", "--serve --no-index T"],
    "stats": ["cache T", "bus T", "tlb T", "walk T", "cache --level l1:1K,2,32 T"],
    "sql": ["--no-index T 'select * from record limit 3'",
            "--no-index T 'select count(*), pc from instruction group by pc'",
            "--no-index --json T 'select * from state()'",
            "T 'select count(*) from record where record > 1'", "+index T 'select * from record limit 3'",
            "--no-index --csv -o out T U 'select count(*) from t1.record, t2.record'",
            "--no-index --parquet -o out T 'select record, kind from record'"],
    "index": ["T", "--show T", "+index --verify T"],
    "sweep": ["-q --retry-failed study.json", "--plan --json study.json", "--status study.json",
              "+swept --status study.json", "+swept --collect --csv study.json",
              "+swept --collect --html out study.json", "+swept --collect --json -o out study.json",
              "+swept --collect --database out study.json", "--engine parallel -o out study.json"],
    "browse": ["--no-index --dump 80x24 T", "--dump 80x24 --at record:3 --keys jj T",
               "--dump 80x24 --image I --keys jj T V"],
    "new": ["predictor mine"],
    "record": ["-q --limit 500 -o out -- /bin/true", "-q --limit 500 -o out.zst -- /bin/true"],
    "serve": [f"--no-index --get api/{words}" for words in (
        "rows?count=5 T", "rows?text=a T", "state?record=2 T", "stack?record=2 T", "timeline?width=20 T",
        "place?words=record:2 T")],
    "help": [], "formats": [""], "fold": [],  # it needs a plug-in
}
# A session of GDB on standard input.
PACKETS = ["qSupported:multiprocess+", "?", "g", "m0,8", "s", "bs", "c", "qXfer:threads:read::0,fff", "D"]
# What fails and how (inject.h), with one thread and with two: all that is done with --full.
INPUTS = {1: "malloc:12:places,read:5:places,read:short:places,read:again:places,open:13:places,mmap:12:places",
          2: "malloc:12:places,thread:11,read:5:places,read:short:places"}
# Before its first read the trace may be another one: then it was so from the start.
CHANGES = "trace:shrink:places:2,trace:change:places:2,trace:replace:places:2"
OUTPUTS = "write:28,write:short,write:again,sync:5,rename:13,io:kill,io:int"
KILLS = {1: "any:kill:~100,io:term,io:hup", 2: "any:kill:~100"}  # with one format
ONE, TIMED, NAMING = "uop", "tarmac", "spike"  # merge needs times; who and slice registers
# A call that fails may leak; memory that is used wrongly ends the program by a signal.
SANITIZER = "detect_leaks=0:abort_on_error=1"
# Verbs that print what is wrong with a trace, and their word for one that was cut.
SHOWN = {"check": "a whole block", "browse": "damaged"}
# A failed allocation once corrupted the heap here.
CORRUPTED = ("cache", "--by-pc --by-set --by-region T")
SANITIZED = 10  # a sanitizer is slow: every tenth command
LIGHT = {"formats": ("uop", "tarmac", "din", "spoor"), "malloc": 61, "io": 3}


def traces(spoor, where, only=None):
    """(format, file): a small seed of each format; that of .spoor files is made in the folder `where`."""
    listed = subprocess.run([spoor, "formats", "--json"], capture_output=True, check=True).stdout
    names = {name.replace("-", "_"): name for name in re.findall(r'"name": *"([^"]+)"', listed.decode())}
    for folder in sorted(SEEDS.iterdir()):
        if folder.name.replace("-", "_") not in names or (only and folder.name not in only):
            continue
        seeds = sorted((seed for seed in folder.iterdir() if 0 < seed.stat().st_size <= SMALL),
                       key=lambda seed: -seed.stat().st_size)
        if seeds and folder.name == "spoor":
            made = where / "seed.spoor"
            subprocess.run([spoor, "convert", "-q", "-f", "tarmac", "-o", made, folder / "tarmac"], check=True)
            seeds = [made]
        if seeds:
            yield names[folder.name.replace("-", "_")], seeds[0]


def verbs(spoor):
    words = subprocess.run([spoor, "help", "--list", "verbs"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in words.splitlines()[1:]]


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
    def __init__(self, spoor, inject, folder):
        self.spoor = str(Path(spoor).resolve())
        self.inject = None if inject == "-" else str(Path(inject).resolve())
        self.seen = str(Path(folder) / "seen")
        self.folder = Path(folder)
        self.totals = collections.Counter()
        self.prints = False  # findings, at once
        self.findings = []
        self.names = {}

    def prepare(self, directory, seed):
        """The files of a run; the path of its trace."""
        content = seed.read_bytes()
        content *= -(-PROBED // len(content))
        for name in ("t.trace", "u.trace"):
            (directory / name).write_bytes(content)
        middle = content.rfind(b"\n", 0, len(content) // 2 + 1) + 1
        (directory / "v.trace").write_bytes(content[:middle] + content[2 * middle // 3:])
        (directory / "image").write_bytes((SEEDS / "image" / "x86-dwarf5").read_bytes())
        (directory / "input").write_text("+" + "+".join(packet(words) for words in PACKETS))
        os.utime(directory / "t.trace", (1e9, 1e9))  # as inject.c restores it
        (directory / "good.uop").write_text(UOP)
        (directory / STUDY).write_text(json.dumps({"traces": ["good.uop"], "runs": [{"verb": "info"}]}))
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
        if verb not in ("formats", "record", "sweep"):
            options += ["-f", name]
        return [self.spoor, verb, *options, *(files.get(word, word) for word in words)]

    def environment(self, directory, verb, command, trace, named):
        """What inject.c reads."""
        output = next((word for word in command if word.split(".")[0] == FILE), None)
        names = {"LD_PRELOAD": self.inject} if self.inject else {"ASAN_OPTIONS": SANITIZER}
        # what `index` cannot store beside the trace it stores in the cache folder
        cache = "/dev/null/none" if verb == "index" else str(directory / "cache")
        names |= {"INJECT_REPORT": str(directory / "report"), "INJECT_SEEN": self.seen,
                 "INJECT_TRACE": str(trace), "HOME": "", "XDG_CACHE_HOME": cache}
        if verb in SHOWN:
            names["INJECT_SHOWS"] = SHOWN[verb]
        if output:
            names["INJECT_FILE"] = output
            if verb == "diff":
                names["INJECT_TELLS"] = "unreadable"
            elif "--junit" in command:
                names["INJECT_TELLS"] = "<testsuite "
        elif INDEX not in command and "--no-index" not in command and verb != "formats":
            file = self.made_trace_file(directory, command)
            if file:
                names["INJECT_FILE"] = file
                names["INJECT_ABSENT" if verb in ("index", "sweep") else "INJECT_OPTIONAL"] = "1"
        if named:
            names["INJECT_NAMED"] = "1"
        return dict(os.environ, **names)

    def made_trace_file(self, directory, command):
        """What the command stores unnamed: an index, or the result of a cell.  It is removed."""
        environment = dict(os.environ, HOME="", XDG_CACHE_HOME=str(directory / "cache"))
        with open(directory / "input", "rb") as given:
            subprocess.run([word for word in command if word != SWEPT], cwd=directory, env=environment,
                           stdin=given, capture_output=True, check=False)
        made = [*directory.rglob("*.spoor-index"), *(directory / RESULTS).rglob("*.json")]
        for path in made:
            path.unlink()
        return str(made[0].relative_to(directory)) if made else None

    def run(self, verb, words, name, seed, failures, threads, named=False):
        """All these failures; the number of runs."""
        command = self.words(verb, words, name, seed, threads)
        if not command:
            return 0
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder)
            trace = self.prepare(directory, seed)
            environment = self.environment(directory, verb, command, trace, named)
            if INDEX in command:
                command.remove(INDEX)
                subprocess.run([self.spoor, "index", "-q", "-f", name, trace], capture_output=True, check=False)
            if SWEPT in command:
                command.remove(SWEPT)
                subprocess.run([self.spoor, "sweep", "-q", STUDY], cwd=directory, capture_output=True, check=False)
            with open(directory / "input", "rb") as given:
                subprocess.run(command, cwd=directory, env=dict(environment, INJECT=failures), stdin=given,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            report = directory / "report"
            lines = report.read_text(errors="replace").splitlines() if report.exists() else []
            strays = [path.name for stray in STRAYS for path in directory.rglob(stray)]
        where = f"{' '.join(command[1:])} ({name}{', named' if named else ''})"
        if strays and "kill" not in failures:
            lines.insert(0, f"finding: left {strays}")
        return self.add(where, lines, threads, named)

    def add(self, where, lines, threads, named):
        """Adds what inject.c reported; the number of runs."""
        runs, findings = 0, []
        for line in lines:
            row = re.match(r"runs (\S+) (\d+) findings (\d+)", line)
            if row:
                key = f"{row[1]} -j{threads}" + (" named" if named else "")
                self.totals[key, "runs"] += int(row[2])
                self.totals[key, "findings"] += int(row[3])
                runs += int(row[2])
            elif not line.startswith("status"):
                findings.append(f"{where}: {line}")
        last = re.match(r"status \w+ threads (\d+)", lines[-1] if lines else "")
        if not last:
            findings.append(f"{where}: finding: could not be run")
            self.totals["could not be run", "findings"] += 1
        elif threads == 1 and int(last[1]):
            findings.append(f"{where}: finding: -j1 starts a thread")
            self.totals["-j1 starts a thread", "findings"] += 1
        self.findings += findings
        if self.prints:
            print(*findings, sep="\n", end="\n" * bool(findings), flush=True)
        return runs

    def all_of(self, verb, words, name, seed):
        if not self.inject:
            self.run(verb, words, name, seed, "malloc:12:places", 1)
            return
        changes = "," + CHANGES if re.search(r"\bT\b", words) else ""
        for threads, failures in INPUTS.items():
            self.run(verb, words, name, seed, failures + changes, threads)
        if is_writer(verb, words):
            for named in (False, True):
                self.run(verb, words, name, seed, OUTPUTS, 1, named)
                for threads in KILLS if name == format_of(verb, words) else ():
                    self.run(verb, words, name, seed, KILLS[threads], threads, named)

    def whole(self, only, part):
        self.prints = True
        first, parts = numbers_of(part)
        seeds = list(traces(self.spoor, self.folder))
        tasks = [(verb, words, name, seed) for verb, words in commands(self.spoor)
                 for name, seed in seeds
                 if not only or only in f"{verb} {words} {name}"]
        once = ("record", "formats", "sql", "sweep")  # not of a format, or, as sql, mostly SQLite's own
        tasks = [task for task in tasks if task[0] not in once or task[2] == ONE]
        for name, seed in seeds:
            self.names[name] = names_of(self.spoor, name, seed)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for future in [pool.submit(self.all_of, *task) for task in tasks[first::parts]]:
                future.result()

    def sum(self, what):
        return sum(count for (_, kind), count in self.totals.items() if kind == what)

    def table(self):
        print(f"{'failing call':24} {'runs':>9} {'findings':>9}")
        for key in sorted({key for key, _ in self.totals}):
            print(f"{key:24} {self.totals[key, 'runs']:9} {self.totals[key, 'findings']:9}")
        print(f"{'all':24} {self.sum('runs'):9} {self.sum('findings'):9}")


def format_of(verb, words):
    """Of the traces by which a verb is killed."""
    return TIMED if verb == "merge" else NAMING if "{" in words else ONE


def is_writer(verb, words):
    return bool(re.search(rf"\b{FILE}\b", words)) or (verb, words) in INDEXING or words.startswith("-q --retry")


def tap(torture, tasks):
    """One TAP line for each (name, runs of a part)."""
    print(f"1..{len(tasks)}")
    for number, (name, part) in enumerate(tasks, 1):
        before = len(torture.findings)
        part()
        found = torture.findings[before:]
        print("not ok" if found else "ok", f"{number} - {name}", flush=True)
        for line in found:
            print("#", line)


def light(torture):
    """A sample of all that."""
    seeds = list(traces(torture.spoor, torture.folder, LIGHT["formats"]))

    def part(number, verb, words):
        failures = f"malloc:12:{'places' if (verb, words) == CORRUPTED else LIGHT['malloc']}"
        if is_writer(verb, words) and torture.inject:
            failures += f",write:28:{LIGHT['io']}"
        seed = (ONE, dict(seeds)[ONE]) if (verb, words) == CORRUPTED else seeds[number % len(seeds)]
        return lambda: torture.run(verb, words, *seed, failures, 1)

    chosen = [(number, *command) for number, command in enumerate(commands(torture.spoor))
              if torture.inject or number % SANITIZED == 0 or command == CORRUPTED]
    tap(torture, [(f"{verb} {words}", part(number, verb, words)) for number, verb, words in chosen])


def kill(torture, points, only, share):
    """SIGKILL at so many points of each writer."""
    first, parts = numbers_of(share)
    seeds = dict(traces(torture.spoor, torture.folder, (ONE, TIMED, NAMING)))

    def part(number, verb, words):
        def runs():
            ways = [(number % 2 + 1, number % 4 < 2)]
            if points >= 100:
                ways = [(threads, named) for threads in (1, 2) for named in (False, True)]
            name, before = format_of(verb, words), torture.sum("runs")
            for threads, named in ways:
                torture.run(verb, words, name, seeds[name], f"any:kill:~{points}", threads, named)
                if points >= 100:
                    torture.run(verb, words, name, seeds[name], "io:kill", threads, named)
            if torture.sum("runs") == before:
                torture.findings.append("finding: was not killed")
        return runs

    listed = json.loads(subprocess.run([torture.spoor, "formats", "--json"], capture_output=True, check=True).stdout)
    every = [("convert", f"--lossy -t {row['name']} -o out T") for row in listed if row["writes"]]
    writers = [(verb, words) for verb, words in [*commands(torture.spoor), *every]
               if is_writer(verb, words) and (only or "") in f"{verb} {words}"][first::parts]
    tap(torture, [(f"{verb} {words}", part(number, verb, words)) for number, (verb, words) in enumerate(writers)])
    print(f"# {torture.sum('runs')} runs")


def numbers_of(part):
    return (int(number) for number in (part or "0/1").split("/"))


def value_of(words, option):
    return words[words.index(option) + 1] if option in words else None


def main(words):
    with tempfile.TemporaryDirectory() as folder:
        torture = Torture(words[1], words[2], value_of(words, "--places") or folder)
        selection = value_of(words, "--only"), value_of(words, "--slice")
        if "--kill" in words:
            kill(torture, int(os.environ.get("SPOOR_KILL_POINTS", "4")), *selection)
        elif "--full" in words:
            torture.whole(*selection)
            torture.table()
        else:
            light(torture)
    return bool(torture.findings)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv))

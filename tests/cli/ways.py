#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One question has one answer, however the trace is stored and read.

    ways.py SPOOR ROOT     prints TAP

A question is a verb with its options and a random selection.  It is asked of a trace as a plain file
with one thread, no index and no SIMD; then with more threads, with SIMD, from a pipe, compressed, with
an index beside the trace, as .spoor and as .spoor.zst.  Output, messages and exit code have to be the
same bytes, whatever they are.  Some traces are damaged before they are stored; a damaged .spoor file is
a trace of its own, asked in all the ways that it can be.

The traces are those of examples/ and, where they are, all of ../shared ($SPOOR_SHARED): of a longer one, its
first CONTENT bytes of text or RECORDS records.  SPOOR_COMPARISONS (500) is the number of comparisons,
SPOOR_SEED (1) chooses them, SPOOR_ONLY a verb.  A failure is printed with the seed of its question;
SPOOR_QUESTION=SEED asks that one alone and keeps its files.  Each seed is a part of its own, so that many
comparisons can be made in parts: SPOOR_SEED=1, 2, 3 ...
"""
import bz2
import gzip
import lzma
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from built import fold_plugin

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
SHARED = Path(os.environ.get("SPOOR_SHARED", ROOT.parent / "shared"))
CONTENT, RECORDS = 150_000, 1500  # bytes of a text; records of another trace
FOLLOWS = ["branch", "branch --hardest", "pipe", "check", "cache --by-pc", "mix", "info", "page", "tlb",
           "cache -l u:1K,2,32", "check --severity info", "branch --over-time"]
FOLD = [f"fold {fold_plugin(SPOOR)}"] if os.path.exists(fold_plugin(SPOOR).split()[1]) else []
EXPLORES = ["state", "state --memory all", "stack", "exceptions", "exceptions --all", "calls", "calls --tree",
            "profile", "profile --by opcode", "profile --flame", "coverage --by address", "vcd", "why",
            "who REGISTER", "who ADDRESS", "values", *FOLD, "strings", "strings --min-length 1 --json", "slice REGISTER", "phases", "annotate"]
# with the trace itself, as a plain file, where a verb wants another one
WHOLES = ["report -o /dev/stdout", "browse --dump 100x30 --keys jjj", "browse --dump 120x40 --keys G",
          "browse --dump 90x20 --keys /0<CR>n",
          "convert --lossy -t din -o /dev/stdout", "convert --lossy -t uop -o /dev/stdout",
          "convert --lossy -t matcher -o /dev/stdout", "convert --lossy -t tarmac -o /dev/stdout",
          "merge -o /dev/stdout ../plain/t", "diff ../plain/t", "diff --json ../plain/t"]
PRINTS = ["print", "print --jsonl", "print --csv", "print --count", "print --fields record,line,kind,pc,addr,data",
          "cut -o /dev/stdout", "cut -o /dev/stdout"]
STATS = ["stats cache", "stats tlb", "stats walk", "stats bus"]
SQL = ["select count(*), sum(record), min(pc), max(pc) from instruction",
       "select kind, count(*) from record group by kind order by kind",
       "select * from record where record between {0} and {1}",
       "select * from mem where record >= {0} limit 20",
       "select * from state('record:{0}')", "select * from stack('record:{0}')",
       "select * from record where pc = {2} limit 20", "select * from record where addr = {2} limit 20"]
WEB = ["rows?from={0}&count=5", "state?record={0}", "stack?record={0}", "timeline?width=20"]


def run(words, folder, feed=None, **environment):
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), **environment}
    with open(feed, "rb") if feed else open(os.devnull, "rb") as source:
        pipe = subprocess.Popen(["cat"], stdin=source, stdout=subprocess.PIPE) if feed else None
        done = subprocess.run([SPOOR, *words], cwd=folder, capture_output=True, check=False, timeout=300,
                              env=environment, stdin=pipe.stdout if pipe else source)
        if pipe:
            pipe.stdout.close()
            pipe.wait()
    return done.returncode, done.stdout, done.stderr


# ---- traces ----

def inflated(path):
    data = path.read_bytes()
    for magic, inflate in ((b"\xfd7zXZ", lzma.decompress), (b"\x1f\x8b", gzip.decompress), (b"BZh", bz2.decompress)):
        if data.startswith(magic):
            return inflate(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout
    return data


def candidates():
    found = [path for path in sorted((ROOT / "examples").glob("*.xz"))]
    return found + [path for path in sorted((SHARED / "traces").rglob("*")) if path.is_file()]


def is_text(data):
    return b"\0" not in data[:4096]


def part_of(path):
    """The beginning of a trace, small enough to be asked often; None: it is no trace."""
    if path.suffix in (".md", ".txt") and path.name.startswith(("LICENSE", "README")):
        return None
    try:
        data = inflated(path)
    except (OSError, EOFError, subprocess.CalledProcessError, lzma.LZMAError):
        return None
    if len(data) > CONTENT:
        if is_text(data):
            data = data[:data.rindex(b"\n", 0, CONTENT) + 1] if b"\n" in data[:CONTENT] else None
        else:
            with tempfile.TemporaryDirectory() as name:
                done = run(["cut", "-q", "--records", f"0:{RECORDS}", "-o", "part", str(path)], Path(name))
                part = Path(name, "part")
                data = part.read_bytes() if done[0] == 0 and part.exists() else None
    return data


def damaged(random_, data):
    """The trace with some bytes changed, removed, repeated, or cut off."""
    data = bytearray(data)
    for _ in range(random_.choice((1, 1, 3, 20))):
        at = random_.randrange(len(data))
        choice = random_.randrange(5)
        if choice == 0:
            data[at] ^= 1 << random_.randrange(8)
        elif choice == 1:
            data[at] = random_.choice(b"\n 0fgz-")
        elif choice == 2:
            del data[at:at + random_.choice((1, 30, 500))]
        elif choice == 3:
            data[at:at] = data[at:at + random_.choice((1, 30, 500))]
        elif len(data) > 4000:
            del data[-random_.randrange(1, 100):]
        if not data:
            break
    return bytes(data)


class Trace:
    """A trace in all the ways that it can be stored: each in a folder of its own, under one name."""

    def __init__(self, folder, data, name, is_spoor):
        self.folder, self.ways, self.name, self.is_spoor = folder, [], name, is_spoor
        plain = self.store("plain", data)
        self.ways += [("threads", plain, ["-j3"], {}, False), ("simd", plain, ["-j1"], {}, False),
                      ("pipe", plain, ["-j1"], {}, True)]
        indexed = self.store("indexed", data)
        run(["index", "-q", self.name], indexed)
        if any(path.name.endswith(".spoor-index") for path in indexed.iterdir()) or is_spoor:
            self.ways.append(("index", indexed, ["-j1"], {"index": True}, False))
        if not is_spoor:
            for suffix in ("gz", "zst", "xz", "bz2", "lz4"):
                self.convert(plain, suffix, suffix)
        if not is_spoor and self.convert(plain, "spoor", "spoor"):
            self.ways.append(("spoor with its index", self.folder / "spoor", ["-j1"], {"index": True}, False))
            self.convert(plain, "spoor.zst", "spoor-zst")

    def store(self, way, data):
        folder = self.folder / way
        folder.mkdir()
        (folder / self.name).write_bytes(data)
        return folder

    def convert(self, plain, suffix, way):
        folder = self.folder / way
        folder.mkdir()
        code = run(["convert", "-q", "-o", f"../{way}/{self.name}.{suffix}", self.name], plain)[0]
        made = folder / f"{self.name}.{suffix}"
        if code not in (0, 3) or not made.exists():
            return False
        made.rename(folder / self.name)
        self.ways.append((way, folder, ["-j1"], {}, False))
        return True


# ---- questions ----

def facts(trace):
    """What random selections take from the trace: addresses, times, cpus, its number of records."""
    out = run(["print", "-q", "-j1", "--no-index", "--jsonl", "--fields", "time,pc,addr,cpu,reg", trace.name],
              trace.folder / "plain")[1].decode("utf-8", "replace")
    known = {"records": max(1, out.count("\n"))}
    for field in ("time", "pc", "addr", "cpu", "reg"):
        known[field] = sorted(set(re.findall(rf'"{field}": ?"?([^",}}]+)"?', out))) or ["0"]
    return known


def number(random_, values):
    return random_.choice(values)


def expression(random_, known, depth=0):
    choice = random_.randrange(11 if depth < 2 else 9)
    if choice < 3:
        field = random_.choice(("pc", "addr", "pc"))
        value = number(random_, known[field])
        other = number(random_, known[field])
        return random_.choice((f"{field} = {value}", f"{field} >= {value}", f"{field} < {value}",
                               f"{field} != {value}", f"{field} = {value} or {field} = {other}"))
    if choice == 3:
        return f"record {random_.choice(('>', '<=', '='))} {random_.randrange(known['records'])}"
    if choice == 4:
        return f"time {random_.choice(('>', '<='))} {number(random_, known['time'])}"
    if choice == 5:
        return f"cpu = {number(random_, known['cpu'])}" if known["cpu"] != ["0"] else "cpu"
    if choice == 6:
        return random_.choice(("kind = mem", "kind = insn", "kind != reg", "op = write", "kind = flow"))
    if choice == 7:
        return f"reg = {number(random_, known['reg'])}" if known["reg"] != ["0"] else "kind = reg"
    if choice == 8:
        return f"line > {random_.randrange(known['records'])}"
    if choice == 9:
        return f"not ({expression(random_, known, depth + 1)})"
    return (f"({expression(random_, known, depth + 1)}) {random_.choice(('and', 'or'))} "
            f"({expression(random_, known, depth + 1)})")


def span(random_, most):
    a, b = sorted(random_.randrange(most + 1) for _ in range(2))
    return f"{a}:{min(b, a + random_.choice((0, 10, most)))}"


def selected(random_, known):
    words = []
    if random_.random() < 0.6:
        words += ["--where", expression(random_, known)]
    if random_.random() < 0.4:
        words += ["--records", span(random_, known["records"])]
    return words


def question(random_, known):
    """The words before and after the trace."""
    kind = random_.randrange(14)
    record = random_.randrange(known["records"])
    pc, register = number(random_, known["pc"]), number(random_, known["reg"])
    if kind < 5:
        words = random_.choice(FOLLOWS).split() + selected(random_, known)
        return words + (["--json"] if random_.random() < 0.3 else []), []
    if kind < 8:
        words = [word for word in random_.choice(EXPLORES).split() if word not in ("REGISTER", "ADDRESS")]
        after = [register if words[0] == "slice" or random_.random() < 0.5 else number(random_, known["addr"])]
        if words[0] in ("state", "who", "stack", "slice") and random_.random() < 0.7:
            words += ["--at", f"record:{record}"]
        return words, after if words[0] in ("who", "slice") else []
    if kind < 10:
        words = random_.choice(PRINTS).split()
        return words + (selected(random_, known) if words[0] != "report" else []), []
    if kind == 10:
        return ["sql", "--json"], [random_.choice(SQL).format(record, record + 50, int(pc, 0) if pc else 0)]
    if kind > 11:
        return random_.choice(WHOLES).split(), []
    if random_.random() < 0.5:
        return random_.choice(STATS).split(), []
    return ["serve", "--get", "api/" + random_.choice(WEB).format(record)], []


def answer(trace, way, before, after):
    _, folder, threads, options, piped = way
    takes = "--no-index" in HELP[before[0]]
    needs = before[-1] == "G" # the end of a compressed trace waits for the index
    plain = ["--no-index"] if takes and "index" not in options and not needs else []
    name = "/dev/stdin" if piped else trace.name
    code, out, errors = run(before + plain + threads + [name] + after, folder,
                            feed=folder / trace.name if piped else None,
                            **({"SPOOR_CPU": "scalar"} if way[0] == "plain" else {}))
    return code, out, errors


def normal(verb, name, text):
    """The text without what a way of storing or reading may change."""
    text = text.replace(b"/dev/stdin", name.encode())
    # how the trace is stored, how sure its format is, and that .spoor has records, not offsets
    text = re.sub(rb'(?m)^ *(<tr><th scope="row">)?"?(compression|bytes|size|why|container|waveform|mapping)\b.*\n', b"", text)
    if verb == "info":  # columns are as wide as their names
        text = re.sub(rb" +", b" ", text)
    text = re.sub(rb'\["(compression|bytes|size|why|container)\b[^"]*","[^"]*"\],?', b"", text)
    text = re.sub(rb'(?m)^( *"description": \{\n(?:.*\n)*? *\},|description\n .*)\n', b"", text)
    text = re.sub(rb',\s+[0-9]+\s+bytes?(,?(\s+[0-9]+)?(\s+of\s+a\s+waveform\s+\(\w+\))?(\s+compressed\s+with\s+\w+)?'
                  rb'(\s+through\s+the\s+mapping\s+\w+)?)?', b"", text)
    text = re.sub(rb'\b(offset|record) [0-9]+', b"place", text)
    text = re.sub(rb'"trace_offset": [0-9]+,\s+', b"", text)
    # the files that a recording names are looked for beside a file alone
    text = re.sub(rb"(?m)^.* of the recorded program not used: .*\n", b"", text)
    # in the line below a screen: the share of bytes or records, and numbers that only some ways know
    if verb == "browse":
        text = re.sub(rb"(?m)^t  .*\n", b"", text)
    return text


def differ(verb, name, way, one, other):
    """Both answers without what may differ, if they differ; else None.  A pipe has a longer name, by which columns
    are wider; an index knows that a trace has damage, not where."""
    if one == other:
        return None
    one, other = ([parts[0], *(normal(verb, name, text) for text in parts[1:])] for parts in (one, other))
    if way[4]:
        one, other = ([parts[0], *(re.sub(rb" +", b" ", text) for text in parts[1:])] for parts in (one, other))
    if "index" in way[3]:
        one, other = ([*parts[:2], bool(parts[2])] for parts in (one, other))
    return None if one == other else (one, other)


HELP = {}


def can_be_piped(before):
    """Not what is read twice: by a seek, or first for the names of functions."""
    return not {"--by-pc", "--hardest"} & set(before) and before[0] not in ("serve", "browse", "merge", "diff", "report", "phases", "sql", "state", "who", "stack", "slice", "calls", "why",
                             "profile", "annotate", "exceptions", "coverage", "vcd")


def describe(one, other):
    names = ("exit code", "output", "messages")
    for name, left, right in zip(names, one, other):
        if left != right:
            if isinstance(left, int):
                return f"{name} {left} and {right}"
            lines = left.splitlines(), right.splitlines()
            at = next((i for i, pair in enumerate(zip(*lines)) if pair[0] != pair[1]), min(map(len, lines)))
            pair = [part[at][:200] if at < len(part) else b"(nothing)" for part in lines]
            return f"{name}, line {at + 1}: {pair[0]!r} and {pair[1]!r}"
    return ""


def ask(seed, files, folder):
    """The comparisons made, and what differs."""
    random_ = random.Random(seed)
    path = random_.choice(files)
    data = part_of(path)
    if not data:
        return 0, []
    hurt = random_.random()
    if hurt < 0.3:
        data = damaged(random_, data)
    is_spoor = hurt >= 0.85
    if is_spoor:
        whole = folder / "whole"
        whole.mkdir()
        (whole / "t").write_bytes(data)
        run(["convert", "-q", "-o", "t.spoor", "t"], whole)
        if not (whole / "t.spoor").exists():
            return 0, []
        (whole / "t.spoor").rename(whole / "t")
        data = damaged(random_, (whole / "t").read_bytes())
    if not data:
        return 0, []
    trace = Trace(folder, data, "t", is_spoor)
    if run(["info", "-q", "t"], folder / "plain")[0] not in (0, 3):
        return 0, []
    known = facts(trace)
    count, wrong = 0, []
    plain = ("plain", folder / "plain", ["-j1"], {}, False)
    for _ in range(3):
        before, after = question(random_, known)
        if os.environ.get("SPOOR_ONLY", before[0]) != before[0]:
            continue
        for verb in {before[0]} - set(HELP):
            HELP[verb] = run([verb, "--help"], folder)[1].decode()
        expected = answer(trace, plain, before, after)
        for way in trace.ways:
            if way[4] and not can_be_piped(before):
                continue
            found = answer(trace, way, before, after)
            count += 1
            unequal = differ(before[0], trace.name, way, expected, found)
            if unequal:
                wrong.append(f"{path.name}{' damaged' if hurt < 0.3 or is_spoor else ''}: {way[0]}: "
                             f"{' '.join(before + ['t'] + after)}: {describe(*unequal)}")
    return count, wrong


def main():
    wanted = int(os.environ.get("SPOOR_COMPARISONS", "500"))
    first = int(os.environ.get("SPOOR_SEED", "1")) * 1_000_000
    files = candidates()
    failures = []
    if "SPOOR_QUESTION" in os.environ:
        folder = Path(tempfile.mkdtemp())
        print(folder, *ask(int(os.environ["SPOOR_QUESTION"]), files, folder)[1], sep="\n")
        return 0
    done = seed = 0
    while done < wanted:
        with tempfile.TemporaryDirectory() as name:
            count, wrong = ask(first + seed, files, Path(name))
        failures += [f"# question {first + seed}: {line}" for line in wrong]
        for line in wrong:
            print(f"# question {first + seed}: {line}", flush=True)
        done += count
        seed += 1
    if not (SHARED / "traces").exists():
        print("# ../shared is absent: only the traces of examples/ were asked")
    print(f"1..1\n{'not ok' if failures else 'ok'} 1 - {done} comparisons, {len(failures)} differ")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""edges.py SPOOR ROOT: every verb on inputs and outputs at the edge; prints TAP.

Walks all verbs.  Each is run on what is no trace (an empty file, /dev/null, folders, random bytes and
lines, a line of 10 MB, files without permission), on traces that are cut off, with NUL bytes, CRLF, without
the end of the last line, from a FIFO, under names that are no UTF-8; with an output that is full or closed.
Nothing may end by a signal, hang, or answer less with exit code 0 and without a sentence.
SPOOR_PLACES (4) is the number of places at which a trace is cut off.
"""
import lzma
import os
import random
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from built import fold_plugin

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
PLACES = int(os.environ.get("SPOOR_PLACES", "4"))
NOBODY = 65534
RECORDS = 400  # lines of the trace
# What a verb needs besides a trace, which is T; U is a whole trace.  A verb that is not here takes T alone.
WORDS = {
    "convert": ["--lossy", "-t", "din", "-o", "/dev/stdout", "T"], "cut": ["--records", "0:", "-o", "/dev/stdout", "T"],
    "merge": ["-o", "/dev/stdout", "T", "U"], "diff": ["U", "T"], "who": ["T", "x0"], "slice": ["T", "x0"],
    "stats": ["bus", "T"], "browse": ["--dump", "80x20", "T"], "serve": ["--get", "api/rows?count=5", "T"],
    "sql": ["T", "select count(*) from record"], "gdb": ["--serve", "T"],
    "report": ["-o", "/dev/stdout", "T"], "vcd": ["-o", "/dev/stdout", "T"], "annotate": ["T"], "phases": ["T"],
    "fold": [*fold_plugin(SPOOR).split(), "T"],
    "page": ["--address-bits", "64", "--levels", "20,20", "T"], "pipe": ["T"],
}
NO_TRACE = {"formats", "help", "mcp", "new", "record", "sweep"}
EMPTY = ("empty", "/dev/null")  # for `diff` a trace that differs
# Their answer is a finding, in the output; it is an answer all the same.
FINDING = {"check", "diff"}
number = failures = 0


def check(wrong, title):
    global number, failures
    number += 1
    failures += bool(wrong)
    print(f"{'not ok' if wrong else 'ok'} {number} - {title}")
    print("".join(f"# {line}\n" for line in wrong), end="", flush=True)


def be_nobody():
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


class Edges:
    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "HOME": str(folder)}
        text = lzma.open(ROOT / "examples/sort-aarch64.tarmac.xz").read()
        self.trace = b"".join(text.splitlines(keepends=True)[:RECORDS])
        self.put("whole", self.trace)
        for suffix in ("gz", "zst", "spoor"):
            self.run("convert", "-q", "-o", f"whole.{suffix}", "whole")

    def put(self, name, content):
        (self.folder / name).write_bytes(content)
        return name

    def words(self, verb, name):
        names = {"T": name, "U": "whole"}
        index = [] if verb not in self.indexing else ["--no-index"]
        return [SPOOR, verb, "-j1", *index, *(names.get(word, word) for word in WORDS.get(verb, ["T"]))]

    def run(self, *words, **more):
        more = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL, "timeout": 60, **more}
        return subprocess.run([SPOOR, *words] if words[0] != SPOOR else words, cwd=self.folder, check=False,
                              stderr=subprocess.PIPE, env=self.environment, **more)

    def verbs(self):
        listed = self.run("help", "--list", "verbs").stdout.decode()
        found = [line.split()[0] for line in listed.splitlines()[1:]]
        found = [verb for verb in found if verb not in NO_TRACE]
        self.indexing = {verb for verb in found if b"--no-index" in self.run(verb, "--help").stdout}
        return found

    def ask(self, verb, name, **more):
        return self.run(*self.words(verb, name), **more)


def why(name, done, expected):
    return f"{name}: exit code {done.returncode}, {done.stderr[:150]!r}; expected {expected}"


def is_said(done):
    return done.stderr.startswith(b"spoor: ") and done.stderr.endswith(b"\n") and b"\0" not in done.stderr


def no_traces(edges):
    rng = random.Random(49)
    (edges.folder / "folder").mkdir()
    names = [edges.put("empty", b""), "folder", "/dev/null", "missing", edges.put("newline", b"\n"),
             edges.put("random-1K", rng.randbytes(1024)), edges.put("random-1M", rng.randbytes(1 << 20)),
             edges.put("words", b"".join(b"%d words of %x\n" % (i, rng.getrandbits(40)) for i in range(50))),
             edges.put("line", b"a" * 10_000_000), edges.put("nul", b"\0" * 5000)]
    for magic, name in ((b"\x1f\x8b\x08", "head.gz"), (b"\x28\xb5\x2f\xfd", "head.zst"), (b"PK\3\4", "head.zip"),
                        (b"\xfd7zXZ\0", "head.xz"), (b"BZh9", "head.bz2")):
        names.append(edges.put(name, magic + rng.randbytes(500)))
    return names


def what_is_no_trace(edges, verb, names):
    wrong = []
    for name in names:
        done = edges.ask(verb, name)
        if verb == "diff" and name in EMPTY and done.returncode == 1 and b"DIFFERENT" in done.stdout:
            continue
        if done.returncode not in (2, 3) or not is_said(done) or name.encode() not in done.stderr:
            wrong.append(why(name, done, "3 and a sentence with the name"))
    os.chmod(edges.folder / "closed", 0)
    done = edges.ask(verb, "closed", preexec_fn=be_nobody)
    if done.returncode != 3 or b"closed" not in done.stderr or b"Permission denied" not in done.stderr:
        wrong.append(why("closed", done, "3 and 'Permission denied'"))
    check(wrong, f"{verb}: what is no trace is said")


def cut_traces(edges, verb):
    """Cut anywhere, a compressed trace and .spoor are not whole."""
    wrong = []
    for suffix in ("gz", "zst", "spoor"):
        content = (edges.folder / f"whole.{suffix}").read_bytes()
        for i in range(PLACES):
            # the last place: one byte is missing
            at = len(content) - 1 if i == PLACES - 1 else 1 + i * (len(content) - 1) // PLACES
            done = edges.ask(verb, edges.put(f"cut-{at}.{suffix}", content[:at]))
            if done.returncode not in ((1, 3) if verb in FINDING else (3,)) or not (is_said(done) or done.stdout):
                wrong.append(why(f"cut-{at}.{suffix}", done, "3 and a sentence"))
    check(wrong, f"{verb}: a trace that is cut off is said")


def other_ends(edges, verb):
    """CRLF and a missing end of the last line change no answer; a NUL byte does not end one."""
    wrong = []
    for name in ("crlf", "open-end"):
        whole, done = edges.ask(verb, "whole"), edges.ask(verb, name)
        if done.returncode != whole.returncode or bool(done.stderr) != bool(whole.stderr):
            wrong.append(why(name, done, f"as of the trace: {whole.returncode}, {whole.stderr[:150]!r}"))
    for name in ("nul-inside", "long-inside"):
        done = edges.ask(verb, name)
        if done.returncode not in (0, 1, 3, 5) or not (done.stdout or done.stderr):
            wrong.append(why(name, done, "an answer, or 3 and a sentence"))
    check(wrong, f"{verb}: CRLF, no end of the last line, a NUL byte and a line of 10 MB")


def from_fifo(edges, verb):
    """Either the answer of the file, or a sentence why not."""
    fifo = edges.folder / "fifo"
    if not fifo.exists():
        os.mkfifo(fifo)

    def feed():
        with open(fifo, "wb", buffering=0) as out:  # waits for who reads
            try:
                out.write(edges.trace)
            except BrokenPipeError:
                pass

    thread = threading.Thread(target=feed)
    whole = edges.ask(verb, "whole")
    thread.start()
    try:
        done = edges.ask(verb, "fifo", timeout=20)
        said = done.returncode in (2, 3) and is_said(done)
        wrong = [] if said or done.returncode == whole.returncode else [why("fifo", done, whole.returncode)]
    except subprocess.TimeoutExpired:
        wrong = ["fifo: hangs"]
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # where nobody read
    thread.join(0.1)
    os.close(reader)
    thread.join()
    check(wrong, f"{verb}: a FIFO gives the answer of the file, or a sentence")


def outputs(edges, verb):
    wrong = []
    whole = edges.ask(verb, "whole")
    with open("/dev/full", "wb") as full:
        done = edges.ask(verb, "whole", stdout=full)
        if whole.stdout and (done.returncode != 3 or b"No space left on device" not in done.stderr):
            wrong.append(why("/dev/full", done, "3 and 'No space left on device'"))
    reader, writer = os.pipe()
    os.close(reader)
    done = edges.ask(verb, "whole", stdout=writer)
    os.close(writer)
    if done.returncode not in (0, 1, 3, 5, -13) or b"Broken pipe" in done.stderr:
        wrong.append(why("a closed pipe", done, "a quiet end"))
    done = edges.ask(verb, b"n\xe4me \xff")
    if (done.returncode, bool(done.stdout)) != (whole.returncode, bool(whole.stdout)):
        wrong.append(why("a name that is no UTF-8", done, f"{whole.returncode} and the answer"))
    check(wrong, f"{verb}: outputs that are full or closed, a name that is no UTF-8")


def main():
    with tempfile.TemporaryDirectory() as path:
        os.chmod(path, 0o755)
        edges = Edges(Path(path))
        verbs = edges.verbs()
        names = no_traces(edges)
        middle = edges.trace.index(b"\n", len(edges.trace) // 2) + 1
        edges.put("closed", edges.trace)
        edges.put("crlf", edges.trace.replace(b"\n", b"\r\n"))
        edges.put("open-end", edges.trace[:-1])
        edges.put("nul-inside", edges.trace[:middle] + b"\0\0 \0\n" + edges.trace[middle:])
        edges.put("long-inside", edges.trace[:middle] + b"x" * 10_000_000 + b"\n" + edges.trace[middle:])
        (Path(os.fsencode(path).decode("utf-8", "surrogateescape")) / "n\udce4me \udcff").write_bytes(edges.trace)
        for verb in verbs:
            what_is_no_trace(edges, verb, names)
            cut_traces(edges, verb)
            other_ends(edges, verb)
            from_fifo(edges, verb)
            outputs(edges, verb)
    print(f"1..{number}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

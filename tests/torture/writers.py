#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""writers.py SPOOR EXAMPLES: each verb that writes a file, under what happens around it.

Of each writer: two that write one file at once leave one whole result; a folder that cannot be written,
a full one, a damaged input and a link that leads nowhere leave what was there, with a sentence and exit
code 3; SIGKILL at a random moment leaves the old file or the new one.  Indexes (beside the trace and in
the cache folder) and results of a study are written by verbs that name no file: they are whole or absent,
and made again.  SPOOR_KILLS (3) is the number of moments of each writer; 100 for all.  TAP.
"""
import json
import lzma
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SPOOR, EXAMPLES = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
KILLS = int(os.environ.get("SPOOR_KILLS", "3"))
NOBODY = 65534
OLD = b"old\n"
DAMAGED = ("gz", "spoor")  # what was cut in the middle, so that records are lost
# Words that write OUT; T and U are micro-ops, M and N have times.
WRITERS = {
    **{f"convert{suffix}": ["convert", "-o", f"OUT{suffix}", "T"]
       for suffix in (".uop", ".uop.gz", ".uop.zst", ".uop.xz", ".uop.bz2", ".uop.lz4", ".spoor")},
    "parquet": ["convert", "-t", "parquet", "-o", "OUT", "T"],
    "cut": ["cut", "--records", "10:20000", "-o", "OUT", "T"],
    "merge": ["merge", "-o", "OUT", "M", "N"],
    "merge .spoor": ["merge", "-o", "OUT.spoor", "M", "N"],
    "print": ["print", "-o", "OUT", "T"],
    "vcd": ["vcd", "-o", "OUT", "M"],
    "report": ["report", "-o", "OUT", "T"],
    "mix --json": ["mix", "--json", "-o", "OUT", "T"],
    "mix --plot": ["mix", "--plot", "OUT.svg", "T"],
    "cache --parquet": ["cache", "--parquet", "-l", "u:1K,2,32", "-o", "OUT", "T"],
    "diff --html": ["diff", "--html", "OUT", "T", "U"],
    "diff --junit": ["diff", "--junit", "OUT", "T", "U"],
    "check --junit": ["check", "--junit", "OUT", "T"],
    "flame": ["profile", "--svg", "-o", "OUT", "M"],
    "simpoints": ["phases", "--simpoints", "OUT", "T"],
    "pipe --kanata": ["pipe", "--kanata", "OUT", "--timeline", "0:200", "T"],
}
# Of these a damaged input is a finding, or shown, and so in the new file.
TELLING = ("report", "diff --html", "diff --junit", "check --junit")
number = failures = 0


def check(good, title, why=""):
    global number, failures
    number += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {number} - {title}" + ("" if good else f"\n# {str(why)[:600]}"), flush=True)


class Folder:
    """The traces, and runs of a writer on them."""

    def __init__(self, path):
        self.path = path
        uop = lzma.open(EXAMPLES / "sort.uop.xz").read()
        tarmac = lzma.open(EXAMPLES / "sort.tarmac.xz").read()
        lines = tarmac.splitlines(keepends=True)
        for name, content in (("T", uop), ("U", uop[: uop.rfind(b"\n", 0, len(uop) // 2) + 1]), ("M", tarmac),
                              ("N", b"".join(lines[:5000]))):
            (path / name).write_bytes(content)
        for name in "TM":
            for suffix in DAMAGED:
                whole = path / f"{name}.{suffix}"
                subprocess.run([SPOOR, "convert", "-q", "-o", whole, path / name], check=True)
                content = whole.read_bytes()
                whole.write_bytes(content[: len(content) // 2])
        self.environment = dict(os.environ, HOME=str(path / "home"), XDG_CACHE_HOME=str(path / "cache"))

    def words(self, words, out, damaged=None):
        names = {name: f"{name}.{damaged}" for name in "TM"} if damaged else {}
        put = [word.replace("OUT", out) for word in words]
        return [SPOOR, *(str(self.path / names.get(word, word)) if word in "TUMN" else word for word in put)]

    def out(self, words, out):
        return Path(next(word.replace("OUT", out) for word in words if word.startswith("OUT")))

    def run(self, words, out, damaged=None, **more):
        return subprocess.run(self.words(words, out, damaged), env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=120, **more)

    def start(self, words, out):
        return subprocess.Popen(self.words(words, out), env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def strays(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(".spoor-")]


def be_nobody():
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write fails, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def refused(folder, name, words, place, title, **more):
    """Where it cannot be written, the old file stays, with a sentence."""
    out = folder.out(words, str(place / "file"))
    before = out.read_bytes() if out.exists() else None
    done = folder.run(words, str(place / "file"), **more)
    after = out.read_bytes() if out.exists() else None
    check(done.returncode == 3 and done.stderr.startswith(b"spoor: ") and after == before and not strays(place),
          f"{name}: {title}", (done.returncode, done.stderr[:200], before and len(before), after and len(after), strays(place)))


def attack(folder, name, words, rng):
    place = folder.path / "place"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    out = folder.out(words, str(place / "file"))
    begin = time.monotonic()
    first = folder.run(words, str(place / "file"))
    span = time.monotonic() - begin
    whole = out.read_bytes()

    both = [folder.start(words, str(place / "file")) for _ in range(2)]
    codes = [writer.wait() for writer in both]
    check(codes == [first.returncode] * 2 and out.read_bytes() == whole and not strays(place),
          f"{name}: two at once leave one whole file", (codes, first.returncode, strays(place)))

    left, torn = 0, []
    for moment in range(KILLS):
        out.write_bytes(OLD)
        writer = folder.start(words, str(place / "file"))
        time.sleep(rng.uniform(0, span * 1.1))
        writer.kill()
        writer.wait()
        content = out.read_bytes()
        left += content == whole
        if content not in (OLD, whole):
            torn.append((moment, len(content)))
    check(not torn, f"{name}: SIGKILL at {KILLS} moments leaves the old file or the new one", torn)
    for stray in place.glob(".spoor-*"):
        stray.unlink()

    out.write_bytes(OLD)
    refused(folder, name, words, place, "a full folder keeps the old file", preexec_fn=limit_files)
    for suffix in DAMAGED if name not in TELLING else ():
        refused(folder, name, words, place, f"a damaged input (.{suffix}) keeps the old file", damaged=suffix)
    os.chmod(place, 0o555)
    os.chmod(out, 0o444)
    refused(folder, name, words, place, "a folder that is read-only keeps the old file", preexec_fn=be_nobody)
    os.chmod(place, 0o755)
    out.unlink()
    target = place / "nowhere"
    out.symlink_to(target)
    done = folder.run(words, str(place / "file"))
    check(done.returncode == 3 and b"link" in done.stderr and out.is_symlink() and not target.exists(),
          f"{name}: a link that leads nowhere is not followed", (done.returncode, done.stderr[:200], target.exists()))


def indexes(folder, rng):
    """An index beside the trace, and one in the cache folder."""
    trace = folder.path / "M"
    cache = folder.path / "cache" / "spoor"
    ask = [SPOOR, "stack", "--at", "record:9000", str(trace)]
    answer = subprocess.run([*ask, "--no-index"], env=folder.environment, capture_output=True, check=True).stdout
    for words, place, title in (([SPOOR, "index", str(trace)], folder.path, "beside the trace"), (ask, cache, "in the cache folder")):
        found = lambda: list(place.glob("*.spoor-index")) if place.exists() else []
        wrong = []
        for _ in range(KILLS):
            for path in found():
                path.unlink()
            writer = subprocess.Popen(words, env=folder.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0, 0.2))
            writer.kill()
            writer.wait()
            said = subprocess.run(ask, env=folder.environment, capture_output=True, check=False)
            if said.stdout != answer or said.returncode or said.stderr:
                wrong.append((said.returncode, said.stderr[:200]))
        check(not wrong, f"index {title}: SIGKILL leaves none, or a whole one", wrong)
        both = [subprocess.Popen(words, env=folder.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        said = [writer.communicate() for writer in both]
        checked = subprocess.run([SPOOR, "index", "--verify", str(trace)], env=folder.environment, capture_output=True, check=False)
        check(all(writer.returncode == 0 for writer in both) and checked.returncode == 0 and not strays(place),
              f"index {title}: two at once leave one whole index", (said, checked.stderr, strays(place)))
        for path in found():
            path.unlink()
    full = subprocess.run(ask, env=folder.environment, capture_output=True, check=False, preexec_fn=limit_files)
    check(full.stdout == answer and full.returncode == 0 and b"the index is not stored" in full.stderr and
          b"File too large" in full.stderr and not list(cache.glob("*")), "a full cache folder is said, and answers",
          (full.returncode, full.stderr))
    full = subprocess.run([SPOOR, "index", str(trace)], env=folder.environment, capture_output=True, check=False,
                          preexec_fn=limit_files)
    check(full.returncode == 3 and b"cannot be written" in full.stderr and not list(folder.path.glob("*.spoor-index")),
          "index: a full disk is said", (full.returncode, full.stderr))
    (folder.path / "M.spoor-index").symlink_to(folder.path / "none")
    done = subprocess.run([SPOOR, "index", str(trace)], env=folder.environment, capture_output=True, check=False)
    check(not (folder.path / "none").exists() and b"the index is stored as" in done.stderr,
          "index: a link that leads nowhere is not followed", (done.returncode, done.stderr))
    (folder.path / "M.spoor-index").unlink()


def study(folder, rng):
    """Results of a study: killed launchers lose cells, and no more."""
    (folder.path / "s.json").write_text(json.dumps({"traces": ["T"], "runs": [
        {"verb": "mix"}, {"verb": "branch", "options": ["-p", "gshare:bits={bits}"], "grid": {"bits": "8..13+1"}}]}))
    cells = folder.path / "s.results" / "cells"
    words = [SPOOR, "sweep", "-q", "s.json"]
    how = {"cwd": folder.path, "env": folder.environment}
    subprocess.run(words, check=True, **how)
    whole = {path.name: path.read_bytes() for path in cells.glob("*.json")}
    wrong = []
    for _ in range(KILLS):
        shutil.rmtree(cells)
        launcher = subprocess.Popen(words, stderr=subprocess.DEVNULL, **how)
        time.sleep(rng.uniform(0, 0.4))
        launcher.kill()
        launcher.wait()
        some = {path.name: path.read_bytes() for path in cells.glob("*.json")} if cells.exists() else {}
        if any(whole[name] != content for name, content in some.items()):
            wrong.append("a result is not whole")
        again = subprocess.run(words, capture_output=True, check=False, **how)
        if again.returncode or {path.name: path.read_bytes() for path in cells.glob("*.json")} != whole:
            wrong.append(again.stderr)
    shutil.rmtree(cells)
    cells.mkdir()

    def leave():  # what a killed launcher of the same number left
        for name in whole:
            (cells / name.replace(".json", f".{os.getpid()}.tmp")).write_bytes(OLD)

    again = subprocess.run(words, capture_output=True, check=False, preexec_fn=leave, **how)
    check(again.returncode == 0 and {path.name: path.read_bytes() for path in cells.iterdir()} == whole,
          "sweep: files of a killed launcher with the same number are no obstacle", again.stderr)
    check(len(whole) == 7 and not wrong, "sweep: SIGKILL loses only the cells that ran", wrong)


def main():
    rng = random.Random(49)
    with tempfile.TemporaryDirectory() as path:
        os.chmod(path, 0o755)
        folder = Folder(Path(path))
        for name, words in WRITERS.items():
            attack(folder, name, words, rng)
        indexes(folder, rng)
        study(folder, rng)
    print(f"1..{number}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

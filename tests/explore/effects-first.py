#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""effects-first.py SPOOR TRACE...: traces (paths relative to SHARED/traces) whose effects come before their instructions, as RTL
prints them, have the answers of those whose effects come after.

Of each trace a twin is made here, without spoor: the registers and accesses that follow an
instruction, up to the next instruction or event of its processor, move before it.  The reader must
notice it, put every record back in its place, and then all verbs must answer as for the trace
itself, with an index and without.  The traces themselves must not be taken for such.
"""
import lzma
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LINE = re.compile(rb"^\s*\d+ *\w+ +(?:(?P<cpu>\w*cpu\w*) +)?(?P<word>[A-Z]+)(?P<size>\d*)")
EFFECTS = {b"R", b"MR", b"MW", b"MU"}
INSTRUCTIONS = {b"IT", b"IS"}


def twin_of(lines):
    """The lines with the effects of each executed instruction before it."""
    out, opened = [], {}  # by cpu: [where its instruction lies in `out`, ends]
    for line in lines:
        match = LINE.match(line)
        cpu, word = (match["cpu"], match["word"]) if match else (None, b"")
        if word in INSTRUCTIONS:
            opened[cpu] = line
            out.append([line])
        elif word in EFFECTS and cpu in opened:
            group = next(group for group in reversed(out) if group[-1] is opened[cpu])
            group.insert(-1, line)
        else:
            if match:
                opened.pop(cpu, None)
            out.append([line])
    return [line for group in out for line in group]


def run(spoor, *words):
    done = subprocess.run([spoor, *map(str, words)], capture_output=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"spoor {' '.join(map(str, words))}: exit code {done.returncode}: "
                         f"{done.stderr.decode()[:500]}")
    return done.stdout


def without_lines(text):
    """An answer without what states the lines of the file, which are others."""
    text = re.sub(rb"\(line \d+\)|\"line\":\s*\d+,?|, line \d+", b"", text)
    return re.sub(rb"(?m)^spoor: .*$", b"", text)


def check(spoor, path, folder):
    content = Path(path).read_bytes()
    if path.suffix == ".xz":
        content = lzma.decompress(content)
    lines = content.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    original, twin, other = folder / "original", folder / "twin", folder / "swap"
    original.mkdir(), twin.mkdir(), other.mkdir()
    name = "trace.tarmac"
    (original / name).write_bytes(b"".join(lines))
    (twin / name).write_bytes(b"".join(twin_of(lines)))
    (other / (name + ".xz")).write_bytes(lzma.compress(b"".join(twin_of(lines)), preset=0))
    failed = []

    def expect(what, good):
        if not good:
            failed.append(what)

    expect("the trace is taken for one with effects first",
           b"effects first" not in run(spoor, "info", original / name))
    expect("the twin is not noticed", b"effects first" in run(spoor, "info", twin / name))
    whole = (original / name).read_bytes()
    for words in (["-j1"], ["-j4"]):
        for there in (twin / name, other / (name + ".xz")):
            back = run(spoor, "convert", *words, "--effects-first", "yes", "-t", "tarmac", there)
            expect(f"records are not put back: {words} {there.name}", back == whole)
    twins = twin_of(lines)
    numbers = run(spoor, "print", "--effects-first", "yes", "--fields", "line", twin / name).split()
    expect("a record has another line", [twins[int(number) - 1] for number in numbers] == lines)
    as_it_is = run(spoor, "print", twin / name)
    expect("print changes the order of the file", as_it_is == (twin / name).read_bytes())
    run(spoor, "convert", twin / name, "-t", "spoor", "-o", twin / "trace.spoor")
    expect("a .spoor file changes the order",
           run(spoor, "convert", twin / "trace.spoor", "-t", "tarmac") == as_it_is)
    equal = run(spoor, "diff", original / name, twin / name)
    expect(f"diff: {equal.decode().splitlines()[0]}", equal.startswith(b"EQUAL"))
    registers = sorted({line.split(b" R ")[1].split()[0].decode()
                        for line in lines[:20000] if b" R " in line})
    chance = random.Random(path.name)
    asked = chance.sample(registers, min(len(registers), 4))
    count = len(lines)
    moments = [chance.randrange(count) for _ in range(2)]
    addresses = sorted({match[1].decode() for match in
                        re.finditer(rb" M[RW]\d+X? ([0-9a-f]+)", whole[:4000000])})
    places = chance.sample(addresses, min(len(addresses), 3))
    questions = [["stack"], ["exceptions"], ["calls", "--csv"], ["profile", "--csv"]]
    questions += [["who", "--all", "--json", "@", what] for what in asked + places]
    questions += [["state", "--at", f"record:{moment}"] for moment in moments]
    questions += [["slice", "--json", "--at", f"record:{moment}", "@", register]
                  for moment in moments for register in asked[:1]]
    for question in questions:
        words = question[1:]
        for option in ([], ["--no-index"]):
            if option and question[0] in ("calls", "profile"):
                continue
            answers = []
            for there in (original / name, twin / name, twin / "trace.spoor"):
                at = words.index("@") if "@" in words else len(words)
                asking = [question[0], *option, *words[:at], there, *words[at + 1:]]
                answer = without_lines(run(spoor, *asking))
                answers.append(answer.replace(str(there).encode(), b"trace"))
            expect(f"{' '.join(question)} {option}: other answers",
                   answers[0] == answers[1] == answers[2])
    return failed


def main():
    shared = Path(os.environ.get("SPOOR_SHARED", Path(__file__).parents[2] / ".." / "shared"))
    spoor, paths = sys.argv[1], [shared / "traces" / path for path in sys.argv[2:]]
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
    number = 0
    print(f"1..{len(paths)}")
    for path in paths:
        number += 1
        if not path.exists():
            print(f"ok {number} - {path.name} # SKIP not there")
            continue
        with tempfile.TemporaryDirectory() as folder:
            failed = check(spoor, path, Path(folder))
        print(f"{'not ok' if failed else 'ok'} {number} - {path.name}")
        for what in failed:
            print("#  ", what)


main()

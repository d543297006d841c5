#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""options.py SPOOR ROOT: hold the option tables of all verbs to one grammar; prints TAP.

One name is one thing: an option has one value and one meaning in all verbs that have it, a letter one
option, and no verb has an old name.  Help fits on a screen.  docs/options.md is the program's table;
SPOOR_ACCEPT=1 writes it.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
# What a verb may have besides the options of every verb.
SHOWN = ["output", "csv", "table", "wide", "records", "time", "cpu", "where", "no-index", "limit", "top",
         "all", "sweep", "warmup", "preset", "level", "predictor", "image", "junit", "annotations"]
OLD = ["warm-up", "params", "presets", "list-rules", "list-tolerances", "list-classes", "list-presets", "before"]
COLUMNS, LINES = 80, 40  # of a screen
SIMULATORS = ["cache", "tlb", "page", "branch", "pipe"]
HEAD = """\
# Verbs and options

A test compares these tables with the program's (`tests/cli/options.py`); `spoor help --list options` prints
them.

## What an option means

An option means the same in every verb that has it; a verb's help adds details, such as its default. These are
the options that several verbs have.

"""
DOTS = """
## Which verb has it

A cell with a dot: the verb has the option. All verbs have `--from`, `--dialect`, `--isa`, `--threads`,
`--memory-limit`, `--quiet`, `--json`, `--color`, `--list WHAT` and `--help`.

"""


def run(*words):
    return subprocess.run([SPOOR, *words], check=True, capture_output=True, text=True).stdout


def rows():
    """Each option of each verb: its `name`, `letter`, `argument`, meaning (`title`) and verb (`of`)."""
    return json.loads(run("help", "--list", "options", "--json"))


def takes_traces(verb):
    usage = run(verb, "--help").splitlines()[0].split("[OPTION]... ")[-1]
    return usage in ("TRACE...", "[TRACE...]")


def meanings(listed):
    """{name: {(value, meaning, letter): verbs}} of the options with two dashes."""
    found = {}
    for row in listed:
        if row["name"].startswith("--"):
            key = row.get("argument"), row["title"], row.get("letter")
            found.setdefault(row["name"], {}).setdefault(key, []).append(row["of"])
    return found


def table(listed, tables):
    common = ["| option | meaning | verbs |", "|---|---|---|"]
    for name, found in sorted(meanings(listed).items()):
        for (value, meaning, letter), having in found.items():
            if 1 < len(having):
                label = (f"-{letter}, " if letter else "") + name + (f" {value}" if value else "")
                verbs = "all" if len(having) == len(tables) else ", ".join(having)
                common.append(f"| `{label}` | {meaning.replace('|', chr(92) + '|')} | {verbs} |")
    lines = ["| verb | " + " | ".join(f"`--{name}`" for name in SHOWN) + " |",
             "|---|" + ":-:|" * len(SHOWN)]
    for verb, options in tables.items():
        lines.append(f"| `{verb}` | " + " | ".join("•" if name in options else "" for name in SHOWN) + " |")
    return HEAD + "\n".join(common) + "\n" + DOTS + "\n".join(lines) + "\n"


def declared(named):
    """Lines that say which rows of meanings.def no two verbs have, and which values differ from the verbs'."""
    source = (ROOT / "src/cli/meanings.def").read_text()
    wrong = []
    for name, value in re.findall(r'^MEANING\("([\w-]+)", (NULL|"[^"]*"),', source, re.MULTILINE):
        found = named.get(f"--{name}", {})
        value = None if value == "NULL" else value.strip('"')
        if sum(map(len, found.values())) < 2:
            wrong.append(f"--{name}: declared, but {sum(map(len, found.values()))} verbs have it")
        wrong += [f"--{name} {key[0]}: declared with {value}" for key in found if key[0] != value]
    return wrong


def misfits(verb, options):
    """What is wrong with the page of a verb."""
    page = run("help", verb)
    lines = page.splitlines()
    wrong = [f"{verb}: {len(line)} columns: {line}" for line in lines if len(line) > COLUMNS]
    if len(lines) > LINES:
        wrong.append(f"{verb}: {len(lines)} lines")
    words = set(re.findall(r"(?<![\w-])--?([\w-]+)", page))
    return wrong + [f"{verb}: names no --{name}" for name in options if name not in words]


def main():
    listed = rows()
    tables = {}
    for row in listed:
        tables.setdefault(row["of"], {}).setdefault(row["name"].lstrip("-"), row.get("argument") or "")
    path = ROOT / "docs" / "options.md"
    if os.environ.get("SPOOR_ACCEPT"):
        path.write_text(table(listed, tables))
    number = failed = 0

    def expect(title, wrong):
        nonlocal number, failed
        number += 1
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {title}")
        print("".join(f"# {line}\n" for line in wrong), end="")

    print("1..10")
    expect("docs/options.md is the program's table", [] if path.read_text() == table(listed, tables) else
           ["it differs: SPOOR_ACCEPT=1 writes it"])
    expect("no verb has an old name", [f"{verb} --{name}" for verb in tables for name in OLD if name in tables[verb]])
    expect("every verb has --list WHAT and --json",
           [verb for verb, options in tables.items() if options.get("list") != "WHAT" or "json" not in options])
    expect("every simulator has --sweep, --where, --records, -o, --csv, --table",
           [f"{verb} --{name}" for verb in SIMULATORS for name in
            ("sweep", "where", "records", "output", "csv", "table", "wide") if name not in tables[verb]])
    expect("verbs with --csv have --table, --wide and -o",
           [f"{verb} --{name}" for verb, options in tables.items() if "csv" in options and verb != "print"
            for name in ("table", "wide", "output") if name not in options])
    named = meanings(listed)
    expect("an option has one value and one meaning", [
        f"{name} {value or ''}: {meaning} ({', '.join(having)})" for name, found in named.items()
        if len({key[:2] for key in found}) > 1 for (value, meaning, _), having in found.items()])
    letters = {}
    for row in listed:
        if row.get("letter") and row["name"].startswith("--"):
            letters.setdefault(row["letter"], set()).add(row["name"])
    expect("a letter stands for one option, and an option has one letter", [
        f"-{letter}: {', '.join(sorted(names))}" for letter, names in letters.items() if len(names) > 1] + [
        f"{name}: {[key[2] for key in found]}" for name, found in named.items()
        if len({key[2] for key in found}) > 1])
    expect("the meanings that the program declares are those that it has", declared(named))
    expect("help of a verb fits on a screen, and names all its options", [
        line for verb in tables for line in misfits(verb, tables[verb])])
    with tempfile.TemporaryDirectory() as empty:
        expect("verbs whose operands are traces alone expand folders", [verb for verb in tables if takes_traces(verb)
               and "the folder has no file" not in subprocess.run([SPOOR, verb, empty], check=False, text=True,
                                                                 capture_output=True).stderr])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

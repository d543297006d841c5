#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""options.py SPOOR ROOT: compare the option tables of all verbs with docs/options.md; prints TAP.

One name is one thing: an option of the table below has the same value in every verb that has it, and
no verb has an old name.  SPOOR_ACCEPT=1 writes the table.
"""
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
OLD = ["warm-up", "params", "presets", "list-rules", "list-tolerances", "list-classes", "list-presets"]
SIMULATORS = ["cache", "tlb", "page", "branch", "pipe"]
HEAD = """\
# Verbs and options

A cell with a dot: the verb has the option. All verbs have `--from`, `--dialect`, `--isa`, `--threads`,
`--memory`, `--quiet`, `--json`, `--color`, `--list WHAT` and `--help`. A test compares this table with the
program's (`tests/cli/options.py`).

"""


def run(*words):
    return subprocess.run([SPOOR, *words], check=True, capture_output=True, text=True).stdout


def verbs():
    listed = run("help").split("Verbs:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "]


def options_of(verb):
    """{name: value} of the verb's help."""
    found = {}
    for line in run(verb, "--help").splitlines():
        match = re.match(r"  (?:-\w, |    )--([\w-]+)(?: (\S+))?", line)
        if match and match.group(1) not in found:
            found[match.group(1)] = match.group(2) or ""
    return found


def takes_traces(verb):
    usage = run(verb, "--help").splitlines()[0].split("[OPTION]... ")[-1]
    return usage in ("TRACE...", "[TRACE...]")


def table(tables):
    lines = ["| verb | " + " | ".join(f"`--{name}`" for name in SHOWN) + " |",
             "|---|" + ":-:|" * len(SHOWN)]
    for verb, options in tables.items():
        lines.append(f"| `{verb}` | " + " | ".join("•" if name in options else "" for name in SHOWN) + " |")
    return HEAD + "\n".join(lines) + "\n"


def main():
    tables = {verb: options_of(verb) for verb in verbs()}
    path = ROOT / "docs" / "options.md"
    if os.environ.get("SPOOR_ACCEPT"):
        path.write_text(table(tables))
    number = failed = 0

    def expect(title, wrong):
        nonlocal number, failed
        number += 1
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {title}")
        print("".join(f"# {line}\n" for line in wrong), end="")

    print("1..7")
    expect("docs/options.md is the program's table", [] if path.read_text() == table(tables) else
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
    kinds = {"records": {"A:B"}, "limit": {"N"}, "warmup": {"N"}, "top": {"N"}, "list": {"WHAT"},
             "sweep": {"KEY=VALUES", "NAME=VALUES"}, "output": {"FILE"}}
    expect("one name is one thing", [f"{verb} --{name} {options[name]}" for verb, options in tables.items()
                                     for name in kinds if name in options and options[name] not in kinds[name]])
    with tempfile.TemporaryDirectory() as empty:
        expect("verbs whose operands are traces alone expand folders", [verb for verb in tables if takes_traces(verb)
               and "the folder has no file" not in subprocess.run([SPOOR, verb, empty], check=False, text=True,
                                                                 capture_output=True).stderr])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

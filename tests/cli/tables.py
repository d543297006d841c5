#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tables.py SPOOR ROOT: tables of results as CSV; prints TAP.

Walks all verbs with --csv.  CSV of two traces has one line of keys with a column `trace`, and the rows
of both; every table of --json is reachable by --table, and a table that is not there is wrong usage.
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from built import fold_plugin
from schema_runs import FILES

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
A64, UOP = f"{ROOT}/examples/sort-aarch64.tarmac.xz", f"{ROOT}/examples/sort.uop.xz"
# verb: trace, words after the traces, table for CSV (None: the first; "": without a table, a row for
# each trace)
RUNS = {
    "info": (UOP, [], ""), "check": ("damaged.uop", ["-f", "uop"], None), "mix": (UOP, [], None),
    "cache": (UOP, [], None), "tlb": (UOP, [], None), "page": (UOP, ["--sweep", "frames=2,4"], None),
    "branch": (UOP, [], None), "pipe": (UOP, ["--sweep", "rob=16,32"], None),
    "state": (A64, ["--no-index"], "cpus"), "who": (A64, ["--no-index", "x0"], None),
    "stack": (A64, ["--no-index", "--at", "line:9000"], None),
    "slice": (A64, ["--no-index", "x0"], None), "calls": (A64, ["--no-index"], None),
    "why": ("fault.tarmac", ["--no-index"], "registers"),
    "profile": (A64, ["--no-index"], None), "exceptions": ("taken.tarmac", ["--no-index"], None),
    "phases": (UOP, ["--interval", "2000"], None), "stats": ("cache.tarmac", [], None),
    "strings": (A64, [], None), "values": (A64, [], None),
    "fold": (A64, fold_plugin(SPOOR).split(), None),
}
# Verbs with --csv that make one result of all their operands, and what they do with them.
ONE_RESULT = {"formats": "no trace", "describe": "one log", "print": "rows of records: one header anyhow",
              "diff": "compares", "coverage": "adds up", "annotate": "one trace", "sql": "the query says", "index": "one trace",
              "sweep": "a study"}


def run(folder, verb, *words):
    return subprocess.run([SPOOR, verb, "-q", *words], cwd=folder, stdin=subprocess.DEVNULL, check=False,
                          capture_output=True, text=True, timeout=120)


def verbs():
    listed = subprocess.run([SPOOR, "help", "--list", "verbs"], check=True, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in listed.splitlines()[1:]]
    return [name for name in names if "--csv" in
            subprocess.run([SPOOR, name, "--help"], check=True, capture_output=True, text=True).stdout]


def tables(value, key=None):
    """The keys of the arrays of objects in a result."""
    if isinstance(value, dict):
        return {name for inner, item in value.items() for name in tables(item, inner)}
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return set()
    return {name for item in value for name in tables(item)} | ({key} if key else set())


def check(folder, verb):
    trace, words, table = RUNS[verb]
    if verb == "stats":
        words = ["cache", trace]
        both = ["cache", trace, trace]
    else:
        both = [trace, trace, *words]
        words = [trace, *words]
    chosen = ["--table", table] if table else []
    rows = [list(csv.reader(io.StringIO(run(folder, verb, "--csv", *chosen, *them).stdout)))
            for them in (words, both)]
    found = []
    if not rows[1] or rows[1][0][0] != "trace":
        found.append(f"--csv of two traces: the first column is {rows[1][:1]}, expected trace")
    elif rows[1].count(rows[1][0]) != 1:
        found.append("--csv of two traces: more than one line of keys")
    elif len(rows[1]) - 1 != 2 * (1 if table == "" else len(rows[0]) - 1) or len(rows[0]) < 2:
        found.append(f"--csv of two traces: {len(rows[1]) - 1} rows, of one: {len(rows[0]) - 1}")
    elif {row[0] for row in rows[1][1:]} != {trace}:
        found.append("--csv of two traces: the column trace does not name the trace")
    result = json.loads(run(folder, verb, "--json", *words).stdout)
    names = tables(result) if verb != "calls" else {"calls"}
    for name in sorted(names):
        for them in (words, both):
            done = run(folder, verb, "--csv", "--table", name, *them)
            if done.returncode not in (0, 1, 3) or not done.stdout:
                found.append(f"--table {name}: exit code {done.returncode}: {done.stderr.strip()}")
    if run(folder, verb, "--csv", "--table", "nonsense", *words).returncode == 0:
        found.append("--table nonsense: expected wrong usage")
    return found


def main():
    known = [verb for verb in verbs() if verb not in ONE_RESULT]
    print(f"1..{len(known) + 1}")
    unknown = sorted(set(known) ^ set(RUNS))
    print(f"{'not ok' if unknown else 'ok'} 1 - this test knows the verbs with --csv", *unknown)
    failed = bool(unknown)
    with tempfile.TemporaryDirectory(prefix="spoor-tables-") as folder:
        for name, text in FILES.items():
            (Path(folder) / name).write_text(text)
        for number, verb in enumerate(known, 2):
            found = check(folder, verb) if verb in RUNS else ["not known"]
            failed |= bool(found)
            print(f"{'not ok' if found else 'ok'} {number} - {verb}")
            print("".join(f"# {line}\n" for line in found), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

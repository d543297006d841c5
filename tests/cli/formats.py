#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""formats.py SPOOR ROOT: the table of formats in docs/formats/README.md is that of `spoor formats --readme`, and
each sample that it names is a trace of its format; prints TAP.  SPOOR_ACCEPT=1 writes the table."""
import json
import os
import subprocess
import sys
from pathlib import Path

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
SHARED = Path(os.environ.get("SPOOR_SHARED", ROOT.parent / "shared"))
BEGIN, END = "<!-- formats -->\n", "<!-- /formats -->\n"


def spoor(*words):
    return subprocess.run([SPOOR, *words], stdout=subprocess.PIPE, check=False).stdout.decode()


def compare(table):
    path = ROOT / "docs/formats/README.md"
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    stated, after = rest.split(END)
    if os.environ.get("SPOOR_ACCEPT"):
        path.write_text(before + BEGIN + table + END + after, encoding="utf-8")
        return True
    return stated == table


def is_of(name, sample):
    path = SHARED / sample[len("shared/"):] if sample.startswith("shared/") else ROOT / sample
    if not path.exists():
        return True  # the published traces are not everywhere
    words = spoor("info", "-q", "--json", "--records", "0:3", str(path))
    return words != "" and json.loads(words)["format"] == name


def main():
    table = spoor("formats", "--readme")
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    names = [row["name"] for row in json.loads(spoor("formats", "--json"))]
    wrong = [row[0] for row in rows if row[-1] and not is_of(row[0], row[-1])]
    good = [compare(table), [row[0] for row in rows] == names, not wrong]
    titles = ["docs/formats/README.md has the table", "it has every format", f"samples are of their formats {wrong or ''}"]
    print(f"1..{len(good)}")
    for number, (is_good, title) in enumerate(zip(good, titles), 1):
        print(f"{'ok' if is_good else 'not ok'} {number} - {title}")
    return 0 if all(good) else 1


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""answers.py SPOOR ROOT EXTENSION: questions in SQL against what the other verbs say; prints TAP.

With an index and without it the answers must be the same, whatever the condition.  EXTENSION is
the path of the loadable extension.
"""
import json
import lzma
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TRACES = ["sort.tarmac.xz", "sort-aarch64.tarmac.xz", "list.matcher.xz", "search.uop.xz",
          "sort.byu12.xz", "search.lackey.xz"]
OPERATORS = ["=", "<", "<=", ">", ">=", "<>"]
number = 0


def report(good, what, *details):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {what}")
    if not good:
        for detail in details:
            print("#", str(detail)[:2000].replace("\n", "\n# "))


def skip(what, why):
    global number
    number += 1
    print(f"ok {number} - {what} # SKIP {why}")


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=100)
    return done.stdout + done.stderr


def ask(spoor, trace, statement, *options):
    return run(spoor, "sql", "--csv", "--no-header", *options, trace, statement).strip()


def counts_are_those_of_info(spoor, root, trace):
    path = root / "examples" / trace
    info = json.loads(run(spoor, "info", "--json", path))
    found = ask(spoor, path, "select count(*) from record", "--no-index")
    report(found == str(info["records"]), f"{trace}: records", found, info["records"])


def columns_are_those_of_print(spoor, root, trace):
    path = root / "examples" / trace
    printed = run(spoor, "print", "--jsonl", "--records", "100:160", path).splitlines()
    expected = [[record["record"], record["kind"]] for record in map(json.loads, printed)]
    rows = json.loads(run(spoor, "sql", "--json", "--no-index", path,
                          "select record, kind from record where record between 100 and 160"))
    report([[row["record"], row["kind"]] for row in rows] == expected, f"{trace}: rows", rows[:3],
           expected[:3])


def conditions(rows):
    """Conditions with values that the trace has, so that they select something."""
    made = []
    for _ in range(6):
        row = random.choice(rows)
        parts = []
        for column in random.sample(["record", "time", "pc", "addr", "kind", "cpu"], 2):
            value = row[column]
            if value is None:
                continue
            text = f"'{value}'" if isinstance(value, str) else value
            parts.append(f'"{column}" {random.choice(OPERATORS)} {text}')
        made.append(random.choice([" and ", " or "]).join(parts) or "1")
    return made


def an_index_changes_nothing(spoor, root, trace, folder):
    copy = Path(folder) / trace.removesuffix(".xz")
    content = lzma.open(root / "examples" / trace).read()
    copy.write_bytes(content * (1 + (12 << 20) // len(content)))  # several segments
    run(spoor, "index", "-q", copy)
    rows = json.loads(run(spoor, "sql", "--json", "--no-index", copy,
                          "select record, time, pc, addr, kind, cpu from record "
                          "where record % 97 = 0"))
    wrong = []
    for condition in conditions(rows):
        statement = f"select count(*), sum(record), min(line) from record where {condition}"
        with_index, without = ask(spoor, copy, statement), ask(spoor, copy, statement, "--no-index")
        # "+record" keeps SQLite from passing the condition on
        straight = ask(spoor, copy, statement.replace('"record"', '+"record"')
                       .replace('"pc"', '+"pc"').replace('"addr"', '+"addr"')
                       .replace('"time"', '+"time"').replace('"kind"', '+"kind"')
                       .replace('"cpu"', '+"cpu"'), "--no-index")
        if not with_index == without == straight:
            wrong.append((statement, with_index, without, straight))
    report(not wrong, f"{trace}: conditions", *wrong)


def functions_give_tables(spoor, root):
    path = root / "examples/sort-aarch64.tarmac.xz"
    state = json.loads(run(spoor, "state", "--json", "--no-index", "--at", "record:1000", path))
    rows = json.loads(run(spoor, "sql", "--json", "--no-index", path,
                          "select register, value from state('record:1000')"))
    expected = state["cpus"][0]["registers"]
    report({row["register"]: row["value"] for row in rows} == expected, "state()", rows, expected)
    who = json.loads(run(spoor, "who", "--json", "--no-index", "--all", "--before", "record:1000",
                         path, "x0"))
    found = json.loads(run(spoor, "sql", "--json", "--no-index", path,
                           "select record from writers('x0', 'record:1000') "
                           "where access <> 'read' order by record desc"))
    report([row["record"] for row in found] == [write["record"] for write in who["writes"]],
           "writers()", found[:5], who["writes"][:5])


def errors_are_sentences(spoor, root):
    path = root / "examples/sort.tarmac.xz"
    for statement, expected in (("selec 1", 'near "selec"'), ("select nothing from insn", "nothing"),
                                ("select * from writers()", "expected writers("),
                                ("select * from writers('nonsense')", "found 'nonsense'"),
                                ("select * from state('yesterday')", "found 'yesterday'")):
        found = run(spoor, "sql", "--no-index", path, statement)
        report(found.startswith("spoor: ") and expected in found, statement, found)


def the_extension_has_the_same_tables(spoor, root, extension):
    path = root / "examples/sort.tarmac.xz"
    if not shutil.which("sqlite3"):
        skip("extension", "sqlite3 is not installed")
        return
    found = run("sqlite3", "-cmd", f".load {extension.removesuffix('.so')}", ":memory:",
                f"select spoor_open('{path}'); select count(*), sum(pc) from insn")
    if any(word in found for word in ("ASan runtime", "static TLS block", "__sanitizer", "__sancov")):
        skip("extension", "sqlite3 cannot load what has a sanitizer")
        return
    expected = ask(spoor, path, "select count(*), sum(pc) from insn", "--no-index")
    report(found.split()[-1] == expected.replace(",", "|"), "extension", found, expected)


def main(spoor, root, extension):
    root = Path(root)
    random.seed(23)
    for trace in TRACES:
        counts_are_those_of_info(spoor, root, trace)
        columns_are_those_of_print(spoor, root, trace)
    with tempfile.TemporaryDirectory() as folder:
        for trace in TRACES[1:4]:
            an_index_changes_nothing(spoor, root, trace, folder)
    functions_give_tables(spoor, root)
    errors_are_sentences(spoor, root)
    the_extension_has_the_same_tables(spoor, root, extension)
    print(f"1..{max(number, 1)}")


main(*sys.argv[1:])

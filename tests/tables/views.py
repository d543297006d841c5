#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""views.py SPOOR ROOT: the predefined views of SQL; prints TAP.

Their values are computed here from the text of the traces, without spoor: the addresses of lackey
(valgrind's own format) and the fields of micro-ops (CIS 501's).  Functions come from a list of symbols
that is written here.  The table that `mispredicted` reads, hard_branches(), is compared with the
two-bit counters of Smith (1981) and McFarling's gshare (1993), which are computed here, and so is the
view's own statement with these predictors in place of its own, TAGE-SC-L.  With that, the view counts how
often each branch was executed, is compared with `spoor branch`, another reader of the same predictor, and
(cases/branch.case) with what the published program of TAGE-SC-L counts.
"""
import csv
import json
import lzma
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

LINE = 64
PC, FLAGS, BRANCH, ACCESS, ADDRESS = 1, 5, 6, 7, 9  # fields of a micro-op
number = 0


def report(name, found, expected):
    global number
    number += 1
    good = bool(expected) and found == expected
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    if not good:
        print("#", str(found)[:1000], "\n# expected", str(expected)[:1000])


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL).stdout


def ask(spoor, trace, statement, *options):
    """Tuples of the columns' values; None: NULL, which JSON leaves out."""
    words = ["--no-index", *options, trace, statement]
    columns = next(csv.reader([run(spoor, "sql", "--csv", *words).partition("\n")[0]]))
    return [tuple(row.get(column) for column in columns)
            for row in json.loads(run(spoor, "sql", "--json", *words))]


def ordered(spoor, trace, view, column, *options):
    """The rows of a view as a set; they must be ordered by this column, the largest first."""
    rows = ask(spoor, trace, f"select * from {view}", *options)
    values = [row[column] for row in rows]
    return sorted(rows, key=str) if values == sorted(values, reverse=True) else f"{view}: order"


def rows_of(mapping):
    return sorted(mapping, key=str)


def lackey(path):
    """(pc, is a write, address) of each access, and the pcs of all instructions; a modification
    reads and writes."""
    pc, accesses, executed = None, [], []
    for line in lzma.open(path, "rt"):
        if line.startswith("=="):
            continue
        kind, place = line.split()
        address = int(place.partition(",")[0], 16)
        if kind == "I":
            pc = address
            executed.append(pc)
            continue
        accesses += [(pc, False, address)] * (kind in "LM") + [(pc, True, address)] * (kind in "SM")
    return accesses, executed


def micro_ops(path):
    """Lists of the fields of each micro-op."""
    return [line.split() for line in lzma.open(path, "rt") if line.strip()]


def uop_accesses(ops):
    return [(int(op[PC], 16), op[ACCESS] == "S", int(op[ADDRESS], 16)) for op in ops if op[ACCESS] != "-"]


def check_accesses(spoor, trace, accesses):
    lines = Counter(address & -LINE for _, _, address in accesses)
    writes = Counter(address & -LINE for _, write, address in accesses if write)
    report(f"{trace.name}: hot_lines", ordered(spoor, trace, "hot_lines", 1),
           rows_of((f"0x{line:x}", count, writes[line]) for line, count in lines.items()))
    before, strides = {}, Counter()
    for pc, _, address in accesses:
        if pc in before:
            strides[address - before[pc]] += 1
        before[pc] = address
    report(f"{trace.name}: strides", ordered(spoor, trace, "strides", 1), rows_of(strides.items()))


def check_code(spoor, trace, executed):
    report(f"{trace.name}: hot_code", ordered(spoor, trace, "hot_code", 2),
           rows_of((f"0x{pc:x}", None, count) for pc, count in Counter(executed).items()))


def check_functions(spoor, trace, executed, folder):
    """Symbols at every 16th of the addresses that the program executed."""
    starts = sorted(set(executed))[::16]
    symbols = folder / "symbols.txt"
    symbols.write_text("".join(f"{start:x} T part{i}\n" for i, start in enumerate(starts)))
    counts = Counter(f"part{max(i for i, start in enumerate(starts) if start <= pc)}" for pc in executed)
    report(f"{trace.name}: top_functions",
           ordered(spoor, trace, "top_functions", 1, "--image", symbols), rows_of(counts.items()))


def conditionals(ops):
    """(pc, taken) of the conditional branches, which read the flags."""
    return [(int(op[PC], 16), op[BRANCH] == "T") for op in ops if op[BRANCH] != "-" and op[FLAGS] == "R"]


def check_branches(spoor, trace, ops):
    executed, taken = Counter(), Counter()
    for pc, was_taken in conditionals(ops):
        executed[pc] += 1
        taken[pc] += was_taken
    report(f"{trace.name}: branch_bias", ordered(spoor, trace, "branch_bias", 2),
           rows_of((f"0x{pc:x}", None, count, taken[pc], round(taken[pc] / count, 4))
                   for pc, count in executed.items()))


def mispredictions(branches, bits, history_bits):
    """(executed, mispredicted) by pc: two-bit counters that begin at 1, indexed by the pc without its two
    low bits, exclusive-or the last outcomes, the newest in bit 0."""
    counters, history = [1] * (1 << bits), 0
    executed, wrong = Counter(), Counter()
    for pc, taken in branches:
        at = (pc >> 2 ^ history) % len(counters)
        executed[pc] += 1
        wrong[pc] += (counters[at] >= 2) != taken
        counters[at] = min(counters[at] + 1, 3) if taken else max(counters[at] - 1, 0)
        history = (history << 1 | taken) % (1 << history_bits)
    return executed, wrong


def check_hard_branches(spoor, trace, ops, predictor, bits, history_bits):
    executed, wrong = mispredictions(conditionals(ops), bits, history_bits)
    total = sum(wrong.values())
    rows = ask(spoor, trace, "select pc, executions, wrong_1, round(total_ratio, 9) from "
                             f"hard_branches('{predictor}') where wrong_1 > 0")
    counts = [row[2] for row in rows]
    report(f"{trace.name}: hard_branches of {predictor}",
           sorted(rows) if counts == sorted(counts, reverse=True) else "order",
           sorted((f"0x{pc:x}", executed[pc], count, round(count / total, 9))
                  for pc, count in wrong.items() if count))


def check_statement(spoor, trace, ops, predictor, bits, history_bits):
    """The statement that the view `mispredicted` is, with another predictor."""
    executed, wrong = mispredictions(conditionals(ops), bits, history_bits)
    (statement,), = ask(spoor, trace, "select sql from sqlite_schema where name = 'mispredicted'")
    statement = statement.partition(" AS ")[2].replace("'tage-sc-l'", f"'{predictor}'")
    rows = ask(spoor, trace, f"select * from ({statement}) where wrong > 0")
    counts = [row[3] for row in rows]
    report(f"{trace.name}: mispredicted with {predictor}",
           sorted(rows) if predictor in statement and counts == sorted(counts, reverse=True) else statement,
           sorted((f"0x{pc:x}", None, executed[pc], count, round(count / sum(wrong.values()), 4))
                  for pc, count in wrong.items() if count))


def check_mispredicted(spoor, trace, ops):
    rows = ask(spoor, trace, "select * from mispredicted")
    executed = Counter(f"0x{pc:x}" for pc, _ in conditionals(ops))
    report(f"{trace.name}: mispredicted: executed", [row[2] for row in rows],
           [executed[row[0]] for row in rows])
    told = json.loads(run(spoor, "branch", "--json", "-p", "tage-sc-l", "--hardest", "--top", "1000", trace))
    report(f"{trace.name}: mispredicted",
           [row[:1] + row[2:4] for row in rows if row[3]],
           [(row["pc"], row["executions"], row["wrong_1"]) for row in told["hardest"] if row["wrong_1"]])


def main(spoor, root, folder):
    trace = root / "examples/sort.lackey.xz"
    accesses, executed = lackey(trace)
    check_accesses(spoor, trace, accesses)
    check_code(spoor, trace, executed)
    check_functions(spoor, trace, executed, folder)
    trace = root / "examples/search.uop.xz"
    fields = micro_ops(trace)
    check_accesses(spoor, trace, uop_accesses(fields))
    check_code(spoor, trace, [int(op[PC], 16) for op in fields])  # a row for each micro-op
    check_branches(spoor, trace, fields)
    check_hard_branches(spoor, trace, fields, "bimodal:bits=6", 6, 0)
    check_hard_branches(spoor, trace, fields, "gshare:bits=12,history=10", 12, 10)
    check_statement(spoor, trace, fields, "bimodal:bits=6", 6, 0)
    check_statement(spoor, trace, fields, "gshare:bits=12,history=10", 12, 10)
    check_mispredicted(spoor, trace, fields)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(sys.argv[1], Path(sys.argv[2]), Path(made))
    print(f"1..{number}")

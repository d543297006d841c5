#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""answers.py SPOOR ROOT EXTENSION: questions in SQL against what the other verbs say; prints TAP.

With an index and without it the answers must be the same, whatever the condition.  EXTENSION is
the path of the loadable extension.
"""
import csv
import io
import json
import lzma
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "columns"))
from parquet import File  # noqa: E402

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
    rows = json.loads(run(spoor, "sql", "--json", "--no-index", path,
                          "select * from record where record between 100 and 160"))
    flags = ["exclusive", "translated", "locked", "privileged"]  # print leaves out those that are not set

    def shown(row):
        return {key: value for key, value in row.items() if key not in flags or value}
    rows, expected = [shown(row) for row in rows], [shown(json.loads(line)) for line in printed]
    report(rows == expected and len(rows) == 61, f"{trace}: rows", rows[:3], expected[:3])


def conditions(rows):
    """Conditions with values that the trace has, so that they select something."""
    made = []
    for _ in range(6):
        row = random.choice(rows)
        parts = []
        for column in random.sample(["record", "time", "pc", "addr", "kind", "cpu"], 2):
            value = row.get(column)
            if value is None:
                continue
            is_address = column in ("pc", "addr")
            text = int(value, 16) if is_address else f"'{value}'" if isinstance(value, str) else value
            parts.append(f'"{column}" {random.choice(OPERATORS)} {text}')
        made.append(random.choice([" and ", " or "]).join(parts) or "1")
    return made


def constants_compare_as_sqlite_says(spoor, root):
    """Numbers in either notation, beyond 63 bits and below 0, and what is no number: the scan checks some of these alone."""
    trace = root / "examples" / "list-aarch64.tarmac.xz"
    middle = ask(spoor, trace, "select max(pc) / 2 + min(pc) / 2 from record")
    values = (middle, hex(int(middle)), "0x4000000000", "'0x4000000000'", "'0x40'", "-5", "-0x10", "0x8000000000000000",
              "0xffffffffffffffff", "'abc'", "x'40'", "3.5", "NULL", "100")
    wrong = []
    for column in "pc", "addr", "record", "time":
        counts = ", ".join(f"count(case when +{column} {operator} {value} then 1 end)" for value in values for operator in OPERATORS)
        straight = ask(spoor, trace, f"select {counts} from record").split(",")
        pairs = [(value, operator) for value in values for operator in OPERATORS]
        pushed = ask(spoor, trace, " union all ".join(
            f"select * from (select count(*) from record where {column} {operator} {value})" for value, operator in pairs)).split()
        wrong += [(column, *pair, a, b) for pair, a, b in zip(pairs, straight, pushed) if a != b]
        report(len(straight) == len(pushed) == len(pairs), f"{column}: counts", len(straight), len(pushed), pushed[:3])
    report(not wrong, "constants of every sort", *wrong)


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


def explain_says_what_is_skipped(spoor, root, folder):
    """A record lies in one segment; the segments that are there are those of another question."""
    trace = Path(folder) / "search.uop.xz"
    shutil.copy(root / "examples" / trace.name, trace)
    run(spoor, "index", "-q", trace)
    condition = "where record = 5000"
    told = run(spoor, "sql", "--explain", trace, f"select pc from uop {condition}")
    found = re.search(r"records 5000 to 5000: kind = uop: (\d+) of (\d+) segments are skipped", told)
    report(found and int(found[2]) > 1 and int(found[1]) == int(found[2]) - 1,
           "--explain: all segments but one are skipped", told)
    for options, statement, expected in [
            (["--no-index"], f"select pc from uop {condition}", "no segment is skipped"),
            ([], "select pc from uop where record = -1", "no record can match: nothing is read"),
            ([], "select count(*) from record", "no condition, the whole trace is read")]:
        told = run(spoor, "sql", "--explain", *options, trace, statement)
        report(f"{trace}: " in told and expected in told, f"--explain: {expected}", told)
    told = run(spoor, "sql", trace, f"select pc from uop {condition}")
    report("segments" not in told, "without --explain, nothing is said", told)


def joins_find_their_rows(spoor, root, folder):
    """Rows beside each other, forwards and backwards, are those that a window function sees."""
    trace = Path(folder) / "sort.tarmac.xz"
    shutil.copy(root / "examples" / trace.name, trace)
    beside = ("select count(*), sum(b.pc - a.pc) from insn a, record b "
              "where b.kind = 'insn' and b.record = {} and a.record < 3000")
    first = ("with i as (select record, pc, lead(record) over w r, lead(pc) over w p from insn window w as "
             "(order by record)) select count(*), sum(p - pc) from i where r = record + 1 and record < 3000")
    turned = ("select count(*), sum(abs(b.record - a.record)) from insn a, insn b "
              "where b.record = 400 - a.record and a.record <= 400")
    every = ("with i as (select record from insn where record <= 400) select count(*), "
             "sum(abs(b.record - a.record)) from i a, i b where b.record = 400 - a.record")
    expected = [ask(spoor, trace, statement, "--no-index") for statement in (first, every)]
    for kind in ("without an index", "with an index"):
        options = ["--no-index"] if kind.startswith("without") else []
        if not options:
            run(spoor, "index", "-q", trace)
        found = [ask(spoor, trace, statement, *options) for statement in
                 (beside.format("a.record + 1"), turned)]
        report(found == expected and not found[0].startswith("0"), f"joins by record {kind}", found,
               expected)


def functions_give_tables(spoor, root):
    path = root / "examples/sort-aarch64.tarmac.xz"
    state = json.loads(run(spoor, "state", "--json", "--no-index", "--at", "record:1000", path))
    rows = json.loads(run(spoor, "sql", "--json", "--no-index", path,
                          "select register, value from state('record:1000')"))
    expected = state["cpus"][0]["registers"]
    report({row["register"]: row["value"] for row in rows} == expected, "state()", rows, expected)
    who = json.loads(run(spoor, "who", "--json", "--no-index", "--all", "--at", "record:1000",
                         path, "x0"))
    found = json.loads(run(spoor, "sql", "--json", "--no-index", path,
                           "select record from writers('x0', 'record:1000') "
                           "where access <> 'read' order by record desc"))
    report([row["record"] for row in found] == [write["record"] for write in who["writes"]],
           "writers()", found[:5], who["writes"][:5])


def tools_give_tables(spoor, root):
    path, other = root / "examples/list.uop.xz", root / "examples/sort.uop.xz"

    def rows(statement):
        return json.loads(run(spoor, "sql", "--json", "--no-index", path, other, statement))
    caches = json.loads(run(spoor, "cache", "--json", "-l", "l1d:1K,2,64", "-l", "l2:8K,4,64", other))["caches"]
    found = rows("select * from simulate_cache('l1d:1K,2,64 l2:8K,4,64', 't2')")
    report(found == [{key: cache[key] for key in found[0]} for cache in caches], "simulate_cache()",
           found, caches)
    branch = json.loads(run(spoor, "branch", "--json", "-p", "bimodal", "-p", "gshare", "--hardest", path))
    found = rows("select * from simulate_branch('bimodal gshare')")
    report(found == branch["predictors"], "simulate_branch()", found, branch["predictors"])
    found = rows("select pc, wrong_1 from hard_branches('bimodal', 'main') limit 10")
    report([(row["pc"], row["wrong_1"]) for row in found] ==
           [(row["pc"], row["wrong_1"]) for row in branch["hardest"]], "hard_branches()", found)
    opcodes = json.loads(run(spoor, "profile", "--json", "--by", "opcode", other))["opcodes"]
    found = rows("select opcode, exclusive from profile('opcode', 't2')")
    report(len(found) >= len(opcodes) > 5 and found[0]["exclusive"] == opcodes[0]["exclusive"],
           "profile()", found[:3], opcodes[:3])
    report(rows("select count(*) n from diff('t1')") == [{"n": 0}] and
           rows("select count(*) n from diff('t2')")[0]["n"] > 0, "diff()")
    states = rows("select count(*) n from state('end', 't1') union all select count(*) from state('end', 't2')")
    report(len(states) == 2, "state() of each trace", states)
    views = rows("select count(*) n from mispredicted union all select count(*) from t2.mispredicted")
    report(all(row["n"] > 0 for row in views), "mispredicted", views)


def filled(columns, rows):
    """The columns of which some row has a value."""
    return [column for i, column in enumerate(columns) if any(row[i] not in (None, "") for row in rows)]


def reports_have_the_same_columns(spoor, root, folder):
    """CSV, Parquet and SQL, of one report: names, order, and values."""
    a64, uop, taken = root / "examples/sort-aarch64.tarmac.xz", root / "examples/sort.uop.xz", Path(folder) / "tasks.tarmac"
    taken.write_text(TASKS)
    image = ["--image", root / "examples/programs/sort-aarch64.elf"]
    pair = root / "examples/sort.tarmac.xz", root / "examples/list.tarmac.xz"
    for verb, table, words, function in (
            ("cache", "caches", ["-l", "l1d:1K,2,64", "-l", "l2:8K,4,64", uop], "simulate_cache('l1d:1K,2,64 l2:8K,4,64')"),
            ("branch", "predictors", ["-p", "bimodal", "-p", "gshare", uop], "simulate_branch('bimodal gshare')"),
            ("branch", "hardest", ["-p", "bimodal", "--hardest", "--top", "1000", uop], "hard_branches('bimodal')"),
            ("profile", "functions", ["--no-index", "--all", *image, a64], "profile('function')"),
            ("profile", "opcodes", ["--no-index", "--all", a64], "profile('opcode')"),
            ("profile", "lines", ["--no-index", "--all", *image, a64], "profile('line')"),
            ("exceptions", "exceptions", ["--no-index", taken], "exceptions()"),
            ("exceptions", "kinds", ["--no-index", taken], "exception_kinds()"),
            ("diff", "differences", ["--top", "1000", *pair], "diff('t2')")):
        by = ["--by", function.split("'")[1]] if verb == "profile" else []
        traces = [word for word in words if isinstance(word, Path) and word.suffix != ".elf"]
        written = Path(folder) / "report.parquet"
        printed = list(csv.reader(io.StringIO(run(spoor, verb, "-q", "--csv", "--table", table, *by, *words))))
        run(spoor, verb, "-q", "--parquet", "-o", written, "--table", table, *by, *words)
        parquet = File(written.read_bytes())
        asked = list(csv.reader(io.StringIO(run(spoor, "sql", "-q", "--csv", "--no-index", *(image if image[1] in words else []),
                                                *traces, f"select * from {function}"))))
        names = [column.replace(".", "_") for column in filled(printed[0], printed[1:])]
        columns = [column.name.replace(".", "_") for column in parquet.columns
                   if any(value not in (None, b"", "") for value in column.values)]
        found = filled(asked[0], asked[1:])
        report(sorted(names) == sorted(columns) == sorted(found) and len(asked) == len(printed) > 1,
               f"columns of {verb} {table}", names, columns, found, len(printed), len(asked))
        flags = {"true": "1", "false": "0"}  # SQLite has no such type
        cells = [[[flags.get(row[head.index(name)], row[head.index(name)]) for name in sorted(names)] for row in rows] for head, rows in
                 (([name.replace(".", "_") for name in printed[0]], printed[1:]), (asked[0], asked[1:]))
                 if set(names) <= set(head)]
        report(len(cells) == 2 and cells[0] == cells[1], f"values of {verb} {table}",
               *[pair for pair in zip(*cells) if pair[0] != pair[1]][:2])


TASKS = """\
1 clk IT (1) 00001000 bf00 T thread : NOP
1 clk E 00001002 00000010 CoreEvent_EXT_INT0
1 clk R r14 fffffffd
5 clk IT (2) 00002000 bf00 T handler : NOP
6 clk E 00002002 00000011 CoreEvent_EXT_INT1
6 clk R r14 fffffff1
8 clk IT (3) 00003000 4770 T handler : BX lr
9 clk IT (4) 00002002 4770 T handler : BX lr
11 clk IT (5) 00001002 bf00 T thread : NOP
12 clk E 00001004 00000010 CoreEvent_EXT_INT0
12 clk R r14 fffffffd
14 clk IT (6) 00002000 4770 T handler : BX lr
15 clk IT (7) 00001004 bf00 T thread : NOP
"""


def exceptions_are_tables(spoor, folder):
    path = Path(folder) / "tasks.tarmac"
    path.write_text(TASKS)

    def rows(statement):
        return json.loads(run(spoor, "sql", "--json", "--no-index", path, statement))
    found = json.loads(run(spoor, "exceptions", "--json", "--no-index", path))
    for table, key in [("exceptions", "exceptions"), ("exception_kinds", "kinds")]:
        listed = rows(f"select cause, number, handler from {table}")
        expected = [(row["cause"], row["number"], row["handler"]) for row in found[key]]
        report([(row["cause"], row["number"], row["handler"]) for row in listed] == expected, table,
               listed, expected)
    # by hand: event at 1, handler from 5 to 11, of which 6 to 9 belong to the one inside it; then 2, 1
    kind = rows("select * from exception_kinds where number = 16")[0]
    expected = {"latency_minimum": 2, "latency_median": 3, "latency_maximum": 4,
                "own_time_minimum": 1, "own_time_median": 2, "own_time_maximum": 3}
    numbers = {key: kind[key] for key in expected}
    report(numbers == expected, "latency and own time", numbers, expected)


def the_prompt_keeps_its_history(spoor, root, folder):
    import os
    import pty
    if b"editing (libedit)" not in subprocess.run([spoor, "--version"], capture_output=True, check=True).stdout:
        skip("the prompt's history", "spoor was built without libedit")
        return
    environment = {**os.environ, "XDG_STATE_HOME": folder, "TERM": "dumb"}
    for statement in ("select 1 + 1;", "select 2 +\n40;"):
        master, slave = pty.openpty()
        child = subprocess.Popen([spoor, "sql", "--no-index", root / "examples/list.uop.xz"],
                                 stdin=slave, stdout=subprocess.PIPE, stderr=slave, env=environment)
        os.close(slave)
        os.write(master, (statement + "\n").encode() + b"\x04")
        out = child.communicate(timeout=60)[0].decode()
        os.close(master)
        if statement.startswith("select 2"):
            report("42" in out, "statements at a prompt", out)
    history = Path(folder) / "spoor" / "sql_history"
    text = history.read_text() if history.exists() else ""
    report("1" in text and "40" in text, "the prompt's history", text)


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
    if any(word in found for word in ("ASan runtime", "static TLS block", "__sanitizer", "__sancov", "__asan", "__tsan")):
        skip("extension", "sqlite3 cannot load what has a sanitizer")
        return
    expected = ask(spoor, path, "select count(*), sum(pc) from insn", "--no-index")
    report(found.split()[-1] == expected.replace(",", "|"), "extension", found, expected)
    for arguments, sentence in (
            ("'no/such.trace'", "no/such.trace: "), ("NULL", "found NULL as trace, expected a text"),
            ("'/dev/null'", "/dev/null: empty: found no bytes, expected a trace"),
            (f"'{path}', 'a \"b'", "schema 'a \"b': unknown database")):
        done = subprocess.run(["sqlite3", "-cmd", f".load {extension.removesuffix('.so')}", ":memory:",
                               f"select spoor_open({arguments})"], capture_output=True, text=True)
        report("spoor_open: " in done.stderr and sentence in done.stderr, f"extension: {sentence}",
               done.stderr, sentence)


def main(spoor, root, extension):
    root = Path(root)
    random.seed(23)
    for trace in TRACES:
        counts_are_those_of_info(spoor, root, trace)
        columns_are_those_of_print(spoor, root, trace)
    with tempfile.TemporaryDirectory() as folder:
        for trace in TRACES[1:4]:
            an_index_changes_nothing(spoor, root, trace, folder)
        explain_says_what_is_skipped(spoor, root, folder)
        joins_find_their_rows(spoor, root, folder)
    constants_compare_as_sqlite_says(spoor, root)
    tools_give_tables(spoor, root)
    with tempfile.TemporaryDirectory() as folder:
        reports_have_the_same_columns(spoor, root, folder)
        exceptions_are_tables(spoor, folder)
        the_prompt_keeps_its_history(spoor, root, folder)
    functions_give_tables(spoor, root)
    errors_are_sentences(spoor, root)
    the_extension_has_the_same_tables(spoor, root, extension)
    print(f"1..{max(number, 1)}")


main(*sys.argv[1:])

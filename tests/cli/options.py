#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""options.py SPOOR ROOT: hold the option tables of all verbs to one grammar; prints TAP.

One name is one thing: an option has one value and one meaning in all verbs that have it, a letter one
option, and no verb has an old name.  What was called otherwise a version ago works, with a hint, or is refused
with a sentence.  Help fits on a screen.  Documents name options of the verbs.  docs/options.md is the program's
table; SPOOR_ACCEPT=1 writes it.
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
# Words of the version before, as its documents had them, and what they are called now.
RENAMED = """
info --memory 64M: --memory-limit
state --memory 64M: --memory-limit
state --memory 64m: --memory-limit
annotate --misses l1:1K,2,64: --cache
calls --from 10: --after
calls --from 7: --after
calls --from 0x1f: --after
calls --from record:7: --after
calls --from pc:1000#2: --after
calls --from end: --after
calls --to 10: --until
calls --limit 3: --top
check --limit 3: --top
convert --level small: --compress
convert --level default: --compress
convert --no-index: --without-index
convert --partition: --partitioned
coverage --only *.c: --files
diff --cpu 0=1: --pair-cpu
diff --effects-first none: --effects-first no
diff --effects-first both: --effects-first yes
diff --limit 3: --top
diff --time: --compare-time
gdb --stdio: --serve
merge --no-index: --without-index
mix --window 100: --working-set
page --interval 5: --ageing
page --show access: --print
phases --simpoints FILE: --write-simpoints
pipe --region 1:2: --micro-ops
print --time decimal: --time-base
print --time hex: --time-base
profile --limit 3: --top
record --cpu 1: --thread
record --no-index: --without-index
stats --against l1:1K,2,64: --level
stats --width 4: --bus-width
sweep --of TABLE: --rows
vcd --time trace: --time-unit
vcd --time instructions: --time-unit
vcd --time default: --time-unit
who --before 10: --at
"""
# Those that now have another meaning, and keep it.
KEPT = """
state --memory 1000+64
state --memory all
calls --from tarmac
diff --cpu cpu0
diff --time 5
diff --time :5
diff --effects-first left
print --time 5
print --time 1:2
vcd --time 5
print -n 3
convert --compress best
"""
# Words of the version before that have no new name.
REFUSED = ["print --time 0x", "vcd --time tra:", "diff --cpu", "calls --from", "formats --table", "state --memory",
           "calls --from 2nd.spoor-format", "exceptions --limit 3", "exceptions --limit=3",
           "convert --level smallest", "page --show all"]
# Options in manual pages that are not those of the page's verb.
OTHERS = {"phases": {"--simpoints", "--warmup", "--simpoint-interval", "--whole"}, "record": {"--image"},
          "formats": {"--fields", "--where"}, "sql": {"--fields"}, "browse": {"--where"},
          "vcd": {"--no-date", "--use-tarmac-timestamps"}, "report": {"--flame", "--curve"},
          "sweep": {"--simpoints", "--warmup", "--sweep"}}
COLUMNS, LINES = 80, 40  # of a screen
SPECS = {"--predictor", "--fold"}  # -p: the design of which the verb has one kind
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


def outdated():
    """What is wrong with the words of the version before."""
    wrong = []
    for line in RENAMED.strip().split("\n") + [f"{line}: " for line in KEPT.strip().split("\n")]:
        words, now = line.rsplit(": ", 1)
        verb, old, *value = words.split()
        before = f"{old} {value[0]}" if now.startswith(old + " ") else old
        hint = f"spoor: {verb} {before} is called {now} now; a later version does not know the old name\n" if now else ""
        for joined in ([f"{old}={value[0]}"], [old, *value]) if value and old.startswith("--") else ([old, *value],):
            for quiet in ([], ["-q"]):
                done = subprocess.run([SPOOR, verb, *joined, *quiet, "--help"], check=False, capture_output=True,
                                      text=True, stdin=subprocess.DEVNULL)
                if done.returncode != 0 or done.stderr != ("" if quiet else hint):
                    wrong.append(f"{verb} {' '.join(joined + quiet)}: {done.returncode} {done.stderr.strip()}")
    for words in REFUSED:
        done = subprocess.run([SPOOR, *words.split()], check=False, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        if done.returncode != 2 or done.stderr.count("\n") != 1:
            wrong.append(f"{words}: {done.returncode} {done.stderr.strip()}")
    return wrong


def spelled(tables):
    """Words after "spoor VERB" in documents, scripts and examples that are no options of the verb, and bold
    options of a manual page that are not its verb's."""
    listed = subprocess.run(["git", "ls-files", "*.md", "docs", "examples", "scripts", "bench", "python", "web",
                             ".github"], cwd=ROOT, check=False, capture_output=True, text=True).stdout.split()
    wrong, count = [], 0
    for name in listed or [str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.*")]]:
        try:
            text = (ROOT / name).read_text().replace("\\\n", " ")
        except (UnicodeDecodeError, IsADirectoryError):
            continue
        if name == "CHANGELOG.md":  # has old names
            continue
        for line in text.split("\n"):
            used = []
            for verb, after in re.findall(r"(?:\bspoor |`)([a-z]+)(?= )([^|;&`<>()\n]*)", line):
                words = re.sub(r"'[^']*'|\"[^\"]*\"", " ", after).split()
                words = words[:words.index("--")] if "--" in words else words
                used += [(verb, word.split("=")[0].strip("[],.")) for word in words]
            page = re.search(r"man/spoor-(\w+)\.1\.scd$", name)
            if page and not re.search(r"\*spoor (?!" + page[1] + r"\b)\w+ ", line):
                used += [(page[1], word) for word in re.findall(r"\*(--[a-z][a-z-]*)", line)
                         if word not in OTHERS.get(page[1], ())]
            for verb, word in used:
                if verb not in tables or not re.fullmatch(r"--[a-z][a-z-]*", word):
                    continue
                count += 1
                if word[2:] not in tables[verb]:
                    wrong.append(f"{name}: {verb} has no {word}: {line.strip():.90}")
    return wrong if count > 500 else wrong + [f"found only {count} options in the documents"]


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

    print("1..12")
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
        f"-{letter}: {', '.join(sorted(names))}" for letter, names in letters.items() if len(names) > 1 and names != SPECS] + [
        f"{name}: {[key[2] for key in found]}" for name, found in named.items()
        if len({key[2] for key in found}) > 1])
    expect("the meanings that the program declares are those that it has", declared(named))
    expect("help of a verb fits on a screen, and names all its options", [
        line for verb in tables for line in misfits(verb, tables[verb])])
    with tempfile.TemporaryDirectory() as empty:
        expect("verbs whose operands are traces alone expand folders", [verb for verb in tables if takes_traces(verb)
               and "the folder has no file" not in subprocess.run([SPOOR, verb, empty], check=False, text=True,
                                                                 capture_output=True).stderr])
    expect("what was called otherwise before works, with a hint, or is refused", outdated())
    expect("documents name options that the verbs have", spelled(tables))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

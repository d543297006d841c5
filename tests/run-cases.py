#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run-cases.py SPOOR FILE...: run the tests of the command line in .case files.

A .case file is read line by line; the first characters determine the kind of a line:

    # words              a comment
    case TITLE           begins a case: a fresh directory, everything below until the next case
    skip-unless PATH     before the first case: for all; after it: for this case.  PATH is relative
                         to the root of the sources; ../shared follows $SPOOR_SHARED
    skip-unless command:NAME  unless the command NAME is installed
    skip-if root         skip if run by root, whom permissions do not limit
    skip-if sanitized    skip if the program is built with a sanitizer: the case is long, checks
                         numbers, and others run the same code on less
    file NAME            makes a file from the lines "> words" that follow
    hex NAME             makes a file from the bytes "> 00 ff ..." that follow
    % command            a preparing step; it must succeed, and its output is ignored
    $ command            a step to check, run by bash with pipefail, stdin empty
    | words              the next line of its standard output
    |~ pattern           the next line, as a shell pattern
    |...                 any number of lines
    ! words, !~ p, !...  the same for standard error
    ? N                  its exit code if that is not 0

An output without such lines must be empty.  Commands find spoor in $PATH, the sources in
$SOURCES and the published traces in $SHARED.

A manual page (.scd) contains examples: in each ``` block, a line "$ spoor ..." is run in the folder
examples/, and the lines after it are its expected output ("..." stands for any lines); a line
"$ cc ..." before it, in the same block, prepares it where there is a compiler.  A document
(.md) is one session: every line "$ ..." of its ``` blocks is run, in order, in one copy of examples/.
A line "<!-- skip-unless command:NAME -->" of a document skips what follows it.  With SPOOR_ACCEPT=1
the output of each command is written into the document instead; read the difference before you commit.

The output is TAP.  The exit code is 1 if a case failed.
"""
import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("SPOOR_SHARED", SOURCES.parent / "shared"))
MANUALS = (".scd", ".md")
DOCUMENT = ".md"
TERMINAL = {"COLUMNS": "80"}  # what a document shows fits the reader's terminal
SECONDS = 600  # a step that takes longer hangs; sanitizers and a busy machine slow a step down
ANY = object()  # any number of lines


class Step:
    def __init__(self, command, where, checked=True):
        self.command, self.where, self.checked = command, where, checked
        self.out, self.err, self.code = [], [], 0


class Case:
    def __init__(self, title, path, skips):
        self.title, self.path, self.skips = title, path, list(skips)
        self.actions = []  # ("file", name, bytes) and Step, in order


def pattern(text):
    """The pattern of a line of expected output, given without its first character."""
    if text == "...":
        return ANY
    if text.startswith("~ "):
        return lambda line: fnmatch.fnmatchcase(line, text[2:])
    return lambda line: line == text[1:]


def matches(patterns, lines):
    """True if the lines match the patterns."""
    if not patterns:
        return not lines
    if patterns[0] is ANY:
        return any(matches(patterns[1:], lines[i:]) for i in range(len(lines) + 1))
    return bool(lines) and patterns[0](lines[0]) and matches(patterns[1:], lines[1:])


class SyntaxProblem(Exception):
    pass


def read_case_file(path):
    cases, skips, file = [], [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        case = cases[-1] if cases else None
        step = case.actions[-1] if case and case.actions else None
        word, _, rest = line.partition(" ")
        if not line.strip() or word.startswith("#"):
            continue
        if word in ("skip-unless", "skip-if"):
            (case.skips if case else skips).append((word, rest))
        elif word == "case":
            cases.append(Case(rest, path, skips))
        elif case is None:
            raise SyntaxProblem(f"{path}:{number}: expected a case before '{line}'")
        elif word in ("file", "hex"):
            file = [word, rest, b""]
            case.actions.append(file)
        elif word == ">":
            file[2] += bytes.fromhex(rest) if file[0] == "hex" else rest.encode() + b"\n"
        elif word in ("$", "%"):
            case.actions.append(Step(rest, f"{path.name}:{number}", word == "$"))
        elif line[0] in "|!" and isinstance(step, Step):
            (step.out if line[0] == "|" else step.err).append(pattern(line[1:]))
        elif word == "?" and isinstance(step, Step):
            step.code = int(rest)
        else:
            raise SyntaxProblem(f"{path}:{number}: found '{line}', which is no line of a case")
    return cases


def read_manual_page(path):
    """Each example of a manual page as a case; its standard error is part of the output."""
    cases, fenced, step, skips, compiled = [], False, None, [], []
    session = path.suffix == DOCUMENT
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.lstrip("\t")
        if text.startswith("```"):
            fenced, step, compiled = not fenced, None, []
        elif session and text.startswith("<!-- skip-unless "):
            skips = [tuple(text.split()[1:3])]
        elif fenced and text.startswith("$ " if session else "$ spoor"):
            case = Case(f"{path.name}:{number}: {text[2:]}", path,
                        skips + [("skip-unless", "command:cc")] * bool(compiled))
            case.actions += compiled
            step = Step(f"{{ {text[2:]}; }} 2>&1", f"{path.name}:{number}")
            step.code = None
            case.actions.append(step)
            cases.append(case)
        elif fenced and text.startswith("$ cc "):
            compiled.append(Step(text[2:], f"{path.name}:{number}", False))
        elif fenced and step and not text.startswith("$ "):
            step.out.append(pattern(text if text == "..." else " " + text))
        else:
            step = None
    return cases


def reason_to_skip(case):
    for word, rest in case.skips:
        if word == "skip-if" and rest == "root" and os.geteuid() == 0:
            return "run by root"
        if word == "skip-if" and rest == "sanitized" and os.environ.get("SPOOR_SANITIZED"):
            return "long with a sanitizer"
        if word == "skip-unless" and rest.startswith("command:"):
            if not shutil.which(rest[len("command:"):]):
                return f"{rest[len('command:'):]} is not installed"
        elif word == "skip-unless":
            shared = rest.startswith("../shared")
            where = SHARED / rest[len("../shared/"):] if shared else SOURCES / rest
            if not where.exists():
                return f"{rest} not found"
    return None


def show(name, output):
    """The beginning of an output, as TAP comments."""
    lines = output.splitlines()
    shown = [f"#   {name}: {line}" for line in lines[:20]]
    return shown + ([f"#   {name}: ... {len(lines)} lines"] if len(lines) > 20 else [])


def run_step(step, directory, environment):
    """None if the step has the expected result, else lines that state the difference."""
    command = f"set -o pipefail; {step.command}"
    try:
        done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return [f"# {step.where}: no end after {SECONDS} s: {step.command}"]
    out, err = (text.decode("utf-8", "backslashreplace") for text in (done.stdout, done.stderr))
    wrong = []
    crashed = done.returncode >= 126 or done.returncode < 0
    if crashed or step.code not in (None, done.returncode):
        wrong.append(f"exit code {done.returncode}, expected {step.code}")
    if step.checked and not matches(step.out, out.splitlines()):
        wrong.append("another output than expected")
    if step.checked and not matches(step.err, err.splitlines()):
        wrong.append("another standard error than expected")
    if not wrong:
        return None
    return ([f"# {step.where}: $ {step.command}", f"#   {', '.join(wrong)}"] + show("out", out) +
            show("err", err))


def link_examples(directory):
    for example in (SOURCES / "examples").iterdir():
        if not example.name.endswith(".spoor-index"):  # made there by hand
            (directory / example.name).symlink_to(example)


def run_actions(case, directory, environment):
    for action in case.actions:
        if isinstance(action, Step):
            wrong = run_step(action, directory, environment)
            if wrong:
                return wrong
        else:
            (directory / action[1]).write_bytes(action[2])
    return None


def run_case(case, environment, sessions):
    """None, or what went wrong.  The cases of a document follow each other in one directory."""
    if case.path.suffix == DOCUMENT:
        environment = environment | TERMINAL
        directory = sessions / case.path.name
        if not directory.exists():
            directory.mkdir()
            link_examples(directory)
        return run_actions(case, directory, environment)
    with tempfile.TemporaryDirectory(prefix="spoor-case-") as directory:
        if case.path.suffix in MANUALS:
            link_examples(Path(directory))
        return run_actions(case, Path(directory), environment)


def accept_document(path, environment):
    """Write what the commands of a document print into it; an output with a line "..." stays."""
    lines, fenced, output = [], False, None  # output: the lines of the last command
    expected = []

    def flush():
        nonlocal output, expected
        if output is not None:
            lines.extend(expected if "..." in expected else output)
        output, expected = None, []

    with tempfile.TemporaryDirectory(prefix="spoor-case-") as directory:
        link_examples(Path(directory))
        for line in path.read_text().splitlines():
            if line.startswith("```"):
                flush()
                fenced = not fenced
            elif fenced and line.startswith("$ "):
                flush()
                done = subprocess.run(["bash", "-c", f"{{ {line[2:]}; }} 2>&1"], cwd=directory,
                                      env=environment | TERMINAL, check=False,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=SECONDS)
                output = done.stdout.decode("utf-8", "backslashreplace").splitlines()
            elif output is not None:
                expected.append(line)
                continue
            lines.append(line)
    path.write_text("\n".join(lines) + "\n")


def make_environment(spoor):
    environment = {name: value for name, value in os.environ.items()
                   if name in ("HOME", "TMPDIR", "XDG_CACHE_HOME") or name.endswith("SAN_OPTIONS")}
    environment["PATH"] = f"{Path(spoor).resolve().parent}:{os.environ['PATH']}"
    environment.update(LC_ALL="C.UTF-8", TERM="dumb", SOURCES=str(SOURCES), SHARED=str(SHARED),
                       CPATH=str(SOURCES / "include"),  # as where the headers are installed
                       SPOOR_CHECK_RESULTS="1")  # a result that reports.def does not describe ends a run
    return environment


def main(words):
    if len(words) < 2 or not shutil.which("bash"):
        sys.exit(__doc__)
    environment = make_environment(words[0])
    paths = [Path(word) for word in words[1:]]
    if os.environ.get("SPOOR_ACCEPT"):
        for path in paths:
            if path.suffix == DOCUMENT:
                accept_document(path, environment)
    cases = []
    for path in paths:
        cases += read_manual_page(path) if path.suffix in MANUALS else read_case_file(path)
    with tempfile.TemporaryDirectory(prefix="spoor-sessions-") as sessions:
        return run_cases(cases, environment, Path(sessions))


def run_cases(cases, environment, sessions):
    print(f"1..{len(cases)}")
    failed = 0
    for number, case in enumerate(cases, 1):
        title = f"{number} - {case.path.stem}: {case.title}".replace("#", "\\#")
        skip = reason_to_skip(case)
        wrong = None if skip else run_case(case, environment, sessions)
        failed += wrong is not None
        print(f"{'not ok' if wrong else 'ok'} {title}{f' # SKIP {skip}' if skip else ''}")
        print("".join(line + "\n" for line in wrong or []), end="", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

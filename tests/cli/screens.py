#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""screens.py SPOOR ROOT: the default output of every verb in a terminal of 80 x 24 (tmux); prints TAP.

Each screen is compared with tests/cli/screens/NAME.txt; SPOOR_ACCEPT=1 writes the files.  No line of
a verb's own output is wider than the terminal, and no preset prints more than 36 lines of
configuration.  Every verb has a screen, or a reason to have none.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from built import fold_plugin

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
HERE = Path(__file__).resolve().parent / "screens"
SECONDS = 30
A64 = "sort-aarch64.tarmac.xz"
RUNS = {
    "formats": "formats", "info": "info sort.uop.xz", "print": "print list.uop.xz",
    "check": "check sort.uop.xz sort.din.xz", "convert": "convert sort.din.xz",
    "cut": f"cut --records 100:140 {A64}", "merge": "merge list.tarmac.xz",
    "diff": "diff sort.tarmac.xz sort.matcher.xz", "differ": "diff sort.tarmac.xz list.tarmac.xz",
    "mix": "mix sort.uop.xz", "cache": "cache sort.uop.xz", "tlb": "tlb sort.uop.xz",
    "page": "page sort.uop.xz", "branch": "branch sort.uop.xz", "pipe": "pipe sort.uop.xz", "phases": "phases --interval 1000 sort.uop.xz",
    "state": f"state --no-index {A64}", "who": f"who --no-index {A64} x0",
    "stack": f"stack --no-index {A64}", "slice": f"slice --no-index {A64} x0",
    "calls": f"calls --no-index {A64}", "profile": f"profile --no-index {A64}",
    "strings": f"strings {A64}", "values": f"values {A64}",
    "fold": f"fold {fold_plugin(SPOOR)} {A64}",
    "flame": f"profile --flame --no-index {A64}", "exceptions": f"exceptions --no-index {A64}",
    "coverage": f"coverage --no-index {A64}", "annotate": f"annotate --no-index {A64}",
    "vcd": "vcd sort.byu12.xz", "browse": f"browse --no-index {A64}", "stats": "stats bus sort.byu12.xz",
    "report": "report sort.din.xz", "index": "index --show sort.uop.xz", "schema": "help --schema", "help": "help",
    "sql": "sql --no-index sort.uop.xz 'select macro, count(*) as n from uop group by 1 order by 2 desc limit 9'",
    "record": "record -t spoor -o - -- true",
    "rules": "check --list rules", "parameters": "pipe --list parameters",
}
WITHOUT = {"describe": "writes a file", "gdb": "runs a debugger", "mcp": "waits for a client", "new": "writes files",
           "serve": "waits for a browser",
           "sweep": "prints the results of other verbs", "why": "no example has a fault"}
# These print the lines of a trace, or of another program's format.
LINES = {"print", "convert", "cut", "merge", "flame", "vcd"}
STAYS = {"browse"}  # until a key ends it
CONFIGURATION = 36


examples = ROOT / "examples"


def copy_examples(folder):
    """Copies the examples, all of one time: the size of an index depends on the time of its trace."""
    for path in (ROOT / "examples").rglob("*"):
        copy = folder / path.relative_to(ROOT / "examples")
        if path.is_dir():
            copy.mkdir()
        elif not path.name.endswith(".spoor-index"):
            shutil.copyfile(path, copy)
            shutil.copymode(path, copy)
            os.utime(copy, (10**9, 10**9))


def verbs():
    listed = subprocess.run([SPOOR, "help", "--list", "verbs"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in listed.splitlines()[1:]]


def presets():
    listed = subprocess.run([SPOOR, "pipe", "--list", "presets", "--csv"], check=True, capture_output=True,
                            text=True).stdout
    return [line.split(",")[0] for line in listed.splitlines()[1:]]


def output(*words):
    """What a run prints for a screen of 80 columns, without a terminal."""
    shell = " ".join([SPOOR, *words, "-q"])
    return subprocess.run(["sh", "-c", shell], cwd=examples, env={**os.environ, "COLUMNS": "80"},
                          stdin=subprocess.DEVNULL, check=False, capture_output=True, text=True,
                          timeout=SECONDS).stdout


def tmux(socket, *words):
    return subprocess.run(["tmux", "-S", socket, *words], check=True, capture_output=True, text=True).stdout


def is_over(name, screen, before):
    if name in STAYS and not os.environ.get("SPOOR_ACCEPT"):
        return screen.rstrip("\n") + "\n" == (HERE / f"{name}.txt").read_text()
    if name in STAYS:
        return screen.strip() and screen == before
    return screen.rstrip("\n").endswith("END")


def screen_of(folder, name, command):
    """The screen after the command has ended."""
    socket = f"{folder}/tmux"
    shell = f"cd {examples}; env LC_ALL=C.UTF-8 TERM=screen NO_COLOR=1 {SPOOR} {command} -q; printf END; exec cat"
    tmux(socket, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sh", "-c", shell)
    end, screen, before = time.monotonic() + SECONDS, "", None
    while not is_over(name, screen, before) and time.monotonic() < end:
        time.sleep(0.3 if name in STAYS else 0.05)
        before, screen = screen, tmux(socket, "capture-pane", "-p", "-t", "0")
    tmux(socket, "kill-server")
    return screen.rstrip("\n").removesuffix("END").rstrip("\n") + "\n"


def check_screen(name, command):
    with tempfile.TemporaryDirectory(prefix="spoor-screens-") as folder:
        screen = screen_of(folder, name, command)
    path = HERE / f"{name}.txt"
    if os.environ.get("SPOOR_ACCEPT"):
        HERE.mkdir(exist_ok=True)
        path.write_text(screen)
    if path.exists() and path.read_text() == screen:
        return []
    return [f"another screen than {path.name}:", *screen.splitlines()]


def check_pictures():
    """docs/screens has what the verbs print now."""
    made = ROOT / "docs" / "screens"
    with tempfile.TemporaryDirectory(prefix="spoor-pictures-") as folder:
        folder = made if os.environ.get("SPOOR_ACCEPT") else Path(folder)
        subprocess.run([ROOT / "scripts" / "make-screens", SPOOR, folder], check=True,
                       env=os.environ | {"LC_ALL": "C.UTF-8"})
        names = {path.name for path in made.iterdir()} | {path.name for path in folder.iterdir()}
        return [f"another picture: {name}: SPOOR_ACCEPT=1 writes it" for name in sorted(names)
                if not all((place / name).is_file() for place in (made, folder))
                or (made / name).read_bytes() != (folder / name).read_bytes()]


def check_widths():
    wide = []
    for name, command in RUNS.items():
        lines = [] if name in LINES | STAYS | {"record", "report"} else output(command).splitlines()
        wide += [f"{command}: a line of {len(line)} columns: {line}" for line in lines if len(line) > 80][:1]
    return wide


def check_configurations():
    long = []
    for preset in presets():
        lines = output("pipe", "--preset", preset, "sort.uop.xz").splitlines()
        wide = [line for line in lines if len(line) > 80]
        begin = next((n for n, line in enumerate(lines) if line.split()[:1] == ["config"]), len(lines))
        if len(lines) - begin > CONFIGURATION or wide or not lines:
            long.append(f"pipe --preset {preset}: {len(lines) - begin} lines of configuration, {wide[:1]}")
    return long


def main():
    global examples
    with tempfile.TemporaryDirectory(prefix="spoor-examples-") as folder:
        examples = Path(folder)
        copy_examples(examples)
        return run_all()


def run_all():
    has_tmux = shutil.which("tmux") is not None
    screens = RUNS if has_tmux else {}
    print(f"1..{len(screens) + 4}")
    failed = number = 0

    def expect(title, wrong):
        nonlocal failed, number
        number += 1
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {title}")
        print("".join(f"# {line}\n" for line in wrong), end="", flush=True)

    known = {command.split()[0] for command in RUNS.values()} | set(WITHOUT)
    expect("every verb has a screen", sorted(set(verbs()) ^ known))
    expect("no line is wider than 80 columns", check_widths())
    expect("the pictures of docs/screens are what the verbs print", check_pictures())
    expect("no preset prints a long configuration", check_configurations())
    for name, command in screens.items():
        expect(f"spoor {command}", check_screen(name, command))
    if not has_tmux:
        print("# screens: skipped, tmux is not installed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

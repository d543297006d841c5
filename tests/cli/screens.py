#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""screens.py SPOOR ROOT: the default output of verbs in a terminal of 80 x 24 (tmux); prints TAP.

Each screen is compared with tests/cli/screens/NAME.txt; SPOOR_ACCEPT=1 writes the files.  No line of
the whole output is wider than the terminal, so that none wraps.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
HERE = Path(__file__).resolve().parent / "screens"
SECONDS = 60
RUNS = {
    "formats": "formats", "info": "info sort.uop.xz", "check": "check sort.uop.xz sort.din.xz",
    "mix": "mix sort.uop.xz", "cache": "cache sort.uop.xz", "tlb": "tlb sort.uop.xz",
    "page": "page sort.uop.xz", "branch": "branch sort.uop.xz", "pipe": "pipe sort.uop.xz",
    "diff": "diff sort.tarmac.xz sort.matcher.xz", "state": "state --no-index sort-aarch64.tarmac.xz",
    "who": "who --no-index sort-aarch64.tarmac.xz x0", "stack": "stack --no-index sort-aarch64.tarmac.xz",
    "slice": "slice --no-index sort-aarch64.tarmac.xz x0", "calls": "calls --no-index sort-aarch64.tarmac.xz",
    "profile": "profile --no-index sort-aarch64.tarmac.xz",
    "exceptions": "exceptions --no-index sort-aarch64.tarmac.xz",
    "rules": "check --list rules", "parameters": "pipe --list parameters",
}
# What others print line by line, wider than the terminal; known, and named here.
WIDE = {"diff", "calls", "slice", "profile"}


def tmux(socket, *words):
    return subprocess.run(["tmux", "-S", socket, *words], check=True, capture_output=True, text=True).stdout


def screen_of(folder, command):
    """The screen after the command has ended, and all lines that it printed."""
    socket = f"{folder}/tmux"
    shell = f"cd {ROOT}/examples; env LC_ALL=C.UTF-8 TERM=screen NO_COLOR=1 {SPOOR} {command} -q; printf END; exec cat"
    tmux(socket, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sh", "-c", shell)
    end = time.monotonic() + SECONDS
    while True:
        screen = tmux(socket, "capture-pane", "-p", "-t", "0")
        if screen.rstrip("\n").endswith("END") or time.monotonic() > end:
            break
        time.sleep(0.05)
    joined = tmux(socket, "capture-pane", "-p", "-J", "-S", "-", "-t", "0")
    tmux(socket, "kill-server")
    return screen.rstrip("\n").removesuffix("END").rstrip("\n") + "\n", joined


def main():
    if not shutil.which("tmux"):
        print("1..0 # SKIP tmux is not installed")
        return 0
    accept, failed = os.environ.get("SPOOR_ACCEPT"), 0
    print(f"1..{len(RUNS)}")
    for number, (name, command) in enumerate(RUNS.items(), 1):
        with tempfile.TemporaryDirectory(prefix="spoor-screens-") as folder:
            screen, joined = screen_of(folder, command)
        path, wrong = HERE / f"{name}.txt", []
        if accept:
            HERE.mkdir(exist_ok=True)
            path.write_text(screen)
        if not path.exists() or path.read_text() != screen:
            wrong.append(f"another screen than {path.name}:")
            wrong += screen.splitlines()
        wide = [line for line in joined.splitlines() if len(line) > 80]
        if wide and name not in WIDE:
            wrong.append(f"a line of {len(wide[0])} columns: {wide[0]}")
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - spoor {command}")
        print("".join(f"# {line}\n" for line in wrong), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""true-logs.py SPOOR: in no trace of ../shared ($SPOOR_SHARED) does an instruction fail to follow the one
before it, but where the trace states itself that one is missing."""
import json
import os
import subprocess
import sys
from pathlib import Path

SHARED = Path(os.environ.get("SPOOR_SHARED", Path(__file__).parents[2] / ".." / "shared"))
RULES = ("insn-next", "marker-next", "insn-change")
# native_write_msr of Linux is mov, mov, wrmsr, nop, ret; the trace has no wrmsr, whose two bytes are missing.
MISSING = {"drmemtrace.threadsig.21652.5457.trace.zip":
           ("marker-next", "pc ffffffffb8495c36 after the instruction at ffffffffb8495c32")}


def findings(spoor, path):
    """The format, None for what is no trace, and the rule and place of each finding."""
    words = [word for rule in RULES for word in ("--only", rule)]
    run = subprocess.run([spoor, "check", "--json", "--all", "--no-index", *words, path],
                         capture_output=True)
    report = json.loads(run.stdout or b"{}")
    return report.get("format"), [(one["rule"], one["found"]) for one in report.get("findings", [])]


def main():
    paths = [path for path in sorted((SHARED / "traces").rglob("*")) if path.is_file()]
    if not paths:
        print(f"1..0 # SKIP no {SHARED / 'traces'}")
        return 0
    formats, wrong = {}, []
    for path in paths:
        of, found = findings(sys.argv[1], path)
        if of:
            formats[of] = formats.get(of, 0) + 1
        expected = [MISSING[path.name]] if path.name in MISSING else []
        if found != expected:
            wrong.append(f"{path}: {found[:2]}, expected {expected}")
    print("1..2")
    print(f"{'not ' if wrong else ''}ok 1 - every instruction follows the one before it")
    print("".join(f"# {line}\n" for line in wrong), end="")
    print(f"{'ok' if len(formats) >= 15 else 'not ok'} 2 - in traces of {len(formats)} formats")
    return 1 if wrong or len(formats) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())

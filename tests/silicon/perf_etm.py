#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perf_etm.py TRACE IMAGE RANGES BASE: the ranges of instructions of a trace of ETM in a perf.data.

RANGES begins with a count and lines "FIRST-LAST:TIMES", as `simpleperf inject` prints them: offsets
from BASE of the first and the last instruction of what was executed without a branch taken.
"""
import collections
import json
import subprocess
import sys

trace, image, truth, base = sys.argv[1:]
run = subprocess.run(["spoor", "print", "-q", "--jsonl", "--image", image, trace], capture_output=True, text=True)
ranges, begin, last, count = collections.Counter(), None, None, 0


def end():
    global begin
    if begin is not None:
        ranges[begin, last] += 1
    begin = None


for line in run.stdout.splitlines():
    record = json.loads(line)
    if record["kind"] == "insn":
        pc = int(record["pc"], 16) - int(base, 16)
        begin, last = pc if begin is None else begin, pc
        count += 1
    elif record["kind"] == "flow":
        end()  # simpleperf's ranges end at branches that are not taken, too
    elif record["kind"] == "event" and record["op"] in ("end", "begin", "lost"):
        end()
end()
lines = open(truth).read().split("\n")
true = {}
for line in lines[1:1 + int(lines[0])]:
    place, times = line.split(":")
    first, final = place.split("-")
    true[int(first, 16), int(final, 16)] = int(times)
print(f"{count} instructions, {len(ranges)} ranges,", "equal" if ranges == true else (ranges, true), run.stderr[-300:])

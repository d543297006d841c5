#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""timelines.py SPOOR SOURCES: `calls` of Intel PT traces against what magic-trace's own tests expect.

Their timelines are in SHARED/oracles/perf/magic-trace ($SPOOR_SHARED, else ../shared).  In the
traces of branches, every function that begins there begins in `calls`, in the same order, and was called by the same function.
What `calls` has beside them is explained: functions without a symbol, which they name otherwise, and
functions that become visible by their returns, which they insert at the start of the trace
([inferred start time]) and spoor where control goes on in them.  A jump into another function ends
the one that jumps there; spoor shows it inside that one.  TAP on stdout.
"""
import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path

SPOOR, SOURCES = sys.argv[1:3]
SHARED = Path(os.environ.get("SPOOR_SHARED", Path(SOURCES) / ".." / "shared"))
ORACLES, TRACES = SHARED / "oracles/perf/magic-trace", SHARED / "traces/perf/magic-trace"
TIMELINES = ["simple-gogo", "btree-rebalance-decode-error", "memmove-decode-error",
             "ocaml-exceptions", "ocaml-exceptions-poptrap-corner-case", "page-fault",
             "hello-world-userspace", "demo-with-branch-misses",
             "demo-with-branch-misses-and-cache-misses"]
# Their tool had a table of the program's exception handlers: only the order can be compared.
WITH_HANDLERS = ["ocaml-exceptions", "ocaml-exceptions-poptrap-corner-case"]
# Samples with call stacks: every begin and every end is that of the oracle, in the same order.
SAMPLED = ["ocaml-demo-sampling", "c-demo-sampling",
           "demo-sampling-with-branch-misses-and-cache-misses"]
# Two names of one address.
ALIASES = {"native_irq_return_iret": "native_iret"}


def lines_of(name):
    path = ORACLES / (name + ".timeline")
    text = path.read_text() if path.exists() else lzma.open(f"{path}.xz", "rt").read()
    return text.splitlines()


def expected(name):
    """(function, caller) of all that begins, the caller None where it is not known, and the functions
    that their tool could place only at the end.  Gaps and frames that it inferred are left out."""
    begun, stack, deferred = [], [], None
    for line in lines_of(name):
        match = re.match(r"->\s+\S*\s*(BEGIN|END)\s+(.*)$", line)
        if line.startswith("INPUT TRACE STREAM ENDED"):
            stack, deferred = [], []
        if not match:
            continue
        what, function = match.groups()
        inferred = function.endswith(" [inferred start time]")
        function = function.removesuffix(" [inferred start time]")
        if what == "END":
            if function in stack:
                del stack[len(stack) - 1 - stack[::-1].index(function):]
            continue
        if not inferred and not function.startswith("["):
            if deferred is None:
                begun.append((function, stack[-1] if stack else None))
            else:
                deferred.append(function)
        stack.append(function)
    return begun, deferred or []


def trees_of(name, *options):
    """The outermost calls of each processor."""
    trace = next(TRACES.glob(name + ".perf*"))
    done = subprocess.run([SPOOR, "calls", "--json", *options, trace], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    return [cpu["calls"] for cpu in json.loads(done.stdout)["cpus"]]


def found(name):
    """(function, caller, kind, depth) of all calls, in the order in which they begin."""

    def flat(call, caller, depth):
        function = call.get("function") or call["pc"]
        function = ALIASES.get(function, function)
        yield function, caller, call["kind"], depth
        for child in call["children"]:
            yield from flat(child, function, depth + 1)
    return [row for calls in trees_of(name, "--no-index") for call in calls
            for row in flat(call, None, 0)]


def sampled_events(name):
    """Each begin and end of the oracle."""
    events = []
    for line in lines_of(name):
        match = re.match(r"->\s+\S*\s*(BEGIN|END)\s+(.*)$", line)
        if not match:
            continue
        what, function = match.groups()
        unknown = re.match(r"\[unknown @ (-?)0x([0-9a-f]+) ", function)
        if unknown:
            address = int(unknown.group(2), 16)
            function = hex((1 << 64) - address if unknown.group(1) else address)
        at_start = what == "BEGIN" and re.match(r"->\s+0ns", line)  # printed at the end
        events.insert(0 if at_start else len(events), (what, function))
    return events


def compare_sampled(name, *options):
    def flat(call):
        function = call.get("function") or call["pc"]
        yield "BEGIN", function
        for child in call["children"]:
            yield from flat(child)
        yield "END", function
    events = [event for calls in trees_of(name, *options) for call in calls for event in flat(call)]
    wanted = sampled_events(name)
    for number, (event, want) in enumerate(zip(events, wanted)):
        named = want[1].startswith("0x") and event[0] == want[0]  # other samples name it
        assert event == want or named, f"event {number}: found {event}, expected {want}"
    assert len(events) == len(wanted), f"found {len(events)} events, expected {len(wanted)}"
    return f"{len(wanted)} begins and ends"


def compare(name):
    calls, at, callers = found(name), 0, 0
    wanted, deferred = expected(name)
    for number, (function, caller) in enumerate(wanted):
        while at < len(calls) and calls[at][0] != function:
            beside, _, kind, depth = calls[at]
            assert beside.startswith("0x") or depth == 0 or kind == "jump", \
                f"found a call of {beside}, expected {function} ({number} of {len(wanted)})"
            at += 1
        assert at < len(calls), f"{function} ({number} of {len(wanted)}) is missing"
        known = caller and not caller.startswith("[") and name not in WITH_HANDLERS
        if calls[at][2] == "call" and known:
            assert calls[at][1] == caller, \
                f"{function} ({number}): called by {calls[at][1]}, expected {caller}"
            callers += 1
        at += 1
    outermost = [function for function, _, _, depth in calls if depth == 0]
    names = [function for function, _, _, _ in calls]
    for function in deferred:
        if function in names[at:]:
            at = names.index(function, at) + 1
        else:
            assert function in outermost, f"{function} was open at the start, and is missing"
    assert wanted or deferred
    return f"{len(wanted) + len(deferred)} functions begin, {callers} callers"


def main():
    if not ORACLES.exists():
        print("1..0 # SKIP ../shared is not here")
        return 0
    print(f"1..{len(TIMELINES) + len(SAMPLED)}")
    failed = 0
    for number, name in enumerate(TIMELINES + SAMPLED, 1):
        try:
            says = compare_sampled(name, "--no-index") if name in SAMPLED else compare(name)
            print(f"ok {number} - {name}: {says}")
        except AssertionError as why:
            failed += 1
            print(f"not ok {number} - {name}\n# " + str(why).replace("\n", "\n# "))
    return 1 if failed else 0


sys.exit(main())

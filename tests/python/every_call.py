# SPDX-License-Identifier: MIT
"""every_call.py TRACE: one pass over what the module offers, with its errors; a program that counts
what a pass leaves in memory imports it."""
import gc
import sys

import spoor


def views(path):
    for batch in spoor.open(path, where="kind==mem", threads=2):
        batch.row(0), batch.faults, batch.ordinals, memoryview(batch.block).tobytes()
    trace = spoor.open(path, threads=1, fields=["record", "pc", "disasm", "value"])
    for view in (trace.references(), trace.branches(), trace.instructions()):
        list(view)
    next(iter(trace.rows()))  # a generator that is left
    trace.gather("address")
    trace.columns("mem")
    trace.arrow("mem")


def tools(path):
    trace = spoor.open(path, threads=1)
    for tool in (trace.info, trace.mix, trace.check, trace.profile, trace.calls, trace.cache,
                 trace.cache_curve, trace.tlb, trace.page, trace.branch, trace.pipe, trace.coverage,
                 trace.exceptions, trace.annotate, trace.flame):
        tool()
    trace.plot("cache_curve", table="curve")
    trace.diff(spoor.open(path))
    trace.state("record:100"), trace.writers("x0")
    trace.write(f"{path}.spoor", "spoor")


def errors(path):
    trace = spoor.open(path, threads=1)
    wrong = (lambda: spoor.open(path, where="colour==1"), lambda: spoor.open(f"{path}?"),
             lambda: trace.cache("nonsense"), lambda: trace._run("mix", colour=1),
             lambda: trace.state("yesterday"), lambda: trace.plot("cache_curve", table="colour"),
             lambda: trace.gather("colour"), lambda: trace.branch("nonsense"),
             lambda: trace.diff(trace, rules="nonsense"), lambda: trace.columns("colour"))
    for call in wrong:
        try:
            call()
        except Exception as error:
            assert str(error)
        else:
            raise AssertionError("an error was expected")


def every_call(path):
    for part in (views, tools, errors):
        part(path)
    gc.collect()


if __name__ == "__main__":
    for _ in range(3):
        every_call(sys.argv[1])

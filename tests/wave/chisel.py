#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""chisel.py SPOOR: waveforms with the signals of Rocket and BOOM give the instructions that are run here.

The cores are invented from a fixed seed; when their signals say what is as RocketCore.scala (c1dda58) and BOOM's core.scala
and rob.scala (b6d9856) have it.
"""
import random

import waves
from waves import Wave, demand_same, printed, store

PERIOD = 10


class Signals:
    """Signals of one scope by name, sampled at edges."""

    def __init__(self, scope, widths):
        self.wave, self.last = Wave("1ns"), {}
        self.widths = {"clock": 1, **widths}
        places = {name: name.rpartition(".") for name in self.widths}
        order = sorted(self.widths, key=lambda name: places[name][0])
        self.numbers = {name: self.wave.add(".".join(filter(None, (scope, places[name][0]))), places[name][2],
                                            self.widths[name]) for name in order}

    def edge(self, number, **values):
        self.put(number * PERIOD, {"clock": 0, **{name.replace("__", "."): value for name, value in values.items()}})
        self.put(number * PERIOD + 5, {"clock": 1})

    def put(self, time, values):
        bits = {name: f"{value:0{self.widths[name]}b}" for name, value in values.items()}
        self.wave.at(time, {self.numbers[name]: text for name, text in bits.items() if self.last.get(name) != text})
        self.last.update(bits)


ROCKET = {"csr_io_trace_0_valid": 1, "csr_io_trace_0_iaddr": 40, "csr_io_trace_0_insn": 32, "csr_io_trace_0_priv": 3,
          "csr_io_trace_0_exception": 1, "wb_wen": 1, "wb_set_sboard": 1, "ll_wen": 1, "rf_waddr": 5, "rf_wdata": 64}


def rocket(seed, edges, delay):
    """The waveform, and the lines of its instructions."""
    rng, signals, lines = random.Random(seed), Signals("TOP.tile.core", ROCKET), []
    busy = {}  # the scoreboard: of a register, when its value is there at the earliest, and its instruction
    pc = 0x80000000
    for edge in range(edges):
        time = edge * PERIOD + 5
        ready = [rd for rd, (since, _) in busy.items() if since <= edge]
        valid, traps = rng.random() < 0.6, rng.random() < 0.05
        rd = rng.choice([number for number in range(32) if number not in busy])
        writes, slow = rng.random() < 0.6, rng.random() < 0.3
        value, insn = rng.getrandbits(64), rng.getrandbits(32) | 3
        values = {"csr_io_trace_0_valid": int(valid), "csr_io_trace_0_exception": int(valid and traps),
                  "csr_io_trace_0_priv": 3, "csr_io_trace_0_iaddr": pc, "csr_io_trace_0_insn": insn,
                  "wb_wen": int(valid and writes and not traps), "ll_wen": 0, "rf_waddr": rd, "rf_wdata": value,
                  "wb_set_sboard": int(slow)}
        if not values["wb_wen"] and ready:  # the port of the register file is free
            late = rng.choice(ready)
            values.update(ll_wen=1, rf_waddr=late)
            lines[busy.pop(late)[1]] += f" w x{late}={value:016x}"
        if valid:
            lines.append(f"{time} ns pc {pc:010x} op {insn:08x} mode M")
            if values["wb_wen"] and not slow and rd:
                lines[-1] += f" w x{rd}={value:016x}"
            elif values["wb_wen"] and slow and rd:
                busy[rd] = (edge + rng.randint(1, delay), len(lines) - 1)
            lines[-1] += " trap" if traps else ""
            pc += 4
        signals.edge(edge, **values)
    for rd, (_, number) in busy.items():  # the waveform ends before
        lines[number] += f" w x{rd}~{'X' * 16}"
    return signals.wave, lines


def test_rocket():
    wave, lines = rocket(1, 4000, 40)
    assert sum("~" in line for line in lines) > 0, "every value came"
    for name, data in (("rocket.vcd", waves.vcd(wave)), ("rocket.fst", waves.fst(wave))):
        store(name, data)
        demand_same(printed(name), lines, name)


def test_rocket_waits_for_no_end():
    """A value that comes after 128 KiB of lines is not waited for."""
    signals, lines = Signals("core", ROCKET), []
    common = {"csr_io_trace_0_exception": 0, "csr_io_trace_0_priv": 3, "csr_io_trace_0_insn": 0x13}
    for edge in range(6000):
        first, last = edge == 0, edge == 5999
        signals.edge(edge, csr_io_trace_0_valid=int(not last), csr_io_trace_0_iaddr=edge * 4, wb_wen=int(first),
                     wb_set_sboard=int(first), ll_wen=int(last), rf_waddr=7, rf_wdata=1, **common)
        lines += [] if last else [f"{edge * PERIOD + 5} ns pc {edge * 4:010x} op 00000013 mode M"]
    lines[0] += f" w x7~{'X' * 16}"
    lines.append("! 1 late writes of registers for which no instruction waits, at time 59995 first: they are left out")
    store("long.vcd", waves.vcd(signals.wave))
    demand_same(printed("long.vcd"), lines, "long.vcd")


def boom(width, seed, edges):
    """The waveform of the commits and of the trace port, and the lines of both."""
    fields = {"arch_valids": 1, "uops_{}_debug_pc": 40, "uops_{}_debug_inst": 32, "uops_{}_ldst": 6, "uops_{}_dst_rtype": 2,
              "debug_wdata": 64}
    widths, port, commits, traced, before = {}, {}, [], [], []
    for lane in range(width):
        for field, bits in fields.items():
            name = field.format(lane) if "{}" in field else f"{field}_{lane}"
            widths[f"rob.io_commit_{name}"] = bits
        for field, bits in (("valid", 1), ("iaddr", 64), ("insn", 32)):
            port[f"io_trace_insns_{lane}_{field}"] = bits
    rng, pc = random.Random(seed), 0x80000000
    signals, trace = Signals("TOP.core", widths), Signals("TOP.core", port)
    for edge in range(edges):
        time, values, seen, now = edge * PERIOD + 5, {}, {}, []
        for lane in range(width):
            valid, kind, rd, value = rng.random() < 0.5, rng.randrange(4), rng.randrange(32), rng.getrandbits(64)
            insn = rng.getrandbits(32)
            prefix = f"rob__io_commit_uops_{lane}_"
            values.update({f"rob__io_commit_arch_valids_{lane}": int(valid), prefix + "debug_pc": pc, prefix + "debug_inst": insn,
                           prefix + "ldst": rd, prefix + "dst_rtype": kind, f"rob__io_commit_debug_wdata_{lane}": value})
            last = before[lane] if before else (False, 0, 0)  # the port is a cycle later
            seen.update({f"io_trace_insns_{lane}_valid": int(last[0]), f"io_trace_insns_{lane}_iaddr": last[1],
                         f"io_trace_insns_{lane}_insn": last[2]})
            now.append((valid, pc, insn if insn & 3 == 3 else insn & 0xFFFF))
            digits = f"{insn:08x}" if insn & 3 == 3 else f"{insn & 0xFFFF:04x}"
            if last[0]:
                traced.append(f"{time} ns pc {last[1]:016x} op " + (f"{last[2]:08x}" if last[2] & 3 == 3 else f"{last[2]:04x}"))
            if not valid:
                continue
            commits.append(f"{time} ns pc {pc:010x} op {digits}")
            if kind == 0 and rd:
                commits[-1] += f" w x{rd}={value:016x}"
            elif kind == 1:
                commits[-1] += f" w f{rd}={value:016x}"
            pc += 4
        before = now
        signals.edge(edge, **values)
        trace.edge(edge, **seen)
    return signals.wave, commits, trace.wave, traced


def test_boom():
    for width in (1, 3):
        wave, commits, trace, traced = boom(width, width, 1500)
        store("boom.fst", waves.fst(wave))
        demand_same(printed("boom.fst"), commits, f"{width} commits")
        store("boom.vcd", waves.vcd(trace))
        demand_same(printed("boom.vcd"), traced, f"trace port of {width}")


waves.run([(name, test) for name, test in globals().items() if name.startswith("test_")])

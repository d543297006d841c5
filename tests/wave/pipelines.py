#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pipelines.py SPOOR: the stages and stalls that a mapping reads from a waveform are those of the core.

A pipeline is run here from a fixed seed, with stalls, wrong paths and loops of one instruction; each instruction carries a
number that the waveform does not have.  What `spoor` says of each one, by its pc alone, is compared with what happened.
"""
import json
import random
import re
import subprocess

import waves
from waves import SPOOR, FOLDER, Wave, printed, store

PERIOD = 10
CAUSES = ("dcache", "hazard", "flush", "icache")


class Pipeline:
    """Groups of up to `width` instructions go through F, D, X, M, W; each has (number, pc)."""

    def __init__(self, seed, width, cycles, loops, registered):
        self.random, self.width, self.loops, self.registered = random.Random(seed), width, loops, registered
        self.held = {stage: [] for stage in "FDXMW"}
        self.wait = {"F": 0, "D": 0, "M": 0}
        self.number, self.pc, self.redirect, self.flushed, self.left = 0, 0x80000000, None, 0, []
        self.truth, self.lost, self.cycles, self.begun = {}, {}, 0, False
        self.samples = [self.cycle(edge) for edge in range(cycles)]

    def enter(self, stage, group, edge):
        for number, pc in group:
            self.truth.setdefault(number, {"pc": pc, "stages": [], "end": None})["stages"].append((stage, edge * PERIOD))
        self.held[stage] = group

    def kill(self, group, edge):
        for number, _ in group:
            self.truth[number]["end"] = ("flush", edge * PERIOD)

    def fetch(self, edge):
        group = []
        for _ in range(self.random.randint(1, self.width)):
            group.append((self.number, self.pc))
            self.number += 1
            choice = self.random.random()
            if self.loops and choice < 0.5:
                continue  # a jump to itself, which is predicted
            self.pc += 4 if choice < 0.9 else 4 * self.random.randint(2, 9)
        self.enter("F", group, edge)

    def cycle(self, edge):
        """What the signals are before the edge, and what happens at it."""
        values = {stage: list(group) for stage, group in self.held.items()}
        values["R"] = self.left
        waits = {cause: 0 for cause in CAUSES}
        waits["dcache"], waits["hazard"] = int(self.wait["M"] > 0), int(self.wait["D"] > 0)
        waits["flush"], waits["icache"] = int(self.flushed > 0), int(self.wait["F"] > 0)
        retires = self.left if self.registered else self.held["W"]
        self.begun |= any(self.held.values())
        if self.begun:
            self.cycles += 1
            if not retires:
                cause = next((cause for cause in CAUSES if waits[cause]), "other")
                self.lost[cause] = self.lost.get(cause, 0) + 1
        for number, _ in retires:
            self.truth[number]["end"] = ("retire", (edge + 0) * PERIOD)
        self.left = self.held["W"]
        self.held["W"] = []
        for stage in self.wait:
            self.wait[stage] -= self.wait[stage] > 0
        if not self.wait["M"] and self.held["M"]:
            self.enter("W", self.held["M"], edge)
            self.held["M"] = []
        flushes = False
        if not self.held["M"] and self.held["X"]:
            flushes = self.random.random() < 0.1
            self.enter("M", self.held["X"], edge)
            self.held["X"] = []
            self.wait["M"] = self.random.choice((0, 0, 0, 0, 1, 2, 7))
        if flushes:
            for stage in "DF":
                self.kill(self.held[stage], edge)
            seen = {pc for stage in "F" for _, pc in self.held[stage]}
            self.held["D"] = self.held["F"] = []
            while self.pc in seen or self.pc % 64:
                self.pc += 4
            self.wait["D"], self.flushed = 0, 3
        self.flushed -= self.flushed > 0
        if not self.held["X"] and self.held["D"] and not self.wait["D"]:
            self.enter("X", self.held["D"], edge)
            self.held["D"] = []
        if not self.held["D"] and self.held["F"]:
            self.enter("D", self.held["F"], edge)
            self.held["F"] = []
            self.wait["D"] = self.random.choice((0, 0, 0, 0, 0, 1, 3))
        if not self.held["F"] and not self.wait["F"]:
            if self.random.random() < 0.15:
                self.wait["F"] = self.random.randint(1, 9)
            else:
                self.fetch(edge)
        return values, waits


def written(pipeline, with_numbers):
    """The waveform, and a mapping of it."""
    wave, number_of = Wave("1ns"), {}
    number_of["clk"] = wave.add("tb.core", "clk", 1)
    for stage in "FDXMWR":
        for lane in range(pipeline.width):
            number_of[f"{stage}v{lane}"] = wave.add("tb.core", f"{stage}_valid{lane}", 1)
            number_of[f"{stage}p{lane}"] = wave.add("tb.core", f"{stage}_pc{lane}", 32)
            number_of[f"{stage}n{lane}"] = wave.add("tb.core", f"{stage}_id{lane}", 16)
    for cause in CAUSES:
        number_of[cause] = wave.add("tb.core", f"{cause}_wait", 1)
    last = {}

    def put(time, values):
        changed = {number_of[name]: bits for name, bits in values.items() if last.get(name) != bits}
        last.update(values)
        wave.at(time, changed)
    for edge, (held, waits) in enumerate(pipeline.samples):
        values = {cause: str(waits[cause]) for cause in CAUSES}
        for stage, group in held.items():
            for lane in range(pipeline.width):
                known = lane < len(group)
                values[f"{stage}v{lane}"] = str(int(known))
                if known:  # else what was there before stays, as in registers
                    values[f"{stage}p{lane}"] = f"{group[lane][1]:032b}"
                    values[f"{stage}n{lane}"] = f"{group[lane][0] * 7 % 65536:016b}"
        put(edge * PERIOD - PERIOD // 2 + 5, {**values, "clk": "0"})
        put(edge * PERIOD + 5, {"clk": "1"})
    identity = "id" if with_numbers else "pc"
    retires = "R" if pipeline.registered else "W"
    lines = ["clock = clk", "scope = tb.core"]
    for stage in "FDXMW":
        lines += [f"stage {stage} when {stage}_valid{lane} id {stage}_{identity}{lane}" for lane in range(pipeline.width)]
    lines += [f"stall {cause} when {cause}_wait" for cause in CAUSES]
    for lane in range(pipeline.width):
        lines += [f"[lane{lane}]", f"when = {retires}_valid{lane}", f"pc = {retires}_pc{lane}"]
        lines += [f"id = {retires}_id{lane}"] if with_numbers else []
    return wave, "\n".join(lines) + "\n"


LINE = re.compile(r"(\d+) ns (?:stage (\w+) #(\d+)(?: pc (\w+))?|leave (\w+) #(\d+)|flush #(\d+)(?: pc \w+)?|begin #\d+ id \d+"
                  r"|#(\d+) retire pc (\w+)|stall (\w+) (\d+) from (\d+))$")


def found_in(lines):
    """What lines say of each instruction, and the cycles lost by cause."""
    found, lost, before = {}, {}, 0
    for line in lines:
        match = LINE.match(line)
        assert match, f"line {line}"
        time, stage, entered, pc, _, _, flushed, retired, at, cause, count, begin = match.groups()
        assert int(time) >= before, f"a time before {before}: {line}"
        before = int(time)
        if stage:
            one = found.setdefault(int(entered), {"pc": None, "stages": [], "end": None})
            one["stages"].append((stage, int(time)))
            one["pc"] = int(pc, 16) if pc else one["pc"]
        elif flushed:
            found[int(flushed)]["end"] = ("flush", int(time))
        elif retired:
            found[int(retired)]["end"] = ("retire", int(time))
            found[int(retired)]["pc"] = int(at, 16)
        elif cause:
            lost[cause] = lost.get(cause, 0) + int(count)
            assert int(time) - int(begin) == (int(count) - 1) * PERIOD, line
    return found, lost


def check(seed, width, loops, registered, with_numbers, cycles=3000):
    pipeline = Pipeline(seed, width, cycles, loops, registered)
    wave, mapping = written(pipeline, with_numbers)
    (FOLDER / "stages.spoor-format").write_text(mapping)
    names = {"stages.vcd": waves.vcd(wave), "stages.fst": waves.fst(wave), "stages-z.fst": waves.fst(wave, 5, "zlib", "lz4")}
    texts = []
    for name, data in names.items():
        store(name, data)
        texts.append(printed("-f", "stages.spoor-format", name))
    assert texts[0] == texts[1] == texts[2], "VCD and FST differ"
    found, lost = found_in(texts[0])
    shift = 5
    for number, true in pipeline.truth.items():
        expected = {"stages": [(stage, time + shift) for stage, time in true["stages"]],
                    "end": true["end"] and (true["end"][0], true["end"][1] + shift)}
        if expected["stages"][0][1] + PERIOD >= cycles * PERIOD:
            continue  # seen at no edge
        one = found[number]
        if expected["end"] is None or expected["stages"][-1][1] + PERIOD >= cycles * PERIOD:
            continue  # in flight at the end
        if with_numbers and true["end"][0] == "flush":
            assert one["pc"] is None, f"#{number}: a pc that nothing states"
        else:
            assert one["pc"] == true["pc"], f"#{number}: pc {one['pc']:x}, not {true['pc']:x}"
        last_edge = (cycles - 1) * PERIOD + shift
        if expected["end"] == ("flush", last_edge):
            continue  # seen at the edge after it
        assert one["stages"] == expected["stages"], f"#{number}: {one['stages']}, not {expected['stages']}"
        assert one["end"] == expected["end"], f"#{number}: {one['end']}, not {expected['end']}"
    assert lost == pipeline.lost, f"{lost}, not {pipeline.lost}"
    done = subprocess.run([SPOOR, "check", "-f", "stages.spoor-format", "stages.fst"], cwd=FOLDER, stdout=subprocess.PIPE,
                          check=False)
    assert done.returncode == 0, done.stdout.decode()
    report = json.loads(subprocess.run([SPOOR, "pipe", "--json", "--timeline", "0:9", "-f", "stages.spoor-format", "stages.fst"],
                                       cwd=FOLDER, check=True, stdout=subprocess.PIPE).stdout)
    retired = sum(one["end"] is not None and one["end"][0] == "retire" for one in pipeline.truth.values())
    flushed = sum(one["end"] is not None and one["end"][0] == "flush" for one in found.values())
    assert (report["cycles"], report["micro_ops"], report["squashed"]) == (pipeline.cycles, retired, flushed), report
    stack = report["cpi_stack"]
    for cause, count in lost.items():
        assert abs(stack[cause] - count / retired) < 1e-4, f"{cause}: {stack}"
    assert abs(sum(stack.values()) - pipeline.cycles / retired) < 1e-3, f"{stack}"
    return len(pipeline.truth)


def test_in_order():
    assert check(1, 1, False, False, False) > 900


def test_loops_of_one_instruction():
    check(2, 1, True, False, False)


def test_retirement_in_a_later_cycle():
    check(3, 1, False, True, False)


def test_two_at_a_time():
    check(4, 2, False, False, True)
    check(5, 2, False, True, True)


waves.run([(name, test) for name, test in globals().items() if name.startswith("test_")])

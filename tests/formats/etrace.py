#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""etrace.py SEEDS: programs of RISC-V that nobody wrote, runs of them, their E-Trace, and what spoor makes of it.

As ntrace.py: for each seed a random program, a random run, and the packets that an encoder of another hand makes of it, with
options by the seed: full addresses, resynchronisation, traps (also where an indirect jump went), several runs of tracing, lost
packets.  The instructions and branches that spoor reads must be those of the run."""
import random

from riscv_runs import Program, compare, expected, read, totals

BRANCHES = ("branch", "c.branch")
UNINFERABLE = ("icall", "switch", "ret", "mret", "far")


class Encoder:
    def __init__(self, rng, wide):
        self.rng, self.width, self.lowest = rng, 64 if wide else 32, rng.choice([1, 1, 0])
        self.full, self.period = rng.random() < 0.3, rng.choice([0, 0, 30, 300])
        self.out, self.map, self.count, self.before = bytearray(), 0, 0, 0
        self.losing, self.reported, self.at = False, 0, 0

    def put(self, *fields):
        """A packet of fields (value, bits), without the copies of its highest bit."""
        if self.losing:
            return
        bits = [value >> i & 1 for value, size in fields for i in range(size)]
        bits += [bits[-1]] * (-len(bits) % 8)
        while len(bits) > 8 and len(set(bits[-9:])) == 1:
            bits = bits[:-8]
        if self.rng.random() < 0.05:
            bits += [bits[-1]] * 8
        self.out += bytes([len(bits) // 8 | 2 << 5] + [sum(b << k for k, b in enumerate(bits[i:i + 8])) for i in range(0, len(bits), 8)])
        if self.rng.random() < 0.02:
            self.out += bytes(self.rng.randint(1, 40))

    def support(self, enable, status):
        self.put((3, 2), (3, 2), (enable, 1), (0, 1), (status, 2), (4 if self.full else 0, 5), (0, 6))

    def code(self, address):
        return address >> self.lowest, self.width - self.lowest

    def synchronise(self, step, trap=None, thaddr=1, address=None):
        pc, _, kind, taken, _, _ = step
        branch = 0 if kind in BRANCHES and taken and thaddr else 1
        address = pc if address is None else address
        if trap is None:
            self.put((3, 2), (0, 2), (branch, 1), (3, 2), (0, 32), self.code(address))
        else:
            interrupt = trap == 3
            self.put((3, 2), (1, 2), (branch, 1), (3, 2), (0, 32), (7, 5), (interrupt, 1), (thaddr, 1), self.code(address),
                     *([] if interrupt else [(0x1234, self.width)]))
        if thaddr:
            self.before, self.map, self.count = pc, 0, 0
            self.reported = self.at

    def report(self, pc, updiscon):
        """The address of an instruction, and the branches up to it."""
        delta = pc if self.full else pc - self.before
        self.before = pc
        value, size = (delta & (1 << self.width) - 1) >> self.lowest, self.width - self.lowest
        highest = value >> size - 1
        flags = [(highest, 1), (highest ^ updiscon, 1), (highest ^ updiscon, 1)]
        if self.count:
            sizes = next(n for n in (1, 3, 7, 15, 31) if n >= self.count)
            self.put((1, 2), (self.count, 5), (self.map, sizes), (value, size), *flags)
        else:
            self.put((2, 2), (value, size), *flags)
        self.map, self.count, self.reported = 0, 0, self.at

    def open(self, run, kept):
        """Where the last instruction that was reported went is not."""
        if run[self.reported - 1][2] in UNINFERABLE:
            kept[self.reported - 1] = "open"

    def encode(self, run):
        kept, since, first, jumped, trap = [True] * len(run), 0, True, False, None
        self.support(1, 0)
        lost = self.rng.randrange(len(run)) if self.rng.random() < 0.3 else None
        stops = {self.rng.randrange(len(run))} if self.rng.random() < 0.3 else set()
        for i, step in enumerate(run):
            pc, _, kind, taken, after, trapped = step
            self.at = i + 1
            if self.losing:
                kept[i] = False
                if self.rng.random() < 0.1 and not trapped:
                    self.losing, first = False, True
                    self.support(1, 2)
                continue
            ends = i + 1 == len(run) or i in stops
            if trap == "target":  # the handler comes with a start of its own
                self.synchronise(step)
                since = 0
            elif trap is not None:
                self.synchronise(step, trap)
                since = 0
            elif first or (self.period and since > self.period):
                self.synchronise(step)
                since = 0
            synced = first or trap is not None or since == 0
            first, trap = False, None
            since += 1
            if kind in BRANCHES and not synced:
                self.map |= (0 if taken else 1) << self.count
                self.count += 1
            resync = self.period and since > self.period
            format3 = bool(trapped or resync)
            if ends and not trapped:
                if not synced:
                    self.report(pc, 0)
                self.support(0, 3 if jumped and not synced else 1)
                first, jumped = True, False
                self.open(run, kept)
                if i + 1 < len(run):
                    self.support(1, 0)
                continue
            if not synced and (jumped or format3):
                self.report(pc, int(jumped and format3))
            elif self.count == 31:
                self.put((1, 2), (0, 5), (self.map, 31))
                self.map, self.count, self.reported = 0, 0, i + 1
            jumped = kind in UNINFERABLE
            if trapped:
                trap = trapped
                if jumped:
                    # of an interrupt, where the jump went is not stated
                    self.synchronise(step, trapped, 0, self.rng.randrange(1 << 31) * 2 if trapped == 3 else after)
                    if trapped == 3:
                        kept[i] = "open"
                    trap = "target"
                jumped = False
            if lost == i and not trapped and i + 60 < len(run):
                self.losing, jumped = True, False
                kept[self.reported:self.at] = [False] * (self.at - self.reported)
                self.open(run, kept)
        return bytes(self.out), kept


def test(seed, folder):
    rng = random.Random(seed)
    wide = rng.random() < 0.5
    program, encoder = Program(rng, wide), Encoder(rng, wide)
    for pc, (size, kind, target, index) in program.code.items():
        if kind in ("jump", "c.jump") and target <= pc:  # how often a loop without a branch runs, no packet says
            program.code[pc] = (size, kind, pc + size, index)
    run = program.run(rng, rng.choice([30, 3000]), rng.choice([0, 0.01]))
    run[-1] = (*run[-1][:5], 0)  # a trap after the end is none
    stream, kept = encoder.encode(run)
    program.elf(folder / "a.elf")
    (folder / "a.te").write_bytes(stream)
    dialect = f"rv{encoder.width}" + ("-lsb0" if encoder.lowest == 0 else "")
    rows, events, said = read(folder / "a.te", folder / "a.elf", "e-trace", dialect)
    compare(seed, rows, expected(run, kept), said)
    return sum(map(bool, kept)), 8 * len(stream)


totals(test)

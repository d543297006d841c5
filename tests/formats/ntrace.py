#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ntrace.py SEEDS: programs of RISC-V that nobody wrote, runs of them, their N-Trace, and what spoor makes of it.

For each seed: a random program as an ELF file, a random run of it, and the messages that an encoder of another hand makes of the
run, with options by the seed: branch or history messages, implicit returns, repeats, inferred jumps, limits of counters,
periodic synchronisation, traps, overruns, several sources, timestamps.  The instructions and branches that spoor reads must be
those of the run.  Prints how many there were, and bits an instruction."""
import random

from riscv_runs import Program, compare, expected, read, totals

class Encoder:
    """Messages by the document's pseudo-code, with options that a decoder does not need to know."""

    def __init__(self, rng):
        self.history, self.depth = rng.random() < 0.6, rng.choice([0, 4, 32])
        self.repeats, self.infers = rng.random() < 0.5, rng.random() < 0.5
        self.most, self.period = rng.choice([40, 1000, 1 << 20]), rng.choice([0, 0, 37, 400])
        self.source = rng.choice([0, 0, 3, 12])
        self.stamps, self.plain_traps = rng.random() < 0.3, rng.random() < 0.3
        self.overruns = rng.choice([0, 0, 0.002])
        self.out, self.rng = bytearray(), rng
        self.icnt, self.hist, self.stack, self.since, self.before = 0, 1, [], 0, 0
        self.pending, self.full, self.now, self.stamp = None, None, 0, 0
        self.losing = self.at = self.covered = self.full_end = 0

    def put(self, tcode, fixed, variable, synchronises=False, stamped=True):
        if self.losing:
            return
        stream, sizes = [tcode >> i & 1 for i in range(6)], []
        fixed = ([(5, self.source)] if self.source else []) + fixed
        for value, size in fixed:
            stream += [value >> i & 1 for i in range(size)]
        self.now += self.rng.randrange(50)
        if self.stamps and (synchronises or (stamped and self.rng.random() < 0.7)):
            variable = variable + [self.now if synchronises else self.now - self.stamp]
            self.stamp = self.now
        for value in variable:
            field = [value >> i & 1 for i in range(max(1, value.bit_length()))]
            stream += field + [0] * (-(len(stream) + len(field)) % 6)
            sizes.append(len(stream) // 6 - 1)
        ends = [0] * (len(stream) // 6)
        for size in sizes:
            ends[size] = 1
        ends[-1] = 3
        for i, end in enumerate(ends):
            self.out.append(sum(b << k for k, b in enumerate(stream[6 * i:6 * i + 6])) << 2 | end)

    def flush(self):
        """What is counted of repeated messages."""
        if self.pending and self.pending[1]:
            self.put(30, [], [self.pending[1]])
            self.covered = self.pending[2]
        self.pending = None
        self.flush_history()

    def flush_history(self):
        if self.full:
            value, count = self.full
            self.put(27, [(2 if count > 1 else 1, 4)], [value] + ([count] if count > 1 else []), stamped=False)
            self.covered = self.full_end
        self.full = None

    def synchronise(self, reason, address, jumped, btype=0):
        self.flush()
        if self.history and (self.hist > 1 or jumped):
            self.put(29, [(reason, 4), (btype, 2)], [self.icnt, address >> 1, self.hist], True)
        elif jumped:
            self.put(12, [(reason, 4), (btype, 2)], [self.icnt, address >> 1], True)
        else:
            self.put(9, [(reason, 4)], [self.icnt, address >> 1], True)
        if self.rng.random() < 0.3:
            self.put(2, [], [self.rng.choice([0xC, 0x3B2])])
        self.icnt, self.hist, self.stack, self.since, self.before, self.follows = 0, 1, [], 0, address, False
        self.covered = self.at

    def branch(self, message, key):
        """A branch message, or one more of it."""
        if self.repeats and self.pending and self.pending[0] == key:
            self.pending[1:] = [self.pending[1] + 1, self.at]
        else:
            self.flush()
            message()
            self.pending, self.covered = [key, 0, self.at], self.at
        self.icnt, self.hist, self.follows = 0, 1, False

    def indirect(self, address, btype):
        unique = (self.before ^ address) >> 1
        if self.history and self.hist > 1:
            def message():
                self.put(28, [(btype, 2)], [self.icnt, unique, self.hist])
        else:
            def message():
                self.put(4, [(btype, 2)], [self.icnt, unique])
        # the same address as in the message that is repeated
        self.branch(message, (btype, self.icnt, self.hist, address))
        self.before = address

    def encode(self, run, handler):
        """The stream, and which instructions of the run are in it."""
        kept, constant = [True] * len(run), False
        self.put(9, [(3, 4)], [0, run[0][0] >> 1], True)
        self.before, self.follows = run[0][0], False
        for i, (pc, size, kind, taken, after, trap) in enumerate(run):
            self.at = i + 1
            if self.losing:
                self.losing -= 1
                kept[i] = False
                if not self.losing:
                    self.pending = self.full = None
                    self.put(8, [(0, 4)], [4])
                    self.icnt, self.hist = 0, 1
                    self.synchronise(7, handler if trap else after, False)
                continue
            self.icnt += size // 2
            inferable = self.infers and constant and self.follows and kind == "far"
            self.follows, constant = True, kind == "auipc"
            if kind in ("branch", "c.branch"):
                if self.history:
                    self.hist = self.hist << 1 | taken
                    if self.hist >> 31:
                        if self.full and (self.full[0] != self.hist or not self.repeats):
                            self.flush_history()
                        self.full = (self.hist, self.full[1] + 1 if self.full else 1)
                        self.hist, self.full_end = 1, self.at
                        if not self.repeats:
                            self.flush_history()
                elif taken:
                    count = self.icnt
                    self.branch(lambda count=count: self.put(3, [], [count]), ("direct", count))
            implied = kind == "ret" and self.depth and self.stack and self.stack[-1] == after
            if kind == "ret" and self.stack:
                self.stack.pop()
            if kind in ("call", "c.jal", "icall", "far") and self.depth:
                self.stack = (self.stack + [pc + size])[-self.depth:]
            self.since += 1
            due = self.period and self.since >= self.period
            if kind in ("icall", "switch", "mret") or (kind == "ret" and not implied) or (kind == "far" and not inferable):
                if due:
                    self.synchronise(2, after, True)
                else:
                    self.flush_history()
                    self.indirect(after, 0)
            elif due and not trap:
                self.synchronise(2, after, False)
            elif self.icnt > self.most:
                self.flush()
                self.put(27, [(0, 4)], [self.icnt])
                self.icnt = 0
            if trap:
                self.flush_history()
                self.indirect(handler, 1 if self.plain_traps else trap)
            if self.overruns and i + 60 < len(run) and self.rng.random() < self.overruns:
                # what the next messages would have counted is lost, too
                for k in range(self.covered, self.at):
                    kept[k] = False
                self.pending, self.full, self.losing = None, None, self.rng.randint(1, 40)
        self.flush()
        self.put(33, [(0, 4), (int(self.history), 2)], [self.icnt] + ([self.hist] if self.history else []))
        return bytes(self.out), kept


def test(seed, folder):
    rng = random.Random(seed)
    program, encoder = Program(rng, rng.random() < 0.5), Encoder(rng)
    run = program.run(rng, rng.choice([30, 3000]), rng.choice([0, 0.01]))
    stream, kept = encoder.encode(run, program.handler)
    program.elf(folder / "a.elf")
    (folder / "a.nex").write_bytes(stream)
    rows, events, said = read(folder / "a.nex", folder / "a.elf", "n-trace", f"src{encoder.source}" if encoder.source else None)
    compare(seed, rows, expected(run, kept), said)
    traps = sum(1 for (_, _, _, _, _, trap), has in zip(run, kept) if trap and has)
    if "lost" in events and not encoder.overruns or traps and "exception" not in events:
        raise SystemExit(f"seed {seed}: found the events {sorted(set(events))}")
    return sum(kept), 8 * len(stream)


totals(test)

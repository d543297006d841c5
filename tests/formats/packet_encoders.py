#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""packet_encoders.py SEEDS: N-Trace and E-Trace that spoor writes of runs that nobody wrote, and what decoders of another hand make of it.

For each seed: a random program, a random run of it as a log of Spike, and its streams with options by the seed.  The decoders here
are by the documents (N-Trace 1.0; the pseudo-code of Efficient Trace 2.0, with its optional modes): their instructions must be
those of the run, and so must spoor's own.  Prints how many there were, and bits an instruction."""
import random
import subprocess

from riscv_runs import Program, compare, expected, read, totals

CALLS = ("call", "c.jal", "icall", "far")
BRANCHES = ("branch", "c.branch")


class Mismatch(Exception):
    pass


class Trace:
    """What a decoder has found: addresses, and "trap" and "end" between them."""

    def __init__(self, program):
        self.code, self.found = program.code, []

    def at(self, pc):
        if pc not in self.code:
            raise Mismatch(f"no code at {pc:#x} after {len(self.found)} instructions")
        return self.code[pc]


# ---- N-Trace ----

SHAPES = {2: ["PROCESS"], 3: ["ICNT"], 4: ["BTYPE:2", "ICNT", "UADDR"], 8: ["ETYPE:4", "ECODE"], 9: ["SYNC:4", "ICNT", "FADDR"],
          11: ["SYNC:4", "ICNT", "FADDR"], 12: ["SYNC:4", "BTYPE:2", "ICNT", "FADDR"], 27: ["RCODE:4", "RDATA"],
          28: ["BTYPE:2", "ICNT", "UADDR", "HIST"], 29: ["SYNC:4", "BTYPE:2", "ICNT", "FADDR", "HIST"], 30: ["BCNT"],
          33: ["EVCODE:4", "CDF:2", "ICNT"]}


def messages(stream, source):
    at = 0
    while at < len(stream):
        end = at
        while stream[end] & 3 != 3:
            end += 1
        data = [(byte >> 2 & 63, byte & 3) for byte in stream[at:end + 1]]
        at, value, used, byte = end + 1, {}, 0, 0

        def fixed(size):
            nonlocal used, byte
            number = 0
            for i in range(size):
                if used == 6:
                    byte, used = byte + 1, 0
                number |= (data[byte][0] >> used & 1) << i
                used += 1
            return number

        def variable():
            nonlocal used, byte
            if used == 6:
                byte, used = byte + 1, 0
            number, shift = 0, 0
            while True:
                number |= data[byte][0] >> used << shift
                shift += 6 - used
                ends = data[byte][1]
                byte, used = byte + 1, 0
                if ends:
                    return number

        value["TCODE"] = fixed(6)
        value["SRC"] = fixed(source)
        shape = list(SHAPES[value["TCODE"]])
        while shape:
            name, _, size = shape.pop(0).partition(":")
            value[name] = fixed(int(size)) if size else variable()
            if name == "RDATA" and value["RCODE"] == 2:
                shape.append("HREPEAT")
            if name == "ICNT" and value.get("CDF") == 1:
                shape.append("HIST")
        if byte < len(data):
            value["TSTAMP"] = variable()
        yield value


def history(value):
    return [int(bit) for bit in bin(value)[3:]]


class Nexus(Trace):
    def __init__(self, program, returns, sijump):
        super().__init__(program)
        self.returns, self.sijump = returns, sijump
        self.pc, self.count, self.bits, self.stack, self.address, self.last, self.before = None, 0, [], [], 0, None, None
        self.times = []

    def walk(self, count, bits, message):
        """Runs `count` halfwords; true: at the end is a jump that the message leads on from."""
        jumps = False
        while count > 0:
            size, kind, target, _ = self.at(self.pc)
            self.found.append(self.pc)
            count -= size // 2
            after, jumps = self.pc + size, False
            if kind in BRANCHES:
                taken = bits.pop(0) if bits is not None else count == 0 and message in (3, 11)
                after = target if taken else after
            elif kind in ("jump", "c.jump", "call", "c.jal"):
                after = target
            elif kind == "far" and self.sijump and self.before == "auipc":
                after, jumps = target, count == 0  # or the message says it: no constant is kept across one that synchronises
            elif kind == "ret" and self.stack:
                after = self.stack[-1]
                jumps = count == 0
            elif kind in ("ret", "icall", "switch", "mret", "far"):
                after, jumps = None, True
                if count:
                    raise Mismatch(f"a jump in the middle at {self.pc:#x}")
            if kind == "ret" and self.stack:
                self.stack.pop()
            if kind in CALLS and self.returns:
                self.stack = (self.stack + [self.pc + size])[-self.returns:]
            self.before = kind
            self.pc = after
        if count or bits:
            raise Mismatch(f"{count} halfwords and {bits} are left at {self.pc}")
        return jumps

    def take(self, message):
        tcode = message["TCODE"]
        if "TSTAMP" in message:
            self.times.append(message["TSTAMP"] + (0 if "FADDR" in message else self.times[-1]))
        if tcode == 27:
            if message["RCODE"] == 0:
                self.count += message["RDATA"]
            else:
                self.bits += history(message["RDATA"]) * message.get("HREPEAT", 1)
            return
        if tcode == 30:
            for _ in range(message["BCNT"]):
                self.branch({**self.last, **({"UADDR": 0} if "UADDR" in self.last else {})})
            return
        if tcode in (2, 8):
            return
        self.branch(message)
        self.last = message

    def branch(self, message):
        tcode = message["TCODE"]
        bits = self.bits + history(message["HIST"]) if "HIST" in message else list(self.bits)
        jumps = False
        if self.pc is not None:
            jumps = self.walk(self.count + message["ICNT"], bits if self.htm else None, tcode)
        self.count, self.bits = 0, []
        trap = message.get("BTYPE", 0)
        if trap:
            self.found.append("trap")
        if "UADDR" in message:
            self.address ^= message["UADDR"] << 1
            if not jumps and not trap:
                raise Mismatch(f"no jump before {self.address:#x}")
            self.pc = self.address
        elif "FADDR" in message:
            self.address = message["FADDR"] << 1
            if self.pc is not None and not jumps and self.pc != self.address:
                raise Mismatch(f"at {self.pc:#x}, not {self.address:#x}")
            if self.pc is not None or not self.found:
                self.stack = []
            self.pc = self.address
        elif tcode == 33:
            self.found.append("end")
            self.pc = None


def decode_nexus(program, stream, options):
    """The traces by source."""
    all_messages = list(messages(stream, options["source"]))
    traces = {}
    for message in all_messages:
        if message["SRC"] not in traces:
            traces[message["SRC"]] = Nexus(program, options["returns"], options["sijump"])
            traces[message["SRC"]].htm = options["history"]
        traces[message["SRC"]].take(message)
    return traces


# ---- E-Trace ----

UNINFERABLE = ("icall", "switch", "ret", "mret", "far")


class Efficient(Trace):
    """The decoder of the document, with its names."""

    def __init__(self, program, sizes):
        super().__init__(program)
        self.size = {"iaddress_width": 32, "iaddress_lsb": 1, "privilege_width": 2, "time_width": 0, "context_width": 32,
                     "ecause_width": 5, "return_stack_size": 0, "bpred_size": 0, "cache_size": 0, "sijump": 0, **sizes}
        self.pc = self.last_pc = None
        self.queue, self.predicted, self.fails = [], 0, 0
        self.stop_at_last_branch = self.inferred_address = False
        self.start_of_trace, self.address, self.privilege, self.options = True, 0, 0, 0
        self.stack, self.causes = [], []
        self.forget()

    def forget(self):
        self.table, self.cache, self.stack = {}, {}, []

    # branches: those of a map, then those that go as predicted, then one that fails

    def entry(self, pc, size):
        return pc >> (2 if self.size["iaddress_lsb"] == 2 else 1) & (1 << size) - 1

    def prediction(self, pc):
        return self.table.get(self.entry(pc, self.size["bpred_size"]), 1) >> 1

    def branches(self):
        return len(self.queue) + self.predicted + self.fails

    def take_branch(self, pc):
        if self.queue:
            taken = not self.queue.pop(0)
        elif self.predicted:
            self.predicted -= 1
            taken = self.prediction(pc)
        elif self.fails:
            self.fails = 0
            taken = not self.prediction(pc)
        else:
            raise Mismatch(f"no branch left at {pc:#x}")
        entry = self.entry(pc, self.size["bpred_size"])
        state = self.table.get(entry, 1)
        succeeds = bool(state >> 1) == bool(taken)
        self.table[entry] = {0: (0, 1), 1: (0, 3), 3: (3, 2), 2: (3, 0)}[state][not succeeds]
        return taken

    def is_branch(self, pc):
        return self.at(pc)[1] in BRANCHES

    def unprocessed(self, pc):
        return self.branches() != (1 if self.is_branch(pc) else 0)

    def report_pc(self):
        self.found.append(self.pc)

    def next_pc(self, address, te):
        size, kind, target, _ = self.at(self.pc)
        this, stop = self.pc, False
        after = this + size
        reported = te.get("irreport_set") and te["irdepth"] == len(self.stack)
        if kind in ("jump", "c.jump", "call", "c.jal"):
            after = target
        elif kind == "far" and self.options & 32 and self.last_pc is not None and self.at(self.last_pc)[1] == "auipc":
            after = target
        elif kind == "ret" and self.options & 1 and self.stack and not reported:
            after = self.stack.pop()
        elif kind in UNINFERABLE:
            if self.stop_at_last_branch:
                raise Mismatch(f"an unexpected discontinuity at {this:#x}")
            after, stop = address, True
        elif kind in BRANCHES:
            after = target if self.take_branch(this) else after
        if kind in CALLS and self.options & 1:
            self.stack = (self.stack + [this + size])[-(1 << self.size["return_stack_size"]):]
        self.pc, self.last_pc = after, this
        return stop

    def follow(self, address, te):
        previous = self.pc
        for _ in range(1 << 20):
            if self.inferred_address:
                stop = self.next_pc(previous, te)
                self.report_pc()
                if stop:
                    self.inferred_address = False
                continue
            stop = self.next_pc(address, te)
            self.report_pc()
            if self.branches() == 1 and self.is_branch(self.pc) and self.stop_at_last_branch:
                self.stop_at_last_branch = False
                return
            if stop:
                if self.unprocessed(self.pc):
                    raise Mismatch(f"unprocessed branches at {self.pc:#x}")
                return
            if self.pc != address or self.unprocessed(self.pc) or (te["format"] != 3 and self.stop_at_last_branch):
                continue
            if te["format"] == 3:
                if te["privilege"] == self.privilege or self.at(self.last_pc)[1] == "mret":
                    return
            elif te.get("notify_set"):
                return
            elif self.at(self.last_pc)[1] not in UNINFERABLE and not te.get("updiscon_set") and \
                    (not te.get("irreport_set") or te["irdepth"] == len(self.stack)):
                self.inferred_address = True
                return
        raise Mismatch(f"no way to {address:#x}")

    def packet(self, payload):
        """The fields of a payload, with what is missing at its end."""
        at = 0

        def take(size):
            nonlocal at
            value = 0
            for i in range(size):
                bit = min(at, 8 * len(payload) - 1)
                value |= (payload[bit // 8] >> bit % 8 & 1) << i
                at += 1
            return value

        size, te = self.size, {"format": take(2)}
        depth = size["return_stack_size"] + 1 if size["return_stack_size"] else 0
        code = size["iaddress_width"] - size["iaddress_lsb"]
        if te["format"] == 3:
            te["subformat"] = take(2)
            if te["subformat"] == 3:
                te["ienable"], _, te["status"], te["options"] = take(1), take(1), take(2), take(5 + size["sijump"])
                return te
            if te["subformat"] < 2:
                te["branch"] = take(1)
            te["privilege"], te["time"], te["context"] = take(size["privilege_width"]), take(size["time_width"]), take(size["context_width"])
            if te["subformat"] == 1:
                te["ecause"], te["interrupt"], te["thaddr"] = take(size["ecause_width"]), take(1), take(1)
            te["address"] = take(code) << size["iaddress_lsb"]
            if te["subformat"] == 1 and not te["interrupt"]:
                te["tval"] = take(size["iaddress_width"])
            return te
        extension = te["format"] == 0
        if extension:
            both = size["cache_size"] and size["bpred_size"]
            te["subformat"] = take(1) if both else 1 if size["cache_size"] else 0
        counts = extension and te["subformat"] == 0
        if counts:
            te["count"], te["fmt"] = take(32), take(2)
        elif extension:
            te["index"] = take(size["cache_size"])
        before = 0
        if te["format"] == 1 or (extension and not counts):
            te["branches"] = take(5)
            width = next(n for n in (1, 3, 7, 15, 31) if n >= te["branches"]) if te["branches"] else 0 if extension else 31
            te["map"] = take(width)
            before = te["map"] >> width - 1 if width else 0
        if te["format"] == 2 or te.get("branches") and not extension or counts and te["fmt"] >= 2:
            te["address"] = take(code)
            before = te["address"] >> code - 1
            if before:
                te["address"] -= 1 << code
            te["address"] <<= size["iaddress_lsb"]
            for name in ("notify", "updiscon"):
                bit = take(1)
                te[name + "_set"], before = bit != before, bit
        if "address" in te or "index" in te:
            te["irreport_set"] = take(1) != before
            te["irdepth"] = take(depth)
        return te

    def take(self, te):
        if te["format"] == 3 and te["subformat"] == 3:
            self.options = te["options"]
            if te["status"]:
                self.start_of_trace = True
                if te["status"] == 3 and self.inferred_address:
                    previous, self.inferred_address = self.pc, False
                    while not self.next_pc(previous, {}):
                        self.report_pc()
                    self.report_pc()
                self.inferred_address = False
                self.found.append("end")
            return
        if te["format"] == 3:
            if te["subformat"] == 1:
                self.found.append("trap")
                self.causes.append((te["interrupt"], te["ecause"]))
                if not te["thaddr"]:
                    self.start_of_trace = True
                    return
            self.inferred_address = False
            self.address = te["address"]
            fresh = te["subformat"] == 1 or self.start_of_trace
            if fresh:
                self.queue, self.predicted, self.fails = [], 0, 0
            self.settle()
            if self.is_branch(self.address):
                self.queue.append(te["branch"])
            if fresh:
                self.pc = self.last_pc = self.address
                self.report_pc()
            else:
                self.follow(self.address, te)
            self.privilege, self.start_of_trace = te["privilege"], False
            self.forget()
            return
        if self.start_of_trace:
            raise Mismatch("no start")
        self.settle()
        if "address" in te:
            self.stop_at_last_branch = False
            self.address = (te["address"] + (0 if self.options & 4 else self.address)) & (1 << self.size["iaddress_width"]) - 1
            if not te["notify_set"]:
                self.cache[self.entry(self.address, self.size["cache_size"])] = self.address
        elif "index" in te:
            self.stop_at_last_branch = False
            self.address = self.cache[te["index"]]
        if te.get("branches") or te["format"] == 1:
            self.stop_at_last_branch = te["branches"] == 0
            self.queue += [te["map"] >> i & 1 for i in range(te["branches"] or 31)]
        if "count" in te:
            self.stop_at_last_branch = te["fmt"] == 0
            self.predicted, self.fails = te["count"] + 31, int(te["fmt"] in (0, 3))
        self.follow(self.address, te)

    def settle(self):
        """The branch of the last instruction, before those of the next packet."""
        if not self.queue and self.branches():
            if self.branches() > 1:
                raise Mismatch("unprocessed branches")
            taken = self.prediction(self.pc) if self.predicted else not self.prediction(self.pc)
            self.queue, self.predicted, self.fails = [int(not taken)], 0, 0


def decode_efficient(program, stream, sizes):
    decoder, at = Efficient(program, sizes), 0
    while at < len(stream):
        size = stream[at] & 31
        decoder.take(decoder.packet(stream[at + 1:at + 1 + size]))
        at += 1 + size
    return decoder


# ---- runs as logs ----

def spike(program, run, core, modes):
    """The lines of a log of Spike; the handler runs in machine mode, the rest, where modes differ, in user mode."""
    image, base = program.encode(), min(program.code)
    for pc, size, _, _, after, trap in run:
        word = int.from_bytes(image[pc - base:pc - base + size], "little")
        mode = f"{3 if pc >= program.handler or not modes else 0} "
        yield f"core {core:3}: {mode}0x{pc:016x} (0x{word:0{2 * size}x})"
        if trap:
            name = "interrupt #7" if trap == 3 else "trap_illegal_instruction"
            yield f"core {core:3}: exception {name}, epc 0x{after:016x}"
            if trap == 2:
                yield f"core {core:3}:           tval 0x000000000000dead"


def convert(folder, to, options, lines):
    (folder / "a.log").write_text("".join(line + "\n" for line in lines))
    text = ",".join(f"{key}={int(value)}" for key, value in options.items())
    subprocess.run(["spoor", "convert", "--lossy", "-q", "-f", "spike", "-t", to, "--encoder", text, "-o", folder / f"a.{to}",
                    folder / "a.log"], check=True)
    return (folder / f"a.{to}").read_bytes()


def want_of(run):
    """Addresses and traps."""
    want = []
    for pc, _, _, _, _, trap in run:
        want += [pc] + (["trap"] if trap else [])
    return want + ["end"]


def check(seed, what, found, want):
    for i, (got, wanted) in enumerate(zip(found, want)):
        if got != wanted:
            raise SystemExit(f"seed {seed}: {what}: {i}: found {got}, expected {wanted}")
    if len(found) != len(want):
        raise SystemExit(f"seed {seed}: {what}: found {len(found)}, expected {len(want)}")


def known(run):
    """What a log can say: not whether a branch to the next instruction was taken, nor the last one; an exception at an instruction
    that jumped to itself is one of its first execution."""
    run = [(pc, size, kind, taken and (kind not in BRANCHES or after != pc + size), after, 3 if trap == 2 and after == pc else trap)
           for pc, size, kind, taken, after, trap in run]
    while run and (run[-1][2] in BRANCHES or run[-1][5]):
        run.pop()
    return run


def interleave(rng, logs):
    lines, logs = [], [list(log) for log in logs]
    while any(logs):
        log = rng.choice([log for log in logs if log])
        size = rng.randint(1, 9)
        lines += log[:size]
        del log[:size]
    return lines


def again(seed, folder, to, run, dialect):
    """spoor's own decoder."""
    rows, events, said = read(folder / f"a.{to}", folder / "a.elf", to, dialect)
    want, interrupted = expected(run, [True] * (len(run) - 1) + ["open"]), {step[0] for step in run if step[5] == 3}
    for i, row in enumerate(rows[:len(want)]):
        if i + 1 == len(want) and row[1] == "T":
            want[i] = (want[i][0], "T", row[2])  # as far as calls and constants say it
        if to == "e-trace" and row[0] in interrupted and row[1:] == ("T", None):
            want[i] = row  # where a jump went that was interrupted, no packet says
    compare(f"{seed}, {to}", rows, want, said)
    if "lost" in events:
        raise SystemExit(f"seed {seed}: {to}: found {sorted(set(events))}")


def test(seed, folder):
    rng = random.Random(seed)
    wide, modes = rng.random() < 0.5, rng.random() < 0.5
    program = Program(rng, wide)
    program.elf(folder / "a.elf")
    harts = [known(program.run(rng, rng.choice([30, 3000]), rng.choice([0, 0.01, 0.1]))) for _ in range(rng.choice([1, 1, 3]))]
    logs = [list(spike(program, run, core, modes)) for core, run in enumerate(harts)]
    options = {"history": rng.random() < 0.7, "repeats": rng.random() < 0.7, "returns": rng.choice([0, 1, 8, 32]),
               "sijump": rng.random() < 0.5, "sync": rng.choice([0, 0, 10, 500]), "source": 0 if len(harts) == 1 else 4}
    stream = convert(folder, "n-trace", options, interleave(rng, logs))
    traces = decode_nexus(program, stream, options)
    total, bits = 0, 8 * len(stream)
    for source, run in enumerate(harts):
        check(seed, "n-trace", traces[source].found, want_of(run))
        total += len(run)
    if len(harts) == 1:
        again(seed, folder, "n-trace", harts[0], None)
    sizes = {"iaddress_width": 64 if wide else 32, "iaddress_lsb": rng.choice([0, 1]), "return_stack_size": rng.choice([0, 1, 3]),
             "bpred_size": rng.choice([0, 2, 9]), "cache_size": rng.choice([0, 1, 6]), "sijump": rng.random() < 0.5}
    stream = convert(folder, "e-trace", {**sizes, "full": rng.random() < 0.3, "resync": rng.choice([0, 0, 3, 16])}, logs[0])
    decoder = decode_efficient(program, stream, sizes)
    check(seed, "e-trace", decoder.found, want_of(harts[0]))
    wanted = [(1, 7) if trap == 3 else (0, 2) for _, _, _, _, _, trap in harts[0] if trap]
    check(seed, "causes", decoder.causes, wanted)
    again(seed, folder, "e-trace", harts[0], ",".join(f"{key}={int(value)}" for key, value in sizes.items()))
    return total + len(harts[0]), bits + 8 * len(stream)


if __name__ == "__main__":
    totals(test)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""replay.py SPOOR ROOT: `who` and `slice` against a replay of the trace, byte by byte.

The replay is written from the lines of the trace alone: registers and accesses with their values, and
the text of each instruction.  It knows no opcode.  Random registers and words, at random moments, must have
the writer that it found, and the sources that the text implies: for a load the bytes of memory, for a list
of registers the word of each, for a vector the bytes, elements or lanes.  A program with vectors is recorded
here; a line that states a vector register writes those of its bytes that the text names.  SPOOR_POINTS=N asks
for N of each trace.  TAP on stdout.
"""
import json
import lzma
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SPOOR, ROOT = sys.argv[1], Path(sys.argv[2])
SHARED = Path(os.environ.get("SPOOR_SHARED", ROOT / ".." / "shared"))
POINTS = int(os.environ.get("SPOOR_POINTS", 100 * int(os.environ.get("SPOOR_TIMES", "1"))))
FLAGS = "cpsr"


class Skip(Exception):
    """The reason why a trace cannot be had on this machine."""


# ---- places: bytes of memory, bytes of vector registers, whole other registers ----

def memory(address, size):
    return [("m", address + i) for i in range(size)]


def vector(number, low=0, size=16):
    return [("v", number, low + i) for i in range(size)]


def plain(name):
    return [("r", name)]


class Instruction:
    """An instruction with its accesses and register writes, by the number of their lines."""

    def __init__(self, record, iset, mode, text):
        self.record, self.iset, self.mode = record, iset, mode
        words = text.split(";")[0].lower().split(None, 1)
        self.name = words[0] if words else ""
        self.operands = split(words[1]) if len(words) > 1 else []
        self.reads, self.writes, self.registers = [], [], []


def split(text):
    """The operands, of which one in brackets or braces is one."""
    found, depth = [""], 0
    for char in text.replace(" ", ""):
        depth += (char in "[{") - (char in "]}")
        if char == "," and depth == 0:
            found.append("")
        else:
            found[-1] += char
    return found


# ---- the text of instructions ----

def elements(operand):
    """The registers of a list, {r4-r6,lr} or {v0.4s,v1.4s}."""
    found = []
    for part in operand.strip("{}^").split(","):
        ends = part.split("-")
        if len(ends) == 2:
            letter = ends[0][0]
            found += [f"{letter}{i}" for i in range(int(ends[0][1:]), int(ends[1][1:]) + 1)]
        else:
            found.append(part)
    return found


class Arm64:
    """A64 as capstone writes it."""
    LANES = {"ushl", "sshl", "add", "sub", "mul", "mla", "mls", "and", "orr", "eor", "bic", "fadd", "fsub", "fmul", "fmla",
             "fdiv", "smax", "smin", "umax", "umin", "cmgt", "cmge", "cmeq", "neg", "abs", "not", "shl",
             "sshr", "ushr", "usra", "ssra", "bsl", "fmax", "fmin", "fabs", "fneg", "sabd", "uabd"}
    ACCUMULATE = {"mla", "mls", "fmla", "usra", "ssra", "bsl"}

    @staticmethod
    def flags(instruction):
        return instruction.name in ("cmp", "cmn", "tst", "adds", "subs", "ands", "negs", "bics", "fcmp",
                                    "ccmp", "ccmn")

    @staticmethod
    def register(text):
        """The place of an operand; None: a constant, or something else."""
        match = re.fullmatch(r"v(\d+)\.(\d*)([bhsd])(?:\[(\d+)\])?", text)
        if match:
            number, count, letter, index = match.groups()
            size = "bhsd".index(letter)
            if index:
                return vector(int(number), int(index) << size, 1 << size)
            return vector(int(number), 0, (int(count or 1)) << size)
        match = re.fullmatch(r"([bhsdq])(\d+)", text)
        if match:
            return vector(int(match[2]), 0, 1 << "bhsdq".index(match[1]))
        match = re.fullmatch(r"[wx](\d+)", text)
        if match:
            return plain("x" + match[1])
        return {"sp": plain("sp"), "wsp": plain("sp"), "fp": plain("x29"), "lr": plain("x30")}.get(text)

    @classmethod
    def plain_sources(cls, operands):
        found = []
        for operand in operands:
            for text in elements(operand) if operand.startswith("{v") else [operand]:
                found += cls.register(text) or []
        return found

    @classmethod
    def base(cls, instruction):
        for operand in instruction.operands:
            if operand.startswith("["):
                return cls.register(operand.strip("[]!").split(",")[0])
        return None

    @classmethod
    def moved(cls, instruction):
        """The bytes of each register that is loaded or stored, with their offsets in memory."""
        row = []
        if instruction.operands[0].startswith("{"):
            listed, index = re.fullmatch(r"(\{.*\})(?:\[(\d+)\])?", instruction.operands[0]).groups()
            names = elements(listed)
            letter = re.match(r"v\d+\.\d*([bhsd])", names[0])[1]
            size, count = 1 << "bhsd".index(letter), len(names)
            interleaved = int(instruction.name[2])
            for i, name in enumerate(names):
                if index is not None:
                    row += zip(cls.register(f"{name}[{index}]"), range(i * size, (i + 1) * size))
                    continue
                place = cls.register(name)
                for at, byte in enumerate(place):
                    if interleaved > 1:
                        row.append((byte, at // size * count * size + i * size + at % size))
                    else:
                        row.append((byte, i * len(place) + at))
            return row
        accesses = instruction.reads + instruction.writes
        total = sum(size for _, _, size, _ in accesses)
        names = [text for text in instruction.operands if not text.startswith(("[", "#"))]
        if instruction.name.startswith(("stx", "stlx")):
            names = names[1:]
        names = names[:2] if instruction.name[:3] in ("ldp", "stp", "ldn", "stn") else names[:1]
        each = total // len(names)
        for i, name in enumerate(names):
            place = cls.register(name) or [None]
            if place[0] and place[0][0] == "v":
                row += zip(place, range(i * each, (i + 1) * each))
            else:
                row += [(place[0], offset) for offset in range(i * each, (i + 1) * each)]
        return row

    @classmethod
    def computed(cls, instruction, place):
        """The sources of a byte of a register that is neither loaded nor a base."""
        name, operands = instruction.name, instruction.operands
        if name in ("bl", "blr", "adr", "adrp"):
            return []
        if place == ("r", FLAGS):
            sources = cls.plain_sources(operands if name in ("cmp", "cmn", "tst", "fcmp", "ccmp", "ccmn")
                                        else operands[1:])
        elif place[0] == "v" and (name in cls.LANES or (name == "mov" and "[" not in operands[0])):
            sources = cls.lanes(instruction, place)
        else:
            sources = cls.plain_sources(operands[1:])
        if name in ("movk", "bfi", "bfxil", "bfm", "tbx"):
            sources += cls.register(operands[0])
        if name in ("adc", "adcs", "sbc", "sbcs", "csel", "csinc", "cset", "csetm", "cinc", "csneg", "csinv",
                    "cneg", "fcsel", "ccmp", "ccmn"):
            sources = sources + plain(FLAGS)
        return sources

    @classmethod
    def lanes(cls, instruction, place):
        letter = re.match(r"v\d+\.\d*([bhsd])", instruction.operands[0])
        if not letter:
            return cls.plain_sources(instruction.operands[1:])
        size = 1 << "bhsd".index(letter[1])
        low = place[2] // size * size
        sources = []
        first = 0 if instruction.name in cls.ACCUMULATE else 1
        for operand in instruction.operands[first:]:
            of_operand = cls.register(operand) or []
            sources += [byte for byte in of_operand if byte[0] != "v" or low <= byte[2] < low + size]
        return sources

    @classmethod
    def written(cls, instruction):
        """The bytes of vectors that the text says are written."""
        if not instruction.operands or instruction.name.startswith("st") or cls.flags(instruction):
            return []
        first = instruction.operands[0]
        if first.startswith("{pc"):
            return []
        if first.startswith("{"):
            return [byte for byte, _ in cls.moved(instruction)] if "[" in first else \
                [byte for name in elements(first) for byte in vector(int(re.match(r"v(\d+)", name)[1]))]
        names = instruction.operands[:2] if instruction.name in ("ldp", "ldnp") else [first]
        found = []
        for name in names:
            place = cls.register(name)
            if place and place[0][0] == "v":
                found += place if "[" in name else vector(place[0][1])
        return found


class Arm32:
    """A32 as capstone and Fast Models write it."""
    CONDITIONS = ("eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")
    ALIASES = {"sb": "r9", "sl": "r10", "fp": "r11", "ip": "r12", "sp": "r13", "lr": "r14"}
    NAMES = {"add", "sub", "mov", "orr", "cmp", "ldr", "str", "bx", "b", "bl", "blx", "push", "pop"}

    @classmethod
    def stem(cls, instruction):
        """The name without its condition and the letter of the flags."""
        name = instruction.name
        if name[-2:] in cls.CONDITIONS and name[:-2] in cls.NAMES | {"movw", "movt", "rsb", "mvn", "ldrb", "strb", "and"}:
            return name[:-2], True
        return name, False

    @classmethod
    def flags(cls, instruction):
        name, _ = cls.stem(instruction)
        return name in ("cmp", "cmn", "tst", "teq") or (name.endswith("s") and name != "mls")

    @classmethod
    def register(cls, text):
        text = cls.ALIASES.get(text.rstrip("!"), text.rstrip("!"))
        return plain(text) if re.fullmatch(r"r(\d|1[0-4])", text) else None

    @classmethod
    def plain_sources(cls, operands):
        found = []
        for operand in operands:
            shifted = re.fullmatch(r"(?:lsl|lsr|asr|ror)(.*)", operand)
            found += cls.register(shifted[1] if shifted else operand) or []
            if operand == "rrx":
                found += plain(FLAGS)
        return found

    @classmethod
    def base(cls, instruction):
        name, _ = cls.stem(instruction)
        if name in ("push", "pop"):
            return plain("r13")
        for operand in instruction.operands:
            if operand.startswith("["):
                return cls.register(operand.strip("[]!").split(",")[0])
        return cls.register(instruction.operands[0]) if name.startswith(("ldm", "stm")) else None

    @classmethod
    def moved(cls, instruction):
        name, _ = cls.stem(instruction)
        listed = instruction.operands[-1]
        if listed.startswith("{"):
            number = {f"r{i}": i for i in range(13)} | {f"r{i}": i for i in (13, 14)} | {"pc": 15}
            names = sorted((cls.ALIASES.get(text, text) for text in elements(listed)), key=number.get)
        elif name in ("ldrd", "strd"):
            names = instruction.operands[:2]
        else:
            accesses = instruction.reads + instruction.writes
            total = sum(size for _, _, size, _ in accesses)
            place = cls.register(instruction.operands[0]) or [None]
            return [(place[0], offset) for offset in range(total)]
        return [((cls.register(text) or [None])[0], 4 * i + at)
                for i, text in enumerate(names) for at in range(4)]

    @classmethod
    def computed(cls, instruction, place):
        name, conditional = cls.stem(instruction)
        operands = instruction.operands
        if name in ("bl", "blx", "bx"):  # bit 0 of the address selects the instruction set
            return cls.plain_sources(operands) if place == ("r", FLAGS) else []
        if place == ("r", FLAGS) and conditional and not cls.flags(instruction):
            return plain(FLAGS)  # the state of the IT block goes on
        base = name[:-1] if name.endswith("s") and name != "mls" else name
        if base in ("cmp", "cmn", "tst", "teq"):
            sources = cls.plain_sources(operands)
        elif base in ("umull", "smull"):
            sources = cls.plain_sources(operands[2:])
        elif base in ("umlal", "smlal", "umaal"):
            sources = cls.plain_sources(operands)
        else:
            sources = cls.plain_sources(operands[1:] if len(operands) != 2 or base in
                                        ("mov", "mvn", "movw", "clz", "uxtb", "uxth", "sxtb", "sxth") or operands[1].startswith("#") is False
                                        and base in ("mov", "mvn") else operands)
            if len(operands) == 2 and base in ("mov", "mvn", "movw"):
                sources = cls.plain_sources(operands[1:])
        if base == "movt":
            sources += cls.register(operands[0])
        if base in ("adc", "sbc", "rsc") or conditional:
            sources = sources + plain(FLAGS)
        return sources

    @staticmethod
    def written(_):
        return []


# ---- the replay ----

class Replay:
    """Writers of every byte after each line, for random moments; and the sources of each effect."""

    def __init__(self, path):
        self.lines = path.read_text().splitlines()
        self.instructions, self.owner, self.effects = [], [None] * len(self.lines), {}
        self.last, self.history = {}, {}
        self.stated = {}  # by record: what it wrote, as address and bytes, or as a number
        self.cpu = ""
        current = None
        for record, line in enumerate(self.lines):
            words = line.split()
            at = 2
            if len(words) > at and words[at].startswith("cpu"):
                self.cpu, at = words[at], at + 1
            kind = words[at] if len(words) > at else ""
            if kind in ("IT", "IS"):
                match = re.search(r"\b([OAT]) (\w+) : *(.*)$", line)
                self.end(current)
                current = Instruction(record, match[1], match[2], match[3])
                current.pc = int(re.search(r"\(\d+\) +([0-9a-f]+)", line)[1], 16)
                if kind == "IS":
                    current.operands = []
                    current.name = "skipped"
            elif re.fullmatch(r"M[RW]\d+", kind):
                size = int(kind[2:])
                data = int(words[at + 2].replace("_", ""), 16).to_bytes(size, "little")
                access = (record, int(words[at + 1].split(":")[0], 16), size, data)
                (current.reads if kind[1] == "R" else current.writes).append(access)
                self.stated[record] = access[1], data
            elif kind == "R" and len(words) > at + 2:
                place, value = self.place(words[at + 1]), words[at + 2]
                self.stated[record] = int(value.replace("_", ""), 16)
                if current:
                    current.registers.append((record, place, value))
                else:
                    self.write(place, record)
            self.owner[record] = current
        self.end(current)

    @staticmethod
    def place(name):
        name = name.lower()
        match = re.fullmatch(r"([vq])(\d+)", name)
        if match:
            return vector(int(match[2]))
        name = {"sp": "sp", "lr": "x30", "r13_main": "msp", "r13_process": "psp"}.get(name, name)
        return plain("x" + name[1:] if re.fullmatch(r"w\d+", name) else name)

    def write(self, places, record):
        for place in places:
            self.history.setdefault(place, []).append(record)
            self.last[place] = record

    def writer(self, place, before):
        """The last write of the place before a line."""
        for record in reversed(self.history.get(place, [])):
            if record < before:
                return record
        return None

    def states_word(self, place, before):
        """True if the word that begins at this byte of a vector has values that the trace states."""
        return place[2] % 4 == 0 and all(self.writer(byte, before) in self.stated
                                         for byte in vector(place[1], place[2], 4))

    def end(self, instruction):
        if not instruction:
            return
        of_text = []
        if instruction.iset == "O" and instruction.name != "skipped":
            of_text = Arm64.written(instruction)
        stated = set()
        for record, places, _ in instruction.registers:
            if places[0][0] == "v" and instruction.iset == "O":
                places = [place for place in places if place in of_text]
                assert places, f"line {record + 1}: the instruction writes no byte of this register"
            self.write(places, record)
            stated.update(places)
        for record, address, size, _ in instruction.writes:
            self.write(memory(address, size), record)
        self.write([place for place in of_text if place not in stated], instruction.record)
        self.instructions.append(instruction)

    def banked(self, instruction, place):
        """The register of the instruction's mode, where it has one of its own."""
        mode = instruction.mode[:3]
        if place == ("r", "r13") and "msp" in self.names:  # the M profile, without a process stack
            return ("r", "msp")
        if place == ("r", "sp") and f"sp_el{instruction.mode[2:3]}" in self.names:
            return ("r", f"sp_el{instruction.mode[2]}")
        if place[0] != "r" or f"r13_{mode}" not in self.names or place[1] not in ("r13", "r14"):
            return place
        return ("r", f"{place[1]}_{mode}")

    @property
    def names(self):
        return {place[1] for place in self.history if place[0] == "r"}

    def sources(self, record, place):
        """The places that a written byte comes from.  None: the text is of no kind that is known here."""
        instruction = self.owner[record]
        if not instruction or instruction.name in ("skipped", "svc"):
            return None
        isa = Arm64 if instruction.iset == "O" else Arm32
        base = isa.base(instruction)
        accesses = instruction.reads or instruction.writes
        plain_place = place
        if place[0] == "r" and "_" in place[1] and place[1][:3] in ("r13", "r14"):
            plain_place = ("r", place[1][:3])
        if place == ("r", "msp"):
            plain_place = ("r", "r13")
        if place[0] == "r" and place[1].startswith("sp_el"):
            plain_place = ("r", "sp")
        loads = bool(instruction.reads)
        row = isa.moved(instruction) if accesses else []
        lowest = min((address for _, address, _, _ in accesses), default=0)
        if place[0] == "m":
            return [byte for byte, offset in row if lowest + offset == place[1] and byte]
        if loads and plain_place in [byte for byte, _ in row]:
            return [("m", lowest + offset) for byte, offset in row if byte == plain_place]
        if base and plain_place == base[0]:
            return base
        if loads:
            return None
        return isa.computed(instruction, plain_place)


# ---- what spoor answers ----

def ask(verb, *words):
    done = subprocess.run([SPOOR, verb, "--json", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, f"{verb} {words}: {done.stderr}"
    return json.loads(done.stdout)


def places_of(what):
    """The bytes of a node's name."""
    match = re.fullmatch(r"([0-9a-f]+)\+(\d+)", what)
    if match:
        return memory(int(match[1], 16), int(match[2]))
    match = re.fullmatch(r"v(\d+)\.([bhsd])\[(\d+)\](?:\+(\d+))?", what)
    if match:
        log = "bhsd".index(match[2])
        return vector(int(match[1]), int(match[3]) << log, int(match[4] or 1) << log)
    match = re.fullmatch(r"([bhsdv])(\d+)", what)
    if match:
        return vector(int(match[2]), 0, {"b": 1, "h": 2, "s": 4, "d": 8, "v": 16}[match[1]])
    return plain(what)


def subject_of(places):
    if places[0][0] == "m":
        return f"{places[0][1]:#x}+{len(places)}"
    return places[0][1] if places[0][0] == "r" else f"v{places[0][1]}.s[{places[0][2] // 4}]"


def check_value(replay, touch, places):
    """The value of a write is the one that its line states."""
    stated, value = replay.stated[touch["record"]], touch["value"]
    if places[0][0] == "v":
        stated = stated >> 8 * places[0][2] & (1 << 8 * len(places)) - 1
    if places[0][0] != "m":
        assert int(value, 16) == stated, f"record {touch['record']}: value {value}, not {stated:#x}"
        return
    begin = int(touch["address"], 16) if "address" in touch else places[0][1]
    expected = ""
    for at in range(begin, begin + touch.get("size", len(places))):
        known = stated[0] <= at < stated[0] + len(stated[1])
        expected = (f"{stated[1][at - stated[0]]:02x}" if known else "??") + expected
    assert value == "0x" + expected, f"record {touch['record']}: value {value}, not 0x{expected}"


def check_point(replay, trace, rng):
    """One random value; returns whether its sources were compared, too."""
    before = rng.randrange(len(replay.lines) // 8, len(replay.lines))
    known = sorted(place for place, records in replay.history.items()
                   if records[0] < before and (place[0] != "v" or replay.states_word(place, before)))
    executed = [place for place in known if replay.owner[replay.writer(place, before)]]
    chosen = executed if executed and rng.random() < .9 else known
    if rng.random() < .5:  # there are far fewer bytes of registers than of memory
        chosen = [place for place in chosen if place[0] != "m"] or chosen
    place = rng.choice(chosen)
    places = [place] if place[0] == "r" else memory(place[1] & ~3, 4) if place[0] == "m" else \
        vector(place[1], place[2], 4)
    subject = subject_of(places)
    written = {replay.writer(place, before) for place in places}
    found = ask("who", "--at", f"record:{before - 1}", trace, subject)["writes"]
    records = {touch["record"] for touch in found}
    last = {max(written)} if place[0] == "v" else written - {None}
    assert records == last, f"who {subject} before {before}: {records}, not {last}"
    for touch in found:
        owner = replay.owner[touch["record"]]
        assert ("pc" not in touch) == (owner is None), f"record {touch['record']}: pc {touch.get('pc')}"
        assert owner is None or int(touch["pc"], 16) == owner.pc, f"pc {touch['pc']}, not {owner.pc:#x}"
        check_value(replay, touch, places)
    nodes = ask("slice", "--depth", 1, "--at", f"record:{before - 1}", trace, subject)["nodes"]
    sources = {}
    for place in places:
        record = replay.writer(place, before)
        known = replay.sources(record, place) if record is not None else None
        if known is None:
            return False
        instruction = replay.owner[record]
        for source in known:
            source = replay.banked(instruction, source)
            sources[source] = replay.writer(source, instruction.record)
    roots = [node for node in nodes if all(byte in places for byte in places_of(node["what"]))
             and node.get("record") in written]
    slice_of = {}
    for root in roots:
        for number in root["from"]:
            for byte in places_of(nodes[number]["what"]):
                slice_of[byte] = nodes[number].get("record")
    where = f"slice {subject} before record {before}: {replay.lines[replay.owner[min(written)].record]}"
    assert slice_of == sources, f"{where}\n# found {slice_of}\n# expected {sources}"
    return True


def check_trace(path, folder):
    rng = random.Random(1)
    replay = Replay(path)
    subprocess.run([SPOOR, "index", "-q", path], check=True, capture_output=True)
    compared = sum(check_point(replay, path, rng) for _ in range(POINTS))
    assert compared * 4 > POINTS * 3, f"the sources of only {compared} of {POINTS} are known"
    return f"{POINTS} values, the sources of {compared}"


def example(name, folder):
    path = folder / name
    path.write_bytes(lzma.open(ROOT / "examples" / f"{name}.xz").read())
    return path


def published(name, folder):
    path = SHARED / "traces" / "tarmac" / name  # the copy gets an index beside it
    if not path.exists():
        raise Skip(f"{name} is not in {SHARED}")
    return Path(shutil.copy(path, folder))


def recorded(name, folder):
    for program in ("aarch64-linux-gnu-gcc", "qemu-aarch64"):
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")
    program, trace = folder / "vectors", folder / "vectors.tarmac"
    source = ROOT / "tests" / "record" / "programs" / name
    subprocess.run(["aarch64-linux-gnu-gcc", "-O2", "-nostdlib", "-static", "-ffreestanding", "-o", program,
                    source], check=True)
    done = subprocess.run([SPOOR, "record", "-t", "tarmac", "-o", trace, "--", program], capture_output=True)
    if not trace.exists():
        raise Skip(f"it cannot be recorded: {done.stderr!r}")
    if "capstone" in done.stderr.decode():
        raise Skip("spoor was built without capstone")
    return trace


TRACES = [("sort-aarch64", example, "sort-aarch64.tarmac"), ("sort-arm", example, "sort-arm.tarmac"),
          ("calltest32", published, "calltest32.tarmac"),
          ("quicksort", published, "fastmodel/quicksort.tarmac"),
          ("labels-v7m", published, "v7m/labels-v7m.tarmac"),
          ("a program with vectors", recorded, "vectors-arm64.c")]


def main():
    print(f"1..{len(TRACES)}")
    failed = False
    for number, (what, source, name) in enumerate(TRACES, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                path = source(name, Path(folder))
                print(f"ok {number} - {what}: {check_trace(path, Path(folder))}", flush=True)
            except Skip as reason:
                print(f"ok {number} - {what} # SKIP {reason}")
            except AssertionError as error:
                failed = True
                print(f"not ok {number} - {what}\n# {error}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())

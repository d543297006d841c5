#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""waves.py SPOOR: waveforms that are made here, read through mappings, give the instructions that were run.

A core is invented from a fixed seed: what its signals are in each cycle, and by the documents of RVFI and of
the format (docs/formats/waveform.md) what lines follow.  Its signals are written here as VCD (IEEE 1364) and
as FST in every kind of section and packing that GTKWave's fstapi.c documents, LZ4 and FastLZ included.
Published waveforms in $SPOOR_SHARED have lists of what the simulator itself printed.
"""
import gzip
import json
import lzma
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

SPOOR = os.path.abspath(sys.argv[1])
SHARED = Path(os.environ.get("SPOOR_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
FOLDER = Path(tempfile.mkdtemp())


def printed(*arguments, data=None, code=None):
    """The lines of `spoor print`, without the title.  Exit code: 3 if one of them reports damage, else 0."""
    done = subprocess.run([SPOOR, "print", *map(str, arguments)], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, cwd=FOLDER)
    lines = [line for line in done.stdout.decode().splitlines() if not line.startswith("#")]
    if code is None:
        code = 3 if any(line.startswith("!") for line in lines) else 0
    assert done.returncode == code, f"{arguments}: exit {done.returncode}: {done.stderr.decode()}"
    return lines


def demand_same(found, expected, what):
    for i, (one, other) in enumerate(zip(found, expected)):
        assert one == other, f"{what}: line {i}: found\n  {one}\nexpected\n  {other}"
    assert len(found) == len(expected), f"{what}: {len(found)} lines, expected {len(expected)}"


# ---- a waveform: scopes of signals, and at each time what changes ----

class Wave:
    def __init__(self, timescale="1ps"):
        self.timescale, self.signals, self.changes = timescale, [], []  # (scope, name, width); (time, {signal: bits})

    def add(self, scope, name, width):
        self.signals.append((scope, name, width))
        return len(self.signals) - 1

    def at(self, time, values):
        self.changes.append((time, values))


def tree(wave):
    """The declarations in order: ("scope", name), ("var", number), ("end",)."""
    out, path = [], []
    for number, (scope, _, _) in enumerate(wave.signals):
        wanted = scope.split(".")
        while path != wanted[:len(path)]:
            path.pop()
            out.append(("end",))
        for name in wanted[len(path):]:
            path.append(name)
            out.append(("scope", name))
        out.append(("var", number))
    return out + [("end",)] * len(path)


def code(number):
    """The code of a variable: printable, of various lengths."""
    out = ""
    while True:
        out += chr(33 + number % 94)
        number = number // 94 - 1
        if number < 0:
            return out


def vcd(wave, shorten=False):
    out = [f"$date today $end\n$comment a wave of\n our own $end\n$timescale {wave.timescale} $end\n"]
    for what, *of in tree(wave):
        if what == "scope":
            out.append(f"$scope module {of[0]} $end\n")
        elif what == "end":
            out.append("$upscope $end\n")
        else:
            _, name, width = wave.signals[of[0]]
            bits = f" [{width - 1}:0]" if width > 1 else ""
            out.append(f"$var wire {width} {code(of[0] * 7)} {name}{bits} $end\n")
    out.append("$enddefinitions $end\n")
    for i, (time, values) in enumerate(wave.changes):
        out.append(f"#{time}\n" + ("$dumpvars\n" if i == 0 else ""))
        for number, bits in values.items():
            if wave.signals[number][2] == 1:
                out.append(f"{bits}{code(number * 7)}\n")
            else:
                if shorten:  # leading digits that the rule of extension gives back
                    bits = re.sub("^0+(?=[01])|^(x)x+(?=x)|^(z)z+(?=z)", "", bits)
                out.append(f"b{bits} {code(number * 7)}\n")
        if i == 0:
            out.append("$end\n")
    return "".join(out).encode()


# ---- packings ----

def matches(data, least, furthest):
    """(literal bytes, distance, length) ...: a greedy search for what came before."""
    seen, at, begin, out = {}, 0, 0, []
    while at + least <= len(data) - 12:  # LZ4 ends with literal bytes
        key = data[at:at + least]
        before, seen[key] = seen.get(key), at
        if before is None or at - before > furthest:
            at += 1
            continue
        length = least
        while at + length < len(data) - 12 and data[before + length] == data[at + length]:
            length += 1
        out.append((data[begin:at], at - before, length))
        at += length
        begin = at
    return out, data[begin:]


def lz4(data):
    def extra(number):
        return b"" if number < 15 else b"\xff" * ((number - 15) // 255) + bytes([(number - 15) % 255])
    out = b""
    parts, rest = matches(data, 4, 65535)
    for literal, distance, length in parts:
        out += bytes([min(len(literal), 15) << 4 | min(length - 4, 15)]) + extra(len(literal)) + literal
        out += struct.pack("<H", distance) + extra(length - 4)
    return out + bytes([min(len(rest), 15) << 4]) + extra(len(rest)) + rest


def fastlz(data, level):
    def literals(some):
        return b"".join(bytes([len(some[i:i + 32]) - 1]) + some[i:i + 32] for i in range(0, len(some), 32))
    out = b""
    parts, rest = matches(data, 4, 8190 if level == 1 else 60000)
    for literal, distance, length in parts:
        out += literals(literal)
        while length >= 3:
            some = min(length, 264) if level == 1 else length
            if 0 < length - some < 3:
                some -= 3
            near = distance - 1 if level == 1 or distance < 8192 else 8191
            number = some - 2
            if number < 7:
                out += bytes([number << 5 | near >> 8])
            elif level == 1:
                out += bytes([7 << 5 | near >> 8, number - 7])
            else:
                out += bytes([7 << 5 | near >> 8]) + b"\xff" * ((number - 7) // 255) + bytes([(number - 7) % 255])
            out += bytes([near & 255])
            if level == 2 and distance >= 8192:
                out += struct.pack(">H", distance - 8192)
            length -= some
        assert length == 0
    out += literals(rest)
    return bytes([out[0] | (level - 1) << 5]) + out[1:]


# ---- FST ----

def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def signed_varint(number):
    out = b""
    while not -64 <= number < 64:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number & 0x7F])


def section(kind, body):
    return bytes([kind]) + struct.pack(">Q", len(body) + 8) + body


def chain(width, changes):
    """The changes of a signal in a section: (number of the time, bits)."""
    out, before = b"", 0
    for index, bits in changes:
        delta, before = index - before, index
        known = set(bits) <= {"0", "1"}
        if width == 1:
            out += varint(delta << 2 | int(bits) << 1) if known else varint(delta << 4 | "xzhuwl-?".index(bits) << 1 | 1)
        elif known:
            size = (width + 7) // 8
            out += varint(delta << 1) + (int(bits, 2) << 8 * size - width).to_bytes(size, "big")
        else:
            out += varint(delta << 1 | 1) + bits.encode()
    return out


def changes_section(wave, kind, pack, steps, before, alias):
    """A section of the changes in `steps`; `before`: the values before them; `alias`: of signal to another."""
    times = [time for time, _ in steps]
    frame = "".join(before).encode()
    packed = zlib.compress(frame)
    head = varint(len(frame)) + varint(len(packed)) + varint(len(before)) + packed
    if len(packed) >= len(frame):
        head = varint(len(frame)) + varint(len(frame)) + varint(len(before)) + frame
    body = varint(len(before)) + {"raw": b"4", "lz4": b"4", "fastlz1": b"F", "fastlz2": b"F", "zlib": b"Z"}[pack]
    chains, places = b"", {}
    for number, (_, _, width) in enumerate(wave.signals):
        made = chain(width, [(i, values[number]) for i, (_, values) in enumerate(steps) if number in values])
        if not made or number in alias:
            continue
        places[number] = len(chains) + 1
        small = {"raw": None, "lz4": lz4, "zlib": zlib.compress, "fastlz1": lambda d: fastlz(d, 1),
                 "fastlz2": lambda d: fastlz(d, 2)}[pack]
        chains += varint(0) + made if small is None else varint(len(made)) + small(made)
    table, place, empty, last_alias = b"", 0, 0, None

    def flush():
        nonlocal table, empty
        if empty:
            table += varint(empty << 1)
        empty = 0
    for number in range(len(wave.signals)):
        target = alias.get(number)
        if target in places and kind != 1:
            flush()
            if kind == 5:
                table += varint(0) + varint(target + 1)
            else:
                table += signed_varint((0 if target == last_alias else -(target + 1)) << 1 | 1)
                last_alias = target
        elif number in places:
            flush()
            step = places[number] - place
            table += signed_varint(step << 1 | 1) if kind == 8 else varint(step << 1 | 1)
            place = places[number]
        else:
            empty += 1
    flush()
    deltas, last = b"", 0
    for time in times:
        deltas += varint(time - last)
        last = time
    small = zlib.compress(deltas)
    if len(small) >= len(deltas):
        small = deltas
    tail = table + struct.pack(">Q", len(table)) + small + struct.pack(">QQQ", len(deltas), len(small), len(times))
    return section(kind, struct.pack(">QQQ", times[0], times[-1], 0) + head + body + chains + tail)


def fst(wave, kind=8, pack="lz4", names="gzip", per_section=60, alias=None, exponent=None, stated=None, switched=()):
    """`stated`: the sections of changes that the header counts; `switched`: (1: on, 0: off; time) of $dumpon, $dumpoff."""
    alias = alias or {}
    if exponent is None:
        exponent = {"1ps": -12, "10ns": -8, "100us": -4, "1ns": -9}[wave.timescale]
    values = ["x" * width for _, _, width in wave.signals]
    sections = b""
    count = 0
    for begin in range(0, len(wave.changes), per_section):
        steps = wave.changes[begin:begin + per_section]
        sections += changes_section(wave, kind, pack, steps, values, alias)
        for _, changed in steps:
            for number, bits in changed.items():
                values[number] = bits
        count += 1
    header = struct.pack(">QQ", wave.changes[0][0], wave.changes[-1][0]) + struct.pack("<d", 2.7182818284590452354)
    header += struct.pack(">QQQQQ", 0, 1, len(wave.signals), len(wave.signals),
                          count if stated is None else stated) + struct.pack("b", exponent)
    header += b"waves.py".ljust(128, b"\0") + b"today".ljust(119, b"\0") + b"\0" + struct.pack(">q", 0)
    widths = b"".join(varint(width) for _, _, width in wave.signals)
    small = zlib.compress(widths)
    small = small if len(small) < len(widths) else widths
    geometry = struct.pack(">QQ", len(widths), len(wave.signals)) + small
    hierarchy = b""
    for what, *of in tree(wave):
        if what == "scope":
            hierarchy += b"\xfe\0" + of[0].encode() + b"\0\0"
        elif what == "end":
            hierarchy += b"\xff"
        else:
            _, name, width = wave.signals[of[0]]
            bits = f" [{width - 1}:0]" if width > 1 else ""
            hierarchy += b"\x10\0" + (name + bits).encode() + b"\0" + varint(width) + varint(0)
    body = struct.pack(">Q", len(hierarchy))
    if names == "gzip":
        sections_of_names = section(4, body + gzip.compress(hierarchy))
    elif names == "lz4":
        sections_of_names = section(6, body + lz4(hierarchy))
    else:
        once = lz4(hierarchy)
        sections_of_names = section(7, body + struct.pack(">Q", len(once)) + lz4(once))
    blackouts, last = b"", 0
    for on, time in switched:
        blackouts += bytes([on]) + varint(time - last)
        last = time
    blackouts = section(2, varint(len(switched)) + blackouts) if switched else b""
    return section(0, header) + sections + section(3, geometry) + blackouts + sections_of_names


def wrapped(data):
    return section(254, struct.pack(">Q", len(data)) + gzip.compress(data))


# ---- a core that is invented ----

RVFI = (("valid", 1), ("order", 64), ("insn", 32), ("trap", 1), ("intr", 1), ("mode", 2), ("rs1_addr", 5),
        ("rs2_addr", 5), ("rs1_rdata", 32), ("rs2_rdata", 32), ("rd_addr", 5), ("rd_wdata", 32), ("pc_rdata", 32),
        ("mem_addr", 32), ("mem_rmask", 4), ("mem_wmask", 4), ("mem_rdata", 32), ("mem_wdata", 32))


def digits(bits):
    """Hexadecimal digits, X for one with an unknown bit."""
    bits = "0" * (-len(bits) % 4) + bits
    fours = [bits[i:i + 4] for i in range(0, len(bits), 4)]
    return "".join(f"{int(four, 2):x}" if set(four) <= {"0", "1"} else "X" for four in fours)


def value_of(bits, separator):
    """A value after its separator: ~ if a bit is unknown."""
    return (separator if set(bits) <= {"0", "1"} else "~" if separator == "=" else separator + "~") + digits(bits)


def number_of(bits):
    return int(bits, 2) if set(bits) <= {"0", "1"} else None


def line_of(values):
    """The line of an instruction, by the document, after its time."""
    out = []
    order, pc, insn = number_of(values["order"]), number_of(values["pc_rdata"]), number_of(values["insn"])
    if order is not None:
        out.append(f"#{order}")
    if pc is not None:
        out.append(f"pc {pc:08x}")
    if insn is not None:
        out.append(f"op {insn:08x}" if insn & 3 == 3 else f"op {insn & 0xFFFF:04x}")
    if number_of(values["mode"]) is not None:
        out.append("mode " + "USHM"[int(values["mode"], 2)])
    if values["intr"] == "1":
        out.append("handler")
    for one in ("rs1", "rs2"):
        register = number_of(values[one + "_addr"])
        if register:
            out.append(f"r x{register}{value_of(values[one + '_rdata'], '=')}")
    for word, mask, data in (("load", "mem_rmask", "mem_rdata"), ("save", "mem_wmask", "mem_wdata")):
        address, lanes = number_of(values["mem_addr"]), number_of(values[mask])
        if address is None or lanes == 0:
            continue
        if lanes is None:
            out.append(f"{word} {address:08x}")
            continue
        for run in re.finditer("1+", f"{lanes:04b}"[::-1]):
            low, size = run.start(), len(run.group())
            bits = values[data][32 - 8 * (low + size):32 - 8 * low]
            out.append(f"{word} {(address + low) & 0xFFFFFFFF:08x} {size}{value_of(bits, ' ')}")
    register = number_of(values["rd_addr"])
    if register:
        out.append(f"w x{register}{value_of(values['rd_wdata'], '=')}")
    if values["trap"] == "1":
        out.append("trap")
    return " ".join(out)


def invent(rng, order, unknown):
    """The values of one port."""
    values = {}
    for name, width in RVFI:
        bits = f"{rng.getrandbits(width):0{width}b}"
        if unknown and rng.random() < 0.05:
            bits = "".join(rng.choice("01xz") for _ in bits)
        values[name] = bits
    values["valid"] = rng.choice("0011x") if unknown else rng.choice("01")
    values["order"] = f"{order:064b}"
    insn = rng.getrandbits(32)
    while insn & 0x7F == 3:  # not a load: which bytes it reads follows from it
        insn = rng.getrandbits(32)
    values["insn"] = f"{insn:032b}"
    if rng.random() < 0.7:
        values["mem_rmask"] = values["mem_wmask"] = "0000"
    return values


class Doubt:
    """Edges at which it is not known whether an instruction retires at a port of which it was known before."""
    def __init__(self, ports):
        self.known, self.count, self.first = [False] * ports, 0, None

    def edge(self, time, known):
        if any(before and not now for before, now in zip(self.known, known)):
            self.count += 1
            self.first = time if self.first is None else self.first
        self.known = [before or now for before, now in zip(self.known, known)]

    def lines(self, scope):
        assert all(self.known), "another seed"
        return [f"! 'when' is unknown at {self.count} edges of the clock, at time {self.first} first: "
                f"instructions of {scope} may be missing"] if self.count else []


def core(ports, cycles, seed, unknown=True, scopes=("top.core",), timescale="1ps"):
    """A wave, and the lines that follow."""
    rng = random.Random(seed)
    wave, expected = Wave(timescale), []
    factor, unit = {"1ps": (1, "ps"), "10ns": (10, "ns"), "100us": (100, "us"), "1ns": (1, "ns")}[timescale]
    clock = wave.add(scopes[0].split(".", maxsplit=1)[0], "clk", 1)
    noise = wave.add(scopes[0].split(".", maxsplit=1)[0], "noise", 70)
    signals = {scope: {name: wave.add(scope, "rvfi_" + name, width * ports) for name, width in RVFI} for scope in scopes}
    last, time, order = {}, 0, 0
    doubt = {scope: Doubt(ports) for scope in scopes}
    for cycle in range(cycles):
        changed = {clock: "0"} if cycle else {clock: "x", noise: "z" * 70}
        for scope in scopes:
            lanes = [invent(rng, order + port, unknown) for port in range(ports)]
            order += ports
            if ports > 1 and cycle % 3 == 0:  # the port of a higher number may be the older one
                lanes[0]["order"], lanes[1]["order"] = lanes[1]["order"], lanes[0]["order"]
            for name, _ in RVFI:
                bits = "".join(lane[name] for lane in reversed(lanes))
                if last.get((scope, name)) != bits:
                    changed[signals[scope][name]] = bits
                    last[scope, name] = bits
            if cycle:  # the first edge is of a clock that was not known
                doubt[scope].edge((time + 5) * factor, [lane["valid"] in "01" for lane in lanes])
            fired = [lane for lane in lanes if lane["valid"] == "1"]
            if ports > 1:
                fired.sort(key=lambda lane: lane["order"])
            for lane in fired if cycle else []:
                cpu = f"cpu {scope} " if len(scopes) > 1 else ""
                expected.append(f"{(time + 5) * factor} {unit} {cpu}{line_of(lane)}")
        wave.at(time, changed)
        # with the edge, values already change: they are those after it
        wave.at(time + 5, {clock: "1", noise: f"{rng.getrandbits(70):070b}"})
        time += 10
    for scope in scopes:
        expected += doubt[scope].lines(scope)
    return wave, expected


# ---- the tests ----

def store(name, data):
    path = FOLDER / name
    path.write_bytes(data)
    return path


def test_vcd():
    for ports in (1, 2, 3):
        wave, expected = core(ports, 300, ports)
        demand_same(printed(store("a.vcd", vcd(wave))), expected, f"VCD of {ports} ports")
        demand_same(printed(store("a.vcd", vcd(wave, True))), expected, f"shortened VCD of {ports} ports")
    wave, expected = core(1, 4000, 4)  # more than a buffer of the reader
    data = vcd(wave)
    demand_same(printed("-", data=data), expected, "VCD from a pipe")
    demand_same(printed(store("a.vcd.gz", gzip.compress(data))), expected, "VCD in gzip")
    demand_same(printed(store("a.vcd", data.replace(b"\n", b"\r\n"))), expected, "VCD with CR LF")
    for threads in ("-j1", "-j4"):
        demand_same(printed(threads, store("a.vcd", data)), expected, "VCD " + threads)


def test_fst():
    wave, expected = core(2, 200, 5)
    for kind in (1, 5, 8):
        for pack in ("raw", "lz4", "zlib", "fastlz1", "fastlz2"):
            demand_same(printed(store("a.fst", fst(wave, kind, pack))), expected, f"FST, sections {kind}, {pack}")
    for names in ("gzip", "lz4", "twice"):
        demand_same(printed(store("a.fst", fst(wave, names=names))), expected, f"FST, names {names}")
    data = fst(wave, per_section=10 ** 9)
    demand_same(printed(store("a.fst", data)), expected, "FST of one section")
    demand_same(printed("-", data=data), expected, "FST from a pipe")
    demand_same(printed(store("a.fst", wrapped(data))), expected, "FST that is wrapped")
    demand_same(printed(store("a.fst.xz", lzma.compress(data))), expected, "FST in xz")
    # level 2 of FastLZ has matches from further away in long chains
    long, expected = core(1, 3000, 6, unknown=False)
    demand_same(printed(store("a.fst", fst(long, pack="fastlz2", per_section=10 ** 9))), expected, "long FastLZ")


def test_alias():
    wave, expected = core(1, 100, 7, unknown=False)
    # the same signals in an outer scope, whose chains others refer to
    count = len(wave.signals)
    alias = {}
    for number in range(2, count):
        scope, name, width = wave.signals[number]
        alias[wave.add("top.core.inner", name, width)] = number
    for _, values in wave.changes:
        for copy, number in alias.items():
            if number in values:
                values[copy] = values[number]
    mapping = store("inner.spoor-format", b"""clock = clk
scope = top.core.inner
when = rvfi_valid
order = rvfi_order
pc = rvfi_pc_rdata
""")
    wanted = [re.sub(r"(pc \w+).*", r"\1", line) for line in expected]
    for kind in (5, 8):
        data = fst(wave, kind, alias=alias)
        demand_same(printed(store("a.fst", data)), expected, f"aliases of sections {kind}")
        demand_same(printed("-f", mapping, "a.fst"), wanted, f"by aliases of sections {kind}")


def test_repeated_time():
    """Changes of one time in two steps are changes of one time: those of the first are not before the edge."""
    wave, expected = core(1, 100, 13)
    again = Wave()
    again.signals = wave.signals
    for time, values in wave.changes:
        if time % 10:
            again.at(time, {number: bits for number, bits in values.items() if number})
        again.at(time, values)
    early = Wave()  # the next cycle's values with the edge, before it in the file
    early.signals = wave.signals
    for i, (time, values) in enumerate(wave.changes):
        if time % 10 == 0:
            early.at(time, values if i == 0 else {0: "0"})
        else:
            following = dict(wave.changes[i + 1][1]) if i + 1 < len(wave.changes) else {}
            following.pop(0, None)
            early.at(time, following)
            early.at(time, values)
    for one in (again, early):
        for name, data in (("a.vcd", vcd(one)), ("a.fst", fst(one)), ("a.fst", fst(one, per_section=10 ** 9))):
            demand_same(printed(store(name, data)), expected, "repeated times in " + name)


def test_units():
    for timescale in ("10ns", "100us", "1ns"):
        wave, expected = core(1, 20, 8, timescale=timescale)
        for name, data in (("a.vcd", vcd(wave)), ("a.fst", fst(wave))):
            demand_same(printed(store(name, data)), expected, timescale)


def test_cpus():
    wave, expected = core(1, 100, 9, scopes=("top.a", "top.b"))
    for name, data in (("a.vcd", vcd(wave)), ("a.fst", fst(wave))):
        demand_same(printed(store(name, data)), expected, "two cores in " + name)


def test_mapping():
    """Ports by name, bits of signals, expressions, a falling edge, writes before their instruction."""
    rng = random.Random(10)
    wave, expected = Wave(), []
    clock, bus, state = wave.add("t", "ck", 1), wave.add("t.u", "bus", 76), wave.add("t.u", "state", 3)
    write, where, what = wave.add("t.u", "we", 1), wave.add("t.u", "wa", 5), wave.add("t.u", "wd", 16)
    path = store("my.spoor-format", b"""title a core of our own     # with two ports
isa riscv
clock = ck falling
scope = t.u
[first]
when = state == 1 or (state == 2 and not bus[75])
pc = bus[31:0]
insn = bus[63:32]
mode = 3
rd.when = we
rd = wa
rd.value = wd
[second]
when = state != 0 and bus[75] and !(state == 1)
pc = bus[35:4]
""")
    pending, doubt = [], Doubt(2)

    def equal(bits, number):
        """True, False, or None: unknown."""
        wanted = f"{number:0{len(bits)}b}"
        if any(bit in "01" and bit != want for bit, want in zip(bits, wanted)):
            return False
        return None if set(bits) - set("01") else True

    def conjunction(*parts):
        return False if False in parts else None if None in parts else True

    def negation(part):
        return None if part is None else not part

    def disjunction(*parts):
        return negation(conjunction(*map(negation, parts)))

    for cycle in range(400):
        bits = "".join(rng.choice("01" if rng.random() < 0.9 else "01x") for _ in range(76))
        values = {clock: "1", bus: bits, state: rng.choice(("000", "001", "010", "100", "0x1", "xxx")),
                  write: rng.choice("0001"), where: f"{rng.getrandbits(5):05b}", what: f"{rng.getrandbits(16):016b}"}
        wave.at(10 * cycle, values)
        wave.at(10 * cycle + 3, {clock: "0"})
        now, top = number_of(values[state]), bits[0]
        set_top = equal(top, 1)
        first = disjunction(equal(values[state], 1), conjunction(equal(values[state], 2), negation(set_top)))
        second = conjunction(negation(equal(values[state], 0)), set_top, negation(equal(values[state], 1)))
        doubt.edge(10 * cycle + 3, [first is not None, second is not None])
        if values[write] == "1" and int(values[where], 2):
            pending.append(f"w x{int(values[where], 2)}={digits(values[what])}")
        if now == 1 or (now == 2 and top == "0"):
            insn, pc = number_of(bits[12:44]), number_of(bits[44:76])
            out = [f"{10 * cycle + 3} ps"] + ([f"pc {pc:08x}"] if pc is not None else [])
            if insn is not None:
                out.append(f"op {insn:08x}" if insn & 3 == 3 else f"op {insn & 0xFFFF:04x}")
            expected.append(" ".join(out + ["mode M"] + pending))
            pending = []
        # a state of which a bit is unknown may or may not be 1; "0x1" is not 0
        nonzero = "1" in values[state]
        if top == "1" and nonzero and now not in (None, 1):
            pc = number_of(bits[40:72])
            expected.append(f"{10 * cycle + 3} ps" + (f" pc {pc:08x}" if pc is not None else "")
                            + (" " + " ".join(pending) if pending else ""))
            pending = []
        if len(pending) > 32:
            raise AssertionError("another seed")
    expected += doubt.lines("t.u")
    for name, data in (("a.vcd", vcd(wave)), ("a.fst", fst(wave, per_section=77))):
        demand_same(printed("-f", path, store(name, data)), expected, "own mapping of " + name)
        demand_same(printed("--format-file", path, name), expected, "own mapping, chosen, of " + name)


def test_damage():
    wave, expected = core(1, 200, 11, unknown=False)
    data = vcd(wave)
    place = data.index(b"\n#1000\n") + 1
    hurt = data[:place] + b"?what\nb01\n#12z\n" + data[place:]
    lines = printed(store("a.vcd", hurt), code=3)
    demand_same([line for line in lines if line[0] != "!"], expected, "VCD with other lines")
    wrong = [line for line in lines if line[0] == "!"]
    assert len(wrong) == 3 and all(f"offset {place + at}: " in line for at, line in zip((0, 6, 10), wrong)), wrong
    cut = data[:data.rindex(b"\n#1500\n") + 1] + b"b0101"  # in the middle of a change
    lines = printed(store("a.vcd", cut), code=3)
    demand_same([line for line in lines if line[0] != "!"],
                [line for line in expected if int(line.split()[0]) < 1500], "VCD that is cut short")
    assert sum(line[0] == "!" for line in lines) == 1, lines
    # a section whose changes are damaged does not take the others with it
    good = fst(wave, pack="zlib", per_section=50)
    second = good.index(b"\x08" + b"\0" * 5, good.index(b"\x08" + b"\0" * 5) + 1)
    size = struct.unpack(">Q", good[second + 1:second + 9])[0]
    hurt = good[:second + size - 19] + b"\xff" * 8 + good[second + size - 11:]  # the size of its times
    lines = printed(store("a.fst", hurt), code=3)
    wanted = [line for line in expected if not 250 <= int(line.split()[0]) < 500]
    demand_same([line for line in lines if line[0] != "!"], wanted, "FST with a damaged section")
    assert sum(line[0] == "!" for line in lines) == 1, lines
    done = subprocess.run([SPOOR, "info", store("a.fst", good[:len(good) // 2])], stderr=subprocess.PIPE,
                          stdout=subprocess.PIPE, check=False)
    assert done.returncode == 3 and b"did not close" in done.stderr, done


def plain(scopes, cycles, names=(("valid", 1), ("insn", 32), ("pc_rdata", 32), ("rd_addr", 5), ("rd_wdata", 32))):
    """A wave of which each scope runs nop after nop: pc 4, 8, ..., and a dictionary of its signals."""
    wave = Wave()
    clock = wave.add("tb", "clk", 1)
    signals = {(scope, name): wave.add(scope, "rvfi_" + name, width) for scope in scopes for name, width in names}
    values = {"valid": "1", "insn": f"{0x13:032b}"}
    for cycle in range(cycles):
        changed = {clock: "0"}
        for (_, name), number in signals.items():
            changed[number] = values.get(name, f"{4 * cycle + 4:0{wave.signals[number][2]}b}" if name == "pc_rdata" else
                                         "0" * wave.signals[number][2])
        wave.at(10 * cycle, changed)
        wave.at(10 * cycle + 5, {clock: "1"})
    return wave, signals


def lines_of(scope, cycles, step=10):
    return [f"{step * cycle + 5} ps {scope}pc {4 * cycle + 4:08x} op 00000013" for cycle in cycles]


def test_gaps():
    """What the simulator did not record, and what is not known, is said."""
    wave, _ = plain(["tb.cpu"], 6)
    # off in the third cycle, on in the fifth
    said = "! time 22 to 41: the simulator did not record ($dumpoff): instructions may be missing"
    kept = Wave()
    kept.signals = wave.signals
    kept.changes = [step for step in wave.changes if not 22 <= step[0] < 40]
    expected = lines_of("", (0, 1)) + [said] + lines_of("", (4, 5))
    data = vcd(kept).replace(b"#40\n", b"#22\n$dumpoff\nx!\n$end\n#40\n#41\n$dumpon\n0!\n$end\n#42\n")
    demand_same(printed(store("a.vcd", data)), expected, "$dumpoff in VCD")
    demand_same(printed(store("a.fst", fst(kept, switched=((0, 22), (1, 41))))), expected, "$dumpoff in FST")
    expected.remove(said)
    # before the first edge, it is only where the trace begins
    for switched in ((), ((0, 1), (1, 2)), ((1, 22), (0, 56))):
        demand_same(printed(store("a.fst", fst(kept, switched=switched))), expected, f"FST, {switched}")
    data = vcd(kept).replace(b"#5\n", b"#1\n$dumpoff\n$end\n#2\n$dumpon\n$end\n#5\n")
    demand_same(printed(store("a.vcd", data)), expected, "VCD that begins with $dumpoff")
    # sections that are not there, or not in the order of time
    cut = printed(store("a.fst", fst(wave, stated=3)))
    demand_same(cut, ["! found 1 sections of changes, and the header states 3"] + lines_of("", range(6)), "sections stated")
    wave.changes = wave.changes[6:] + wave.changes[:6]
    lines = printed(store("a.fst", fst(wave, per_section=6)))
    damage = [line for line in lines if line[0] == "!"]
    assert len(damage) == 1 and damage[0].endswith(": time 0 after 55"), lines
    lines = printed(store("a.vcd", vcd(wave)))
    damage = [line for line in lines if line[0] == "!"]
    assert len(damage) == 1 and damage[0].endswith(": time 0 after 55"), lines
    two = fst(kept)
    lines = printed(store("a.fst", two + two))
    assert [line for line in lines if line[0] == "!"] == [f"! offset {len(two)}: bytes that are no section"], lines


def test_late_writes_are_lost_with_a_gap():
    """A register that is written before a gap is not one of the instruction after it."""
    path = store("late.spoor-format", b"""clock = clk
scope = tb.cpu
when = rvfi_valid
pc = rvfi_pc_rdata
rd.when = we
rd = rvfi_rd_addr
rd.value = rvfi_rd_wdata
""")
    for gap in (False, True):
        wave, signals = plain(["tb.cpu"], 4)
        write = wave.add("tb.cpu", "we", 1)
        wave.changes[0][1].update({write: "0"})
        wave.changes[2][1].update({signals["tb.cpu", "valid"]: "0", write: "1", signals["tb.cpu", "rd_addr"]: "00111"})
        wave.changes[4][1].update({signals["tb.cpu", "valid"]: "1", write: "0"})
        switched = ((0, 16), (1, 19)) if gap else ()
        lines = printed("-f", path, store("a.fst", fst(wave, switched=switched)))
        assert any("w x7" in line for line in lines) != gap, lines


def test_scopes():
    """Cores at any depth are cpus; a part of a core, under codes of its own, is not another one."""
    everything = (("valid", 1), ("insn", 32), ("pc_rdata", 32), ("rd_addr", 5), ("rd_wdata", 32))
    for scopes, cpus in ((("tb.a", "tb.b"), ("tb.a", "tb.b")), (("tb.a", "tb.soc.b"), ("tb.a", "tb.soc.b")),
                         (("tb.a", "tb.a.tracer"), ("tb.a",)), (("tb.a", "tb.soc.b", "tb.soc.b.c"), ("tb.a", "tb.soc.b"))):
        wave, _ = plain(scopes, 3)
        expected = [line for cycle in range(3) for cpu in cpus
                    for line in lines_of(f"cpu {cpu} " if len(cpus) > 1 else "", [cycle])]
        for name, data in (("a.vcd", vcd(wave)), ("a.fst", fst(wave))):
            demand_same(printed(store(name, data)), expected, f"{scopes} in {name}")
    # a scope that is entered again for each of its signals, as Icarus Verilog does for $dumpvars(0, a, b)
    apart, whole = Wave(), plain(["tb.cpu"], 3)[0]
    numbers = []
    for scope, name, width in whole.signals:
        numbers.append(apart.add(scope, name, width))
        apart.add("tb.other" + name, "clk", 1)
    for time, changed in whole.changes:
        apart.at(time, {numbers[number]: bits for number, bits in changed.items()})
    for name, data in (("a.vcd", vcd(apart)), ("a.fst", fst(apart))):
        assert data.count(b"module cpu") > 1 or name == "a.fst"
        demand_same(printed(store(name, data)), lines_of("", range(3)), "scopes that are entered again")
    # a second core without its opcodes: said, and not read
    wave, _ = plain(["tb.a"], 3)
    for scope, wanted in (("tb.b", True), ("tb.a.b", False), ("tb", False)):
        part = Wave()
        part.signals = list(wave.signals)
        part.changes = [(time, dict(values)) for time, values in wave.changes]
        one = part.add(scope, "rvfi_pc_rdata", 32)
        part.changes[0][1][one] = "0" * 32
        lines = printed(store("a.vcd", vcd(part)))
        said = [f"! {scope} is not read: it has the pc of a core, and no signal 'rvfi_valid', which line 4 of the mapping "
                "names"] if wanted else []
        demand_same(lines, said + lines_of("", range(3)), f"a part in {scope}")
    # signals that are not what the mapping takes them for
    wide, _ = plain(["tb.a"], 3, everything + (("mem_addr", 32), ("mem_rmask", 4), ("mem_rdata", 128)))
    for name, data in (("a.vcd", vcd(wide)), ("a.fst", fst(wide))):
        lines = printed(store(name, data))
        assert lines[0].startswith("! rvfi_mem_rdata of line 23 of the mapping is left out"), lines
        demand_same(lines[1:], lines_of("", range(3)), "a wide signal")
    odd, signals = plain(["tb.a"], 3, tuple((name, 2 * width) for name, width in everything) + (("mode", 3),))
    lines = printed(store("a.vcd", vcd(odd)))
    assert lines[0].startswith("! rvfi_mode of line "), lines


def test_neorv32():
    """The record of NEORV32's trace unit, by the names of its source, as GHDL writes it: a scope in the unit's."""
    unit = "tb.neorv32_top_inst.core_complex_gen.neorv32_cpu_trace_inst"
    wave = Wave("1fs")
    clock, names = wave.add(unit, "clk_i", 1), {}
    for name, width in (("valid", 1), ("order", 32), ("insn", 32), ("trap", 1), ("halt", 1), ("intr", 1), ("mode", 2),
                        ("ixl", 2), ("rs1_addr", 5), ("rd_addr", 5), ("rd_rdata", 32), ("pc_rdata", 32), ("pc_wdata", 32)):
        names[name] = wave.add(unit + ".trace_buf", name, width)
    rows = [  # valid, order, insn, trap, intr, mode, rd_addr, rd_rdata, pc_rdata; what follows
        (1, 0, 0x00500093, 0, 0, 3, 1, 5, 0, "#0 pc 00000000 op 00500093 mode M w x1=00000005"),
        (0, 1, 0x00500093, 0, 0, 3, 1, 5, 0, None),
        (1, 1, 0x00000073, 1, 0, 0, 0, 9, 4, "#1 pc 00000004 op 00000073 mode U trap"),
        (1, 2, 0x34202573, 0, 1, 3, 10, 8, 0x100, "#2 pc 00000100 op 34202573 mode M handler w x10=00000008"),
    ]
    expected = []
    for cycle, (*values, line) in enumerate(rows):
        stated = dict(zip(("valid", "order", "insn", "trap", "intr", "mode", "rd_addr", "rd_rdata", "pc_rdata"), values))
        stated.update(halt=0, ixl=1, rs1_addr=31, pc_wdata=0)
        wave.at(10 * cycle, {clock: "0", **{names[name]: f"{value:0{wave.signals[names[name]][2]}b}"
                                           for name, value in stated.items()}})
        wave.at(10 * cycle + 5, {clock: "1"})
        expected += [f"{10 * cycle + 5} fs {line}"] if line else []
    for name, data in (("a.vcd", vcd(wave)), ("a.fst", fst(wave, exponent=-15))):
        demand_same(printed(store(name, data)), expected, name)
        title = subprocess.run([SPOOR, "print", name], cwd=FOLDER, stdout=subprocess.PIPE, check=True).stdout.split(b"\n")[0]
        assert title == b"# waveform by neorv32: " + unit.encode(), title


def test_cva6():
    """The records of CVA6's rvfi_tracer as Verilator 5 writes them: a scope for each; f registers are not x registers."""
    unit = "TOP.ariane_testharness.rvfi_tracer_i"
    wave, names = Wave(), {}
    clock = wave.add(unit, "clk_i", 1)
    for port in range(2):
        for name, width in (("insn", 32), ("mode", 2), ("order", 64), ("pc_rdata", 39), ("rd_addr", 5), ("rd_wdata", 64),
                            ("valid", 1)):
            names[port, name] = wave.add(f"{unit}.rvfi_i[{port}]", name, width)
    # by the RISC-V manual: what has an integer register as its destination
    rows = [(0x00500093, True), (0x0000A087, False), (0x0000B087, False), (0x0000B083, True), (0x02208043, False), (0x12208047, False),
            (0x0220804B, False), (0x1220804F, False), (0x022080D3, False), (0x1A2080D3, False), (0xA22080D3, True), (0xA02080D3, True),
            (0xC22080D3, True), (0xE20080D3, True), (0xD22080D3, False), (0xF20080D3, False), (0x2004, False), (0x2082, False),
            (0x6084, True), (0x6082, True), (0x4505, True), (0x2505, True), (0x00000073, True), (0x022080C7, False)]
    expected = []
    for cycle in range(0, len(rows), 2):
        changed = {clock: "0"}
        for port in range(2):
            opcode, integer = rows[cycle + port]
            valid = port == 0 or cycle % 4 == 0
            pc = 0x80000000 + 4 * (cycle + port)
            for name, value in (("insn", opcode), ("mode", 3), ("order", cycle + port), ("pc_rdata", pc), ("rd_addr", 1),
                                ("rd_wdata", cycle + 7), ("valid", valid)):
                changed[names[port, name]] = f"{value:0{wave.signals[names[port, name]][2]}b}"
            if valid:
                op = f"{opcode:04x}" if opcode & 3 != 3 else f"{opcode:08x}"
                expected.append(f"{10 * cycle + 5} ps pc {pc:010x} op {op}" +
                                (f" w x1={cycle + 7:016x}" if integer else ""))
        wave.at(10 * cycle, changed)
        wave.at(10 * cycle + 5, {clock: "1"})
    for name, data in (("a.vcd", vcd(wave)), ("a.fst", fst(wave))):
        demand_same(printed(store(name, data)), expected, name)
        title = subprocess.run([SPOOR, "print", name], cwd=FOLDER, stdout=subprocess.PIPE, check=True).stdout.split(b"\n")[0]
        assert title == b"# waveform by cva6: " + unit.encode() + b" (2 ports)", title


def rvvi_writes(lane, xlen):
    """The registers that the masks of a lane say are written; with any value, where a bit of a mask is unknown."""
    out = []
    for bank, mask, values, width in (("x", "x_wb", "x_wdata", xlen), ("f", "f_wb", "f_wdata", 32),
                                      ("v", "v_wb", "v_wdata", 100), ("csr", "csr_wb", "csr", xlen)):
        for number, bit in enumerate(reversed(lane[mask])):
            if bit == "0" or (bank == "x" and number == 0):
                continue
            name = {0x300: "mstatus", 0x341: "mepc", 0x7C0: "csr_0x7c0"}[number] if bank == "csr" else f"{bank}{number}"
            value = lane[values][len(lane[values]) - (number + 1) * width:len(lane[values]) - number * width]
            out.append(f"w {name}{value_of(value if bit == '1' else 'x' * width, '=')}")
    return out


def test_rvvi():
    """The signals of rvviTrace.sv, version 1.5, as Verilator 5 writes them: an array of signals for harts and slots."""
    rng, xlen, harts, slots = random.Random(31), 64, 2, 3
    signals = {"valid": 1, "order": 64, "insn": 32, "trap": 1, "debug_mode": 1, "pc_rdata": xlen, "x_wdata": 32 * xlen,
               "x_wb": 32, "f_wdata": 1024, "f_wb": 32, "v_wdata": 3200, "v_wb": 32, "csr": 4096 * xlen, "csr_wb": 4096}
    bits_of = lambda width: f"{rng.getrandbits(width):0{width}b}"  # noqa: E731
    bits_with = lambda width, ones: "".join("1" if width - 1 - i in ones else "0" for i in range(width))  # noqa: E731
    doubtful = lambda bits: bits[:7] + rng.choice("xz") + bits[8:]  # noqa: E731
    wave, names, expected, order = Wave("1ns"), {}, [], {hart: 0 for hart in range(harts)}
    clock = wave.add("top.rvvi", "clk", 1)
    for name, width in signals.items():
        for hart in range(harts):
            for slot in range(slots):
                names[hart, slot, name] = wave.add("top.rvvi", f"{name}[{hart}][{slot}]", width)
    last = {}
    for cycle in range(40):
        changed, lines = {clock: "0"}, []
        for hart in range(harts):
            for slot in range(slots):
                lane = {"valid": rng.choice("01"), "order": f"{order[hart]:064b}", "insn": bits_of(30) + "11", "trap": rng.choice("0001"),
                        "debug_mode": "0", "pc_rdata": bits_of(xlen), "x_wdata": bits_of(32 * xlen), "f_wdata": bits_of(1024),
                        "v_wdata": bits_of(3200), "csr": last.get((hart, slot, "csr"), "x" * 4096 * xlen),
                        "x_wb": bits_with(32, rng.sample(range(32), rng.choice((0, 1, 1, 3)))),
                        "f_wb": bits_with(32, rng.sample(range(32), rng.choice((0, 0, 2)))),
                        "v_wb": bits_with(32, rng.sample(range(32), rng.choice((0, 0, 1)))),
                        "csr_wb": bits_with(4096, rng.sample((0x300, 0x341, 0x7C0), rng.choice((0, 0, 2))))}
                if rng.random() < 0.3:
                    lane["csr"] = bits_of(4096 * xlen)
                if rng.random() < 0.3:
                    name = rng.choice(("x_wdata", "f_wdata", "v_wdata", "x_wb", "f_wb"))
                    lane[name] = doubtful(lane[name])
                order[hart] += 1
                for name, bits in lane.items():
                    if last.get((hart, slot, name)) != bits:
                        changed[names[hart, slot, name]] = last[hart, slot, name] = bits
                if lane["valid"] == "1":
                    lines.append((int(lane["order"], 2), " ".join([
                        f"{10 * cycle + 5} ns cpu {hart} #{int(lane['order'], 2)} pc {int(lane['pc_rdata'], 2):016x} "
                        f"op {int(lane['insn'], 2):08x}", *rvvi_writes(lane, xlen), *(["trap"] if lane["trap"] == "1" else [])])))
        expected += [line for _, line in sorted(lines, key=lambda one: one[0])]
        wave.at(10 * cycle, changed)
        wave.at(10 * cycle + 5, {clock: "1"})
    assert len(expected) > 80 and any(" w v" in line for line in expected) and any("csr_0x7c0" in line for line in expected)
    for name, data in (("a.vcd", vcd(wave)), ("a.fst", fst(wave, exponent=-9))):
        demand_same(printed(store(name, data)), expected, name)
        title = subprocess.run([SPOOR, "print", name], cwd=FOLDER, stdout=subprocess.PIPE, check=True).stdout.split(b"\n")[0]
        assert title == b"# waveform by rvvi: top.rvvi (6 ports)", title
    # a core that has integer registers alone, and two interfaces: their harts are not one
    small = Wave()
    for scope in ("top.a", "top.b"):
        for name, width in (("clk", 1), ("valid[0]", 1), ("pc[0]", 32), ("wb[0]", 32), ("wdata[0]", 1023), ("all[0]", 1024)):
            small.add(scope, name, width)
    for cycle in range(2):
        values = dict(zip(range(6), ("0", "1", f"{64 + cycle:032b}", f"{1 << 5:032b}", f"{9 << 160:01023b}", f"{9 << 160:01024b}")))
        small.at(10 * cycle, {**values, **{6 + number: bits for number, bits in values.items()}})
        small.at(10 * cycle + 5, {0: "1", 6: "1"})
    store("s.vcd", vcd(small))
    mapping = "clock = clk\nports = valid[i]\nwhen = valid[i]\npc = pc[i]\ncpu = i\nx.write.mask = wb[i]\nx.write.values = {}[i]\n"
    store("s.spoor-format", ("isa riscv\n" + mapping.format("all")).encode())
    demand_same(printed("-f", "s.spoor-format", "s.vcd"), [f"{10 * cycle + 5} ps cpu top.{scope}.0 pc {64 + cycle:08x} w x5=00000009"
                                                           for cycle in range(2) for scope in "ab"], "two interfaces")
    store("s.spoor-format", ("isa riscv\n" + mapping.format("wdata")).encode())
    found = printed("-f", "s.spoor-format", "s.vcd", code=3)
    assert found[0] == "! wdata[i] of line 8 of the mapping is left out: 1023 bits are not those of 32 registers", found[0]
    wrong = subprocess.run([SPOOR, "print", "-f", store("w.spoor-format", ("isa riscv\n" + mapping.format("all[k]")).encode()), "s.vcd"],
                           cwd=FOLDER, stderr=subprocess.PIPE, stdout=subprocess.PIPE, check=False)
    assert b"expected ports = NAME[k] beside [k]" in wrong.stderr and wrong.returncode == 2, (wrong.returncode, wrong.stderr)


def test_marks():
    """--gtkw: the times of what check and diff find, in the waveform's own unit, whose step is 10 of the records'."""
    wave, _ = plain(["tb.cpu"], 40)
    wave.timescale = "10ns"
    lines = [line.replace("ps", "ns").replace(line.split()[0], line.split()[0] + "0", 1) for line in lines_of("", range(40))]

    def marks(*arguments, code, said=b""):
        done = subprocess.run([SPOOR, *arguments, "--gtkw", "m.gtkw"], cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        assert done.returncode == code and said in done.stderr, done
        text = (FOLDER / "m.gtkw").read_text(encoding="ascii").splitlines()
        assert text[1] == f'[dumpfile] "{os.path.realpath(FOLDER / "a.fst")}"', text
        zoom, first, *others = text[2][1:].split()
        assert float(zoom) == 0 and len(others) == 26 and first == others[0], text
        return others, text[3:]
    store("a.fst", fst(wave))
    changed = [line.replace("op 00000013", "op 00000033") if i in (3, 17) else line for i, line in enumerate(lines)]
    store("b.log", "\n".join(["# waveform by rvfi: tb.cpu", *changed, ""]).encode())
    for sides in (("a.fst", "b.log"), ("b.log", "a.fst")):
        times, names = marks("diff", *sides, code=1)
        assert times == ["35", "175"] + ["-1"] * 24, times
        assert len(names) == 2 and names[0].startswith("[markername] Aopcode") and names[1].startswith("[markername] B"), names
    # more than GTKWave has, and than diff lists
    changed = [line.replace("op 00000013", "op 00000033") for line in lines]
    store("b.log", "\n".join(["# waveform by rvfi: tb.cpu", *changed, ""]).encode())
    times, _ = marks("diff", "a.fst", "b.log", "--top", "100", code=1, said=b"marks of 26 of 40 places")
    assert times == [str(10 * i + 5) for i in range(26)], times
    times, _ = marks("diff", "a.fst", "b.log", code=1, said=b"marks of 20 of 40 places")
    assert times == [str(10 * i + 5) for i in range(20)] + ["-1"] * 6, times
    # a finding of check: what was not recorded, after the instruction before it
    gap = Wave("10ns")
    gap.signals, gap.changes = wave.signals, wave.changes
    store("a.fst", fst(gap, switched=((0, 102), (1, 104))))
    times, names = marks("check", "a.fst", code=1)
    assert times == ["95"] + ["-1"] * 25 and names[0].startswith("[markername] Asyntax"), (times, names)
    for arguments in (("diff", "b.log", "b.log"), ("check", "b.log"), ("check", "a.fst", "a.fst"), ("check", "-")):
        done = subprocess.run([SPOOR, *arguments, "--gtkw", "none.gtkw"], cwd=FOLDER, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == 2 and b"--gtkw: " in done.stderr and not (FOLDER / "none.gtkw").exists(), done


def asked(statement, *traces, code=0):
    """The rows of a statement; without SQLite, None."""
    done = subprocess.run([SPOOR, "sql", "--json", *traces, statement], cwd=FOLDER, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if b"was built without" in done.stderr:
        return None
    assert done.returncode == code, done
    return json.loads(done.stdout) if code in (0, 3) else done.stderr.decode()


def test_signals():
    """signal(): the value just before a time, of a signal of any width, in any order of times."""
    chance = random.Random(56)
    wave, _ = plain(["tb.cpu"], 40)
    wave.timescale = "10ns"
    others = {name: wave.add(scope, name, width) for scope, name, width in
              (("tb.cpu", "stall", 1), ("tb.cpu", "wide", 100), ("tb.bus", "data", 64), ("tb.cpu.alu", "nine", 9))}
    for i, (_, changed) in enumerate(wave.changes):
        for number in others.values():
            width = wave.signals[number][2]
            if i == 0 or chance.random() < 0.4:
                changed[number] = "".join(chance.choice("01" if chance.random() < 0.9 else "xz") for _ in range(width))
    truth = {number: [] for number in others.values()}
    for time, changed in wave.changes:
        for number in truth.keys() & changed.keys():
            truth[number].append((time, changed[number]))

    def value(number, time, high=None, low=0):
        before = [bits for change, bits in truth[number] if 10 * change < time]
        if not before:
            return None
        bits = before[-1]
        bits = bits if high is None else bits[len(bits) - 1 - high:len(bits) - low]
        if not set(bits) & {"0", "1"}:
            return None
        if set(bits) <= {"0", "1"}:
            number = int(bits, 2)
            return number - 2 ** 64 if number >= 2 ** 63 else number
        bits = bits.rjust(-(-len(bits) // 4) * 4, "0")
        return "0x" + "".join("?" if set(bits[i:i + 4]) & {"x", "z"} else f"{int(bits[i:i + 4], 2):x}"
                              for i in range(0, len(bits), 4))
    asks = [("stall", "tb.cpu.stall", None, 0), ("stall", "stall", None, 0), ("wide", "cpu.wide[70:10]", 70, 10),
            ("wide", "wide[3]", 3, 3), ("data", "data", None, 0), ("nine", "alu.nine", None, 0)]
    times = list(range(0, 4100, 7)) + [chance.randrange(4000) for _ in range(200)] + [5, 4, 3, 10 ** 15, -5]
    files = {"a.vcd": vcd(wave), "a.fst": fst(wave, per_section=11), "b.fst": fst(wave, kind=1, pack="raw", per_section=5),
             "a.vcd.gz": gzip.compress(vcd(wave)), "b.fst.gz": gzip.compress(fst(wave, kind=5, pack="fastlz2"))}
    for name, data in files.items():
        store(name, data)
        columns = ", ".join(f"signal('{path}', column1) as c{i}" for i, (_, path, _, _) in enumerate(asks))
        rows = asked(f"select column1 as t, {columns} from (values {', '.join(f'({time})' for time in times)})", name)
        if rows is None:
            return
        assert len(rows) == len(times)
        for row, time in zip(rows, times):
            for i, (signal, _, high, low) in enumerate(asks):
                wanted = value(others[signal], time, high, low)
                assert row.get(f"c{i}") == wanted, (name, asks[i], time, row.get(f"c{i}"), wanted)
        # at the time of its record, a field is what it was sampled as
        rows = asked("select pc, signal('rvfi_pc_rdata', time) as same, signal('rvfi_valid', time) as v, "
                     "signal('stall', null) as none from insn", name)
        assert len(rows) == 40 and all(int(str(row["pc"]), 0) == row["same"] and row["v"] == 1 and "none" not in row
                                       for row in rows), rows[:2]
    for ask, said in (("signal('none', 5)", "found no signal 'none'"), ("signal('wide', 5)", "at most 64"),
                      ("signal('nine[9]', 5)", "no bits of that number"), ("signal('nine[8:0', 5)", "found no signal"),
                      ("signal('stall', 5, 'no.vcd')", "no.vcd"),
                      ("signal('stall', 5.5)", "whole number"), ("signal('stall', 5, 't2')", "is no waveform")):
        found = asked(f"select {ask}", "a.fst", store("a.log", b"# waveform by rvfi: tb.cpu\n5 ns pc 0 op 00000013\n"), code=2)
        assert said in found, (ask, found)
    twice, signals = plain(["tb.a", "tb.b"], 3)
    twice.changes[2][1][signals["tb.b", "valid"]] = "0"
    store("a.vcd", vcd(twice))
    found = asked("select signal('rvfi_valid', 5)", "a.vcd", code=2)
    assert "several signals 'rvfi_valid', in tb.a and tb.b" in found, found
    assert asked("select signal('b.rvfi_valid', 15) as v, signal('tb.a.rvfi_valid', 15) as w", "a.vcd") == [{"v": 0, "w": 1}]
    # what was not recorded has no value
    kept = Wave()
    kept.signals = twice.signals
    kept.changes = [step for step in twice.changes if not 12 <= step[0] < 20]
    store("a.fst", fst(kept, switched=((0, 12), (1, 19))))
    rows = asked("select signal('a.rvfi_pc_rdata', 12) as a, signal('a.rvfi_pc_rdata', 16) as b, "
                 "signal('a.rvfi_pc_rdata', 25) as c", "a.fst")
    assert rows == [{"a": 8, "c": 12}], rows
    # a section that is damaged: its values are not known, and those after it are
    damaged, _ = plain(["tb.cpu"], 9)
    data, at, found = bytearray(fst(damaged, per_section=6)), 0, 0
    while found < 2:
        found += data[at] == 8
        at += 1 + struct.unpack(">Q", data[at + 1:at + 9])[0]
    data[at - 24:at] = b"\xff" * 24  # the sizes of its times
    rows = asked("select column1 as t, signal('rvfi_pc_rdata', column1) as v from (values (21), (25), (35), (55), (60), (61), "
                 "(75), (29), (5))", store("a.fst", data), code=3)
    assert rows == [{"t": 21, "v": 12}, {"t": 25}, {"t": 35}, {"t": 55}, {"t": 60}, {"t": 61, "v": 28}, {"t": 75, "v": 32},
                    {"t": 29}, {"t": 5, "v": 4}], rows


def test_no_unit():
    """Without a unit, times have none; one without a name is not another one."""
    wave, _ = plain(["tb.cpu"], 3)
    expected = [line.replace(" ps ", " _ ") for line in lines_of("", range(3))]
    data = vcd(wave).replace(b"$timescale 1ps $end\n", b"")
    demand_same(printed(store("a.vcd", data)), expected, "VCD without a unit")
    done = subprocess.run([SPOOR, "info", "--json", "a.vcd"], cwd=FOLDER, stdout=subprocess.PIPE, check=True)
    assert b'"time_unit": ""' in done.stdout, done.stdout
    lines = printed(store("a.log", "\n".join(["# waveform by rvfi: tb.cpu", *expected, ""]).encode()))
    demand_same(lines, expected, "lines without a unit")
    for exponent in (-16, 3, -128):
        said = [f"! a unit of time of 10^{exponent} seconds is not one of fs to 100 s"]
        demand_same(printed(store("a.fst", fst(wave, exponent=exponent))), said + expected, f"10^{exponent}")
    for exponent, unit, factor in ((-15, "fs", 1), (-14, "fs", 10), (0, "s", 1), (2, "s", 100), (-7, "ns", 100)):
        wanted = [f"{factor * (10 * cycle + 5)} {unit} " + line.split(" ", 2)[2]
                  for cycle, line in enumerate(lines_of("", range(3)))]
        demand_same(printed(store("a.fst", fst(wave, exponent=exponent))), wanted, f"10^{exponent}")
    # times that do not fit 64 bits in their unit
    wave.timescale = "10ns"
    data = vcd(wave) + b"#1844674407370955161\n0!\n#1844674407370955162\n1!\n"
    lines = printed(store("a.vcd", data))
    assert sum(line[0] == "!" for line in lines) == 1 and "a time of at most 64 bits in its unit" in lines[-1], lines
    wave.at(1844674407370955162, {0: "0"})
    lines = printed(store("a.fst", fst(wave, per_section=6)))
    assert [line[line.index(": "):] for line in lines if line[0] == "!"] == [": damaged times"], lines


def test_loads():
    """Which bytes of a word a load reads, where its opcode and register say so, and only there."""
    names = (("valid", 1), ("insn", 32), ("pc_rdata", 32), ("rs1_addr", 5), ("rs1_rdata", 32), ("rd_addr", 5), ("rd_wdata", 32),
             ("mem_addr", 32), ("mem_rmask", 4), ("mem_rdata", 32))

    def load(size, source, offset):  # lb, lh, lw, lbu and so on to x1
        return (offset & 0xFFF) << 20 | source << 15 | size << 12 | 1 << 7 | 3
    data = 0x44332211
    rows = [  # opcode, register, its value, address, mask; what is read
        (load(0, 5, 1), 5, 0x100, 0x100, 0xF, "00000101 1 22"), (load(4, 5, -1), 5, 0x104, 0x100, 0xF, "00000103 1 44"),
        (load(1, 5, 2), 5, 0x100, 0x100, 0xF, "00000102 2 4433"), (load(2, 5, 0), 5, 0x100, 0x100, 0xF, "00000100 4 44332211"),
        (load(0, 0, 0x102), 0, 0, 0x100, 0xF, "00000102 1 33"), (load(0, 0, -4), 0, 0, 0xFFFFFFFC, 0xF, "fffffffc 1 11"),
        # another register, another place, or bytes that the mask does not have: as stated
        (load(0, 5, 1), 6, 0x100, 0x100, 0xF, "00000100 4 44332211"), (load(0, 5, 1), 5, None, 0x100, 0xF, "00000100 4 44332211"),
        (load(0, 5, 4), 5, 0x100, 0x100, 0xF, "00000100 4 44332211"), (load(0, 5, 1), 5, 0x100, 0x100, 0xC, "00000102 2 4433"),
        (load(1, 5, 3), 5, 0x100, 0x100, 0xF, "00000100 4 44332211"), (load(0, 5, -1), 5, 0x100, 0x100, 0xF, "00000100 4 44332211"),
        (load(3, 5, 0), 5, 0x100, 0x100, 0xF, "00000100 4 44332211"),
        (load(0, 5, 1) | 0x20, 5, 0x100, 0x100, 0xF, "00000100 4 44332211"),  # a store's opcode
    ]
    wave, signals = plain(["tb.cpu"], len(rows), names)
    expected = []
    for cycle, (opcode, source, value, address, mask, what) in enumerate(rows):
        bits = {"insn": f"{opcode:032b}", "rs1_addr": f"{source:05b}", "rs1_rdata": "x" * 32 if value is None else f"{value:032b}",
                "mem_addr": f"{address:032b}", "mem_rmask": f"{mask:04b}", "mem_rdata": f"{data:032b}"}
        wave.changes[2 * cycle][1].update({signals["tb.cpu", name]: text for name, text in bits.items()})
        expected.append("load " + what)
    lines = printed(store("a.vcd", vcd(wave)))
    demand_same([line[line.index("load "):] for line in lines], expected, "loads")
    # opcodes of which only 16 bits are mapped do not say where a load reads; those of another isa are as they are
    path = store("half.spoor-format", b"clock = clk\nwhen = rvfi_valid\npc = rvfi_pc_rdata\ninsn = rvfi_insn[15:0]\n"
                 b"mem.addr = rvfi_mem_addr\nmem.read.mask = rvfi_mem_rmask\n")
    wave.changes[0][1][signals["tb.cpu", "mem_addr"]] = "0" * 32
    assert printed("-f", path, store("a.vcd", vcd(wave)))[0].endswith("load 00000000 4"), "half an opcode"
    path = store("arm.spoor-format", b"isa aarch32\nclock = clk\nwhen = rvfi_valid\npc = rvfi_pc_rdata\ninsn = rvfi_insn\n"
                 b"mem.addr = rvfi_mem_addr\nmem.read.mask = rvfi_mem_rmask\n")
    wave.changes[0][1][signals["tb.cpu", "insn"]] = f"{0xE1A00000:032b}"
    wave.changes[2][1][signals["tb.cpu", "insn"]] = f"{load(0, 0, 0x102):032b}"
    lines = printed("-f", path, store("a.vcd", vcd(wave)))
    assert " op e1a00000 " in lines[0] and lines[1].endswith(" load 00000100 4"), lines[:2]


def test_simulator_tools():
    """What GTKWave's own writer makes of the VCD."""
    if not shutil.which("vcd2fst"):
        return "vcd2fst is not installed"
    wave, expected = core(2, 500, 12)
    store("a.vcd", vcd(wave))
    for options in (["-4"], ["-F"], ["-Z"], ["-c"], ["-p"], ["-Z", "-c"]):
        subprocess.run(["vcd2fst", *options, "a.vcd", "b.fst"], cwd=FOLDER, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        demand_same(printed(FOLDER / "b.fst"), expected, f"vcd2fst {' '.join(options)}")
    return None


# ---- published waveforms ----

def true_list():
    """The lines that follow from what the simulator printed."""
    expected = []
    text = lzma.decompress((SHARED / "traces/waveform/true-list-21767.txt.xz").read_bytes()).decode()
    for line in text.splitlines():
        order, pc, insn, *rest = line.split()
        said = dict(word.split("=", 1) for word in rest)
        opcode = int(insn, 16)
        values = {"order": f"{int(order):064b}", "pc_rdata": f"{int(pc, 16):032b}", "insn": f"{opcode:032b}",
                  "mode": f"{int(said['mode']):02b}", "intr": said["intr"], "trap": said["trap"],
                  "mem_addr": f"{int(said['mem'], 16):032b}"}
        for one in ("rs1", "rs2", "rd"):
            register, value = said[one].split(":")
            values[one + "_addr"] = f"{int(register[1:]):05b}"
            values[one + ("_wdata" if one == "rd" else "_rdata")] = f"{int(value, 16):032b}"
        for one, mask, data in (("r", "mem_rmask", "mem_rdata"), ("w", "mem_wmask", "mem_wdata")):
            lanes, value = said[one].split(":")
            values[mask], values[data] = lanes, f"{int(value, 16):032b}"
        if opcode & 0x7F == 3 and int(values["mem_rmask"], 2):  # a load: its bytes of the word that the core states
            base, offset = int(values["rs1_rdata"], 2), (opcode >> 20) - ((opcode >> 31) << 12)
            first = (base + offset - int(said["mem"], 16)) & 0xFFFFFFFF
            values["mem_rmask"] = f"{((1 << (1 << (opcode >> 12 & 3))) - 1) << first:04b}"
        expected.append(line_of(values))
    return expected


def test_published():
    folder = SHARED / "traces/waveform"
    if not folder.is_dir():
        return "no published waveforms"
    expected = true_list()
    assert len(expected) == 21767
    for name, count in (("rvfi-top-5808.vcd.xz", 5808), ("rvfi-top-5808.fst", 5808), ("rvfi-top-5808.fastlz.fst", 5808),
                        ("rvfi-top-5808.lz4-gtkwave.fst", 5808), ("rvfi-top-21767.fst.xz", 21767),
                        ("all-signals-1976.fst.xz", 1976), ("all-signals-201.vcd.xz", 201)):
        found = [re.sub(r"^\d+ ps ", "", line) for line in printed(folder / name)]
        demand_same(found, expected[:count], name)
    # without RVFI: addresses, opcodes and the registers that are written
    wanted = [" ".join(re.findall(r"pc \w+|op \w+|w \S+", line)) for line in expected]
    for name, count in (("all-signals-1976.fst.xz", 1976), ("all-signals-201.vcd.xz", 201)):
        found = [re.sub(r"^\d+ ps ", "", line) for line in printed("--dialect", "picorv32", folder / name)]
        demand_same(found, wanted[:count], name + " without RVFI")
    # a VexRiscv of strangers: the opcodes are those of its program
    found = printed(folder / "wal-gcd.fst.xz")
    elf = (folder / "wal-gcd.elf").read_bytes()
    code_at = {}
    at, = struct.unpack_from("<I", elf, 28)
    for i in range(struct.unpack_from("<H", elf, 44)[0]):
        kind, offset, address, _, size = struct.unpack_from("<5I", elf, at + 32 * i)
        if kind == 1:
            for place in range(0, size - 3, 4):
                code_at[address + place], = struct.unpack_from("<I", elf, offset + place)
    assert len(found) == 394 and sum(" w " in line for line in found) == 272
    for line in found:
        pc, insn = re.search(r"pc (\w+) op (\w+)", line).groups()
        assert code_at[int(pc, 16)] == int(insn, 16), line
    return None


def invented_core(random_):
    """(VCD, lines): a core of RISC-V that fetches ahead, stalls and squashes; nothing is named after what it is."""
    names = [f"s{i}" for i in random_.sample(range(100, 1000), 13)]
    widths = dict(zip(names, (32, 32, 1, 1, 5, 32, 1, 32, 32, 1, 1, 1, 8)))
    pc_of, insn_of, valid, killed, number, value, write, fetch, word, noise, busy, odd, count = names
    path, pc = [], 0x80000000
    program, registers = {}, [0] + [random_.getrandbits(32) for _ in range(31)]
    while len(path) < 700:
        if pc not in program:
            rd, kind = random_.randrange(32), random_.randrange(9)
            upper = random_.randrange(1 << 20) << 12
            offset = random_.choice((8, 12, 16, 24))
            program[pc] = {
                0: (upper | rd << 7 | 0x37, rd, upper, 4, None),
                1: ((rd * 37 & 0x7FF) << 20 | rd << 7 | 0x13, rd, rd * 37 & 0x7FF, 4, None),
                2: (upper | rd << 7 | 0x17, rd, pc + upper & 0xFFFFFFFF, 4, None),
                3: ((offset >> 1 & 0x3FF) << 21 | rd << 7 | 0x6F, rd, pc + 4, 4, "jump"),
                4: ((offset >> 1 & 15) << 8 | 5 << 15 | 6 << 20 | 0x63, 0, 0, 4, "branch"),
                5: (7 << 20 | 6 << 15 | 2 << 12 | rd << 7 | 0x23, 0, 0, 4, None),
                6: (7 << 20 | 6 << 15 | rd << 7 | 0x33, rd, None, 4, None),
                7: (0x4001 | rd << 7, rd, 0, 2, None),  # c.li rd,0
                8: (0x0001, 0, 0, 2, None)}[kind] + (pc + offset,)
        insn, rd, result, size, leads, target = program[pc]
        result = registers[6] + registers[7] & 0xFFFFFFFF if result is None else result
        registers[rd] = result if rd else 0
        path.append((pc, insn, rd, result, size))
        pc = target if leads == "jump" or (leads and random_.random() < 0.5) else pc + size
        if pc > 0x80000200:  # back by a jump, so that code comes again
            path.append((pc, ((0x80000000 - pc) & 0x7FE) << 20 | (0x80000000 - pc >> 11 & 1) << 20 | 0x80000000 |
                         ((0x80000000 - pc) & 0xFF000) | 0x6F, 0, pc + 4, 4))
            pc = 0x80000000
    rows, lines = [], []
    for at, (pc, insn, rd, result, size) in enumerate(path):
        for _ in range(random_.choice((0, 0, 1, 3))):  # nothing retires; or what does was on a wrong path
            wrong = random_.random() < 0.3
            rows.append({pc_of: pc + 4 * random_.randrange(2, 6) if wrong else random_.choice((pc, path[at - 1][0])),
                         insn_of: random_.getrandbits(32), valid: int(wrong), killed: int(wrong),
                         number: random_.randrange(32), value: random_.getrandbits(32), write: 0})
        rows.append({pc_of: pc, insn_of: insn, valid: 1, killed: 0, number: rd if rd else random_.randrange(32),
                     value: result, write: int(rd != 0)})
        lines.append(f"pc {pc:08x} op {insn:0{2 * size}x}" + (f" w x{rd}={result:08x}" if rd else ""))
    for row, following in zip(rows, rows[1:] + rows[:1]):
        row |= {fetch: following[pc_of] + 8, word: following[insn_of], noise: random_.randrange(2),
                busy: 1 - row[valid], odd: row[valid] & random_.randrange(2), count: random_.randrange(256)}
    text = ["$timescale 1ns $end", "$scope module bench $end", "$var wire 1 ! core_clk $end", "$scope module dut $end"]
    codes = {name: f"c{i}" for i, name in enumerate(names)}
    text += [f"$var wire {widths[name]} {codes[name]} {name} $end" for name in random_.sample(names, len(names))]
    text += ["$upscope $end", "$upscope $end", "$enddefinitions $end"]
    for time, row in enumerate(rows):
        text += [f"#{20 * time}", "0!"] + [f"b{row[name]:b} {codes[name]}" for name in names] + [f"#{20 * time + 10}", "1!"]
    return "\n".join(text) + "\n", lines


def described(name):
    """The file of the mapping that `spoor describe` proposes."""
    done = subprocess.run([SPOOR, "describe", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, cwd=FOLDER)
    assert done.returncode == 0, f"describe {name}: exit {done.returncode}: {done.stderr.decode()}"
    (FOLDER / "proposed.spoor-format").write_bytes(done.stdout)
    return "proposed.spoor-format"


def test_proposed_of_invented_cores():
    for seed in range(8):
        random_ = random.Random(seed)
        text, lines = invented_core(random_)
        (FOLDER / "core.vcd").write_text(text)
        found = [re.sub(r"^\d+ ns ", "", line) for line in printed("-f", described("core.vcd"), "core.vcd")]
        demand_same([re.sub(r"#\d+ ", "", line) for line in found], lines, f"seed {seed}")
    # one of an array of cores: a scope of a mapping has no index
    (FOLDER / "core.vcd").write_text(text.replace("module bench", "module bench[0]"))
    found = [re.sub(r"^\d+ ns ", "", line) for line in printed("-f", described("core.vcd"), "core.vcd")]
    demand_same(found, lines, "in a scope with an index")


def test_proposal_of_damaged():
    """What is damaged is said after the proposal, and it is not the end of the search."""
    text, lines = invented_core(random.Random(2))
    at = text.index("#400\n")
    (FOLDER / "core.vcd").write_text(text[:at] + "?damage\n" + text[at:])
    done = subprocess.run([SPOOR, "describe", "core.vcd"], capture_output=True, check=False, cwd=FOLDER)
    assert done.returncode == 3 and b"core.vcd: " in done.stderr, (done.returncode, done.stderr)
    (FOLDER / "proposed.spoor-format").write_bytes(done.stdout)
    found = [re.sub(r"^\d+ ns ", "", line) for line in printed("-f", "proposed.spoor-format", "core.vcd") if line[0] != "!"]
    assert sum(line in lines for line in found) > len(lines) - 3, (len(found), len(lines))


def test_proposal_names():
    """A name that no mapping can have is said."""
    text = invented_core(random.Random(4))[0]
    (FOLDER / "core.vcd").write_text(re.sub(r"(?m)(\$var wire 32 c\d+ )(s\d+)", r"\1\2+odd", text))
    done = subprocess.run([SPOOR, "describe", "core.vcd"], capture_output=True, check=False, cwd=FOLDER)
    assert done.returncode == 3 and b"none that a mapping can have" in done.stderr, (done.returncode, done.stderr)


def test_no_proposal():
    """A waveform without a core, without a clock, and one that is damaged."""
    text = invented_core(random.Random(1))[0]
    for name, content, what in (("a.vcd", text.replace("core_clk", "other"), "found no signal of one bit that has the name of a clock"),
                                ("b.vcd", re.sub(r"(?m)^b\d+ (?=c[0-6]$)", "b1 ", text), "found no pc and opcode of RISC-V")):
        (FOLDER / name).write_text(content)
        done = subprocess.run([SPOOR, "describe", name], capture_output=True, check=False, cwd=FOLDER)
        assert done.returncode == 3 and what in done.stderr.decode(), (name, done.returncode, done.stderr)


def test_proposed_of_published():
    folder = SHARED / "traces/waveform"
    if not folder.is_dir():
        return "no published waveforms"
    name = folder / "wal-gcd.fst.xz"  # by the mapping that its authors' names suggest
    demand_same(printed("-f", described(name), name), printed(name), "VexRiscv")
    # PicoRV32 without its RVFI
    with lzma.open(folder / "all-signals-201.vcd.xz", "rt") as file:
        (FOLDER / "plain.vcd").write_text(re.sub(r"(?m)^ *\$var .* rvfi_.*\n", "", file.read()))
    wanted = [" ".join(re.findall(r"pc \w+|op \w+|w \S+", line)) for line in true_list()[:201]]
    found = [re.sub(r"^\d+ ps ", "", line) for line in printed("-f", described("plain.vcd"), "plain.vcd")]
    demand_same(found, wanted, "PicoRV32")
    return None


def run(tests):
    """Prints what came of tests, by name, as TAP; ends the program."""
    print(f"1..{len(tests)}", flush=True)
    failed = False
    for number, (name, test) in enumerate(tests, 1):
        name = name.removeprefix("test_")
        try:
            skipped = test()
            print(f"ok {number} - {name}" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
        except AssertionError as error:
            failed = True
            print(f"not ok {number} - {name}\n# " + str(error).replace("\n", "\n# "), flush=True)
    if "KEEP" not in os.environ:
        shutil.rmtree(FOLDER)
    sys.exit(failed)


if __name__ == "__main__":
    run([(name, test) for name, test in globals().items() if name.startswith("test_")])

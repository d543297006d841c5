#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""read.py SPOOR EXAMPLES: a second reader of .spoor files, and its comparison with `spoor print`.

The reader is written from docs/formats/spoor.md alone: it shares no code with the library.  It needs
the shared libraries of zstd and xxHash, which the library needs, too.  The first records of each
example go into a .spoor file; what this reader finds in it must be what spoor prints.  SPOOR_SOAK=1
compares all records.
"""
import csv
import ctypes
import ctypes.util
import io
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
A, B, C, D = 0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35, 0x27D4EB2F
LONG_A, LONG_C = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
NOTE, UOP, INSN, FLOW, REG, MEM, BUS, CACHEOP, CACHE, WALK, TLB, EVENT = range(12)
VA, PA, DATA, INDEX, EXTRA, VERBATIM, SPILLED, FAULTY = 4, 8, 32, 64, 128, 256, 512, 4096
FETCH = 12  # op of a MEM
TIME_LANE, NUMBER, INDEXED, ADDRESS, PHYSICAL, VALUE, LOW, HIGH = range(8)
GROUP = {TIME_LANE: 0, INDEXED: 0, NUMBER: 1, ADDRESS: 1, PHYSICAL: 1, VALUE: 2, LOW: 3, HIGH: 3}


def library(name):
    found = ctypes.util.find_library(name)
    if not found:
        print(f"1..0 # SKIP there is no lib{name}")
        sys.exit(0)
    return ctypes.CDLL(found)


ZSTD, XXHASH = library("zstd"), library("xxhash")
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
XXHASH.XXH3_64bits.restype = ctypes.c_uint64


def xxh3(data):
    return XXHASH.XXH3_64bits(data, ctypes.c_size_t(len(data)))


def unzstd(data, size):
    out = ctypes.create_string_buffer(size)
    got = ZSTD.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    assert got == size, "a zstd frame has another size"
    return out.raw


def unlzma(data, size):
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": max(size, 4096), "lc": 0, "lp": 0, "pb": 0}]
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters).decompress(data, size)


def jump_of(value):
    return ((value >> 12) * A & M32) >> 24


def number(data, at, size):
    return int.from_bytes(data[at : at + size], "little")


class Column:
    """Bytes that are read one after another."""

    def __init__(self, data=b""):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, size):
        self.at += size
        return self.data[self.at - size : self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def ended(self):
        return self.at >= len(self.data)


def sections(data):
    table = Column(data)
    entries = [[table.varint() for _ in range(4)] for _ in range(table.varint())]
    found = {}
    for key, method, size, stored in entries:
        content = table.bytes(stored)
        found[key] = [lambda: content, lambda: unzstd(content, size), lambda: content * size,
                      lambda: unlzma(content, size)][method]()
        assert len(found[key]) == size
    return found


def blocks(data):
    assert data[:10] == b"\x89spoor\r\n\x1a\n" and number(data, 10, 6) == 1
    at = 16
    while at < len(data):
        size = number(data, at + 8, 8)
        payload = data[at + 32 : at + 32 + size]
        assert number(data, at + 24, 8) == xxh3(data[at : at + 24])
        assert number(data, at + 16, 8) == xxh3(payload)
        yield data[at : at + 4].decode(), payload, at
        at += 32 + size


# ---- dictionaries ----


class Dictionary:
    def __init__(self):
        self.templates, self.strings, self.names, self.spellings = [], [b""], [b""], [b""]
        self.forms = []


def strings(found, sizes, content):
    sizes, content = Column(found.get(sizes, b"")), Column(found.get(content, b""))
    while not sizes.ended():
        yield content.bytes(sizes.varint())


def undo(distance, base):
    return 0 if distance == 0 else base if distance == -base & M64 else (distance + base) & M64


def uops(found, forms):
    """Templates of micro-ops as forms and numbers."""
    new = found.get(19, b"")
    unused = len(forms)
    forms.extend([number(new, at + 8 * i, 8) for i in range(3)] for at in range(0, len(new), 24))
    numbers, others, pcs, targets, addresses, immediates = (Column(found.get(i, b"")) for i in range(20, 26))
    page, follows, last, pc, after, bases = [], {}, 0, 0, 0, [0] * 8
    while not numbers.ended():
        code = numbers.varint()
        if code in (1, 2):
            page.append(unused if code == 1 else others.varint())
            unused += code == 1
        this = follows.get(last, 0) if code == 0 else len(page) - 1 if code < 3 else code - 3
        follows[last] = last = this
        head, sources, names = forms[page[this]]
        pc = (pc if names >> 16 & 65535 > 1 else after) + pcs.signed() & M64
        fall = sources & M32
        after = pc + fall - (fall >> 31 << 32) & M64
        target = after + targets.signed() & M64 if head & 1 else 0
        address = 0
        if head & 2:
            base = addresses.varint()
            address = bases[base] = bases[base] + addresses.signed() & M64
        immediate = target - after if head & 8 else immediates.signed() if head & 4 else 0
        yield [0, head & ~255 | UOP, pc, address, target, immediate & M64, sources, names]


def templates(found, forms):
    kinds = found.get(0, b"")
    of_uops = uops(found, forms)
    rows = {}
    for kind in set(kinds) - {UOP}:
        count = kinds.count(kind)
        data = found[7 + kind]
        mask, data = number(data, 0, 8), data[8:]
        present = [k for k in range(64) if mask >> k & 1]
        table = [bytearray(64) for _ in range(count)]
        for j, k in enumerate(present):
            for i in range(count):
                table[i][k] = data[j * count + i]
        rows[kind] = iter(table)
    before = {kind: (0, {}) for kind in rows}
    for kind in kinds:
        if kind == UOP:
            yield next(of_uops)
            continue
        row = next(rows[kind])
        words = [number(row, 8 * i, 8) for i in range(8)]
        last_word, last_string = before[kind]
        if kind in (INSN, FLOW, MEM):
            words[2] = (words[2] + last_word) & M64
        string = {INSN: 6, WALK: 4, TLB: 4}.get(kind)
        if string:
            low = (words[string] + last_string.get(kind, 0)) & M32
            words[string] = words[string] >> 32 << 32 | low
            last_string = {kind: low}
        before[kind] = words[2], last_string
        if kind == FLOW:
            words[4] = undo(words[4], words[2])
        if kind in (INSN, FLOW):
            words[3] = undo(words[3], words[2])
        if kind == FLOW and words[4] and not words[1] >> 8 & 1 << 5:
            before[kind] = words[4], last_string
        yield words


def read_page(payload, dictionaries):
    marks = [number(payload, 4 + 4 * i, 4) for i in range(10)]
    dictionary = dictionaries.setdefault(number(payload, 0, 4), Dictionary())
    found = sections(payload[44:])
    lists = dictionary.templates, dictionary.strings, dictionary.names, dictionary.spellings
    assert len(dictionary.forms) == marks[8]
    more = (templates(found, dictionary.forms), strings(found, 1, 2), strings(found, 3, 4),
            strings(found, 5, 6))
    for i, (entries, new) in enumerate(zip(lists, more)):
        assert len(entries) == marks[2 * i]
        entries.extend(new)
        assert len(entries) == marks[2 * i] + marks[2 * i + 1]
    assert len(dictionary.forms) == marks[8] + marks[9]


# ---- records ----


class Template:
    """Words of a record, its lanes, and what else is stored with it."""

    def __init__(self, words):
        self.words = words
        head = words[1]
        self.kind, self.op, self.has = head & 255, head >> 8 & 255, head >> 16 & 65535
        self.lanes, self.text, self.leads = [], None, False
        self.size = words[7] & 65535 if self.kind == MEM else words[6] >> 32 & 65535
        self.register = words[5] >> 32 & 65535  # name of a REG
        [self.note, self.uop, self.insn, self.flow, self.reg, self.mem, self.bus, self.cacheop,
         self.cache, self.walk, self.tlb, self.event][self.kind]()

    def add(self, condition, word, kind):
        if condition:
            self.lanes.append((word, kind))

    def note(self):
        self.text = 2

    def uop(self):
        self.leads = True
        self.add(self.op & 0x30, 3, NUMBER)

    def insn(self):
        self.leads = True
        self.add(self.has & INDEX, 4, INDEXED)

    def flow(self):
        self.leads = True
        self.add(self.has & INDEX, 6, INDEXED)

    def reg(self):
        self.add(True, 2, VALUE)
        self.add((self.words[6] & 65535) > 64, 3, NUMBER)
        self.text = 4 if self.words[4] else None

    def mem(self):
        self.leads = self.op == FETCH
        self.add(self.has & VA and not self.leads, 2, ADDRESS)
        self.add(self.has & PA, 3, PHYSICAL)
        self.add(self.has & DATA, 4, LOW)
        self.add(self.has & DATA and self.size > 8, 5, HIGH)
        self.text = 6 if self.words[6] else None

    def bus(self):
        given_delta = self.words[7] >> 24 & 255 & GIVEN_DELTA
        self.add(True, 2, ADDRESS)
        self.add(self.has & DATA, 3, LOW)
        self.add(self.has & DATA and self.size > 8, 4, HIGH)
        self.add(given_delta, 5, NUMBER)

    def cacheop(self):
        self.add(True, 2, ADDRESS)
        self.add(self.has & PA, 3, PHYSICAL)

    def cache(self):
        self.add(self.has & PA, 2, NUMBER)
        self.add(True, 3, NUMBER)

    def walk(self):
        self.add(True, 2, NUMBER)
        self.add(self.has & DATA, 3, NUMBER)

    def tlb(self):
        self.add(True, 2, ADDRESS)
        self.add(self.has & PA, 3, PHYSICAL)

    def event(self):
        self.text = 5
        self.add(self.has & VA, 2, NUMBER)
        self.add(self.has & PA, 3, NUMBER)
        self.add(self.has & EXTRA, 4, NUMBER)


GIVEN_DELTA = 8  # enum spoor_bus_given


class Segment:
    def __init__(self, payload, dictionaries):
        self.record, self.place, self.time = (number(payload, 8 * i, 8) for i in range(3))
        self.count, self.local_count, which, self.defined, self.flags = (
            number(payload, 24 + 4 * i, 4) for i in range(5))
        self.dictionary = dictionaries[which]
        found = sections(payload[64:])
        self.columns = [Column(found.get(i, b"")) for i in range(24)]
        self.locals, self.last_id = [], -1
        self.after, self.after_few, self.follows = {}, {}, {}
        self.p = self.b = self.c = self.history = self.leader = self.position = 0
        self.contexts, self.strides, self.memory, self.pages = {}, {}, {}, {}
        self.registers = [0] * 132
        self.jumps, self.recents = {}, [0] * 8
        self.index = self.last_number = self.state = self.va = self.increase = 0
        self.run = self.next_run()

    def next_run(self):
        return 0 if self.columns[0].ended() else self.columns[0].varint()

    def new_template(self):
        self.last_id += 1 + self.columns[3].signed()
        self.locals.append(Template(self.dictionary.templates[self.last_id]))
        return len(self.locals) - 1

    def next_template(self):
        x = self.history * A & M32
        y = (self.p * B ^ (self.b * C + self.c)) * A & M32
        one, few, follows = x >> 16, y >> 17, self.follows.setdefault(self.p, [0, 0, 0, 0])
        tag, tag_few = x & 0xFFFF | 1, y & 0xFFFF | 1
        second = follows[0]
        if self.after_few.get(few, (0, 0))[0] == tag_few:
            second = self.after_few[few][1]
        first = self.after[one][1] if self.after.get(one, (0, 0))[0] == tag else second
        if self.run:
            self.run -= 1
            local = first
        else:
            miss = self.columns[1].byte()
            local = (second if miss == 0 else follows[miss - 1] if miss < 5
                     else self.columns[2].varint() if miss == 5 else self.new_template())
            self.run = self.next_run()
        self.after[one], self.after_few[few] = (tag, local), (tag_few, local)
        if follows[0] != local:
            del follows[follows.index(local) if local in follows else 3]
            follows.insert(0, local)
        self.history = (self.history << 3 ^ (local * B & M32) >> 5) & M32
        self.c, self.b, self.p = self.b, self.p, local
        template = self.locals[local]
        if template.leads:
            self.leader, self.position = local + 1, 0
            self.registers[131] = template.words[2]
        elif self.position < 15:
            self.position += 1
        self.va = template.words[2]
        return template

    def granule(self, address):
        return (address & M64) * LONG_A % (1 << 64) >> 50

    def load(self, address, size):
        shift, mask = 8 * (address & 7), (1 << 8 * size) - 1
        high = self.memory.get(self.granule((address >> 3) + 1), 0) << 64
        return (high | self.memory.get(self.granule(address >> 3), 0)) >> shift & mask

    def store(self, address, size, value):
        shift, mask = 8 * (address & 7), (1 << 8 * size) - 1
        parts = [self.granule(address >> 3)]
        if shift + 8 * size > 64:
            parts.append(self.granule((address >> 3) + 1))
        for i, part in enumerate(parts):
            bits = mask << shift >> 64 * i & M64
            put = (value & mask) << shift >> 64 * i & M64
            self.memory[part] = self.memory.get(part, 0) & ~bits | put

    def base(self, template, kind):
        if kind == TIME_LANE:
            return self.time
        if kind == INDEXED:
            own = template.words[7] >> 32 if template.kind == FLOW else 0
            counts = (0, own, self.last_number)
            return self.index + (counts[self.state] if template.kind == FLOW else 0)
        if kind == NUMBER and template.kind == BUS:
            return self.increase
        if kind == PHYSICAL:
            return self.va + self.pages.get(self.va >> 12 & 1023, 0)
        return 0

    def note(self, template, kind, value):
        size = min(template.size, 8)
        if kind == TIME_LANE:
            self.increase = value - self.time & M64
            self.time = value
        elif kind == INDEXED:
            if template.kind == FLOW:
                self.count_branch(template.words[7] >> 32, value - self.index & M64)
            self.index = value
        elif kind == ADDRESS:
            self.va = self.registers[130] = value
        elif kind == PHYSICAL:
            self.pages[self.va >> 12 & 1023] = value - self.va
            if not template.has & VA:
                self.registers[130] = value
        elif kind == VALUE:
            self.registers[template.register % 128] = value
        elif kind == LOW:
            self.store(self.registers[130], size, value)
            self.registers[128] = value
        elif kind == HIGH:
            self.store(self.registers[130] + 8, 8, value)
            self.registers[129] = value

    def count_branch(self, own, increase):
        expected = (None, own, self.last_number)[self.state]
        if increase != expected:
            self.state = 1 if increase == own else 2 if increase == self.last_number else 0
        self.last_number = own

    def predict(self, way, entry, stride_at, template, kind):
        last, stride, constant, _, register = entry
        if way == 0:
            value = last + self.strides.get(stride_at, 0)
        elif way < 3:
            value = last + stride if way == 1 else last
        elif way == 3:
            value = self.registers[register] + constant
        elif kind == LOW:
            value = self.load(self.registers[130], min(template.size, 8))
        else:
            value = self.load(self.registers[130] + 8, 8) if kind == HIGH else self.registers[128]
        return value & M64

    def lane(self, template, word, kind):
        of_index = kind == INDEXED
        before = self.b if of_index else self.p
        key = (0 if of_index else self.leader) * A ^ before * B + self.position * D + word * C
        slot = (key & M32) * A % (1 << 32) >> 16
        entry = self.contexts.setdefault(slot, [template.words[word] if word and slot else 0, 0, 0, 0, 0])
        last, stride = entry[:2]
        group = GROUP[kind]
        stride_at = (stride * LONG_A ^ slot * LONG_C) * LONG_A % (1 << 64) >> 48

        def predict(way):
            return self.predict(way, entry, stride_at, template, kind)

        code = self.columns[12 + group].byte()
        if code == 8:
            value = last + self.jumps.get(jump_of(last), 0)
        elif code >= 7:
            size = self.columns[16 + group].byte()
            value = number(self.columns[20 + group].bytes(size), 0, size)
            if group < 2:
                value = (last if code == 7 else self.recents[code - 9]) + (value >> 1 ^ -(value & 1))
        else:
            if code == 6:
                entry[4], entry[2], entry[3] = self.columns[4].byte(), self.columns[5].signed(), 3
            elif code:
                entry[3] = code - 1
            value = predict(entry[3])
        value &= M64
        if group == 1 and code >= 6:
            self.jump(last, value)
        entry[1] = self.strides[stride_at] = value - last & M64
        entry[0] = value
        word_value = value + self.base(template, kind) & M64
        self.note(template, kind, word_value)
        return word_value

    def jump(self, last, value):
        self.jumps[jump_of(last)] = value - last
        near = [i for i in range(7) if value - self.recents[i] + 4096 & M64 < 8192]
        del self.recents[near[0] if near else 7]
        self.recents.insert(0, value)

    def records(self):
        texts = Column(self.columns[7].data)
        first_time = self.time
        for _ in range(self.count):
            template = self.next_template()
            words = list(template.words)
            words[0] = self.lane(template, 0, TIME_LANE) if self.flags & 1 else first_time
            for word, kind in template.lanes:
                words[word] = self.lane(template, word, kind)
            text = texts.bytes(self.columns[6].varint()) if template.text else None
            if template.has & (SPILLED | VERBATIM):
                self.skip_spills()
            if template.has & FAULTY:
                self.skip_faults()
            yield template, words, text

    def skip_spills(self):
        for _ in range(self.columns[8].varint()):
            if not self.columns[8].varint() & 1:
                self.columns[9].bytes(self.columns[8].varint())

    def skip_faults(self):
        for _ in range(self.columns[10].varint()):
            self.columns[10].varint()
            for _ in range(3):
                self.columns[11].bytes(self.columns[10].varint())


def read(data, decodes=True):
    """The description, the records as (template, words, text, dictionary), if it decodes them, and the index."""
    dictionaries, description, found, seen, index = {}, b"", [], [], b""
    for kind, payload, at in blocks(data):
        end = at + 32 + len(payload)
        if kind in ("HEAD", "LATE"):
            description += payload
        elif kind == "DICT":
            read_page(payload, dictionaries)
        elif kind == "SEGM":
            segment = Segment(payload, dictionaries)
            if decodes:
                assert segment.record == len(found)
                found += [(*record, segment.dictionary) for record in segment.records()]
            seen.append([segment, end, 0])
        elif kind == "HIST":
            index += b"".join(part for _, part in sorted(sections(payload).items()))
            if seen and seen[-1][1] == at:
                seen[-1][1:] = end, seen[-1][2] + end - at
        elif kind == "INDX":
            check_table(Column(payload), seen)
        elif kind == "TAIL":
            records = len(found) if decodes else sum(segment.count for segment, *_ in seen)
            assert number(payload, 8, 8) == records and number(payload, 16, 8) == len(seen)
    return description.decode(), found, index


def check_table(table, seen):
    """The table of the segments; the last one may be followed by the rest of the index, which is not its."""
    assert table.varint() == len(seen)
    end = dictionary = 0
    if seen:
        seen[-1][1:] = seen[-1][1] - seen[-1][2], 0
    for segment, its_end, _ in seen:
        begin, pages, size, records, place, step = (table.varint() for _ in range(6))
        end += begin + size
        dictionary += step
        assert (end, records, place) == (its_end, segment.count, segment.place) and pages < size
    assert sum(table.varint() for _ in range(table.varint())) < max(len(seen), 1)
    parts = [(number, size) for number, (_, _, size) in enumerate(seen) if size]
    if parts:
        assert table.varint() == len(parts)
        before = 0
        for number, size in parts:
            assert (table.varint(), table.varint()) == (number - before, size)
            before = number
    assert table.ended()


# ---- comparison ----

KINDS = "note uop insn flow reg mem bus cacheop cache walk tlb event".split()
FIELDS = "kind time cpu pc opcode index disasm target macro micro addr pa data reg value delta text"


def fields(template, words, text, dictionary):
    """What `spoor print` shows of a record, of the fields that are simple."""
    kind, has = template.kind, template.has
    row = {"kind": KINDS[kind]}

    def name(key, at):
        row[key] = dictionary.names[at & 65535].decode("latin1")

    def put(key, value, condition=True):
        if condition:
            row[key] = hex(value) if key not in ("time", "index", "delta") else str(value)

    put("time", words[0], has & 1)
    if has & 2:
        name("cpu", words[1] >> 32)
    if kind == NOTE:
        row["text"] = text.decode("latin1")
    elif kind == UOP:
        put("pc", words[2])
        put("addr", words[3])
        put("target", words[4])
        name("macro", words[7] >> 32)
        name("micro", words[7] >> 48)
    elif kind == INSN:
        put("pc", words[2], has & VA)
        put("index", words[4], has & INDEX)
        put("opcode", words[5], has & DATA)
        string = dictionary.strings[words[6] & M32].decode("latin1")
        row["disasm"] = string
    elif kind == FLOW:
        put("pc", words[2], has & VA)
        put("index", words[6], has & INDEX)
        put("target", words[4], has & DATA)
    elif kind == REG:
        name("reg", words[5] >> 32)
        simple = (words[6] & 65535) <= 64 and not words[5] & M32 and not template.text
        put("value", words[2], has & DATA and simple)
    elif kind == MEM and template.op != FETCH:
        put("addr", words[2], has & VA)
        put("pa", words[3], has & PA)
        put("data", words[4], has & DATA and template.size <= 8 and not words[7] >> 16 & 65535)
    elif kind == BUS:
        put("pa", words[2])
        put("delta", words[5], words[7] >> 24 & 255 & GIVEN_DELTA)
    return row


def same(key, ours, theirs):
    if key == "delta" and theirs.startswith("0x"):
        return int(ours) == int(theirs, 16)
    return ours == theirs


def compare(spoor, example, folder):
    path, part = os.path.join(folder, "trace.spoor"), os.path.join(folder, "part.spoor")
    last = "" if os.environ.get("SPOOR_SOAK") else "999"
    for command in (["cut", "-q", "--records", f"0:{last}", "-o", part, example],
                    ["convert", "-q", "-o", path, part]):
        made = subprocess.run([spoor, *command], capture_output=True, check=False)
        assert made.returncode in (0, 3), made.stderr  # 3: a trace with faults
    _, records, _ = read(Path(path).read_bytes())
    shown = subprocess.run([spoor, "print", "--csv", "--fields", FIELDS.replace(" ", ","), path],
                           check=False, capture_output=True).stdout.decode("latin1")
    rows = list(csv.DictReader(io.StringIO(shown, newline="")))
    assert len(rows) == len(records) > 0, f"{len(records)} records, spoor prints {len(rows)}"
    compared = 0
    for i, (record, row) in enumerate(zip(records, rows)):
        for key, value in fields(*record).items():
            assert same(key, value, row[key]), f"record {i}: {key} is {value}, spoor: {row[key]}"
            compared += 1
    return len(records), compared


def check_parts(spoor, folder):
    """An index of some MiB lies in several blocks, which are those of the table, and whole."""
    count, at, lines = 600_000, 0, []
    for i in range(count):
        pc = 0x400000 + 4 * (i & 63)
        lines.append(f"1 {pc:x} 1 2 -1 - - L 0 {at >> 20 << 3:x} {pc + 4:x} 0 MOV LOAD\n")
        at = at + LONG_A & M64
    path = os.path.join(folder, "parts.spoor")
    subprocess.run([spoor, "convert", "-q", "-f", "uop", "-o", path, "-"], input="".join(lines).encode(), check=True)
    data = Path(path).read_bytes()
    kinds = [kind for kind, _, _ in blocks(data)]
    between = kinds[: len(kinds) - kinds[::-1].index("SEGM")].count("HIST")
    assert between > 0, "no part of the index is between the segments"
    _, _, index = read(data, decodes=False)
    magic = b"spoor index v4\r\n"
    assert index[:16] == magic and index[-16:] == magic, "the parts are no index"
    return len(index), between


def main():
    spoor, examples = sys.argv[1], sorted(Path(sys.argv[2]).glob("*.xz"))
    print(f"1..{len(examples) + 1}")
    failed = done = 0
    with tempfile.TemporaryDirectory() as folder:
        for example in examples:
            done += 1
            try:
                records, values = compare(spoor, str(example), folder)
                print(f"ok {done} - {example.name}: {records} records, {values} values")
            except (AssertionError, IndexError, KeyError, subprocess.CalledProcessError) as error:
                failed += 1
                print(f"not ok {done} - {example.name}: {type(error).__name__}: {error}")
        done += 1
        try:
            size, between = check_parts(spoor, folder)
            print(f"ok {done} - an index of {size} bytes, {between} parts between the segments")
        except (AssertionError, IndexError, KeyError, subprocess.CalledProcessError) as error:
            failed += 1
            print(f"not ok {done} - the parts of an index: {type(error).__name__}: {error}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

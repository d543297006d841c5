# SPDX-License-Identifier: MIT
"""parquet.py: reads the Parquet files that spoor writes, from the format's documents alone.

README.md, Encodings.md, PageIndex.md and parquet.thrift of Apache Parquet's format 2.11, and
Thrift's compact protocol.  Only what spoor writes is read; anything else is an error.
"""
import ctypes
import ctypes.util
import struct

PLAIN, RLE, DELTA, DICTIONARY, SPLIT = 0, 3, 5, 8, 9
BOOLEAN, INT64, DOUBLE, BYTE_ARRAY = 0, 2, 5, 6


class Thrift:
    """Structures as {number: value}."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            self.at += 1
            return self.data[self.at - 1]
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            size = self.varint()
            self.at += size
            return self.data[self.at - size:self.at]
        if kind == 9:
            head = self.data[self.at]
            self.at += 1
            count = head >> 4 if head >> 4 != 15 else self.varint()
            if head & 15 in (1, 2):
                self.at += count
                return [byte == 1 for byte in self.data[self.at - count:self.at]]
            return [self.value(head & 15) for _ in range(count)]
        assert kind == 12, f"type {kind}"
        return self.struct()

    def struct(self):
        fields, number = {}, 0
        while self.data[self.at]:
            head = self.data[self.at]
            self.at += 1
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            fields[number] = self.value(head & 15)
        self.at += 1
        return fields


def zstd():
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    return library


def decompress(library, codec, data, size):
    if codec == 0:
        return data
    assert codec == 6, f"codec {codec}"
    out = ctypes.create_string_buffer(size or 1)
    got = library.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    assert got == size, f"{got} bytes, expected {size}"
    return out.raw[:size]


def bits(data, width, count):
    """Values packed from the lowest bit on."""
    word = int.from_bytes(data, "little")
    mask = (1 << width) - 1
    return [word >> (width * i) & mask for i in range(count)]


def hybrid(data, width, count):
    """Runs of one value, and bit-packed groups of eight."""
    reader, values = Thrift(data), []
    while len(values) < count:
        head = reader.varint()
        if head & 1:
            size = (head >> 1) * width
            packed = data[reader.at:reader.at + size]
            for i in range(0, head >> 1):  # group by group: numbers stay small
                values += bits(packed[i * width:(i + 1) * width], width, 8)
        else:
            size = (width + 7) // 8
            values += [int.from_bytes(data[reader.at:reader.at + size], "little")] * (head >> 1)
        reader.at += size
    return values[:count]


def delta(data):
    reader = Thrift(data)
    block, parts, count = reader.varint(), reader.varint(), reader.varint()
    values = [reader.zigzag()] if count else reader.zigzag() and []
    while len(values) < count:
        smallest = reader.zigzag()
        widths = data[reader.at:reader.at + parts]
        reader.at += parts
        for width in widths:
            if len(values) >= count:
                break
            size = block // parts * width // 8
            for more in bits(data[reader.at:reader.at + size], width, block // parts):
                values.append(values[-1] + smallest + more)
            reader.at += size
    return [value & (1 << 64) - 1 for value in values[:count]] if count else []


def split(data, count):
    """BYTE_STREAM_SPLIT of doubles."""
    bytes_ = bytes(data[byte * count + i] for i in range(count) for byte in range(8))
    return list(struct.unpack(f"<{count}d", bytes_))


def plain(data, kind, count):
    if kind == DOUBLE:
        return list(struct.unpack(f"<{count}d", data[:8 * count]))
    if kind == INT64:
        return list(struct.unpack(f"<{count}Q", data[:8 * count]))
    if kind == BOOLEAN:
        return [bool(byte >> bit & 1) for byte in data for bit in range(8)][:count]
    values, at = [], 0
    for _ in range(count):
        size = int.from_bytes(data[at:at + 4], "little")
        values.append(data[at + 4:at + 4 + size])
        at += 4 + size
    return values


class Column:
    def __init__(self, element):
        self.name = element[4].decode()
        self.kind = element[1]
        self.optional = element[3] == 1
        logical = element.get(10, {})
        self.unsigned = 10 in logical and not logical[10][2]
        self.values = []

    def convert(self, value):
        if value is None or self.kind != INT64:
            return value
        return value if self.unsigned or value < 1 << 63 else value - (1 << 64)


class File:
    """The columns, by name, and the notes of the metadata.  Checks all that it meets."""

    def __init__(self, data):
        assert data[:4] == data[-4:] == b"PAR1"
        size = int.from_bytes(data[-8:-4], "little")
        reader = Thrift(data, len(data) - 8 - size)
        self.data, self.footer, self.library = data, reader.struct(), zstd()
        assert reader.at == len(data) - 8
        self.columns = [Column(element) for element in self.footer[2][1:]]
        self.notes = {note[1].decode(): note[2].decode() for note in self.footer[5]}
        for group in self.footer[4]:
            assert len(group[1]) == len(self.columns)
            for column, chunk in zip(self.columns, group[1]):
                self.chunk(column, chunk, group[3])
        for column in self.columns:
            assert len(column.values) == self.footer[3], column.name

    def page(self, at, codec):
        reader = Thrift(self.data, at)
        header = reader.struct()
        end = reader.at + header[3]
        return header, decompress(self.library, codec, self.data[reader.at:end], header[2]), end

    def chunk(self, column, chunk, rows):
        about = chunk[3]
        assert about[1] == column.kind and about[3] == [column.name.encode()]
        at, words, values, starts = about[9], None, [], []
        if 11 in about:
            header, data, end = self.page(about[11], about[4])
            assert end == about[9] and header[1] == 2 and header[7][2] == PLAIN
            words = plain(data, column.kind, header[7][1])
        while len(values) < rows:
            starts.append((at, len(values)))
            header, data, at = self.page(at, about[4])
            values += self.rows(column, header[5], data, words)
        values = [column.convert(value) for value in values]
        first = about.get(11, about[9])
        assert at - first == about[7] and len(values) == rows == about[5]
        self.check_indexes(column, chunk, values, starts + [(at, rows)])
        column.values += values

    @staticmethod
    def rows(column, header, data, words):
        count, present = header[1], [1] * header[1]
        if column.optional:
            size = int.from_bytes(data[:4], "little")
            present = hybrid(data[4:4 + size], 1, count)
            data = data[4 + size:]
        there = sum(present)
        if header[2] == DICTIONARY:
            values = [words[i] for i in hybrid(data[1:], data[0], there)] if there else []
        elif header[2] == DELTA:
            values = delta(data)
        elif header[2] == SPLIT:
            assert column.kind == DOUBLE
            values = split(data, there)
        else:
            assert header[2] == PLAIN
            values = plain(data, column.kind, there)
        assert len(values) == there
        following = iter(values)
        return [next(following) if here else None for here in present]

    def check_indexes(self, column, chunk, values, starts):
        """The statistics and the page index against the values."""
        def number(limit):
            if column.kind == BYTE_ARRAY:
                return limit
            if column.kind == BOOLEAN:
                return bool(limit[0])
            if column.kind == DOUBLE:
                return struct.unpack("<d", limit)[0]
            return int.from_bytes(limit, "little", signed=not column.unsigned)

        def check(part, low, high):
            there = [value for value in part if value is not None]
            if column.kind == BYTE_ARRAY:
                assert number(low) == min(there)[:64] and number(high) == max(there)
            else:
                assert (number(low), number(high)) == (min(there), max(there)), column.name

        statistics = chunk[3][12]
        assert statistics[3] == values.count(None)
        if 5 in statistics:
            check(values, statistics[6], statistics[5])
        pages = Thrift(self.data, chunk[4]).struct()[1]
        assert [(page[1], page[3]) for page in pages] == starts[:-1]
        assert [page[2] for page in pages] == [b[0] - a[0] for a, b in zip(starts, starts[1:])]
        if 6 not in chunk:
            return
        index = Thrift(self.data, chunk[6]).struct()
        for i, ((_, row), (_, end)) in enumerate(zip(starts, starts[1:])):
            part = values[row:end]
            assert index[5][i] == part.count(None) and index[1][i] == (index[5][i] == len(part))
            if not index[1][i]:
                check(part, index[2][i], index[3][i])

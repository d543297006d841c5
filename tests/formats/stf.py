#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stf.py all|events|harts|vectors|narrow|transactions|two_clocks|another_protocol|upstream FILE [DUMP]: make an STF trace by the specification of its records.

all: an instruction with each type of record.  events: what the specification says of their values.  harts: two of them.
vectors: a register whose contents can be records.  narrow: RV32.  transactions, two_clocks, another_protocol: no instructions.  upstream: the trace that a dump of stf_record_dump
describes."""
import lzma
import struct
import sys

CSRS = {"FCSR": 3, "SATP": 0x180, "MSTATUS": 0x300, "MEDELEG": 0x302, "MIDELEG": 0x303, "MTVEC": 0x305, "PMPCFG0": 0x3A0,
        "PMPADDR0": 0x3B0}
INTEGER, FLOAT, VECTOR, CSR = 1, 2, 3, 4
STATE, SOURCE, DESTINATION = 1, 2, 3


def header(pc, *more, encoding=2):
    return [b"\1STF", struct.pack("<BII", 2, 1, 5), struct.pack("<BH", 4, 1), struct.pack("<BH", 5, encoding), info(12, "made by stf.py"),
            struct.pack("<BQ", 7, 0x80021), *more, force(pc), b"\x13"]


def info(generator, words):
    return struct.pack("<BBBBBH", 6, generator, 1, 2, 3, len(words)) + words.encode()


def comment(words):
    return struct.pack("<BI", 3, len(words)) + words.encode()


def force(pc):
    return struct.pack("<BQ", 9, pc)


def target(pc):
    return struct.pack("<BQ", 31, pc)


def register(number, kind, operand, *values):
    return struct.pack("<BHB", 40, number, kind | operand << 4) + struct.pack(f"<{len(values)}Q", *values)


def access(address, size, writes, *contents, attributes=0):
    return struct.pack("<BQHHB", 60, address, size, attributes, 1 + writes) + b"".join(struct.pack("<BQ", 61, word) for word in contents)


def event(number, *values, wide=True):
    return struct.pack("<BQ" if wide else "<BI", 100, number) + struct.pack(f"<B{len(values)}Q", len(values), *values)


def event_target(pc):
    return struct.pack("<BQ", 101, pc)


def opcode(bits):
    return struct.pack("<BI", 240, bits) if bits & 3 == 3 else struct.pack("<BH", 241, bits)


def everything():
    vector = [0x1111111111111111, 0x2828282828282828]
    return header(0x80000000, comment("a comment"), struct.pack("<BI", 10, 128), struct.pack("<BI", 13, 4) + b"rv64") + [
        register(2, INTEGER, STATE, 0x8000), register(0x300, CSR, STATE, 0x1800), target(0x80000100),
        register(1, INTEGER, DESTINATION, 0x80000004), opcode(0x100000EF),  # jal ra, 0x80000100
        register(2, INTEGER, SOURCE, 0x8000), access(0x8000, 4, False, 0xFFFFFFF0, attributes=0x1234), opcode(0x00012503),  # lw a0, 0(sp)
        access(0x9000, 18, True, 1, 2, 3), opcode(0x0001),  # c.nop; 18 bytes
        register(3, VECTOR, DESTINATION, *vector), opcode(0x021080D7),  # vadd.vv v1, v1, v1
        register(4, FLOAT, DESTINATION, 0x3FF0000000000000), opcode(0x0001),
        event((1 << 63) | 7), event_target(0x80001000), opcode(0x0001),  # the machine's timer
        event(8, 0x55, wide=False), event_target(0x80002000), opcode(0x00000073),  # ecall
        opcode(0x00000463),  # beq zero, zero, +8: not taken, says the trace
        comment("a comment between instructions"), struct.pack("<BIII", 8, 1, 2, 3), opcode(0x0001),
        struct.pack("<BQQIB", 50, 0x8000, 1, 4096, 1) + struct.pack("<QQ", 0x1000, 0x2000), opcode(0x0001),
        struct.pack("<BH", 41, 5), struct.pack("<BBI", 230, 4, 0x13), opcode(0x0001),
        struct.pack("<BQHBBIB", 62, 0x8000, 4, 1, 2, 3, 1), struct.pack("<BQ", 63, 9), opcode(0x0001),
        force(0x80003000), opcode(0x30200073),  # mret
        register(2, INTEGER, STATE, 0x8000), opcode(0x0001)]


def events():
    mode = 1 << 62
    return header(0x80000000) + [
        event(mode, 3), opcode(0x0001),  # machine mode
        event(13, 0x80000002, 0x00012503, 0xBAD0), event_target(0x80001000), opcode(0x00012503),  # a load's page fault
        event(2, 0x80001000, 0x0000), event_target(0x80001000), opcode(0x0001),  # an illegal instruction
        event(12, 0x80001000), event_target(0x80001000), opcode(0x0001),  # a fetch's page fault
        event((1 << 63) | 5, 7), event_target(0x80001000), opcode(0x0001),  # an interrupt, and its source
        event(8, 93), event_target(0x80001000), opcode(0x00000073),  # a system call, and its number
        event(1 << 30, 0, wide=False), opcode(0x0001), event(mode, 7), opcode(0x0001), event(mode | 5, 1), opcode(0x0001)]


def harts():
    process = lambda hart: struct.pack("<BIII", 8, hart, 100 + hart, 7)
    return header(0x80000000) + [
        process(0), opcode(0x0001), opcode(0x0001), process(1), force(0x90000000), register(1, INTEGER, DESTINATION, 5), opcode(0x0001),
        opcode(0x0001), process(0), force(0x80000004), opcode(0x0001)]


def vectors():
    words = [5, 0x0000000004000103, 1, 1]  # a comment of 262145 bytes, if the length is not known
    return header(0x80000000, struct.pack("<BI", 10, 256)) + [
        register(1, VECTOR, SOURCE, *words), register(2, VECTOR, DESTINATION, *words), opcode(0x021080D7), opcode(0x0001)]


def narrow():
    return header(0x80000000, encoding=1) + [
        register(5, INTEGER, STATE, 0x80000000), register(0x008, CSR, STATE, 4), register(0x300, CSR, STATE, 0x1800),
        register(6, INTEGER, DESTINATION, 0xFFFFFFFF80000000), register(1, FLOAT, DESTINATION, 0x3FF0000000000000),
        register(0x7C0, CSR, DESTINATION, 1), opcode(0x0001)]


def clock(number, name):
    return struct.pack("<BBH", 12, number, len(name)) + name.encode()


def dependence(on, delta, clock=1):
    return struct.pack("<BQQB", 251, on, delta, clock)


def transaction(number, delta, channel, code=0, param=0, size=0, source=0, address=0, data=b"", mask="", sink=0, clock=1, metadata=()):
    """Of TileLink.  The mask is a text of 0 and 1, the lowest lane first; metadata are pairs of a letter of struct and a number."""
    made = struct.pack("<BQQBH", 250, number, delta, clock, len(metadata))
    made += b"".join(struct.pack("<B" + letter, "BHIQ".index(letter), value) for letter, value in metadata)
    made += struct.pack("<B", "ABCDE".index(channel) + 1)
    if channel != "E":
        made += struct.pack("<BBBQH", code, param, size, source, len(data)) + data
    if channel in "DE":
        return made + struct.pack("<Q", sink)
    made += struct.pack("<Q", address)
    if channel == "C":
        return made
    packed = sum(int(bit) << i for i, bit in enumerate(mask)).to_bytes((len(mask) + 7) // 8, "little")
    return made + struct.pack("<H", len(mask)) + packed


def transaction_header(*clocks, protocol=1):
    return [b"\1STF", struct.pack("<BII", 2, 1, 6), info(12, "made by stf.py"), struct.pack("<BQ", 7, 0), struct.pack("<BB", 11, protocol),
            *(clock(i + 1, name) for i, name in enumerate(clocks)), b"\x13"]


def transactions():
    """Each message that TileLink defines, and the ways in which a mask selects bytes."""
    block, lanes = bytes(range(64)), bytes(range(0xA0, 0xA8))
    return transaction_header("core") + [
        transaction(1, 5, "A", 4, 0, 6, 7, 0x80000040, mask="1" * 64),  # Get
        transaction(2, 3, "D", 1, 0, 6, 7, data=block, sink=0),  # AccessAckData
        comment("a comment"),
        dependence(1, 2), dependence(2, 0), transaction(3, 1, "A", 0, 0, 6, 8, 0x80000080, block, "1" * 64),  # PutFullData
        transaction(4, 0, "A", 0, 0, 2, 9, 0x80000104, lanes, "00001111"),  # of a bus that is wider
        transaction(5, 2, "A", 1, 0, 3, 9, 0x80000108, lanes, "01110000"),  # PutPartialData
        transaction(6, 2, "A", 1, 0, 3, 9, 0x80000110, lanes, "10010000"),  # with bytes between
        transaction(7, 2, "A", 1, 0, 2, 9, 0x80000114, lanes[:4], "0110"),  # of a narrow bus
        transaction(8, 2, "A", 1, 0, 3, 9, 0x80000118, lanes, "00000000"),  # no byte
        transaction(9, 2, "A", 1, 0, 4, 9, 0x80000120, block[:16], "0" + "1" * 15),  # more than eight lanes
        transaction(10, 2, "A", 0, 0, 6, 9, 0x80000140, lanes, "1" * 8),  # one beat of several
        transaction(11, 2, "A", 0, 0, 2, 9, 0x80000184, lanes[:4], "00001111"),  # the data alone
        transaction(12, 1, "A", 2, 4, 3, 10, 0x80000188, lanes, "1" * 8),  # ArithmeticData
        dependence(12, 1), transaction(13, 1, "A", 3, 0, 3, 10, 0x80000190, lanes, "1" * 8),  # LogicalData
        transaction(14, 1, "A", 5, 1, 6, 10, 0x800001C0, mask="1" * 64),  # Intent
        transaction(15, 1, "A", 6, 0, 6, 0xFFFFFFFFFFFFFFFF, 0x80000200, mask="1" * 64),  # AcquireBlock, to read
        transaction(16, 1, "A", 6, 1, 6, 11, 0x80000240, mask="1" * 64),  # to write
        transaction(17, 1, "A", 7, 2, 6, 11, 0x80000280),  # AcquirePerm
        transaction(18, 1, "B", 6, 2, 6, 12, 0x80000240, mask="1" * 64),  # ProbeBlock
        transaction(19, 1, "B", 4, 0, 3, 12, 0x80000248, mask="1" * 8),  # Get
        transaction(20, 1, "C", 5, 1, 6, 12, 0x80000240, block),  # ProbeAckData
        transaction(21, 1, "C", 6, 1, 6, 12, 0x80000280),  # Release
        transaction(22, 1, "C", 7, 1, 4, 12, 0x800002C0, block[:16], metadata=(("B", 1), ("H", 2), ("I", 3), ("Q", 4))),  # ReleaseData
        transaction(23, 1, "D", 4, 1, 6, 11, sink=3),  # Grant
        transaction(24, 1, "D", 5, 1, 6, 11, data=block, sink=3),  # GrantData
        transaction(25, 1, "E", sink=3),  # GrantAck
        transaction(26, 1, "D", 9, 1, 6, 11, sink=3),  # not defined
        transaction(27, 1, "A", 4, 0, 16, 7, 0x80010000)]  # 65536 bytes


def two_clocks():
    return transaction_header("core", "bus") + [
        transaction(1, 5, "A", 4, 0, 3, 7, 0x80000040, mask="1" * 8),
        dependence(1, 4, clock=2), transaction(2, 3, "A", 4, 0, 3, 7, 0x80000048, mask="1" * 8, clock=2)]


def another_protocol():
    """Of which the bytes could be instructions."""
    return transaction_header("core", protocol=2) + [struct.pack("<BQQBH", 250, 1, 5, 1, 0), opcode(0x0001) * 20]


def upstream(lines):
    """The records of a dump, of which a line is a record."""
    yield b"\1STF"
    in_header = True
    for line in lines[1:]:
        word = line.split(" ")
        if word[0] == "VERSION":
            yield struct.pack("<BII", 2, *map(int, word[1].split(".")))
        elif word[0] == "COMMENT":
            yield comment(line[len("COMMENT "):])
        elif word[0] in ("ISA", "INST_IEM"):
            yield struct.pack("<BH", 4, 1) if word[0] == "ISA" else struct.pack("<BH", 5, 2)
        elif word[0] == "TRACE_INFO":
            yield info(0, " ".join(word[3:]))
        elif word[0] == "TRACE_INFO_FEATURE":
            yield struct.pack("<BQ", 7, int(word[1], 16))
        elif word[0] == "FORCE_PC":
            yield force(int(word[1], 16))
        else:
            if in_header:
                yield b"\x13"
            in_header = False
            if word[0] == "INST_REG":
                name = word[2][len("REG_"):]
                number, kind = ((CSRS[name[4:]], CSR) if name.startswith("CSR_") else (int(name[1:]), FLOAT) if name[0] == "F" else
                                (int(name), INTEGER))
                yield register(number, kind, {"STATE": STATE, "SOURCE": SOURCE, "DEST": DESTINATION}[word[1]], int(word[3], 16))
            elif word[0] == "INST_PC_TARGET":
                yield target(int(word[1], 16))
            elif word[0] == "INST_MEM_ACCESS":
                yield access(int(word[2], 16), int(word[4]), word[1] == "WRITE", attributes=int(word[3], 16))
            elif word[0] == "INST_MEM_CONTENT":
                yield struct.pack("<BQ", 61, int(word[1], 16))
            else:
                assert word[0].startswith("INST_OPCODE"), line
                yield opcode(int(word[1], 16))


def main():
    makers = {"all": everything, "events": events, "harts": harts, "vectors": vectors, "narrow": narrow,
              "transactions": transactions, "two_clocks": two_clocks, "another_protocol": another_protocol}
    if sys.argv[1] in makers:
        records = makers[sys.argv[1]]()
    else:
        records = upstream(lzma.open(sys.argv[3], "rt").read().splitlines())
    with open(sys.argv[2], "wb") as file:
        file.write(b"".join(records))


if __name__ == "__main__":
    main()

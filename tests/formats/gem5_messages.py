#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gem5_messages.py packets|insts|dependences FILE: make a trace of gem5 in Protocol Buffers by the published field numbers.
gem5_messages.py decode FILE: print the fields of a trace, message by message.
gem5_messages.py protoc packets|insts|dependences FILE: the same by `protoc --decode`, whose definitions are here."""
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

DEFINITIONS = """syntax = "proto2";
message PacketHeader { required string obj_id = 1; optional uint32 ver = 2; required uint64 tick_freq = 3; }
message Packet { required uint64 tick = 1; required uint32 cmd = 2; required uint64 addr = 3; required uint32 size = 4;
  optional uint32 flags = 5; optional uint64 pkt_id = 6; optional uint64 pc = 7; }
message InstHeader { optional string obj_id = 1; optional uint32 ver = 2; optional uint64 tick_freq = 3; optional bool has_mem = 4; }
message Inst { optional uint64 pc = 1; optional fixed32 inst = 2; optional uint32 nodeid = 3; optional uint32 cpuid = 4;
  optional fixed64 tick = 5; optional uint32 type = 6; optional uint32 inst_flags = 7;
  message MemAccess { optional uint64 addr = 1; optional uint32 size = 2; optional uint32 mem_flags = 3; }
  repeated MemAccess mem_access = 8; optional bytes inst_bytes = 9; }
message InstDepRecordHeader { required string obj_id = 1; optional uint32 ver = 2; required uint64 tick_freq = 3; required uint32 window_size = 4; }
message InstDepRecord { enum RecordType { INVALID = 0; LOAD = 1; STORE = 2; COMP = 3; }
  required uint64 seq_num = 1; required RecordType type = 2; optional uint64 p_addr = 3; optional uint32 size = 4; optional uint32 flags = 5;
  repeated uint64 rob_dep = 6; required uint64 comp_delay = 7; repeated uint64 reg_dep = 8; optional uint32 weight = 9; optional uint64 pc = 10;
  optional uint64 v_addr = 11; optional uint32 asid = 12; }
"""


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def fixed32(field, value):
    return varint(field << 3 | 5) + struct.pack("<I", value)


def fixed64(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def packet(tick, cmd, addr, size, flags=None, pkt_id=None, pc=None):
    more = [(5, flags), (6, pkt_id), (7, pc)]
    return b"".join(number(*field) for field in [(1, tick), (2, cmd), (3, addr), (4, size), *more] if field[1] is not None)


def inst(pc, code, tick, kind, accesses=(), cpu=0, flags=None):
    code = fixed32(2, code) if isinstance(code, int) else b""
    return (number(1, pc) + code + number(4, cpu) + fixed64(5, tick) + number(6, kind) +
            (number(7, flags) if flags is not None else b"") +
            b"".join(data(8, number(1, addr) + number(2, size) + number(3, how)) for addr, size, how in accesses))


def packets():
    header = data(1, b"system.monitor") + number(2, 0) + number(3, 10**12) + data(4, number(1, 3) + data(2, b"cpu.data"))
    return [header, packet(500, 1, 0x80001000, 64), packet(1000, 4, 0x80001040, 8, flags=0), packet(1500, 1, 0x1000, 4, flags=0x100, pc=0x1000),
            packet(2000, 6, 0x80002000, 64, pkt_id=3), packet(2500, 1, 0x80003000, 100000), number(2, 1) + number(3, 0x10) + number(4, 4) +
            number(1, 3000), packet(2**63, 4, 2**64 - 8, 8, flags=2**32 - 1, pkt_id=2**40, pc=2**63)]


def insts():
    header = data(1, b"gem5 generated instruction trace") + number(2, 0) + number(3, 10**12) + number(4, 1)
    return [header, inst(0x1000, 0x91000421, 500, 1), inst(0x1004, 0xF9400001, 1000, 30, [(0x8000, 8, 0)], cpu=1),
            inst(0x1008, 0xA9000001, 1500, 31, [(0x8010, 8, 3), (0x8018, 8, 3)], flags=7), number(1, 0x100C) + data(9, b"\x01\x00"),
            inst(0x1010, None, 2000, 47, [(0x8020, 70000, 0)]), number(1, 0x1014) + number(12, 5)]


def dependent(seq, kind, delay, *, memory=(), rob=(), reg=(), weight=None, pc=None, v_addr=None):
    fields = [(1, seq), (2, kind), *memory, *((6, one) for one in rob), (7, delay), *((8, one) for one in reg), (9, weight), (10, pc), (11, v_addr)]
    return b"".join(number(*field) for field in fields if field[1] is not None)


def dependences():
    header = data(1, b"system.cpu.traceListener") + number(2, 0) + number(3, 10**12) + number(4, 384)
    load, store, compute = 1, 2, 3
    return [header, dependent(1, compute, 0, pc=0x1000), dependent(3, load, 500, memory=[(3, 0x80001000), (4, 8), (5, 0)], rob=[1], reg=[1], weight=1,
                                                                   pc=0x1008, v_addr=0x7000),
            dependent(4, store, 1000, memory=[(3, 0x80002000), (4, 4)], rob=[1, 3], reg=[1, 3], pc=0x100C), dependent(9, compute, 0, weight=4),
            dependent(10, load, 7, memory=[(3, 0x10), (4, 70000)], pc=2**64 - 4) + number(12, 5),
            number(1, 11) + number(2, 3) + data(6, b"\x01\x03") + number(7, 1)]  # packed


def messages(content):
    assert content[:4] == b"gem5", content[:4]
    at = 4

    def take():
        nonlocal at
        value = shift = 0
        while True:
            byte = content[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(content):
        size = take()
        yield content[at:at + size]
        at += size


def fields(message):
    at, found = 0, []

    def take():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(message):
        tag = take()
        kind = tag & 7
        if kind == 0:
            found.append((tag >> 3, take()))
        elif kind == 2:
            size = take()
            found.append((tag >> 3, message[at:at + size]))
            at += size
        else:
            size = 8 if kind == 1 else 4
            found.append((tag >> 3, int.from_bytes(message[at:at + size], "little")))
            at += size
    return found


def protoc(kind, content):
    names = {"packets": ("PacketHeader", "Packet"), "insts": ("InstHeader", "Inst"),
             "dependences": ("InstDepRecordHeader", "InstDepRecord")}[kind]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "gem5.proto").write_text(DEFINITIONS)
        for n, message in enumerate(messages(content)):
            text = subprocess.run(["protoc", f"--decode={names[n > 0]}", "-I", folder, "gem5.proto"], input=message, check=True, stdout=subprocess.PIPE)
            print(" ".join(text.stdout.decode().split()))


def main():
    if sys.argv[1] == "decode":
        for message in messages(Path(sys.argv[2]).read_bytes()):
            print(*(f"{field}:{value.hex() if isinstance(value, bytes) else hex(value)}" for field, value in fields(message)))
    elif sys.argv[1] == "protoc":
        protoc(sys.argv[2], Path(sys.argv[3]).read_bytes())
    else:
        made = {"packets": packets, "insts": insts, "dependences": dependences}[sys.argv[1]]()
        Path(sys.argv[2]).write_bytes(b"gem5" + b"".join(varint(len(message)) + message for message in made))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""written.py SPOOR: what `convert` writes as CVP-1, CBP-2025, ChampSim, SBBT and BT9, read by the formats' documents.

A reader of the library cannot show that the writer exchanges what both exchange.  So the instructions are
made here, from a fixed seed, and the bytes are taken apart here: by the reader of the championship of value
prediction (cvp.h, CVPTraceReader), those of branch prediction of 2016 (bt9_reader.h) and 2025
(trace_reader.h), MBPlib's description of SBBT, ChampSim's inc/trace_instruction.h and the rules of its
inc/instruction.h.
"""
import random
import re
import struct
import subprocess
import sys
from collections import Counter

SPOOR = sys.argv[1]
ALU, LOAD, STORE, CONDITIONAL, DIRECT, INDIRECT, FLOAT, SLOW, UNDEFINED, CALL, INDIRECT_CALL, RETURN = range(12)
BRANCHES = (CONDITIONAL, DIRECT, INDIRECT, CALL, INDIRECT_CALL, RETURN)


def convert(source, target, data, lost=None):
    """The bytes that convert writes; with `lost`, how many records it says that it left out."""
    done = subprocess.run([SPOOR, "convert", "--lossy", "-f", source, "-t", target, "-"], input=data,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, f"{source} to {target}: exit {done.returncode}"
    if lost is not None:
        said = re.search(rb"(\d+) records? that the format cannot represent", done.stderr)
        said = int(said.group(1)) if said else 0
        assert said == lost, f"{source} to {target}: left out {said} records, expected {lost}: {done.stderr}"
    return done.stdout


# ---- CVP-1 and CBP-2025 ----

def cvp_pack(insn, newer):
    """An instruction as the dialect has it; `size` is that of all registers."""
    out = struct.pack("<QB", insn["pc"], insn["type"])
    if insn["type"] in (LOAD, STORE):
        size = insn["size"] if newer else insn["size"] // insn["registers"]
        out += struct.pack("<QB", insn["address"], size)
        if newer:
            out += bytes([insn["update"]] + ([insn["offset"]] if insn["type"] == STORE else []))
    if insn["type"] in BRANCHES:
        out += bytes([insn["taken"]]) + (struct.pack("<Q", insn["target"]) if insn["taken"] else b"")
    out += bytes([len(insn["in"])]) + bytes(insn["in"]) + bytes([len(insn["out"])]) + bytes(insn["out"])
    for register, value in zip(insn["out"], insn["values"]):
        out += value.to_bytes(16 if 32 <= register < 64 else 8, "little")
    return out


def cvp_unpack(data, newer):
    """The instructions of a file: (pc, type, address, size, taken, target, in, out, values)."""
    at, found = 0, []

    def take(layout):
        nonlocal at
        values = struct.unpack_from("<" + layout, data, at)
        at += struct.calcsize("<" + layout)
        return values if len(values) > 1 else values[0]

    while at < len(data):
        pc, kind = take("QB")
        address = size = taken = target = None
        if kind in (LOAD, STORE):
            address, size = take("QB")
            at += newer + (newer and kind == STORE)
        if kind in BRANCHES:
            taken = take("B")
            target = take("Q") if taken else None
        inputs = [take("B") for _ in range(take("B"))]
        outputs = [take("B") for _ in range(take("B"))]
        values = []
        for register in outputs:
            length = 16 if 32 <= register < 64 else 8
            values.append(int.from_bytes(data[at:at + length], "little"))
            at += length
        found.append((pc, kind, address, size, taken, target, inputs, outputs, values))
    return found


def cvp_program(newer, count):
    """Instructions that both dialects can express, but for the types of calls and returns."""
    dice, made, pc = random.Random(47), [], 0x400000
    types = [ALU, LOAD, STORE, CONDITIONAL, DIRECT, INDIRECT, FLOAT, SLOW] + (
        [CALL, INDIRECT_CALL, RETURN] if newer else [])
    for number in range(count):
        kind = types[number % len(types)]
        insn = {"pc": pc, "type": kind, "registers": 1, "update": 0, "offset": 0, "out": [], "values": [],
                "in": dice.sample([*range(30), 31, *range(32, 65)], dice.randrange(4))}
        if kind == LOAD:
            insn["registers"] = dice.choice((1, 2))
            insn["out"] = dice.sample([n for n in range(64) if n not in insn["in"] and n != 30], insn["registers"])
        elif kind not in BRANCHES and kind != STORE:
            insn["out"] = dice.sample([n for n in range(65) if n != 30], dice.randrange(1, 4))
        elif kind in (CALL, INDIRECT_CALL) or kind in (DIRECT, INDIRECT) and not newer and dice.random() < 0.3:
            insn["out"] = [30]
        elif kind == RETURN or kind == INDIRECT and not newer and dice.random() < 0.3:
            insn["in"] = [30]
        insn["values"] = [dice.getrandbits(128 if 32 <= n < 64 else 64) for n in insn["out"]]
        insn["address"] = dice.getrandbits(47)
        insn["size"] = insn["registers"] * dice.choice((1, 2, 4, 8))
        insn["taken"] = int(kind != CONDITIONAL or dice.random() < 0.5)
        insn["target"] = 4 * dice.getrandbits(30)
        made.append(insn)
        pc = insn["target"] if kind in BRANCHES and insn["taken"] else pc + 4
    return made


def cvp_type(insn, newer):
    """The type of an instruction in the other dialect."""
    kind, writes_link = insn["type"], insn["out"] == [30]
    if not newer:
        return {CALL: DIRECT, INDIRECT_CALL: INDIRECT, RETURN: INDIRECT}.get(kind, kind)
    if writes_link:
        return {DIRECT: CALL, INDIRECT: INDIRECT_CALL}.get(kind, kind)
    return RETURN if kind == INDIRECT and insn["in"] == [30] and not insn["out"] else kind


def cvp_becomes(source, target):
    made = cvp_program(source == "cbp2025", 3000)
    newer = target == "cbp2025"
    data = convert(source, target, b"".join(cvp_pack(insn, not newer) for insn in made))
    found = cvp_unpack(data, newer)
    assert len(found) == len(made), f"{len(found)} of {len(made)} instructions"
    for insn, other in zip(made, found):
        kind = cvp_type(insn, newer)
        access, branch = kind in (LOAD, STORE), kind in BRANCHES
        size = insn["size"] if newer or kind == STORE else insn["size"] // insn["registers"]
        expected = (insn["pc"], kind, insn["address"] if access else None, size if access else None,
                    insn["taken"] if branch else None, insn["target"] if branch and insn["taken"] else None,
                    insn["in"], insn["out"], insn["values"])
        assert other == expected, f"{other}, expected {expected}"


def cvp_of_instructions():
    """A load, a store, a sum of vectors: their types, addresses, sizes, registers and values."""
    log = """1 clk IT (1) 00001000 f9400041 O EL1h_n : LDR      x1,[x2]
1 clk MR8 00008000 0123456789abcdef
1 clk R X1 0123456789abcdef
2 clk IT (2) 00001004 b9000462 O EL1h_n : STR      w2,[x3,#4]
2 clk MW4 00009004 89abcdef
3 clk IT (3) 00001008 4ea28420 O EL1h_n : ADD      v0.4s,v1.4s,v2.4s
3 clk R V0 00000004_00000003_00000002_00000001
"""
    for target in ("cvp1", "cbp2025"):
        found = cvp_unpack(convert("tarmac", target, log.encode()), target == "cbp2025")
        assert found == [
            (0x1000, LOAD, 0x8000, 8, None, None, [], [1], [0x0123456789abcdef]),
            (0x1004, STORE, 0x9004, 4, None, None, [], [], []),
            (0x1008, ALU, None, None, None, None, [], [32], [0x00000004000000030000000200000001]),
        ], found


def cvp_has_so_many_outputs():
    """Of 18 registers that an instruction writes, 16 fit; a value of 256 bits does not."""
    log = "1 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n" + "".join(
        f"1 clk R X{number} {number:016x}\n" for number in range(18))
    log += "2 clk IT (2) 00001004 d503201f O EL1h_n : NOP\n2 clk R V1 " + 64 * "1" + "\n2 clk R X2 0000000000000003\n"
    for target in ("cvp1", "cbp2025"):
        found = cvp_unpack(convert("tarmac", target, log.encode(), 3), target == "cbp2025")
        assert [insn[7:] for insn in found] == [([*range(16)], [*range(16)]), ([2], [3])], found


# ---- ChampSim ----

SHAPES = {"champsim": (2, 64), "champsim72": (2, 72), "cloudsuite": (4, 96)}  # registers written, bytes


def champsim_unpack(shape, data):
    """(pc, is branch, taken, registers written, read, addresses stored to, loaded from); 0 is none."""
    writes, size = SHAPES[shape]
    assert len(data) % size == 0, f"{len(data)} bytes"
    found = []
    for at in range(0, len(data), size):
        pc, branch, taken = struct.unpack_from("<QBB", data, at)
        written, read = data[at + 10:at + 10 + writes], data[at + 10 + writes:at + 14 + writes]
        addresses = (at + 14 + writes + 7) // 8 * 8
        stored = struct.unpack_from(f"<{writes}Q", data, addresses)
        loaded = struct.unpack_from("<4Q", data, addresses + 8 * writes)
        found.append((pc, branch, taken, *([n for n in some if n] for some in (written, read, stored, loaded))))
    return found


def champsim_type(written, read):
    """The type that ChampSim's reader deduces from registers 6, 25 and 26 and others."""
    stack, flags, pc = 6 in read, 25 in read, 26 in read
    other = any(n not in (6, 25, 26) for n in read)
    writes_stack = 6 in written
    if 26 not in written:
        return None
    if not stack and not flags and not other:
        return "jump"
    if not stack and not flags and other and not pc:
        return "indirect"
    if not stack and pc and not writes_stack and (flags or other):
        return "conditional"
    if stack and pc and writes_stack and not flags and not other:
        return "call"
    if stack and pc and writes_stack and not flags and other:
        return "indirect-call"
    if stack and not pc and writes_stack:
        return "return"
    return "other"


def champsim_becomes(target):
    """Instructions with any slots in use; of another shape, the first ones are."""
    dice, made, data = random.Random(470), [], b""
    for number in range(2000):
        def slots(count, make):
            return [make() if dice.random() < 0.5 else 0 for _ in range(count)]
        is_branch = number % 4 == 0
        written = [26, 0] if is_branch else slots(2, lambda: dice.choice((6, 25, *range(27, 256))))
        read = dice.choice(([26], [26, 7], [26, 25], [7])) if is_branch else slots(4, lambda: dice.randrange(1, 256))
        read += [0] * (4 - len(read))
        stored = slots(2, lambda: dice.getrandbits(47) + 1)
        loaded = slots(4, lambda: dice.getrandbits(47) + 1)
        kind = champsim_type([n for n in written if n], [n for n in read if n])
        taken = int(kind is not None and (kind != "conditional" or dice.random() < 0.5))
        pc = 0x400000 + 4 * number
        data += struct.pack("<QBB", pc, int(kind is not None), taken) + bytes(written + read) + struct.pack(
            "<6Q", *stored, *loaded)
        made.append((pc, int(kind is not None), taken,
                     *([n for n in some if n] for some in (written, read, stored, loaded))))
    assert champsim_unpack("champsim", data) == made
    found = champsim_unpack(target, convert("champsim", target, data, 0))
    assert len(found) == len(made), f"{len(found)} of {len(made)} instructions"
    for expected, other in zip(made, found):
        assert other == expected, f"{other}, expected {expected}"


def champsim_of_micro_ops():
    """Pin's numbers of x86's general registers in the order of their encoding; macro-ops become instructions."""
    pin = [10, 9, 8, 7, 6, 5, 4, 3, 11, 12, 13, 14, 15, 16, 17, 18]
    lines, expected = [], []
    for number in range(16):
        pc, address = 0x1000 + 4 * number, 0x8000 + 64 * number
        one, other = number, (number + 5) % 16
        lines += [f"1 {pc:x} {one} -1 44 - - L 0 {address:x} {pc + 4:x} 0 ADD_MEM LOAD",
                  f"2 {pc:x} 44 {other} {one} W - - 0 0 {pc + 4:x} 0 ADD_MEM ADD",
                  f"3 {pc:x} {one} {other} -1 - - S 0 {address + 8:x} {pc + 4:x} 0 ADD_MEM STORE"]
        expected.append((pc, 0, 0, [pin[one], 25], [pin[one], pin[other]], [address + 8], [address]))
    lines += ["1 2000 -1 -1 -1 R T - 0 0 2004 1000 JNE JMP_IMM", "1 1000 -1 -1 -1 R N - 0 0 1004 2000 JNE JMP_IMM",
              "1 1004 -1 -1 -1 - T - 0 0 1008 1000 JMP JMP_IMM", "1 1000 3 -1 -1 - T - 0 0 1008 1000 JMP JMP_REG"]
    expected += [(0x2000, 1, 1, [26], [26, 25], [], []), (0x1000, 1, 0, [26], [26, 25], [], []),
                 (0x1004, 1, 1, [26], [26], [], []), (0x1000, 1, 1, [26], [7], [], [])]
    found = champsim_unpack("champsim", convert("uop", "champsim", "".join(line + "\n" for line in lines).encode()))
    assert found == expected, [pair for pair in zip(found, expected) if pair[0] != pair[1]]
    types = [champsim_type(insn[3], insn[4]) for insn in found[-4:]]
    assert types == ["conditional", "conditional", "jump", "indirect"], types


def champsim_has_so_many_slots():
    """What a macro-op has beyond four sources, two results, four loads and two stores is left out and counted."""
    lines = []
    for step in range(1, 7):
        address = 0x8000 + 64 * step
        lines += [f"{2 * step - 1} 1000 {step + 6} -1 {step + 7} - - L 0 {address:x} 1004 0 MANY LOAD",
                  f"{2 * step} 1000 {step + 6} -1 -1 - - S 0 {address + 8:x} 1004 0 MANY STORE"]
    lines.append("1 1004 -1 -1 3 - - - 0 0 1008 0 MOV MOV")
    found = champsim_unpack("champsim", convert("uop", "champsim", "".join(line + "\n" for line in lines).encode(), 8))
    # sources rdi, r8 to r12 and results r8 to r13: what does not fit is named in each further micro-op
    assert found == [(0x1000, 0, 0, [11, 12], [3, 11, 12, 13], [0x8048, 0x8088], [0x8040, 0x8080, 0x80c0, 0x8100]),
                     (0x1004, 0, 0, [7], [], [], [])], found


# ---- SBBT and BT9 ----

TYPES = {1: ("JMP", "DIR", "CND"), 0: ("JMP", "DIR", "UCD"), 2: ("JMP", "IND", "UCD"), 3: ("JMP", "IND", "CND"),
         8: ("CALL", "DIR", "UCD"), 10: ("CALL", "IND", "UCD"), 6: ("RET", "IND", "UCD"), 9: ("CALL", "DIR", "CND")}


def branch_program(count):
    """(pc, target, type, taken, instructions since the branch before); the type is that of SBBT."""
    dice = random.Random(4747)
    sites = [(0x400000 + 4 * dice.randrange(1 << 20), kind, 4 * dice.getrandbits(30))
             for kind in TYPES for _ in range(9)]
    made = []
    for _ in range(count):
        pc, kind, target = dice.choice(sites)
        taken = int(not kind & 1 or dice.random() < 0.5)
        if kind & 2:
            target += 4 * dice.randrange(3)
        made.append((pc, target if taken else 0, kind, taken, dice.choice((1, 2, 3, 30))))
    return made


def sbbt_pack(branches):
    out = b"SBBT\n\1\0\0" + struct.pack("<QQ", sum(branch[4] for branch in branches), len(branches))
    for pc, target, kind, taken, gap in branches:
        out += struct.pack("<QQ", pc << 12 | taken << 11 | kind, target << 12 | gap)
    return out


def sbbt_unpack(data):
    assert data[:8] == b"SBBT\n\1\0\0", data[:8]
    words = struct.unpack(f"<{(len(data) - 24) // 8}Q", data[24:])
    found = [(one >> 12, other >> 12, one & 15, one >> 11 & 1, other & 0xfff)
             for one, other in zip(words[::2], words[1::2])]
    assert struct.unpack("<QQ", data[8:24]) == (sum(branch[4] for branch in found), len(found)), data[:24]
    return found


def bt9_unpack(text):
    """The branches of a BT9 trace, with the physical address of each (None: none); its counts are checked."""
    nodes, edges, sequence, header = {}, {}, [], {}
    for line in text.decode().split("\n"):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "NODE":
            nodes[int(words[1])] = words
        elif words[0] == "EDGE":
            edges[int(words[1])] = words
        elif words[0].isdigit():
            sequence.append(int(words[0]))
        elif words[0].endswith(":") and len(words) == 2:
            header[words[0]] = int(words[1])
    found, taken_counts, traversed = [], Counter(), Counter()
    gap = int(edges[sequence[0]][7]) + 1
    at = int(edges[sequence[0]][3])
    traversed[sequence[0]] += 1
    for number in sequence[1:]:
        _, _, source, destination, letter, target, _, count, *rest = edges[number]
        assert int(source) == at, f"edge {number} begins at {source}, not at {at}"
        node = nodes[at]
        kind = {value: key for key, value in TYPES.items()}[tuple(node[7].split("+"))]
        found.append((int(node[2], 16), int(target, 16) if letter == "T" else 0, kind, int(letter == "T"), gap))
        taken_counts[at, letter] += 1
        traversed[number] += 1
        at, gap = int(destination), int(count) + 1
    for number, node in nodes.items():
        if number:
            taken, not_taken = taken_counts[number, "T"], taken_counts[number, "N"]
            behavior = "AT" if not not_taken else "DYN" if taken else "ANT"
            assert node[8:] == ["behavior:", behavior, "taken_cnt:", str(taken), "not_taken_cnt:", str(not_taken)], node
    for number, edge in edges.items():
        assert int(edge[9]) == traversed[number], edge
    assert header["branch_instruction_count:"] == len(found), header
    assert header["total_instruction_count:"] == sum(branch[4] for branch in found), header
    return found, header, nodes, edges


def bt9_of_sbbt_and_back():
    made = branch_program(3000)
    text = convert("sbbt", "bt9", sbbt_pack(made), 0)
    found, header, nodes, edges = bt9_unpack(text)
    for expected, other in zip(made, found):
        assert other == expected, f"{other}, expected {expected}"
    assert len(found) == len(made) and header["has_physical_address:"] == 0, header
    assert all(node[3] == "-" for node in nodes.values()) and all(edge[6] == "-" for edge in edges.values())
    assert len({(node[2], node[7]) for node in nodes.values() if node[1] != "0"}) == len(nodes) - 1
    assert len({tuple(edge[2:6] + edge[7:8]) for edge in edges.values()}) == len(edges), "an edge twice"
    back = sbbt_unpack(convert("bt9", "sbbt", text, None))
    assert back == made, [pair for pair in zip(back, made) if pair[0] != pair[1]][:3]


def champsim_of_instructions():
    """Branches of AArch64 have the types that ChampSim deduces; accesses keep their addresses."""
    log = """1 clk IT (1) 00001000 f9400041 O EL1h_n : LDR      x1,[x2]
1 clk MR8 00008000 0123456789abcdef
2 clk IT (2) 00001004 b9000462 O EL1h_n : STR      w2,[x3,#4]
2 clk MW4 00009004 89abcdef
3 clk IT (3) 00001008 54000040 O EL1h_n : B.EQ     0x1010
4 clk IT (4) 0000100c 54000041 O EL1h_n : B.NE     0x1014
5 clk IT (5) 00001014 94000003 O EL1h_n : BL       0x1020
6 clk IT (6) 00001020 d63f0060 O EL1h_n : BLR      x3
7 clk IT (7) 00001040 d65f03c0 O EL1h_n : RET
8 clk IT (8) 00001024 d61f0080 O EL1h_n : BR       x4
9 clk IT (9) 00001080 17fffffc O EL1h_n : B        0x1070
10 clk IT (10) 00001070 eb02003f O EL1h_n : CMP      x1,x2
"""
    found = champsim_unpack("champsim", convert("tarmac", "champsim", log.encode()))
    seen = [(insn[0], champsim_type(insn[3], insn[4]), insn[1], insn[2]) for insn in found]
    assert seen == [(0x1000, None, 0, 0), (0x1004, None, 0, 0), (0x1008, "conditional", 1, 0),
                    (0x100c, "conditional", 1, 1), (0x1014, "call", 1, 1), (0x1020, "indirect-call", 1, 1),
                    (0x1040, "return", 1, 1), (0x1024, "indirect", 1, 1), (0x1080, "jump", 1, 1),
                    (0x1070, None, 0, 0)], seen
    assert (found[0][5], found[0][6]) == ([], [0x8000]) and (found[1][5], found[1][6]) == ([0x9004], []), found[:2]
    # x1 = [x2]; [x3] = w2; the flags of x1 - x2: each register has one number, and the flags are 25
    (load, base), (store, data), compare = (found[0][3], found[0][4]), (found[1][4], found[1][3]), found[9]
    assert len(load) == len(base) == 1 and len(store) == 2 and data == [] and base[0] in store, found[:2]
    assert compare[3] == [25] and sorted(compare[4]) == sorted(load + base), compare


TESTS = {
    "CVP-1 becomes CBP-2025, field by field": lambda: cvp_becomes("cvp1", "cbp2025"),
    "CBP-2025 becomes CVP-1, field by field": lambda: cvp_becomes("cbp2025", "cvp1"),
    "instructions of a log become CVP-1 and CBP-2025": cvp_of_instructions,
    "CVP-1 and CBP-2025 have so many outputs": cvp_has_so_many_outputs,
    "ChampSim keeps its slots": lambda: champsim_becomes("champsim"),
    "ChampSim becomes the layout with the types of loads": lambda: champsim_becomes("champsim72"),
    "ChampSim becomes CloudSuite's layout": lambda: champsim_becomes("cloudsuite"),
    "micro-ops become ChampSim's instructions": champsim_of_micro_ops,
    "ChampSim has so many slots": champsim_has_so_many_slots,
    "SBBT becomes BT9, with nodes, edges and counts, and SBBT again": bt9_of_sbbt_and_back,
    "instructions of a log become ChampSim's, with the types of branches": champsim_of_instructions,
}


def main():
    print(f"1..{len(TESTS)}")
    results = Counter()
    for number, (name, test) in enumerate(TESTS.items(), 1):
        try:
            test()
            print(f"ok {number} - {name}")
        except AssertionError as failure:
            results["failed"] += 1
            print(f"not ok {number} - {name}\n# {str(failure)[:2000]}")
    return 1 if results["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""written.py SPOOR EXAMPLES: `vcd` writes the same values as VCD and as FST.

The readers are GTKWave's fst2vcd and the program's own.  Traces of several formats and one that has more than a
section of FST holds.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SPOOR, EXAMPLES = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).absolute()
FOLDER = Path(tempfile.mkdtemp())


def run(*command, code=0, data=None):
    done = subprocess.run([str(word) for word in command], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, cwd=FOLDER)
    assert done.returncode == code, f"{command}: exit {done.returncode}: {done.stderr.decode()}"
    return done


def unescaped(text):
    names = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
    return re.sub(r"\\(?:([0-7]{3})|x([0-9A-Fa-f]{2})|(.))", lambda one: chr(int(one[1], 8)) if one[1] else
                  chr(int(one[2], 16)) if one[2] else names.get(one[3], one[3]), text)


def values(path):
    """{scope.name: (width, [(time, value) where it is another one])} of a VCD, its unit and its last time."""
    widths, places, path_of, found, last, time, unit = {}, {}, [], {}, {}, 0, None
    text = path.read_text(encoding="utf-8")
    head, changes = text.split("$enddefinitions", 1)
    for words in re.findall(r"\$(scope|var|upscope|timescale)\s+(.*?)\s*\$end", head, re.DOTALL):
        what, rest = words[0], words[1].split()
        if what == "scope":
            path_of.append(rest[1])
        elif what == "upscope":
            path_of.pop()
        elif what == "timescale":
            unit = "".join(rest)
        else:
            name = ".".join(path_of + [rest[3]])
            kind = 0 if rest[0] == "string" else int(rest[1])
            places.setdefault(rest[2], []).append(name)
            widths[name], found[name], last[name] = kind, [], ""
    final = 0
    for line in changes.splitlines()[1:]:
        if line.startswith("#"):
            time = final = int(line[1:])
            continue
        if not line or line[0] == "$":
            continue
        value, code = (line[0], line[1:]) if line[0] in "01xz" else (line[1:].split(" ")[0], line.split(" ")[1])
        for name in places[code]:
            width = widths[name]
            if width:
                value = (value[0] if value[0] in "xz" else "0") * (width - len(value)) + value
            else:
                value = unescaped(value)
            if value == last[name]:
                continue
            if found[name] and found[name][-1][0] == time:  # the last value of a time is the one
                found[name].pop()
            found[name].append((time, value))
            last[name] = value
    # a change that a later one of its time takes back is none
    for name, changes_of in found.items():
        kept = []
        for moment, value in changes_of:
            if not kept or kept[-1][1] != value:
                kept.append((moment, value))
        found[name] = (widths[name], kept)
    return found, unit, final


def demand_same_dumps(trace, *options):
    run(SPOOR, "vcd", *options, "-o", "a.vcd", trace)
    run(SPOOR, "vcd", *options, "-o", "a.fst", trace)
    run("fst2vcd", "a.fst", "-o", "b.vcd")
    wanted, unit, final = values(FOLDER / "a.vcd")
    found, found_unit, _ = values(FOLDER / "b.vcd")
    assert unit == found_unit, (unit, found_unit)
    assert wanted.keys() == found.keys(), wanted.keys() ^ found.keys()
    for name, (width, changes) in wanted.items():
        other_width, others = found[name]
        assert width == other_width, (trace, name, width, other_width)
        assert changes == others, (trace, name, next((a, b) for a, b in zip(changes + [None], others + [None]) if a != b))
    assert any(changes for _, changes in wanted.values()), trace
    header = struct.unpack(">QQ", (FOLDER / "a.fst").read_bytes()[9:25])
    assert header == (0, final), (header, final)
    version = (FOLDER / "a.fst").read_bytes()[74:202].split(b"\0")[0].decode()
    comment = re.search(r"\$comment(.*?)\$end", (FOLDER / "a.vcd").read_text(encoding="utf-8"), re.DOTALL)[1]
    assert version.split(". ", 1)[1] and " ".join(comment.split()).startswith(version.split(". ", 1)[1]), (version, comment)


def test_formats():
    for name in ("sort.tarmac.xz", "sort-aarch64.tarmac.xz", "sort.uop.xz", "sort.byu12.xz", "matmul-x86_64.uop.xz"):
        demand_same_dumps(EXAMPLES / name, "--records", "0:5000")


def test_options():
    demand_same_dumps(EXAMPLES / "sort.tarmac.xz", "--where", "kind = mem")
    demand_same_dumps(EXAMPLES / "sort.tarmac.xz", "--time-unit", "instructions", "--records", "0:2000")


def test_values():
    """Unknown digits, wide registers, texts with blanks and quotes, cpus, and times in another unit."""
    lines = []
    for i in range(60):
        unknown = "-" if i % 3 == 0 else f"{i % 16:x}"
        lines += [f"{10 + i // 2} ns cpu{i % 2} IT ({i}) {0x1000 + 4 * i:08x} f9400020 O EL1h_n : LDR      x0,[x1] \"'\\",
                  f"{10 + i // 2} ns cpu{i % 2} R X{i % 5} 00000000000000{unknown}{i % 16:x}",
                  f"{10 + i // 2} ns cpu{i % 2} R V1 0123456789abcdef{i:016x}"]
        if i % 4 == 0:
            lines += [f"{10 + i // 2} ns cpu{i % 2} MR8 00008000 11111111_{i:08x}"]
    (FOLDER / "t.tarmac").write_text("\n".join(lines) + "\n", encoding="ascii")
    demand_same_dumps("t.tarmac")
    assert "x" in "".join(value for _, value in values(FOLDER / "b.vcd")[0]["cpu0.x0"][1][1:]), "unknown digits"


def long_trace():
    """An instruction that is executed after each that is not: the variable `executed` is a clock."""
    with open(FOLDER / "long.tarmac", "w", encoding="ascii") as out:
        for i in range(80000):
            out.write(f"{10 + i} ns cpu0 I{'T' if i % 2 else 'S'} ({i}) {0x1000 + 4 * (i * 7 % 4093):08x} "
                      f"{0x91000000 + i % 65536:08x} A svc_n : ADD r{i % 13},r1,#{i}\n"
                      f"{10 + i} ns cpu0 R r{i % 13} {i * 2654435761 % 2 ** 32:08x}\n")


def test_sections():
    long_trace()
    demand_same_dumps("long.tarmac")
    data, at, sections = (FOLDER / "a.fst").read_bytes(), 0, []
    while at < len(data):
        sections.append(data[at])
        if data[at] == 8 and sections.count(8) == 2:  # it begins with the values before it, which a reader uses that begins there
            begin, frame = struct.unpack(">Q", data[at + 9:at + 17])[0], at + 33
            while data[frame] >= 0x80:
                frame += 1
            frame += 1
            while data[frame] >= 0x80:
                frame += 1
            frame += 2
            before = "".join([value for time, value in changes if time < begin][-1]
                             for width, changes in values(FOLDER / "a.vcd")[0].values() if width)
            assert data[frame:frame + len(before)] == before.encode(), "the frame of the second section"
        at += 1 + struct.unpack(">Q", data[at + 1:at + 9])[0]
    assert sections[0] == 0 and sections[-2:] == [3, 6] and sections.count(8) == len(sections) - 3 > 1, sections
    assert struct.unpack(">Q", data[65:73])[0] == sections.count(8)


def test_own_reader():
    """Sampled by a mapping, both say the same, and what the trace says."""
    long_trace()
    (FOLDER / "own.spoor-format").write_text("isa aarch64\nclock = executed\nwhen = 1 == 1\npc = pc\ninsn = opcode\n", encoding="ascii")
    for name in ("a.vcd", "a.fst"):
        run(SPOOR, "vcd", "-o", name, "long.tarmac")
        lines = run(SPOOR, "print", "-f", "own.spoor-format", name).stdout.decode().splitlines()[1:]
        # before it rises: the instruction that was not executed
        assert len(lines) == 40000, len(lines)
        for i, line in enumerate(lines):
            k = 2 * i
            assert line == (f"{1000 * (11 + k)} ps pc {0x1000 + 4 * (k * 7 % 4093):016x} op {0x91000000 + k % 65536:08x}"), (i, line)


def test_usage():
    run(SPOOR, "vcd", "--like", "ttu", "-t", "fst", EXAMPLES / "sort.tarmac.xz", code=2)
    whole = run(SPOOR, "vcd", "-t", "fst", EXAMPLES / "sort.tarmac.xz").stdout  # standard output is no file to seek in
    run(SPOOR, "vcd", "-o", "a.fst", EXAMPLES / "sort.tarmac.xz")
    assert whole == (FOLDER / "a.fst").read_bytes()
    assert run(SPOOR, "vcd", "-t", "vcd", "-o", "c.fst", EXAMPLES / "sort.tarmac.xz").stdout == b""
    assert (FOLDER / "c.fst").read_bytes().startswith(b"$version")


TESTS = [one for name, one in list(globals().items()) if name.startswith("test_")]
FAILED = 0
print(f"1..{len(TESTS)}")
for number, test in enumerate(TESTS, 1):
    if not shutil.which("fst2vcd") and test not in (test_own_reader, test_usage):
        print(f"ok {number} - {test.__name__[5:]} # SKIP no fst2vcd (GTKWave)")
        continue
    try:
        test()
        print(f"ok {number} - {test.__name__[5:]}", flush=True)
    except AssertionError as error:
        FAILED = 1
        print(f"not ok {number} - {test.__name__[5:]}\n# " + str(error).replace("\n", "\n# "), flush=True)
shutil.rmtree(FOLDER)
sys.exit(FAILED)

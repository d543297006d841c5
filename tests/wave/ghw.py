#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ghw.py SPOOR: signals of a waveform of GHDL have the values that shapes.vhd gives them.

What is expected follows from the source.  Where GHDL is there, it runs the source again: its VCD says the same of the
signals that a VCD can have.
"""
import json
import random
import shutil
import subprocess
from pathlib import Path

import waves
from waves import FOLDER, SPOOR, demand_same, printed, store

HERE = Path(__file__).parent
MAPPING = "clock = clk\nscope = t\nwhen = not clk\npc = c\ninsn ?= bv\norder ?= i\nmem.addr = q1\nmem.read.mask = bv\nmem.read.data = c\n"


def test_values():
    (FOLDER / "shapes.spoor-format").write_text(MAPPING)
    signals = {"c": "t.c", "b": "t.b", "bt": "t.bt", "i": "t.i", "state": "t.state", "valid": "t.r.valid", "count": "t.r.pc[31:8]",
               "known": "t.r.pc[5:2]", "unknown": "t.r.pc[1]", "m0": "m[0]", "m1": "m[1]", "n": "rs[1].n", "bv": "t.bv",
               "bit0": "t.bv[0]", "up": "t.s2.up", "part": "g(1).s.a", "tm": "t.tm"}
    columns = ", ".join(f"signal('{path}', time) as {name}" for name, path in signals.items())
    done = subprocess.run([SPOOR, "sql", "--json", "-f", "shapes.spoor-format", str(HERE / "shapes.ghw"),
                           f"select time, {columns} from insn"], cwd=FOLDER, stdout=subprocess.PIPE, check=True)
    rows = json.loads(done.stdout)
    assert len(rows) == 10, f"{len(rows)} edges"
    for edge, row in enumerate(rows):
        later = edge > 0
        expected = {"time": (5 + 10 * edge) * 10**6, "c": edge, "b": edge & 1, "bt": 1, "i": 3 + edge, "state": int(later),
                    "valid": (edge - 1 & 1) if later else 0, "count": edge - 1 if later else None,
                    "known": 0b1001 if later else None, "unknown": None, "m0": 0x12, "m1": edge - 1 if later else 0x34,
                    "n": 2**32 - 3 if later else 2**31, "bv": 0b1010, "bit0": 1, "up": 1,
                    "part": edge - 1 if later else 0x34, "tm": (3 + edge) * 10**6}
        for name, value in expected.items():
            found = row.get(name)
            if isinstance(found, str):
                found = int(found, 0)
            assert found == value, f"edge {edge}: {name} is {found}, not {value}"


def test_pipe():
    (FOLDER / "shapes.spoor-format").write_text(MAPPING)
    done = subprocess.run([SPOOR, "info", "--json", "-f", "shapes.spoor-format", "-"], cwd=FOLDER, check=True, stdout=subprocess.PIPE,
                          input=(HERE / "shapes.ghw").read_bytes())
    about = json.loads(done.stdout)
    assert (about["compression"], about["waveform"], about["ops"]["insn"]["taken"]) == ("none", "ghw", 10), about


def test_again():
    if not shutil.which("ghdl"):
        return "no ghdl"
    (FOLDER / "shapes.spoor-format").write_text(MAPPING)
    shutil.copy(HERE / "shapes.vhd", FOLDER)
    for words in (["-a", "--std=08", "shapes.vhd"], ["-e", "--std=08", "t"], ["-r", "--std=08", "t", "--wave=again.ghw"],
                  ["-r", "--std=08", "t", "--vcd=again.vcd"]):
        subprocess.run(["ghdl", *words, *(["--stop-time=120ns"] if words[0] == "-r" else [])], cwd=FOLDER, check=True,
                       stdout=subprocess.DEVNULL)
    lines = printed("-f", "shapes.spoor-format", "again.ghw")
    assert len(lines) == 10
    demand_same(lines, printed("-f", "shapes.spoor-format", "again.vcd"), "VCD")
    demand_same(lines, printed("-f", "shapes.spoor-format", HERE / "shapes.ghw"), "the shipped one")
    return None


def test_damage():
    """Whatever is cut off or changed is reported, and the instructions before it are read."""
    data = (HERE / "shapes.ghw").read_bytes()
    (FOLDER / "shapes.spoor-format").write_text(MAPPING)
    whole = printed("-f", "shapes.spoor-format", HERE / "shapes.ghw")
    for size in range(100, data.index(b"DIR\0"), 37):
        store("cut.ghw", data[:size])
        done = subprocess.run([SPOOR, "print", "-f", "shapes.spoor-format", "cut.ghw"], cwd=FOLDER, capture_output=True, check=False)
        assert done.returncode == 3, f"{size} bytes: exit {done.returncode}"
        lines = [line for line in done.stdout.decode().splitlines() if line[0] not in "#!"]
        assert lines == whole[:len(lines)], f"{size} bytes: {lines}"
    rng = random.Random(1)
    for _ in range(200):
        bad = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            bad[rng.randrange(16, len(bad))] = rng.randrange(256)
        store("bad.ghw", bad)
        done = subprocess.run([SPOOR, "info", "-f", "shapes.spoor-format", "bad.ghw"], cwd=FOLDER, capture_output=True, check=False)
        assert done.returncode in (0, 3), f"exit {done.returncode}: {done.stderr.decode()}"


waves.run([(name, test) for name, test in globals().items() if name.startswith("test_")])

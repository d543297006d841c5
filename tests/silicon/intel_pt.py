#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""intel_pt.py FOLDER NAMES [raw]: libipt's own tests against spoor.

FOLDER has NAME.pt (a stream), NAME.bin (code, at the address that tests.tsv states), NAME-ptxed.exp
(the instructions that it leads along).  Each stream of the list NAMES is wrapped in a perf.data, or
read as it is with --image; the addresses that spoor states must be those of the list.
"""
import json
import os
import re
import subprocess
import sys

from perf_file import AUX_RECORD, IP, TID, TIME, CPU, Attr, Recording  # noqa: F401

PT = 1
PMU = 8


def recording(stream, code, path, org):
    """A perf.data with the stream in two parts, of a thread that has the code mapped."""
    r = Recording([Attr(IP | TID | TIME | CPU, type=PMU, name="intel_pt//u")])
    r.auxtrace_info(PT, [PMU, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    r.comm("prog", 7, 7, exec=True)
    r.mmap2(path, 7, org, (len(code) + 4095) & ~4095, 0)
    r.itrace_start(7, 7, 1)
    half = len(stream) // 2 & ~7
    r.auxtrace(stream[:half], 0, 0, 7) if half else None
    r.auxtrace(stream[half:], half, 0, 7)
    return r.bytes()


def expected(path):
    """The addresses of a list; '?' marks those inside a transaction."""
    found = []
    for line in open(path):
        word = line.split()
        if word and word[0] == "?":
            word = word[1:]
        if word and re.fullmatch("[0-9a-f]+", word[0]):
            found.append(int(word[0], 16))
    return found


def main(folder, names, raw):
    orgs = {}
    for line in open(f"{folder}/tests.tsv"):
        word = line.rstrip("\n").split("\t")
        if word[0] != "test":
            orgs[word[0]] = int(word[1], 16)
    good = 0
    for name in open(names).read().split():
        stream, code = open(f"{folder}/{name}.pt", "rb").read(), open(f"{folder}/{name}.bin", "rb").read()
        path = os.path.abspath(f"{folder}/{name}.bin")
        command = ["spoor", "print", "--jsonl", "--where", "kind == insn"]
        if raw:
            command += ["-f", "intel-pt", "--image", f"{path}@{orgs[name]:#x}", f"{folder}/{name}.pt"]
        else:
            with open("perf.data", "wb") as file:
                file.write(recording(stream, code, path, orgs[name]))
            command += ["perf.data"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
        found = [int(json.loads(line)["pc"], 16) for line in run.stdout.splitlines()]
        if found == expected(f"{folder}/{name}-ptxed.exp"):
            good += 1
        else:
            print(name, [f"{pc:x}" for pc in found], [f"{pc:x}" for pc in expected(f"{folder}/{name}-ptxed.exp")], run.stderr[-300:])
    print(good, "equal")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "raw" in sys.argv[3:])

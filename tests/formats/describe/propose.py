#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""propose.py SPOOR: `spoor describe` on logs of $SPOOR_SHARED whose format a built-in reader knows: without
editing, the description that it proposes takes at least 99 % of the lines that state something, with the
same address and opcode of each instruction (or the same address of each access).  15 of 20 have to.
Prints TAP."""
import json
import os
import subprocess
import sys
import tempfile

LOGS = """
traces/compare/one-mismatch/model.log
traces/compare/trap-in-rtl-only/rtl.log
traces/wild/five-stage.spike.log.xz
traces/wild/ctb-random.spike.dump.xz
traces/wild/five-stage.core.csv.xz
traces/wild/five-stage.iss.csv.xz
traces/wild/riscv-dv-jump-stress.csv.xz
traces/riscv/sail/made-here-rv64-program.log
traces/riscv/sail/older-excerpt.log
traces/riscv/rvvi/traps-excerpt.rvvi
traces/riscv/rvvi/made-here-rv64-program.rvvi
traces/riscv/whisper/rv64-program.log
traces/riscv/whisper/rv64-program.csv
""".split()
EXAMPLES = ["sort.matcher.xz", "list.matcher.xz", "search.lackey.xz", "sort.din.xz"]
MADE = ["execlog", "cva6", "ibex"]  # of a Spike log
LEAST = 15


def by_line(spoor, form, path):
    """{line: what is stated of it}."""
    run = subprocess.run([spoor, "print", "--jsonl", "-q", "--limit", "6000", "-f", form, path], capture_output=True, check=False)
    lines = {}
    for text in run.stdout.decode("latin-1").splitlines():
        record = json.loads(text)
        if record["kind"] != "note":
            said = lines.setdefault(record["line"], {})
            for key in ("pc", "opcode", "addr"):
                said.setdefault(key, record.get(key))
    return lines


def is_right(spoor, path, folder):
    run = subprocess.run([spoor, "describe", path], capture_output=True, check=False)
    if run.returncode:
        return False, run.stderr.decode("latin-1")
    description = os.path.join(folder, "proposed.spoor-format")
    with open(description, "wb") as file:
        file.write(run.stdout)
    form = json.loads(subprocess.run([spoor, "info", "-q", "--json", path], capture_output=True, check=False).stdout)["format"]
    theirs, ours = by_line(spoor, form, path), by_line(spoor, description, path)
    last = min(max(theirs), max(ours, default=0))
    lines = [line for line in theirs if line <= last]
    keys = ("pc", "opcode") if any(said["pc"] for said in theirs.values()) else ("addr",)
    taken = sum(line in ours for line in lines) / max(len(lines), 1)
    stated = [(line, key) for line in lines for key in keys if theirs[line][key] is not None]
    same = sum(ours.get(line, {}).get(key) == theirs[line][key] for line, key in stated) / max(len(stated), 1)
    return taken >= 0.99 and same >= 0.99 and bool(lines), f"lines {taken:.3f}, {' and '.join(keys)} {same:.3f}"


def main(words):
    if len(words) != 2:
        sys.exit(__doc__)
    spoor, examples, shared = os.path.abspath(words[0]), words[1], os.environ.get("SPOOR_SHARED", "")
    if not os.path.isdir(shared + "/traces/wild"):
        print("1..1\nok 1 # SKIP there is no $SPOOR_SHARED")
        return 0
    right = count = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{shared}/{log}" for log in LOGS] + [f"{examples}/{name}" for name in EXAMPLES]
        for form in MADE:
            paths.append(os.path.join(folder, "made." + form))
            subprocess.run([spoor, "convert", "-q", "--lossy", "-t", form, "-o", paths[-1], f"{shared}/traces/wild/five-stage.spike.log.xz"],
                           check=True)
        for path in paths:
            good, what = is_right(spoor, path, folder)
            count += 1
            right += good
            print(f"# {'right' if good else 'not right'}: {os.path.basename(path)}: {what.strip()}", flush=True)
    print("1..1")
    print("ok" if right >= LEAST else "not ok", f"1 - {right} of {count} proposals are right")
    return right < LEAST


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

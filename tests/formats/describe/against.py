#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""against.py SPOOR: reads logs by descriptions and compares the records with those of two readers that
were written apart: the built-in one of the same format, and the prototype of the language, both on the
descriptions and traces of $SPOOR_SHARED.  Prints TAP."""
import glob
import json
import os
import subprocess
import sys
import tempfile

# Of the built-in readers' records, what their descriptions do not say: kept apart, each with its reason.
UNSAID = {
    "spike": lambda a, b: b["kind"] == "note" or a.get("op") == "comment",  # console text, "Executed N times"
    "lackey": lambda a, b: a.get("op") == "comment",
    "ibex": lambda a, b: True,  # bytes that were not accessed: "0x????0001"
    "sail": lambda a, b: a.get("op") == "comment" or b.get("op") == "comment",  # vectors
    "uop": lambda a, b: "unknown" in (a.get("op"), b.get("op")) or a.get("op") == "header",
    "din": lambda a, b: b.get("op") == "unknown",  # labels 3 and 4
}
LARGEST = 400000
FOLDERS = ("traces/compare", "traces/wild", "traces/riscv", "repro/wrong-answers/riscv", "repro/wrong-answers/architect")


def records(spoor, words, path):
    run = subprocess.run([spoor, "print", "--jsonl", "-q", *words, path], capture_output=True, check=False)
    return [json.loads(line) for line in run.stdout.decode("latin-1").splitlines()]


def number(value):
    """The prototype prints some numbers in another base."""
    for base in (10, 16):
        if isinstance(value, str):
            try:
                return int(value, base)
            except ValueError:
                pass
    return value


def plain(record):
    return {key: number(value) for key, value in record.items() if key not in ("line", "op")}


def against_builtin(spoor, shared):
    """Yields (what, number of records, those that differ)."""
    descriptions = {os.path.basename(path).split(".")[0]: path for path in glob.glob(shared + "/sketch/describe/descriptions/*")}
    for name in ("kanata", "rvvi", "matcher", "cis501-arm"):  # need a resolver, or say less
        descriptions.pop(name, None)
    for folder in FOLDERS:
        for path in sorted(glob.glob(f"{shared}/{folder}/**/*", recursive=True)):
            if not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
                continue
            run = subprocess.run([spoor, "info", "--json", "-q", path], capture_output=True, check=False)
            name = json.loads(run.stdout).get("format") if run.stdout else None
            if name not in descriptions:
                continue
            ours = records(spoor, ["-f", descriptions[name]], path)
            theirs = records(spoor, ["-f", name], path)
            unsaid = UNSAID.get(name, lambda a, b: False)
            differ = [(a, b) for a, b in zip(theirs, ours) if a != b and not unsaid(a, b)]
            count = len(theirs) == len(ours) or name == "ibex"
            yield f"{name}: {os.path.basename(path)}", len(theirs), differ or ([] if count else ["count"])


def against_prototype(spoor, shared):
    sketch = shared + "/sketch/describe"
    sys.path.insert(0, sketch)
    sys.dont_write_bytecode = True
    import prototype  # pylint: disable=import-outside-toplevel,import-error
    logs = [(path, path.replace(".spoor-format", ".log")) for path in glob.glob(sketch + "/examples/*.spoor-format")]
    for description in glob.glob(sketch + "/descriptions/*"):
        name = os.path.basename(description).split(".")[0]
        if name in ("kanata", "cis501-arm", "ncsu"):  # times that add up; branches without a type
            continue
        logs += [(description, log) for log in glob.glob(f"{sketch}/samples/{name}[.-]*") if name != "ncsu-cache" or "cache" in log]
    for description, log in sorted(logs):
        with open(log, "rb") as file:
            data = file.read()
        theirs = [json.loads(json.dumps(record)) for record in prototype.Log(prototype.load(description), data).records()]
        ours = records(spoor, ["-f", description], log)
        differ = [(a, b) for a, b in zip(theirs, ours) if plain(a) != plain(b)]
        same = len(ours) == len(theirs)
        with tempfile.TemporaryDirectory() as folder:
            packed = os.path.join(folder, "log.spoor")
            name = os.path.basename(description).split(".")[0]
            subprocess.run([spoor, "convert", "-q", "-f", description, "-o", packed, log], check=True)
            back = subprocess.run([spoor, "convert", "-q", "--format-file", description, "-t", name, packed],
                                  capture_output=True, check=False)
            if back.stdout != data:
                differ.append(("the bytes", f"{len(back.stdout)} of {len(data)}"))
        yield f"prototype: {os.path.basename(log)}", len(theirs), differ or ([] if same else ["count"])


def main(words):
    if len(words) != 1:
        sys.exit(__doc__)
    shared, spoor = os.environ.get("SPOOR_SHARED", ""), os.path.abspath(words[0])
    if not os.path.isdir(shared + "/sketch/describe"):
        print("1..1\nok 1 # SKIP there is no $SPOOR_SHARED")
        return 0
    count = failed = 0
    for source in (against_prototype, against_builtin):
        for what, all_records, differ in source(spoor, shared):
            count += 1
            failed += bool(differ)
            print("not ok" if differ else "ok", count, "-", what, all_records, "records", flush=True)
            for pair in differ[:2]:
                print("#", pair)
    print(f"1..{count}")
    return bool(failed) or count < 20


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

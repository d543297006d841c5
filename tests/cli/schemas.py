#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""schemas.py SPOOR ROOT: hold the JSON of every verb to its schema; prints TAP.

`spoor schema VERB` must be docs/schema/VERB.json, and every key and type of real results must be
described there.  Walking all verbs: each has a schema, or refuses --json, or is known to print JSON of
another kind; results begin with `trace`.  SPOOR_ACCEPT=1 adds what is missing to the files, as drafts
to be read.
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from schema_runs import FILES, OTHER_JSON, ROWS, RUNS, WITHOUT_JSON, WITHOUT_TRACE

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
NAMES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number",
         type(None): "null"}
# Objects whose keys are names of the trace.
MAPS = {"kinds", "ops", "counts", "fields", "description", "registers", "cpi_stack", "critical_path",
        "config", "swept", "by_opcode", "classes", "tolerances", "dialects", "sets", "accepted",
        "by_class", "sections"}


# Arrays whose members hold such arrays again: a definition of the schema describes them.
RECURSIVE = {"children", "callers"}


def types_of(schema):
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def problems(value, schema, where, defs):
    """Lines that state what of a value the schema does not describe."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].rsplit("/", 1)[1]]
    name = NAMES[type(value)]
    allowed = types_of(schema)
    if name not in allowed and not (name == "integer" and "number" in allowed):
        return [f"{where}: {name}, expected {'|'.join(allowed) or 'nothing'}"]
    found = []
    if name == "array":
        for item in value:
            found += problems(item, schema.get("items", {}), where + "[]", defs)
    if name == "object":
        described = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        for key, item in value.items():
            inner = described.get(key) or (rest if isinstance(rest, dict) else None)
            found += problems(item, inner, f"{where}.{key}", defs) if inner else [f"{where}.{key}: not described"]
        found += [f"{where}.{key}: missing" for key in schema.get("required", []) if key not in value]
    return found


def learn(value, schema, defs, key=None):
    """The schema, extended by what the value has."""
    if key in RECURSIVE:
        schema.update({"type": "array", "items": {"$ref": f"#/$defs/{key}"}})
        for item in value:
            learn(item, defs.setdefault(key, {}), defs)
        return schema
    name = NAMES[type(value)]
    kinds = [kind for kind in types_of(schema) if not (name == "number" and kind == "integer")]
    if name not in kinds and not (name == "integer" and "number" in kinds):
        kinds.append(name)
    schema["type"] = kinds[0] if len(kinds) == 1 else sorted(kinds)
    if name == "array":
        items = schema.setdefault("items", {})
        for item in value:
            learn(item, items, defs)
        if not items:
            del schema["items"]
    if name == "object" and key in MAPS:
        for item in value.values():
            learn(item, schema.setdefault("additionalProperties", {}), defs)
    elif name == "object":
        first = "properties" not in schema
        for inner, item in value.items():
            learn(item, schema.setdefault("properties", {}).setdefault(inner, {}), defs, inner)
        schema["required"] = [k for k in (value if first else schema.get("required", [])) if k in value]
        if not schema["required"]:
            del schema["required"]
    return schema


def run(verb, words, folder):
    command = [SPOOR, verb, "-q", "--json", *shlex.split(words.format(e=ROOT / "examples"))]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=120)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return f"{' '.join(command)}: no JSON, but: {done.stdout[:80]}{done.stderr[:200]}"


def all_verbs():
    names = subprocess.run([SPOOR, "help"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in names.split("Verbs:\n")[1].split("\n\n")[0].splitlines()
            if line.startswith("  ") and line[2] != " "]


def accepts_json(verb):
    done = subprocess.run([SPOOR, verb, "--json", "x"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=60)
    return done.returncode != 2 or "--json" not in done.stderr


def draft(verb, results):
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": f"the result of spoor {verb} --json, of one trace"}
    if verb in ROWS:
        schema["title"] = f"a row of the array that spoor {verb} --json prints"
    one, defs = {}, {}
    for result in results:
        for item in result if isinstance(result, list) else [result]:
            learn(item, one, defs, "fields" if verb in ROWS else None)
    return {**schema, **one, **({"$defs": defs} if defs else {})}


def check_verb(verb, folder):
    path = ROOT / "docs" / "schema" / f"{verb}.json"
    results = [run(verb, words, folder) for words in RUNS[verb]]
    failed = [result for result in results if isinstance(result, str)]
    if failed:
        return failed
    if os.environ.get("SPOOR_ACCEPT"):
        path.write_text(json.dumps(draft(verb, results), indent=1) + "\n")
    schema = json.loads(path.read_text())
    found = []
    for words, result in zip(RUNS[verb], results):
        for item in result if isinstance(result, list) else [result]:
            found += [f"spoor {verb} {words}: {line}" for line in problems(item, schema, verb, schema.get("$defs", {}))]
            if verb not in WITHOUT_TRACE and next(iter(item)) != "trace":
                found.append(f"spoor {verb} {words}: the first key is {next(iter(item))}, expected trace")
    printed = subprocess.run([SPOOR, "schema", verb], check=False, capture_output=True, text=True).stdout
    if printed != path.read_text():
        found.append(f"spoor schema {verb} prints another schema than {path}")
    return found


def main():
    verbs = all_verbs()
    print(f"1..{len(RUNS) + 1}")
    failed = 0
    missing = [verb for verb in verbs if verb not in RUNS and verb not in OTHER_JSON
               and (verb not in WITHOUT_JSON or accepts_json(verb))]
    print(f"{'not ok' if missing or len(verbs) < 30 else 'ok'} 1 - every verb has a schema, or no JSON",
          *missing)
    failed += bool(missing)
    with tempfile.TemporaryDirectory(prefix="spoor-schema-") as folder:
        for name, text in FILES.items():
            (Path(folder) / name).write_text(text)
        subprocess.run([SPOOR, "convert", "-q", "-o", "t.spoor", ROOT / "examples/sort.uop.xz"], check=True,
                       cwd=folder)
        for number, verb in enumerate(RUNS, 2):
            found = check_verb(verb, folder)
            failed += bool(found)
            print(f"{'not ok' if found else 'ok'} {number} - the results of {verb}")
            print("".join(f"# {line}\n" for line in found[:20]), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""schemas.py SPOOR ROOT: hold the JSON of every verb to its schema; prints TAP.

Every key and type of real results must be what `spoor help --schema VERB` describes, by a validator that shares
nothing with the program.  Walking all verbs: each has a schema, or refuses --json, or is known to print
JSON of another kind; results begin with `trace`.
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from built import fold_plugin
from schema_runs import FILES, OTHER_JSON, RUNS, WITHOUT_JSON, WITHOUT_TRACE

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
FORBIDDEN = {"unit", "unit_of_time", "percent", "share", "rate", "enter", "leave"}  # other words are in their place
NAMES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number",
         type(None): "null"}


def types_of(schema):
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def problems(value, schema, where, defs):
    """Lines that state what of a value the schema does not describe."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].rsplit("/", 1)[1]]
    name = NAMES[type(value)]
    allowed = types_of(schema)
    if allowed and name not in allowed and not (name == "integer" and "number" in allowed):
        return [f"{where}: {name}, expected {'|'.join(allowed)}"]
    found = []
    if name in ("integer", "number"):
        if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            found.append(f"{where}: {value}, out of its range")
    if name == "string" and not re.search(schema.get("pattern", ""), value):
        found.append(f"{where}: {value}, expected {schema['pattern']}")
    if name == "array":
        for item in value:
            found += problems(item, schema.get("items", {}), where + "[]", defs)
    if name == "object":
        described = schema.get("properties", {})
        rest = schema.get("additionalProperties")
        for key, item in value.items():
            inner = described.get(key, rest if isinstance(rest, dict) else None)
            if inner is None and described:
                found.append(f"{where}.{key}: not described")
            found += problems(item, inner or {}, f"{where}.{key}", defs)
        found += [f"{where}.{key}: missing" for key in schema.get("required", []) if key not in value]
    return found


def run(verb, words, folder):
    command = [SPOOR, verb, "-q", "--json", *shlex.split(words.format(e=ROOT / "examples", fold=fold_plugin(SPOOR)))]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=120)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return f"{' '.join(command)}: no JSON, but: {done.stdout[:80]}{done.stderr[:200]}"


def all_verbs():
    names = subprocess.run([SPOOR, "help", "--list", "verbs"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in names.splitlines()[1:]]


def accepts_json(verb):
    done = subprocess.run([SPOOR, verb, "--json", "x"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=60)
    return done.returncode != 2 or "--json" not in done.stderr


def mutations(item):
    """The object changed so that no schema describes it: a key that is unknown, one that lacks, one of another type."""
    yield {**item, "no_such_key": 1}
    for key in item:
        yield {other: value for other, value in item.items() if other != key}
        yield {**item, key: [[]] if not isinstance(item[key], list) else "text"}


def check_verb(verb, folder):
    printed = subprocess.run([SPOOR, "help", "--schema", verb], check=True, capture_output=True, text=True).stdout
    schema = json.loads(printed)
    results = [run(verb, words, folder) for words in RUNS[verb]]
    failed = [result for result in results if isinstance(result, str)]
    if failed:
        return failed
    found = []
    for words, result in zip(RUNS[verb], results):
        is_whole = schema["type"] == "array"  # otherwise the schema is that of one trace
        for item in [result] if is_whole or not isinstance(result, list) else result:
            whole = schema["items"] if is_whole else schema
            described = whole.get("properties", {})
            found += [f"spoor {verb} {words}: {line}" for line in problems(item, schema, verb, schema.get("$defs", {}))]
            for row in (item if is_whole else [item])[:1]:
                caught = [bool(problems(other, whole, verb, schema.get("$defs", {}))) for other in mutations(row)]
                wanted = [bool(described)] + [want for key in row for want in
                                              (key in whole.get("required", []), bool(types_of(described.get(key, {}))))]
                found += [f"spoor {verb} {words}: a mutation is not found"] * (caught != wanted)
            if verb not in WITHOUT_TRACE and next(iter(item)) != "trace":
                found.append(f"spoor {verb} {words}: the first key is {next(iter(item))}, expected trace")
            if verb not in WITHOUT_TRACE and "format" not in item and "error" not in item and "description" not in item:
                found.append(f"spoor {verb} {words}: no format")
    return found


def words_of_reports():
    """The keys that reports.def lists as members, and those of objects and arrays that it describes."""
    reports = (ROOT / "src/result/reports.def").read_text()
    structures, used = set(), set()
    for path, members in re.findall(r'^(?:OBJECT|ROWS)\(\w+, "([^"]*)", ((?:\s*"[^"]*")+)\)', reports, re.MULTILINE):
        structures |= set(path.split("."))
        used |= {re.split(r"[:=\[{?-]", word)[0] for text in re.findall(r'"([^"]*)"', members) for word in text.split()}
    return used - {"*"}, structures - {"", "*", "**"}


def check_vocabulary():
    """Each word that a report uses is in keys.def once, and each word there is used; shares are called so."""
    rows = re.findall(r"^(?:KEY|MERGED)\((\w+), (\w+),", (ROOT / "src/result/keys.def").read_text(), re.MULTILINE)
    keys = [key for key, _ in rows]
    used, structures = words_of_reports()
    return ([f"twice: {key}" for key in sorted(set(keys)) if keys.count(key) > 1] +
            [f"not in keys.def: {word}" for word in sorted(used - set(keys) - structures)] +
            [f"not used: {key}" for key in sorted(set(keys) - used)] +
            [f"a share not called _ratio: {key}" for key, kind in rows
             if (kind == "RATIO") > key.endswith("_ratio") or key.endswith("_ratio") > (kind in ("RATIO", "REAL"))] +
            [f"outside the vocabulary: {key}" for key in sorted(FORBIDDEN & (set(keys) | used))])


def check_page():
    """docs/vocabulary.md has each key once: those of keys.def with its type and meaning."""
    page, source = ROOT / "docs/vocabulary.md", (ROOT / "src/result/keys.def").read_text()
    tables = []
    for title, keys in re.findall(r"^/\* (.+) \*/\n((?:(?:KEY|MERGED).*\n|\n)+)", source, re.MULTILINE):
        rows = re.findall(r'^(?:KEY|MERGED)\((\w+), (\w+), (?:\w+, "[^"]*", )?"(.*)"\)$', keys, re.MULTILINE)
        tables.append(f"### {title[0].upper()}{title[1:]}\n\n| key | type | what |\n|---|---|---|\n" +
                      "".join(f"| `{key}` | {kind.lower()} | {meaning} |\n" for key, kind, meaning in rows))
    before, _, rest = page.read_text().partition("<!-- keys -->\n")
    old, _, structures = rest.partition("## Objects and arrays\n")
    new = "\n" + "\n".join(tables) + "\n"
    if os.environ.get("SPOOR_ACCEPT"):
        page.write_text(f"{before}<!-- keys -->\n{new}## Objects and arrays\n{structures}")
        old = new
    listed = re.findall(r"^\| `(\w+)` \|", structures, re.MULTILINE)
    known = set(re.findall(r"^(?:KEY|MERGED)\((\w+),", source, re.MULTILINE))
    wanted = sorted(set.union(*words_of_reports()) - known)
    return ([] if old == new else ["not the keys of keys.def: SPOOR_ACCEPT=1 writes them"]) + \
        [f"not listed once and in order: {word}" for word in sorted(set(listed) ^ set(wanted)) or
         ([] if listed == wanted else ["objects and arrays"])]


def main():
    verbs = all_verbs()
    print(f"1..{len(RUNS) + 3}")
    failed = 0
    missing = [verb for verb in verbs if verb not in RUNS and verb not in OTHER_JSON
               and (verb not in WITHOUT_JSON or accepts_json(verb))]
    print(f"{'not ok' if missing or len(verbs) < 30 else 'ok'} 1 - every verb has a schema, or no JSON",
          *missing)
    failed += bool(missing)
    found = check_vocabulary()
    failed += bool(found)
    print(f"{'not ok' if found else 'ok'} 2 - the words of results", *found)
    found = check_page()
    failed += bool(found)
    print(f"{'not ok' if found else 'ok'} 3 - their page", *found)
    with tempfile.TemporaryDirectory(prefix="spoor-schema-") as folder:
        for name, text in FILES.items():
            (Path(folder) / name).write_text(text)
        subprocess.run([SPOOR, "convert", "-q", "-o", "t.spoor", ROOT / "examples/sort.uop.xz"], check=True,
                       cwd=folder)
        for number, verb in enumerate(RUNS, 4):
            found = check_verb(verb, folder)
            failed += bool(found)
            print(f"{'not ok' if found else 'ok'} {number} - the results of {verb}")
            print("".join(f"# {line}\n" for line in found[:20]), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

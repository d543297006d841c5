#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stability.py SPOOR ROOT: what scripts and programs build on is what it was; prints TAP.

docs/promises.txt lists, as the last release had them, options, keys of JSON (which are the columns of CSV and Parquet),
columns of SQL, formats, exit codes, names in Python and functions of the library, each with its type.  The program may
have more.  What it lacks, or has with another type, must stand in backquotes in the section "Removed" or "Changed" of
what CHANGELOG.md says of the next release.  SPOOR_ACCEPT=1 writes the list anew, for a release: it is refused where the
version is still that of the list, unless none is released yet.
"""
import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
LIST, TRACE, LOG = ROOT / "docs/promises.txt", ROOT / "examples/search.uop.xz", ROOT / "examples/search.din.xz"
HEAD = "What scripts may build on, of version {} (stability.md); tests/cli/stability.py writes and checks it.\n"
COLUMNS = "select m.name as of, p.name as column from sqlite_master m, pragma_table_xinfo(m.name) p"


def output(*words):
    return subprocess.run([SPOOR, *words], check=True, capture_output=True, text=True).stdout


def options():
    for row in json.loads(output("help", "--list", "options", "--json")):
        yield f"option {row['of']}", row["name"], row.get("argument", "")
        if "letter" in row:
            yield f"option {row['of']}", "-" + row["letter"], row["name"]


def keys_of(path, schema, defs, seen=()):
    """Each key of the objects that a schema describes: (path of the object, key, type)."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if name in seen:
            return
        schema, seen = defs[name], (*seen, name)
    for key, inner in schema.get("properties", {}).items():
        shown = defs[inner["$ref"].rsplit("/", 1)[1]] if "$ref" in inner else inner
        kind = shown.get("type", "any")
        if re.match(r"\^0x", shown.get("pattern", "")):
            kind = "hex"
        yield path, key, kind if isinstance(kind, str) else "|".join(sorted(kind))
        yield from keys_of(f"{path}.{key}", inner, defs, seen)
    for inner in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            yield from keys_of(path, inner, defs, seen)


def keys():
    for verb in [row["name"] for row in json.loads(output("help", "--list", "verbs", "--json"))]:
        done = subprocess.run([SPOOR, "help", "--schema", verb], capture_output=True, text=True)
        if done.returncode == 0:  # others print no JSON, or that of another program
            schema = json.loads(done.stdout)
            for path, key, kind in keys_of(verb, schema, schema.get("$defs", {})):
                yield f"key {path}", key, kind


def columns():
    for row in json.loads(output("sql", "--json", str(TRACE), COLUMNS)):
        yield f"column {row['of']}", row["column"], ""


def formats():
    for row in json.loads(output("help", "--list", "formats", "--json")):
        yield "format", row["name"], "r" * row["reads"] + "w" * row["writes"]


def exit_codes():
    """Of a clean trace, of a difference, of a mistake in the command, of a trace that cannot be read."""
    runs = {"clean": ("check", TRACE), "found": ("diff", TRACE, LOG), "usage": ("check", "--no-such-option", TRACE),
            "input": ("check", ROOT / "no-such-trace.din")}
    for name, words in runs.items():
        done = subprocess.run([SPOOR, *map(str, words)], capture_output=True)
        yield "exit", name, str(done.returncode)


def python():
    def parameters(function):
        names = function.args
        given = [*names.posonlyargs, *names.args, *names.kwonlyargs]
        return ",".join(one.arg for one in given if one.arg != "self")

    for node in ast.parse((ROOT / "python/spoor/__init__.py").read_text()).body:
        name = getattr(node, "name", "_")
        if isinstance(node, ast.FunctionDef) and not name.startswith("_"):
            yield "python spoor", name, parameters(node)
        if isinstance(node, ast.ClassDef) and not name.startswith("_"):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                    yield f"python {name}", method.name, parameters(method)


def functions():
    for header in sorted((ROOT / "include/spoor").glob("*.h")):
        text = re.sub(r"/\*.*?\*/|//[^\n]*|^#.*?(?<!\\)$", "", header.read_text(), flags=re.DOTALL | re.MULTILINE)
        text = re.sub(r"\btypedef [^;]*;", "", text)
        for name in re.findall(r"\b(spoor_\w+)\([^;{]*\);", text):
            yield f"function {header.name}", name, ""


def collected():
    """{what it is of: {word: type}}"""
    found = {}
    for part in (options, keys, columns, formats, exit_codes, python, functions):
        for of, word, kind in part():
            found.setdefault(of, {})[word] = kind
    return found


def written(version, found):
    lines = [HEAD.format(version)]
    for of, words in sorted(found.items()):
        said = " ".join(f"{word}:{kind}" if kind else word for word, kind in sorted(words.items()))
        lines.append(f"{of}: {said}".replace("\n", " "))
    return "\n".join(lines) + "\n"


def read(text):
    found = {}
    for line in text.splitlines()[2:]:
        of, said = line.split(": ", 1)
        for word in said.split(" "):
            name, _, kind = word.partition(":")
            found.setdefault(of, {})[name] = kind
    return found


def excused():
    """Words in backquotes of the sections that say what is no longer so, before the next release."""
    log = (ROOT / "CHANGELOG.md").read_text()
    unreleased = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## \[|\Z)", log, re.DOTALL | re.MULTILINE).group(1)
    sections = re.findall(r"^### (?:Removed|Changed)\n(.*?)(?=^### |\Z)", unreleased, re.DOTALL | re.MULTILINE)
    return set(re.findall(r"`([^`]+)`", " ".join(sections)))


def main():
    version = re.search(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text()).group(1)
    found = {of: {word: kind.replace(" ", "_") for word, kind in words.items()} for of, words in collected().items()}
    released = re.findall(r"^## \[([\d.]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    text = LIST.read_text() if LIST.exists() else ""
    stored = re.search(r"of version ([\d.]+) ", text)
    if os.environ.get("SPOOR_ACCEPT"):
        if released and stored and stored.group(1) == version:
            sys.exit(f"stability: {LIST} is that of version {version}, which is this one")
        text = written(version, found)
        LIST.write_text(text)
    excuses, wrong = excused(), []
    for of, words in read(text).items():
        for word, kind in words.items():
            now = found.get(of, {}).get(word)
            if now != kind and word not in excuses:
                wrong.append(f"{of}: {word} was '{kind}', is " + ("not there" if now is None else f"'{now}'"))
    kinds = {of.split(" ")[0] for of in found}
    print("1..3")
    print(f"{'not ok' if wrong else 'ok'} 1 - the program has what the list promises")
    for line in wrong[:40]:
        print("#", line)
    enough = kinds == {"option", "key", "column", "format", "exit", "python", "function"} and len(found) > 300
    print(f"{'ok' if enough else 'not ok'} 2 - the list has options, keys, columns, formats, exit codes, Python and functions")
    # before the first release nothing is promised yet, and the list is the program's
    same = bool(released) or text == written(version, found)
    print(f"{'ok' if same else 'not ok'} 3 - before the first release the list is what the program has (SPOOR_ACCEPT=1 writes it)")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""texts.py ROOT: what texts.def lays out is what reports.def describes; prints TAP.

Each template is of an object or of rows that reports.def has, each of its keys is a member of them, of an object
around them, or one that ONLY declares, and each part that it names has a template or a shape.  Every template is
printed: by one that names it, or by a verb.  Mutations of the templates must be found.
"""
import ast
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
SHAPES = {"tree", "grid", "dump"}


def texts():
    """The (report, path, heading, line) of TEXT, and the members of ONLY by report and path."""
    source = ('#define TEXT(report, path, heading, line) @TEXT(#report, path, heading, line)@\n'
              '#define ONLY(report, path, members) @ONLY(#report, path, members)@\n#include "cli/texts.def"\n')
    words = [*os.environ.get("CC", "cc").split(), "-E", "-P", "-I", ROOT / "src", "-"]
    made = subprocess.run(words, input=source, capture_output=True, text=True, check=True).stdout
    found, only = [], {}
    for kind, values in re.findall(r"@(TEXT|ONLY)\((.*?)\)@", made, re.DOTALL):
        values = ast.literal_eval(f"({values})")
        if kind == "TEXT":
            found.append(values)
        else:
            only.setdefault(values[:2], set()).update(values[2].split())
    return found, only


def reports():
    """Of each report, the members of the object or rows at a path; None: of any key."""
    made = {}
    source = (ROOT / "src/result/reports.def").read_text()
    for report, path, members in re.findall(r'^(?:OBJECT|ROWS)\((\w+), "([^"]*)", ((?:\s*"[^"]*")+)\)', source, re.MULTILINE):
        words = " ".join(re.findall(r'"([^"]*)"', members)).split()
        made[report, path] = {re.split(r"[:=\[{?-]", word)[0]: word for word in words}
    return made


def members(described, only, report, path):
    """The words of an object; an empty dictionary where only its values are listed; None: nothing describes it."""
    last = path.rsplit(".", 1)[-1]
    found = dict(described.get((report, path)) or described.get((report, "**." + last)) or {})
    known = bool(found) or (report, path) in only
    found.update({word: word for word in only.get((report, path), ())})
    if known:
        return found
    outer, _, key = path.rpartition(".")
    around = members(described, only, report, outer) if path else None
    key = outer.rpartition(".")[2] if key == "*" else key
    if path.endswith(".*"):
        around = members(described, only, report, outer.rpartition(".")[0])
    return {} if around is not None and (key in around or "*" in around) else None


def keys_of(template):
    """(keys, parts): what stands in braces; a part is "key", or "key:shape"."""
    keys, parts = [], []
    for inner in re.findall(r"\{([^{}]*)\}", template):
        if inner.startswith("*"):
            parts.append(inner[1:])
        elif inner.startswith("$"):
            keys += [word for word in re.split(r"%", inner[1:]) if "%" in inner]
        elif inner != "=":
            word = inner.lstrip("?!^/") if inner[:1] in "?!^/" else inner
            word, _, after = word.partition(":")
            sides = re.split(r"[>%/]", word) if not word.endswith(">") else [word[:-1]]
            sides = [re.split("=", side)[0] for side in sides]
            keys += [re.sub(r"[#@&~]", "", term) for side in sides for term in re.split(r"[+\-]", side)]
    return [key for key in keys if key and key != "." and not re.fullmatch(r"[\d*]+", key)], parts


def problems(found, only, described):
    wrong, named = [], set()
    paths = {(report, path) for report, path, _, _ in found}
    for report, path, heading, line in found:
        where = f"{report} \"{path}\""
        place = re.sub(r" [^.]*", "", path)  # without the words of variants
        own = members(described, only, report, place)
        if own is None:
            wrong.append(f"{where}: reports.def has no such object")
            continue
        around, steps = [own], place.split(".")
        for end in range(len(steps) - 1, -1, -1):
            outer = members(described, only, report, ".".join(steps[:end]))
            around += [outer] if outer else []
        keys, parts = keys_of(heading + line)
        for key in keys:
            first, _, rest = key.partition(".")
            if not any(first in words or (not rest and key in words) for words in around):
                wrong.append(f"{where}: {{{key}}} is no member")
            if rest and members(described, only, report, re.sub(r"^\.", "", f"{place}.{key.rpartition('.')[0]}")) is None and \
                    members(described, only, report, key.rpartition(".")[0]) is None and \
                    members(described, only, report, first) is None:
                wrong.append(f"{where}: {{{key}}} is no member")
        base = "" if path.startswith(" ") else path
        for part in parts:
            name, _, shape = part.partition(":")
            child = f"{base}.{name}" if base else name
            named |= {(report, child), (report, child + ".*"), (report, child + " again")}
            if not {(report, child), (report, child + ".*")} & paths and not (shape in SHAPES and shape != "tree"):
                wrong.append(f"{where}: {{*{part}}} has no template")
        for sign, other in ("[]", "<>"):
            text = re.sub(r"\{[^{}]*\}", "", heading + line)
            if sign == "[" and text.count(sign) != text.count(other):
                wrong.append(f"{where}: {sign} and {other} differ in number")
    sources = "".join(file.read_text() for file in (ROOT / "src/cli").glob("*.c"))
    for report, path in sorted(paths - named):
        if path and f'"{path}"' not in sources:
            wrong.append(f'{report} "{path}": nothing prints it')
    return wrong


def main():
    found, only = texts()
    described = reports()
    wrong = problems(found, only, described)
    if len(found) < 50 or len({report for report, *_ in found}) < 9:
        wrong.append(f"only {len(found)} templates")
    missed = []
    for number, (report, path, heading, line) in enumerate(found):
        for name, change in (("an unknown key", lambda text: text + "{no_such_member}"),
                             ("an open bracket", lambda text: text + "["),
                             ("an unknown part", lambda text: text + "{*no_such_part}")):
            others = found[:number] + [(report, path, heading, change(line))] + found[number + 1:]
            if len(problems(others, only, described)) <= len(wrong):
                missed.append(f"{name} in {report} \"{path}\" is not found")
    print("1..2")
    for number, (title, lines) in enumerate((("templates are of what reports have", wrong),
                                             ("mutations of templates are found", missed)), 1):
        print(f"{'not ok' if lines else 'ok'} {number} - {title}")
        print("".join(f"# {line}\n" for line in lines), end="")
    return 1 if wrong or missed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hardened.py FILE...: the program and the libraries have the hardening that meson.build asks for.

By readelf: tables of addresses are read-only once the program runs (full RELRO), nothing is both
writable and executable, the stack is not executable, the program may lie anywhere (PIE), stacks and
memory functions are checked.  On x86-64 every function that others call begins with ENDBR64.  TAP.
"""
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ENDBR64 = bytes.fromhex("f30f1efa")


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], capture_output=True, text=True, check=True).stdout


def address_map(path):
    """(address, size, offset) of the loaded segments."""
    rows = re.findall(r"^ *LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", readelf("-l", path), re.M)
    return [(int(address, 16), int(size, 16), int(offset, 16)) for offset, address, size in rows]


def exported(path):
    """(name, first bytes) of the functions that the file exports."""
    content, loaded = Path(path).read_bytes(), address_map(path)
    rows = re.findall(r"^ *\d+: (\w+) +\d+ FUNC +GLOBAL DEFAULT +\d+ (spoor_\w+|qemu_plugin_install)",
                      readelf("--dyn-syms", path), re.M)
    for word, name in rows:
        address = int(word, 16)
        for start, size, offset in loaded:
            if start <= address < start + size:
                yield name, content[offset + address - start:offset + address - start + 4]


def checks(path):
    segments, dynamic, symbols = readelf("-l", path), readelf("-d", path), readelf("--dyn-syms", path)
    yield "tables of addresses are read-only (RELRO)", "GNU_RELRO" in segments
    yield "all symbols are bound at the start (NOW)", re.search(r"\(FLAGS(_1)?\).*\bNOW\b|BIND_NOW", dynamic)
    yield "the stack is not executable", re.search(r"GNU_STACK .* RW +0x", segments)
    yield "nothing is writable and executable", not re.search(r"\bRWE\b", segments)
    yield "no relocation of text", "TEXTREL" not in dynamic
    yield "it may lie anywhere", "Type:                              DYN" in readelf("-h", path)
    if "spoor-record" in Path(path).name:
        return  # it has no buffer to protect
    yield "stacks are protected", "__stack_chk_fail" in symbols
    yield "memory functions are checked", re.search(r"__\w+_chk\b(?<!__stack_chk_fail)", symbols)
    functions = list(exported(path))
    if platform.machine() == "x86_64" and ".so" in path:
        bad = [name for name, begin in functions if begin != ENDBR64]
        yield f"{len(functions)} functions begin with ENDBR64", functions and not bad


def main(paths):
    if not shutil.which("readelf"):
        print("1..0 # SKIP readelf is not installed")
        return 0
    lines = [(f"{Path(path).name}: {what}", bool(good)) for path in paths for what, good in checks(path)]
    print(f"1..{len(lines)}")
    for number, (what, good) in enumerate(lines, 1):
        print("ok" if good else "not ok", number, "-", what)
    return not all(good for _, good in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

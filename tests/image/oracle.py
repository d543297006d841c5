#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""oracle.py RESOLVE LINES: libspoor's results for compiled programs equal those of binutils.

Compiles small programs in several ways and compares, for every function and many random addresses,
functions with `nm`, and lines and inlined functions with `addr2line -f -i -C`.  LINES is 0 if
libspoor was built without elfutils: then only functions are compared.  Prints TAP; the programs of a
missing compiler are skipped.  SPOOR_ORACLE_ADDRESSES: number of random addresses (default 400).
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PLAIN = """
static volatile int sink;
static inline __attribute__((always_inline)) int square(int x) { return x * x + 1; }
static inline __attribute__((always_inline)) int tower(int x)
{
    int sum = 0;
    for (int i = 0; i < x; i++)
        sum += square(i) ^ x;
    return sum;
}
static __attribute__((noinline)) int twice(int x) { return tower(x) + tower(x + 1); }
int recursive(int x) { return x < 2 ? 1 : recursive(x - 1) + recursive(x - 2); }
__attribute__((cold, noinline)) void rare(int x) { sink = x; }
int aliased(int x) { sink = x; return x + 3; }
int other_name(int) __attribute__((alias("aliased")));
__asm__(".text\\n.globl by_hand\\nby_hand:\\n .byte 0, 0, 0, 0, 0, 0, 0, 0\\n");
int entry(int count)
{
    if (count > 100) rare(count);
    sink = twice(count) + recursive(count) + aliased(count);
    return sink;
}
"""
MAIN = PLAIN + "int main(int count, char **words) { (void)words; return entry(count) & 1; }\n"
BARE = PLAIN + "void _start(void) { entry(3); for (;;) {} }\n"
PLUS = """
#include <algorithm>
#include <map>
#include <string>
#include <vector>
namespace outer { namespace { template <typename T> struct box { T value; T get() const { return value; } }; }
template <typename T> T sum(const std::vector<T> &all)
{
    T total{};
    for (const auto &one : all) total += box<T>{one}.get();
    return total;
} }
int main(int count, char **words)
{
    std::vector<int> numbers(10, count);
    std::map<std::string, int> names;
    for (int i = 0; i < count; i++) names[words[i]] = i;
    std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
    return outer::sum(numbers) + (int)names.size();
}
"""
CLANG = "clang-14"
BARE_FLAGS = ["-nostdlib", "-ffreestanding", "-static", "-fuse-ld=lld", "-g"]

# title, compiler, source, suffix, flags, further steps
PROGRAMS = [
    ("gcc -O0, PIE", "gcc", MAIN, ".c", ["-O0", "-g", "-pie", "-fPIE"], None),
    ("gcc -O2, not PIE", "gcc", MAIN, ".c", ["-O2", "-g", "-no-pie"], None),
    ("gcc -O2, DWARF 4, sections", "gcc", MAIN, ".c",
     ["-O2", "-gdwarf-4", "-ffunction-sections"], None),
    ("gcc -O2, DWARF 3", "gcc", MAIN, ".c", ["-O2", "-gdwarf-3", "-gstrict-dwarf"], None),
    ("gcc -O1, compressed", "gcc", MAIN, ".c", ["-O1", "-g", "-gz"], None),
    ("gcc -O2, static", "gcc", MAIN, ".c", ["-O2", "-g", "-static"], None),
    ("gcc -O2, debug file apart", "gcc", MAIN, ".c", ["-O2", "-g"], "apart"),
    ("gcc -O2, debug file without build id", "gcc", MAIN, ".c",
     ["-O2", "-g", "-Wl,--build-id=none"], "apart"),
    ("gcc -O2, without lines", "gcc", MAIN, ".c", ["-O2"], None),
    ("g++ -O0", "g++", PLUS, ".cc", ["-O0", "-g"], None),
    ("g++ -O2", "g++", PLUS, ".cc", ["-O2", "-g"], None),
    ("clang -O2", CLANG, MAIN, ".c", ["-O2", "-g"], None),
    ("clang AArch64", CLANG, BARE, ".c",
     ["--target=aarch64-linux-gnu", "-O2", *BARE_FLAGS], None),
    ("clang Arm", CLANG, BARE, ".c",
     ["--target=armv7-linux-gnueabihf", "-marm", "-O1", *BARE_FLAGS], None),
    ("clang Thumb", CLANG, BARE, ".c",
     ["--target=armv7-linux-gnueabihf", "-mthumb", "-O2", *BARE_FLAGS], None),
    ("clang RISC-V", CLANG, BARE, ".c",
     ["--target=riscv64-linux-gnu", "-O2", "-mno-relax", *BARE_FLAGS], None),
    ("clang MIPS, big-endian", CLANG, BARE, ".c",
     ["--target=mips-linux-gnu", "-O2", *BARE_FLAGS], None),
    ("clang Power, big-endian", CLANG, BARE, ".c",
     ["--target=powerpc-linux-gnu", "-O1", *BARE_FLAGS], None),
    ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-gcc", MAIN, ".c", ["-O2", "-g"], None),
    ("arm-linux-gnueabihf-gcc", "arm-linux-gnueabihf-gcc", MAIN, ".c", ["-O2", "-g"], None),
    ("riscv64-linux-gnu-gcc", "riscv64-linux-gnu-gcc", MAIN, ".c", ["-O2", "-g"], None),
]


class Skipped(Exception):
    pass


def run(*words, text=None):
    return subprocess.run(words, input=text, check=True, capture_output=True, text=True).stdout


def build(folder, compiler, source, suffix, flags, after):
    if not shutil.which(compiler):
        raise Skipped(f"no {compiler}")
    program = folder / "prog"
    file = folder / ("prog" + suffix)
    file.write_text(source)
    done = subprocess.run([compiler, *flags, "-w", "-o", program, file], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise Skipped(f"{compiler} cannot build it")
    if after == "apart":
        whole = folder / "whole"
        shutil.copy(program, whole)
        run("objcopy", "--only-keep-debug", program, folder / "prog.debug")
        run("strip", program)
        run("objcopy", f"--add-gnu-debuglink={folder / 'prog.debug'}", program)
        return program, whole
    return program, program


def symbols_of(program):
    """The functions that nm lists: (address, size or 0, name).  A weak symbol may be data."""
    functions = []
    code = code_of(program)
    arm = int("ARM" in re.search(r"Machine: *(.*)", run("readelf", "-h", program)).group(1))
    for line in run("nm", "-n", "-S", "--defined-only", program).splitlines():
        words = line.split()
        if len(words) < 3 or words[-1].startswith(("$", ".L")):
            continue  # mapping symbols, which nm shows for unknown processors; labels
        sized = len(words[1]) > 1
        size, letter, name = (int(words[1], 16), *words[2:4]) if sized else (0, *words[1:3])
        address = int(words[0], 16) & ~arm
        if letter in "tTwWiI" and any(low <= address < high for low, high in code):
            functions.append((address, size, name))
    return functions


def code_of(program):
    """Ranges of the sections with code."""
    ranges = []
    for line in run("readelf", "-SW", program).splitlines():
        match = re.match(r"\s*\[ *\d+\] (\S+)\s+PROGBITS\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) \S+\s+(\w*X\w*)\s",
                         line)
        if match and int(match.group(3), 16):
            start = int(match.group(2), 16)
            ranges.append((start, start + int(match.group(3), 16)))
    return ranges


def resolve(helper, program, addresses):
    text = run(helper, program, text="".join(f"{a:x}\n" for a in addresses))
    return [line.split("\t") for line in text.splitlines()]


def compare_functions(helper, program, whole, addresses, fail):
    functions = symbols_of(whole)
    names = {}
    for address, _, name in functions:
        names.setdefault(address, set()).add(name)
    own = resolve(helper, program, list(names))
    for address, fields in zip(names, own):
        if fields[0] not in names[address] or fields[2] != "0":
            fail(f"0x{address:x}: found {fields[0]}+0x{fields[2]}, nm says {names[address]}")
    for address, fields in zip(addresses, resolve(helper, program, addresses)):
        covering = {name for start, size, name in functions if start <= address < start + size}
        before = [(start, name) for start, size, name in functions
                  if start <= address and size == 0]
        if covering and fields[0] not in covering:
            fail(f"0x{address:x}: found {fields[0]}, nm says {covering}")
        if fields[0] == "-" or covering:
            continue
        nearest = max(start for start, _ in before) if before else None
        if (nearest, fields[0]) not in before:
            fail(f"0x{address:x}: found {fields[0]}, nm has no such function there")


def said_by_addr2line(tool, program, addresses):
    """For each address a list of (function, file, line), the innermost first."""
    text = run(tool, "-a", "-f", "-i", "-C", "-e", program,
               text="".join(f"0x{a:x}\n" for a in addresses))
    answers = []
    lines = iter(text.splitlines())
    for line in lines:
        if re.fullmatch(r"0x[0-9a-f]+", line):
            answers.append([])
            continue
        place = re.sub(r" \(discriminator \d+\)$", "", next(lines))
        file, _, number = place.rpartition(":")
        answers[-1].append((line, file, int(number) if number.isdigit() else 0))
    return answers


def said_by_spoor(fields):
    symbol, function, _, _, subprogram, file, line = fields[:7]
    inlined = fields[7:]
    calls = [tuple(inlined[i:i + 3]) for i in range(0, len(inlined), 3)]
    functions = [call[0] for call in calls] + [subprogram]
    places = [(file, int(line))] + [(call[1], int(call[2])) for call in calls]
    return [(name, *place) for name, place in zip(functions, places)]


def same_function(own, theirs):
    """A C++ function without a linkage name has its plain name in DWARF, and its full name in the
    symbol table: a tool may print either."""
    plain = re.match(r"[\w~]*", own).group()
    return own in ("-", theirs) or theirs.startswith("_Z") or (plain and plain in re.findall(r"[\w~]+", theirs))


def is_symbol_of(name, fields, aliases):
    """True if a tool took the name of the outermost function from the symbol table."""
    return name.startswith(".L") or name in fields[:2] or name in aliases.get(fields[0], ())


def same_frame(own, theirs):
    if own[1] == "-":  # without DWARF, addr2line uses symbols, without a line
        return theirs[1] == "??" or (theirs[2] == 0 and "/" not in theirs[1])
    if os.path.normpath(own[1]) != os.path.normpath(theirs[1]) or own[2] != theirs[2]:
        return False
    return same_function(own[0], theirs[0])


def compare_lines(helper, tool, program, whole, addresses, fail):
    answers = said_by_addr2line(tool, whole, addresses)
    at = {}
    for address, _, name in symbols_of(whole):
        at.setdefault(address, set()).add(name)
    aliases = {name: names for names in at.values() for name in names}
    for address, fields, theirs in zip(addresses, resolve(helper, program, addresses), answers):
        own = said_by_spoor(fields)
        if is_symbol_of(theirs[-1][0], fields, aliases):
            theirs[-1] = (own[-1][0], *theirs[-1][1:])
        if len(own) == len(theirs) and all(map(same_frame, own, theirs)):
            continue
        fail(f"0x{address:x}: found {own}, {tool} says {theirs}")


def oracle_of(compiler):
    """LLVM's tool if installed: binutils 2.40 misreads inlined functions of clang's DWARF 5 and of C++."""
    if compiler not in (CLANG, "g++"):
        return "addr2line"
    return "llvm-addr2line-14" if shutil.which("llvm-addr2line-14") else None


def check(helper, lines, entry, count):
    problems = []
    with tempfile.TemporaryDirectory() as name:
        program, whole = build(Path(name), *entry[1:])
        generator = random.Random(1)
        ranges = code_of(whole)
        starts = [address for address, _, _ in symbols_of(whole)]
        addresses = [generator.randrange(*generator.choice(ranges)) for _ in range(count // 2)]
        addresses += [min(generator.choice(starts) + generator.randrange(64), ranges[-1][1] - 1)
                      for _ in range(count // 2)]
        if "Arm" in entry[0] or "Thumb" in entry[0] or "arm-" in entry[0]:
            addresses = [address & ~1 for address in addresses]
        compare_functions(helper, program, whole, addresses, problems.append)
        tool = oracle_of(entry[1])
        if lines and tool:
            compare_lines(helper, tool, program, whole, addresses, problems.append)
            run(helper, program, "4", text="".join(f"{a:x}\n" for a in addresses))
    return problems


def main(words):
    helper, lines = words[0], words[1] != "0"
    count = int(os.environ.get("SPOOR_ORACLE_ADDRESSES", "400"))
    print(f"1..{len(PROGRAMS)}")
    failed = 0
    for number, entry in enumerate(PROGRAMS, 1):
        try:
            problems = check(helper, lines, entry, count)
        except Skipped as skipped:
            print(f"ok {number} - {entry[0]} # SKIP {skipped}")
            continue
        print(f"{'not ok' if problems else 'ok'} {number} - {entry[0]}", flush=True)
        for problem in problems[:4]:
            print(f"# {problem[:400]}")
        failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: MIT
"""check_references.py TRACE [PASSES]: passes over what the module offers leave no reference to an object
and no memory.  Run it by a debug build of Python, which counts references, with a module that was
compiled for that; see check-references.  Prints lines of TAP."""
import resource
import sys

from every_call import every_call  # noqa: E402

WARM_UP = 3
# Per pass, that are no leak: tables of CPython and the heap of the C library may still grow a little.
MAXIMUM = {"references": 2, "blocks of memory": 2, "KiB of resident memory": 100}


def counted():
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return {"references": sys.gettotalrefcount(), "blocks of memory": sys.getallocatedblocks(),
            "KiB of resident memory": pages * resource.getpagesize() // 1024}


def main(path, passes):
    for _ in range(WARM_UP):
        every_call(path)
    before = counted()
    for _ in range(passes):
        every_call(path)
    after = counted()
    failed = False
    for number, (name, maximum) in enumerate(MAXIMUM.items(), 1):
        grown = after[name] - before[name]
        bad = grown > maximum * passes
        failed |= bad
        print(f"{'not ok' if bad else 'ok'} {number} - {name}: {before[name]}, {grown:+} after "
              f"{passes} passes")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10))

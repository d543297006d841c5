#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fold_ctypes.py SPOOR LIBRARY TRACE: a fold in Python, by ctypes over libspoor-tools; prints TAP.

It counts the accesses of each block of 4 KB, and is compared with what `spoor print` says of a trace of
micro-ops.  The structs are those of spoor/plugin.h, spoor/fold.h and spoor/component.h.
"""
import collections
import csv
import ctypes
import json
import subprocess
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_int, c_size_t, c_uint8, c_uint32
from ctypes import c_uint64, c_void_p

SPOOR, LIBRARY, TRACE = sys.argv[1:]
ABI, OK, END, PAGE = 4, 0, 1, 12


class Setup(Structure):
    _fields_ = [("values", POINTER(c_uint64)), ("sets", c_uint64), ("ways", c_uint32), ("block_bits", c_uint32),
                ("sub_bits", c_uint32), ("degree", c_uint32), ("seed", c_uint64), ("order", c_void_p),
                ("state_bytes", c_uint64), ("storage_bits", c_uint64), ("sentence", c_char * 200)]


class Access(Structure):
    _fields_ = [("address", c_uint64), ("pc", c_uint64), ("size", c_uint32), ("cpu", c_uint32), ("op", c_uint8),
                ("prefetch", c_bool), ("for_prefetch", c_bool), ("has_pc", c_bool), ("timed", c_bool),
                ("mshrs", c_uint8), ("latency", c_uint32), ("cycle", c_uint64)]


class Report(Structure):
    pass


COUNT = CFUNCTYPE(None, POINTER(Report), c_char_p, c_uint64)
Report._fields_ = [("size", c_uint32), ("count", COUNT), ("integer", c_void_p), ("real", c_void_p), ("address", COUNT),
                   ("text", c_void_p), ("row", CFUNCTYPE(None, POINTER(Report)))]
SIZE = CFUNCTYPE(c_void_p, POINTER(Setup))
FEED = CFUNCTYPE(c_void_p, c_void_p, POINTER(Access), c_size_t)
TELL = CFUNCTYPE(c_void_p, c_void_p, POINTER(Report))


class Fold(Structure):
    _fields_ = [("name", c_char_p), ("title", c_char_p), ("source", c_char_p), ("keys", c_void_p), ("size", SIZE),
                ("create", c_void_p), ("destroy", c_void_p), ("accesses", FEED), ("branches", c_void_p),
                ("instruction", c_void_p), ("report", TELL)]


class Plugin(Structure):
    _fields_ = [("abi", c_uint32), ("size", c_uint32), ("predictors", c_void_p), ("policies", c_void_p),
                ("prefetchers", c_void_p), ("value_predictors", c_void_p), ("folds", POINTER(POINTER(Fold)))]


class Options(Structure):
    _fields_ = [("struct_size", c_size_t), ("stream", c_void_p), ("spec", c_char_p)]


PAGES = collections.Counter()
SENTENCE = ctypes.create_string_buffer(b"an exception in Python")


@SIZE
def state_size(setup):
    setup.contents.state_bytes = 8
    return None


@FEED
def feed(_, accesses, count):
    for access in accesses[:count]:
        if access.op in (1, 2):
            PAGES[access.address >> PAGE] += 1
    return ctypes.addressof(SENTENCE) if count == 0 else None


@TELL
def tell(_, report):
    report.contents.count(report, b"pages", len(PAGES))
    for page, times in sorted(PAGES.items()):
        report.contents.row(report)
        report.contents.address(report, b"page", page << PAGE)
        report.contents.count(report, b"accesses", times)
    return None


def library():
    spoor = ctypes.CDLL(LIBRARY)
    for name in ("spoor_reader_stream", "spoor_result_new_object", "spoor_result_to_json"):
        getattr(spoor, name).restype = c_void_p
    return spoor


def answer(spoor):
    fold = Fold(name=b"pages", title=b"accesses by page", size=state_size, accesses=feed, report=tell)
    folds = (POINTER(Fold) * 2)(ctypes.pointer(fold))
    plugin = Plugin(ABI, ctypes.sizeof(Plugin), folds=folds)
    reader, run, batch, result = c_void_p(), c_void_p(), c_void_p(), c_void_p()
    assert spoor.spoor_plugin_add(ctypes.byref(plugin), b"here", None) == OK
    assert spoor.spoor_reader_open(ctypes.byref(reader), TRACE.encode(), None, None) == OK
    options = Options(ctypes.sizeof(Options), spoor.spoor_reader_stream(reader), b"pages")
    assert spoor.spoor_fold_new(ctypes.byref(run), ctypes.byref(options), None) == OK
    while (status := spoor.spoor_reader_next(reader, ctypes.byref(batch), None)) == OK:
        assert spoor.spoor_fold_feed(run, batch, None) == OK
    assert status == END and spoor.spoor_fold_end(run, None) == OK
    result = c_void_p(spoor.spoor_result_new_object())
    assert spoor.spoor_fold_report(run, result) == OK
    text = ctypes.string_at(spoor.spoor_result_to_json(result, None))
    for free, what in ((spoor.spoor_result_free, result), (spoor.spoor_fold_free, run),
                       (spoor.spoor_reader_close, reader)):
        free(what)
    return json.loads(text)


def expected():
    printed = subprocess.run([SPOOR, "print", "--csv", "--fields", "ldst,addr", TRACE], check=True,
                             capture_output=True, text=True).stdout
    pages = collections.Counter(int(row["addr"], 16) >> PAGE for row in csv.DictReader(printed.splitlines())
                                if row["ldst"] in ("L", "S"))
    return [{"page": hex(page << PAGE), "accesses": times} for page, times in sorted(pages.items())]


def main():
    found, wanted = answer(library()), expected()
    good = found["rows"] == wanted and found["results"] == {"pages": len(wanted)} and len(wanted) > 2
    print("1..1\n" + ("ok" if good else "not ok") + " 1 - a fold in Python counts what the trace prints")
    if not good:
        print("#", found, "\n#", wanted)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""The Python module compared with the program, and with itself.  numpy and pandas are optional: tests
that need them are skipped without.  Prints TAP."""
import csv
import gc
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from pathlib import Path

if sys.version_info < (3, 11):
    print("1..0 # SKIP the module needs Python 3.11")
    sys.exit(0)

import spoor  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None

PROGRAM = os.environ["SPOOR"]
SOURCE = Path(os.environ["SPOOR_SOURCE"])
FOLDER = Path(tempfile.mkdtemp(prefix="spoor-python-"))
TRACES = {"tarmac": "examples/list-aarch64.tarmac.xz", "uop": "examples/list.uop.xz",
          "bus": "examples/sort.byu6.xz"}
SUFFIXES = {"tarmac": "tarmac", "uop": "uop", "bus": "byu6"}
tests = []


def test(needs=()):
    return lambda function: tests.append((function, needs)) or function


def trace_of(name, lines=4000):
    """The beginning of an example as a plain file."""
    path = FOLDER / f"{name}.{SUFFIXES[name]}"
    if not path.exists():
        where = SOURCE / TRACES[name]
        subprocess.run([PROGRAM, "cut", "-q", "--records", f"0:{lines - 1}", "-o", path, where],
                       check=True)
    return path


def program(*words):
    return subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True).stdout


def raised(type_, function, *words, **named):
    try:
        function(*words, **named)
    except type_ as error:
        return error
    raise AssertionError(f"{type_.__name__} was expected")


# ---- records ----

@test()
def pictures_are_those_of_the_program():
    trace, drawn = trace_of("uop"), FOLDER / "drawn.svg"
    for words, result, arguments, named in (
            (["branch", "--over-time", "--table", "over_time"], "branch", (),
             {"over_time": True, "table": "over_time"}),
            (["cache", "--level", "l1d:1K,2,64"], "cache", ("l1d:1K,2,64",), {}),
            (["cache", "--curve", "--table", "curve"], "cache_curve", (), {"table": "curve"}),
            (["cache", "--sweep", "size=1K..4K", "--table", "sweep"], "cache_sweep", ("size=1K..4K",),
             {"table": "sweep"})):
        program(*words, "--plot", drawn, trace)
        opened = spoor.open(trace)
        picture = opened.plot(result, *arguments, **named)
        assert picture == drawn.read_text(), result
        assert picture._repr_svg_() == picture and isinstance(picture, spoor.Picture)
        assert isinstance(getattr(opened, result)(*arguments, **{
            name: value for name, value in named.items() if name != "table"}), (dict, list))
    sentence = raised(spoor.UsageError, lambda: opened.plot("cache_curve", table="colour")).sentence
    assert "colour" in sentence and "curve" in sentence, sentence
    raised(spoor.UsageError, lambda: opened.plot("calls"))


@test()
def rows_equal_the_programs_csv():
    for name in TRACES:
        path = trace_of(name)
        fields = ["record", "kind", "time", "pc", "addr", "size", "op"]
        printed = list(csv.DictReader(io.StringIO(program(
            "print", "-q", "--csv", "--fields", ",".join(fields), path))))
        rows = list(spoor.open(path, fields=fields).rows())
        assert len(rows) == len(printed) > 100, (name, len(rows), len(printed))
        for row, line in zip(rows, printed):
            for field in fields:
                text, value = line[field], row.get(field)
                assert (field in row) == bool(text), (name, line, row)
                if text.startswith("0x"):
                    assert int(text, 16) == value, (name, line, row)
                else:
                    assert text == ("" if value is None else str(value)), (name, line, row)


@test()
def where_selects_as_the_program_does():
    for name, where in (("tarmac", "kind==mem && size==8"), ("uop", "ldst==L"), ("bus", "op==read")):
        path = trace_of(name)
        printed = program("print", "-q", "--csv", "--fields", "record", "--where", where, path)
        found = [row["record"] for row in spoor.open(path, where=where).rows(["record"])]
        assert found and found == [int(line) for line in printed.split()[1:]], name
        ordinals = [n for batch in spoor.open(path, where=where) for n in batch.ordinals]
        assert ordinals == found


@test()
def an_expression_without_an_answer_is_an_error():
    opened = lambda: spoor.open(trace_of("tarmac"), where='disasm =~ "(\\S?){200}[^ -~]"')
    for ask in (list, lambda trace: list(trace.rows()), lambda trace: trace.info(), lambda trace: trace.cache(),
                lambda trace: trace.branch(), lambda trace: trace.profile(),
                lambda trace: trace.write(f"{FOLDER}/chosen.tarmac")):
        assert "takes at most 10000000 steps" in str(raised(spoor.UsageError, ask, opened()))


@test()
def a_trace_is_read_again_and_by_threads():
    trace = spoor.open(trace_of("tarmac"), threads=1)
    first = list(trace.rows())
    assert first == list(trace.rows()) == list(spoor.open(trace.path, threads=4).rows())
    with spoor.open(trace.path) as opened:
        assert opened.format == "tarmac" and opened.compression == "none"
        assert "mem" in opened.kinds and "bus" not in [opened.format]
    assert opened.info()["records"] > 0  # closed, and opened again


@test(["numpy"])
def arrays_are_the_records():
    trace = spoor.open(trace_of("tarmac"))
    members = {"mem": ("va", "addr"), "insn": ("va", "pc"), "reg": ("bits", "bits")}
    seen = set()
    for batch in trace:
        assert batch.array.itemsize == 64 and not batch.array.flags.writeable
        assert batch.array.ctypes.data == batch.block.address  # no copy
        for kind, (member, field) in members.items():
            array = batch.of(kind)
            assert array.ctypes.data == batch.block.address
            for index in numpy.flatnonzero(array["kind"] == spoor.KINDS.index(kind)):
                value = batch.value(int(index), field)
                if value is None:
                    continue
                assert int(array[member][index]) == value, (kind, batch.row(int(index)))
                seen.add(kind)
    assert seen == set(members)
    for batch in spoor.open(trace_of("uop")):
        array = batch.of("uop")
        for member, field in (("pc", "pc"), ("address", "addr"), ("immediate", "imm"),
                              ("src1", "src1"), ("step", "uop")):
            row = batch.row(7)
            assert int(array[member][7]) == row.get(field, 0), (member, row)


@test(["numpy"])
def every_body_fits_the_header():
    """The members of each kind are those of record.h, in order."""
    import re
    text = re.sub(r"/\*.*?\*/", "", (SOURCE / "include/spoor/record.h").read_text(), flags=re.S)
    structs = {"cache": "cacheline"}
    for kind in spoor.KINDS:
        body = re.search(r"struct spoor_%s \{(.*?)\n\};" % structs.get(kind, kind), text, re.S)
        names = []
        for line in body.group(1).split(";"):
            words = re.findall(r"[a-z_0-9]+", re.sub(r"\[.*?\]", "", line))
            names += [w for w in words if w not in (
                "uint64_t", "int64_t", "int32_t", "int16_t", "uint32_t", "uint16_t", "uint8_t",
                "spoor_name", "struct", "spoor_ref", "reserved", "enum")]
        head = {"time", "kind", "op", "has", "cpu", "spelling"}
        found = [n.removeprefix(kind + "_") for n in spoor.record_dtype(kind).names if n not in head]
        assert found == names, (kind, found, names)


@test(["numpy"])
def arrays_outlive_what_they_came_from():
    arrays = [(batch.array, batch.array["time"].copy()) for batch in spoor.open(trace_of("uop"))]
    references = [(b.array, b.array["address"].copy())
                  for b in spoor.open(trace_of("uop")).references()]
    gc.collect()
    filler = [bytearray(1 << 20) for _ in range(8)]
    assert all((a["time"] == b).all() for a, b in arrays)
    assert all((a["address"] == b).all() for a, b in references) and filler


@test()
def buffers_need_no_numpy():
    for batch in spoor.open(trace_of("bus")):
        view = memoryview(batch.block)
        assert view.itemsize == 64 and view.nbytes == 64 * len(batch) and view.readonly
        assert int.from_bytes(bytes(view.cast("B")[8:9]), "little") == \
            spoor.KINDS.index(batch.row(0)["kind"])
        raised(TypeError, view.cast("B").__setitem__, 0, 1)


# ---- views ----

@test(["numpy"])
def references_equal_those_of_sql():
    for name in ("uop", "tarmac", "bus"):
        path = trace_of(name)
        rows = json.loads(program("sql", "--json", "--no-index", path,
                                  "select op, address, size, pc from reference"))
        ops = ["fetch", "read", "write", "misc", "copy_back", "invalidate"]
        found = [row for block in spoor.open(path).references() for row in block.array]
        assert len(found) == len(rows) > 100, (name, len(found), len(rows))
        for row, item in zip(rows, found):
            assert int(row["address"], 16) == int(item["address"])
            assert row.get("size", 0) == int(item["size"])
            if row["op"] in ops:
                assert ops.index(row["op"]) == int(item["op"]), (name, row, item)
            if item["has"] & 1:
                assert int(row["pc"], 16) == int(item["pc"])


@test(["numpy"])
def branches_equal_those_of_sql():
    for name in ("uop", "tarmac"):
        rows = json.loads(program("sql", "--json", "--no-index", trace_of(name),
                                  "select pc, target, taken, gap from branch"))
        found = [row for block in spoor.open(trace_of(name)).branches() for row in block.array]
        assert len(found) == len(rows) > 10
        for row, item in zip(rows, found):
            assert (int(row["pc"], 16), row["taken"], row["gap"]) == \
                (int(item["pc"]), int(item["has"]) & 1, int(item["gap"]))


@test(["numpy"])
def one_field_is_gathered():
    for name in ("uop", "tarmac", "bus"):
        trace = spoor.open(trace_of(name))
        for view, blocks in (("references", trace.references), ("branches", trace.branches)):
            all_items = [block.array for block in blocks()]
            for field in all_items[0].dtype.names if all_items else ():
                found = trace.gather(field, view).array
                assert (found == numpy.concatenate([a[field] for a in all_items])).all(), field
                assert found.dtype == all_items[0].dtype[field], (field, found.dtype)
    raised(ValueError, trace.gather, "colour")


@test(["numpy"])
def instructions_equal_those_of_sql():
    rows = json.loads(program("sql", "--json", "--no-index", trace_of("tarmac"),
                              "select record, pc, opcode, registers, reads, writes from instruction"))
    found = []
    for instructions, effects in spoor.open(trace_of("tarmac")).instructions():
        for item in instructions.array:
            first = int(item["effects"])
            found.append((item, effects.array[first:first + int(item["effect_count"])]))
    assert len(found) == len(rows) > 100
    for row, (item, effects) in zip(rows, found):
        assert row["record"] == int(item["record"])
        if "pc" in row:
            assert int(row["pc"], 16) == int(item["pc"])
        names = [bytes(e["name"]).decode() for e in effects if e["kind"] == 0]
        assert row.get("registers", "").split() == names, (row, names)
        assert row["reads"] == sum(1 for e in effects if e["kind"] in (1, 3))


@test(["numpy"])
def views_select_and_exclude_each_other():
    trace = spoor.open(trace_of("uop"), where="ldst==L")
    loads = sum(int((block.array["op"] == 1).sum()) for block in trace.references())
    all_loads = sum(int((block.array["op"] == 1).sum())
                    for block in spoor.open(trace.path).references())
    assert loads == all_loads > 0
    assert sum(len(block) for block in trace.branches()) == 0
    reader = trace._open()
    reader.next_batch()
    whole = spoor.open(trace.path)._open()
    whole.next_references()
    error = raised(spoor.UsageError, whole.next_batch)
    assert "expected references as before" in error.sentence and error.file == str(trace.path)


# ---- tables ----

@test(["numpy", "pandas"])
def frames_equal_the_programs_csv():
    for name, kind in (("tarmac", "mem"), ("tarmac", "insn"), ("uop", "uop"), ("bus", "bus"),
                       ("tarmac", None)):
        trace = spoor.open(trace_of(name))
        frame = trace.to_pandas(kind)
        fields = [c for c in frame.columns if not c.endswith("_hex")]
        where = ["--where", f"kind=={kind}"] if kind else []
        text = program("print", "-q", "--csv", "--fields", ",".join(fields), *where, trace.path)
        printed = list(csv.DictReader(io.StringIO(text, newline="")))
        assert len(printed) == len(frame) > 50, (name, kind)
        for field in fields:
            for value, row in zip(frame[field].tolist(), printed):
                expected = row[field]
                if expected.startswith("0x") and hasattr(value, "__index__"):
                    expected = str(int(expected, 16))
                missing = value is None or value is pandas.NA
                found = "" if missing else str(value)
                found = {"True": "1", "False": "0"}.get(found, found)
                if missing and f"{field}_hex" in frame:
                    continue
                escaped = found.replace("\\", "\\\\").replace("\t", "\\t")
                assert expected in (found, escaped), (name, field, expected, found)


@test(["numpy", "pandas"])
def frames_have_types_that_lose_nothing():
    frame = spoor.open(trace_of("tarmac"), where="kind==mem").to_pandas(
        fields=["record", "addr", "op", "exclusive"], kind="mem")
    assert list(frame.columns) == ["record", "addr", "op", "exclusive"]
    assert frame["record"].dtype == "uint64" and frame["op"].map(type).eq(str).all()
    assert str(frame["addr"].dtype) in ("uint64", "UInt64")
    short = spoor.open(trace_of("tarmac")).to_pandas("mem", ["op"], categorical=True)
    assert str(short["op"].dtype) == "category" and list(short["op"]) == list(frame["op"])
    groups = frame.groupby("op").size()
    assert groups.sum() == len(frame)


@test()
def columns_need_no_numpy():
    columns = spoor.open(trace_of("uop")).columns("uop", ["pc", "macro", "target"])
    assert list(columns) == ["pc", "macro", "target"]
    rows = list(spoor.open(trace_of("uop")).rows(["pc", "macro", "target"]))
    for name, column in columns.items():
        assert column.to_list() == [row.get(name) for row in rows], name


@test()
def arrow_capsules_hand_the_trace_over():
    import ctypes
    trace = spoor.open(trace_of("tarmac"))
    capsule = trace.__arrow_c_stream__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = get(capsule, b"arrow_array_stream")

    class Array(ctypes.Structure):
        _fields_ = [(n, ctypes.c_int64) for n in ("length", "null_count", "offset", "n_buffers",
                                                  "n_children")] + \
                   [(n, ctypes.c_void_p) for n in ("buffers", "children", "dictionary")] + \
                   [("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
                    ("private", ctypes.c_void_p)]
    functions = (ctypes.c_void_p * 5).from_address(stream)
    get_next = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(functions[1])
    rows = 0
    while True:
        array = Array()
        assert get_next(stream, ctypes.addressof(array)) == 0
        if not array.release:
            break
        rows += array.length
        array.release(ctypes.addressof(array))
    assert rows == sum(len(batch) for batch in spoor.open(trace.path))
    del capsule
    gc.collect()
    trace.table("mem", ["addr"]).__arrow_c_stream__()  # released unread
    error = raised(spoor.UsageError, trace.arrow, "memory")
    assert "found kind 'memory'" in error.sentence


# ---- the past ----

@test()
def state_and_writers_equal_the_programs():
    path = trace_of("tarmac")
    state = spoor.open(path).state("record:2000")
    printed = json.loads(program("state", "--json", "--at", "record:2000", path))
    cpus = {cpu["cpu"]: cpu["registers"] for cpu in state["cpus"]}
    assert state["record"] == printed["record"] == 2000 and cpus
    rows = json.loads(program("sql", "--json", path,
                              "select cpu, register, value from state('record:2000')"))
    assert {(row["cpu"], row["register"]): row["value"] for row in rows} == \
        {(cpu, name): value for cpu, names in cpus.items() for name, value in names.items()}
    assert printed["cpus"]
    address = next(row["addr"] for row in spoor.open(path, where="kind==mem && op==write").rows())
    touches = spoor.open(path).touches(address)
    rows = json.loads(program("sql", "--json", path, f"select record, value, access from "
                                                     f"writers({address})"))
    assert [(t["record"], t["value"], t["access"]) for t in touches] == \
        [(row["record"], row["value"], row["access"]) for row in rows]
    assert spoor.open(path).touches(address, maximum=1) == touches[-1:]
    assert all(t["access"] != "read" for t in spoor.open(path).writers(address))
    raised(spoor.UsageError, spoor.open(path).state, "yesterday")


@test()
def the_past_is_that_of_the_dialect():
    path = FOLDER / "two.tarmac"
    path.write_text("0 clk cpu0 R X0 0000000000000001\n1 clk MNW4___D 00008000 00000002\n")
    assert len(spoor.open(path).writers(0x8000)) == 1
    assert spoor.open(path, dialect="fast-models").writers(0x8000) == []
    raised(spoor.UsageError, spoor.open(path, dialect="fast-models", where="time==1").writers, "x0")


# ---- tools ----

@test()
def tools_answer_as_the_program():
    uop, tarmac = trace_of("uop"), trace_of("tarmac")
    for verb, words, answer in (
            ("info", [uop], spoor.open(uop).info()),
            ("info", [tarmac], spoor.open(tarmac).info()),
            ("mix", [uop], spoor.open(uop).mix()),
            ("cache", ["--level", "l1d:1K,2,64", "--level", "l2:8K,4,64", uop],
             spoor.open(uop).cache("l1d:1K,2,64", "l2:8K,4,64")),
            ("tlb", ["--level", "dtlb:16,4,4K", uop], spoor.open(uop).tlb("dtlb:16,4,4K")),
            ("branch", ["-p", "gshare", uop], spoor.open(uop).branch("gshare")),
            ("pipe", [uop], spoor.open(uop).pipe()),
            ("pipe", ["--level", "l1d:1K,2,64", "--level", "l2:8K,4,64", "-p", "gshare:bits=6+btb", uop],
             spoor.open(uop).pipe(levels=["l1d:1K,2,64", "l2:8K,4,64"],
                                  predictors=["gshare:bits=6", "btb"])),
            ("profile", [tarmac], spoor.open(tarmac).profile()),
            ("exceptions", [tarmac], spoor.open(tarmac).exceptions())):
        printed = json.loads(program(verb, "--json", "-q", *map(str, words)))
        shared = {key for key in printed if key in answer}
        missing = [key for key in printed if key not in answer and key not in (
            "trace", "why", "images", "encoding")]
        assert len(shared) >= 3 and not missing, (verb, missing)
        for key in shared - {"trace"}:
            assert printed[key] == answer[key], (verb, key, printed[key], answer[key])
    levels = spoor.open(uop).cache("l1d:1K,2,64")["caches"]
    assert levels[0]["misses"] > 0
    small, usual = (spoor.open(uop).pipe(levels=levels) for levels in ("l1d:128,1,64", ()))
    assert small["data_misses"] > usual["data_misses"]
    asked = spoor.open(uop).branch("gshare:bits=6")["predictors"][0]
    assert spoor.open(uop).pipe(predictors="gshare:bits=6")["mispredictions"] == asked["mispredictions"]


@test()
def one_cache_of_several_cpus_is_said_to_be_one():
    path = FOLDER / "cpus.spike"
    path.write_text("".join(f"core   {cpu}: 3 0x80000000 (0x00052583) x11 0x00000000 mem 0x{0x1000 << cpu:08x}\n"
                            for cpu in (0, 1, 0, 1)))
    for shared, count in ((False, 1), (True, 0)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert spoor.open(path, format="spike").cache_sweep("size=1K", shared=shared)
        assert ["one cache of all" in str(one.message) for one in caught] == [True] * count, caught
        missing = spoor.open(path, format="spike").cache_curve(shared=shared).get("missing", [])
        assert ["one curve is of all" in sentence for sentence in missing] == [True] * count, missing


@test()
def more_tools_answer():
    uop, tarmac, bus = trace_of("uop"), trace_of("tarmac"), trace_of("bus")
    printed = subprocess.run([PROGRAM, "check", "--json", "-q", tarmac], capture_output=True)
    checked = json.loads(printed.stdout)
    checked = checked[0] if isinstance(checked, list) else checked
    answer = spoor.open(tarmac).check()
    assert answer["records"] == checked["records"]
    assert len(answer["findings"]) >= len(checked["findings"]) - 1
    assert spoor.open(tarmac).coverage()["instructions"] > 0
    assert spoor.open(tarmac).lcov() is not None
    assert "cpus" in spoor.open(tarmac).calls(depth=2)
    assert spoor.open(tarmac).flame().count(" ") > 0
    assert "<svg" in spoor.open(tarmac).flame("svg")
    assert spoor.open(tarmac).annotate()[0]["count"] > 0
    assert spoor.open(uop).cache_curve()["curve"]
    assert len(spoor.open(uop).cache_sweep("size=1K..4K,ways=1..2")) == 6
    opt = spoor.open(uop).cache("l1d:128,2,64,policy=opt")["caches"][0]["misses"]
    assert opt < spoor.open(uop).cache("l1d:128,2,64")["caches"][0]["misses"]
    assert spoor.open(bus).page(levels=[10, 10])["misses"] > 0
    assert spoor.open(uop).pipe(settings={"width": 1})["cycles"] > \
        spoor.open(uop).pipe(settings={"width": 8})["cycles"]
    equal = spoor.open(uop).diff(spoor.open(uop))
    assert equal["verdict"] == "equal" and equal["compared"] > 0
    error = raised(TypeError, lambda: spoor.open(uop)._run("mix", colour=1))
    assert "mix has no option 'colour'" in str(error)
    raised(spoor.UsageError, spoor.open(uop).cache, "l1d:100,2,64")


@test()
def traces_are_written():
    path = trace_of("uop")
    copy = FOLDER / "copy.uop.gz"
    assert spoor.open(path).write(copy) == 0
    assert spoor.open(copy).compression == "gzip"
    assert list(spoor.open(copy).rows()) == list(spoor.open(path).rows())
    part = FOLDER / "part.spoor"
    spoor.open(path, where="ldst==S").write(part, "spoor")
    assert len(list(spoor.open(part).rows())) == len(list(spoor.open(path, where="ldst==S").rows()))
    raised(spoor.UsageError, spoor.open(path).write, path)
    for level in ("small", "fast"):
        raised(spoor.UsageError, spoor.open(path).write, FOLDER / "level.spoor", level=level)
    sizes = []
    for level in ("default", "small"):
        spoor.open(path).write(FOLDER / "a.parquet", "parquet", level=level)
        sizes.append((FOLDER / "a.parquet").stat().st_size)
    assert sizes[1] < sizes[0]
    raised(spoor.Error, spoor.open(path).write, FOLDER / "none" / "x.uop")


# ---- errors, threads, memory ----

@test()
def errors_name_file_line_and_sentence():
    error = raised(spoor.InputError, spoor.open, FOLDER / "absent")
    assert error.file == str(FOLDER / "absent") and error.errno == 2 and error.sentence
    error = raised(spoor.UsageError, spoor.open, trace_of("uop"), where="colour==1")
    assert "colour" in error.sentence and isinstance(error, ValueError)
    error = raised(spoor.UsageError, spoor.open, trace_of("uop"), format="foo")
    assert "foo" in error.sentence
    trace = spoor.open(trace_of("uop"))
    for wrong in (lambda: spoor.open(trace.path, fields=["colour"]), lambda: trace.flame("colour"),
                  lambda: trace.gather("colour"), lambda: next(iter(trace)).of("colour")):
        error = raised(spoor.UsageError, wrong)
        assert error.file is error.line is error.offset is error.errno is None
        assert "found" in error.sentence and "colour" in error.sentence and "expected" in error.sentence
    assert "expected a spoor.Trace" in str(raised(TypeError, trace.diff, "list.uop"))
    symbols = FOLDER / "binary.symbols"
    symbols.write_bytes(b"\xfd7z\x1b[31m\n")
    error = raised(spoor.Error, spoor.open, trace.path, images=[symbols])
    assert "found '\\xfd7z\\x1b[31m'" in error.sentence, error.sentence
    broken = FOLDER / "cut.uop.gz"
    spoor.open(trace_of("uop")).write(FOLDER / "whole.uop.gz")
    broken.write_bytes((FOLDER / "whole.uop.gz").read_bytes()[:-2000])
    error = raised(spoor.InputError, lambda: list(spoor.open(broken).rows()))
    assert error.file == str(broken) and error.line > 100 and str(error.line) in str(error)
    faulty = FOLDER / "faulty.uop"
    lines = trace_of("uop").read_text().splitlines(keepends=True)
    lines[9] = lines[9][:20] + "\n"
    faulty.write_text("".join(lines))
    faults = [fault for batch in spoor.open(faulty) for fault in batch.faults]
    assert [fault["line"] for fault in faults] == [10] and faults[0]["expected"]
    reader = spoor.open(faulty)._open()
    batch = reader.next_batch()
    reader.close()
    raised(ValueError, batch.row, 0)
    raised(ValueError, lambda: batch.faults)
    raised(IndexError, spoor.open(faulty)._open().next_batch().row, 10**9)


@test()
def threads_share_a_reader():
    reader = spoor.open(trace_of("tarmac"), threads=2)._open()
    counts, errors = [], []

    def work():
        try:
            while (batch := reader.next_batch()) is not None:
                counts.append(len(batch))
                batch.row(0)
        except Exception as error:  # noqa: BLE001
            errors.append(error)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and sum(counts) == sum(len(b) for b in spoor.open(reader.path))


@test()
def memory_is_given_back():
    def once():
        trace = spoor.open(trace_of("tarmac"), where="kind==mem")
        sum(len(batch) for batch in trace)
        list(spoor.open(trace.path).columns("mem"))
        spoor.open(trace.path).info()
        trace.__arrow_c_stream__()
        raised(spoor.UsageError, trace.cache, "nonsense")
        gc.collect()

    def size():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    for _ in range(5):
        once()
    before = size()
    blocks = sys.getallocatedblocks()  # an object that is not given back keeps its block
    for _ in range(25):
        once()
    grown = size() - before
    watched = os.environ.get("LD_PRELOAD")  # a sanitizer keeps what is freed
    assert watched or grown < 3 << 20, grown
    more = sys.getallocatedblocks() - blocks
    assert more < 25, more


@test()
def importing_is_quick():
    words = [sys.executable, "-c", "import time; t=time.process_time(); import spoor;"
                                   "print(time.process_time()-t)"]
    best = min(float(subprocess.run(words, check=True, capture_output=True).stdout)
               for _ in range(3))
    print(f"# import: {best * 1000:.1f} ms")
    assert best < 0.05 or os.environ.get("LD_PRELOAD"), best


@test()
def what_the_module_exports_has_documentation_and_types():
    for name in spoor.__all__:
        thing = getattr(spoor, name)
        if callable(thing) and name != "Has":
            assert thing.__doc__, name
    for name, method in vars(spoor.Trace).items():
        if not name.startswith("_") and callable(method):
            assert method.__doc__, name
            assert "return" in method.__annotations__ or "pandas" in name, name
    folder = Path(spoor.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()
    stub = (folder / "_core.pyi").read_text()
    from spoor import _core
    for type_ in (_core.Reader, _core.Batch, _core.History):
        for name in vars(type_):
            if not name.startswith("_"):
                assert f"def {name}(" in stub or f"{name}:" in stub, name
    names = {row[0] for row in spoor.fields()}
    assert {"record", "pc", "addr"} <= names and len(spoor.fields("mem")) < len(names)
    assert any(row["name"] == "tarmac" and row["reads"] for row in spoor.formats())


def main():
    there = {"numpy": numpy, "pandas": pandas}
    chosen = [(f, n) for f, n in tests if not sys.argv[1:] or f.__name__ in sys.argv[1:]]
    failed = 0
    print(f"1..{len(chosen)}")
    for number, (function, needs) in enumerate(chosen, 1):
        name = function.__name__.replace("_", " ")
        absent = [module for module in needs if there[module] is None]
        start = time.perf_counter()
        if absent:
            print(f"ok {number} - {name} # SKIP {' and '.join(absent)} cannot be imported")
            continue
        try:
            function()
            print(f"ok {number} - {name}")
        except Exception:  # noqa: BLE001
            failed += 1
            print(f"not ok {number} - {name}")
            print("# " + traceback.format_exc().replace("\n", "\n# "))
        if os.environ.get("SPOOR_VERBOSE"):
            print(f"# {time.perf_counter() - start:.2f} s")
    return failed > 0


if __name__ == "__main__":
    try:
        code = main()
    finally:
        import shutil
        shutil.rmtree(FOLDER, ignore_errors=True)
    sys.exit(code)

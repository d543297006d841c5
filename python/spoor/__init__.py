# SPDX-License-Identifier: MIT
"""spoor: processor traces in Python.

    import spoor

    trace = spoor.open("run.tarmac.gz", where="kind==mem")
    for batch in trace:                       # zero-copy, as numpy arrays
        print(batch.array["time"][:4])
    trace.to_pandas(kind="mem", fields=["pc", "addr", "size"])
    trace.cache("l1d:32K,8,64")["caches"]     # what the program `spoor` answers, as dicts
    trace.state("record:1000")                # registers at a moment
    trace.writers("0x8000+8")                 # what wrote these bytes

A trace is opened with open() and can be read any number of times; each reading starts at its
beginning.  Reading runs without the GIL.  Errors are spoor.Error: file, line, sentence.  numpy and
pandas are needed only by what returns their objects.
"""
from __future__ import annotations

import io as _io
import os as _os
import warnings as _warnings

from . import _core
from ._core import Error, InputError, UsageError
from ._records import KINDS, Has, record_dtype

__all__ = ["open", "Trace", "Batch", "Block", "Column", "Picture", "Error", "InputError",
           "UsageError", "KINDS", "Has", "fields", "formats", "record_dtype", "version", "features"]

TYPE_CHECKING = False
if TYPE_CHECKING:  # not when the module is imported: that should be quick
    from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union
    Path = Union[str, bytes, "_os.PathLike[str]", "_os.PathLike[bytes]"]
    Words = Union[str, Sequence[str]]

version: str = _core.version
features: str = _core.features
__version__ = version

_EFFECTS = {None: 0, False: 1, True: 2}
_ISAS = {None: 0, "riscv": 1, "aarch64": 2, "aarch32": 3, "mips": 4, "loongarch": 5}
# Methods whose results have pictures, and the verb that prints such a result.
_PLOTS = {name: name for name in ("info", "mix", "check", "stats", "profile", "cache", "tlb", "page",
                                  "branch", "pipe")}
_PLOTS.update(cache_curve="cache", cache_sweep="cache")
_BUSES = {"all": 0, "data": 1, "memory": 2}


def formats() -> List[Dict[str, Any]]:
    """The formats: name, title, suffixes, and whether the library reads and writes them."""
    return _core.formats()


def fields(kind: Optional[str] = None) -> List[Tuple[str, str, str]]:
    """The fields that records of a kind can have (None: all): name, Python type, meaning."""
    return _core.fields(-1 if kind is None else _number_of(kind))


def _usage_error(sentence: str, file: Optional[str] = None) -> UsageError:
    """An error with the attributes that those of the library have."""
    error = UsageError(f"{file}: {sentence}" if file else sentence)
    error.file, error.line, error.offset, error.errno = file, None, None, None
    error.sentence = sentence
    return error


def _number_of(kind: str) -> int:
    if kind not in KINDS:
        raise _usage_error(f"found kind {kind!r}, expected one of {', '.join(KINDS)}")
    return KINDS.index(kind)


def _object(text: str) -> Any:
    import json
    return json.loads(text)


def _threads(threads: Optional[int]) -> int:
    if threads is not None:
        return threads
    try:
        return len(_os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return _os.cpu_count() or 1


def _numpy():
    try:
        import numpy
    except ImportError as error:
        raise ImportError("this needs numpy (Debian: python3-numpy); batch.rows() and "
                          "memoryview(batch.block) do not") from error
    return numpy


class Block:
    """Items of one size in memory: references, branches, instructions or effects.

    `numpy.asarray(block)` and `block.array` are structured arrays without a copy, read-only;
    `memoryview(block.block)` has the same bytes without numpy.
    """

    __slots__ = ("block", "_array")

    def __init__(self, block: Any):
        self.block = block
        self._array = None

    def __len__(self) -> int:
        return len(self.block)

    @property
    def array(self):
        """The items as a structured array, without a copy."""
        if self._array is None:
            self._array = _numpy().asarray(self.block)
        return self._array

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        return self.array.__array_interface__

    def __array__(self, dtype=None, copy=None):
        array = self.array
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __getitem__(self, key):
        return self.array[key]

    def names(self, field: str = "cpu") -> List[str]:
        """The text of a field that holds numbers of names, one for each item."""
        names = self.block.reader.names
        return [names[number] for number in self.array[field].tolist()]


class Batch(Block):
    """Consecutive records of a trace, or those of them that `where` accepts.

    `batch.array` has the head of each record: time, kind, op, has, cpu, spelling, body.
    `batch.of("mem")` sees the same memory with the members of one kind; record.h describes them.
    """

    __slots__ = ("_fields",)

    def __init__(self, block: Any, fields: Optional[Sequence[str]] = None):
        super().__init__(block)
        self._fields = fields

    @property
    def array(self):
        """The records as a structured array, without a copy."""
        if self._array is None:
            self._array = _numpy().frombuffer(self.block, dtype=record_dtype())
        return self._array

    def of(self, kind: str):
        """The records with the members of a kind: a view of all of them, without a copy.  A record
        of another kind has nothing meaningful there: `a[a["kind"] == number]` chooses."""
        _number_of(kind)
        return self.array.view(record_dtype(kind))

    @property
    def first(self) -> int:
        """Where the batch's first record lies in the trace, from 0."""
        return self.block.first

    @property
    def line(self) -> Optional[int]:
        """The line of that record; None in a binary trace."""
        return self.block.line

    @property
    def ordinals(self) -> List[int]:
        """Where each record lies in the trace, from 0."""
        return self.block.ordinals

    @property
    def faults(self) -> List[Dict[str, Any]]:
        """Where the batch breaks its format: record, line, column, rule, found, expected."""
        return self.block.faults

    @property
    def text(self) -> bytes:
        """The bytes that the batch was decoded from."""
        return self.block.text

    def row(self, index: int, fields: Optional[Sequence[str]] = None) -> Dict[str, Any]:
        """A record as a dict: the fields that it has, of all or of those that are named."""
        return self.block.row(index, self._fields if fields is None else fields)

    def value(self, index: int, field: str) -> Any:
        """One field of a record; None if the record does not have it."""
        return self.block.value(index, field)

    def rows(self, fields: Optional[Sequence[str]] = None) -> Iterator[Dict[str, Any]]:
        """All records as dicts."""
        for index in range(len(self)):
            yield self.row(index, fields)


class Column:
    """A column of a table: `values`, `nulls` (None: every row has a value), and for texts
    `categories`, of which the values are the numbers.  Both are blocks that numpy reads."""

    __slots__ = ("values", "nulls", "categories")

    def __init__(self, values: Any, nulls: Any, categories: Optional[List[str]]):
        self.values, self.nulls, self.categories = values, nulls, categories

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        what = "texts" if self.categories is not None else memoryview(self.values).format
        return f"<spoor.Column: {len(self)} {what}>"

    def to_list(self) -> List[Any]:
        """The values as Python objects, None where there is none; without numpy."""
        values = memoryview(self.values).tolist()
        if self.categories is not None and self.categories:
            values = [self.categories[number] for number in values]
        if self.nulls is None:
            return values
        return [None if null else value
                for value, null in zip(values, memoryview(self.nulls).tolist())]

    def to_numpy(self):
        """A numpy array; one with nulls is a masked array."""
        numpy = _numpy()
        array = numpy.asarray(self.values)
        if self.categories is not None:
            texts = numpy.array(self.categories + [""], dtype=object)
            array = texts[array]
        if self.nulls is None:
            return array
        return numpy.ma.masked_array(array, mask=numpy.asarray(self.nulls))

    def to_pandas(self, categorical: bool = False):
        """A pandas array: UInt64, Int64 and boolean where there are nulls; str objects, or
        categories."""
        numpy = _numpy()
        import pandas
        values = numpy.asarray(self.values)
        nulls = None if self.nulls is None else numpy.asarray(self.nulls)
        if self.categories is not None:
            codes = values.astype("int32")
            if nulls is not None:
                codes[nulls] = -1
            if categorical:
                return pandas.Categorical.from_codes(codes, self.categories)
            texts = numpy.array(self.categories + [None], dtype=object)
            return texts[codes]
        if nulls is None:
            return values
        if values.dtype == bool:
            return pandas.arrays.BooleanArray(values, nulls)
        return pandas.arrays.IntegerArray(values, nulls)


class Trace:
    """A trace: a path and how to read it.  Make one with open()."""

    def __init__(self, path: Path, *, where: Optional[str] = None,
                 fields: Optional[Sequence[str]] = None, format: Optional[str] = None,
                 threads: Optional[int] = None, images: Sequence[str] = (),
                 dialect: Optional[str] = None, isa: Optional[str] = None,
                 implicit_thumb: bool = False, effects_first: Optional[bool] = None,
                 memory: int = 0, samples: int = 0):
        if isa not in _ISAS:
            raise _usage_error(f"found isa {isa!r}, expected riscv, aarch64, aarch32, mips or loongarch")
        self._how = dict(format=format, threads=_threads(threads), dialect=dialect,
                         isa=_ISAS[isa], implicit_thumb=implicit_thumb,
                         effects=_EFFECTS[effects_first], memory=memory, samples=samples,
                         where=where, images=[_os.fspath(i) for i in images])
        self.path = _os.fsdecode(path)
        self.where = where
        self.fields = [fields] if isinstance(fields, str) else fields and list(fields)
        known = {name for name, _, _ in _core.fields()}
        for field in self.fields or ():
            if field not in known:
                raise _usage_error(f"found field {field!r}, expected one of spoor.fields()")
        self._opened: Optional[Any] = self._open()  # used by the first reading
        self._history: Optional[Any] = None
        reader = self._opened
        #: The format's name, what it is, and that of the file if it holds records of another.
        self.format, self.title, self.container = reader.format, reader.title, reader.container
        #: none, gzip, zstd, xz, bzip2 or lz4.
        self.compression: str = reader.compression
        #: The lines that a .spoor file has about itself; None in others.
        self.description: Optional[str] = reader.description
        #: The kinds of records that the format has.
        self.kinds = [kind for i, kind in enumerate(KINDS) if reader.kinds >> i & 1]

    def __repr__(self) -> str:
        return f"<spoor.Trace {self.path!r}: {self.format}>"

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes what is open; the trace can be read again all the same."""
        if self._opened is not None:
            self._opened.close()
        self._opened = self._history = None

    def _open(self) -> Any:
        return _core.Reader(self.path, **self._how)

    def _reader(self) -> Any:
        reader, self._opened = self._opened, None
        return reader or self._open()

    # ---- reading ----

    def batches(self) -> Iterator[Batch]:
        """The records, batch by batch, in order; a batch stays valid as long as it is held."""
        reader = self._reader()
        while (block := reader.next_batch()) is not None:
            yield Batch(block, self.fields)

    __iter__ = batches

    def rows(self, fields: Optional[Sequence[str]] = None) -> Iterator[Dict[str, Any]]:
        """The records as dicts of their fields."""
        for batch in self.batches():
            yield from batch.rows(fields)

    def references(self, *, bus: str = "all", tarmac_bus: bool = False, physical: bool = False,
                   pc_by_order: bool = False, update_once: bool = False) -> Iterator[Block]:
        """Memory references, block by block: address, pc, size, cpu, op, has (view.h)."""
        if bus not in _BUSES:
            raise _usage_error(f"found bus {bus!r}, expected all, data or memory")
        reader = self._reader()
        while (block := reader.next_references(
                bus=_BUSES[bus], tarmac_bus=tarmac_bus, physical=physical,
                pc_by_order=pc_by_order, update_once=update_once)) is not None:
            yield Block(block)

    def branches(self) -> Iterator[Block]:
        """Branches, block by block: pc, target, fall, gap, cpu, type, has (view.h)."""
        reader = self._reader()
        while (block := reader.next_branches()) is not None:
            yield Block(block)

    def gather(self, field: str, view: str = "references", *, bus: str = "all",
               tarmac_bus: bool = False, physical: bool = False, pc_by_order: bool = False,
               update_once: bool = False) -> Block:
        """One field of all references or branches of the trace, as one array: `gather("address")`."""
        if view not in ("references", "branches") or bus not in _BUSES or self.where:
            raise _usage_error("expected view references or branches, bus all, data or memory, and a "
                             "trace without `where`")
        return Block(self._reader().gather(field, branches=view == "branches", bus=_BUSES[bus],
                                           tarmac_bus=tarmac_bus, physical=physical,
                                           pc_by_order=pc_by_order, update_once=update_once))

    def instructions(self) -> Iterator[Tuple[Block, Block]]:
        """Instructions and their effects, block by block.  The effects of instruction i are those
        from `effects` on, `effect_count` of them, in the second block (instruction.h)."""
        if self.where:
            raise _usage_error("instructions are of whole traces: open it without `where`")
        reader = self._reader()
        while (blocks := reader.next_instructions()) is not None:
            yield Block(blocks[0]), Block(blocks[1])

    # ---- tables ----

    def columns(self, kind: Optional[str] = None,
                fields: Optional[Sequence[str]] = None) -> Dict[str, Column]:
        """The records of a kind (None: all) as columns by field; numbers of over 64 bits are texts
        in FIELD_hex, where there are any."""
        chosen = self.fields if fields is None else fields
        made = self._reader().columns(kind=kind, fields=chosen)
        order = [name for field in chosen or () for name in (field, f"{field}_hex")]
        columns = {name: Column(*made[name]) for name in (order or made) if name in made}
        return {name: column for name, column in columns.items()
                if column.categories or not name.endswith("_hex")}

    def to_pandas(self, kind: Optional[str] = None, fields: Optional[Sequence[str]] = None, *,
                  categorical: bool = False):
        """The records of a kind (None: all) as a pandas.DataFrame."""
        _numpy()
        import pandas
        return pandas.DataFrame({name: column.to_pandas(categorical)
                                 for name, column in self.columns(kind, fields).items()})

    def arrow(self, kind: Optional[str] = None, fields: Optional[Sequence[str]] = None, *,
              rows: int = 0) -> Any:
        """A PyCapsule with Arrow's C stream of the records."""
        return self._reader().arrow(kind=kind, fields=self.fields if fields is None else fields,
                                    rows=rows)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's PyCapsule interface: pyarrow.table(trace), polars.DataFrame(trace)."""
        return self.arrow()

    def table(self, kind: Optional[str] = None, fields: Optional[Sequence[str]] = None) -> Table:
        """The records of a kind for programs that speak Arrow's PyCapsule interface."""
        return Table(self, kind, fields)

    def write(self, path: Path, format: Optional[str] = None, *, level: str = "default") -> int:
        """Writes the records in a format (None: the same), compressed by the suffix, in the order
        in which they are read: see effects_first of open().  Returns the number of records that the
        format cannot represent, which are left out.  Only Parquet has another level, "small"."""
        levels = {"default": 0, "small": 1}
        if level not in levels:
            raise _usage_error(f"found level {level!r}, expected default or small")
        return self._reader().write(path, format=format, level=levels[level])

    # ---- the past ----

    def _past(self) -> Any:
        if self.where:
            raise _usage_error("the past is that of whole traces: open it without `where`")
        if self._history is None:
            how = {name: self._how[name] for name in ("format", "threads", "dialect", "isa",
                                                      "implicit_thumb", "effects", "memory")}
            self._history = _core.History(self.path, **how)
        return self._history

    def state(self, at: Union[str, int, None] = None) -> Dict[str, Any]:
        """The registers of every processor at a moment: "end" (None), a time, "record:N", "line:N",
        "pc:ADDR#K".  `record` is the last one before it.  The first question makes an index and stores it beside the trace."""
        return _object(self._past().state(None if at is None else str(at)))

    def touches(self, what: Union[str, int], at: Union[str, int, None] = None,
                maximum: int = 0) -> List[Dict[str, Any]]:
        """What read or wrote a register or memory ("0x8000+8", or a number) before a moment, in
        order; `maximum`: only the last ones."""
        what = f"{what:#x}" if isinstance(what, int) else what
        at = None if at is None else str(at)
        return _object(self._past().touches(what, at, maximum))["touches"]

    def writers(self, what: Union[str, int], at: Union[str, int, None] = None) -> List[Dict]:
        """What wrote a register or memory before a moment, in order."""
        return [touch for touch in self.touches(what, at) if touch["access"] != "read"]

    # ---- tools: the results of the program's verbs ----

    def _run(self, tool: str, **options: Any) -> Dict[str, Any]:
        given = {name: value for name, value in options.items() if value is not None}
        return _object(self._reader().run(tool, given))

    def _run_text(self, tool: str, **options: Any) -> str:
        given = {name: value for name, value in options.items() if value is not None}
        return self._reader().run(tool, given)

    def plot(self, result: str, *words: Any, table: Optional[str] = None, **options: Any) -> Picture:
        """A result as a picture, as --plot of the program draws it.

        result: the method that gives it ("mix", "cache_curve", "branch" ...), with its arguments.
        table: only this table of the result (None: every one that has a plot).
        """
        if result not in _PLOTS:
            raise _usage_error(f"found {result!r}, expected one of {', '.join(_PLOTS)}")
        drawing = Trace.__new__(Trace)
        drawing.__dict__.update(self.__dict__)
        how = {"plot": _PLOTS[result], "table": table}
        drawing._run = lambda tool, **given: self._run_text(tool, **given, **how)
        return Picture(getattr(drawing, result)(*words, **options))

    def info(self) -> Dict[str, Any]:
        """What is in the trace: spoor-info(1)."""
        return self._run("info")

    def mix(self, *, window: Optional[int] = None, page: Optional[int] = None,
            top: Optional[int] = None) -> Dict[str, Any]:
        """Instructions and references by kind: spoor-mix(1)."""
        return self._run("mix", window=window, page=page, top=top)

    def check(self, *, enable: Words = (), disable: Words = (),
              maximum: int = 20) -> Dict[str, Any]:
        """Findings of rules, at most `maximum` of each (0: all), and their counts: spoor-check(1)."""
        return self._run("check", enable=enable or None, disable=disable or None, maximum=maximum)

    def stats(self, kind: str, *, top: int = 10, bus_width: Optional[int] = None,
              address: Optional[int] = None) -> Dict[str, Any]:
        """What the trace recorded of the machine's own cache, walk, tlb or bus: spoor-stats(1)."""
        return self._run("stats", kind=kind, top=top, bus_width=bus_width, address=address)

    def exceptions(self, *, cpu: Optional[str] = None,
                   limit: Optional[int] = None) -> Dict[str, Any]:
        """Exceptions and interrupts: spoor-exceptions(1)."""
        return self._run("exceptions", cpu=cpu, limit=limit)

    def coverage(self, unit: str = "summary", *, missing: bool = False, files: Words = (),
                 cpu: Optional[str] = None) -> Dict[str, Any]:
        """What ran, by summary, file, function, line, branch, address or cpu:
        spoor-coverage(1)."""
        return self._run("coverage", unit=unit, missing=missing, files=files or None, cpu=cpu)

    def lcov(self, *, files: Words = ()) -> str:
        """Coverage as a tracefile of lcov."""
        return self._run_text("coverage", lcov=True, files=files or None)

    def calls(self, *, depth: Optional[int] = None, cpu: Optional[str] = None,
              limit: Optional[int] = None) -> Dict[str, Any]:
        """The tree of calls: spoor-calls(1)."""
        return self._run("calls", depth=depth, cpu=cpu, limit=limit)

    def profile(self, *, unit: str = "instructions", by: str = "function", edges: bool = False,
                caches: Words = (), predictor: Optional[str] = None,
                cpu: Optional[str] = None) -> Dict[str, Any]:
        """Costs by function, line, file, address or opcode; unit: instructions, time,
        accesses, misses (of `caches`), mispredictions (of `predictor`): spoor-profile(1)."""
        return self._run("profile", unit=unit, by=by, edges=edges, caches=caches or None,
                         predictor=predictor, cpu=cpu)

    def flame(self, form: str = "folded", *, unit: str = "instructions",
              cpu: Optional[str] = None) -> str:
        """A flame graph: folded stacks, svg or speedscope: spoor-profile(1)."""
        if form not in ("folded", "svg", "speedscope"):
            raise _usage_error(f"found form {form!r}, expected folded, svg or speedscope")
        return self._run_text("profile", unit=unit, form=form, cpu=cpu)

    def annotate(self, function: Optional[str] = None, *, top: int = 1,
                 cpu: Optional[str] = None) -> List[Dict[str, Any]]:
        """A function, or those that ran most, instruction by instruction: spoor-annotate(1)."""
        return self._run("annotate", function=function, top=top, cpu=cpu)["functions"]

    def cache(self, *levels: str, classify: bool = True, flush: bool = False,
              by_pc: bool = False, by_region: bool = False, by_set: bool = False,
              incoherent: bool = False, unknown_size: Optional[int] = None, top: int = 10,
              seed: Optional[int] = None, bus: str = "all", tarmac_bus: bool = False,
              shared: bool = False) -> Dict[str, Any]:
        """Caches such as "l1d:32K,8,64" on the references: spoor-cache(1)."""
        return self._run("cache", levels=levels or None, classify=classify, flush=flush,
                         by_pc=by_pc, by_region=by_region, by_set=by_set, incoherent=incoherent,
                         unknown_size=unknown_size, top=top, seed=seed, bus=bus,
                         tarmac_bus=tarmac_bus, shared=shared)

    def cache_sweep(self, ranges: str = "", *, bus: str = "all",
                    shared: bool = False) -> List[Dict[str, Any]]:
        """All caches of "size=1K..1M,ways=1..16,block=64" in one pass.

        Each is one cache of all cpus: without shared=True, a warning says so of several.
        """
        found = self._run("sweep", ranges=ranges, bus=bus, shared=shared)
        if isinstance(found, str):
            return found
        for sentence in found.get("missing", []):
            _warnings.warn(sentence, stacklevel=2)
        return found["sweep"]

    def cache_curve(self, *, block: int = 64, rate: float = 1.0,
                    bus: str = "all", shared: bool = False) -> Dict[str, Any]:
        """Misses by size of a fully associative LRU cache, and reuse distances.

        It is one cache of all cpus: without shared=True, "missing" says so of several.
        """
        return self._run("curve", block=block, rate=rate, bus=bus, shared=shared)

    def tlb(self, *levels: str, classify: bool = True, seed: Optional[int] = None,
            bus: str = "all", shared: bool = False) -> Dict[str, Any]:
        """TLBs such as "dtlb:64,4,4K": spoor-tlb(1)."""
        return self._run("tlb", levels=levels or None, classify=classify, seed=seed, bus=bus,
                         shared=shared)

    def page(self, *, levels: Sequence[int] = (20,), address_bits: Optional[int] = None,
             frames: Optional[int] = None, policy: Optional[str] = None,
             tlb: Optional[int] = None, bus: str = "all") -> Dict[str, Any]:
        """Page tables with levels of these index bits: spoor-page(1)."""
        return self._run("page", levels=[str(bits) for bits in levels], address_bits=address_bits,
                         frames=frames, policy=policy, tlb=tlb, bus=bus)

    def branch(self, *predictors: str, warmup: Optional[int] = None, hardest: int = 0,
               over_time: bool = False, unconditional: bool = False,
               preset: Optional[str] = None, shared: bool = False) -> Dict[str, Any]:
        """Branch predictors such as "gshare:bits=14": spoor-branch(1)."""
        return self._run("branch", predictors=predictors or None, warmup=warmup, hardest=hardest,
                         over_time=over_time, unconditional=unconditional, preset=preset,
                         shared=shared)

    def pipe(self, preset: Optional[str] = None, *, settings: Optional[Dict[str, Any]] = None,
             warm_up: Optional[int] = None, first: Optional[int] = None,
             end: Optional[int] = None, limits: bool = False, critical: bool = False,
             levels: Words = (), predictors: Words = (),
             shared: bool = False) -> Dict[str, Any]:
        """A pipeline: cycles and their causes: spoor-pipe(1).

        Caches such as "l1d:32K,8,64" replace those of the preset, and predictors such as
        "gshare:bits=14", several together, its predictor.
        """
        predictor = predictors if isinstance(predictors, str) else "+".join(predictors)
        words = [f"{name}={value}" for name, value in (settings or {}).items()]
        return self._run("pipe", preset=preset, settings=words or None, warm_up=warm_up,
                         first=first, end=end, limits=limits, critical=critical,
                         levels=levels or None, predictor=predictor or None,
                         shared=shared)

    def diff(self, other: Trace, *, rules: Words = (), window: Optional[int] = None,
             lookahead: Optional[int] = None, skip: Optional[int] = None,
             retained: Optional[int] = None, by_record: bool = False, first_only: bool = False,
             compare_time: bool = False) -> Dict[str, Any]:
        """The comparison of two traces; rules such as "tolerate not-taken": spoor-diff(1)."""
        if not isinstance(other, Trace):
            raise TypeError(f"expected a spoor.Trace, as spoor.open() returns it, not "
                            f"{type(other).__name__}")
        if self.where or other.where:
            raise _usage_error("whole traces are compared: open both without `where`")
        options = dict(rules=rules or None, window=window, lookahead=lookahead, skip=skip,
                       retained=retained, by_record=by_record, first_only=first_only,
                       compare_time=compare_time)
        given = {name: value for name, value in options.items() if value is not None}
        return _object(self._reader().diff(other._reader(), given))


class Picture(str):
    """An SVG picture as a text, which a notebook shows."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: Path) -> None:
        """Writes the picture to a file."""
        with _io.open(path, "w", encoding="utf-8") as file:
            file.write(self)


class Table:
    """The records of one kind, for pyarrow.table(), polars.DataFrame() and others."""

    def __init__(self, trace: Trace, kind: Optional[str], fields: Optional[Sequence[str]]):
        self.trace, self.kind, self.fields = trace, kind, fields

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.trace.arrow(self.kind, self.fields)

    def to_pandas(self, *, categorical: bool = False):
        """The table as a pandas.DataFrame, without Arrow."""
        return self.trace.to_pandas(self.kind, self.fields, categorical=categorical)


def open(path: Path, **options: Any) -> Trace:
    """Opens a trace; detects its format and compression by content.

    where: an expression that selects records, as --where of the program ("kind==mem && addr>=0x1000").
    fields: the fields that rows and tables have (None: all).
    format: its name, where it is not to be detected.  threads: None: one for each processor.
    images: ELF files and lists of symbols, "FILE" or "FILE@OFFSET", for names of functions.
    effects_first: the file has the effects of an instruction before it, as RTL prints them (None:
    found by the registers that opcodes write); the records have them after it.  False: they stay
    as they are in the file.
    dialect, isa, implicit_thumb, memory, samples: as struct spoor_reader_options in reader.h.
    """
    return Trace(path, **options)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""coresight.py FOLDER ELEMENTS: the elements of a CoreSight snapshot that trc_pkt_lister printed, against spoor's records.

ELEMENTS (xz) is the output of `trc_pkt_lister -ss_dir FOLDER -decode_only`, which is that of the first buffer; that of further
buffers is compared where trc_pkt_lister is installed.  From each line follows what records must be there, in this order, of
this processor: instructions by address and count, whether the last one was executed, branches, and all other elements with
their numbers.  Prints how many elements and instructions were compared."""
import csv
import io
import lzma
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FIELDS = "kind,op,cpu,pc,opcode,opcode_size,iset,branch,target,event,mode,number,value,value1,text,time"
LINE = re.compile(r"Idx:(\d+); ID:([0-9a-f]+); OCSD_GEN_TRC_ELEM_(\w+)\((.*)\)$")
RANGE = re.compile(r"exec range=0x(\w+):\[0x(\w+)\] num_i\((\d+)\) last_sz\((\d)\) \(ISA=(\w+)\) ([EN]) (\S+) ?(.*)")
ISETS = {"A64": "O", "A32": "A", "T32": "T"}


def sections(path):
    """The ini file as a list of (section, key, value)."""
    entries, section = [], ""
    for line in path.read_text().splitlines():
        line = re.split("[;#]", line)[0].strip()
        if line.startswith("["):
            section = line[1:-1]
        elif line:
            key, value = line.split("=", 1)
            entries.append((section, key.split("(")[0], value))
    return entries


def snapshot(folder):
    """The buffers in their order, and for each the names of processors by trace id (None: the only one)."""
    listed = sections(folder / "snapshot.ini")
    trace = sections(folder / dict((k, v) for s, k, v in listed if s == "trace")["metadata"])
    devices = {}
    for section, _, name in listed:
        if section == "device_list":
            entries = sections(folder / name)
            device = {k: v for s, k, v in entries if s == "device"}
            device["regs"] = {k: v for s, k, v in entries if s == "regs"}
            devices[device["name"]] = device
    cores = {v: k for s, k, v in trace if s == "core_trace_sources" if k in devices}
    buffers = []
    for name in next(v for s, k, v in trace if k == "buffers").split(","):
        keys = {k: v for s, k, v in trace if s == name.strip()}
        if not keys:
            continue
        ids = {}
        for source in (k for s, k, v in trace if s == "source_buffers" and v == keys["name"]):
            regs = devices[source]["regs"]
            bits = next(int(regs[r], 0) for r in ("TRCTRACEIDR", "ETMTRACEIDR", "STMTCSR") if r in regs)
            ids[(bits >> 16 if "STMTCSR" in regs else bits) & 0x7F] = cores.get(source, source)
        buffers.append((keys["name"], ids))
    return buffers


def number(text, pattern):
    found = re.search(pattern, text)
    return found and int(found[1], 0)


class Comparison:
    def __init__(self, folder):
        command = ["spoor", "print", "--csv", "--fields", FIELDS, str(folder)]
        printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        self.records = [r for r in csv.DictReader(io.StringIO(printed)) if r["kind"] != "note"]
        self.at = self.elements = self.instructions = 0
        self.running, self.hidden = set(), set()
        self.waiting = {}  # by processor: the record that waits for an address, and the name of its field
        self.line = ""

    def fail(self, words):
        near = self.records[max(self.at - 2, 0):self.at + 2]
        sys.exit(f"{self.line}\nrecord {self.at}: {words}\n" + "\n".join(str(r) for r in near))

    def next(self, **expected):
        if self.at == len(self.records):
            self.fail(f"found the end, expected {expected}")
        record = self.records[self.at]
        for field, value in expected.items():
            if isinstance(value, int):
                same = record[field] != "" and int(record[field], 0) == value
            else:
                same = record[field] == (value or "")
            if not same:
                self.fail(f"{field} is {record[field]!r}, expected {value!r}")
        self.at += 1
        return record

    def reach(self, cpu, address):
        """Execution of the processor goes on at the address: what waits for it has it."""
        for record, field in self.waiting.pop(cpu, []):
            if record[field] == "" or int(record[field], 0) != address:
                self.fail(f"{field} of {record} is not 0x{address:x}")

    def drop(self, cpu, field=None):
        """Nothing follows: there is no address."""
        for record, name in self.waiting.pop(cpu, []):
            if field in (None, name):
                if record[name] != "":
                    self.fail(f"{name} of {record} is stated")
            else:
                self.wait(cpu, record, name)

    def wait(self, cpu, record, field):
        self.waiting.setdefault(cpu, []).append((record, field))

    def range(self, cpu, text):
        begin, end, count, size, isa, executed, kind, rest = RANGE.match(text).groups()
        begin, end, count, size = int(begin, 16), int(end, 16), int(count), int(size)
        if cpu in self.hidden:
            self.wait(cpu, self.next(kind="event", op="begin", cpu=cpu), "value")
        self.hidden.discard(cpu)
        self.reach(cpu, begin)
        pc = begin
        for i in range(count):
            last = i == count - 1
            inside = self.records[self.at + 1]["kind"] == "flow" and not last
            op = "taken" if (executed == "E" if last else not inside) else "skipped"
            record = self.next(kind="insn", op=op, cpu=cpu, pc=pc, iset=ISETS[isa])
            pc += int(record["opcode_size"])
            if inside:  # a conditional branch in a range of ETE
                branch = self.next(kind="flow", cpu=cpu, branch="N", target="")
                if not branch["op"].startswith("conditional"):
                    self.fail(f"{branch} in a range")
            if last and (pc != end or int(record["opcode_size"]) != size):
                self.fail(f"the last instruction ends at 0x{pc:x}, expected 0x{end:x}")
        self.instructions += count
        if kind in ("BR", "iBR"):
            rest = rest.replace("  ", " ")
            types = {"b+link": "call", "A64:ret": "return", "A64:eret": "return", "V7:impl ret": "return"}
            what = next((t for words, t in types.items() if words in rest), "jump")
            flow = self.next(kind="flow", cpu=cpu, branch="T" if executed == "E" else "N", pc=pc - size)
            conditional = "<cond>" in rest
            words = flow["op"].split("-")
            if ("conditional" in words) != conditional or (what != "jump" and what not in words):
                self.fail(f"{flow['op']}: expected {'conditional ' if conditional else ''}{what}")
            if executed == "E":
                self.wait(cpu, flow, "target")
            elif flow["target"]:
                self.fail("a target of a branch that was not taken")
        self.running.add(cpu)

    def element(self, name, text, cpu):
        cycles = number(text, r"\[CC=(\d+)\]")
        if name == "INSTR_RANGE":
            self.range(cpu, text)
        elif name in ("ADDR_NACC", "I_RANGE_NOPATH"):
            address = int(re.search(r"0x(\w+)", text)[1], 16)
            self.reach(cpu, address)
            self.next(kind="event", op="end", cpu=cpu, value1=address)
            self.running.discard(cpu)
            self.hidden.add(cpu)
        elif name == "NO_SYNC":
            self.next(kind="event", op="state" if "init-decoder" in text else "lost", cpu=cpu)
            if "init-decoder" not in text:
                self.drop(cpu)
                self.running.discard(cpu)
                self.hidden.discard(cpu)
        elif name == "TRACE_ON":
            if "overflow" in text:
                self.next(kind="event", op="lost", cpu=cpu, text="overflow")
                self.drop(cpu)
            else:
                if cpu in self.running:
                    self.next(kind="event", op="end", cpu=cpu)
                self.drop(cpu)
                self.wait(cpu, self.next(kind="event", op="begin", cpu=cpu), "value")
            self.running.discard(cpu)
            self.hidden.discard(cpu)
        elif name == "EO_TRACE":
            self.next(kind="event", op="end", cpu=cpu, text="end of trace")
            self.drop(cpu)
            self.hidden.discard(cpu)
            self.running.discard(cpu)
        elif name == "PE_CONTEXT":
            isa, state, bits = re.match(r"\(ISA=(\w+)\) (\w+); (\d+)-bit;", text).groups()
            vmid, context = number(text, r"VMID=(0x\w+)"), number(text, r"CTXTID=(0x\w+)")
            words = f"{isa} {state} {bits}-bit"
            words += f" VMID=0x{vmid:x}" if vmid is not None else ""
            words += f" CTXTID=0x{context:x}" if context is not None else ""
            self.next(kind="event", op="state", cpu=cpu, event="context", text=words, number="" if context is None else context,
                      value1="" if vmid is None else vmid)
        elif name == "TIMESTAMP":
            stamp = number(text, r"TS=(0x\w+)")
            self.next(kind="event", op="state", event="timestamp", cpu=cpu, value1=stamp, time=stamp)
        elif name == "CYCLE_COUNT":
            pass
        elif name == "EXCEPTION":
            address, code = number(text, r"ret addr:(0x\w+)"), number(text, r"excep num \((0x\w+)\)")
            if "prev br tgt" in text:
                self.reach(cpu, address)
            else:
                self.drop(cpu, "target")
            self.next(kind="event", op="exception", cpu=cpu, number=code, value=address)
        elif name == "EXCEPTION_RET":
            self.next(kind="event", op="state", cpu=cpu, event="exception-return")
        elif name == "SWTRACE":
            found = re.match(r" ?\(Ma:0x(\w+); Ch:0x(\w+)\) *(0x\w+)?", text)
            record = self.next(kind="event", op="state", cpu=cpu, event="software")
            if found:
                master, channel, payload = found.groups()
                for field, value in (("value", int(master, 16)), ("number", int(channel, 16)), ("value1", payload and int(payload, 0))):
                    if (record[field] != "") != (value is not None) or (value is not None and int(record[field], 0) != value):
                        self.fail(f"{field} is {record[field]}, expected {value}")
            if ("+Mrk" in text) != ("marker" in record["text"]):
                self.fail("marker")
            stamp = number(text, r"TS=(0x\w+)")
            if stamp is not None:
                self.next(kind="event", op="state", event="timestamp", cpu=cpu, value1=stamp, time=stamp)
        elif name == "MEMTRANS":
            self.next(kind="event", op="state", cpu=cpu, event="transaction", text=text.lower())
        elif name == "EVENT":
            self.next(kind="event", op="state", cpu=cpu, event="event", number=number(text, r"Numbered:(\d+)"))
        elif name == "SYNC_MARKER":
            self.next(kind="event", op="state", cpu=cpu, event="marker", number=number(text, r"\((0x\w+)\)"))
        else:
            self.fail("an element that this test does not know")
        if cycles is not None:
            self.next(kind="event", op="state", cpu=cpu, event="cycles", value1=cycles)
        self.elements += 1

    def lines(self, lines, ids):
        for line in lines:
            self.line = line
            found = LINE.search(line)
            if found:
                _, source, name, text = found.groups()
                self.element(name, text, ids.get(int(source, 16)) or next(iter(ids.values())))
        # where libopencsd gives up, its lister stops without a word
        given_up = "the rest of the buffer is not decoded"
        while self.at < len(self.records) and self.records[self.at]["text"] == given_up:
            self.at += 1
        self.running.clear()
        self.hidden.clear()
        for cpu in list(self.waiting):
            self.drop(cpu)


def main():
    folder, elements = Path(sys.argv[1]), sys.argv[2]
    comparison = Comparison(folder)
    first, *others = snapshot(folder)
    comparison.lines(lzma.open(elements, "rt").read().splitlines(), first[1])
    for name, ids in others:
        if not shutil.which("trc_pkt_lister"):
            break
        command = ["trc_pkt_lister", "-ss_dir", str(folder.resolve()), "-src_name", name, "-decode_only", "-logstdout"]
        with tempfile.TemporaryDirectory() as scratch:  # it writes a log where it runs
            listed = subprocess.run(command, capture_output=True, text=True, check=False, cwd=scratch).stdout
        comparison.lines(listed.splitlines(), ids)
    if comparison.at < len(comparison.records) and (not others or shutil.which("trc_pkt_lister")):
        comparison.fail("found a record, expected none")
    print(f"{comparison.elements} elements, {comparison.instructions} instructions")


main()

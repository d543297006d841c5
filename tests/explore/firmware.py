#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""firmware.py SPOOR [SEEDS [FIRST]]: exceptions, open calls and profiles against machines with known truth.

Each seed makes a random program and runs it on a small model of a processor: Cortex-M with nested,
tail-chained and late exceptions, three tasks that PendSV switches, and every way to return; or A64
from EL0 to EL3 with interrupts after any instruction.  The model prints a Tarmac trace and notes
itself which functions and handlers are open; it uses nothing of spoor.  `exceptions`, `calls` (the
open calls at every record), `stack` at some records and `profile` must say what the model noted.  They
must say the same of the twin of each trace in which effects come before their instruction, as RTL prints
them.
SPOOR_SOAK runs 10,000 seeds.  TAP on stdout.
"""
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

SPOOR = sys.argv[1]
SEEDS = int(sys.argv[2]) if len(sys.argv) > 2 else 10000 if os.environ.get("SPOOR_SOAK") else \
    100 * int(os.environ.get("SPOOR_TIMES", "1"))
FIRST = int(sys.argv[3]) if len(sys.argv) > 3 else 0
AT_ONCE = 50  # traces of one run of the program
LONG = [0, 2, 4, 12, 16, 33]  # seeds with all kinds of events


class Truth:
    """What is open, by thread: calls are entered and left at the record of the next instruction."""

    def __init__(self):
        self.calls, self.exceptions, self.threads = [], [], {}
        self.thread, self.pending, self.ran = None, [], 0
        self.exclusive, self.last = {}, None
        self.order, self.resumed, self.ran_by = [], {}, {}  # of threads

    def switch(self, thread):
        self.pending.append(("switch", thread))

    def enter(self, function):
        self.pending.append(("enter", function))

    def exception(self, cause, number, handler, entry, stated, back, origin=None):
        """`stated`: the record of its event; `origin`: what it interrupts where that is not the last
        instruction."""
        self.pending.append(("exception", cause, number, handler, entry, origin, stated, back))

    def leave(self):
        self.pending.append(("leave",))

    def awaits_handler(self):
        """True if an exception was taken and no instruction of its handler has run."""
        return self.pending and self.pending[-1][0] == "exception"

    def open_call(self, function, kind, record):
        stack = self.threads[self.thread]
        if self.thread not in self.order:
            self.order.append(self.thread)
        call = {"function": function, "kind": kind, "enter": record, "leave": None,
                "thread": self.thread, "depth": len(stack), "base": self.ran, "exception": None}
        self.calls.append(call)
        stack.append(call)
        return call

    def open_exception(self, what, record):
        _, cause, number, handler, entry, origin, _, back = what
        stack = self.threads.setdefault(self.thread, [])
        if not stack:  # a task that none of its instructions shows
            self.open_call(back, "start", record)
        noted = {"cause": cause, "number": number, "handler": handler, "entry": entry,
                 "from": self.last if origin is None else origin, "record": record,
                 "instructions": None, "own": 0, "returned": False,
                 "stack": [call["function"] for call in reversed(stack)][:16],
                 "nesting": sum(call["kind"] == "exception" for call in stack)}
        self.exceptions.append(noted)
        call = self.open_call(handler, "exception", record)
        call["exception"] = noted

    def close(self, record):
        call = self.threads[self.thread].pop()
        call["leave"] = record
        call["instructions"] = self.ran - call["base"]
        if call["exception"]:
            call["exception"].update(returned=True, instructions=call["instructions"],
                                     left=record)
            below = self.threads[self.thread][-1:]
            if below and below[0]["exception"] and not below[0]["begun"]:
                below[0]["exception"]["record"] = record  # a later one came before it

    def flush(self, instruction):
        for i, what in enumerate(self.pending):
            # what comes before an exception that another one follows at once is seen at its event
            record = next((later[6] for later in self.pending[i:-1] if later[0] == "exception"),
                          instruction)
            if what[0] == "switch":
                if what[1] != self.thread:
                    self.resumed[what[1]] = self.resumed.get(what[1], 0) + 1
                self.thread = what[1]
            elif what[0] == "enter":
                self.open_call(what[1], "call", record)
            elif what[0] == "exception":
                self.open_exception(what, record)
                self.calls[-1]["begun"] = what is self.pending[-1]
            elif self.threads[self.thread]:
                self.close(record)
        self.pending = []

    def step(self, record, pc):
        """An instruction at this record."""
        self.flush(record)
        stack = self.threads.setdefault(self.thread, [])
        if not stack:
            self.open_call(pc, "start", record)
        stack[-1]["begun"] = True
        self.ran += 1
        if not any(call["exception"] for call in stack):
            self.ran_by[self.thread] = self.ran_by.get(self.thread, 0) + 1
        name = stack[-1]["function"]
        self.exclusive[name] = self.exclusive.get(name, 0) + 1
        for call in reversed(stack):
            if call["exception"]:
                call["exception"]["own"] += 1
                break
        self.last = pc

    def finish(self):
        for stack in self.threads.values():
            for call in stack:
                call["instructions"] = self.ran - call["base"]
                if call["exception"]:
                    call["exception"]["instructions"] = call["instructions"]


class Function:
    """Code at fixed addresses: (pc, size, what, operand)."""

    def __init__(self, start):
        self.start, self.code, self.end = start, [], start

    def add(self, size, what, operand=None):
        self.code.append((self.end, size, what, operand))
        self.end += size

    def find(self):
        return {entry[0]: entry for entry in self.code}


# ---- Cortex-M ----

NAMES = {2: "NMI", 3: "HARDFAULT", 11: "SVCALL", 14: "PENDSV", 15: "SYSTICK"}


def m_name(number):
    return NAMES.get(number, f"EXT_INT{number - 16}")


def m_program(rng, anyhow):
    """Functions that call only later ones, then handlers by number of exception, which return
    `anyhow`, or never through r3."""
    functions = [Function(0x1000 + 0x200 * i) for i in range(rng.randint(4, 9))]
    for i, function in enumerate(functions):
        m_body(rng, function, functions[i + 1:], rng.random() < 0.15 and functions[i], False)
    tasks = [Function(0x8000 + 0x400 * i) for i in range(3)]
    for task in tasks:
        for _ in range(rng.randint(2, 8)):
            m_some(rng, task, functions, True)
        task.add(2, "b", task.start)
    handlers = {}
    for number in [11, 14, 15, 16, 17, 18]:
        handlers[number] = handler = Function(0x4000 + 0x200 * number)
        m_body(rng, handler, functions[len(functions) // 2:], None, number)
        while not anyhow and handler.code[-1][2] == "bx r3":
            handler = handlers[number] = Function(handler.start)
            m_body(rng, handler, functions[len(functions) // 2:], None, number)
    return tasks, functions, handlers


def m_some(rng, function, callees, yields):
    what = rng.choice(["nop", "nop", "bl", "blx", "bcc", "b", "svc" if yields else "nop",
                       "yield" if yields else "nop", "it"])
    if what in ("bl", "blx") and callees:
        callee = rng.choice(callees).start
        if what == "blx":
            function.add(2, "ldr r3", callee)
        function.add(*((4, "bl", callee) if what == "bl" else (2, "blx", callee)))
    elif what == "bcc":
        function.add(2, "bcc", function.end + rng.choice([2, 4]))
        function.add(2, "nop")
    elif what == "b":
        function.add(2, "b", function.end + 4)
        function.add(2, "nop")
    elif what == "svc":
        function.add(2, "svc", rng.randrange(256))
    elif what == "yield":
        function.add(4, "pend")
    else:
        function.add(2, "nop")


def m_body(rng, function, callees, itself, handler):
    saves = bool(callees) and rng.random() < 0.8
    if saves:
        function.add(*rng.choice([(2, "push"), (4, "push.w")]))
    for _ in range(rng.randint(0 if saves else 1, 5)):
        m_some(rng, function, callees if saves else [], False)
    if saves and itself and rng.random() < 0.8:
        function.add(2, "bcc", function.end + 6)
        function.add(4, "bl", itself.start)
    if handler == 14:
        function.add(4, "msr psp")
    if not saves:
        function.add(*rng.choice([(2, "bx lr"), (2, "bx lr"), (2, "mov r3,lr")]))
    else:
        function.add(*rng.choice([(2, "pop pc"), (4, "pop.w pc"), (4, "ldr pc"), (2, "pop r3"),
                                  (4, "pop lr")]))
    tail = function.code[-1][2]
    if tail in ("mov r3,lr", "pop r3"):
        function.add(2, "bx r3")
    elif tail == "pop lr":
        if callees and not handler and rng.random() < 0.4:
            function.add(4, "b.w", rng.choice(callees).start)
        else:
            function.add(2, "bx lr")


M_BITS = {"nop": 0xBF00, "it": 0xBF00, "push": 0xB500, "push.w": 0xF84DED04, "pop pc": 0xBD00,
          "pop.w pc": 0xF85DFB04, "ldr pc": 0xF85DFB04, "pop r3": 0xBC08, "pop lr": 0xF85DEB04,
          "bx lr": 0x4770, "bx r3": 0x4718, "mov r3,lr": 0x4673, "blx": 0x4798, "ldr r3": 0x4B01,
          "msr psp": 0xF3808809, "pend": 0xF8C01D04}


def t32_branch(pc, target, link):
    offset = target - pc - 4
    s = 1 if offset < 0 else 0
    i1, i2 = offset >> 23 & 1, offset >> 22 & 1
    j1, j2 = 1 ^ i1 ^ s, 1 ^ i2 ^ s
    return (0xF0009000 | s << 26 | (offset >> 12 & 0x3FF) << 16 | j1 << 13 | j2 << 11 |
            (offset >> 1 & 0x7FF) | (0x4000 if link else 0))


def m_bits(pc, what, operand):
    if what == "bl":
        return t32_branch(pc, operand, True)
    if what == "b.w":
        return t32_branch(pc, operand, False)
    if what == "b":
        return 0xE000 | (operand - pc - 4) >> 1 & 0x7FF
    if what == "bcc":
        return 0xD000 | (operand - pc - 4) >> 1 & 0xFF
    if what == "svc":
        return 0xDF00 | operand
    return M_BITS[what]


class CortexM:
    """`events`: how the trace states exceptions.  `stacks`: it states MSP and PSP."""

    def __init__(self, rng):
        self.rng, self.truth, self.lines = rng, Truth(), []
        self.thread_at = {}  # by records of instructions
        self.entries = set()  # records of what an entry stacks before its event
        self.events = rng.choice(["e", "e", "mode", "reason", "reason only", "es", "rtl", "off"])
        self.stacks = self.events not in ("off", "rtl") and rng.random() < 0.75 or \
            self.events in ("es",)
        self.es = self.events == "es"
        self.memory_lines = rng.random() < 0.7
        self.late = rng.random() < 0.5
        self.tasks, self.functions, self.handlers = m_program(rng, self.events not in ("rtl", "off"))
        self.code = {}
        for function in self.tasks + self.functions + list(self.handlers.values()):
            self.code.update(function.find())
        self.time = self.index = 0
        self.memory = {}
        self.msp, self.psp = 0x20001000, 0
        self.active, self.pended = [], set()
        self.r3 = 0
        self.lr = 0xFFFFFFFF
        self.contexts = {}
        for i, task in enumerate(self.tasks):
            top = 0x20004000 + 0x1000 * i
            frame = top - 32
            self.memory[frame + 20], self.memory[frame + 24] = 0xFFFFFFFF, task.start
            self.contexts[i] = frame
        self.task = 0
        self.psp = self.contexts[0] + 32
        self.pc = self.tasks[0].start
        self.truth.thread = 0
        levels = [0x10, 0x20, 0x30, 0x40]
        self.priority = {number: rng.choice(levels) for number in self.handlers}
        self.priority[14] = 0xFF

    # ---- printing ----

    def put(self, text):
        self.lines.append(f"{self.time} {'tic' if self.es else 'clk'} {text}")

    def reg(self, name, value):
        if self.es:
            name = {"r14": "LR", "r3": "R3", "cpsr": "XPSR"}.get(name, name)
            self.put(f"   R {name} {value:08x}")
        else:
            self.put(f"R {name} {value:08x}")

    def write(self, address, value):
        self.memory[address] = value
        if self.memory_lines and not self.es:
            self.put(f"MW4 {address:08x} {value:08x}")

    def read(self, address):
        value = self.memory.get(address, 0)
        if self.memory_lines and not self.es:
            self.put(f"MR4 {address:08x} {value:08x}")
        return value

    def set_sp(self, value):
        main = bool(self.active)
        if main:
            self.msp = value
        else:
            self.psp = value
        if self.stacks:
            if self.es:
                self.reg("MSP_S" if main else "PSP_S", value)
            else:
                self.reg("r13_main" if main else "r13_process", value)
                self.reg("MSP" if main else "PSP", value)

    def sp(self):
        return self.msp if self.active else self.psp

    # ---- exceptions ----

    def level(self):
        return min([self.priority[number] for number in self.active], default=0x100)

    def best(self):
        ready = [n for n in self.pended if self.priority[n] < self.level()]
        return min(ready, key=lambda n: (self.priority[n], n)) if ready else None

    def cause(self, number):
        if self.events == "off":  # the interrupted instruction says it, or nothing does
            _, _, what, operand = self.code[self.ran]
            return (f"SVC #{operand}" if what == "svc" else "unknown"), None
        if self.events == "rtl":
            return "INT_TAKEN", number
        if self.events == "es":
            return m_name(number), number
        if self.events == "reason only":
            return m_name(number), None
        return "CoreEvent_" + m_name(number), number

    def state(self, number, back):
        """The lines that state that an exception is taken."""
        if self.events in ("reason", "reason only"):
            self.put("INFO_EXCEPTION_REASON: PHASE=ACTIVATE REASONS=UNSPECIFIED "
                     f"PC=0x{back:08x} VECTOR={m_name(number)} FaultCause=NO_FSR_BIT")
        if self.events in ("e", "mode", "reason"):
            self.put(f"E {back:08x} {number:08x} CoreEvent_{m_name(number)}")
        if self.events == "es":
            self.put(f"ES  EXC [{number}] {m_name(number)}")
        if self.events == "rtl":
            self.put(f"E INT_TAKEN {number:02x}")
        self.stated = len(self.lines) - 1

    def enter(self, number, entry, chained=None):
        """Takes an exception; `chained`: EXC_RETURN of the one that it follows without unstacking."""
        self.pended.discard(number)
        nested = bool(self.active)
        if chained is None:
            if self.events == "mode" and not nested:
                self.put("E 00000000 handler 00000019 CoreEvent_ModeChange")
            frame = self.sp() - 32
            values = [0, 0, 0, self.r3, 0, self.lr, self.pc, 0x01000000]
            order = [6, 7, 0, 1, 2, 3, 4, 5]
            early = self.memory_lines and self.rng.random() < 0.5
            if early:
                begin = len(self.lines)
                for i in order:
                    self.write(frame + 4 * i, values[i])
                self.entries.update(range(begin, len(self.lines)))
            else:
                for i in order:
                    self.memory[frame + 4 * i] = values[i]
            back = self.pc
            exc_return = 0xFFFFFFF1 if nested else 0xFFFFFFFD
            if self.late:
                better = self.better_than(number)
                if better:
                    if self.events == "rtl":
                        self.put(f"E INT_PREEMPT {number:02x}")
                    else:
                        self.state(number, back)
                    self.pended.add(number)
                    self.pended.discard(better)
                    number, entry = better, "late"
            self.state(number, back)
        else:
            back = self.memory[(self.sp_of(chained)) + 24]
            exc_return = chained
            self.state(number, back)
        cause, stated = self.cause(number)
        if entry == "late" and self.events == "rtl":
            entry = None
        origin = back if self.truth.awaits_handler() else None
        self.truth.exception(cause, stated, self.handlers[number].start, entry, self.stated, back,
                             origin)
        if chained is None:
            self.set_sp(frame)
        self.active.append(number)
        self.lr = exc_return
        self.reg("r14", exc_return)
        self.reg("cpsr", 0x01000000 | number)
        self.pc = self.handlers[number].start
        if self.rng.random() < 0.08:  # another one before its first instruction
            other = self.better_than(number)
            if other and self.events not in ("es", "rtl", "off"):
                self.begin_at(other)

    def begin_at(self, number):
        """Takes an exception before the first instruction of the handler."""
        at = self.pc
        cause, stated = self.cause(number)
        frame = self.sp() - 32
        for i, value in enumerate([0, 0, 0, self.r3, 0, self.lr, at, 0x01000000]):
            self.memory[frame + 4 * i] = value
        self.pended.discard(number)
        self.state(number, at)
        self.truth.exception(cause, stated, self.handlers[number].start, "direct", self.stated, at, at)
        self.set_sp(frame)
        self.active.append(number)
        self.lr = 0xFFFFFFF1
        self.reg("r14", self.lr)
        self.reg("cpsr", 0x01000000 | number)
        self.pc = self.handlers[number].start

    def better_than(self, number):
        if self.events in ("off",):
            return None
        ready = [n for n in self.handlers if n > 14 and n not in self.active and n != number and
                 self.priority[n] < self.priority[number]]
        return self.rng.choice(ready) if ready and self.rng.random() < 0.5 else None

    def sp_of(self, exc_return):
        return self.psp if exc_return & 4 else self.msp

    def leave(self, exc_return):
        """An exception return."""
        number = self.active.pop()
        self.truth.leave()
        self.left = True
        if self.events in ("reason", "reason only"):
            self.put("INFO_EXCEPTION_REASON: PHASE=DEACTIVATE REASONS=UNSPECIFIED "
                     f"PC=0x{exc_return:08x} VECTOR={m_name(number)} FaultCause=NO_FSR_BIT")
        if self.rng.random() < 0.2:
            self.pended.add(self.rng.choice([15, 16, 17, 18]))
        self.pended -= set(self.active)
        chained = self.best()
        if chained:
            self.enter(chained, "tail-chained", exc_return)
            return
        if self.events == "mode" and not self.active:
            self.put("E 00000000 thread 00000019 CoreEvent_ModeChange")
        if self.events == "rtl":
            self.put(f"E INT_RETURN {number:02x}")
        frame = self.sp_of(exc_return)
        if not self.active:
            self.truth.switch(self.task)
        if self.memory_lines and not self.es:
            for i in [6, 7, 0, 1, 2, 3, 4, 5]:
                self.read(frame + 4 * i)
        self.r3, self.lr = self.memory.get(frame + 12, 0), self.memory[frame + 20]
        self.pc = self.memory[frame + 24]
        self.reg("r3", self.r3)
        self.reg("r14", self.lr)
        self.set_sp(frame + 32)
        self.reg("cpsr", 0x01000000 | (self.active[-1] if self.active else 0))

    # ---- instructions ----

    def go(self, target, returns):
        """A branch to an address or EXC_RETURN."""
        if target >= 0xFFFFFF00 and self.active and target != 0xFFFFFFFF:
            self.leave(target)
            return
        if returns:
            self.truth.leave()
        self.pc = target & ~1

    def step(self):
        pc, size, what, operand = self.code[self.pc]
        self.left = False
        self.time += self.rng.choice([1, 1, 1, 3])
        self.index += 1
        taken = what != "bcc" or self.rng.random() < 0.5
        bits = m_bits(pc, what, operand)
        digits = 4 if size == 2 else 8
        text = f"{bits:0{digits}x}"
        if self.es:
            mode = "hndl_s" if self.active else "thrd_s"
            skipped = "" if taken else "CCFAIL "
            self.put(f"ES  ({pc:08x}:{text}) T {mode}: {skipped}{what.upper()}")
        elif self.events == "rtl":
            self.put(f"{'IT' if taken else 'IS'} {pc:08x} {text:<8} {what.upper()}")
        else:
            mode = "handler" if self.active else "thread"
            self.put(f"{'IT' if taken else 'IS'} ({self.index}) {pc:08x} {text} T {mode} : {what.upper()}")
        self.truth.step(len(self.lines) - 1, pc)
        self.thread_at[len(self.lines) - 1] = self.truth.thread
        self.ran = pc
        self.pc = pc + size
        if what in ("b", "b.w") or (what == "bcc" and taken):
            self.pc = operand
        elif what in ("bl", "blx"):
            self.lr = pc + size | 1
            self.reg("r14", self.lr)
            self.pc = operand
            self.truth.enter(operand)
        elif what == "ldr r3":
            self.r3 = operand | 1
            self.reg("r3", self.r3)
        elif what == "mov r3,lr":
            self.r3 = self.lr
            self.reg("r3", self.r3)
        elif what in ("push", "push.w"):
            self.write(self.sp() - 4, self.lr)
            self.set_sp(self.sp() - 4)
        elif what in ("pop pc", "pop.w pc", "ldr pc"):
            target = self.read(self.sp())
            self.set_sp(self.sp() + 4)
            self.go(target, True)
        elif what == "pop r3":
            self.r3 = self.read(self.sp())
            self.reg("r3", self.r3)
            self.set_sp(self.sp() + 4)
        elif what == "pop lr":
            self.lr = self.read(self.sp())
            self.reg("r14", self.lr)
            self.set_sp(self.sp() + 4)
        elif what == "bx lr":
            self.go(self.lr, True)
        elif what == "bx r3":
            self.go(self.r3, True)
        elif what == "svc":
            self.pended.add(11)
        elif what == "pend":
            self.pended.add(14)
        elif what == "msr psp":
            self.contexts[self.task] = self.psp
            self.task = self.rng.randrange(3)
            self.psp = self.contexts[self.task]
            if self.stacks:
                if not self.es:
                    self.reg("r13_process", self.psp)
                self.reg("PSP_S" if self.es else "PSP", self.psp)
        # where these arrived, only an event with an address tells
        if self.events in ("es", "rtl", "off") and \
                (what == "blx" or (what == "bx r3" and not self.left) or
                 self.truth.awaits_handler() or self.left):
            return
        if self.rng.random() < 0.06:
            self.pended.add(self.rng.choice([15, 16, 17, 18]))
        self.pended -= set(self.active)
        number = self.best()
        if number:
            self.enter(number, "direct")

    def run(self, steps):
        self.pended = set()
        if self.es:
            self.lines.append("Tarmac Text Rev 3t")
            self.reg("r14", self.lr)
        if self.stacks:
            self.reg("PSP_S" if self.es else "PSP", self.psp)
            self.reg("MSP_S" if self.es else "MSP", self.msp)
        for _ in range(steps):
            self.step()
        # an exception whose handler has not begun is in firmware.case
        while self.truth.pending:
            self.step()
        self.truth.finish()


# ---- A64 ----

A_BITS = {"nop": 0xD503201F, "stp": 0xA9BF7BFD, "ldp": 0xA8C17BFD, "ret": 0xD65F03C0,
          "eret": 0xD69F03E0, "blr": 0xD63F0100, "mrs": 0xD5384030, "msr": 0xD5184030,
          "daifclr": 0xD50343FF, "daifset": 0xD50343DF}


def a_bits(pc, what, operand):
    if what in ("bl", "b", "b tail"):
        return (0x94000000 if what == "bl" else 0x14000000) | (operand - pc) >> 2 & 0x3FFFFFF
    if what == "bcc":
        return 0x54000000 | ((operand - pc) >> 2 & 0x7FFFF) << 5
    if what in ("svc", "hvc", "smc"):
        return {"svc": 0xD4000001, "hvc": 0xD4000002, "smc": 0xD4000003}[what] | operand << 5
    return A_BITS[what]


def a_some(rng, function, callees, traps):
    what = rng.choice(["nop", "nop", "bl", "blr", "bcc", "b"] + traps)
    if what in ("bl", "blr") and callees:
        function.add(4, what, rng.choice(callees).start)
    elif what == "bcc":
        function.add(4, "bcc", function.end + rng.choice([4, 8]))
        function.add(4, "nop")
    elif what == "b":
        function.add(4, "b", function.end + 8)
        function.add(4, "nop")
    elif what in ("svc", "hvc", "smc"):
        function.add(4, what, rng.randrange(1 << 16))
    else:
        function.add(4, "nop")


def a_function(rng, function, callees, traps):
    saves = bool(callees) and rng.random() < 0.8
    if saves:
        function.add(4, "stp")
    for _ in range(rng.randint(0 if saves else 1, 6)):
        a_some(rng, function, callees if saves else [], traps)
    if saves:
        function.add(4, "ldp")
    if callees and rng.random() < 0.2:
        function.add(4, "b tail", rng.choice(callees).start)
    else:
        function.add(4, "ret")


class CortexA:
    VECTORS = {1: 0x80000000, 2: 0x90000000, 3: 0xA0000000}

    def __init__(self, rng):
        self.rng, self.truth, self.lines = rng, Truth(), []
        self.thread_at = {}  # by records of instructions
        self.entries = set()  # records of what an entry stacks before its event
        self.events = rng.choice(["e", "e", "mode", "off"])
        self.elr_lines = self.events == "off" or rng.random() < 0.7
        self.code, self.trap_handlers = {}, {}
        base = {0: 0x400000, 1: 0x80010000, 2: 0x90010000, 3: 0xA0010000}
        traps = {0: ["svc"], 1: ["hvc", "smc"], 2: ["smc"], 3: []}
        for el in range(4):
            functions = [Function(base[el] + 0x400 * i) for i in range(rng.randint(3, 6))]
            for i, function in enumerate(functions):
                a_function(rng, function, functions[i + 1:], traps[el] if rng.random() < 0.5 else [])
            self.keep(functions)
            if el == 0:
                self.main = Function(0x300000)
                for _ in range(rng.randint(2, 8)):
                    a_some(rng, self.main, functions, traps[0])
                self.main.add(4, "b", self.main.start)
                self.keep([self.main])
                continue
            for offset in range(0, 0x800, 0x80):
                stub = Function(self.VECTORS[el] + offset)
                handler = Function(base[el] + 0x10000 + 0x100 * (offset // 0x80))
                stub.add(4, "b tail", handler.start)
                handler.add(4, "stp")
                nests = rng.random() < 0.5
                if nests:
                    handler.add(4, "mrs")
                    handler.add(4, "daifclr")
                for _ in range(rng.randint(0, 4)):
                    a_some(rng, handler, functions[1:], [])
                if nests:
                    handler.add(4, "daifset")
                    handler.add(4, "msr")
                handler.add(4, "ldp")
                handler.add(4, "eret")
                self.keep([stub, handler])
        self.time = self.index = 0
        self.el, self.pc, self.masked = 0, self.main.start, False
        self.elr, self.spsr = {}, {}
        self.sps = {el: 0x1000000 * (el + 1) for el in range(4)}
        self.x30, self.memory = 0, {}
        self.saved = []
        self.truth.thread = 0

    def keep(self, functions):
        for function in functions:
            self.code.update(function.find())

    def put(self, text):
        self.lines.append(f"{self.time} clk {text}")

    def reg(self, name, value):
        self.put(f"R {name} {value:016x}")

    def sp(self, value):
        self.sps[self.el] = value
        self.reg(f"SP_EL{self.el}", value)

    def take(self, to, kind, back, event_pc):
        """kind: 0 synchronous, 1 IRQ, 2 FIQ, 3 SError."""
        names = ["SYNC", "IRQ", "FIQ", "SERR"]
        group = 0x200 if to == self.el else 0x400
        where = "CURRENT_SPx" if to == self.el else "LOWER_64"
        number = 0x84 + kind if to == self.el else 0x88 + kind
        vector = self.VECTORS[to] + group + 0x80 * kind
        last = self.last
        if self.events != "off":
            if self.events == "mode" and to != self.el:
                self.put(f"E {event_pc:08x} EL{to}h 00000019 CoreEvent_ModeChange")
            self.put(f"E {event_pc:08x} {number:08x} CoreEvent_{where}_{names[kind]}")
            cause, stated = f"CoreEvent_{where}_{names[kind]}", number
        elif kind == 0:
            cause, stated = f"{last[2].upper()} #{last[3]}", None
        else:
            cause, stated = ["", "IRQ", "FIQ", "SError"][kind], None
        self.put(f"R cpsr {0x3C5 | to << 2:08x}")
        if self.elr_lines:
            self.reg(f"ELR_EL{to}", back)
            self.put(f"R SPSR_EL{to} {self.el << 2:08x}")
        self.elr[to], self.spsr[to] = back, (self.el, self.masked)
        self.el, self.masked, self.pc = to, True, vector
        self.truth.exception(cause, stated, vector, "direct", None, back)

    def step(self):
        pc, size, what, operand = self.last = self.code[self.pc]
        rng = self.rng
        self.time += rng.choice([1, 1, 1, 3])
        self.index += 1
        taken = what != "bcc" or rng.random() < 0.5
        self.put(f"{'IT' if taken else 'IS'} ({self.index}) {pc:08x} {a_bits(pc, what, operand):08x} O "
                 f"EL{self.el}{'t' if self.el == 0 else 'h'}_n : {what.upper()}")
        self.truth.step(len(self.lines) - 1, pc)
        self.thread_at[len(self.lines) - 1] = self.truth.thread
        self.pc = pc + 4
        if what in ("b", "b tail") or (what == "bcc" and taken):
            self.pc = operand
        elif what in ("bl", "blr"):
            self.x30 = pc + 4
            self.reg("X30", self.x30)
            self.pc = operand
            self.truth.enter(operand)
        elif what == "stp":
            self.memory[self.sps[self.el] - 8] = self.x30
            self.sp(self.sps[self.el] - 16)
        elif what == "ldp":
            self.x30 = self.memory[self.sps[self.el] + 8]
            self.reg("X30", self.x30)
            self.sp(self.sps[self.el] + 16)
        elif what == "ret":
            self.truth.leave()
            self.pc = self.x30
        elif what == "mrs":
            self.saved.append((self.el, self.elr[self.el], self.spsr[self.el]))
        elif what == "msr":
            el, self.elr[self.el], self.spsr[self.el] = self.saved.pop()
            assert el == self.el
            self.reg(f"ELR_EL{el}", self.elr[el])
        elif what == "daifclr":
            self.masked = False
        elif what == "daifset":
            self.masked = True
        elif what == "eret":
            self.truth.leave()
            self.pc = self.elr[self.el]
            self.el, self.masked = self.spsr[self.el]
            self.put(f"R cpsr {0x3C0 | self.el << 2:08x}")
        if what in ("svc", "hvc", "smc"):
            # model versions state either address
            self.take({"svc": 1, "hvc": 2, "smc": 3}[what], 0, pc + 4,
                      pc if self.elr_lines else pc + 4)
            return
        if self.events == "off" and what in ("ret", "eret", "blr", "b tail"):
            return  # nothing but an event could tell where it had arrived
        if rng.random() < 0.06 and self.el < 3:
            to = rng.randint(self.el + 1, 3)
            if not self.masked and self.el > 0 and rng.random() < 0.6:
                to = self.el
            self.take(to, rng.choice([1, 1, 2, 3]), self.pc, self.pc)

    def run(self, steps):
        if self.rng.random() < 0.5:
            self.reg("SP_EL0", self.sps[0])
        for _ in range(steps):
            self.step()
        while self.truth.pending:
            self.step()
        self.truth.finish()


# ---- comparing ----

def run(*words):
    done = subprocess.run([SPOOR, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"spoor {' '.join(words[:2])}: exit {done.returncode}: {done.stderr[:400]}")
    return done.stdout


def address(text):
    return None if text in (None, "") else int(text, 16) if isinstance(text, str) else text


def compare_exceptions(truth, found, twins=False):
    """In a twin, what an entry or return does may count for the instruction before or after it: its
    instructions are told by their times, not by the numbers of their records."""
    expected = [(None if twins else e["record"], e["cause"], e["number"], e["from"],
                 e["handler"] if e["own"] else None, e["entry"],
                 e["instructions"], e["own"], e["returned"], e["nesting"], e["stack"])
                for e in truth.exceptions]
    got = [(None if twins else e["record"], e["cause"], e.get("number"), address(e.get("from")), address(e.get("handler")),
            None if i < len(expected) and expected[i][5] is None else e["entry"],
            e["instructions"], e["own_instructions"], e["returned"], e["nesting"],
            [address(text) for text in e["stack"]]) for i, e in enumerate(found["exceptions"])]
    first(expected, got, "exceptions")
    entered = [truth.times[e["record"]] for e in truth.exceptions]
    first([(at, truth.times[e["left"]] - at if e["returned"] else None)
           for e, at in zip(truth.exceptions, entered)],
          [(e["time"] + e["latency"], e.get("duration")) for e in found["exceptions"]], "times")
    threads = {call["thread"]: call["function"] for call in reversed(truth.calls)
               if call["kind"] == "start"}
    rows = [(number, threads[thread], truth.resumed.get(thread, 0), truth.ran_by.get(thread, 0))
            for number, thread in enumerate(truth.order) if len(truth.order) > 1]
    first(rows, [(row["thread"], address(row["pc"]), row["resumed"], row["instructions"])
                 for row in found["tasks"]], "tasks")


def first(expected, got, what):
    for i in range(max(len(expected), len(got))):
        one = expected[i] if i < len(expected) else "(none)"
        other = got[i] if i < len(got) else "(none)"
        if one != other:
            raise AssertionError(f"{what} {i}: expected {show(one)}\n#   found    {show(other)}")


def show(row):
    if isinstance(row, (tuple, list)):
        return "(" + ", ".join(show(item) for item in row) + ")"
    return hex(row) if isinstance(row, int) and not isinstance(row, bool) and row > 0xFFF else repr(row)


def compare_calls(truth, rows, twins=False):
    """Open calls at every record: what is entered and left, when, in which thread."""
    threads = {}
    enter, leave = ("enter_time", "leave_time") if twins else ("enter_record", "leave_record")

    def when(record):
        return truth.times[record] if twins and record is not None else record

    expected = []
    for call in truth.calls:
        thread = threads.setdefault(call["thread"], len(threads))
        expected.append((when(call["enter"]), when(call["leave"]), call["depth"], call["function"], call["kind"],
                         thread, call["instructions"]))
    numbers, got = {}, []
    for row in rows:
        got.append([int(row[enter]), int(row[leave]) if row[leave] else None,
                    int(row["depth"]), address(row["pc"]), row["kind"], int(row["thread"]),
                    int(row["instructions"])])
    order = lambda row: (row[0], row[2])
    got.sort(key=order)
    for row in got:
        row[5] = numbers.setdefault(row[5], len(numbers))
    first(sorted(expected, key=order), [tuple(row) for row in got], "calls")


def compare_profile(truth, found):
    got = {}
    for function in found["functions"]:
        name = address(function["pc"])
        got[name] = got.get(name, 0) + function["exclusive"]
    expected = {name: count for name, count in truth.exclusive.items() if count}
    got = {name: count for name, count in got.items() if count}
    first(sorted(expected.items()), sorted(got.items()), "profile")


def compare_stacks(path, machine, records):
    """The open calls at some records of instructions, with an index and without one."""
    truth = machine.truth
    for record in records:
        frames = [[call["function"], call["kind"]] for call in truth.calls
                  if call["thread"] == machine.thread_at[record] and call["kind"] != "start" and
                  call["enter"] <= record and (call["leave"] is None or call["leave"] > record)]
        for options in [[], ["--no-index"]]:
            found = json.loads(run("stack", "-q", "--json", *options, "--at", f"record:{record}", path))
            got = [[address(frame["pc"]), frame["kind"]] for frame in found["cpus"][0]["frames"]]
            first(frames[::-1], got, f"stack at record {record} {options}")


def times_of(lines):
    """By record: a line without a time has that of the one before."""
    times = [0]
    for line in lines:
        word = line.split()[0]
        times.append(int(word) if word.isdigit() else times[-1])
    return times[1:]


def make(seed, steps=None):
    rng = random.Random(seed)
    machine = (CortexM if seed % 2 == 0 else CortexA)(rng)
    machine.run(steps or rng.randint(5, 400))
    machine.truth.times = times_of(machine.lines)
    return machine


EFFECT = re.compile(r"(R|M[RWU]\d*)$")


def twin_of(machine):
    """The effects after each executed instruction, up to the next one or an event, come before it.  What an
    entry stacks before its event stays after it.  Without events, nothing tells what an entry does from what
    the instruction did, and all comes before it, also of a skipped one."""
    out, begun = [], None
    bare = machine.events == "off"
    for record, line in enumerate(machine.lines):
        word = re.match(r"(?:\d+ \w+)?\s*(\S+)", line)[1]
        if word == "IT" or (word == "IS" and bare) or \
                (word == "ES" and "EXC" not in line and "CCFAIL" not in line):
            begun = len(out)
            out.append(line)
        elif begun is not None and EFFECT.match(word) and (bare or record not in machine.entries):
            out.insert(begun, line)
            begun += 1
        else:
            begun = None
            out.append(line)
    return out


def write(lines, name, directory):
    path = os.path.join(directory, f"{name}.tarmac")
    with open(path, "w", encoding="ascii") as file:
        file.write("".join(line + "\n" for line in lines))
    return path


def check_some(seeds, directory, twins):
    machines = [make(seed) for seed in seeds]
    paths = [write(twin_of(machine) if twins else machine.lines,
                   f"{seed}-twin" if twins else seed, directory) for seed, machine in zip(seeds, machines)]
    options = ["-q", "--no-index", "--implicit-thumb", "--effects-first", "yes" if twins else "no"]
    failures = []
    exceptions = json.loads(run("exceptions", "--json", *options, *paths))
    profiles = json.loads(run("profile", "--json", *options, *paths))
    calls = {path: [] for path in paths}
    for row in csv.DictReader(io.StringIO(run("calls", "--csv", *options, *paths))):
        calls[row["trace"]].append(row)
    for i, (seed, machine, path) in enumerate(zip(seeds, machines, paths)):
        try:
            compare_exceptions(machine.truth, exceptions[i], twins)
            compare_calls(machine.truth, calls[path], twins)
            compare_profile(machine.truth, profiles[i])
        except AssertionError as error:
            failures.append(f"{'twin of ' if twins else ''}seed {seed} ({type(machine).__name__}, "
                            f"events {machine.events}): {error}")
    return failures


def check_long(seed, directory):
    """A trace of several segments of an index: the state between them is packed."""
    machine = make(seed, 60000)
    path = write(machine.lines, seed, directory)
    rng = random.Random(seed)
    try:
        assert len(machine.lines) > 70000, "the trace has too few records"
        for words in ["exceptions --json --top 1000000", "calls --csv", "profile --json"]:
            outputs = [run(*words.split(), "-q", *options, path) for options in [["--no-index"], [], []]]
            assert len(set(outputs)) == 1, f"{words}: another answer from the index"
        compare_exceptions(machine.truth, json.loads(run(
            "exceptions", "--json", "-q", "--top", "1000000", path)))
        compare_stacks(path, machine, rng.sample(sorted(machine.thread_at), 12))
    except AssertionError as error:
        return [f"long seed {seed} ({type(machine).__name__}, events {machine.events}): {error}"]
    return []


def main():
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        os.environ["XDG_CACHE_HOME"] = directory
        for begin in range(FIRST, FIRST + SEEDS, AT_ONCE):
            for twins in (False, True):
                failures += check_some(range(begin, min(begin + AT_ONCE, FIRST + SEEDS)), directory, twins)
        for seed in LONG:
            failures += check_long(seed, directory)
    print("1..1")
    for failure in failures[:int(os.environ.get("SHOW", "5"))]:
        print("# " + failure)
    print(f"{'not ' if failures else ''}ok 1 - {SEEDS} machines from seed {FIRST}, and long ones: "
          f"{len(failures)} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

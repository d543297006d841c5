#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py SPOOR CC: build programs, run them under `spoor record` and check their traces.

The expected content comes from other tools: valgrind's lackey counts instructions and accesses,
qemu's own log has the registers after each instruction, and a load must return the value stored last.
Tests whose tools are not installed are skipped.  Prints TAP.
"""
import collections
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = 120
ARM = {"arm64": ("aarch64-linux-gnu-gcc", "qemu-aarch64"),
       "arm": ("arm-linux-gnueabihf-gcc", "qemu-arm")}


# LLVM's compiler and linker, for programs without a library
CLANG = {"arm64": "--target=aarch64-linux-gnu -march=armv8.2-a+fp16 -fuse-ld=lld",
         "arm": "--target=arm-linux-gnueabihf -march=armv8.2-a+fp16 -mfpu=neon-fp-armv8 -marm -fuse-ld=lld"}


SYSTEM_CALLS = {"d4000001", "ef000000", "df00"}  # svc 0 of A64, A32, T32


class Skip(Exception):
    """The reason why a test cannot run on this machine."""


class Bench:
    """A temporary directory, the program under test, and guests built from programs/."""

    def __init__(self, spoor, compiler, directory):
        self.spoor, self.compiler, self.directory = str(Path(spoor).resolve()), compiler, directory

    def path(self, name):
        return str(Path(self.directory) / name)

    def build(self, name, *flags, compiler=None, link="-static"):
        compiler = (compiler or self.compiler).split()
        need(compiler[0])
        output = self.path(f"{name}-{Path(compiler[0]).name}")
        source = next((HERE / "programs").glob(f"{name}.[cS]"))
        command = [*compiler, "-O1", link, *flags, "-o", output, source]
        if subprocess.run(command, capture_output=True).returncode:
            raise Skip(f"{compiler} cannot link {name} with {link}")
        if not os.access(output, os.X_OK):
            raise Skip(f"programs cannot be run in {self.directory}")
        return output

    def record(self, output, program, *options, **how):
        command = [self.spoor, "record", *options, "-o", output, "--", *program]
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, **how)
        if b"without capstone" in done.stderr:
            raise Skip("spoor was built without capstone")
        return done

    def start(self, output, program, *options):
        return subprocess.Popen([self.spoor, "record", *options, "-o", output, "--", *program],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                preexec_fn=take_signals)

    def clean(self, trace):
        """Demand that the trace has no findings."""
        check = subprocess.run([self.spoor, "check", trace], capture_output=True, text=True,
                               timeout=SECONDS)
        assert check.returncode == 0, check.stdout


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")


def need_own_qemu():
    """The QEMU for x86-64 runs this machine's own programs."""
    need("qemu-x86_64")
    done = subprocess.run(["qemu-x86_64", shutil.which("true")], capture_output=True,
                          timeout=SECONDS)
    if done.returncode:
        raise Skip(f"qemu-x86_64 cannot run {shutil.which('true')} here: {done.stderr[-200:]!r}")


def take_signals():
    """Reset the signals that the caller of the tests may have set to be ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def same(found, expected, what):
    assert found == expected, f"{what}: found {found!r}, expected {expected!r}"


def lines(path):
    with open(path, encoding="ascii") as file:
        yield from file


def tarmac_words(trace):
    """The words of each line, without the unit after its time."""
    for line in lines(trace):
        word = line.split()
        assert word[1] == "clk", f"{line!r}: expected clk after the time"
        yield line, [word[0], *word[2:]]


# ---- the tests ----

def test_counts_agree_with_lackey(bench):
    need("valgrind")
    program = bench.build("plain", "-nostdlib", "-fno-builtin")
    log, trace = bench.path("valgrind"), bench.path("plain.lackey")
    done = subprocess.run(["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={log}",
                           program], capture_output=True, timeout=SECONDS)
    if (done.returncode, done.stdout) != (0, b"done\n"):
        raise Skip(f"valgrind cannot run the program here: {done.stderr[-200:]!r}")
    same(bench.record(trace, [program]).returncode, 0, "exit code")
    count = lambda path: collections.Counter(
        line.split()[0] for line in lines(path) if not line.startswith("=="))
    found, expected = count(trace), count(log)
    for kind in sorted(expected | found):
        print(f"# {kind}: {found[kind]} recorded, valgrind counts {expected[kind]}")
        assert abs(found[kind] - expected[kind]) <= expected[kind] / 1000, f"{kind} differs"


def test_micro_ops_of_a_program_with_a_library(bench):
    program, trace = bench.build("busy"), bench.path("busy.uop")
    done = bench.record(trace, [program, "a"])
    same((done.returncode, done.stdout), (4, b"50 0.429 144\n"), "exit code and output")
    bench.clean(trace)
    references = bench.path("busy.lackey")
    bench.record(references, [program, "a"])
    fetches = sum(line[0] == "I" for line in lines(references))
    same(sum(line.startswith("1 ") for line in lines(trace)), fetches, "macro-ops")


def test_programs_of_the_machine(bench):
    text = b"".join(path.read_bytes() for path in sorted((HERE / "programs").iterdir()))
    compute = 'BEGIN { for (i = 0; i < 50; i++) s += sin(i) * exp(-i / 9); printf "%.6f", s }'
    for words, check in ((["gzip", "-9c"], ["gzip", "-dc"]), (["awk", compute], ["cat"]),
                         (["xz", "-0c", "--threads=1"], ["xz", "-dc"])):
        need(words[0], check[0])
        trace, expected = bench.path("machine.uop"), b"0.900364" if words[0] == "awk" else text
        done = bench.record(trace, words, input=text)
        same(done.returncode, 0, "exit code")
        assert b"left out" not in done.stderr, done.stderr
        same(subprocess.run(check, input=done.stdout, capture_output=True,
                            timeout=SECONDS).stdout, expected, "output")
        bench.clean(trace)


def test_standard_streams_are_the_programs(bench):
    trace = bench.path("cat.lackey")
    done = bench.record(trace, ["cat"], input=b"in\0out\n")
    same((done.returncode, done.stdout), (0, b"in\0out\n"), "exit code and output")
    bench.clean(trace)


def test_selection_by_symbol(bench):
    program, trace = bench.build("busy"), bench.path("part.uop")
    same(bench.record(trace, [program], "--start", "main", "--limit", "20").returncode, 3, "code")
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    main = int(re.search(r"^(\w+) T main$", symbols, re.M).group(1), 16)
    records = [line.split() for line in lines(trace)]
    same(int(records[0][1], 16), main, "first pc")
    same(sum(record[0] == "1" for record in records), 20, "instructions")
    done = bench.record(trace, [program], "--start", f"0x{main:x}", "--stop", "fibonacci")
    stop = int(re.search(r"^(\w+) [tT] fibonacci$", symbols, re.M).group(1), 16)
    whole = list(lines(trace))
    same((int(whole[0].split()[1], 16), done.stdout), (main, b"50 0.429 144\n"), "first pc, output")
    same(int(whole[-1].split()[11], 16), stop, "where the last instruction goes")
    assert not any(int(line.split()[1], 16) == stop for line in whole), "the stop is in the trace"
    bench.record(trace, [program], "--start", "main", "--skip", "20", "--limit", "30")
    begins = [index for index, line in enumerate(whole) if line.startswith("1 ")]
    same(list(lines(trace)), whole[begins[20]:begins[50]], "20 left out, 30 kept")
    done = bench.record(trace, [program], "--start", "nowhere")
    same((done.returncode, done.stdout), (2, b""), "an unknown symbol: nothing is run")


def test_threads_are_cpus(bench):
    for machine in ARM:
        compiler, qemu = ARM[machine]
        need(compiler, qemu)
        program = bench.build("threads", "-pthread", compiler=compiler)
        trace = bench.path("threads.tarmac")
        same(bench.record(trace, [program]).stdout, b"1600 318400\n", "output")
        bench.clean(trace)
        cpus = {word[1] for _, word in tarmac_words(trace)}
        same(cpus, {"cpu0", "cpu1", "cpu2", "cpu3", "cpu4"}, "cpus")


def test_threads_and_micro_ops(bench):
    program, trace = bench.build("threads", "-pthread"), bench.path("threads.uop")
    same(bench.record(trace, [program]).stdout, b"1600 318400\n", "output")
    bench.clean(trace)
    same(bench.record(trace, [program], "--cpu", "2").returncode, 0, "code")
    assert os.path.getsize(trace) > 0, "the trace of the second thread is empty"


def test_children_and_closed_descriptors(bench):
    program, trace = bench.build("children"), bench.path("children.uop")
    done = bench.record(trace, [program])
    same((done.returncode, done.stdout), (7, b"child 3\nparent\n"), "exit code and output")
    bench.clean(trace)


def test_signal_kills_program(bench):
    program, trace = bench.build("forever"), bench.path("killed.uop")
    for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
        running = bench.start(trace, [program])
        guest = running.stdout.readline()
        if not guest:
            raise Skip(running.communicate(timeout=SECONDS)[1].decode().strip())
        guest = int(guest)
        os.kill(guest if number == signal.SIGKILL else running.pid, number)
        running.communicate(timeout=SECONDS)
        same(running.returncode, 128 + number, "exit code")
        assert os.path.getsize(trace) > 0, "the trace is empty"
        bench.clean(trace)


def test_a_program_that_attacks_the_recorder(bench):
    """The memory that both share cannot be truncated; impossible numbers in it end the recording."""
    program = bench.build("hostile")
    trace = bench.path("hostile.uop")
    done = bench.record(trace, [program, "truncate"])
    same(done.returncode, 0, "exit code")
    assert b"ftruncate -1" in done.stdout, done.stdout
    bench.clean(trace)
    done = bench.record(trace, [program, "clear"])
    same(done.returncode, 3, "exit code")
    assert b"did the program write over them?" in done.stderr, done.stderr
    # what it overwrote before it was noticed is missing; what is there keeps the format's rules
    check = subprocess.run([bench.spoor, "check", trace], capture_output=True, text=True,
                           timeout=SECONDS)
    wrong = [line for line in check.stdout.splitlines()[:-1] if "uop-next-pc: " not in line]
    assert check.returncode in (0, 1) and not wrong, check.stdout


def test_interrupt_from_the_terminal(bench):
    program, trace = bench.build("forever"), bench.path("interrupted.din")
    try:
        child, terminal = pty.fork()
    except OSError as reason:
        raise Skip(f"there is no pseudo-terminal: {reason}") from reason
    if child == 0:
        take_signals()
        os.execv(bench.spoor, [bench.spoor, "record", "-q", "-o", trace, "--", program])
    said = b""
    try:
        while not said.endswith(b"\n"):
            said += os.read(terminal, 100)
        os.write(terminal, b"\x03")
        while os.read(terminal, 100):
            pass
    except OSError:
        pass  # a terminal that no process has open any more ends with this error
    same(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 128 + signal.SIGINT, "exit code")
    assert os.path.getsize(trace) > 0, "the trace is empty"
    bench.clean(trace)


def test_full_disk(bench):
    if not Path("/dev/full").is_char_device():
        raise Skip("there is no /dev/full")
    program = bench.build("busy")
    done = bench.record("/dev/full", [program, "a"])
    same((done.returncode, done.stdout), (4, b"50 0.429 144\n"), "the program's own end")
    assert b"No space left" in done.stderr, done.stderr
    same(bench.record("/dev/full", ["true"]).returncode, 3, "exit code of a lost trace")


def test_what_is_missing_is_said(bench):
    for words, sentence in (
            (["/nowhere/program"], b"cannot be run"),
            (["no-such-program"], b"no such program"),
            ([__file__], b"is a script")):
        done = bench.record(bench.path("none"), words)
        same(done.returncode, 3, "exit code")
        assert sentence in done.stderr and done.stderr.count(b"\n") == 1, done.stderr
    done = bench.record(bench.path("none"), ["true"], "--qemu", "qemu-of-nobody")
    assert b"apt-get install qemu-user" in done.stderr, done.stderr
    plain = Path(bench.path("qemu-plain"))
    plain.write_text("#!/bin/sh\necho usage: qemu-plain -help -version\n", encoding="ascii")
    plain.chmod(0o755)
    done = bench.record(bench.path("none"), ["true"], "--qemu", str(plain))
    assert b"does not load plugins" in done.stderr, done.stderr
    assert b"apt-get install qemu-user" in done.stderr, done.stderr


def test_environment_is_the_programs(bench):
    environment = {"PATH": os.environ.get("PATH", os.defpath), "KEPT": "as it was"}
    done = bench.record(bench.path("env.lackey"), ["env"], env=environment)
    same(dict(line.split("=", 1) for line in done.stdout.decode().splitlines()), environment,
         "environment")


def test_a_library_that_is_missing_is_said(bench):
    for compiler, qemu in (*ARM.values(), ("riscv64-linux-gnu-gcc", "qemu-riscv64")):
        need(compiler, qemu)
        program = bench.build("busy", compiler=compiler, link="-pie")
        done = bench.record(bench.path("none"), [program], "-t", "din", "-L", bench.directory)
        same(done.returncode, 3, "exit code")
        assert b"apt-get install libc6-" in done.stderr, done.stderr


def clang_for(machine):
    """The command of LLVM's compiler for another machine."""
    found = next((name for name in ("clang-14", "clang") if shutil.which(name)), "clang")
    need(found, "ld.lld")
    return f"{found} {CLANG[machine]}"


def logged_registers(qemu, program):
    """The registers after each instruction, which qemu logs before the next one, for the processor that spoor
    chooses."""
    model = ["-cpu", "neoverse-n1"] if qemu == "qemu-aarch64" else []
    log = subprocess.run([qemu, *model, "-singlestep", "-d", "cpu,fpu,nochain", program],
                         capture_output=True, text=True, timeout=SECONDS).stderr
    yield from re.split(r"^ PC=|^R00=", log, flags=re.M)[1:]


def arm64_state(text):
    registers = {f"X{int(number)}": value for number, value in
                 re.findall(r"X(\d\d)=([0-9a-f]{16})", text)}
    registers["SP"] = re.search(r"SP=([0-9a-f]{16})", text).group(1)
    registers["cpsr"] = re.search(r"PSTATE=([0-9a-f]{8})", text).group(1)
    registers |= re.findall(r"(FPCR|FPSR)=([0-9a-f]{8})", text)
    registers |= {f"V{int(number)}": high + low for number, high, low in
                  re.findall(r"Q(\d\d)=([0-9a-f]{16}):([0-9a-f]{16})", text)}
    return text.split()[0], registers


def arm_state(text):
    text = "R00=" + text
    found = dict(re.findall(r"\bR(\d\d)=([0-9a-f]{8})", text))
    registers = {f"r{int(number)}": value for number, value in found.items() if number != "15"}
    registers["cpsr"] = re.search(r"PSR=([0-9a-f]{8})", text).group(1)
    registers["fpscr"] = re.search(r"FPSCR: ([0-9a-f]{8})", text).group(1)
    registers |= {f"d{int(number)}": value for number, value in
                  re.findall(r"d(\d\d)=([0-9a-f]{16})", text)}
    return found["15"], registers


def is_zero_vector(name, value):
    """One that is zero when the recording begins is not stated; nor is such a status."""
    return name[0] in "VdFf" and int(value, 16) == 0


def note_register(registers, name, value):
    """A single register of Arm is a half of a double."""
    if name[0] == "s" and name[1:].isdigit():
        double, number = f"d{int(name[1:]) // 2}", int(name[1:])
        old = registers.get(double, "0" * 16)
        registers[double] = old[:8] + value if number % 2 == 0 else value + old[8:]
    else:
        registers[name] = value


def check_against_log(trace, states):
    """Demand that each instruction of the trace begins with the registers in the log."""
    registers, count = {}, 0
    for line, word in tarmac_words(trace):
        if word[2] == "R":
            note_register(registers, word[3], word[4])
        elif word[2] in ("IT", "IS"):
            pc, expected = next(states)
            same(int(word[4], 16), int(pc, 16), f"pc of {line!r}")
            same({name: value for name, value in registers.items() if not is_zero_vector(name, value)},
                 {name: value for name, value in expected.items() if not is_zero_vector(name, value)},
                 f"registers before {line!r}")
            count += 1
    assert count > 100, f"only {count} instructions"


def test_registers_agree_with_qemus_log(bench):
    for machine, state in (("arm64", arm64_state), ("arm", arm_state)):
        compiler, qemu = ARM[machine]
        need(qemu)
        if not shutil.which(compiler):
            compiler = clang_for(machine)
        for source, code in ((f"registers-{machine}", 5), (f"vectors-{machine}", 0)):
            flags = ["-mfpu=neon"] if source == "vectors-arm" else []
            program = bench.build(source, "-nostdlib", "-ffreestanding", *flags, compiler=compiler)
            trace = bench.path("registers.tarmac")
            same(bench.record(trace, [program]).returncode, code, "exit code")
            check_against_log(trace, map(state, logged_registers(qemu, program)))
            bench.clean(trace)


def test_floating_point_status_agrees_with_qemus_log(bench):
    """FPSR, FPCR and FPSCR: also what the program itself reads of them."""
    for machine, state in (("arm64", arm64_state), ("arm", arm_state)):
        qemu = ARM[machine][1]
        need(qemu)
        program = bench.build(f"floats-{machine}", "-nostdlib", compiler=clang_for(machine))
        trace = bench.path("floats.tarmac")
        done = bench.record(trace, [program])
        same(done.returncode, 0, "exit code")
        assert b"FPSR" not in done.stderr, done.stderr
        check_against_log(trace, map(state, logged_registers(qemu, program)))
        stated, text, sets = {}, "", []
        for line, word in tarmac_words(trace):
            if word[2] in ("IT", "IS"):
                text = line.split(" : ")[1].strip() if " : " in line else ""
                if text.startswith(("msr", "vmsr", "vcmp")):
                    sets.append([text, ""])
            elif word[2] == "R":
                read = re.match(r"v?mrs [xrs]\w+, (fp\w+)", text)
                if read and word[3].upper() not in ("FPSR", "FPCR", "FPSCR"):
                    same(int(word[4], 16), int(stated.get(read.group(1), "0"), 16), f"value of {text!r}")
                stated[word[3].lower()] = word[4]
                if sets and sets[-1][0] == text:
                    sets[-1][1] = word[3].lower()
        bench.clean(trace)
        assert len(sets) > 20, f"only {len(sets)} writes"
        for text, register in sets: # changed or not
            assert register and (register in text or text.startswith("vcmp")), f"{register!r} of {text!r}"


# What each instruction of programs/writes-arm64.c writes, changed or not, and its text as LLVM's assembler
# reads it.
WRITES = [("adr", "X9"), ("mov", "X24"), ("msr nzcv, x24", "cpsr"), ("msr nzcv, x24", "cpsr"),
          ("adds x1", "X1 cpsr"), ("adds x1", "X1 cpsr"), ("cmp x1, x1", "cpsr"), ("ands x2", "X2 cpsr"),
          ("ccmp x1", "cpsr"), ("mov x1, x1", "X1"), ("fmov d0, x1", "V0"), ("fcmp d0, d0", "cpsr"),
          ("mov", "X3"), ("ldadd x3, x4, [x9]", "X4"), ("stadd x3, [x9]", ""), ("swpal w3, w4, [x9]", "X4"),
          ("cas x4, x3, [x9]", "X4"), ("casp x4, x5, x2, x3, [x9]", "X4 X5"), ("stsmaxlb w3, [x9]", ""),
          ("fmov d0, x1", "V0"), ("ins v3.d[1], x1", "V3"), ("ldp q4, q5, [x9]", "V4 V5"),
          ("ldp q4, q5, [x9]", "V4 V5"), ("ld1 {v6.s}[1], [x9], x3", "V6 X9"), ("ld2 {v7.4h", "V7 V8"),
          ("umov w5, v4.h[2]", "X5"), ("aese v9.16b, v9.16b", "V9"), ("fcvtzs x5, d0", "X5"),
          ("str q4, [x9]", ""), ("st1 {v4.16b, v5.16b}, [x9]", ""), ("sub x9, x9", "X9"),
          ("ldp x6, x7", "X6 X7 X9"), ("str x6", "X9"), ("mov", "X0"), ("mov", "X8"), ("svc", "")]


def test_all_that_is_written_is_stated_and_nothing_else(bench):
    compiler, qemu = ARM["arm64"]
    need(qemu)
    if not shutil.which(compiler):
        compiler = clang_for("arm64")
    program, trace = bench.build("writes-arm64", "-nostdlib", compiler=compiler), bench.path("writes.tarmac")
    same(bench.record(trace, [program]).returncode, 0, "exit code")
    bench.clean(trace)
    found = []
    for line, word in tarmac_words(trace):
        if word[2] == "IT":
            found.append((line.split(" : ")[1].strip(), []))
        elif word[2] == "R" and found:
            found[-1][1].append(word[3])
    same(len(found), len(WRITES), "instructions")
    for (text, registers), (begin, expected) in zip(found, WRITES):
        assert text.startswith(begin), f"found {text!r}, expected {begin!r}"
        same(sorted(registers), sorted(expected.split()), f"registers of {text!r}")


def check_loads(trace):
    """Demand that each load returns the value stored last, if the trace states it.  A trace of the program
    does not show stores of the kernel, so a byte may differ after a system call."""
    memory, loads, known, calls = {}, 0, 0, 0
    for line, word in tarmac_words(trace):
        calls += word[2] == "IT" and word[5] in SYSTEM_CALLS
        if not word[2].startswith(("MR", "MW")):
            continue
        address, value = int(word[3], 16), bytes.fromhex(word[4].replace("_", ""))[::-1]
        for offset, byte in enumerate(value):
            if word[2].startswith("MR"):
                loads += 1
                before, when = memory.get(address + offset, (byte, calls))
                known += address + offset in memory
                assert byte == before or when < calls, f"{line!r}: expected {before:02x}"
            memory[address + offset] = (byte, calls)
    return loads, known


def test_loads_give_what_was_stored(bench):
    for machine in ARM:
        compiler, qemu = ARM[machine]
        need(compiler, qemu)
        program, trace = bench.build("busy", compiler=compiler), bench.path("busy.tarmac")
        same(bench.record(trace, [program, "a"]).returncode, 4, "exit code")
        bench.clean(trace)
        loads, known = check_loads(trace)
        assert known > loads // 2, f"{known} of {loads} loaded bytes were stored before"


def test_dynamic_programs_of_other_processors(bench):
    for compiler, qemu in ARM.values():
        need(compiler, qemu)
        program, trace = bench.build("busy", compiler=compiler, link="-pie"), bench.path("pie.tarmac")
        done = bench.record(trace, [program, "a"], "--start", "main")
        if b"is linked dynamically" in done.stderr:
            raise Skip(done.stderr.decode().strip())
        same((done.returncode, done.stdout), (4, b"50 0.429 144\n"), "exit code and output")
        bench.clean(trace)
        loads, known = check_loads(trace)
        assert known > loads // 2, f"{known} of {loads} loaded bytes were stored before"


def test_loads_reach_registers(bench):
    compiler, qemu = ARM["arm64"]
    need(compiler, qemu)
    program, trace = bench.build("busy", compiler=compiler), bench.path("busy.tarmac")
    bench.record(trace, [program, "a"])
    simple, loaded, checked = None, None, 0
    for line, word in tarmac_words(trace):
        if word[2] == "IT":
            bits = int(word[5], 16)
            simple = f"X{bits & 31}" if bits >> 22 == 0b1111100101 else None  # LDR Xt, [Xn, #imm]
        elif word[2] == "MR8" and simple:
            loaded = word[4].replace("_", "")
        elif word[2] == "R" and simple and word[3] == simple:
            same(word[4], loaded, f"register after {line!r}")
            checked += 1
    assert checked > 100, f"only {checked} loads"


def test_memory_references_of_other_processors(bench):
    for compiler, qemu in (*ARM.values(), ("riscv64-linux-gnu-gcc", "qemu-riscv64")):
        need(compiler, qemu)
        program, trace = bench.build("busy", compiler=compiler), bench.path("busy.lackey")
        done = bench.record(trace, [program, "a"])
        same((done.returncode, done.stdout), (4, b"50 0.429 144\n"), "exit code and output")
        bench.clean(trace)


def test_functions_and_lines_of_what_was_recorded(bench):
    """The load map beside the trace identifies the code of a position-independent program and of its
    libraries: functions equal those of nm, lines those of addr2line."""
    need("nm", "addr2line")
    program = bench.build("busy", "-g", "-fPIE", link="-pie")
    trace = bench.path("t.uop.zst")
    done = bench.record(trace, [program])
    assert done.returncode == 3, done.stderr
    mappings = [line.split(maxsplit=4) for line in lines(trace + ".spoor-map")
                if not line.startswith("#")]
    own = [mapping for mapping in mappings if mapping[3] == program]
    assert len(own) == 1, mappings
    assert any("/libc" in mapping[3] for mapping in mappings), mappings
    spoor_file, copy = bench.path("t.spoor"), bench.path("copy.uop")  # it has the map in it
    assert bench.record(spoor_file, [program]).returncode == 3
    subprocess.run([bench.spoor, "convert", "-q", "-t", "uop", "-o", copy, spoor_file], check=True)
    carried = [line.split(maxsplit=4) for line in lines(copy + ".spoor-map") if not line.startswith("#")]
    assert [mapping[1:] for mapping in carried] == [mapping[1:] for mapping in mappings], carried
    start, end = (int(word, 16) for word in own[0][0].split("-"))
    moved = start - int(own[0][1], 16)  # its segments lie at their offsets
    rows = subprocess.run(
        [bench.spoor, "print", "--fields", "pc,function,offset,source", "--where",
         f"pc in 0x{start:x}..0x{end - 1:x}", trace], capture_output=True, text=True, check=True).stdout
    rows = sorted({tuple(row.split("\t")) for row in rows.splitlines()})
    symbols = {}
    for line in subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        symbols.setdefault(line.split()[-1], int(line.split()[0], 16))
    for pc, function, offset, _ in rows:
        if function:
            same(int(pc, 16) - int(offset, 16) - moved, symbols[function], function)
    assert {"main"} <= {row[1] for row in rows}, rows
    with_source = [row for row in rows if row[3]]
    said = subprocess.run(["addr2line", "-e", program],
                          input="".join(f"{int(row[0], 16) - moved:x}\n" for row in with_source),
                          capture_output=True, text=True, check=True).stdout.splitlines()
    if b"lines (elfutils)" in subprocess.run([bench.spoor, "--version"], capture_output=True,
                                             check=True).stdout:
        assert len(with_source) > 5, rows
        same([row[3] for row in with_source], [re.sub(r" \(.*", "", place) for place in said], "lines")
    os.rename(program, program + "-2")  # a missing file is reported, and names nothing
    done = subprocess.run([bench.spoor, "print", "--fields", "function", "-n", "1", trace],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "1 file of the recorded program not used" in done.stderr, done


def profile_of(bench, trace, *options):
    """{name: row} of what spoor says of a recorded program, without being told its image."""
    said = subprocess.run([bench.spoor, "profile", "--json", *options, trace], capture_output=True,
                          text=True, check=True).stdout
    return {row["function"]: row for row in json.loads(said)["functions"] if row.get("function")}


def callgrind_of(bench, *options):
    """{name: instructions} of each function; of one that calls itself, of its outermost call."""
    said = subprocess.run(["callgrind_annotate", "--threshold=100", "--show-percs=no", *options,
                           bench.path("callgrind")], capture_output=True, text=True, check=True).stdout
    functions = collections.Counter()
    for amount, name in re.findall(r"^ *([\d,]+) +\S+?:(\S+) \[", said, re.MULTILINE):
        if "'" not in name or not options:
            functions[name.split("'")[0]] += int(amount.replace(",", ""))
    return functions


def functions_of_main(bench, trace):
    """Functions that main alone calls, directly or not, and that do the same on every processor:
    others depend on the environment, or are chosen by the processor."""
    folded = subprocess.run([bench.spoor, "profile", "--flame", trace], capture_output=True, text=True,
                            check=True).stdout
    inside, outside = set(), set()
    for line in folded.splitlines():
        stack = line.rsplit(" ", 1)[0].split(";")
        at = stack.index("main") if "main" in stack else len(stack)
        inside.update(stack[at:])
        outside.update(stack[:at])
    return {name for name in inside - outside
            if not re.search(r"_(avx|evex|sse|erms)|mem|str|alloc|free|^0x", name)}


def test_profile_agrees_with_callgrind(bench):
    """Instructions of each function that main calls, itself and with what it calls, within 1 %."""
    need("valgrind", "callgrind_annotate")
    os.environ.pop("MALLOC_PERTURB_", None)  # meson sets it: free() would count more
    program, trace = bench.build("busy", "-g"), bench.path("busy.uop.zst")
    assert bench.record(trace, [program]).returncode == 3
    subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + bench.path("callgrind"),
                    program], capture_output=True, check=False, timeout=SECONDS)
    found = profile_of(bench, trace)
    own, whole = callgrind_of(bench), callgrind_of(bench, "--inclusive=yes")
    compared = 0
    for name in sorted(functions_of_main(bench, trace) & own.keys()):
        for key, expected in (("exclusive", own[name]), ("inclusive", whole[name])):
            amount = found[name][key]
            assert abs(amount - expected) <= expected / 100, f"{name}: {key} {amount}, not {expected}"
        compared += own[name]
    assert {"main", "fibonacci", "compare"} <= own.keys(), own
    assert compared > 0.9 * whole["main"], f"{compared} of {whole['main']} instructions of main"
    same((found["main"]["calls"], found["fibonacci"]["calls"]), (1, 465), "calls")


def test_profile_names_functions_of_a_position_independent_program(bench):
    """Without any option, of the program and of its library."""
    program, trace = bench.build("busy", "-g", "-fPIE", link="-pie"), bench.path("t.uop.zst")
    assert bench.record(trace, [program]).returncode == 3
    found = profile_of(bench, trace)
    same([found[name]["calls"] for name in ("main", "fibonacci")], [1, 465], "calls")
    assert found["main"]["inclusive"] > found["fibonacci"]["inclusive"] > 465
    assert any(name.startswith(("qsort", "__qsort")) for name in found), sorted(found)
    folded = subprocess.run([bench.spoor, "profile", "--flame", trace], capture_output=True, text=True,
                            check=True).stdout
    assert re.search(r";main;fibonacci;fibonacci(;\S+)* \d+$", folded, re.MULTILINE), folded


def test_calls_are_the_same_on_another_processor(bench):
    """Micro-ops of x86-64 and Tarmac of AArch64, of one source: who calls whom, how often."""
    need(*ARM["arm64"])
    edges = []
    for compiler, name in ((None, "busy.uop"), (ARM["arm64"][0], "busy.tarmac")):
        program = bench.build("busy", "-g", "-fno-inline", compiler=compiler)
        trace = bench.path(name)
        assert bench.record(trace, [program]).returncode == 3
        rows = profile_of(bench, trace, "--callers")
        edges.append({(row["function"], edge.get("function"), edge["calls"]) for row in rows.values()
                      for edge in row["callees"]
                      if {row["function"], edge.get("function")} <= {"main", "fibonacci", "compare"}})
    assert ("main", "fibonacci", 1) in edges[0], edges
    same(edges[0], edges[1], "calls")


def test_state_and_who_name_functions_and_lines(bench):
    """Of a position-independent program, without any option: the pc of a state and of all writers of
    a register, as addr2line has them."""
    need("addr2line")
    program, trace = bench.build("busy", "-g", "-fPIE", link="-pie"), bench.path("t.uop")
    bench.record(trace, [program])
    mapping = next(line.split() for line in lines(trace + ".spoor-map") if line.strip().endswith(program))
    start, end = (int(word, 16) for word in mapping[0].split("-"))
    moved = start - int(mapping[1], 16)

    def ask(*words):
        return json.loads(subprocess.run([bench.spoor, *words, "--json"], capture_output=True,
                                         text=True, check=True).stdout)
    states = [ask("state", trace, "--at", moment)["cpus"][0]
              for moment in ("pc:main", "pc:fibonacci#9", "pc:compare#-1")]
    same([(state["function"], state["offset"]) for state in states],
         [("main", "0x0"), ("fibonacci", "0x0"), ("compare", "0x0")], "state")
    writers = [write for write in ask("who", trace, "r0", "--all")["writes"]
               if start <= int(write["pc"], 16) < end]
    assert len(writers) > 100 and states[0]["registers"], (len(writers), states[0])
    said = subprocess.run(["addr2line", "-f", "-e", program],
                          input="".join(f"{int(place['pc'], 16) - moved:x}\n"
                                        for place in states + writers),
                          capture_output=True, text=True, check=True).stdout.splitlines()
    has_lines = b"lines (elfutils)" in subprocess.run([bench.spoor, "--version"], capture_output=True,
                                                      check=True).stdout
    for place, function, source in zip(states + writers, said[::2], said[1::2]):
        source = re.sub(r" \(.*", "", source)
        if function != "??":
            same(place["function"], function, "function")
        if has_lines and not source.endswith(":?"):
            same(place["source"], source, "line")


def test_coverage_agrees_with_gcov(bench):
    """Functions and lines run as often as the compiler's own counters state."""
    need("gcov")
    program = bench.build("busy", "-O0", "-g", link="-no-pie")
    trace, info = bench.path("t.uop"), bench.path("t.info")
    for _ in range(2):  # two traces are added: the counts double
        bench.record(trace, [program])
    done = subprocess.run([bench.spoor, "coverage", "--files", "*busy.c", "--lcov", info, trace, trace],
                          capture_output=True, text=True, check=False)
    if b"lines (elfutils)" not in subprocess.run([bench.spoor, "--version"], capture_output=True,
                                                 check=True).stdout:
        raise Skip("spoor was built without elfutils")
    assert done.returncode == 0, done.stderr
    own = {"DA": {}, "FNDA": {}}
    for line in lines(info):
        kind, _, rest = line.partition(":")
        if kind == "DA":
            own["DA"][int(rest.split(",")[0])] = int(rest.split(",")[1])
        if kind == "FNDA":
            own["FNDA"][rest.strip().split(",")[1]] = int(rest.split(",")[0])
    source = HERE / "programs" / "busy.c"
    counted = bench.path("counted")
    subprocess.run([bench.compiler, "-O0", "--coverage", "-o", counted, source], check=True,
                   cwd=bench.directory)
    subprocess.run([counted], check=False, stdout=subprocess.DEVNULL, cwd=bench.directory)
    notes = next(Path(bench.directory).glob("*.gcno"))
    said = subprocess.run(["gcov", "-t", "-i", notes.name], check=True, capture_output=True,
                          cwd=bench.directory).stdout
    said = json.loads(said)["files"][0]
    theirs = {entry["name"]: entry["execution_count"] for entry in said["functions"]}
    same(own["FNDA"], {name: 2 * count for name, count in theirs.items()}, "functions")
    executable = {entry["line_number"]: entry["count"] for entry in said["lines"]}
    common = [line for line in executable if line in own["DA"]]
    assert len(common) > 0.6 * len(executable), (own, executable)  # all but heads of functions
    same({line: own["DA"][line] for line in common},
         {line: 2 * executable[line] for line in common}, "lines")
    if shutil.which("genhtml"):
        subprocess.run(["genhtml", "-q", "--branch-coverage", "-o", bench.path("html"), info],
                       check=True, capture_output=True)


def main(words):
    tests = [(name[5:].replace("_", " "), test) for name, test in globals().items()
             if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = 0
    for title, test in tests:
        with tempfile.TemporaryDirectory() as directory:
            try:
                need_own_qemu()
                test(Bench(words[1], words[2], directory))
                print(f"ok {title}")
            except Skip as reason:
                print(f"ok {title} # SKIP {reason}")
            except Exception as wrong:  # any exception fails this test
                failed += 1
                where = traceback.extract_tb(wrong.__traceback__)[-1].lineno
                text = f"line {where}: {type(wrong).__name__}: {wrong}"
                print(f"not ok {title}", *text.splitlines(), sep="\n# ")
        sys.stdout.flush()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

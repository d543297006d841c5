#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""terminal.py SPOOR ROOT: spoor browse in a real terminal (tmux); prints TAP.

Every key of the table that `spoor browse --list-keys` prints is pressed at least once, and the
screen that follows is read; the first test fails if a key has no step here, or a step that reads
nothing.  No step sleeps: each
waits until the screen shows what is expected.  Screens of 40, 80 and 200 columns are compared with
files; SPOOR_ACCEPT=1 writes them.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
SECONDS = float(os.environ.get('SPOOR_SECONDS', 60))  # a screen that takes longer hangs; sanitizers are slow
HERE = Path(__file__).resolve().parent

TWO = """\
10 clk cpu0 IT (1) 00001000 94000004 O EL1h_n : BL       0x1010
10 clk cpu0 R X30 0000000000001004
10 clk cpu1 IT (1) 00002000 d2800020 O EL1h_n : MOV      x0,#1
10 clk cpu1 R X0 0000000000000001
11 clk cpu0 E 00001010 00000004 CoreEvent_CURRENT_SPx_SYNC
11 clk cpu0 IT (2) 00001010 d65f03c0 O EL1h_n : RET
12 clk cpu1 IT (2) 00002004 d2800040 O EL1h_n : MOV      x0,#2
12 clk cpu1 R X0 0000000000000002
13 clk cpu0 E 00001004 00000005 CoreEvent_CURRENT_SPx_IRQ
13 clk cpu0 IT (3) 00001004 d503201f O EL1h_n : NOP
"""

# The names that tmux has for keys; others are characters.
TMUX = {"Down": "Down", "Up": "Up", "Left": "Left", "Right": "Right", "PgDn": "NPage", "PgUp": "PPage",
        "Home": "Home", "End": "End", "Return": "Enter", "Space": "Space", "Tab": "Tab",
        "S-Tab": "BTab", "F1": "F1", "F6": "F6", "F7": "F7", "F10": "F10", "Esc": "Escape",
        "Backspace": "BSpace", "Del": "DC"}
# Column 5, row 4, as a terminal of the kind `screen` sends them.
MOUSE = {"Click": "\033[M %$", "WheelUp": "\033[M`%$", "WheelDown": "\033[Ma%$"}


class Terminal:
    """A terminal with the browser in it."""

    count = 0

    def __init__(self, folder, arguments, width=80, height=24, job=False, before="",
                 environment="LC_ALL=C.UTF-8 TERM=screen"):
        Terminal.count += 1
        self.socket = str(Path(folder) / f"tmux{Terminal.count}")
        command = " ".join([before, "env -u NO_COLOR", environment, SPOOR, "browse", *arguments])
        again = f"; touch {folder}/stopped; fg %1" if job else ""
        # ^C reaches the shell, too, which goes on
        shell = (f"trap : INT; {'set -m; ' if job else ''}stty -a | head -3; {command}{again}; "
                 f"echo ended $?; stty -a | head -3; exec cat")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height),
                  "sh", "-c", shell)
        self.tmux("set", "-g", "escape-time", "0")
        self.tmux("set", "-g", "history-limit", "0")

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def screen(self, styles=False):
        """The characters on the screen; `styles`: with the escape sequences of their looks."""
        return self.tmux("capture-pane", "-p", *(["-e"] if styles else []), "-t", "0")

    def write_over(self, text):
        """Write to the terminal as another program would."""
        with open(self.tmux("list-panes", "-F", "#{pane_tty}").strip(), "w") as tty:
            tty.write(text)

    def press(self, keys):
        """Keys: a string of characters, or a list of strings and of names such as "<PgDn>"."""
        words = []
        for name, text in re.findall(r"<(\S[^<>]*)>|([^<]+|<)", keys):
            if name == "lt":
                words.append(("-l", "<"))
            elif name.startswith("C-"):
                words.append(("", name))
            elif name in MOUSE:
                words.append(("-l", MOUSE[name]))
            elif name:
                words.append(("", TMUX[name]))
            else:
                words.append(("-l", text))
        for option, word in words:
            self.tmux("send-keys", *([option] if option else []), "-t", "0", "--", word)

    def wait(self, pattern, absent=False):
        """Wait until the screen has the pattern, or no longer has it."""
        end = time.monotonic() + SECONDS
        while True:
            screen = self.screen()
            if bool(re.search(pattern, screen, re.M)) != absent:
                return screen
            if time.monotonic() > end:
                raise AssertionError(f"expected {pattern!r}, found:\n{screen}")
            time.sleep(0.005)

    def resize(self, width, height):
        self.tmux("resize-window", "-t", "0", "-x", str(width), "-y", str(height))

    def pid(self):
        shell = self.tmux("list-panes", "-F", "#{pane_pid}").split()[0]
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                number, name, parent = re.match(r"(\d+) \((.*)\) \S (\d+)", status.read_text()).groups()
            except OSError:
                continue  # it has ended
            if parent == shell and "spoor" in name:
                return int(number)
        raise ProcessLookupError("the terminal has no browser")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.kill()

    def kill(self):
        """End the browser without its own end, which needs the terminal under the leak sanitizer."""
        try:
            os.kill(self.pid(), signal.SIGKILL)
        except (ProcessLookupError, subprocess.CalledProcessError):
            pass
        self.close()

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], stderr=subprocess.DEVNULL)



def line(number):
    """The status line at a line of a trace with a record in each line."""
    return rf"line {number}  (record {number - 1}|time) "


class Gone(str):
    """A pattern that the screen no longer has."""


def row(y, number):
    """Row y of the screen, from 0, is this line of the trace."""
    return lambda lines: rf"\A(.*\n){{{y}}}{re.escape(lines[number - 1][:30])}"


def at(place):
    """The keys that go to a line, by the `:` line."""
    return f":{place}<Return>"


# Steps on the trace sort.tarmac: the keys before, the key, what the screen shows then.
STEPS = [
    *[(at(100 + 10 * i), key, line(101 + 10 * i))
      for i, key in enumerate(["j", "Down", "^N", "^E"])],
    *[(at(200 + 10 * i), key, line(199 + 10 * i)) for i, key in enumerate(["k", "Up", "^P", "^Y"])],
    *[(at(300 + 50 * i), key, line(321 + 50 * i))
      for i, key in enumerate(["Space", "f", "PgDn", "^F"])],
    *[(at(600 + 50 * i), key, line(579 + 50 * i)) for i, key in enumerate(["b", "PgUp", "^B"])],
    *[(at(800 + 50 * i), key, line(811 + 50 * i)) for i, key in enumerate(["d", "^D"])],
    *[(at(900 + 50 * i), key, line(889 + 50 * i)) for i, key in enumerate(["u", "^U"])],
    *[(at(1000 + i), key, line(1)) for i, key in enumerate(["g", "<", "Home"])],
    *[(at(1010 + i), key, line(43712)) for i, key in enumerate(["G", ">", "End"])],
    ("12", "G", line(12)), ("23", "g", line(23)),
    (at(2003), "l", r"(?m)^\S* ?cpu0 (IT|R|MR|MW)"), ("", "h", r"(?m)^\d+ clk cpu0"),
    ("", "Right", r"(?m)^\S* ?cpu0 (IT|R|MR|MW)"), ("", "Left", r"(?m)^\d+ clk cpu0"),
    (at(3000) + "zt", "L", line(3021)), ("", "M", line(3010)), ("", "H", line(3000)),
    (at(3101), "zt", row(0, 3101)), ("", "zb", row(21, 3101)), ("", "zz", row(10, 3101)),
    ("zt", "z.", row(10, 3101)),
    ("", "t", "^time:"), ("9542<Return>", None, r"time 9542 clk"),
    ("", "#", "^line:"), ("77<Return>", None, line(77)),
    ("", "R", "^record:"), ("88<Return>", None, line(89)),
    ("50", "%", "50%  line"), ("", "@", "time, line:N"), ("record:500<Return>", None, line(501)),
    (at(60) + at(70), "^O", line(60)), ("", "i", line(70)), ("", "o", line(60)),
    (at(123), "m", "^mark:"), ("a", None, "mark a is set"),
    (at(1), "'", "^to mark:"), ("a", None, line(123)),
    ("", "=", "line 123, record 122 of 43712"), ("j", "^G", "line 124, record 123 of 43712"),
    # next and previous
    (at(20000), "]c", line(20095)), (at(20000), "[c", line(19988)),
    (at(20000), "]r", line(20107)), (at(20000), "[r", line(19961)),
    ("", "]e", "there is no later exception"), ("", "[e", "there is no earlier exception"),
    ("", "e", "there is no later exception"), ("", "E", "there is no earlier exception"),
    (at(19989), "]p", line(20239)), (at(19989), "[p", line(19988)),
    ("", "p", "^next execution of pc:"), ("swap<Return>", None, r"pc 0x[0-9a-f]+ swap$"),
    (at(20097), "P", "^previous execution of pc:"), ("partition<Return>", None, line(19990)),
    (at(19995), "]f", line(20241)), (at(19995), "[f", line(19990)),
    (at(19992), "Return", r"405098\+8 was written here: 0x0000000000401144"),
    (at(19992), "]w", line(21133)), (at(19992), "[w", line(16042)),
    (at(19992), "]a", line(20208)), (at(19992), "[a", line(16319)),
    (at(19992), "]v", "there is no later change of 405098"), (at(19992), "[v", line(7836)),
    (at(20000), "]v", line(21578)), (at(20000), "[v", line(16342)),
    *[("", key, "there is one trace") for key in ["]d", "[d", "]R", "[R", "w"]],
    # searching
    (at(20), "/", "^search "), ("R X29<Return>", None, line(30)),
    (at(2142), "n", line(2158)), ("", "N", line(2141)),
    (at(5000), "\\", "^search back"), ("R X29<Return>", None, line(4011)),
    (at(20) + "/~R X(29|30) .*4[0-9a-f]$<Return>", None, line(2152)), ("n", None, line(3975)),
    (at(20) + "/~R X(29<Return>", None, "expected a regular expression: missing closing parenthesis"),
    # what is shown
    ("", "|", "the trace names one cpu"),
    ("", "&", "^only rows with"), ("=kind==mem<Return>", None, "& =kind==mem"),
    ("", "zx", "^rows of context"), ("2<Return>", None, "2 rows of context"),
    ("&<Return>", None, "all rows are shown"),
    ("", "c", "^cpu:"), ("cpu0<Return>", None, "only rows of cpu cpu0"),
    (":cpu all<Return>", None, "rows of all cpus"),
    ("", "v", "(?m)^(insn|reg|mem) time="), ("v", None, "lines of the format"),
    ("", "y", "<partition|<sort|<swap|names of functions"), ("", "F7", "no names of functions"),
    ("", "C", "one colour"), ("", "F6", "colours by kind"),
    ("", "I", "rows indented by calls"), ("", "I", "rows not indented"),
    (at(19995), "zc", r"\+\d+ records"), ("", "zo", r"9539 clk cpu0 IT"),
    (at(19995), "-", r"\+\d+ records"), ("", "+", r"9539 clk cpu0 IT"),
    (at(19980), "zM", r"\d+ calls? (is|are) folded"),
    ("", "zr", r"\d+ calls are unfolded, \d+ inside folded"), ("", "zR", r"\d+ calls are unfolded"),
    (at(19980), "[[", r"\d+ calls? (is|are) folded"), ("", "]]", r"\d+ calls? (is|are) unfolded"),
    # panes
    (at(20000), "r", "(?m)^registers"), ("", "V", "registers of all widths"),
    ("", "A", "values as symbols"), ("A", None, "x0 +0x0000000000000030"),
    ("", "X", "^memory at"), ("sp<Return>", None, r"memory sp"),
    ("", "s", "(?m)calls"), ("", "a", r"> 00401080 \+0xc +stp"),
    ("", "S", "(?m)source"), ("", "Tab", "^x0 was written by record"),
    ("<S-Tab>", "S-Tab", "^405090 was written by record"),
    ("", "}", r"2 bytes"), ("", "{", "1 byte"),
    ("", "T", "the address stays"), ("T", None, "the address follows sp"),
    ("", "K", "^moment "), ("record:19999<Return>", None, "at record 19999"),
    ("", "D", "^compare with moment"), ("record:50<Return>", None, "against record 50"),
    ("]d", None, "^405091 was written by record"), ("[d", None, "^405090 was written by record"),
    ("[d", None, "no earlier byte differs"),
    ("", "x", Gone("memory sp")),
    (":registers<Return>:calls<Return>:code<Return>:source<Return>", None, Gone("source")),
    # other
    ("", ":", "^:"), ("nex<Tab>", None, "next-call"), ("<C-u>pag<Tab>", None, ":page-"),
    ("<Esc>", None, Gone(":page-")),
    ("", "?", "(?m)^Moving"), ("q", None, "line 20000 "), ("", "F1", "(?m)^Moving"),
    ("<F10>", None, "line 20000 "), 
    (at(4000) + "zt", "Click", line(4003)), (at(4100) + "zt", "WheelDown", line(4103)),
    ("", "WheelUp", line(4100)),
    ("", "F", "follows the trace"), ("F", None, "does not follow"),
]


def keys_of(name):
    """The keys of a table's name, as press() takes them: "^N" -> "<C-n>", "PgDn" -> "<PgDn>"."""
    if len(name) == 2 and name[0] == "^":
        return f"<C-{name[1].lower()}>"
    if name in TMUX or name in MOUSE:
        return f"<{name}>"
    return name.replace("<", "<lt>")


def drive_keys(folder):
    """Goes through all steps in one session; returns the keys that were pressed."""
    image = ROOT / "examples/programs/sort-aarch64.elf"
    lines = Path(folder, "sort.tarmac").read_text().splitlines()
    terminal = Terminal(folder, [f"{folder}/sort.tarmac", "--image", str(image)], 110)
    pressed = set()
    try:
        terminal.wait(line(1))
        for before, key, pattern in STEPS:
            terminal.press(before + (keys_of(key) if key else ""))
            if key and pattern:
                pressed.add(key)
            if callable(pattern):
                pattern = pattern(lines)
            if pattern:
                try:
                    terminal.wait(pattern, isinstance(pattern, Gone))
                except AssertionError as error:
                    raise AssertionError(f"after {before!r} and {key!r}: {error}") from None
        terminal.write_over("\033[3;3Hanother program writes")
        terminal.wait("another program writes")
        terminal.press("<C-l>")
        pressed.add("^L")
        terminal.wait("another program writes", absent=True)
        for key in ("Q",):
            terminal.press(key)
            pressed.add(key)
            terminal.wait("ended 0")
    finally:
        terminal.kill()
    return pressed


def ends(folder):
    """The other keys that end it, and exceptions on two processors; returns the keys."""
    Path(folder, "two.tarmac").write_text(TWO)
    pressed = set()
    for key in ("q", "ZZ", "F10"):
        terminal = Terminal(folder, [f"{folder}/two.tarmac"], 60, 12)
        try:
            terminal.wait("line 1 ")
            terminal.press("]e")
            terminal.wait("line 5 .*cpu0")
            terminal.press(":cpu cpu1<Return>")
            terminal.wait("only rows of cpu cpu1")
            terminal.press("|")
            pressed.add("|")
            terminal.wait(r"(?s)\Acpu0.*cpu1.*2 of 2 cpus")
            terminal.press("w")
            terminal.wait("line 6 .*cpu0")
            terminal.press(keys_of(key))
            pressed.add(key)
            terminal.wait("ended 0")
        finally:
            terminal.kill()
    return pressed


def sane(folder, what, number):
    """After a signal the terminal is as it was before."""
    with Terminal(folder, [f"{folder}/two.tarmac"], 90, 16) as terminal:
        terminal.wait("line 1 ")
        os.kill(terminal.pid(), number)
        screen = terminal.wait(r"(?s)ended \d+.*speed .*\S")
        before, after = screen.split("ended", 1)
        modes = [re.sub(r"\s+", " ", part[part.index("speed"):]).strip()
                 for part in (before, after)]
        size = min(map(len, modes))
        assert modes[0][:size] == modes[1][:size], f"{what}: {modes}"


def closed(folder):
    """A terminal that is closed ends the browser."""
    # the leak sanitizer hangs in a process whose terminal is gone
    terminal = Terminal(folder, [f"{folder}/two.tarmac"],
                        environment="LC_ALL=C.UTF-8 TERM=screen ASAN_OPTIONS=detect_leaks=0")
    try:
        terminal.wait("line 1 ")
        process = terminal.pid()
    finally:
        terminal.close()
    end = time.monotonic() + SECONDS
    while Path(f"/proc/{process}").exists():
        assert time.monotonic() < end, "it runs on without a terminal"
        time.sleep(0.005)


def suspended(folder):
    """^Z and SIGTSTP stop it, and fg continues it; ^C does not end it."""
    stopped = Path(folder, "stopped")
    for stop in ("^Z", "SIGTSTP"):
        stopped.unlink(missing_ok=True)
        with Terminal(folder, [f"{folder}/two.tarmac"], 60, 12, job=True) as terminal:
            terminal.wait("line 1 ")
            terminal.press("j")
            terminal.wait("line 2 ")
            if stop == "^Z":
                terminal.press("<C-z>")
            else:
                os.kill(terminal.pid(), signal.SIGTSTP)
            end = time.monotonic() + SECONDS
            while not stopped.exists():  # then the shell continues it
                assert time.monotonic() < end, f"{stop} did not stop it"
                time.sleep(0.005)
            terminal.wait("line 2 ")
            terminal.press("j")
            terminal.wait("line 3 ")
            terminal.press("<C-c>j")  # ^C ends what runs, not the browser
            terminal.wait("line 4 ")
            terminal.press("q")
            terminal.wait("ended [01]")


def two_traces(folder):
    """Two traces: the next difference, the next root, the other trace, bytes that differ."""
    other = TWO.replace("d2800040 O EL1h_n : MOV      x0,#2", "d2800060 O EL1h_n : MOV      x0,#3")
    other = other.replace("R X0 0000000000000002", "R X0 0000000000000003")
    Path(folder, "other.tarmac").write_text(other)
    with Terminal(folder, [f"{folder}/two.tarmac", f"{folder}/other.tarmac"], 120, 16) as terminal:
        terminal.wait(r"\d differences?, 1 of them roots?")
        for key, pattern in (("]R", r"line 7 (.*\n)+root 1 of"), ("w", r"other.tarmac .* line 7 "),
                             ("[d", "there is no earlier difference"), ("g", "line 1 "),
                             ("]d", r"other.tarmac .* line 7 "), ("j", "line 8 "), ("r", "x0 +0x0000000000000003")):
            terminal.press(key)
            terminal.wait(pattern)
        terminal.press("g[R")
        terminal.wait("there is no earlier root")


def growing(folder):
    """--follow: what is appended appears; after F, it does not move."""
    trace = Path(folder, "growing.tarmac")
    trace.write_text(TWO)
    with Terminal(folder, ["--follow", str(trace)], 80, 12) as terminal:
        terminal.wait("100% .*follows")
        for number in range(3):
            with open(trace, "a") as out:
                out.write(f"{20 + number} clk cpu0 R X1 000000000000000{number}\n")
            terminal.wait(f"(?s)R X1 000000000000000{number}.*time {20 + number} clk")
        terminal.press("F")
        terminal.wait("does not follow")
        terminal.press("g")
        terminal.wait("line 1 ")


def piped(folder):
    """A pipe: what has arrived is shown; what needs all of it waits, and ^C ends the waiting."""
    fifo = Path(folder, "fifo")
    os.mkfifo(fifo)
    lines = TWO.splitlines(keepends=True)
    # ^C reaches the program that writes the pipe, too: it ignores it
    for before, arguments in (("", [str(fifo)]), (f"(trap '' INT; exec cat {fifo}) |", ["-"])):
        with Terminal(folder, arguments, 80, 12, before=before) as terminal:
            with open(fifo, "w") as out:
                out.write("".join(lines[:4]))
                out.flush()
                terminal.wait("line 1 .*reading, 0 MB")
                terminal.press("]e")
                terminal.wait("reading the pipe.*stops")
                terminal.press("<C-c>")
                terminal.wait("stopped: reading the pipe")
                out.write("".join(lines[4:]))
                out.flush()
                terminal.wait("13 clk cpu0 IT")
                terminal.press("G")
                terminal.wait("line 10 ")
            terminal.press("g]e")
            terminal.wait("line 5 .*cpu0")
            terminal.press("q")
            terminal.wait("ended 0")
    with Terminal(folder, ["-"], before=f"xz -dc {ROOT}/examples/sort-aarch64.tarmac.xz | gzip |") \
            as terminal:
        terminal.wait("line 1 ")
        terminal.press("G")
        terminal.wait(line(43712))


def compressed(folder):
    """gzip and xz: the end, and a place in the middle."""
    traces = {"gz": Path(folder, "sort.tarmac.gz"), "xz": Path(folder, "sort.tarmac.xz")}
    for kind, trace in traces.items():
        with open(trace, "wb") as out:
            subprocess.run([{"gz": "gzip"}.get(kind, kind), "-c", f"{folder}/sort.tarmac"], check=True,
                           stdout=out)
        with Terminal(folder, [str(trace)]) as terminal:
            terminal.wait("line 1 ")
            for keys, pattern in (("G", line(43712)), (at(20000), line(20000)), ("]c", line(20095)),
                                  ("50%", "  50%  line"), ("g", line(1))):
                terminal.press(keys)
                terminal.wait(pattern)


def looks(folder):
    """Monochrome terminals, NO_COLOR, ASCII and Latin-1: the same places, other looks."""
    latin = Path(folder, "latin.tarmac")
    latin.write_bytes(TWO.encode() + "14 clk cpu0 R X1 0000000000000001\ngr\u00fc\u00df\n".encode("latin-1"))
    colored = re.compile(r"\033\[(?:\d+;)*[34][0-7]m")
    for environment, options, has_color in (
            ("LC_ALL=C.UTF-8 TERM=screen", [], True), ("LC_ALL=C.UTF-8 TERM=vt100", [], False),
            ("LC_ALL=C.UTF-8 TERM=screen NO_COLOR=1", [], False),
            ("LC_ALL=C.UTF-8 TERM=screen", ["--color=never"], False),
            ("LC_ALL=C TERM=screen", [], True), ("LC_ALL=C TERM=vt100", [], False)):
        with Terminal(folder, [*options, str(latin)], 120, 14, environment=environment) as terminal:
            terminal.wait("line 1 ")
            terminal.press("/X0<Return>r")
            terminal.wait("(?s)line 4 .*")
            terminal.wait("registers")
            screen = terminal.screen(styles=True)
            what = f"{environment} {options}: {screen}"
            assert bool(colored.search(screen)) == has_color, what
            assert re.search(r"\033\[(\d+;)*7m", screen), f"no reversed row: {what}"
            if "LC_ALL=C " in environment:
                assert screen.isascii(), f"not ASCII: {what}"
            terminal.press("G")
            terminal.wait(r"^gr\.\.")
    locale = Path(folder, "locale")
    locale.mkdir()
    made = shutil.which("localedef") and subprocess.run(
        ["localedef", "-c", "-i", "POSIX", "-f", "ISO-8859-1", locale / "latin"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode < 2
    if made and (locale / "latin").exists():
        with Terminal(folder, [str(latin)], 120, 14,
                      environment=f"LOCPATH={locale} LC_ALL=latin TERM=screen") as terminal:
            terminal.wait("line 1 ")
            terminal.press("rG")
            terminal.wait(r"^gr\.\. *\|")


def screens(folder):
    """Screens of three widths are those that --dump prints, and those of the files."""
    image = ROOT / "examples/programs/sort-aarch64.elf"
    keys = ":20000<CR>rsyX405090<CR>zz"
    for width, height in ((40, 20), (80, 24), (200, 30)):
        arguments = [f"{folder}/sort.tarmac", "--image", str(image)]
        dumped = subprocess.run([SPOOR, "browse", "--dump", f"{width}x{height}", "--keys", keys,
                                 *arguments], check=True, text=True, stdout=subprocess.PIPE,
                                env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout
        file = HERE / "screens" / f"{width}.txt"
        if os.environ.get("SPOOR_ACCEPT"):
            file.write_text(dumped)
        assert dumped == file.read_text(), f"{file.name}: another screen:\n{dumped}"
        terminal = Terminal(folder, arguments, width, height)
        try:
            terminal.wait("line 1 ")
            terminal.press(keys[:-2].replace("CR", "Return"))
            terminal.wait("00405090  d0")
            terminal.press("zz")
            rows, end = dumped.splitlines(), time.monotonic() + SECONDS
            while True:
                shown = [row.rstrip() for row in terminal.screen().splitlines()]
                other = [f"{a!r} in the terminal, {b!r} dumped"
                         for a, b in zip(shown[:height - 1], rows) if a != b]
                if not other:
                    break
                assert time.monotonic() < end, "\n".join(other)
                time.sleep(0.005)
            for more in (7, -3, 0):
                terminal.resize(width + more, height + more)
                terminal.wait(r"\A(.*\n){%d}(sort.tarmac|line \d+)  " % (height + more - 2))
        finally:
            terminal.kill()


def documented(folder):
    """docs/browse.md has the table that the program prints."""
    del folder
    table = subprocess.run([SPOOR, "browse", "--list-keys", "markdown"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    assert table in (ROOT / "docs/browse.md").read_text(), "docs/browse.md has another table"


def main():
    if not shutil.which("tmux"):
        print("1..0 # SKIP no tmux")
        return 0
    if subprocess.run([SPOOR, "browse", "--list-keys", "text"],
                      stdout=subprocess.DEVNULL).returncode:
        print("1..0 # SKIP no browser")
        return 0
    pressed = set()

    def every_key(folder):
        pressed.update(drive_keys(folder))
        pressed.update(ends(folder))
        table = subprocess.run([SPOOR, "browse", "--list-keys", "text"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout
        keys = {key for row in table.splitlines() for key in row.split("\t")[0].split("  ")}
        assert keys <= pressed, f"no step presses {sorted(keys - pressed)}"

    signals = [("SIGTERM", signal.SIGTERM), ("SIGHUP", signal.SIGHUP), ("SIGQUIT", signal.SIGQUIT),
               ("SIGSEGV", signal.SIGSEGV), ("SIGABRT", signal.SIGABRT)]
    tests = [("every key of the table", every_key), ("^Z, SIGTSTP and fg", suspended),
             ("a closed terminal ends it", closed), ("two traces", two_traces),
             ("a growing trace", growing), ("pipes", piped), ("gzip and xz", compressed),
             ("monochrome, ASCII and Latin-1", looks),
             ("screens of 40, 80 and 200 columns", screens),
             ("docs/browse.md lists the keys", documented),
             *[(f"{what} leaves the terminal sane",
                lambda folder, what=what, number=number: sane(folder, what, number))
               for what, number in signals]]
    failed = 0
    print(f"1..{len(tests)}")
    with tempfile.TemporaryDirectory() as folder:
        with open(Path(folder, "sort.tarmac"), "wb") as trace:
            subprocess.run(["xz", "-dc", ROOT / "examples/sort-aarch64.tarmac.xz"], check=True,
                           stdout=trace)
        Path(folder, "two.tarmac").write_text(TWO)
        for number, (name, test) in enumerate(tests, 1):
            try:
                test(folder)
                print(f"ok {number} - {name}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"not ok {number} - {name}")
                print("".join(f"# {row}\n" for row in str(error).splitlines()), end="", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

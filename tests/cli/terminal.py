# SPDX-License-Identifier: MIT
"""What the program prints on a terminal of a given width."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

COLOR = re.compile(r"\x1b\[[0-9;]*m")


def printed(command, columns, folder, **environment):
    """Standard output of a command, which is a terminal, with its colours; no standard error."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    names = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL,
                             env={**names, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment})
    os.close(slave)
    out = b""
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:  # the terminal's other end is closed
            break
        if not part:
            break
        out += part
    os.close(master)
    child.wait()
    return out.decode(errors="replace").replace("\r\n", "\n")


def plain(text):
    return COLOR.sub("", text)

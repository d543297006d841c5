# SPDX-License-Identifier: MIT
"""The layout of a record (record.h) for numpy: the head, and the body of each kind."""
from __future__ import annotations

import enum

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

KINDS: Tuple[str, ...] = tuple(_core.kinds())


class Has(enum.IntFlag):
    """The bits of `has` (enum spoor_has)."""
    TIME = 1 << 0
    CPU = 1 << 1
    VA = 1 << 2
    PA = 1 << 3
    PA2 = 1 << 4
    DATA = 1 << 5
    INDEX = 1 << 6
    EXTRA = 1 << 7
    VERBATIM = 1 << 8
    SPILLED = 1 << 9
    CRLF = 1 << 10
    NO_NEWLINE = 1 << 11
    FAULTY = 1 << 12
    CONTINUES = 1 << 13


HEAD = "time:Q kind:B op:B has:H cpu:H spelling:H"
# The members of a body in order: name:type, where R is a reference of two 32-bit numbers.
BODIES: Dict[str, str] = {
    "note": "text:R",
    "uop": "pc:Q address:Q target:Q immediate:q fall:i src1:h src2:h dest:h step:H macro:H micro:H",
    "insn": "va:Q pa:Q index:Q opcode:Q disasm:R mode:H iset:B opcode_size:B security:B",
    "flow": "va:Q pa:Q target:Q target_pa:Q index:Q iset:B security:B target_security:B _:B number:I",
    "reg": "value:2Q wide:R unknown:I name:H note:H bits:H low:H high:H",
    "mem": "va:Q pa:Q data:2Q wide:R size:H unknown:H attr:B security:B data_digits:H",
    "bus": "address:Q data:2Q delta:Q master:H attr:H size:H cacheability:H code:B enables:B agent:B "
           "given:B data_digits:H",
    "event": "value:Q value_pa:Q value1:Q text:R number:I mode:H name:H security:B",
    "cacheop": "va:Q pa:Q side:H operation:H scope:H region:H memory_type:H security:B",
    "cache": "pa:Q line:Q unit:H security:B",
    "walk": "pa:Q entry:Q attributes:R side:H table_format:H stage:B level:B result:B security:B",
    "tlb": "va:Q pa:Q attributes:R unit:H region:H regime:H memory_type:H vmid:I asid:H "
           "non_global:B security:B va_security:B",
}
_TYPES = {"B": "u1", "H": "u2", "I": "u4", "Q": "u8", "h": "i2", "i": "i4", "q": "i8"}
_made: Dict[Optional[str], object] = {}


def _members(words: str, offset: int) -> List[Tuple[str, object, int]]:
    """Name, type and offset of each member, aligned as C does."""
    members = []
    for word in words.split():
        name, code = word.split(":")
        count = int(code[:-1] or 1)
        letter = code[-1]
        size = 4 if letter == "R" else int(_TYPES[letter][1])
        offset += -offset % size
        if letter == "R":
            members.append((name, [("at", "<u4"), ("size", "<u4")], offset))
            offset += 8
            continue
        kind = "<" + _TYPES[letter]
        members.append((name, kind if count == 1 else (kind, (count,)), offset))
        offset += size * count
    return [member for member in members if member[0] != "_"]


def record_dtype(kind: Optional[str] = None):
    """The numpy.dtype of a record of 64 bytes: the head, with the body of a kind or as bytes."""
    import numpy
    if kind not in _made:
        members = _members(HEAD, 0)
        if kind is None or kind not in BODIES:
            members.append(("body", "V48", 16))
        else:
            taken = {name for name, _, _ in members}
            members += [(name if name not in taken else kind + "_" + name, type_, at)
                        for name, type_, at in _members(BODIES[kind], 16)]
        _made[kind] = numpy.dtype({"names": [member[0] for member in members],
                                   "formats": [member[1] for member in members],
                                   "offsets": [member[2] for member in members], "itemsize": 64})
    return _made[kind]

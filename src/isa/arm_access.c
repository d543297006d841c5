/* SPDX-License-Identifier: MIT */
/* arm_access.c: decodes the address of A64 and A32 loads and stores of registers. */
#include "isa/arm_access.h"

#include "isa/opcode.h"

enum { STACK_POINTER = 31, PC = 15 };

/* The logarithm of the size of a single register's access. */
static unsigned scale_of(uint32_t opcode)
{
    const bool vector = bits_of(opcode, 26, 1), wide = bits_of(opcode, 23, 1);
    return bits_of(opcode, 30, 2) + (vector && wide ? 4 : 0);
}

/* LDR and STR with an offset of 9 bits: unscaled, after or before the access, unprivileged; or with
 * a register. */
static bool short_or_register(uint32_t opcode, struct arm_access *access)
{
    enum { UNSCALED, POST, UNPRIVILEGED, PRE, REGISTER = 2 };
    const unsigned kind = bits_of(opcode, 10, 2);
    if (!bits_of(opcode, 21, 1)) {
        if (kind != POST) access->offset = (int64_t)sign_extended(bits_of(opcode, 12, 9), 9);
        return true;
    }
    if (kind != REGISTER || bits_of(opcode, 16, 5) == STACK_POINTER) return false;
    access->index = (int)bits_of(opcode, 16, 5);
    access->index_is_32 = !bits_of(opcode, 13, 1);
    access->index_is_signed = bits_of(opcode, 15, 1);
    access->shift = bits_of(opcode, 12, 1) ? (uint8_t)scale_of(opcode) : 0;
    return bits_of(opcode, 14, 1);
}

static bool pair(uint32_t opcode, struct arm_access *access)
{
    enum { POST = 1, WORDS_SIGNED = 1 };
    const unsigned kind = bits_of(opcode, 30, 2);
    const bool vector = bits_of(opcode, 26, 1);
    const unsigned scale = vector ? 2 + kind : kind == 2 ? 3 : 2;
    if (kind == 3 || (kind == WORDS_SIGNED && !vector && !bits_of(opcode, 22, 1))) return false;
    access->size = 2u << scale;
    if (bits_of(opcode, 23, 2) != POST)
        access->offset = (int64_t)sign_extended(bits_of(opcode, 15, 7), 7) * (INT64_C(1) << scale);
    return true;
}

bool arm_access_a64(uint32_t opcode, struct arm_access *access)
{
    *access = (struct arm_access){.base = bits_of(opcode, 5, 5), .index = -1};
    if (access->base == STACK_POINTER) return false;
    if ((opcode & 0x3A000000) == 0x28000000) return pair(opcode, access);
    const unsigned scale = scale_of(opcode);
    if (scale > 4) return false;
    access->size = 1u << scale;
    if ((opcode & 0x3B000000) == 0x39000000) {
        access->offset = (int64_t)bits_of(opcode, 10, 12) << scale;
        return true;
    }
    return (opcode & 0x3B000000) == 0x38000000 && short_or_register(opcode, access);
}

/* LDRH, STRH, LDRSB, LDRSH, LDRD, STRD. */
static bool extra(uint32_t opcode, struct arm_access *access)
{
    enum { HALF = 1, BYTE, WORD_PAIR };
    const bool loads = bits_of(opcode, 20, 1);
    const unsigned kind = bits_of(opcode, 5, 2);
    access->size = kind == HALF ? 2 : !loads ? 8 : kind == BYTE ? 1 : 2;
    if (bits_of(opcode, 22, 1))
        access->offset = (int64_t)(bits_of(opcode, 8, 4) << 4 | bits_of(opcode, 0, 4));
    else
        access->index = (int)bits_of(opcode, 0, 4);
    return kind != 0;
}

bool arm_access_a32(uint32_t opcode, struct arm_access *access)
{
    const bool before = bits_of(opcode, 24, 1), adds = bits_of(opcode, 23, 1);
    *access = (struct arm_access){.base = bits_of(opcode, 16, 4), .index = -1};
    if (access->base == PC || opcode >> 28 == 15) return false;
    access->size = bits_of(opcode, 22, 1) ? 1 : 4;
    if (bits_of(opcode, 25, 3) == 0) {
        if ((opcode & 0x90) != 0x90 || !extra(opcode, access)) return false;
    } else if (bits_of(opcode, 25, 3) == 2) {
        access->offset = (int64_t)bits_of(opcode, 0, 12);
    } else if (bits_of(opcode, 25, 3) == 3 && !bits_of(opcode, 4, 3)) { /* LSL */
        access->index = (int)bits_of(opcode, 0, 4);
        access->shift = (uint8_t)bits_of(opcode, 7, 5);
    } else {
        return false;
    }
    if (access->index == PC) return false;
    access->subtracts = !adds;
    if (!before) {
        access->index = -1;
        access->offset = 0;
    }
    if (!adds) access->offset = -access->offset;
    return true;
}

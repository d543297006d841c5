/* SPDX-License-Identifier: MIT */
/* opcode_a64.c: the branches of A64. */
#include "isa/opcode.h"
#include "spoor/view.h"

struct opcode opcode_indirect(unsigned type)
{
    return opcode_to(0, type | SPOOR_BRANCH_INDIRECT);
}

static uint64_t relative(uint64_t pc, uint32_t offset, unsigned count)
{
    return pc + 4 * sign_extended(offset, count);
}

/* Decodes "Unconditional branch (register)" by opc: with pointer authentication, and exception
 * returns. */
static struct opcode branch_to_register(uint32_t bits)
{
    switch (bits_of(bits, 21, 4)) {
    case 0: /* BR, BRAAZ, BRABZ */
    case 8: /* BRAA, BRAB */
    case 4: /* ERET, ERETAA, ERETAB */
    case 5: /* DRPS */ return opcode_indirect(0);
    case 1: /* BLR, BLRAAZ, BLRABZ */
    case 9: /* BLRAA, BLRAB */ return opcode_indirect(SPOOR_BRANCH_CALL);
    case 2: /* RET, RETAA, RETAB */ return opcode_indirect(SPOOR_BRANCH_RETURN);
    default: return (struct opcode){.flow = OPCODE_UNKNOWN};
    }
}

struct opcode opcode_a64(uint64_t pc, uint32_t bits)
{
    if ((bits & 0x7C000000) == 0x14000000) /* B, BL */
        return opcode_to(relative(pc, bits, 26), (bits >> 31) ? SPOOR_BRANCH_CALL : 0);
    if ((bits & 0xFF000000) ==
        0x54000000) /* B.cond, BC.cond: conditions 14 and 15 are always true */
        return opcode_to(relative(pc, bits >> 5, 19),
                         bits_of(bits, 0, 4) < 14 ? SPOOR_BRANCH_CONDITIONAL : 0);
    if ((bits & 0x7E000000) == 0x34000000) /* CBZ, CBNZ */
        return opcode_to(relative(pc, bits >> 5, 19), SPOOR_BRANCH_CONDITIONAL);
    if ((bits & 0x7E000000) == 0x36000000) /* TBZ, TBNZ */
        return opcode_to(relative(pc, bits >> 5, 14), SPOOR_BRANCH_CONDITIONAL);
    if ((bits & 0xFE000000) == 0xD6000000) return branch_to_register(bits);
    return opcode_next();
}

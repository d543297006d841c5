/* SPDX-License-Identifier: MIT */
/*
 * opcode_a32.c: the branches of A32, where any instruction that writes register 15 is a branch.
 *
 * The instructions that compilers use to return are returns: BX LR, MOV PC, LR, POP {..., PC}.
 */
#include "isa/opcode.h"
#include "spoor/view.h"

enum {
    ALWAYS = 14,
    NEVER = 15,
    SP = 13,
    LR = 14,
    PC = 15,
    AHEAD = 8 /* bytes of the PC as an operand */
};

/* Decodes the instructions whose condition field is NEVER. */
static struct opcode unconditional(uint64_t pc, uint32_t bits)
{
    if ((bits & 0xFE000000) == 0xFA000000) /* BLX to T32 */
        return opcode_to(pc + AHEAD + 4 * sign_extended(bits, 24) + bits_of(bits, 24, 1) * 2,
                         SPOOR_BRANCH_CALL);
    if ((bits & 0xFE500000) == 0xF8100000) return opcode_indirect(0); /* RFE */
    return opcode_next();
}

static bool is_load_multiple_of_pc(uint32_t bits)
{
    return (bits & 0x0E108000) == 0x08108000;
}

/* True for LDR of register 15; the media instructions share its encoding space. */
static bool is_load_of_pc(uint32_t bits)
{
    return (bits & 0x0C50F000) == 0x0410F000 && (bits & 0x02000010) != 0x02000010;
}

/* True for a data-processing instruction that writes register 15.  Comparisons have no result;
 * multiplications and loads share the encoding space. */
static bool is_computation_of_pc(uint32_t bits)
{
    const bool compares = bits_of(bits, 23, 2) == 2;
    const bool shares = (bits & 0x02000090) == 0x00000090;
    return (bits & 0x0C00F000) == 0x0000F000 && !compares && !shares;
}

static struct opcode branch_to_register(uint32_t bits, unsigned type)
{
    if (bits_of(bits, 4, 4) == 3) return opcode_indirect(type | SPOOR_BRANCH_CALL);
    return opcode_indirect(type | (bits_of(bits, 0, 4) == LR ? SPOOR_BRANCH_RETURN : 0));
}

struct opcode opcode_a32(uint64_t pc, uint32_t bits)
{
    const uint32_t condition = bits >> 28, base = bits_of(bits, 16, 4);
    if (condition == NEVER) return unconditional(pc, bits);
    const unsigned type = condition == ALWAYS ? 0 : SPOOR_BRANCH_CONDITIONAL;
    const unsigned returns = type | SPOOR_BRANCH_RETURN;
    if ((bits & 0x0E000000) == 0x0A000000) /* B, BL */
        return opcode_to(pc + AHEAD + 4 * sign_extended(bits, 24),
                         type | (bits_of(bits, 24, 1) ? SPOOR_BRANCH_CALL : 0));
    if ((bits & 0x0FFFFFC0) == 0x012FFF00 && bits_of(bits, 4, 2) != 0) /* BX, BXJ, BLX */
        return branch_to_register(bits, type);
    if (is_load_multiple_of_pc(bits)) /* an exception return if bit 22 is set */
        return opcode_indirect(base == SP && !bits_of(bits, 22, 1) ? returns : type);
    if (is_load_of_pc(bits)) /* LDR PC, [SP], #4 is POP {PC} */
        return opcode_indirect((bits & 0x0FFFFFFF) == 0x049DF004 ? returns : type);
    if (is_computation_of_pc(bits)) /* MOV PC, LR */
        return opcode_indirect((bits & 0x0FFFFFFF) == 0x01A0F00E ? returns : type);
    return opcode_next();
}

/* SPDX-License-Identifier: MIT */
/*
 * opcode_t32.c: the branches of T32, of 16 and 32 bits, and IT, which makes others conditional.
 */
#include "isa/opcode.h"
#include "spoor/view.h"

enum { ALWAYS = 14, SP = 13, LR = 14, PC = 15, AHEAD = 4 /* bytes of the PC as an operand */ };

static unsigned return_by(uint32_t reg)
{
    return reg == LR ? SPOOR_BRANCH_RETURN : 0;
}

/* Decodes IT: the lowest 1 of the mask states how many instructions are conditional. */
static struct opcode if_then(uint32_t bits)
{
    struct opcode opcode = opcode_next();
    opcode.guards = (uint8_t)(4 - __builtin_ctz(bits_of(bits, 0, 4)));
    return opcode;
}

static struct opcode of_16_bits(uint64_t pc, uint32_t bits)
{
    const uint64_t here = pc + AHEAD;
    if ((bits & 0xF000) == 0xD000 && bits_of(bits, 8, 4) < ALWAYS) /* B<cond> */
        return opcode_to(here + 2 * sign_extended(bits, 8), SPOOR_BRANCH_CONDITIONAL);
    if ((bits & 0xF800) == 0xE000) return opcode_to(here + 2 * sign_extended(bits, 11), 0); /* B */
    if ((bits & 0xF500) == 0xB100) /* CBZ, CBNZ: forward only */
        return opcode_to(here + bits_of(bits, 9, 1) * 64 + bits_of(bits, 3, 5) * 2,
                         SPOOR_BRANCH_CONDITIONAL);
    if ((bits & 0xFF00) == 0x4700) /* BX, BLX */
        return opcode_indirect(bits_of(bits, 7, 1) ? SPOOR_BRANCH_CALL
                                                   : return_by(bits_of(bits, 3, 4)));
    if ((bits & 0xFF00) == 0xBD00) return opcode_indirect(SPOOR_BRANCH_RETURN); /* POP {..., PC} */
    if ((bits & 0xFD87) == 0x4487) /* ADD PC, Rm; MOV PC, Rm */
        return opcode_indirect(bits_of(bits, 9, 1) ? return_by(bits_of(bits, 3, 4)) : 0);
    if ((bits & 0xFF00) == 0xBF00 && bits_of(bits, 0, 4) != 0) return if_then(bits);
    return opcode_next();
}

/* Returns the offset of B.W, BL and BLX, where J1 and J2 are combined with the sign. */
static uint64_t long_offset(uint32_t bits)
{
    const uint32_t sign = bits_of(bits, 26, 1), j1 = bits_of(bits, 13, 1),
                   j2 = bits_of(bits, 11, 1);
    const uint32_t offset = sign << 24 | (uint32_t) !(j1 ^ sign) << 23 |
                            (uint32_t) !(j2 ^ sign) << 22 | bits_of(bits, 16, 10) << 12 |
                            bits_of(bits, 0, 11) << 1;
    return sign_extended(offset, 25);
}

static struct opcode long_conditional(uint64_t pc, uint32_t bits)
{
    const uint32_t offset = bits_of(bits, 26, 1) << 20 | bits_of(bits, 11, 1) << 19 |
                            bits_of(bits, 13, 1) << 18 | bits_of(bits, 16, 6) << 12 |
                            bits_of(bits, 0, 11) << 1;
    return opcode_to(pc + AHEAD + sign_extended(offset, 21), SPOOR_BRANCH_CONDITIONAL);
}

/* Decodes 11110... 1...: branches and control instructions. */
static struct opcode branch_or_control(uint64_t pc, uint32_t bits)
{
    const uint64_t here = pc + AHEAD;
    switch (bits & 0x5000) {
    case 0x5000: return opcode_to(here + long_offset(bits), SPOOR_BRANCH_CALL); /* BL */
    case 0x4000:                                                                /* BLX to A32 */
        return opcode_to((here & ~UINT64_C(3)) + long_offset(bits), SPOOR_BRANCH_CALL);
    case 0x1000: return opcode_to(here + long_offset(bits), 0); /* B.W */
    default: break;
    }
    if (bits_of(bits, 22, 4) < ALWAYS) return long_conditional(pc, bits);
    if ((bits & 0xFFF0FFFF) == 0xF3C08F00) return opcode_indirect(0); /* BXJ */
    if ((bits & 0xFFFFFF00) == 0xF3DE8F00) return opcode_indirect(0); /* SUBS PC, LR; ERET */
    return opcode_next();
}

static struct opcode of_32_bits(uint64_t pc, uint32_t bits)
{
    const uint32_t base = bits_of(bits, 16, 4);
    const unsigned pops = base == SP ? SPOOR_BRANCH_RETURN : 0;
    if ((bits & 0xF8008000) == 0xF0008000) return branch_or_control(pc, bits);
    if ((bits & 0xFFF0FFE0) == 0xE8D0F000) return opcode_indirect(0);           /* TBB, TBH */
    if ((bits & 0xFFD08000) == 0xE8908000 || (bits & 0xFFD08000) == 0xE9108000) /* LDM */
        return opcode_indirect(pops);
    if ((bits & 0xFFD00000) == 0xE8100000 || (bits & 0xFFD00000) == 0xE9900000)
        return opcode_indirect(0);         /* RFE */
    if ((bits & 0xFF70F000) == 0xF850F000) /* LDR PC: post-indexed by 4 from SP is POP {PC} */
        return opcode_indirect((bits & 0xFFFF) == 0xFB04 ? pops : 0);
    return opcode_next();
}

struct opcode opcode_t32(uint64_t pc, uint32_t bits, unsigned size)
{
    return size == 2 ? of_16_bits(pc, bits) : of_32_bits(pc, bits);
}

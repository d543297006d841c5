/* SPDX-License-Identifier: MIT */
/*
 * opcode_riscv.c: the branches of RISC-V, of 32 and 16 bits.
 *
 * Calls and returns follow the hints that the manual gives for JALR: registers 1 and 5 hold return
 * addresses.
 */
#include "isa/opcode.h"
#include "spoor/view.h"

enum { BRANCH = 0x63, JALR = 0x67, JAL = 0x6F };

static bool is_link(uint32_t reg)
{
    return reg == 1 || reg == 5;
}

/* Returns a jump to a register that writes its return address to `link`. */
static struct opcode jump_to(uint32_t source, uint32_t link)
{
    const bool returns = is_link(source) && !(is_link(link) && source == link);
    return opcode_indirect((is_link(link) ? SPOOR_BRANCH_CALL : 0) |
                           (returns ? SPOOR_BRANCH_RETURN : 0));
}

static uint64_t jump_offset(uint32_t bits)
{
    return sign_extended(bits_of(bits, 31, 1) << 20 | bits_of(bits, 12, 8) << 12 |
                             bits_of(bits, 20, 1) << 11 | bits_of(bits, 21, 10) << 1,
                         21);
}

static uint64_t branch_offset(uint32_t bits)
{
    return sign_extended(bits_of(bits, 31, 1) << 12 | bits_of(bits, 7, 1) << 11 |
                             bits_of(bits, 25, 6) << 5 | bits_of(bits, 8, 4) << 1,
                         13);
}

static struct opcode of_32_bits(uint64_t pc, uint32_t bits)
{
    const uint32_t link = bits_of(bits, 7, 5);
    switch (bits & 0x7F) {
    case BRANCH: return opcode_to(pc + branch_offset(bits), SPOOR_BRANCH_CONDITIONAL);
    case JAL: return opcode_to(pc + jump_offset(bits), is_link(link) ? SPOOR_BRANCH_CALL : 0);
    case JALR: return jump_to(bits_of(bits, 15, 5), link);
    default: break;
    }
    if (bits == 0x30200073 || bits == 0x10200073) return opcode_indirect(0); /* MRET, SRET */
    return opcode_next();
}

static uint64_t short_jump_offset(uint32_t bits)
{
    return sign_extended(bits_of(bits, 12, 1) << 11 | bits_of(bits, 8, 1) << 10 |
                             bits_of(bits, 9, 2) << 8 | bits_of(bits, 6, 1) << 7 |
                             bits_of(bits, 7, 1) << 6 | bits_of(bits, 2, 1) << 5 |
                             bits_of(bits, 11, 1) << 4 | bits_of(bits, 3, 3) << 1,
                         12);
}

static uint64_t short_branch_offset(uint32_t bits)
{
    return sign_extended(bits_of(bits, 12, 1) << 8 | bits_of(bits, 5, 2) << 6 |
                             bits_of(bits, 2, 1) << 5 | bits_of(bits, 10, 2) << 3 |
                             bits_of(bits, 3, 2) << 1,
                         9);
}

static struct opcode of_16_bits(uint64_t pc, uint32_t bits)
{
    const uint32_t source = bits_of(bits, 7, 5);
    switch (bits & 0xE003) {
    case 0xA001: return opcode_to(pc + short_jump_offset(bits), 0); /* C.J */
    case 0xC001:                                                    /* C.BEQZ */
    case 0xE001:                                                    /* C.BNEZ */
        return opcode_to(pc + short_branch_offset(bits), SPOOR_BRANCH_CONDITIONAL);
    case 0x2001: return (struct opcode){.flow = OPCODE_UNKNOWN}; /* RV32: C.JAL; RV64: C.ADDIW */
    case 0x8002:                                                 /* C.JR, C.JALR: bits 2 to 6 are 0,
                                                                  * and it is not C.EBREAK */
        if (bits_of(bits, 2, 5) == 0 && source != 0) return jump_to(source, bits_of(bits, 12, 1));
        return opcode_next();
    default: return opcode_next();
    }
}

struct opcode opcode_riscv(uint64_t pc, uint32_t bits, unsigned size)
{
    return size == 2 ? of_16_bits(pc, bits) : of_32_bits(pc, bits);
}

/* SPDX-License-Identifier: MIT */
/* opcode.c: where execution continues after an instruction of RISC-V or Arm. */
#include "isa/opcode.h"

#include "isa/encoding.h"

static struct opcode opcode_of(const struct encoding_table *table, uint64_t pc, uint32_t bits)
{
    const uint32_t does = encoding_does(encoding_find(table, bits), bits);
    if (!(does & (BRANCH | UNKNOWN_FLOW | GUARDS))) return opcode_next();
    if (does & BRANCH) {
        const enum encoding_number number = does & NUMBER_MASK;
        const unsigned type = (does >> TYPE_SHIFT & 15) |
                              (encoding_is_conditional(table, bits) ? SPOOR_BRANCH_CONDITIONAL : 0);
        if (type & SPOOR_BRANCH_INDIRECT) return opcode_indirect(type);
        pc += table->ahead;
        if (number == TO_T32_BLX) pc &= ~UINT64_C(3);
        return opcode_to(pc + (uint64_t)encoding_number(number, bits), type);
    }
    struct opcode opcode = {.flow = does & UNKNOWN_FLOW ? OPCODE_UNKNOWN : OPCODE_NEXT};
    /* the lowest 1 of the mask of IT states how many there are */
    if (does & GUARDS) opcode.guards = (uint8_t)(4 - __builtin_ctz(bits_of(bits, 0, 4)));
    return opcode;
}

struct opcode opcode_a64(uint64_t pc, uint32_t bits)
{
    return opcode_of(&encodings_a64, pc, bits);
}

struct opcode opcode_a32(uint64_t pc, uint32_t bits)
{
    return opcode_of(encoding_table_a32(bits), pc, bits);
}

struct opcode opcode_t32(uint64_t pc, uint32_t bits, unsigned size)
{
    return opcode_of(size == 2 ? &encodings_t32_narrow : &encodings_t32, pc, bits);
}

struct opcode opcode_riscv(uint64_t pc, uint32_t bits, unsigned size)
{
    return opcode_of(size == 2 ? &encodings_riscv_narrow : &encodings_riscv, pc, bits);
}

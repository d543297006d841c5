/* SPDX-License-Identifier: MIT */
/* riscv_expand.c: compressed RISC-V instructions as the ones of 32 bits that they stand for. */
#include "isa/riscv_result.h"

#include "isa/opcode.h"

enum {
    LUI = 0x37,
    JAL = 0x6F,
    JALR = 0x67,
    OP_IMM = 0x13,
    OP_IMM_32 = 0x1B,
    OP = 0x33,
    OP_32 = 0x3B
};
enum { ADD = 0, SLL = 1, XOR = 4, SRL = 5, OR = 6, AND = 7 };
enum { SUB = 0x20 << 25, SRA = 0x20 << 5, MUL = 1 << 25 }; /* SRA: of the immediate */

static uint32_t riscv_expand_immediate(uint32_t major, unsigned function, unsigned to,
                                       unsigned from, uint64_t number)
{
    return (uint32_t)number << 20 | from << 15 | function << 12 | to << 7 | major;
}

static uint32_t riscv_expand_registers(uint32_t major, unsigned function, unsigned to,
                                       unsigned first, unsigned second)
{
    return second << 20 | first << 15 | function << 12 | to << 7 | major;
}

/* Quadrant 1, function 4: on registers x8 to x15. */
static bool riscv_expand_arithmetic(uint32_t code, unsigned bits, uint32_t *opcode)
{
    const unsigned to = 8 + bits_of(code, 7, 3), second = 8 + bits_of(code, 2, 3);
    const uint32_t number = bits_of(code, 12, 1) << 5 | bits_of(code, 2, 5);
    static const uint32_t functions[] = {ADD, XOR, OR, AND};
    switch (bits_of(code, 10, 2)) {
    case 0: *opcode = riscv_expand_immediate(OP_IMM, SRL, to, to, number); return true;
    case 1: *opcode = riscv_expand_immediate(OP_IMM, SRL, to, to, number | SRA); return true;
    case 2:
        *opcode = riscv_expand_immediate(OP_IMM, AND, to, to, sign_extended(number, 6));
        return true;
    default: break;
    }
    const unsigned which = bits_of(code, 5, 2);
    if (!bits_of(code, 12, 1)) {
        *opcode =
            riscv_expand_registers(OP, functions[which], to, to, second) | (which == 0 ? SUB : 0);
        return true;
    }
    if (which < 2)
        *opcode = riscv_expand_registers(OP_32, ADD, to, to, second) | (which == 0 ? SUB : 0);
    if (which == 2) *opcode = riscv_expand_registers(OP, ADD, to, to, second) | MUL;
    return which == 2 || (which < 2 && bits == 64);
}

static bool riscv_expand_quadrant_1(uint32_t code, unsigned bits, uint32_t *opcode)
{
    const unsigned to = bits_of(code, 7, 5);
    const uint32_t number = bits_of(code, 12, 1) << 5 | bits_of(code, 2, 5);
    const uint64_t extended = sign_extended(number, 6);
    const uint32_t stack = bits_of(code, 12, 1) << 9 | bits_of(code, 3, 2) << 7 |
                           bits_of(code, 5, 1) << 6 | bits_of(code, 2, 1) << 5 |
                           bits_of(code, 6, 1) << 4;
    switch (bits_of(code, 13, 3)) {
    case 0: *opcode = riscv_expand_immediate(OP_IMM, ADD, to, to, extended); return true;
    case 1:
        *opcode =
            bits == 32 ? 1 << 7 | JAL : riscv_expand_immediate(OP_IMM_32, ADD, to, to, extended);
        return bits != 0;
    case 2: *opcode = riscv_expand_immediate(OP_IMM, ADD, to, 0, extended); return true;
    case 3:
        *opcode = to == 2 ? riscv_expand_immediate(OP_IMM, ADD, to, to, sign_extended(stack, 10))
                          : (uint32_t)extended << 12 | to << 7 | LUI;
        return number != 0;
    case 4: return riscv_expand_arithmetic(code, bits, opcode);
    default: return false;
    }
}

bool riscv_expand(uint16_t compressed, unsigned bits, uint32_t *opcode)
{
    const uint32_t code = compressed;
    const unsigned to = bits_of(code, 7, 5), second = bits_of(code, 2, 5);
    const uint32_t stack = bits_of(code, 7, 4) << 6 | bits_of(code, 11, 2) << 4 |
                           bits_of(code, 5, 1) << 3 | bits_of(code, 6, 1) << 2;
    switch (code & 3) {
    case 0:
        *opcode = riscv_expand_immediate(OP_IMM, ADD, 8 + bits_of(code, 2, 3), 2, stack);
        return bits_of(code, 13, 3) == 0 && stack;
    case 1: return riscv_expand_quadrant_1(code, bits, opcode);
    case 2: break;
    default: return false;
    }
    if (bits_of(code, 13, 3) == 0) {
        *opcode = riscv_expand_immediate(OP_IMM, SLL, to, to, bits_of(code, 12, 1) << 5 | second);
        return true;
    }
    const bool adds = bits_of(code, 12, 1);
    if (second)
        *opcode = riscv_expand_registers(OP, ADD, to, adds ? to : 0, second);
    else
        *opcode = riscv_expand_immediate(JALR, 0, 1, to, 0);
    return bits_of(code, 13, 3) == 4 && (second || (adds && to));
}

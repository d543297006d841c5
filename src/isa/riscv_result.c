/* SPDX-License-Identifier: MIT */
/* riscv_result.c: computes the results of RISC-V's integer instructions. */
#include "isa/riscv_result.h"

#include "isa/opcode.h"

enum opcode_class {
    LUI = 0x37,
    AUIPC = 0x17,
    JAL = 0x6F,
    JALR = 0x67,
    OP_IMM = 0x13,
    OP = 0x33,
    OP_IMM_32 = 0x1B,
    OP_32 = 0x3B
};
enum function { ADD, SLL, SLT, SLTU, XOR, SRL, OR, AND };
enum { MULTIPLIES = 1 };

static int64_t riscv_as_signed(uint64_t value, unsigned bits)
{
    return bits == 32 ? (int64_t)sign_extended((uint32_t)value, 32) : (int64_t)value;
}

static uint64_t riscv_as_unsigned(uint64_t value, unsigned bits)
{
    return bits == 32 ? (uint32_t)value : value;
}

/* The high half of a product; each factor is signed or not. */
static uint64_t riscv_high_half(uint64_t a, bool a_signed, uint64_t b, bool b_signed, unsigned bits)
{
    __extension__ typedef __int128 wide;
    const wide left = a_signed ? (wide)riscv_as_signed(a, bits) : (wide)riscv_as_unsigned(a, bits);
    const wide right = b_signed ? (wide)riscv_as_signed(b, bits) : (wide)riscv_as_unsigned(b, bits);
    __extension__ typedef unsigned __int128 bare;
    return (uint64_t)((bare)left * (bare)right >> bits);
}

static uint64_t riscv_divide(unsigned function, uint64_t a, uint64_t b, unsigned bits)
{
    const bool remainder = function & 2, is_unsigned = function & 1;
    if (riscv_as_unsigned(b, bits) == 0) return remainder ? a : UINT64_MAX;
    if (is_unsigned)
        return remainder ? riscv_as_unsigned(a, bits) % riscv_as_unsigned(b, bits)
                         : riscv_as_unsigned(a, bits) / riscv_as_unsigned(b, bits);
    if (riscv_as_signed(b, bits) == -1) return remainder ? 0 : -a;
    return (uint64_t)(remainder ? riscv_as_signed(a, bits) % riscv_as_signed(b, bits)
                                : riscv_as_signed(a, bits) / riscv_as_signed(b, bits));
}

/* MUL, MULH, MULHSU, MULHU, DIV, DIVU, REM, REMU. */
static uint64_t riscv_multiply_or_divide(unsigned function, uint64_t a, uint64_t b, unsigned bits)
{
    switch (function) {
    case 0: return a * b;
    case 1: return riscv_high_half(a, true, b, true, bits);
    case 2: return riscv_high_half(a, true, b, false, bits);
    case 3: return riscv_high_half(a, false, b, false, bits);
    default: return riscv_divide(function, a, b, bits);
    }
}

/* ADD or SUB, ..., SRL or SRA; `other` chooses the second. */
static uint64_t riscv_compute(unsigned function, bool other, uint64_t a, uint64_t b, unsigned bits)
{
    const unsigned shift = (unsigned)b & (bits - 1);
    switch ((enum function)function) {
    case ADD: return other ? a - b : a + b;
    case SLL: return a << shift;
    case SLT: return riscv_as_signed(a, bits) < riscv_as_signed(b, bits);
    case SLTU: return riscv_as_unsigned(a, bits) < riscv_as_unsigned(b, bits);
    case XOR: return a ^ b;
    case SRL:
        return other ? (uint64_t)(riscv_as_signed(a, bits) >> shift)
                     : riscv_as_unsigned(a, bits) >> shift;
    case OR: return a | b;
    case AND: break;
    }
    return a & b;
}

static bool riscv_of_registers(uint32_t opcode, const struct riscv_sources *sources, unsigned bits,
                               uint64_t *result)
{
    const unsigned function = bits_of(opcode, 12, 3), kind = bits_of(opcode, 25, 7);
    const bool other = kind == 0x20;
    if (!sources->has_first || !sources->has_second) return false;
    if (kind == MULTIPLIES)
        *result = riscv_multiply_or_divide(function, sources->first, sources->second, bits);
    else if (kind == 0 || (other && (function == ADD || function == SRL)))
        *result = riscv_compute(function, other, sources->first, sources->second, bits);
    else
        return false; /* of another extension */
    return true;
}

static bool riscv_of_immediate(uint32_t opcode, const struct riscv_sources *sources, unsigned bits,
                               uint64_t *result)
{
    const unsigned function = bits_of(opcode, 12, 3);
    const uint64_t immediate = sign_extended(opcode >> 20, 12);
    const unsigned above = bits_of(opcode, 25, 7) & (bits == 64 ? ~1u : ~0u);
    const bool shifts = function == SLL || function == SRL, other = above == 0x20;
    if (!sources->has_first || (shifts && above && !(other && function == SRL))) return false;
    *result = riscv_compute(function, shifts && other, sources->first, immediate, bits);
    return true;
}

bool riscv_result(uint32_t opcode, const struct riscv_sources *sources, uint64_t *result)
{
    const uint64_t upper = sign_extended(opcode & 0xFFFFF000, 32);
    const unsigned bits = sources->bits;
    switch (bits_of(opcode, 0, 7)) {
    case LUI: *result = upper; return true;
    case AUIPC: *result = sources->pc + upper; return true;
    case JAL:
    case JALR: *result = sources->pc + sources->size; return true;
    case OP_IMM: return bits && riscv_of_immediate(opcode, sources, bits, result);
    case OP: return bits && riscv_of_registers(opcode, sources, bits, result);
    case OP_IMM_32:
    case OP_32:
        if (bits != 64 ||
            !(bits_of(opcode, 0, 7) == OP_32 ? riscv_of_registers(opcode, sources, 32, result)
                                             : riscv_of_immediate(opcode, sources, 32, result)))
            return false;
        *result = sign_extended((uint32_t)*result, 32);
        return true;
    default: return false;
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * operands_vfp.c: the registers that floating-point and vector instructions of A32 and T32 read and
 * write.
 *
 * Both encode coprocessors 10 and 11 alike after the condition (Arm ARM, "Advanced SIMD and
 * floating-point").  Registers are counted in doubles: s2 and s3 are halves of d1.
 */
#include "isa/opcode.h"
#include "isa/operands.h"

enum { PC = 15 };

static bool is_double(uint32_t opcode)
{
    return bits_of(opcode, 8, 1);
}

/* Returns the double that a field of four bits and its fifth bit name. */
static unsigned vector_of(uint32_t opcode, unsigned low, unsigned fifth)
{
    const unsigned field = bits_of(opcode, low, 4), bit = bits_of(opcode, fifth, 1);
    return ISA_VECTOR + (is_double(opcode) ? bit << 4 | field : field);
}

static void transfer(struct isa_operands *operands, bool to_core, unsigned core, unsigned vector)
{
    if (to_core) {
        operands_read(operands, vector);
        operands_write(operands, core);
    } else {
        operands_read(operands, core);
        operands_write(operands, vector);
    }
}

/* VLDR, VSTR, VLDM, VSTM, VPUSH, VPOP, and VMOV with two core registers. */
static bool load_or_store(struct isa_operands *operands, uint32_t opcode)
{
    const unsigned base = bits_of(opcode, 16, 4), first = vector_of(opcode, 12, 22);
    const bool loads = bits_of(opcode, 20, 1),
               single = bits_of(opcode, 24, 1) && !bits_of(opcode, 21, 1);
    if ((opcode & 0x0FE00000) == 0x0C400000) { /* VMOV: two core registers and a double */
        const unsigned vector = vector_of(opcode, 0, 5);
        transfer(operands, loads, bits_of(opcode, 12, 4), vector);
        transfer(operands, loads, base, vector);
        return true;
    }
    const unsigned words = opcode & 0xFF, verbatim = is_double(opcode) ? 0 : bits_of(opcode, 22, 1);
    const unsigned listed = single ? 1 : is_double(opcode) ? words / 2 : (verbatim + words + 1) / 2;
    operands->load = loads;
    operands->store = !loads;
    if (base != PC) operands_read(operands, base);
    for (unsigned i = 0; i < listed && first + i < ISA_FLAGS; i++) {
        if (loads)
            operands_write(operands, first + i);
        else
            operands_read(operands, first + i);
        operands->data_count += !loads;
    }
    operands->updates_base = !single && bits_of(opcode, 21, 1);
    if (!operands->updates_base) return true;
    operands->base = (int)base;
    operands_write(operands, base);
    return true;
}

/* VMOV, VMRS and VMSR between one core register and a vector or the flags. */
static bool move(struct isa_operands *operands, uint32_t opcode)
{
    const bool to_core = bits_of(opcode, 20, 1);
    const unsigned core = bits_of(opcode, 12, 4);
    if ((opcode & 0x0FE00F10) == 0x0EE00A10) { /* VMRS, VMSR; VMRS APSR_nzcv has PC */
        const unsigned to = core == PC ? (unsigned)ISA_FLAGS : core;
        if (to_core)
            operands_write(operands, to);
        else
            operands_read(operands, core);
        return true;
    }
    transfer(operands, to_core, core, vector_of(opcode, 16, 7));
    return true;
}

static bool compute(struct isa_operands *operands, uint32_t opcode)
{
    const bool unary = (opcode & 0x00B00000) == 0x00B00000;
    const bool compares = unary && (opcode & 0x000E0040) == 0x00040040;
    const bool immediate = unary && !bits_of(opcode, 6, 1);
    const unsigned d = vector_of(opcode, 12, 22);
    const unsigned what = bits_of(opcode, 20, 2); /* bit 23 set: VFNMA, VFMA; clear: VMLA, VNMLA */
    const bool accumulates = bits_of(opcode, 23, 1) ? what == 1 || what == 2 : what < 2;
    operands->class = ISA_FLOAT;
    if (!unary) operands_read(operands, vector_of(opcode, 16, 7));
    if (!immediate) operands_read(operands, vector_of(opcode, 0, 5));
    if (compares || (!unary && accumulates)) operands_read(operands, d);
    operands_write(operands, compares ? (unsigned)ISA_FLAGS : d);
    return true;
}

bool operands_of_vfp(struct isa_operands *operands, uint32_t opcode)
{
    if ((opcode & 0x0E00) != 0x0A00) return false; /* another coprocessor */
    operands->name = "floating-point";
    if ((opcode & 0x0E000000) == 0x0C000000) return load_or_store(operands, opcode);
    if ((opcode & 0x0F000010) == 0x0E000010) return move(operands, opcode);
    if ((opcode & 0x0F000010) == 0x0E000000) return compute(operands, opcode);
    return false;
}

/* SPDX-License-Identifier: MIT */
/*
 * operands_t32.c: the registers that 16-bit T32 instructions read and write; also dispatches 32-bit
 * ones.
 */
#include "isa/operands_t32.h"
#include "isa/opcode.h"
#include "isa/operands.h"

enum { SP = 13, LR = 14, PC = 15 };

static void read_low(struct isa_operands *operands, uint32_t opcode, unsigned low)
{
    operands_read(operands, bits_of(opcode, low, 3));
}

static void write_low(struct isa_operands *operands, uint32_t opcode, unsigned low)
{
    operands_write(operands, bits_of(opcode, low, 3));
}

/* Shifts by a constant; ADD and SUB with three operands. */
static bool shift_or_add(struct isa_operands *operands, uint32_t opcode)
{
    const bool adds = (opcode & 0x1800) == 0x1800;
    operands->name = adds ? "add" : "shift";
    read_low(operands, opcode, 3);
    if (adds && !bits_of(opcode, 10, 1)) read_low(operands, opcode, 6);
    write_low(operands, opcode, 0);
    operands_write(operands, ISA_FLAGS);
    return true;
}

/* MOV, CMP, ADD, SUB with an 8-bit constant. */
static bool with_constant(struct isa_operands *operands, uint32_t opcode)
{
    enum { MOV, CMP };
    static const char *const names[4] = {"mov", "cmp", "add", "sub"};
    const unsigned what = bits_of(opcode, 11, 2);
    operands->name = names[what];
    if (what != MOV) read_low(operands, opcode, 8);
    if (what != CMP) write_low(operands, opcode, 8);
    operands_write(operands, ISA_FLAGS);
    return true;
}

static bool compute(struct isa_operands *operands, uint32_t opcode)
{
    enum { ADC = 5, SBC = 6, TST = 8, RSB = 9, CMP = 10, CMN = 11, MUL = 13, MVN = 15 };
    static const char *const names[16] = {"and", "eor", "lsl", "lsr", "asr", "adc", "sbc", "ror",
                                          "tst", "rsb", "cmp", "cmn", "orr", "mul", "bic", "mvn"};
    const unsigned what = bits_of(opcode, 6, 4);
    operands->name = names[what];
    operands->class = what == MUL ? ISA_MULTIPLY : ISA_ALU;
    if (what != RSB && what != MVN) read_low(operands, opcode, 0);
    read_low(operands, opcode, 3);
    if (what == ADC || what == SBC) operands_read(operands, ISA_FLAGS);
    if (what != TST && what != CMP && what != CMN) write_low(operands, opcode, 0);
    operands_write(operands, ISA_FLAGS);
    return true;
}

/* ADD, CMP, MOV of all registers; BX, BLX. */
static bool any_registers(struct isa_operands *operands, uint32_t opcode)
{
    enum { ADD, CMP, MOV, BRANCH };
    static const char *const names[4] = {"add", "cmp", "mov", "bx"};
    const unsigned what = bits_of(opcode, 8, 2);
    const unsigned d = bits_of(opcode, 7, 1) << 3 | bits_of(opcode, 0, 3),
                   m = bits_of(opcode, 3, 4);
    operands->name = names[what];
    if (what < MOV && d != PC) operands_read(operands, d);
    if (m != PC) operands_read(operands, m);
    if (what == CMP) operands_write(operands, ISA_FLAGS);
    if ((what == ADD || what == MOV) && d != PC) operands_write(operands, d);
    operands->branch = what == BRANCH || (what != CMP && d == PC);
    if (what == BRANCH && bits_of(opcode, 7, 1)) operands_write(operands, LR);
    return true;
}

static void access_low(struct isa_operands *operands, uint32_t opcode, bool loads, unsigned data)
{
    operands->name = loads ? "ldr" : "str";
    operands->load = loads;
    operands->store = !loads;
    operands->data_count = !loads;
    if (loads)
        write_low(operands, opcode, data);
    else
        read_low(operands, opcode, data);
}

static bool load_or_store(struct isa_operands *operands, uint32_t opcode)
{
    switch (bits_of(opcode, 12, 4)) {
    case 4: /* LDR (literal) */ access_low(operands, opcode, true, 8); return true;
    case 5: /* register offset: STR, STRH, STRB, then the loads */
        read_low(operands, opcode, 3);
        read_low(operands, opcode, 6);
        access_low(operands, opcode, bits_of(opcode, 9, 3) > 2, 0);
        return true;
    case 9: /* relative to the stack pointer */
        operands_read(operands, SP);
        access_low(operands, opcode, bits_of(opcode, 11, 1), 8);
        return true;
    default:
        read_low(operands, opcode, 3);
        access_low(operands, opcode, bits_of(opcode, 11, 1), 0);
        return true;
    }
}

/* 1011: the stack pointer, CBZ, extensions, PUSH, POP, hints. */
static bool miscellaneous(struct isa_operands *operands, uint32_t opcode)
{
    const uint32_t list = opcode & 0xFF;
    operands->name = "misc";
    switch (bits_of(opcode, 8, 4)) {
    case 0: /* ADD, SUB to the stack pointer */
        operands_read(operands, SP);
        operands_write(operands, SP);
        return true;
    case 1:
    case 3:
    case 9:
    case 11: /* CBZ, CBNZ */
        operands->branch = true;
        read_low(operands, opcode, 0);
        return true;
    case 2:
    case 10: /* SXTH and others, REV and others */
        read_low(operands, opcode, 3);
        write_low(operands, opcode, 0);
        return true;
    case 4: return t32_load_or_store_list(operands, SP, list, false, true);
    case 5: return t32_load_or_store_list(operands, SP, list | 1u << LR, false, true);
    case 12: return t32_load_or_store_list(operands, SP, list, true, true);
    case 13: return t32_load_or_store_list(operands, SP, list | 1u << PC, true, true);
    case 14: operands->name = "bkpt"; return true;
    default: return true; /* IT, hints */
    }
}

static bool conditional_branch(struct isa_operands *operands, uint32_t opcode)
{
    enum { ALWAYS = 14 };
    operands->name = bits_of(opcode, 8, 4) < ALWAYS ? "b" : "svc";
    operands->branch = true;
    if (bits_of(opcode, 8, 4) < ALWAYS) operands_read(operands, ISA_FLAGS);
    return true;
}

/* ADR; ADD of the stack pointer and a constant. */
static bool address(struct isa_operands *operands, uint32_t opcode)
{
    operands->name = "add";
    if (bits_of(opcode, 11, 1)) operands_read(operands, SP);
    write_low(operands, opcode, 8);
    return true;
}

static bool of_16_bits(struct isa_operands *operands, uint32_t opcode)
{
    switch (bits_of(opcode, 12, 4)) {
    case 0:
    case 1: return shift_or_add(operands, opcode);
    case 2:
    case 3: return with_constant(operands, opcode);
    case 4:
        if (bits_of(opcode, 11, 1)) return load_or_store(operands, opcode);
        return bits_of(opcode, 10, 1) ? any_registers(operands, opcode) : compute(operands, opcode);
    case 10: return address(operands, opcode);
    case 11: return miscellaneous(operands, opcode);
    case 12: {
        const unsigned base = bits_of(opcode, 8, 3);
        const bool loads = bits_of(opcode, 11, 1), listed = bits_of(opcode, base, 1);
        return t32_load_or_store_list(operands, base, opcode & 0xFF, loads, !(loads && listed));
    }
    case 13: return conditional_branch(operands, opcode);
    case 14:
        operands->name = "b";
        operands->branch = true;
        return true;
    default: return load_or_store(operands, opcode);
    }
}

bool operands_of_t32(struct isa_operands *operands, uint32_t opcode, unsigned size)
{
    if (size == 4) return t32_operands_of_32_bits(operands, opcode);
    return size == 2 && opcode <= UINT16_MAX && of_16_bits(operands, opcode);
}

/* SPDX-License-Identifier: MIT */
/*
 * operands_a32.c: the registers that A32 instructions read and write, by the groups of the encoding
 * (Arm ARM, "A32 instruction set encoding").
 *
 * A conditional instruction reads the flags.  The PC is a constant as a source, and makes an
 * instruction a branch as a destination.
 */
#include "isa/opcode.h"
#include "isa/operands.h"

enum { SP = 13, LR = 14, PC = 15, ALWAYS = 14, NEVER = 15 };
enum { AND, EOR, SUB, RSB, ADD, ADC, SBC, RSC, TST, TEQ, CMP, CMN, ORR, MOV, BIC, MVN };

static void read(struct isa_operands *operands, uint32_t opcode, unsigned low)
{
    const unsigned reg = bits_of(opcode, low, 4);
    if (reg != PC) operands_read(operands, reg);
}

static void write(struct isa_operands *operands, uint32_t opcode, unsigned low)
{
    const unsigned reg = bits_of(opcode, low, 4);
    if (reg == PC)
        operands->branch = true;
    else
        operands_write(operands, reg);
}

static void write_flags(struct isa_operands *operands, uint32_t opcode)
{
    if (bits_of(opcode, 20, 1)) operands_write(operands, ISA_FLAGS);
}

/* Adds the base and the data of an access; the data register is at bit 12. */
static void access_word(struct isa_operands *operands, uint32_t opcode, bool loads, bool pair)
{
    const unsigned data = bits_of(opcode, 12, 4);
    operands->load = loads;
    operands->store = !loads;
    if (loads) {
        write(operands, opcode, 12);
        if (pair) operands_write(operands, (data + 1) & 15);
    } else {
        read(operands, opcode, 12);
        if (pair) operands_read(operands, (data + 1) & 15);
        operands->data_count = pair ? 2 : 1;
    }
}

static void update_base(struct isa_operands *operands, uint32_t opcode)
{
    const bool post = !bits_of(opcode, 24, 1), back = bits_of(opcode, 21, 1);
    if (!post && !back) return;
    operands->updates_base = true;
    operands->base = (int)bits_of(opcode, 16, 4);
    write(operands, opcode, 16);
}

/* LDR, STR, LDRB, STRB. */
static bool load_or_store(struct isa_operands *operands, uint32_t opcode)
{
    operands->name = bits_of(opcode, 20, 1) ? "ldr" : "str";
    read(operands, opcode, 16);
    if (bits_of(opcode, 25, 1)) read(operands, opcode, 0);
    access_word(operands, opcode, bits_of(opcode, 20, 1), false);
    update_base(operands, opcode);
    return true;
}

/* LDRH, STRH, LDRSB, LDRSH, LDRD, STRD. */
static bool extra_load_or_store(struct isa_operands *operands, uint32_t opcode)
{
    const bool loads = bits_of(opcode, 20, 1), pair = !loads && bits_of(opcode, 6, 1);
    operands->name = loads || (pair && !bits_of(opcode, 5, 1)) ? "ldr" : "str";
    read(operands, opcode, 16);
    if (!bits_of(opcode, 22, 1)) read(operands, opcode, 0);
    access_word(operands, opcode, loads || (pair && !bits_of(opcode, 5, 1)), pair);
    update_base(operands, opcode);
    return true;
}

/* LDREX, STREX, LDA, STL, SWP in all sizes. */
static bool synchronize(struct isa_operands *operands, uint32_t opcode)
{
    const bool loads = bits_of(opcode, 20, 1), pair = bits_of(opcode, 21, 2) == 1;
    read(operands, opcode, 16);
    if (!bits_of(opcode, 23, 1)) { /* SWP */
        operands->name = "swp";
        read(operands, opcode, 0);
        write(operands, opcode, 12);
        operands->load = operands->store = true;
        operands->data_count = 1;
        return true;
    }
    operands->name = loads ? "ldrex" : "strex";
    if (loads) {
        access_word(operands, opcode, true, pair);
        return true;
    }
    read(operands, opcode, 0);
    if (pair) operands_read(operands, (bits_of(opcode, 0, 4) + 1) & 15);
    operands->data_count = pair ? 2 : 1;
    operands->store = true;
    if (bits_of(opcode, 8, 2) != 0) write(operands, opcode, 12); /* else STL */
    return true;
}

static bool multiply(struct isa_operands *operands, uint32_t opcode)
{
    const bool is_long = bits_of(opcode, 23, 1) || bits_of(opcode, 21, 3) == 2;
    const bool accumulates = bits_of(opcode, 21, 1) || bits_of(opcode, 21, 3) == 2;
    operands->name = "mul";
    operands->class = ISA_MULTIPLY;
    read(operands, opcode, 0);
    read(operands, opcode, 8);
    if (accumulates) read(operands, opcode, 12);
    if (accumulates && is_long) read(operands, opcode, 16);
    if (is_long) write(operands, opcode, 12);
    write(operands, opcode, 16);
    write_flags(operands, opcode);
    return true;
}

/* SMLAxy and similar ones. */
static bool multiply_halves(struct isa_operands *operands, uint32_t opcode)
{
    const unsigned kind = bits_of(opcode, 21, 2);
    const bool is_long = kind == 2;
    const bool accumulates = kind == 0 || is_long || (kind == 1 && !bits_of(opcode, 5, 1));
    operands->name = "mul";
    operands->class = ISA_MULTIPLY;
    read(operands, opcode, 0);
    read(operands, opcode, 8);
    if (accumulates) read(operands, opcode, 12);
    if (is_long) {
        read(operands, opcode, 16);
        write(operands, opcode, 12);
    }
    write(operands, opcode, 16);
    return true;
}

/* MRS, MSR, BX, BLX, CLZ, QADD and others, encoded as comparisons that set no flags. */
static bool miscellaneous(struct isa_operands *operands, uint32_t opcode)
{
    operands->name = "misc";
    if ((opcode & 0x0FBF0FFF) == 0x010F0000) { /* MRS */
        operands_read(operands, ISA_FLAGS);
        write(operands, opcode, 12);
    } else if ((opcode & 0x0FB0FFF0) == 0x0120F000) { /* MSR */
        read(operands, opcode, 0);
        operands_write(operands, ISA_FLAGS);
    } else if ((opcode & 0x0FFFFF00) == 0x012FFF00) { /* BX, BXJ, BLX */
        operands->branch = true;
        read(operands, opcode, 0);
        if (bits_of(opcode, 4, 4) == 3) operands_write(operands, LR);
    } else if ((opcode & 0x0FFF0FF0) == 0x016F0F10) { /* CLZ */
        read(operands, opcode, 0);
        write(operands, opcode, 12);
    } else if ((opcode & 0x0F900FF0) == 0x01000050 || /* QADD and others */
               (opcode & 0x0F9000F0) == 0x01000040) { /* CRC32 */
        read(operands, opcode, 0);
        read(operands, opcode, 16);
        write(operands, opcode, 12);
    }
    return true;
}

static bool compute(struct isa_operands *operands, uint32_t opcode)
{
    static const char *const names[16] = {"and", "eor", "sub", "rsb", "add", "adc", "sbc", "rsc",
                                          "tst", "teq", "cmp", "cmn", "orr", "mov", "bic", "mvn"};
    const unsigned what = bits_of(opcode, 21, 4);
    const bool immediate = bits_of(opcode, 25, 1);
    const bool compares = what >= TST && what <= CMN;
    operands->name = names[what];
    if (what != MOV && what != MVN) read(operands, opcode, 16);
    if (!immediate) read(operands, opcode, 0);
    if (!immediate && bits_of(opcode, 4, 1)) read(operands, opcode, 8);
    if (what == ADC || what == SBC || what == RSC) operands_read(operands, ISA_FLAGS);
    if (!compares) write(operands, opcode, 12);
    write_flags(operands, opcode);
    return true;
}

/* Instructions whose bits 27 to 25 are 000 or 001. */
static bool data_processing(struct isa_operands *operands, uint32_t opcode)
{
    const bool immediate = bits_of(opcode, 25, 1);
    if (!immediate && (opcode & 0x90) == 0x90) {
        if (opcode & 0x60) return extra_load_or_store(operands, opcode);
        return bits_of(opcode, 24, 1) ? synchronize(operands, opcode) : multiply(operands, opcode);
    }
    if (!immediate && (opcode & 0x0F900090) == 0x01000080) return multiply_halves(operands, opcode);
    if (!immediate && (opcode & 0x0F900000) == 0x01000000) return miscellaneous(operands, opcode);
    if ((opcode & 0x0FB00000) == 0x03000000) { /* MOVW, MOVT */
        operands->name = "mov";
        if (bits_of(opcode, 22, 1)) read(operands, opcode, 12);
        write(operands, opcode, 12);
        return true;
    }
    if ((opcode & 0x0FB00000) == 0x03200000) { /* MSR of an immediate, hints */
        operands->name = "misc";
        if (bits_of(opcode, 16, 4)) operands_write(operands, ISA_FLAGS);
        return true;
    }
    return compute(operands, opcode);
}

/* Multiplications and divisions among the media instructions. */
static bool media_multiply(struct isa_operands *operands, uint32_t opcode)
{
    const bool divides = (opcode & 0x0FD0F0F0) == 0x0710F010;
    const bool is_long = (opcode & 0x0FF00000) == 0x07400000;
    operands->name = divides ? "div" : "mul";
    operands->class = divides ? ISA_DIVIDE : ISA_MULTIPLY;
    read(operands, opcode, 0);
    read(operands, opcode, 8);
    if (!divides) read(operands, opcode, 12);
    if (is_long) {
        read(operands, opcode, 16);
        write(operands, opcode, 12);
    }
    write(operands, opcode, 16);
    return true;
}

static bool media(struct isa_operands *operands, uint32_t opcode)
{
    operands->name = "media";
    if ((opcode & 0x0F800000) == 0x07000000 || (opcode & 0x0FF000F0) == 0x07800010)
        return media_multiply(operands, opcode);
    if ((opcode & 0x0F800000) == 0x07800000) { /* bit fields; the source is PC in BFC */
        read(operands, opcode, 0);
        if ((opcode & 0x0FE00070) == 0x07C00010) read(operands, opcode, 12);
        write(operands, opcode, 12);
        return true;
    }
    const bool one_source = (opcode & 0x0F8000F0) == 0x068000F0 ||
                            (opcode & 0x0FA00070) == 0x06A00030 ||
                            (opcode & 0x0FA00030) == 0x06A00010;
    read(operands, opcode, 0);
    if (!one_source) read(operands, opcode, 16);
    write(operands, opcode, 12);
    return true;
}

static bool load_or_store_many(struct isa_operands *operands, uint32_t opcode)
{
    const bool loads = bits_of(opcode, 20, 1);
    read(operands, opcode, 16);
    operands_transfer_list(operands, opcode & 0xFFFF, loads);
    if (!bits_of(opcode, 21, 1)) return true;
    operands->updates_base = true;
    operands->base = (int)bits_of(opcode, 16, 4);
    write(operands, opcode, 16);
    return true;
}

static bool of_groups(struct isa_operands *operands, uint32_t opcode)
{
    switch (bits_of(opcode, 25, 3)) {
    case 0:
    case 1: return data_processing(operands, opcode);
    case 2: return load_or_store(operands, opcode);
    case 3:
        return bits_of(opcode, 4, 1) ? media(operands, opcode) : load_or_store(operands, opcode);
    case 4: return load_or_store_many(operands, opcode);
    case 5:
        operands->name = "b";
        operands->branch = true;
        if (bits_of(opcode, 24, 1)) operands_write(operands, LR);
        return true;
    default: break;
    }
    if ((opcode & 0x0F000000) == 0x0F000000) {
        operands->name = "svc";
        operands->branch = true;
        return true;
    }
    return operands_of_vfp(operands, opcode);
}

bool operands_of_a32(struct isa_operands *operands, uint32_t opcode)
{
    const unsigned condition = opcode >> 28;
    if (condition == NEVER) return false;
    if (!of_groups(operands, opcode)) return false;
    if (condition != ALWAYS) operands_read(operands, ISA_FLAGS);
    return true;
}

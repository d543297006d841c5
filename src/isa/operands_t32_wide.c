/* SPDX-License-Identifier: MIT */
/*
 * operands_t32_wide.c: the registers that 32-bit T32 instructions read and write, by the groups of
 * the encoding (Arm ARM, "T32 instruction set encoding", 32-bit).
 */
#include "isa/opcode.h"
#include "isa/operands_t32.h"

enum { SP = 13, LR = 14, PC = 15 };

static void read(struct isa_operands *operands, uint32_t opcode, unsigned low)
{
    const unsigned reg = bits_of(opcode, low, 4);
    if (reg != PC) operands_read(operands, reg);
}

static void write(struct isa_operands *operands, uint32_t opcode, unsigned low)
{
    const unsigned reg = bits_of(opcode, low, 4);
    if (reg != PC)
        operands_write(operands, reg);
    else
        operands->branch = true;
}

static void write_flags(struct isa_operands *operands, uint32_t opcode)
{
    if (bits_of(opcode, 20, 1)) operands_write(operands, ISA_FLAGS);
}

static void update_base(struct isa_operands *operands, uint32_t opcode)
{
    operands->updates_base = true;
    operands->base = (int)bits_of(opcode, 16, 4);
    write(operands, opcode, 16);
}

static void mark_access(struct isa_operands *operands, bool loads, unsigned data)
{
    operands->name = loads ? "ldr" : "str";
    operands->load = loads;
    operands->store = !loads;
    operands->data_count = loads ? 0 : (uint8_t)data;
}

bool t32_load_or_store_list(struct isa_operands *operands, unsigned base, uint32_t list, bool loads,
                            bool updates)
{
    operands_read(operands, base);
    operands_transfer_list(operands, list & 0xFFFF, loads);
    operands->updates_base = updates;
    if (!updates) return true;
    operands->base = (int)base;
    operands_write(operands, base);
    return true;
}

/* LDRD, STRD. */
static bool load_or_store_two(struct isa_operands *operands, uint32_t opcode)
{
    const bool loads = bits_of(opcode, 20, 1);
    mark_access(operands, loads, 2);
    read(operands, opcode, 16);
    if (loads) {
        write(operands, opcode, 12);
        write(operands, opcode, 8);
    } else {
        operands_read(operands, bits_of(opcode, 12, 4));
        operands_read(operands, bits_of(opcode, 8, 4));
    }
    if (bits_of(opcode, 21, 1)) update_base(operands, opcode);
    return true;
}

/* LDREX, STREX in all sizes, LDA, STL, TBB, TBH. */
static bool synchronize(struct isa_operands *operands, uint32_t opcode)
{
    const bool loads = bits_of(opcode, 20, 1), words = !bits_of(opcode, 23, 1);
    const bool pair = !words && bits_of(opcode, 4, 2) == 3;
    if ((opcode & 0xFFF000E0) == 0xE8D00000) { /* TBB, TBH */
        operands->name = "tbb";
        operands->load = operands->branch = true;
        read(operands, opcode, 16);
        read(operands, opcode, 0);
        return true;
    }
    mark_access(operands, loads, pair ? 2 : 1);
    read(operands, opcode, 16);
    if (loads) {
        write(operands, opcode, 12);
        if (pair) write(operands, opcode, 8);
        return true;
    }
    read(operands, opcode, 12);
    if (pair) read(operands, opcode, 8);
    const bool excludes = words || bits_of(opcode, 6, 1); /* else STL */
    const unsigned status = bits_of(opcode, words ? 8 : 0, 4);
    if (excludes && status != PC) operands_write(operands, status);
    return true;
}

/* 11101 00: multiple registers, two registers, exclusives. */
static bool load_or_store_several(struct isa_operands *operands, uint32_t opcode)
{
    const bool updates = bits_of(opcode, 21, 1);
    if (bits_of(opcode, 22, 1))
        return bits_of(opcode, 24, 1) || updates ? load_or_store_two(operands, opcode)
                                                 : synchronize(operands, opcode);
    const unsigned mode = bits_of(opcode, 23, 2);
    if (mode == 0 || mode == 3) return false; /* RFE, SRS */
    return t32_load_or_store_list(operands, bits_of(opcode, 16, 4), opcode & 0xFFFF,
                                  bits_of(opcode, 20, 1), updates);
}

/* AND, ORR, ADD and others; `shifted`: with two registers, else with a constant. */
static bool compute(struct isa_operands *operands, uint32_t opcode, bool shifted)
{
    enum { AND, ORR = 2, ORN, EOR, ADD = 8, ADC = 10, SBC, SUB = 13 };
    static const char *const names[16] = {
        [AND] = "and", [1] = "bic",   [ORR] = "orr", [ORN] = "orn", [EOR] = "eor", [6] = "pkh",
        [ADD] = "add", [ADC] = "adc", [SBC] = "sbc", [SUB] = "sub", [14] = "rsb"};
    const unsigned what = bits_of(opcode, 21, 4);
    const bool sets = bits_of(opcode, 20, 1), nowhere = bits_of(opcode, 8, 4) == PC;
    const bool compares =
        sets && nowhere && (what == AND || what == EOR || what == ADD || what == SUB);
    if (!names[what]) return false;
    operands->name = names[what];
    read(operands, opcode, 16); /* PC: MOV, MVN */
    if (shifted) read(operands, opcode, 0);
    if (what == ADC || what == SBC) operands_read(operands, ISA_FLAGS);
    if (!compares) write(operands, opcode, 8);
    write_flags(operands, opcode);
    return true;
}

/* ADDW, SUBW, MOVW, MOVT, bit fields, saturation. */
static bool plain_constant(struct isa_operands *operands, uint32_t opcode)
{
    const unsigned what = bits_of(opcode, 20, 5);
    operands->name = "imm";
    if (what == 12 || what == 22) operands_read(operands, bits_of(opcode, 8, 4)); /* MOVT, BFI */
    if (what != 4 && what != 12) read(operands, opcode, 16);
    write(operands, opcode, 8);
    return true;
}

/* Branches, MSR, MRS, barriers, hints. */
static bool branch_or_control(struct isa_operands *operands, uint32_t opcode)
{
    enum { ALWAYS = 14 };
    const bool links = (opcode & 0x5000) == 0x5000 || (opcode & 0x5000) == 0x4000;
    const bool conditional = !(opcode & 0x5000) && bits_of(opcode, 22, 4) < ALWAYS;
    operands->name = "control";
    operands->branch = links || conditional || (opcode & 0x5000) == 0x1000;
    if (links) operands_write(operands, LR);
    if (conditional) operands_read(operands, ISA_FLAGS);
    if ((opcode & 0xFFE0F000) == 0xF3808000) { /* MSR */
        operands_read(operands, bits_of(opcode, 16, 4));
        operands_write(operands, ISA_FLAGS);
    } else if ((opcode & 0xFFE0F000) == 0xF3E08000) { /* MRS */
        operands_read(operands, ISA_FLAGS);
        operands_write(operands, bits_of(opcode, 8, 4));
    } else if ((opcode & 0xFFFFFF00) == 0xF3DE8F00) { /* SUBS PC, LR; ERET */
        operands->branch = true;
    }
    return true;
}

/* LDR, STR in all sizes. */
static bool load_or_store(struct isa_operands *operands, uint32_t opcode)
{
    const bool loads = bits_of(opcode, 20, 1);
    const bool wide = bits_of(opcode, 23, 1), literal = bits_of(opcode, 16, 4) == PC;
    const bool word = bits_of(opcode, 21, 2) == 2;
    const bool by_register = !wide && !literal && bits_of(opcode, 6, 6) == 0;
    const bool hint = loads && !word && bits_of(opcode, 12, 4) == PC; /* PLD */
    read(operands, opcode, 16);
    if (by_register) read(operands, opcode, 0);
    if (hint) {
        operands->name = "prefetch";
        return true;
    }
    mark_access(operands, loads, 1);
    if (loads)
        write(operands, opcode, 12);
    else
        operands_read(operands, bits_of(opcode, 12, 4));
    const bool indexed = !wide && !literal && bits_of(opcode, 11, 1);
    if (indexed && bits_of(opcode, 8, 1)) update_base(operands, opcode);
    return true;
}

/* Shifts, extensions, parallel additions, REV, CLZ, SEL. */
static bool of_registers(struct isa_operands *operands, uint32_t opcode)
{
    const bool shifts = bits_of(opcode, 23, 1) == 0 && bits_of(opcode, 4, 4) == 0;
    operands->name = shifts ? "shift" : "media";
    read(operands, opcode, 16); /* PC: an extension without an addition */
    read(operands, opcode, 0);
    write(operands, opcode, 8);
    if (shifts) write_flags(operands, opcode);
    return true;
}

static bool multiply(struct isa_operands *operands, uint32_t opcode)
{
    operands->name = "mul";
    operands->class = ISA_MULTIPLY;
    read(operands, opcode, 16);
    read(operands, opcode, 0);
    read(operands, opcode, 12); /* PC: nothing is added */
    write(operands, opcode, 8);
    return true;
}

/* Instructions with two results, and divisions. */
static bool multiply_long(struct isa_operands *operands, uint32_t opcode)
{
    const unsigned what = bits_of(opcode, 20, 3);
    const bool divides = (what == 1 || what == 3) && bits_of(opcode, 4, 4) == 15;
    operands->name = divides ? "div" : "mul";
    operands->class = divides ? ISA_DIVIDE : ISA_MULTIPLY;
    read(operands, opcode, 16);
    read(operands, opcode, 0);
    if (!divides && what >= 4) { /* accumulates */
        read(operands, opcode, 12);
        read(operands, opcode, 8);
    }
    if (!divides) write(operands, opcode, 12);
    write(operands, opcode, 8);
    return true;
}

/* 11111: accesses of one register, and operations on registers. */
static bool of_11111(struct isa_operands *operands, uint32_t opcode)
{
    if (!bits_of(opcode, 25, 1)) {
        const bool vectors = (opcode & 0xFF100000) == 0xF9000000; /* VLD1, VST1 and others */
        return !vectors && load_or_store(operands, opcode);
    }
    if (!bits_of(opcode, 24, 1)) return of_registers(operands, opcode);
    return bits_of(opcode, 23, 1) ? multiply_long(operands, opcode) : multiply(operands, opcode);
}

bool t32_operands_of_32_bits(struct isa_operands *operands, uint32_t opcode)
{
    const bool coprocessor = bits_of(opcode, 26, 1);
    switch (opcode >> 27) {
    case 0x1D:
        if (coprocessor) return operands_of_vfp(operands, opcode);
        return bits_of(opcode, 25, 1) ? compute(operands, opcode, true)
                                      : load_or_store_several(operands, opcode);
    case 0x1E:
        if (bits_of(opcode, 15, 1)) return branch_or_control(operands, opcode);
        return bits_of(opcode, 25, 1) ? plain_constant(operands, opcode)
                                      : compute(operands, opcode, false);
    case 0x1F: return !coprocessor && of_11111(operands, opcode);
    default: return false;
    }
}

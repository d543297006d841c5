/* SPDX-License-Identifier: MIT */
/* operands.c: the tables of what instructions read, and looking an opcode up in them. */
#include "isa/operands.h"

/* What a rule's instruction reads, and where its address lies. */
enum reads {
    /* RISC-V: integer and floating-point sources 1 to 3 */
    X1 = 1 << 0,
    X2 = 1 << 1,
    F1 = 1 << 2,
    F2 = 1 << 3,
    F3 = 1 << 4,
    /* compressed: the fields of 5 bits, of 3 bits, the stack pointer */
    CX1 = 1 << 5,
    CX2 = 1 << 6,
    CF2 = 1 << 7,
    CX1P = 1 << 8,
    CX2P = 1 << 9,
    CF2P = 1 << 10,
    CSP = 1 << 11,
    /* A64: Rn, Rn or SP, Rm, Rd (as a source), Ra or Rt2, and the same of vectors */
    N = 1 << 0,
    NSP = 1 << 1,
    M = 1 << 2,
    D = 1 << 3,
    A = 1 << 4,
    VN = 1 << 5,
    VM = 1 << 6,
    VD = 1 << 7,
    VA = 1 << 8,
    FLAGS = 1 << 9,
    /* both */
    BRANCH = 1 << 12,
    LOAD = 1 << 13,
    STORE = 1 << 14,
    CSR = 1 << 15,
};
/* How the offset of an address is encoded: bits 16 to 19. */
enum { AT_SHIFT = 16, SIZE_SHIFT = 20 };
enum at {
    AT_BASE = 1 << AT_SHIFT, /* no offset */
    AT_I = 2 << AT_SHIFT,    /* I-type */
    AT_S = 3 << AT_SHIFT,    /* S-type */
    AT_CW = 4 << AT_SHIFT,   /* c.lw, c.sw */
    AT_CD = 5 << AT_SHIFT,
    AT_CWSP = 6 << AT_SHIFT, /* c.lwsp */
    AT_CDSP = 7 << AT_SHIFT,
    AT_CSWSP = 8 << AT_SHIFT,
    AT_CSDSP = 9 << AT_SHIFT,
    AT_MASK = 15 << AT_SHIFT,
};
#define SIZE(bytes) ((bytes) << SIZE_SHIFT)

struct operand_rule {
    uint32_t mask, match;
    const char *name;
    uint32_t reads;
};
#define RULE(mask, match, name, reads) {mask, match, name, reads},
static const struct operand_rule riscv_rules[] = {
#include "isa/riscv.def"
    {0, 0, NULL, 0}};
static const struct operand_rule rvc_rules[] = {
#include "isa/rvc.def"
    {0, 0, NULL, 0}};
static const struct operand_rule aarch64_rules[] = {
#include "isa/aarch64.def"
    {0, 0, NULL, 0}};
#undef RULE

static const struct operand_rule *rule_of(enum isa isa, uint64_t opcode)
{
    const struct operand_rule *rule = NULL;
    if (opcode > UINT32_MAX) return NULL;
    if (isa == ISA_RISCV)
        rule = (opcode & 3) == 3 ? riscv_rules : rvc_rules;
    else if (isa == ISA_AARCH64)
        rule = aarch64_rules;
    for (; rule && rule->name; rule++)
        if ((opcode & rule->mask) == rule->match) return rule;
    return NULL;
}

const char *isa_opcode_name(enum isa isa, uint64_t opcode)
{
    const struct operand_rule *rule = rule_of(isa, opcode);
    return rule ? rule->name : NULL;
}

static uint32_t bits(uint64_t word, unsigned high, unsigned low)
{
    return (uint32_t)(word >> low) & (uint32_t)((UINT64_C(1) << (high - low + 1)) - 1);
}

/* Bits high..low of `word`, moved to bit `to`. */
static int64_t part(uint64_t word, unsigned high, unsigned low, unsigned to)
{
    return (int64_t)bits(word, high, low) << to;
}

static int64_t sign_extended(uint32_t value, unsigned width)
{
    uint32_t sign = UINT32_C(1) << (width - 1);
    return (int64_t)(value ^ sign) - (int64_t)sign;
}

static int64_t offset_of(uint64_t opcode, uint32_t at)
{
    switch (at & AT_MASK) {
    case AT_I: return sign_extended(bits(opcode, 31, 20), 12);
    case AT_S: return sign_extended(bits(opcode, 31, 25) << 5 | bits(opcode, 11, 7), 12);
    case AT_CW: return part(opcode, 12, 10, 3) | part(opcode, 6, 6, 2) | part(opcode, 5, 5, 6);
    case AT_CD: return part(opcode, 12, 10, 3) | part(opcode, 6, 5, 6);
    case AT_CWSP: return part(opcode, 12, 12, 5) | part(opcode, 6, 4, 2) | part(opcode, 3, 2, 6);
    case AT_CDSP: return part(opcode, 12, 12, 5) | part(opcode, 6, 5, 3) | part(opcode, 4, 2, 6);
    case AT_CSWSP: return part(opcode, 12, 9, 2) | part(opcode, 8, 7, 6);
    case AT_CSDSP: return part(opcode, 12, 10, 3) | part(opcode, 9, 7, 6);
    default: return 0;
    }
}

static void read_register(struct isa_operands *operands, unsigned reg)
{
    if (operands->read_count < ISA_OPERANDS_MOST)
        operands->reads[operands->read_count++] = (uint8_t)reg;
}

static void read_integer(struct isa_operands *operands, unsigned number)
{
    read_register(operands, ISA_INTEGER + number);
}

static void read_vector(struct isa_operands *operands, unsigned number)
{
    read_register(operands, ISA_VECTOR + number);
}

/* The first integer source of a RISC-V instruction, which is the base of its address; -1: none. */
static int first_of_riscv(uint64_t opcode, uint32_t reads)
{
    if (reads & X1) return (int)bits(opcode, 19, 15);
    if (reads & CX1) return (int)bits(opcode, 11, 7);
    if (reads & CX1P) return 8 + (int)bits(opcode, 9, 7);
    return reads & CSP ? 2 : -1;
}

static void of_riscv(struct isa_operands *operands, uint64_t opcode, uint32_t reads)
{
    const int first = first_of_riscv(opcode, reads);
    if (first > 0) read_integer(operands, (unsigned)first);
    const struct {
        uint32_t flag;
        unsigned number;
    } integers[] = {{X2, bits(opcode, 24, 20)},
                    {CX2, bits(opcode, 6, 2)},
                    {CX2P, 8 + bits(opcode, 4, 2)}},
      vectors[] = {{F1, bits(opcode, 19, 15)},
                   {F2, bits(opcode, 24, 20)},
                   {F3, bits(opcode, 31, 27)},
                   {CF2, bits(opcode, 6, 2)},
                   {CF2P, 8 + bits(opcode, 4, 2)}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (reads & integers[i].flag && integers[i].number != 0)
            read_integer(operands, integers[i].number);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (reads & vectors[i].flag) read_vector(operands, vectors[i].number);
    operands->csr = reads & CSR ? (int)bits(opcode, 31, 20) : -1;
    if (reads & AT_MASK) {
        operands->base = first > 0 ? first : -1;
        operands->offset = offset_of(opcode, reads);
        operands->size = reads >> SIZE_SHIFT;
    }
}

static void of_aarch64(struct isa_operands *operands, uint64_t opcode, uint32_t reads)
{
    enum { ZERO = 31 };
    const unsigned n = bits(opcode, 9, 5), m = bits(opcode, 20, 16);
    const unsigned d = bits(opcode, 4, 0), a = bits(opcode, 14, 10);
    if (((reads & N) && n != ZERO) || (reads & NSP)) read_integer(operands, n);
    if ((reads & M) && m != ZERO) read_integer(operands, m);
    if ((reads & D) && d != ZERO) read_integer(operands, d);
    if ((reads & A) && a != ZERO) read_integer(operands, a);
    if (reads & VN) read_vector(operands, n);
    if (reads & VM) read_vector(operands, m);
    if (reads & VD) read_vector(operands, d);
    if (reads & VA) read_vector(operands, a);
    if (reads & FLAGS) read_register(operands, ISA_FLAGS);
}

bool isa_operands_of(struct isa_operands *operands, enum isa isa, uint64_t opcode)
{
    *operands = (struct isa_operands){.csr = -1, .base = -1};
    const struct operand_rule *rule = rule_of(isa, opcode);
    if (!rule) return false;
    operands->name = rule->name;
    operands->load = rule->reads & LOAD;
    operands->store = rule->reads & STORE;
    operands->branch = rule->reads & BRANCH;
    operands->system = rule->reads & CSR;
    if (isa == ISA_RISCV)
        of_riscv(operands, opcode, rule->reads);
    else
        of_aarch64(operands, opcode, rule->reads);
    return true;
}

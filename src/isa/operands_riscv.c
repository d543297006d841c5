/* SPDX-License-Identifier: MIT */
/* operands_riscv.c: the registers that RISC-V instructions of 32 and 16 bits read and write. */
#include "isa/operands.h"

enum reads {
    /* integer and floating-point sources 1 to 3 */
    X1 = 1 << 0,
    X2 = 1 << 1,
    F1 = 1 << 2,
    F2 = 1 << 3,
    F3 = 1 << 4,
    /* compressed: fields of 5 bits, fields of 3 bits, the stack pointer */
    CX1 = 1 << 5,
    CX2 = 1 << 6,
    CF2 = 1 << 7,
    CX1P = 1 << 8,
    CX2P = 1 << 9,
    CF2P = 1 << 10,
    CSP = 1 << 11,

    BRANCH = 1 << 12,
    LOAD = 1 << 13,
    STORE = 1 << 14,
    CSR = 1 << 15,
};
enum writes {
    XD = 1 << 0,
    FD = 1 << 1,
    CXD = 1 << 2, /* compressed: the field of CX1 */
    CFD = 1 << 3,
    CXD1P = 1 << 4, /* the fields of CX1P and CX2P */
    CXD2P = 1 << 5,
    CFD2P = 1 << 6,
    LINK = 1 << 7, /* x1 */
    MULTIPLY = 1 << 8,
    DIVIDE = 1 << 9,
    FLOAT = 1 << 10,
};
/* The encoding of an address's offset: bits 16 to 19 of the reads. */
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

#define RULE(mask, match, name, reads, writes) {mask, match, name, reads, writes},
static const struct operand_rule rules[] = {
#include "isa/riscv.def"
    {0, 0, NULL, 0, 0}};
static const struct operand_rule compressed_rules[] = {
#include "isa/rvc.def"
    {0, 0, NULL, 0, 0}};
#undef RULE

const struct operand_rule *operands_rule_riscv(uint64_t opcode)
{
    return operand_rule_find((opcode & 3) == 3 ? rules : compressed_rules, opcode);
}

static uint32_t bits(uint64_t word, unsigned high, unsigned low)
{
    return (uint32_t)(word >> low) & (uint32_t)((UINT64_C(1) << (high - low + 1)) - 1);
}

/* Returns bits high..low of `word`, moved to bit `to`. */
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

/* Returns the first integer source, which is the base of an address; -1: none. */
static int first_of(uint64_t opcode, uint32_t reads)
{
    if (reads & X1) return (int)bits(opcode, 19, 15);
    if (reads & CX1) return (int)bits(opcode, 11, 7);
    if (reads & CX1P) return 8 + (int)bits(opcode, 9, 7);
    return reads & CSP ? 2 : -1;
}

/* A field's register, and the flag of the rule that selects it. */
struct field {
    uint32_t flag;
    unsigned reg; /* enum isa_register */
};

static void read_fields(struct isa_operands *operands, uint64_t opcode, uint32_t reads)
{
    const int first = first_of(opcode, reads);
    const struct field fields[] = {
        {X2, bits(opcode, 24, 20)},
        {CX2, bits(opcode, 6, 2)},
        {CX2P, 8 + bits(opcode, 4, 2)},
        {F1, ISA_VECTOR + bits(opcode, 19, 15)},
        {F2, ISA_VECTOR + bits(opcode, 24, 20)},
        {F3, ISA_VECTOR + bits(opcode, 31, 27)},
        {CF2, ISA_VECTOR + bits(opcode, 6, 2)},
        {CF2P, ISA_VECTOR + 8 + bits(opcode, 4, 2)},
    };
    if (first > 0) operands_read(operands, (unsigned)first);
    const unsigned before = operands->read_count;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (reads & fields[i].flag && fields[i].reg != 0) operands_read(operands, fields[i].reg);
    if (reads & STORE) operands->data_count = (uint8_t)(operands->read_count - before);
    if (!(reads & AT_MASK)) return;
    operands->base = first > 0 ? first : -1;
    operands->offset = offset_of(opcode, reads);
    operands->size = reads >> SIZE_SHIFT;
}

static void write_fields(struct isa_operands *operands, uint64_t opcode, uint32_t writes)
{
    const struct field fields[] = {
        {XD, bits(opcode, 11, 7)},
        {CXD, bits(opcode, 11, 7)},
        {CXD1P, 8 + bits(opcode, 9, 7)},
        {CXD2P, 8 + bits(opcode, 4, 2)},
        {LINK, 1},
        {FD, ISA_VECTOR + bits(opcode, 11, 7)},
        {CFD, ISA_VECTOR + bits(opcode, 11, 7)},
        {CFD2P, ISA_VECTOR + 8 + bits(opcode, 4, 2)},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (writes & fields[i].flag && fields[i].reg != 0) operands_write(operands, fields[i].reg);
}

bool operands_of_riscv(struct isa_operands *operands, uint64_t opcode)
{
    const struct operand_rule *rule = operands_rule_riscv(opcode);
    if (!rule) return false;
    const uint32_t reads = rule->reads, writes = rule->writes;
    operands->name = rule->name;
    operands->load = reads & LOAD;
    operands->store = reads & STORE;
    operands->branch = reads & BRANCH;
    operands->system = reads & CSR;
    operands->csr = reads & CSR ? (int)bits(opcode, 31, 20) : -1;
    operands->class = writes & MULTIPLY ? ISA_MULTIPLY
                      : writes & DIVIDE ? ISA_DIVIDE
                      : writes & FLOAT  ? ISA_FLOAT
                                        : ISA_ALU;
    read_fields(operands, opcode, reads);
    write_fields(operands, opcode, writes);
    return true;
}

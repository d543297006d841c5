/* SPDX-License-Identifier: MIT */
/* operands_a64.c: the registers that A64 instructions read and write. */
#include "isa/operands.h"

enum reads {
    N = 1 << 0,   /* Rn, 31 is zero */
    NSP = 1 << 1, /* Rn, 31 is SP */
    M = 1 << 2,   /* Rm */
    D = 1 << 3,   /* Rd or Rt, as a source */
    A = 1 << 4,   /* Ra or Rt2 */
    VN = 1 << 5,  /* the same for vectors */
    VM = 1 << 6,
    VD = 1 << 7,
    VA = 1 << 8,
    FLAGS = 1 << 9,
    BRANCH = 1 << 10,
    LOAD = 1 << 11,
    STORE = 1 << 12,
    CSR = 1 << 13,
    VLIST = 1 << 14, /* vectors from Rt on; the opcode states how many */
};
enum writes {
    WD = 1 << 0,     /* Rd or Rt, 31 is zero */
    WDSP = 1 << 1,   /* Rd, 31 is SP */
    WT2 = 1 << 2,    /* Rt2 */
    WS = 1 << 3,     /* Rs */
    WBASE = 1 << 4,  /* Rn gets an address */
    WVD = 1 << 5,    /* Vd or Vt */
    WVT2 = 1 << 6,   /* Vt2 */
    WVLIST = 1 << 7, /* vectors from Rt on, as in VLIST */
    WFLAGS = 1 << 8,
    WLINK = 1 << 9, /* x30 */
    MULTIPLY = 1 << 10,
    DIVIDE = 1 << 11,
    FLOAT = 1 << 12,
};

#define RULE(mask, match, name, reads, writes) {mask, match, name, reads, writes},
static const struct operand_rule rules[] = {
#include "isa/aarch64.def"
    {0, 0, NULL, 0, 0}};
#undef RULE

enum { ZERO = 31, LINK = 30 };

struct fields {
    unsigned n, m, d, a;
};

const struct operand_rule *operands_rule_a64(uint64_t opcode)
{
    return operand_rule_find(rules, opcode);
}

/* Returns the number of vectors that a load or store of structures names. */
static unsigned vectors_of(uint64_t opcode)
{
    static const uint8_t multiple[16] = {
        [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
    const bool single = opcode >> 24 & 1;
    if (single) return (unsigned)((opcode >> 13 & 1) * 2 + (opcode >> 21 & 1) + 1);
    return multiple[opcode >> 12 & 15];
}

static void read_integers(struct isa_operands *operands, const struct fields *at, uint32_t reads)
{
    if (((reads & N) && at->n != ZERO) || (reads & NSP)) operands_read(operands, at->n);
    if ((reads & M) && at->m != ZERO) operands_read(operands, at->m);
    const unsigned before = operands->read_count;
    if ((reads & D) && at->d != ZERO) operands_read(operands, at->d);
    if ((reads & A) && at->a != ZERO) operands_read(operands, at->a);
    if (reads & STORE) operands->data_count = (uint8_t)(operands->read_count - before);
}

static void read_vectors(struct isa_operands *operands, const struct fields *at, uint32_t reads,
                         unsigned listed)
{
    if (reads & VN) operands_read(operands, ISA_VECTOR + at->n);
    if (reads & VM) operands_read(operands, ISA_VECTOR + at->m);
    const unsigned before = operands->read_count;
    if (reads & VD) operands_read(operands, ISA_VECTOR + at->d);
    if (reads & VA) operands_read(operands, ISA_VECTOR + at->a);
    for (unsigned i = 0; (reads & VLIST) && i < listed; i++)
        operands_read(operands, ISA_VECTOR + (at->d + i) % 32);
    if (reads & STORE) operands->data_count += (uint8_t)(operands->read_count - before);
}

static void write_all(struct isa_operands *operands, const struct fields *at, uint32_t writes,
                      unsigned listed, unsigned s)
{
    if (((writes & WD) && at->d != ZERO) || (writes & WDSP)) operands_write(operands, at->d);
    if ((writes & WT2) && at->a != ZERO) operands_write(operands, at->a);
    if ((writes & WS) && s != ZERO) operands_write(operands, s);
    if (writes & WVD) operands_write(operands, ISA_VECTOR + at->d);
    if (writes & WVT2) operands_write(operands, ISA_VECTOR + at->a);
    for (unsigned i = 0; (writes & WVLIST) && i < listed; i++)
        operands_write(operands, ISA_VECTOR + (at->d + i) % 32);
    if (writes & WBASE) operands_write(operands, at->n);
    if (writes & WLINK) operands_write(operands, LINK);
    if (writes & WFLAGS) operands_write(operands, ISA_FLAGS);
}

bool operands_of_a64(struct isa_operands *operands, uint64_t opcode)
{
    const struct operand_rule *rule = operands_rule_a64(opcode);
    if (!rule) return false;
    const uint32_t reads = rule->reads, writes = rule->writes;
    const struct fields at = {opcode >> 5 & 31, opcode >> 16 & 31, opcode & 31, opcode >> 10 & 31};
    const unsigned listed = vectors_of(opcode);
    operands->name = rule->name;
    operands->load = reads & LOAD;
    operands->store = reads & STORE;
    operands->branch = reads & BRANCH;
    operands->system = reads & CSR;
    operands->class = writes & MULTIPLY ? ISA_MULTIPLY
                      : writes & DIVIDE ? ISA_DIVIDE
                      : writes & FLOAT  ? ISA_FLOAT
                                        : ISA_ALU;
    read_integers(operands, &at, reads);
    read_vectors(operands, &at, reads, listed);
    if (reads & FLAGS) operands_read(operands, ISA_FLAGS);
    write_all(operands, &at, writes, listed, at.m);
    operands->updates_base = writes & WBASE;
    if (operands->updates_base) operands->base = (int)at.n;
    return true;
}

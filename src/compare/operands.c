/* SPDX-License-Identifier: MIT */
/* operands.c: what an instruction reads. */
#include "compare/operands.h"

#include <stdio.h>
#include <string.h>

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
#include "compare/riscv.def"
    {0, 0, NULL, 0}};
static const struct operand_rule rvc_rules[] = {
#include "compare/rvc.def"
    {0, 0, NULL, 0}};
static const struct operand_rule aarch64_rules[] = {
#include "compare/aarch64.def"
    {0, 0, NULL, 0}};
#undef RULE

static const struct operand_rule *rule_of(const struct unit *unit, enum isa isa)
{
    if (!(unit->has & UNIT_HAS_OPCODE) || unit->opcode > UINT32_MAX) return NULL;
    uint32_t opcode = (uint32_t)unit->opcode;
    const struct operand_rule *rule = NULL;
    if (isa == ISA_RISCV)
        rule = (opcode & 3) == 3 ? riscv_rules : rvc_rules;
    else if (isa == ISA_AARCH64)
        rule = aarch64_rules;
    for (; rule && rule->name; rule++)
        if ((opcode & rule->mask) == rule->match) return rule;
    return NULL;
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

static void read_name(struct operands *operands, spoor_name name)
{
    if (operands->read_count < READS_MOST && name) operands->reads[operands->read_count++] = name;
}

static void read_riscv(struct operands *operands, uint64_t opcode, uint32_t reads,
                       const struct operand_names *registers)
{
    const spoor_name *x = registers->integer, *f = registers->vector;
    spoor_name first = reads & X1     ? x[bits(opcode, 19, 15)]
                       : reads & CX1  ? x[bits(opcode, 11, 7)]
                       : reads & CX1P ? x[8 + bits(opcode, 9, 7)]
                       : reads & CSP  ? x[2]
                                      : SPOOR_NO_NAME;
    read_name(operands, first);
    if (reads & X2) read_name(operands, x[bits(opcode, 24, 20)]);
    if (reads & CX2) read_name(operands, x[bits(opcode, 6, 2)]);
    if (reads & CX2P) read_name(operands, x[8 + bits(opcode, 4, 2)]);
    if (reads & F1) read_name(operands, f[bits(opcode, 19, 15)]);
    if (reads & F2) read_name(operands, f[bits(opcode, 24, 20)]);
    if (reads & F3) read_name(operands, f[bits(opcode, 31, 27)]);
    if (reads & CF2) read_name(operands, f[bits(opcode, 6, 2)]);
    if (reads & CF2P) read_name(operands, f[8 + bits(opcode, 4, 2)]);
    operands->csr = reads & CSR ? (int)bits(opcode, 31, 20) : -1;
    if (reads & AT_MASK) {
        operands->base = first;
        operands->offset = offset_of(opcode, reads);
        operands->size = reads >> SIZE_SHIFT;
    }
}

static void read_aarch64(struct operands *operands, uint64_t opcode, uint32_t reads,
                         const struct operand_names *registers)
{
    const spoor_name *x = registers->integer, *v = registers->vector;
    unsigned n = bits(opcode, 9, 5), m = bits(opcode, 20, 16);
    unsigned d = bits(opcode, 4, 0), a = bits(opcode, 14, 10);
    if (((reads & N) && n != 31) || (reads & NSP)) read_name(operands, x[n]);
    if ((reads & NSP) && n == 31)
        for (int level = 0; level < 4; level++) read_name(operands, registers->stack[level]);
    if ((reads & M) && m != 31) read_name(operands, x[m]);
    if ((reads & D) && d != 31) read_name(operands, x[d]);
    if ((reads & A) && a != 31) read_name(operands, x[a]);
    if (reads & VN) read_name(operands, v[n]);
    if (reads & VM) read_name(operands, v[m]);
    if (reads & VD) read_name(operands, v[d]);
    if (reads & VA) read_name(operands, v[a]);
    if (reads & FLAGS) read_name(operands, registers->flags);
}

/* ---- disassembly ---- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Instructions whose first operand is a source too. */
static bool reads_first(const char *mnemonic)
{
    static const char *const begins[] = {"st", "s",  "cmp",  "cmn", "tst", "teq", "b",
                                         "cb", "tb", "push", "msr", "mov", "mcr", NULL};
    static const char *const wholes[] = {"sb", "sh", "sw", "sd", "movk", "movt", NULL};
    for (const char *const *whole = wholes; *whole; whole++)
        if (strcmp(mnemonic, *whole) == 0) return true;
    for (const char *const *begin = begins; *begin; begin++)
        if (strlen(*begin) > 1 && strncmp(*begin, "mov", 3) != 0 &&
            strncmp(mnemonic, *begin, strlen(*begin)) == 0)
            return true;
    return false;
}

/* Every register that the operands name, but for the first where it is only written. */
static void read_disassembly(struct operands *operands, const char *text, size_t size, enum isa isa,
                             struct spoor_names *names, const char *mnemonic)
{
    size_t at = 0, operand = 0;
    while (at < size && text[at] == ' ') at++;
    while (at < size && text[at] != ' ' && text[at] != '\t') at++;
    for (size_t begin = at; at < size && text[at] != ';'; begin = at) {
        while (at < size && is_word(text[at])) at++;
        if (at == begin) {
            operand += text[at] == ',';
            at++;
            continue;
        }
        struct register_name name;
        bool numeric = text[begin] >= '0' && text[begin] <= '9';
        bool hashed = begin > 0 && text[begin - 1] == '#';
        if (numeric || hashed || (operand == 0 && !reads_first(mnemonic))) continue;
        register_canonical(text + begin, at - begin, isa, &name);
        if (name.text[0] && !name.zero && name.text[1])
            read_name(operands, spoor_names_intern(names, name.text, strlen(name.text)));
    }
}

void mnemonic_of(const struct unit *unit, const char *text, enum isa isa,
                 char mnemonic[MNEMONIC_MOST])
{
    size_t at = 0, size = 0;
    while (at < unit->text_size && text[at] == ' ') at++;
    for (; at < unit->text_size && text[at] != ' ' && text[at] != '\t'; at++)
        if (size < MNEMONIC_MOST - 1)
            mnemonic[size++] =
                (char)(text[at] >= 'A' && text[at] <= 'Z' ? text[at] | 0x20 : text[at]);
    mnemonic[size] = '\0';
    if (size) return;
    const struct operand_rule *rule = rule_of(unit, isa);
    snprintf(mnemonic, MNEMONIC_MOST, "%s", rule ? rule->name : "unknown");
}

void operands_of(const struct unit *unit, const char *text, enum isa isa, struct spoor_names *names,
                 const struct operand_names *registers, struct operands *operands)
{
    *operands = (struct operands){.csr = -1};
    const struct operand_rule *rule = rule_of(unit, isa);
    if (rule) {
        operands->name = rule->name;
        operands->load = rule->reads & LOAD;
        operands->store = rule->reads & STORE;
        operands->branch = rule->reads & BRANCH;
        operands->system = rule->reads & CSR;
        if (isa == ISA_RISCV)
            read_riscv(operands, unit->opcode, rule->reads, registers);
        else
            read_aarch64(operands, unit->opcode, rule->reads, registers);
        return;
    }
    char mnemonic[MNEMONIC_MOST];
    mnemonic_of(unit, text, isa, mnemonic);
    operands->branch = mnemonic[0] == 'b' || mnemonic[0] == 'j';
    read_disassembly(operands, text, unit->text_size, isa, names, mnemonic);
}

static spoor_name numbered(struct spoor_names *names, char letter, int number)
{
    char text[8];
    int size = snprintf(text, sizeof text, "%c%d", letter, number);
    return spoor_names_intern(names, text, (size_t)size);
}

void operand_names_start(struct operand_names *operands, struct spoor_names *names, enum isa isa)
{
    *operands = (struct operand_names){0};
    bool riscv = isa == ISA_RISCV;
    for (int i = riscv; i < (riscv ? 32 : 31); i++) operands->integer[i] = numbered(names, 'x', i);
    for (int i = 0; i < 32; i++) operands->vector[i] = numbered(names, riscv ? 'f' : 'v', i);
    if (riscv) return;
    operands->integer[31] = spoor_names_intern(names, "sp", 2);
    operands->flags = spoor_names_intern(names, "cpsr", 4);
    for (int i = 0; i < 4; i++) {
        char text[8];
        snprintf(text, sizeof text, "sp_el%d", i);
        operands->stack[i] = spoor_names_intern(names, text, 6);
    }
}

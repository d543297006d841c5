/* SPDX-License-Identifier: MIT */
/*
 * riscv_text.c: RISC-V instructions as text.
 *
 * The name, the registers that are written and read, and the number of a row of riscv.def or
 * rvc.def (The RISC-V Instruction Set Manual, Volume I).
 */
#include "isa/riscv_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/encoding.h"
#include "isa/operands.h"

enum { MAX_TEXT = 80 };

/* Appends `words`; the first follows the name, the others follow commas. */
static void riscv_text_append(char text[MAX_TEXT], const char *words)
{
    const size_t used = strlen(text);
    const char *separator = strchr(text, ' ') ? "," : " ";
    snprintf(text + used, MAX_TEXT - used, "%s%s", separator, words);
}

/* "e32,m1,ta,ma", or a number if it is reserved. */
static void riscv_text_vtype(char words[40], uint64_t number)
{
    const struct isa_vtype vtype = isa_vtype_of(number);
    if (!vtype.known) {
        snprintf(words, 40, "%" PRIu64, number);
        return;
    }
    snprintf(words, 40, "e%u,m%s%u,t%c,m%c", 8U << vtype.sew, vtype.lmul < 0 ? "f" : "",
             1U << (vtype.lmul < 0 ? -vtype.lmul : vtype.lmul), number & 64 ? 'a' : 'u',
             number & 128 ? 'a' : 'u');
}

/* "iorw,iorw": what comes before a fence, and what after it. */
static void riscv_text_order(char words[40], unsigned order)
{
    size_t used = 0;
    for (unsigned side = 0; side < 2; side++) {
        const unsigned bits = side ? order & 15 : order >> 4;
        if (side) words[used++] = ',';
        if (!bits) words[used++] = '0';
        for (unsigned i = 0; i < 4; i++)
            if (bits >> (3 - i) & 1) words[used++] = "iorw"[i];
    }
    words[used] = '\0';
}

/* The numbers of fli (Zfa). */
static const char *const floats[32] = {
    "-1.0",
    "min",
    "1.52587890625e-05",
    "3.0517578125e-05",
    "0.00390625",
    "0.0078125",
    "0.0625",
    "0.125",
    "0.25",
    "0.3125",
    "0.375",
    "0.4375",
    "0.5",
    "0.625",
    "0.75",
    "0.875",
    "1.0",
    "1.25",
    "1.5",
    "1.75",
    "2.0",
    "2.5",
    "3.0",
    "4.0",
    "8.0",
    "16.0",
    "128.0",
    "256.0",
    "32768.0",
    "65536.0",
    "inf",
    "nan",
};

/* The offset and the base of an access or of jalr, a target, or a constant. */
static void riscv_text_number(char text[MAX_TEXT], uint64_t pc, uint32_t opcode, unsigned which,
                              unsigned base)
{
    char words[40];
    const int64_t number = encoding_number(which, opcode);
    switch (which) {
    case NO_NUMBER: return;
    case AT_BASE:
    case IMM_AT: snprintf(words, sizeof words, "(x%u)", base); break;
    case IMM_FLOAT: snprintf(words, sizeof words, "%s", floats[number]); break;
    case IMM_ORDER: riscv_text_order(words, (unsigned)number); break;
    case IMM_V_TYPE:
    case IMM_V_ITYPE: riscv_text_vtype(words, (uint64_t)number); break;
    case TO_J:
    case TO_B:
    case TO_CJ:
    case TO_CB: snprintf(words, sizeof words, "%" PRIx64, pc + (uint64_t)number); break;
    case IMM_U:
    case IMM_SHIFT: snprintf(words, sizeof words, "0x%" PRIx64, (uint64_t)number); break;
    case IMM_I:
    case IMM_C:
    case IMM_C_SPN:
    case IMM_C_16SP:
    case IMM_ROUND:
    case IMM_BYTE:
    case IMM_V:
    case IMM_V_U:
    case IMM_V_ROTATE:
    case IMM_C_SHIFT: snprintf(words, sizeof words, "%" PRId64, number); break;
    default: snprintf(words, sizeof words, "%" PRId64 "(x%u)", number, base);
    }
    riscv_text_append(text, words);
}

/* The number of a control register, and what it is set or changed by: a register or a number. */
static void riscv_text_csr(char text[MAX_TEXT], uint32_t opcode, const char *reads)
{
    char words[40];
    snprintf(words, sizeof words, "0x%x,%s%u", opcode >> 20, *reads ? "x" : "",
             bits_of(opcode, 15, 5));
    riscv_text_append(text, words);
}

/* The orders of an atomic access, which follow its name. */
static const char *riscv_text_ordering(uint32_t opcode)
{
    enum { AMO = 0x2F };
    static const char *const suffixes[] = {"", ".rl", ".aq", ".aqrl"};
    return bits_of(opcode, 0, 7) == AMO ? suffixes[bits_of(opcode, 25, 2)] : "";
}

/* The rounding mode that an opcode states, unless it is that of frm or does not matter. */
static const char *riscv_text_rounding(uint64_t does, uint32_t opcode)
{
    static const char *const modes[] = {"rne", "rtz", "rdn", "rup", "rmm", NULL, NULL, NULL};
    const unsigned mode = bits_of(opcode, 12, 3);
    return mode == 0 && does & EXACT ? NULL : modes[mode];
}

/* Appends the registers of some letters, but for `except`, the link register of c.jalr, and v0,
 * which comes last. */
static void riscv_text_letters(char text[MAX_TEXT], uint32_t opcode, const char *letters,
                               size_t count, const char *except)
{
    for (size_t i = 0; i < count && letters[i]; i++)
        if (letters[i] != 'l' && letters[i] != '0' && (!except || !strchr(except, letters[i]))) {
            char letter = letters[i];
            const struct encoding_table *table = encoding_table_of(ISA_RISCV, false, opcode, 0);
            const unsigned reg = encoding_register(&table->operands[(unsigned char)letter], opcode);
            const bool vector = reg >= ISA_RISCV_VECTOR;
            char name[12];
            snprintf(name, sizeof name, "%c%u",
                     vector             ? 'v'
                     : reg < ISA_VECTOR ? 'x'
                                        : 'f',
                     vector ? reg - ISA_RISCV_VECTOR : reg % ISA_VECTOR);
            riscv_text_append(text, name);
        }
}

/* "cm.push {x1,x8-x9},-48": the registers of a list; the bytes by which the stack moves are those
 * of the registers, of 4 or 8 bytes, which the opcode does not state, rounded up to 16, and more.
 * Only the second part is in the text: "+16". */
static size_t riscv_text_zc(uint32_t opcode, char *text, size_t capacity)
{
    const struct encoding *encoding = encoding_find(&encodings_riscv_zc, opcode);
    const unsigned index = bits_of(opcode, 2, 8), list = bits_of(opcode, 4, 4);
    const unsigned extra = 16 * bits_of(opcode, 2, 2);
    char registers[24] = "x1";
    if (!encoding->name) return 0;
    if (list > 4) strcat(registers, list == 5 ? ",x8" : ",x8-x9");
    if (list == 7) strcat(registers, ",x18");
    if (list > 7)
        snprintf(registers, sizeof registers, "x1,x8-x9,x18-x%u", 18 + list - 7 + (list == 15));
    if (strncmp(encoding->name, "cm.j", 4) == 0)
        snprintf(text, capacity, "%s %u", encoding->name, index);
    else if (strncmp(encoding->name, "cm.mv", 5) == 0)
        snprintf(text, capacity, "%s x%u,x%u", encoding->name,
                 encoding_register(&encodings_riscv_zc.operands['t'], opcode),
                 encoding_register(&encodings_riscv_zc.operands['u'], opcode));
    else
        snprintf(text, capacity, "%s {%s},+%u", encoding->name, registers, extra);
    return 2;
}

size_t riscv_text(uint64_t pc, uint64_t opcode, char *text, size_t capacity)
{
    if (opcode & RISCV_ZC) return riscv_text_zc((uint32_t)opcode, text, capacity);
    const struct encoding_table *table = encoding_table_of(ISA_RISCV, false, opcode, 0);
    const uint32_t bits = (uint32_t)opcode;
    const bool wide = (opcode & 3) == 3;
    if (!table || (!wide && opcode > UINT16_MAX)) return 0;
    const struct encoding *encoding = encoding_find(table, bits);
    const unsigned number = encoding->does & NUMBER_MASK;
    const bool has_base = (number >= AT_BASE && number < TO_J) || number == TO_I ||
                          number == IMM_AT || number == IMM_AT_S;
    if (!encoding->name) return 0;
    char whole[MAX_TEXT];
    snprintf(whole, sizeof whole, "%s%s", encoding->name, riscv_text_ordering(bits));
    const char *except = wide ? encoding->writes : NULL;
    const struct encoding_operand *base = &table->operands[(unsigned char)encoding->reads[0]];
    const unsigned base_number = has_base ? encoding_register(base, bits) : 0;
    riscv_text_letters(whole, bits, encoding->writes, sizeof encoding->writes, NULL);
    if (encoding->does & SYSTEM) {
        riscv_text_csr(whole, bits, encoding->reads);
    } else if (has_base) { /* stored data come before the address, an index after it */
        const char *data = memchr(encoding->reads, ':', sizeof encoding->reads);
        const size_t plain = data ? (size_t)(data - encoding->reads) : strlen(encoding->reads);
        if (data) riscv_text_letters(whole, bits, data + 1, 1, NULL);
        riscv_text_number(whole, pc, bits, number, base_number);
        riscv_text_letters(whole, bits, encoding->reads + 1, plain - 1, except);
    } else {
        const bool immediate = number == IMM_V_ITYPE;
        char words[8];
        snprintf(words, sizeof words, "%u", bits_of(bits, 15, 5));
        if (immediate) riscv_text_append(whole, words);
        riscv_text_letters(whole, bits, encoding->reads, sizeof encoding->reads, except);
        riscv_text_number(whole, pc, bits, number, base_number);
        if (strchr(encoding->reads, '0')) riscv_text_append(whole, "v0");
    }
    enum { OP_V = 0x57, OP_VE = 0x77 };
    const bool rounds = encoding->does & ROUNDS && bits_of(bits, 0, 7) != OP_V;
    const char *mode = rounds ? riscv_text_rounding(encoding->does, bits) : NULL;
    if (mode) riscv_text_append(whole, mode);
    const bool masked = encoding->does & VECTOR && !bits_of(bits, 25, 1) &&
                        bits_of(bits, 0, 7) != OP_VE && !strchr(encoding->reads, '0');
    if (masked) riscv_text_append(whole, "v0.t");
    snprintf(text, capacity, "%s", whole);
    return wide ? 4 : 2;
}

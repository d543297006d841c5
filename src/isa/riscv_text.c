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

enum { MAX_TEXT = 80 };

/* Appends `words`; the first follows the name, the others follow commas. */
static void riscv_text_append(char text[MAX_TEXT], const char *words)
{
    const size_t used = strlen(text);
    const char *separator = strchr(text, ' ') ? "," : " ";
    snprintf(text + used, MAX_TEXT - used, "%s%s", separator, words);
}

static void riscv_text_register(char text[MAX_TEXT], uint32_t opcode, char letter)
{
    const struct encoding_table *table = encoding_table_of(ISA_RISCV, false, opcode, 0);
    const unsigned reg = encoding_register(&table->operands[(unsigned char)letter], opcode);
    char name[8];
    snprintf(name, sizeof name, "%c%u", reg < ISA_VECTOR ? 'x' : 'f', reg % ISA_VECTOR);
    riscv_text_append(text, name);
}

/* The offset and the base of an access or of jalr, a target, or a constant. */
static void riscv_text_number(char text[MAX_TEXT], uint64_t pc, uint32_t opcode, unsigned which,
                              unsigned base)
{
    char words[40];
    const int64_t number = encoding_number(which, opcode);
    switch (which) {
    case NO_NUMBER: return;
    case AT_BASE: snprintf(words, sizeof words, "(x%u)", base); break;
    case TO_J:
    case TO_B:
    case TO_CJ:
    case TO_CB: snprintf(words, sizeof words, "%" PRIx64, pc + (uint64_t)number); break;
    case IMM_U:
    case IMM_SHIFT: snprintf(words, sizeof words, "0x%" PRIx64, (uint64_t)number); break;
    case IMM_I:
    case IMM_C:
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

size_t riscv_text(uint64_t pc, uint64_t opcode, char *text, size_t capacity)
{
    const struct encoding_table *table = encoding_table_of(ISA_RISCV, false, opcode, 0);
    const uint32_t bits = (uint32_t)opcode;
    const bool wide = (opcode & 3) == 3;
    if (!table || (!wide && opcode > UINT16_MAX)) return 0;
    const struct encoding *encoding = encoding_find(table, bits);
    const unsigned number = encoding->does & NUMBER_MASK;
    const bool has_base = (number >= AT_BASE && number < TO_J) || number == TO_I;
    if (!encoding->name) return 0;
    char whole[MAX_TEXT];
    snprintf(whole, sizeof whole, "%s", encoding->name);
    for (const char *letter = encoding->writes; *letter; letter++)
        riscv_text_register(whole, bits, *letter);
    if (encoding->does & SYSTEM)
        riscv_text_csr(whole, bits, encoding->reads);
    else
        for (const char *letter = encoding->reads + has_base; *letter; letter++)
            if (*letter != ':') riscv_text_register(whole, bits, *letter);
    const struct encoding_operand *base = &table->operands[(unsigned char)encoding->reads[0]];
    riscv_text_number(whole, pc, bits, number, has_base ? encoding_register(base, bits) : 0);
    snprintf(text, capacity, "%s", whole);
    return wide ? 4 : 2;
}

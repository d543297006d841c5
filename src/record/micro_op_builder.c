/* SPDX-License-Identifier: MIT */
/* record/micro_op_builder.c: registers, memory operands and micro-ops. */
#include "record/micro_op_builder.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define EFLAGS_READ                                                                      \
    (X86_EFLAGS_TEST_OF | X86_EFLAGS_TEST_SF | X86_EFLAGS_TEST_ZF | X86_EFLAGS_TEST_PF | \
     X86_EFLAGS_TEST_CF | X86_EFLAGS_TEST_AF)
#define EFLAGS_WRITTEN                                                                           \
    (X86_EFLAGS_MODIFY_AF | X86_EFLAGS_MODIFY_CF | X86_EFLAGS_MODIFY_SF | X86_EFLAGS_MODIFY_ZF | \
     X86_EFLAGS_MODIFY_PF | X86_EFLAGS_MODIFY_OF | X86_EFLAGS_RESET_OF | X86_EFLAGS_RESET_CF |   \
     X86_EFLAGS_RESET_SF | X86_EFLAGS_RESET_AF | X86_EFLAGS_RESET_PF | X86_EFLAGS_SET_CF)

/* The registers of each number, in all their widths; x86 encoding order. */
static const uint16_t general[16][5] = {
    {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
    {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
    {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
    {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
    {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_SPL},
    {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_BPL},
    {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_SIL},
    {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_DIL},
    {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_R8B},
    {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, X86_REG_R9B},
    {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, X86_REG_R10B},
    {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, X86_REG_R11B},
    {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_R12B},
    {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, X86_REG_R13B},
    {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, X86_REG_R14B},
    {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, X86_REG_R15B},
};

static bool in_range(unsigned reg, unsigned first, unsigned count)
{
    return reg >= first && reg < first + count;
}

int16_t number_of_register(unsigned reg)
{
    for (int16_t number = 0; number < 16; number++)
        for (size_t width = 0; width < 5; width++)
            if (general[number][width] == reg) return number;
    if (in_range(reg, X86_REG_XMM0, 16)) return (int16_t)(XMM0 + (int)(reg - X86_REG_XMM0));
    if (in_range(reg, X86_REG_YMM0, 16)) return (int16_t)(XMM0 + (int)(reg - X86_REG_YMM0));
    if (in_range(reg, X86_REG_ST0, 8)) return (int16_t)(ST0 + (int)(reg - X86_REG_ST0));
    if (in_range(reg, X86_REG_MM0, 8)) return (int16_t)(ST0 + (int)(reg - X86_REG_MM0));
    return NO_REGISTER;
}

bool is_vector(int16_t number)
{
    return number >= XMM0 && number < TEMP_FLAGS;
}

int16_t register_of(const struct builder *builder, size_t index)
{
    return is_register(builder, index) ? number_of_register(operand(builder, index)->reg)
                                       : NO_REGISTER;
}

/* x87 instructions use other flags, in the same union. */
static bool is_x87(const struct builder *builder)
{
    return builder->name[0] == 'f' && !name_begins(builder, "fx");
}

bool reads_flags(const struct builder *builder)
{
    static const char *const carrying[] = {"adc", "sbb", "rcl", "rcr", "cmc", "lahf"};
    for (size_t i = 0; i < sizeof carrying / sizeof *carrying; i++) /* capstone 4 omits them */
        if (name_begins(builder, carrying[i])) return true;
    return !is_x87(builder) && (builder->x86->eflags & EFLAGS_READ);
}

bool writes_flags(const struct builder *builder)
{
    return !is_x87(builder) && (builder->x86->eflags & EFLAGS_WRITTEN);
}

bool name_begins(const struct builder *builder, const char *prefix)
{
    return strncmp(builder->name, prefix, strlen(prefix)) == 0;
}

bool has_repeat(const struct builder *builder)
{
    const uint8_t prefix = builder->x86->prefix[0];
    return prefix == X86_PREFIX_REP || prefix == X86_PREFIX_REPNE;
}

struct micro_op *add(struct builder *builder, const char *micro, int16_t src1, int16_t src2,
                     int16_t dest)
{
    struct cracked *out = builder->out;
    struct micro_op *op = &out->ops[out->count < MAX_CRACKED ? out->count++ : MAX_CRACKED - 1];
    *op = (struct micro_op){.src1 = src1, .src2 = src2, .dest = dest};
    snprintf(op->micro, sizeof op->micro, "%s", micro);
    return op;
}

struct micro_op *add_immediate(struct builder *builder, const char *micro, int16_t src1,
                               int16_t dest, int64_t immediate)
{
    struct micro_op *op = add(builder, micro, src1, NO_REGISTER, dest);
    op->immediate = immediate;
    return op;
}

void name_operation(const char *name, bool immediate, char micro[MICRO_SIZE])
{
    snprintf(micro, MICRO_SIZE, "%.*s%s", MICRO_SIZE - 5, name, immediate ? "_IMM" : "");
    for (char *at = micro; *at; at++) *at = (char)toupper((unsigned char)*at);
}

struct place find_place(struct builder *builder, size_t index, int16_t temporary)
{
    const cs_x86_op *op = operand(builder, index);
    struct place place = {
        .index = number_of_register(op->mem.index),
        .base = number_of_register(op->mem.base),
        .displacement = op->mem.disp,
        .size = op->size,
    };
    if (op->mem.base != X86_REG_RIP && op->mem.base != X86_REG_EIP) return place;
    add_immediate(builder, "SAVE_PC", NO_REGISTER, temporary, place.displacement);
    place.base = temporary;
    place.displacement = 0;
    return place;
}

struct place find_store_place(struct builder *builder, size_t index, int16_t temporary)
{
    struct place place = find_place(builder, index, temporary);
    if (place.index == NO_REGISTER) return place;
    struct micro_op *lea = add(builder, "LEA", place.index, place.base, temporary);
    lea->immediate = place.displacement;
    return (struct place){.index = NO_REGISTER, .base = temporary, .size = place.size};
}

void add_load(struct builder *builder, const struct place *place, int16_t dest)
{
    struct micro_op *load = add(builder, "LOAD", place->index, place->base, dest);
    load->immediate = place->displacement;
    load->size = place->size;
    load->op = SPOOR_UOP_LOAD;
}

void add_store(struct builder *builder, const struct place *place, int16_t data)
{
    struct micro_op *store = add(builder, "STORE", data, place->base, NO_REGISTER);
    store->immediate = place->displacement;
    store->size = place->size;
    store->op = SPOOR_UOP_STORE;
}

void load_operand(struct builder *builder, size_t index, int16_t dest)
{
    const int16_t temporary = dest == TEMP_LOAD ? TEMP_LOAD : TEMP;
    const struct place place = find_place(builder, index, temporary);
    add_load(builder, &place, dest);
}

int16_t source_of(struct builder *builder, size_t index, int16_t temporary)
{
    if (!is_memory(builder, index)) return register_of(builder, index);
    load_operand(builder, index, temporary);
    return temporary;
}

static bool is_named(const struct builder *builder, const char *name)
{
    const size_t size = strlen(name);
    if (size && name[size - 1] == '*') return strncmp(builder->name, name, size - 1) == 0;
    return strcmp(builder->name, name) == 0;
}

cracking *find_family(const struct builder *builder, const struct family *families, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_named(builder, families[i].name)) return families[i].crack;
    return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * record/crack_generic.c: micro-ops from a disassembled instruction, and cracking in the generic
 * order: load memory operands, operate, store.
 */
#include "record/crack.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- registers and flags ---- */

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

int16_t crack_number_of(unsigned reg)
{
    static const struct {
        uint16_t from, count;
        int16_t first;
    } ranges[] = {{X86_REG_XMM0, 16, XMM0},
                  {X86_REG_YMM0, 16, XMM0},
                  {X86_REG_ST0, 8, ST0},
                  {X86_REG_MM0, 8, ST0}};
    for (int16_t number = 0; number < 16; number++)
        for (size_t width = 0; width < 5; width++)
            if (general[number][width] == reg) return number;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (reg >= ranges[i].from && reg < ranges[i].from + (unsigned)ranges[i].count)
            return (int16_t)(ranges[i].first + (int)(reg - ranges[i].from));
    return NO_REGISTER;
}

int16_t crack_register(const struct builder *builder, size_t index)
{
    return index < x86_operands(builder) && x86_operand(builder, index)->type == X86_OP_REG
               ? crack_number_of(x86_operand(builder, index)->reg)
               : NO_REGISTER;
}

bool crack_on_vectors(const struct builder *builder)
{
    for (size_t i = 0; i < x86_operands(builder); i++) {
        const int16_t number = crack_register(builder, i);
        if (number >= XMM0 && number < TEMP_FLAGS) return true;
    }
    return false;
}

/* x87 instructions use other flags, in the same union. */
static bool crack_is_x87(const struct builder *builder)
{
    return builder->name[0] == 'f' && !crack_name_begins(builder, "fx");
}

static bool crack_reads_flags(const struct builder *builder)
{
    static const char *const carrying[] = {"adc", "sbb", "rcl", "rcr", "cmc", "lahf"};
    for (size_t i = 0; i < sizeof carrying / sizeof *carrying; i++) /* capstone 4 omits them */
        if (crack_name_begins(builder, carrying[i])) return true;
    return !crack_is_x87(builder) && (builder->x86->eflags & EFLAGS_READ);
}

static bool crack_writes_flags(const struct builder *builder)
{
    return !crack_is_x87(builder) && (builder->x86->eflags & EFLAGS_WRITTEN);
}

bool crack_name_begins(const struct builder *builder, const char *prefix)
{
    return strncmp(builder->name, prefix, strlen(prefix)) == 0;
}

/* ---- micro-ops ---- */

struct micro_op *crack_add(struct builder *builder, const char *micro, int16_t src1, int16_t src2,
                           int16_t dest)
{
    struct micro_op_list *out = builder->out;
    struct micro_op *op = &out->ops[out->count < MAX_CRACKED ? out->count++ : MAX_CRACKED - 1];
    *op = (struct micro_op){.src1 = src1, .src2 = src2, .dest = dest};
    snprintf(op->micro, sizeof op->micro, "%s", micro);
    return op;
}

struct micro_op *crack_add_immediate(struct builder *builder, const char *micro, int16_t src1,
                                     int16_t dest, int64_t immediate)
{
    struct micro_op *op = crack_add(builder, micro, src1, NO_REGISTER, dest);
    op->immediate = immediate;
    return op;
}

void crack_name(const char *name, bool immediate, char micro[MICRO_SIZE])
{
    snprintf(micro, MICRO_SIZE, "%.*s%s", MICRO_SIZE - 5, name, immediate ? "_IMM" : "");
    for (char *at = micro; *at; at++) *at = (char)toupper((unsigned char)*at);
}

struct place crack_load_place(struct builder *builder, size_t index, int16_t temporary)
{
    const cs_x86_op *op = x86_operand(builder, index);
    struct place place = {
        .index = crack_number_of(op->mem.index),
        .base = crack_number_of(op->mem.base),
        .displacement = op->mem.disp,
        .size = op->size,
    };
    if (op->mem.base != X86_REG_RIP && op->mem.base != X86_REG_EIP) return place;
    crack_add_immediate(builder, "SAVE_PC", NO_REGISTER, temporary, place.displacement);
    place.base = temporary;
    place.displacement = 0;
    return place;
}

struct place crack_store_place(struct builder *builder, size_t index, int16_t temporary)
{
    struct place place = crack_load_place(builder, index, temporary);
    if (place.index == NO_REGISTER) return place;
    struct micro_op *lea = crack_add(builder, "LEA", place.index, place.base, temporary);
    lea->immediate = place.displacement;
    return (struct place){.index = NO_REGISTER, .base = temporary, .size = place.size};
}

void crack_load(struct builder *builder, const struct place *place, int16_t dest)
{
    struct micro_op *load = crack_add(builder, "LOAD", place->index, place->base, dest);
    load->immediate = place->displacement;
    load->size = place->size;
    load->op = SPOOR_UOP_LOAD;
}

void crack_store(struct builder *builder, const struct place *place, int16_t data)
{
    struct micro_op *store = crack_add(builder, "STORE", data, place->base, NO_REGISTER);
    store->immediate = place->displacement;
    store->size = place->size;
    store->op = SPOOR_UOP_STORE;
}

void crack_load_operand(struct builder *builder, size_t index, int16_t dest)
{
    const int16_t temporary = dest == TEMP_LOAD ? TEMP_LOAD : TEMP;
    const struct place place = crack_load_place(builder, index, temporary);
    crack_load(builder, &place, dest);
}

int16_t crack_source(struct builder *builder, size_t index, int16_t temporary)
{
    if (!is_memory(builder, index)) return crack_register(builder, index);
    crack_load_operand(builder, index, temporary);
    return temporary;
}

/* ---- the generic order ---- */

enum { MAX_SOURCES = 16, MAX_RESULTS = 16 };

/* The registers that an operation reads and writes. */
struct operation {
    int16_t sources[MAX_SOURCES], results[MAX_RESULTS];
    size_t source_count, result_count;
    bool has_immediate;
    int64_t immediate;
};

static void crack_add_number(int16_t *numbers, size_t *count, size_t maximum, int16_t number)
{
    if (number == NO_REGISTER || *count == maximum) return;
    numbers[(*count)++] = number;
}

/* Where capstone does not say it, all operands are read and the first one is written. */
static bool crack_accesses(const struct builder *builder, size_t index, enum cs_ac_type kind)
{
    const uint8_t access = x86_operand(builder, index)->access;
    return access ? (access & kind) != 0 : kind == CS_AC_READ || index == 0;
}

static bool crack_lists(const int16_t *numbers, size_t count, int16_t number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number) return true;
    return false;
}

/* A micro-op has two sources and one result: further sources go through TEMP_CHAIN first, and each
 * further result is another micro-op. */
static void crack_operate(struct builder *builder, const struct operation *operation)
{
    char micro[MICRO_SIZE];
    const bool one_source = operation->source_count < 2;
    /* the traces name a comparison by its operation */
    const char *name = strcmp(builder->name, "cmp") == 0    ? "sub"
                       : strcmp(builder->name, "test") == 0 ? "and"
                                                            : builder->name;
    crack_name(name, operation->has_immediate && one_source, micro);
    int16_t first = operation->source_count ? operation->sources[0] : NO_REGISTER;
    size_t next = 1;
    for (; next + 1 < operation->source_count; next++) {
        crack_add(builder, micro, first, operation->sources[next], TEMP_CHAIN);
        first = TEMP_CHAIN;
    }
    const int16_t second = next < operation->source_count ? operation->sources[next] : NO_REGISTER;
    const size_t results = operation->result_count ? operation->result_count : 1;
    for (size_t i = results; i-- > 0;) {
        const int16_t result = i < operation->result_count ? operation->results[i] : NO_REGISTER;
        struct micro_op *op = crack_add(builder, micro, first, second, result);
        if (operation->has_immediate) op->immediate = operation->immediate;
        if (i == 0 && crack_writes_flags(builder))
            op->op = SPOOR_UOP_WRITES_FLAGS;
        else if (i == 0 && crack_reads_flags(builder))
            op->op = SPOOR_UOP_READS_FLAGS;
    }
}

void crack_generic(struct builder *builder)
{
    struct operation operation = {0};
    size_t memory = 0;
    while (memory < x86_operands(builder) && !is_memory(builder, memory)) memory++;
    const bool has_memory = memory < x86_operands(builder);
    const bool compares = strcmp(builder->name, "cmp") == 0 || strcmp(builder->name, "test") == 0;
    const bool on_vectors = crack_on_vectors(builder);
    const bool stores = has_memory && crack_accesses(builder, memory, CS_AC_WRITE) && !compares;
    const bool loads = has_memory && crack_accesses(builder, memory, CS_AC_READ);
    /* published traces use 44 for a loaded value that goes into a register */
    const int16_t loaded = on_vectors ? TEMP_VECTOR : stores || compares ? TEMP_LOAD : TEMP;
    struct place place = {0};
    if (stores) {
        place = crack_store_place(builder, memory, TEMP);
        if (loads) crack_load(builder, &place, loaded);
    } else if (loads) {
        crack_load_operand(builder, memory, loaded);
    }
    /* The operands in order, memory operands as `loaded`; then the implicit ones. */
    for (size_t i = 0; i < x86_operands(builder); i++) {
        const cs_x86_op *op = x86_operand(builder, i);
        if (op->type == X86_OP_IMM) {
            operation.has_immediate = true;
            operation.immediate = op->imm;
            continue;
        }
        const int16_t number = op->type == X86_OP_MEM ? loaded : crack_register(builder, i);
        if (crack_accesses(builder, i, CS_AC_READ))
            crack_add_number(operation.sources, &operation.source_count, MAX_SOURCES, number);
        if (crack_accesses(builder, i, CS_AC_WRITE) && op->type == X86_OP_REG)
            crack_add_number(operation.results, &operation.result_count, MAX_RESULTS, number);
    }
    const cs_detail *detail = builder->insn->detail;
    for (size_t i = 0; i < detail->regs_read_count; i++) {
        const int16_t number = crack_number_of(detail->regs_read[i]);
        if (!crack_lists(operation.sources, operation.source_count, number))
            crack_add_number(operation.sources, &operation.source_count, MAX_SOURCES, number);
    }
    for (size_t i = 0; i < detail->regs_write_count; i++) {
        const int16_t number = crack_number_of(detail->regs_write[i]);
        if (!crack_lists(operation.results, operation.result_count, number))
            crack_add_number(operation.results, &operation.result_count, MAX_RESULTS, number);
    }
    if (crack_reads_flags(builder) &&
        crack_writes_flags(builder)) { /* first it reads them as data */
        crack_add(builder, "READ_FLAGS", NO_REGISTER, NO_REGISTER, TEMP_FLAGS)->op =
            SPOOR_UOP_READS_FLAGS;
        crack_add_number(operation.sources, &operation.source_count, MAX_SOURCES, TEMP_FLAGS);
    }
    const bool taken = place.base == TEMP; /* by the memory operand, until the store */
    const int16_t result = on_vectors ? TEMP_RESULT : taken ? TEMP_LOAD : TEMP;
    if (stores || compares) {
        operation.result_count = 1;
        operation.results[0] = result;
    }
    crack_operate(builder, &operation);
    if (stores) crack_store(builder, &place, result);
}

cracking *crack_find_family(const struct builder *builder, const struct family *families,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = families[i].name;
        const size_t size = strlen(name) - 1;
        if (name[size] == '*' ? strncmp(builder->name, name, size) == 0
                              : strcmp(builder->name, name) == 0)
            return families[i].crack;
    }
    return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * record/crack_generic.c: crack an instruction in the generic order: load memory operands, operate,
 * store.
 */
#include <string.h>

#include "record/micro_op_builder.h"

enum { MAX_SOURCES = 16, MAX_RESULTS = 16 };

/* The registers that an operation reads and writes. */
struct operation {
    int16_t sources[MAX_SOURCES], results[MAX_RESULTS];
    size_t source_count, result_count;
    bool has_immediate;
    int64_t immediate;
};

static void add_number(int16_t *numbers, size_t *count, size_t maximum, int16_t number)
{
    if (number == NO_REGISTER || *count == maximum) return;
    numbers[(*count)++] = number;
}

static bool reads_operand(const struct builder *builder, size_t index)
{
    const uint8_t access = operand(builder, index)->access;
    return access ? (access & CS_AC_READ) != 0 : true;
}

static bool writes_operand(const struct builder *builder, size_t index)
{
    const uint8_t access = operand(builder, index)->access;
    return access ? (access & CS_AC_WRITE) != 0 : index == 0;
}

static bool lists(const int16_t *numbers, size_t count, int16_t number)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number) return true;
    return false;
}

/* The implicit operands of the instruction. */
static void add_implicit(const struct builder *builder, struct operation *operation)
{
    const cs_detail *detail = builder->insn->detail;
    for (size_t i = 0; i < detail->regs_read_count; i++) {
        const int16_t number = number_of_register(detail->regs_read[i]);
        if (!lists(operation->sources, operation->source_count, number))
            add_number(operation->sources, &operation->source_count, MAX_SOURCES, number);
    }
    for (size_t i = 0; i < detail->regs_write_count; i++) {
        const int16_t number = number_of_register(detail->regs_write[i]);
        if (!lists(operation->results, operation->result_count, number))
            add_number(operation->results, &operation->result_count, MAX_RESULTS, number);
    }
}

/* The operands in order; memory operands are represented by `loaded`. */
static void collect(const struct builder *builder, int16_t loaded, struct operation *operation)
{
    for (size_t i = 0; i < operands(builder); i++) {
        const cs_x86_op *op = operand(builder, i);
        if (op->type == X86_OP_IMM) {
            operation->has_immediate = true;
            operation->immediate = op->imm;
            continue;
        }
        const int16_t number = op->type == X86_OP_MEM ? loaded : register_of(builder, i);
        if (reads_operand(builder, i))
            add_number(operation->sources, &operation->source_count, MAX_SOURCES, number);
        if (writes_operand(builder, i) && op->type == X86_OP_REG)
            add_number(operation->results, &operation->result_count, MAX_RESULTS, number);
    }
    add_implicit(builder, operation);
}

/* The traces name a comparison by its operation. */
static const char *operation_name(const struct builder *builder)
{
    if (strcmp(builder->name, "cmp") == 0) return "sub";
    if (strcmp(builder->name, "test") == 0) return "and";
    return builder->name;
}

/* A micro-op has two sources and one result: further sources go through TEMP_CHAIN first, and each
 * further result is another micro-op. */
static void operate(struct builder *builder, const struct operation *operation)
{
    char micro[MICRO_SIZE];
    const bool one_source = operation->source_count < 2;
    name_operation(operation_name(builder), operation->has_immediate && one_source, micro);
    int16_t first = operation->source_count ? operation->sources[0] : NO_REGISTER;
    size_t next = 1;
    for (; next + 1 < operation->source_count; next++) {
        add(builder, micro, first, operation->sources[next], TEMP_CHAIN);
        first = TEMP_CHAIN;
    }
    const int16_t second = next < operation->source_count ? operation->sources[next] : NO_REGISTER;
    const size_t results = operation->result_count ? operation->result_count : 1;
    for (size_t i = results; i-- > 0;) {
        const int16_t result = i < operation->result_count ? operation->results[i] : NO_REGISTER;
        struct micro_op *op = add(builder, micro, first, second, result);
        if (operation->has_immediate) op->immediate = operation->immediate;
        if (i == 0 && writes_flags(builder))
            op->op = SPOOR_UOP_WRITES_FLAGS;
        else if (i == 0 && reads_flags(builder))
            op->op = SPOOR_UOP_READS_FLAGS;
    }
}

static size_t memory_operand(const struct builder *builder)
{
    size_t index = 0;
    while (index < operands(builder) && !is_memory(builder, index)) index++;
    return index;
}

/* True if the operation is on vectors, which use other temporaries. */
static bool on_vectors(const struct builder *builder)
{
    for (size_t i = 0; i < operands(builder); i++)
        if (is_vector(register_of(builder, i))) return true;
    return false;
}

/* The destination of a comparison: the traces' temporary. */
static bool only_compares(const struct builder *builder)
{
    return strcmp(builder->name, "cmp") == 0 || strcmp(builder->name, "test") == 0;
}

/* The operation's registers: published traces use 44 for a loaded value that goes into a
 * register. */
static int16_t loaded_into(const struct builder *builder, bool stores)
{
    if (on_vectors(builder)) return TEMP_VECTOR;
    return stores || only_compares(builder) ? TEMP_LOAD : TEMP;
}

/* An operation that reads and writes the flags first reads them as data. */
static void set_flags(struct builder *builder, struct operation *operation)
{
    if (!reads_flags(builder) || !writes_flags(builder)) return;
    add(builder, "READ_FLAGS", NO_REGISTER, NO_REGISTER, TEMP_FLAGS)->op = SPOOR_UOP_READS_FLAGS;
    add_number(operation->sources, &operation->source_count, MAX_SOURCES, TEMP_FLAGS);
}

void crack_generic(struct builder *builder)
{
    struct operation operation = {0};
    const size_t memory = memory_operand(builder);
    const bool has_memory = memory < operands(builder);
    const bool stores = has_memory && writes_operand(builder, memory) && !only_compares(builder);
    const bool loads = has_memory && reads_operand(builder, memory);
    const int16_t loaded = loaded_into(builder, stores);
    struct place place = {0};
    if (stores) {
        place = find_store_place(builder, memory, TEMP);
        if (loads) add_load(builder, &place, loaded);
    } else if (loads) {
        load_operand(builder, memory, loaded);
    }
    collect(builder, loaded, &operation);
    set_flags(builder, &operation);
    const bool taken = place.base == TEMP; /* the memory operand needs the temporary until the
                                            * store */
    const int16_t result = on_vectors(builder) ? TEMP_RESULT : taken ? TEMP_LOAD : TEMP;
    if (stores || only_compares(builder)) {
        operation.result_count = 1;
        operation.results[0] = result;
    }
    operate(builder, &operation);
    if (stores) add_store(builder, &place, result);
}

/* SPDX-License-Identifier: MIT */
/*
 * record/micro_op_builder.h: functions that build micro-ops from a disassembled instruction, shared
 * by the files that crack the different families.
 */
#ifndef SPOOR_RECORD_MICRO_OP_BUILDER_H
#define SPOOR_RECORD_MICRO_OP_BUILDER_H

#include <capstone/capstone.h>

#include "record/crack.h"
#include "spoor/record.h"

struct builder {
    const cs_insn *insn;
    const cs_x86 *x86;
    const char *name; /* mnemonic without prefixes, lower case: "add" */
    struct cracked *out;
};

/* Cracks a family of instructions. */
typedef void cracking(struct builder *builder);

/* A memory operand of a micro-op. */
struct place {
    int16_t index, base;
    int64_t displacement;
    uint16_t size;
};

/* ---- queries ---- */
int16_t number_of_register(unsigned reg);
bool is_vector(int16_t number); /* vector, x87 or MMX */
static inline const cs_x86_op *operand(const struct builder *builder, size_t index)
{
    return &builder->x86->operands[index];
}
static inline size_t operands(const struct builder *builder)
{
    return builder->x86->op_count;
}
static inline bool is_memory(const struct builder *builder, size_t index)
{
    return index < operands(builder) && operand(builder, index)->type == X86_OP_MEM;
}
static inline bool is_register(const struct builder *builder, size_t index)
{
    return index < operands(builder) && operand(builder, index)->type == X86_OP_REG;
}
static inline bool is_immediate(const struct builder *builder, size_t index)
{
    return index < operands(builder) && operand(builder, index)->type == X86_OP_IMM;
}
/* Number of a register operand, NO_REGISTER for others. */
int16_t register_of(const struct builder *builder, size_t index);
bool reads_flags(const struct builder *builder);
bool writes_flags(const struct builder *builder);
bool name_begins(const struct builder *builder, const char *prefix);
bool has_repeat(const struct builder *builder);

/* ---- adding; the micro-op is valid until the next is added ---- */
struct micro_op *add(struct builder *builder, const char *micro, int16_t src1, int16_t src2,
                     int16_t dest);
/* The same with an immediate. */
struct micro_op *add_immediate(struct builder *builder, const char *micro, int16_t src1,
                               int16_t dest, int64_t immediate);
/* "NAME" or "NAME_IMM" in upper case: the mnemonic as a micro-op's name. */
void name_operation(const char *name, bool immediate, char micro[MICRO_SIZE]);
/* The memory operand for a load; rip-relative: adds a SAVE_PC into `temporary`. */
struct place find_place(struct builder *builder, size_t index, int16_t temporary);
/* The same for a store, whose first source is the data: an index adds a LEA into `temporary`. */
struct place find_store_place(struct builder *builder, size_t index, int16_t temporary);
void add_load(struct builder *builder, const struct place *place, int16_t dest);
void add_store(struct builder *builder, const struct place *place, int16_t data);
/* Loads operand `index` into `dest`. */
void load_operand(struct builder *builder, size_t index, int16_t dest);
/* The operand as a source: its register, or `temporary` after loading it. */
int16_t source_of(struct builder *builder, size_t index, int16_t temporary);

/* ---- families ---- */
void crack_generic(struct builder *builder);
/* The family of an instruction, or NULL: the generic one. */
cracking *integer_family(const struct builder *builder);
cracking *flow_family(const struct builder *builder);
cracking *string_family(const struct builder *builder);
cracking *vector_family(const struct builder *builder);
cracking *x87_family(const struct builder *builder);

/* A table of families by name; a name that ends in '*' is a prefix. */
struct family {
    const char *name;
    cracking *crack;
};
cracking *find_family(const struct builder *builder, const struct family *families, size_t count);

#endif

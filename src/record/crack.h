/* SPDX-License-Identifier: MIT */
/*
 * record/crack.h: crack an x86-64 instruction into the micro-ops of the CIS501 traces.
 *
 * Cracking depends on the bytes only; the recorder fills in the values of each execution
 * (addresses, whether a branch is taken, indirect targets).  docs/record.md explains every choice.
 */
#ifndef SPOOR_RECORD_CRACK_H
#define SPOOR_RECORD_CRACK_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/events.h"
#include "spoor/error.h"
#include "spoor/record.h"

/* Register numbers of the traces. */
enum {
    NO_REGISTER = -1,
    RAX = 0,
    RCX = 1,
    RDX = 2,
    RBX = 3,
    RSP = 4,
    RBP = 5,
    RSI = 6,
    RDI = 7,
    R11 = 11,
    XMM0 = 16,        /* 16-31: vector registers */
    ST0 = 32,         /* 32-39: x87 stack by distance from its top, or MMX */
    TEMP_FLAGS = 40,  /* flags as data */
    TEMP_CHAIN = 41,  /* between the micro-ops of an operation with many operands */
    TEMP_VECTOR = 42, /* loaded for a vector or x87 operation */
    TEMP_RESULT = 43, /* result of one, to be stored */
    TEMP = 44,        /* also receives results of comparisons */
    TEMP_LOAD = 45,
};

enum { MAX_CRACKED = 32, MICRO_SIZE = 24 };

enum branch {
    BRANCH_NONE,
    BRANCH_CONDITIONAL, /* target known, outcome unknown */
    BRANCH_DIRECT,      /* always to the target */
    BRANCH_INDIRECT,    /* always taken, to a target in a register or memory */
};

struct micro_op {
    int16_t src1, src2, dest;
    uint8_t op;    /* enum spoor_uop_op, without the outcome of a branch */
    uint16_t size; /* LOAD, STORE: bytes; 0: any number */
    int64_t immediate;
    char micro[MICRO_SIZE];
};

struct micro_op_list {
    struct micro_op ops[MAX_CRACKED]; /* a branch is the last */
    size_t count;
    enum branch branch;
    uint64_t target;
    bool skips; /* may have no effect: a repeated instruction with a count of zero, a masked
                 * access */
    char macro[MICRO_SIZE]; /* the mnemonic in upper case, where the traces have no other name */
};

struct cracker;
/* SPOOR_EUSAGE if this build has no disassembler: the message names the package. */
enum spoor_status cracker_open(struct cracker **cracker, struct spoor_error *error);
void cracker_close(struct cracker *cracker);
/* Always produces at least one micro-op: bytes that are not a known instruction become one
 * UNKNOWN. */
void crack(struct cracker *cracker, const struct instruction *instruction,
           struct micro_op_list *cracked);

/* ---- for the files that crack the families: micro-ops from a disassembled instruction ---- */

struct builder {
    const cs_insn *insn;
    const cs_x86 *x86;
    const char *name; /* mnemonic without prefixes, lower case: "add" */
    struct micro_op_list *out;
};

/* A memory operand of a micro-op. */
struct place {
    int16_t index, base;
    int64_t displacement;
    uint16_t size;
};

static inline const cs_x86_op *x86_operand(const struct builder *builder, size_t index)
{
    return &builder->x86->operands[index];
}
static inline size_t x86_operands(const struct builder *builder)
{
    return builder->x86->op_count;
}
static inline bool is_memory(const struct builder *builder, size_t index)
{
    return index < x86_operands(builder) && x86_operand(builder, index)->type == X86_OP_MEM;
}
static inline bool is_immediate(const struct builder *builder, size_t index)
{
    return index < x86_operands(builder) && x86_operand(builder, index)->type == X86_OP_IMM;
}
int16_t crack_number_of(unsigned reg);
/* Number of a register operand, NO_REGISTER for others. */
int16_t crack_register(const struct builder *builder, size_t index);
/* True if an operand is a vector, x87 or MMX register. */
bool crack_on_vectors(const struct builder *builder);
bool crack_name_begins(const struct builder *builder, const char *prefix);

/* "NAME" or "NAME_IMM" in upper case: the mnemonic as a micro-op's name. */
void crack_name(const char *name, bool immediate, char micro[MICRO_SIZE]);

/* The micro-op that these add is valid until the next is added. */
struct micro_op *crack_add(struct builder *builder, const char *micro, int16_t src1, int16_t src2,
                           int16_t dest);
struct micro_op *crack_add_immediate(struct builder *builder, const char *micro, int16_t src1,
                                     int16_t dest, int64_t immediate);
/* The memory operand for a load; rip-relative: adds a SAVE_PC into `temporary`. */
struct place crack_load_place(struct builder *builder, size_t index, int16_t temporary);
/* The memory operand for a store, whose first source is the data: an index adds a LEA into
 * `temporary`. */
struct place crack_store_place(struct builder *builder, size_t index, int16_t temporary);
void crack_load(struct builder *builder, const struct place *place, int16_t dest);
void crack_store(struct builder *builder, const struct place *place, int16_t data);
/* Loads operand `index` into `dest`. */
void crack_load_operand(struct builder *builder, size_t index, int16_t dest);
/* The operand as a source: its register, or `temporary` after loading it. */
int16_t crack_source(struct builder *builder, size_t index, int16_t temporary);

/* Cracks a family of instructions. */
typedef void cracking(struct builder *builder);
/* In the generic order: load memory operands, operate, store. */
void crack_generic(struct builder *builder);
/* The family of an instruction, or NULL: another's. */
cracking *crack_integer_family(const struct builder *builder);
cracking *crack_vector_family(const struct builder *builder);

/* A table of families by name; a name that ends in '*' is a prefix. */
struct family {
    const char *name;
    cracking *crack;
};
cracking *crack_find_family(const struct builder *builder, const struct family *families,
                            size_t count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * instruction.h: cracks an instruction into the operations that a machine executes.
 *
 * An instruction is cracked as x86 processors and the micro-ops of the CIS501 course do it: one
 * operation for each load, one for the computation or branch, one for each store, and one that
 * moves the base of an address.  Operations that the instruction does not need are left out.
 */
#ifndef SPOOR_PIPELINE_INSTRUCTION_H
#define SPOOR_PIPELINE_INSTRUCTION_H

#include "spoor/pipeline.h"

enum {
    INSTRUCTION_ACCESSES = 64,
    INSTRUCTION_OPERANDS = 40,
    /* maximum for one instruction: its accesses, the computation, the moving base, and extra
     * operations that combine sources or copy results */
    INSTRUCTION_OPERATIONS = 4 * INSTRUCTION_ACCESSES,
};

struct instruction_access {
    uint64_t address;
    bool store, placed; /* placed: the trace states the address */
};
/* Register numbers are those of the pipeline model. */
struct instruction_registers {
    uint8_t items[INSTRUCTION_OPERANDS];
    uint8_t count;
};

struct instruction {
    uint64_t pc;
    uint32_t length;
    uint8_t kind;     /* enum spoor_operation_class of the computation */
    bool is_known;    /* the opcode is known: it determines `reads`, `writes`, `kind` and `base` */
    bool is_unplaced; /* the trace states no pc: there is nothing to fetch */
    bool reads_flags, writes_flags;
    bool states_load, states_store; /* the opcode states a load or store, even if the trace states
                                     * no access */
    uint8_t data_count;             /* store: number of the last reads that are its data */
    uint8_t base; /* the base register that an access moves, or SPOOR_NO_REGISTER */
    struct instruction_registers reads, writes; /* without the flags and the instruction pointer */
    struct instruction_access accesses[INSTRUCTION_ACCESSES];
    unsigned access_count;
    bool has_branch;
    struct spoor_branch branch;
};

/* Begins an instruction of which only the pc is known. */
void instruction_begin(struct instruction *instruction, uint64_t pc, uint32_t length);
void instruction_read(struct instruction *instruction, uint8_t reg);
void instruction_write(struct instruction *instruction, uint8_t reg);
/* Adds an access; false if the instruction already has the maximum. */
bool instruction_access(struct instruction *instruction, struct instruction_access access);
/* Writes its operations, at most INSTRUCTION_OPERATIONS, to `to`; returns their number. */
size_t instruction_crack(const struct instruction *instruction, struct spoor_operation *to);

#endif

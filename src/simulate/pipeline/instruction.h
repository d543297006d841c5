/* SPDX-License-Identifier: MIT */
/*
 * instruction.h: from an instruction, with what is known of it, to the operations that a machine
 * executes.
 *
 * An instruction is cracked as x86 processors and the micro-ops of the CIS501 course do it: an
 * operation for each load, one that computes or branches, one for each store, one that moves the
 * base of an address.  What the instruction does not need is left out.
 */
#ifndef SPOOR_PIPELINE_INSTRUCTION_H
#define SPOOR_PIPELINE_INSTRUCTION_H

#include "spoor/pipeline.h"

enum {
    INSTRUCTION_ACCESSES = 64,
    INSTRUCTION_OPERANDS = 40,
    /* Of one instruction: its accesses, what computes, what moves the base, and operations that
     * only gather sources or spread results; a bound. */
    INSTRUCTION_OPERATIONS = 4 * INSTRUCTION_ACCESSES,
};

struct instruction_access {
    uint64_t address;
    bool store, placed; /* placed: the trace states the address */
};
/* Registers are the pipeline's. */
struct instruction_registers {
    uint8_t items[INSTRUCTION_OPERANDS];
    uint8_t count;
};

struct instruction {
    uint64_t pc;
    uint32_t length;
    uint8_t kind;     /* enum spoor_operation_class, of what computes */
    bool is_known;    /* its opcode: `reads`, `writes`, `kind` and `base` are by that */
    bool is_unplaced; /* no pc is stated: there is nothing to fetch */
    bool reads_flags, writes_flags;
    bool says_load, says_store; /* the opcode does, whether or not the trace states an access */
    uint8_t data_count;         /* of a store: so many of the last reads are what it stores */
    uint8_t base;               /* a register that moves with an access, or SPOOR_NO_REGISTER */
    struct instruction_registers reads, writes; /* without flags and instruction pointer */
    struct instruction_access accesses[INSTRUCTION_ACCESSES];
    unsigned access_count;
    bool has_branch;
    struct spoor_branch branch;
};

/* An instruction of which only the place is known. */
void instruction_begin(struct instruction *instruction, uint64_t pc, uint32_t length);
void instruction_read(struct instruction *instruction, uint8_t reg);
void instruction_write(struct instruction *instruction, uint8_t reg);
/* An access; false: it has as many as it can have. */
bool instruction_access(struct instruction *instruction, struct instruction_access access);
/* Put its operations, INSTRUCTION_OPERATIONS at most, at `to`; gives how many. */
size_t instruction_crack(const struct instruction *instruction, struct spoor_operation *to);

#endif

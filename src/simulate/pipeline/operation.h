/* SPDX-License-Identifier: MIT */
/*
 * operation.h: converts the records of any trace to the micro-ops that machines execute.
 *
 * A micro-op record is one operation.  An instruction record is cracked (instruction.c).  Its
 * opcode determines what it reads and writes, else the registers that the trace states beside it
 * do.  Its accesses are those that the trace states.  The type of its branch is found as in
 * `branch`: it depends on the next instruction, so an instruction waits for the next one of its
 * processor.  An instruction whose condition fails passes through the machine without effect.  A
 * repeated instruction record (SPOOR_INSN_AGAIN) is not another instruction.  In a trace that has
 * only branches, the instructions between them are operations without properties.
 */
#ifndef SPOOR_PIPELINE_OPERATION_H
#define SPOOR_PIPELINE_OPERATION_H

#include "isa/operands.h"
#include "spoor/pipeline.h"
#include "views/branches.h"

/* ---- instruction.c ---- */

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
/* Writes its operations, at most INSTRUCTION_OPERATIONS, to `to`; returns their number.  `whole`:
 * as few as its accesses and its branch allow. */
size_t instruction_crack(const struct instruction *instruction, bool whole,
                         struct spoor_operation *to);

/* ---- operation.c ---- */

/* Counts of what the trace states, and of what was left out because it does not. */
struct operation_counts {
    uint64_t instructions;        /* instructions that are not micro-ops */
    uint64_t unknown;             /* those of them with an unknown opcode */
    uint64_t registers_read;      /* registers stated for those */
    uint64_t flows, typed;        /* records of branches; branches whose type is known */
    uint64_t placed, addressless; /* accesses with an address; accesses implied by opcodes, without
                                   * an address */
    uint64_t unplaced, skipped;   /* instructions without a pc; those of them that are too many to
                                   * simulate */
    uint64_t foreign_registers;   /* registers that are not modelled */
    uint64_t accesses;            /* accesses without a preceding instruction */
};

/* The pipeline's numbers of the registers that a trace names.  Initialise it with zeros. */
struct stated_registers {
    uint8_t *numbers;      /* indexed by name: 1 + number; 0: none assigned yet */
    uint8_t given;         /* numbers assigned to names that no instruction set has */
    uint8_t stack_pointer; /* as the stream's special registers state */
    uint64_t foreign;      /* number of names for which no number was left */
    bool failed;           /* memory ran out */
};

/* The state of a processor: the instruction that waits for its successor. */
struct held_instruction {
    bool holds, skipped;
    bool has_instructions; /* it has had an instruction */
    bool is_thumb;         /* it has had T32 opcodes of two bytes */
    bool has_pending;
    bool warms;                  /* what is held is of the warm-up */
    struct spoor_branch pending; /* a branch of an instruction that may follow */
    struct instruction instruction;
};

struct operations {
    struct spoor_operation *items;
    size_t count, capacity;
    struct held_instruction *
        *held; /* indexed by name of the processor; NULL: it has had no record */
    size_t held_count;
    spoor_name last_cpu; /* processor of the last instruction that began */
    struct spoor_branches branches;
    struct stated_registers stated;
    bool failed;          /* memory ran out */
    bool whole;           /* set by the caller: instructions are not cracked */
    bool states_branches; /* the trace states of each instruction whether it is a branch */
    struct operation_counts missing;
    size_t warmed;    /* operations of the warm-up that were held when it ended */
    uint8_t *opcodes; /* indexed by name: the properties of an opcode, enum opcode */
};

/* Appends the operations of records [first, last) of a batch; `owners`, unless NULL: of those alone
 * whose owner is `own`. */
void operations_add(struct operations *operations, const struct spoor_batch *batch, size_t first,
                    size_t last, const uint32_t *owners, uint32_t own);
/* The warm-up ends: the instructions that are held are its last. */
void operations_end_warmup(struct operations *operations);
/* Appends the held instructions at the end of the trace. */
void operations_end(struct operations *operations);
void operations_free(struct operations *operations);

#endif

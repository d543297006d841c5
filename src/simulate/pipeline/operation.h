/* SPDX-License-Identifier: MIT */
/*
 * operation.h: from records of any trace to the micro-ops that machines execute.
 *
 * A micro-op record is one operation.  An instruction record is cracked (instruction.h): what it
 * reads and writes is by its opcode, else by the registers that the trace states beside it; its
 * accesses are those that the trace states; what branch it is, is found as `branch` finds it.  What
 * comes after it in the trace decides, so it waits for the next instruction of its processor.  An
 * instruction whose condition fails goes through the machine and does nothing; one that is told
 * again (SPOOR_INSN_AGAIN) is not another one.  In a trace of branches alone, the instructions
 * between them are operations of which nothing is known.
 */
#ifndef SPOOR_PIPELINE_OPERATION_H
#define SPOOR_PIPELINE_OPERATION_H

#include "simulate/pipeline/instruction.h"
#include "simulate/pipeline/stated.h"
#include "views/branches.h"

/* What the trace states, and what was left out because it does not state it. */
struct operations_missing {
    uint64_t instructions;        /* that are no micro-ops */
    uint64_t unknown;             /* of these, whose opcode says nothing */
    uint64_t registers_read;      /* stated beside those */
    uint64_t flows, typed;        /* records of branches; branches whose kind is known */
    uint64_t placed, addressless; /* accesses with an address; accesses that opcodes say, without */
    uint64_t unplaced, skipped;   /* instructions without pc; of these, too many to simulate */
    uint64_t foreign_registers;   /* registers that are not modelled */
    uint64_t accesses;            /* accesses that belong to no instruction before them */
};

/* What waits on a processor. */
struct held {
    bool holds, skipped;
    bool has_instructions; /* it has had one */
    bool is_thumb;         /* it has had T32 opcodes of two bytes */
    bool has_pending;
    struct spoor_branch pending; /* of an instruction that may follow */
    struct instruction instruction;
};

struct operations {
    struct spoor_operation *items;
    size_t count, capacity;
    struct held **held; /* by name of the processor; NULL: it has had nothing */
    size_t held_count;
    spoor_name last_cpu; /* of the last instruction that began */
    struct spoor_branches branches;
    struct stated_registers stated;
    bool failed;          /* memory ran out */
    bool states_branches; /* the trace states of each instruction whether it is a branch */
    struct operations_missing missing;
    uint8_t *opcodes; /* what an opcode says, by name: enum opcode */
};

/* Append the operations of records [first, last) of a batch. */
void operations_add(struct operations *operations, const struct spoor_batch *batch, size_t first,
                    size_t last);
/* The trace has ended: append what was held. */
void operations_end(struct operations *operations);
void operations_free(struct operations *operations);

/* The class that an opcode or a mnemonic names. */
enum spoor_operation_class operation_class_of(const char *word, size_t size);

#endif

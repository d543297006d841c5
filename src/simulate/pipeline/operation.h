/* SPDX-License-Identifier: MIT */
/*
 * operation.h: from records of any trace with instructions to the micro-ops that machines execute.
 *
 * A micro-op record is one operation.  An instruction record (Tarmac, Trace Matcher) becomes one
 * operation for itself and its first access, and one for each further access; what is behind it in
 * the trace decides (its accesses, whether the next pc follows), so it waits for its successor.  An
 * instruction whose condition fails goes through the machine as well, and does nothing; one that is
 * told again (SPOOR_INSN_AGAIN) is not another one.
 */
#ifndef SPOOR_PIPELINE_OPERATION_H
#define SPOOR_PIPELINE_OPERATION_H

#include "spoor/pipeline.h"

/* What was left out because the trace does not say it. */
struct operations_missing {
    uint64_t instructions; /* instructions without registers, opcode classes, untaken branches */
    uint64_t foreign_registers; /* registers outside 0 to 49 */
    uint64_t accesses;          /* accesses that belong to no instruction before them */
};

struct operations {
    struct spoor_operation *items;
    size_t count, room;
    struct spoor_operation held; /* an instruction whose successor is not yet known */
    bool holds, held_accessed;
    uint16_t held_cpu;
    bool failed; /* memory ran out */
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

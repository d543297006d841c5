/* SPDX-License-Identifier: MIT */
/*
 * uop.h: micro-ops in the views: their references and branches.
 *
 * The single definition for views from batches of records and for projections, which read records
 * while they are in the cache and then discard them.
 */
#ifndef SPOOR_VIEWS_UOP_H
#define SPOOR_VIEWS_UOP_H

#include "spoor/view.h"

enum { UOP_LONGEST_INSTRUCTION = 15 /* bytes; micro-ops are of x86 instructions */ };

/* True if it is the first micro-op of its macro-op, and so counts as an instruction. */
static inline bool uop_begins(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    if (record->has & SPOOR_IS_SPILLED) return spoor_uop_of(batch, index).step == 1;
    return record->uop.step == 1;
}

/* The bytes of an instruction whose next one begins so far from its pc; 0: that is no size. */
static inline uint32_t uop_size(uint64_t length)
{
    return length <= UOP_LONGEST_INSTRUCTION ? (uint32_t)length : 0;
}

/* The fetch of the macro-op that UOP record `index` begins. */
static inline struct spoor_reference uop_fetch(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_uop *uop = &record->uop;
    uint64_t length = (uint64_t)(int64_t)uop->fall;
    if (record->has & SPOOR_IS_SPILLED) {
        const struct spoor_uop_full full = spoor_uop_of(batch, index);
        length = full.fall - full.pc;
    }
    return (struct spoor_reference){
        .address = uop->pc,
        .pc = uop->pc,
        .size = uop_size(length),
        .op = SPOOR_REFERENCE_FETCH,
        .has = SPOOR_REFERENCE_HAS_PC,
    };
}

/* Writes the references of UOP record `index`, at most two, to `at`; returns the new end. */
static inline struct spoor_reference *
uop_put_references(struct spoor_reference *at, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_uop *uop = &record->uop;
    if (uop_begins(batch, index)) *at++ = uop_fetch(batch, index);
    if (record->op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
        *at++ = (struct spoor_reference){
            .address = uop->address,
            .pc = uop->pc,
            .op = (record->op & SPOOR_UOP_LOAD) ? SPOOR_REFERENCE_READ : SPOOR_REFERENCE_WRITE,
            .has = SPOOR_REFERENCE_HAS_PC,
        };
    return at;
}

/* A cache of the branch properties of opcodes, by their names' ids.  Zeroed, it is empty; release
 * with free(says). */
struct uop_opcodes {
    uint8_t *says;
    size_t capacity;
};

static inline bool uop_is_branch(const struct spoor_record *record)
{
    return record->op & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN);
}

static inline bool uop_is_conditional(const struct spoor_record *record)
{
    return record->op & SPOOR_UOP_READS_FLAGS;
}

/* The branch of UOP record `index`, without its gap; false if memory runs out.  `names`: the table
 * of its opcodes. */
bool uop_tell_branch(struct spoor_branch *branch, struct uop_opcodes *opcodes,
                     const struct spoor_names *names, const struct spoor_batch *batch,
                     size_t index);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * formats/branch/branch.h: the branches of records, for branch-trace formats.
 *
 * In a trace with instructions, the branches are those of the view of branches, which decodes
 * opcodes and waits for the next instruction if that shows the outcome.  In other traces, each FLOW
 * record is a branch, and a micro-op is one if its Branch field states it.
 */
#ifndef SPOOR_FORMATS_BRANCH_BRANCH_H
#define SPOOR_FORMATS_BRANCH_BRANCH_H

#include "formats/format.h"
#include "spoor/view.h"

struct branch {
    uint64_t pc, target; /* target: 0 if unknown */
    uint64_t pc_pa, target_pa;
    uint8_t type; /* enum spoor_flow_type */
    bool taken;
    bool has_pc_pa, has_target_pa;
    uint8_t size; /* bytes of the instruction; 0: unknown */
    uint64_t gap; /* instructions since the previous branch, this one included; at least 1.  The
                   * number before the first branch of a slice is unknown: an implausible gap there
                   * counts as 1 */
};

/* The view of branches, record by record: zero at the start of a trace. */
struct branch_finder {
    struct spoor_branches branches;  /* of the last record; those of earlier ones are gone */
    const struct spoor_batch *batch; /* that the view has begun */
    uint64_t batch_first;            /* the first record of that batch */
};
/* Shows the view record `index`; false if memory runs out. */
bool branch_finder_add(struct branch_finder *view, const struct spoor_batch *batch, size_t index);
/* The trace has ended: the branches that had no successor to wait for. */
bool branch_finder_end(struct branch_finder *view);

/* Counts instructions through the records of a trace: zero at its start. */
struct branch_count {
    uint64_t index;    /* of the last record: instructions so far, including it */
    uint64_t last;     /* instructions up to the last branch, included */
    uint64_t left_out; /* gaps of branches that were skipped, added to the next one */
    uint64_t sum;      /* sum of the gaps of branches that were written */
    bool waits;        /* a branch waits for its target: */
    struct branch waiting;
    spoor_name cpu; /* of the waiting one */

    /* A trace with instructions: */
    struct branch_finder view;
    size_t given;    /* number of the view's items already returned */
    uint64_t handed; /* instructions of the view up to the last of them */
    bool has_given;  /* one ever was */
};

/* The next record does not directly follow the last one: drop a waiting branch. */
void branch_lost(struct branch_count *count);
/* True if record `index` is the target of a waiting branch, which is then stored in *branch.  Call
 * it before branch_of(). */
bool branch_arrived(const struct spoor_batch *batch, size_t index, struct branch_count *count,
                    struct branch *branch);
/* True if record `index` is a branch; either way its instructions are counted. */
enum branch_found {
    BRANCH_NONE,
    BRANCH_FOUND,
    BRANCH_WAITS /* for branch_arrived(); if another branch waits first, or after branch_lost(), it
                  * is dropped */
};
enum branch_found branch_of(const struct spoor_batch *batch, size_t index,
                            struct branch_count *count, struct branch *branch);
/* The trace has ended: the next branch that had no successor to wait for; false: no more. */
bool branch_ended(struct branch_count *count, struct branch *branch);
/* Releases its memory. */
void branch_count_free(struct branch_count *count);
#endif

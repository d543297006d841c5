/* SPDX-License-Identifier: MIT */
/*
 * formats/branch/branch.h: which branch a record is, for formats that carry branches.
 *
 * In a trace with instructions, branches are those of the view of branches, which knows opcodes and
 * waits for the next instruction where that tells what a branch did.  In others FLOW records are
 * branches by themselves, and a micro-op is one where its Branch field says so.
 */
#ifndef SPOOR_FORMATS_BRANCH_BRANCH_H
#define SPOOR_FORMATS_BRANCH_BRANCH_H

#include "formats/format.h"
#include "spoor/view.h"

struct branch {
    uint64_t pc, target; /* target: 0 where it is not known */
    uint64_t pc_pa, target_pa;
    uint8_t type; /* enum spoor_flow_type */
    bool taken;
    bool has_pc_pa, has_target_pa;
    uint8_t size; /* bytes of the instruction; 0: not known */
    uint64_t gap; /* instructions since the branch before, this one counted; at least 1.  Before the
                   * first branch of a slice nothing is known: a gap there that no program begins
                   * with counts as 1 */
};

/* Counts instructions through the records of a trace: zero at its start. */
struct branch_count {
    uint64_t index;    /* of the last record: instructions so far, it counted */
    uint64_t last;     /* the same at the last branch */
    uint64_t left_out; /* gaps of branches that were left out, for the next one's */
    uint64_t sum;      /* of the gaps of branches that were not */
    bool waits;        /* for its target: */
    struct branch waiting;
    spoor_name cpu; /* of the waiting one */

    /* A trace with instructions: */
    struct spoor_branches view;
    const struct spoor_batch *batch; /* that the view has begun, */
    uint64_t batch_first;            /* and its first record */
    size_t given;                    /* items of the view that were handed out */
    uint64_t handed;                 /* instructions of the view up to the last of them */
    bool has_given;                  /* one ever was */
};

/* What is looked at next does not succeed what was: a branch that waits is left out. */
void branch_lost(struct branch_count *count);
/* Whether record `index` is the instruction that a waiting branch went to, which *branch is then.
 * To be asked before branch_of(). */
bool branch_arrived(const struct spoor_batch *batch, size_t index, struct branch_count *count,
                    struct branch *branch);
/* Whether record `index` is a branch; either way its instructions are counted. */
enum branch_found {
    BRANCH_NONE,
    BRANCH_FOUND,
    BRANCH_WAITS /* for branch_arrived(); until then it is left out, and for good where another
                  * waits first, or with branch_lost() */
};
enum branch_found branch_of(const struct spoor_batch *batch, size_t index,
                            struct branch_count *count, struct branch *branch);
/* The trace has ended: the next branch that had no successor to wait for; false: no more. */
bool branch_ended(struct branch_count *count, struct branch *branch);
/* Release what it has. */
void branch_count_free(struct branch_count *count);
#endif

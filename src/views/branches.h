/* SPDX-License-Identifier: MIT */
/*
 * branches.h: the branches and memory references of a trace, record by record, for callers that
 * need the instruction of each branch, or the record of each reference.
 *
 * The functions of branches do the work of spoor_branches_add() in steps, with the same result: a
 * record appends at most two branches.
 */
#ifndef SPOOR_VIEWS_BRANCHES_H
#define SPOOR_VIEWS_BRANCHES_H

#include "isa/register.h"
#include "spoor/view.h"

/* Begins a batch.  After a gap this appends the branches that waited for their successors.  False
 * if memory runs out.
 */
bool branches_begin(struct spoor_branches *branches, const struct spoor_batch *batch);
/* Appends the branches of record `index` of the batch; false if memory runs out.  A caller that
 * sets `count` to 0 in between has capacity for the whole batch. */
bool branches_add_record(struct spoor_branches *branches, const struct spoor_batch *batch,
                         size_t index);
/* The instruction set of the trace, if known. */
enum isa branches_isa(const struct spoor_branches *branches);

/* Appends the references of record `index`, with the options all zero; false if memory runs out. */
bool references_add_record(struct spoor_references *references, const struct spoor_batch *batch,
                           size_t index);

#endif

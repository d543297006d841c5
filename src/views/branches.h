/* SPDX-License-Identifier: MIT */
/*
 * branches.h: the branches of a trace, record by record, for those who must know which instruction
 * a branch belongs to.
 *
 * What spoor_branches_add() does with a whole batch is done here in steps, with the same result: a
 * record appends at most two branches.
 */
#ifndef SPOOR_VIEWS_BRANCHES_H
#define SPOOR_VIEWS_BRANCHES_H

#include "isa/register.h"
#include "spoor/view.h"

/* A batch begins.  After a gap this appends what waited for its successor.  False without memory.
 */
bool branches_begin(struct spoor_branches *branches, const struct spoor_batch *batch);
/* Append what record `index` of the batch tells; false without memory.  Whoever sets `count` to 0
 * in between has capacity for the whole batch. */
bool branches_add_record(struct spoor_branches *branches, const struct spoor_batch *batch,
                         size_t index);
/* The instruction set of the trace, as far as it is known. */
enum isa branches_isa(const struct spoor_branches *branches);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * projection.h: what is decoded in place of records.
 *
 * A tool that needs only a view has no use for records of 64 bytes that are read once and thrown
 * away.  A format that can (struct spoor_format's `projects`) decodes straight into the view: with
 * the same content, the same count of records and the same faults as by way of records.
 *
 * What was decoded lies in batch->view, a struct by kind of projection.  batch->records is not
 * filled then, but batch->count says how many records there are.
 */
#ifndef SPOOR_VIEWS_PROJECTION_H
#define SPOOR_VIEWS_PROJECTION_H

#include "spoor/view.h"
#include "views/bus.h"

enum projection_kind {
    PROJECT_REFERENCES, /* struct reference_view */
    PROJECT_ACCOUNT,    /* struct account, of account.h */
    PROJECT_BRANCHES,   /* struct branch_view */
};

struct projection {
    enum projection_kind kind;
    struct spoor_reference_options options; /* PROJECT_REFERENCES */
    struct bus_references bus;              /* what its selection says */
};

/* As spoor_references_add() gives them, but for what the batch before says, which the reader puts
 * in: with pc_by_order, the pc of accesses before the first fetch. */
struct reference_view {
    size_t count;
    size_t unled;  /* so many come before the first fetch, by which their pc is to be known */
    bool led;      /* there is such a fetch: */
    uint64_t lead; /* the pc of the last one */
    struct spoor_reference items[];
};

/* As spoor_branches_add() gives them, but that the reader adds to the first one's gap the
 * instructions that the batch before ended with. */
struct branch_view {
    size_t count;
    uint64_t instructions;
    uint32_t before; /* instructions up to the first branch, its own counted */
    uint32_t behind; /* instructions behind the last branch, all where there is none */
    struct spoor_branch items[];
};

/* Room for `size` bytes of view; NULL without memory, and the batch is marked out_of_memory. */
void *projection_reserve(struct spoor_batch *batch, size_t size);

/* Room for `count` references or branches; NULL as above, else an empty view. */
struct reference_view *projection_reserve_references(struct spoor_batch *batch, size_t count);
struct branch_view *projection_reserve_branches(struct spoor_batch *batch, size_t count);

/* A decoder of records has decoded some into the batch, where they are record 0 and so on: the
 * first of them is record `index` of the trace's batch, of which only faults are kept.  Counts on
 * batch->count being what the decoder left, and leaves it at 0. */
void projection_move_faults(struct spoor_batch *batch, size_t faults_before, size_t index);

#endif

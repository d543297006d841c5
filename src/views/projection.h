/* SPDX-License-Identifier: MIT */
/*
 * projection.h: projections: views decoded without records.
 *
 * A tool that needs only a view would read records of 64 bytes once and discard them.  A format
 * with a projection (struct spoor_format's `projects`) decodes directly into the view: with the
 * same content, the same count of records and the same faults as through records.
 *
 * The result lies in batch->view, a struct by kind of projection.  batch->records is not filled
 * then, but batch->count is the number of records.
 */
#ifndef SPOOR_VIEWS_PROJECTION_H
#define SPOOR_VIEWS_PROJECTION_H

#include "spoor/view.h"
#include "views/bus.h"

enum projection_kind {
    PROJECT_REFERENCES, /* struct reference_view */
    PROJECT_STATS,      /* struct stats, of stats.h */
    PROJECT_DIGEST,     /* records, and in batch->view what `digest` makes of them */
};

struct projection {
    enum projection_kind kind;
    struct spoor_reference_options options; /* PROJECT_REFERENCES */
    struct bus_references bus;              /* by its selection */
    /* PROJECT_DIGEST: called by the thread that decoded the records, which refer to `names` and
     * have nothing of the batches before; batch->records stays as it is. */
    void (*digest)(struct spoor_batch *batch, const struct spoor_names *names);
};

/* As from spoor_references_add(), except for values that depend on the previous batch, which the
 * reader fills in: with pc_by_order, the pc of accesses before the first fetch. */
struct reference_view {
    size_t count;
    size_t unled;  /* number of accesses before the first fetch, whose pc is unknown here */
    bool led;      /* there is a fetch: */
    uint64_t lead; /* the pc of the last one */
    struct spoor_reference items[];
};

/* Ensures capacity for `size` bytes of view; NULL if memory runs out: the batch is then marked
 * out_of_memory. */
void *projection_reserve(struct spoor_batch *batch, size_t size);

/* Ensures capacity for `count` references; NULL as above, else an empty view. */
struct reference_view *projection_reserve_references(struct spoor_batch *batch, size_t count);

/* A decoder has put some records into the batch, from record 0 on.  The first of them is record
 * `index` of the trace's batch, which keeps only the faults.  Expects batch->count as the decoder
 * left it, and sets it to 0. */
void projection_move_faults(struct spoor_batch *batch, size_t faults_before, size_t index);

#endif

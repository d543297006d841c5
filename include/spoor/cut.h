/* SPDX-License-Identifier: MIT */
/*
 * cut.h: a slice of a trace: the records that lie in ranges of number, time and pc, on one cpu, and
 * fit an expression.
 */
#ifndef SPOOR_CUT_H
#define SPOOR_CUT_H

#include "batch.h"
#include "select.h"

/* Both ends included. */
struct spoor_span {
    bool given;
    uint64_t first, last;
};

/* A record is selected if it fits everything that is given. */
struct spoor_cut_options {
    struct spoor_span records; /* ordinals, from 0 */
    /* Absolute time in the trace's own unit.  A record without a stamp has the time of the last
     * one; before the first stamp nothing is selected. */
    struct spoor_span time;
    /* Virtual pc.  What an instruction did (register writes, accesses, events, ...) follows it in
     * the trace and belongs to it, per cpu; notes belong to nothing. */
    struct spoor_span pc;
    /* A name as printed, or an analyser's agent as a number; NULL: any.  A record that names none
     * belongs to the cpu named last. */
    const char *cpu;
    const struct spoor_select *where; /* NULL: all */
};

struct spoor_cut;

/* A cut through one trace; NULL without memory.  What `options` points at must outlive it.  The
 * caller frees. */
struct spoor_cut *spoor_cut_new(const struct spoor_cut_options *options);
void spoor_cut_free(struct spoor_cut *cut);

/* Take a batch in; batches come in order. */
enum spoor_status spoor_cut_feed(struct spoor_cut *cut, const struct spoor_batch *batch,
                                 struct spoor_error *error);
/* The next run of selected records of the batch fed last: *from .. *to - 1, behind *to.  Start with
 * *to = 0; false: no more. */
bool spoor_cut_run(const struct spoor_cut *cut, size_t *from, size_t *to);
/* No record behind those fed can be selected. */
bool spoor_cut_done(const struct spoor_cut *cut);
/* Records selected so far. */
uint64_t spoor_cut_selected(const struct spoor_cut *cut);

#endif

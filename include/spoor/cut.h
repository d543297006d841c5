/* SPDX-License-Identifier: MIT */
/*
 * cut.h: a slice of a trace: the records that lie in ranges of number, time and pc, belong to one
 * cpu and match an expression.
 */
#ifndef SPOOR_CUT_H
#define SPOOR_CUT_H

#include "batch.h"
#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A condition on a number; it holds from `first` to `last`, both included. */
struct spoor_span {
    bool given; /* else the condition holds for every record */
    uint64_t first, last;
};

/* A record is selected if it meets every condition that is given. */
struct spoor_cut_options {
    size_t struct_size;        /* sizeof this struct */
    struct spoor_span records; /* ordinals, from 0 */
    /* Absolute time in the trace's own unit.  A record without a time stamp has the time of the
     * last one; before the first stamp nothing is selected. */
    struct spoor_span time;
    /* Virtual pc.  The effects of an instruction (register writes, accesses, events, ...) follow it
     * in the trace and belong to it, per cpu; notes belong to no instruction. */
    struct spoor_span pc;
    /* A name as printed, or the agent number of a logic analyser; NULL: any.  A record that names
     * no cpu belongs to the cpu named last. */
    const char *cpu;
    const struct spoor_select *where; /* NULL: all */
};

struct spoor_cut;

/* On SPOOR_OK the caller owns *cut: a cut of one trace.  Everything that `options` points at must
 * outlive it. */
enum spoor_status spoor_cut_new(struct spoor_cut **cut, const struct spoor_cut_options *options,
                                struct spoor_error *error);
void spoor_cut_free(struct spoor_cut *cut);

/* Batches were passed over before the next one, because nothing in them can be selected: an index
 * says so.  `cpu` is the cpu named last in them, a name of `names`, the names of the stream (NULL:
 * they name none); `timed`: a record before the next batch states a time.  Not for a cut by pc. */
void spoor_cut_skip(struct spoor_cut *cut, struct spoor_names *names, const char *cpu, bool timed);
/* Selects records of a batch; call it with the batches in order. */
enum spoor_status spoor_cut_feed(struct spoor_cut *cut, const struct spoor_batch *batch,
                                 struct spoor_error *error);
/* The next range of selected records of the last batch: *from .. *to - 1, searched from *to on.
 * Start with *to = 0; false: no more. */
bool spoor_cut_run(const struct spoor_cut *cut, size_t *from, size_t *to);
/* Copies the records of the last batch to `records`, which may be those of the batch: each record
 * that is not selected becomes a note of its place (SPOOR_NOTE_LEFT_OUT), so that the selected ones
 * keep their numbers and lines.  One that names no cpu is given that of the trace.  The notes state
 * what is missing: of instructions the flow, or, with `state`, of all records the state; of the
 * records of other cpus than `options->cpu` nothing. */
void spoor_cut_mask(struct spoor_cut *cut, const struct spoor_batch *batch,
                    struct spoor_record *records, bool state);
/* True if no later record can be selected. */
bool spoor_cut_done(const struct spoor_cut *cut);
/* Number of records selected so far. */
uint64_t spoor_cut_selected(const struct spoor_cut *cut);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * fold.h: run the fold of a plug-in (plugin.h) over a trace: a question of one's own, whose
 * options, results and table are the plug-in's.
 */
#ifndef SPOOR_FOLD_H
#define SPOOR_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_fold;

struct spoor_fold_options {
    size_t struct_size;                /* sizeof this struct */
    const struct spoor_stream *stream; /* of the trace: spoor_reader_stream() */
    const char *spec;                  /* of a fold; see component.h */
};

/* On SPOOR_OK the caller owns *fold; else `error` has a message.  Here and below SPOOR_EUSAGE has a
 * sentence of the plug-in, after the name of its file. */
enum spoor_status spoor_fold_new(struct spoor_fold **fold, const struct spoor_fold_options *options,
                                 struct spoor_error *error);
void spoor_fold_free(struct spoor_fold *fold);
/* Adds a batch; batches come in order. */
enum spoor_status spoor_fold_feed(struct spoor_fold *fold, const struct spoor_batch *batch,
                                  struct spoor_error *error);
/* The trace has ended: asks the plug-in for its results. */
enum spoor_status spoor_fold_end(struct spoor_fold *fold, struct spoor_error *error);
/* The accesses, branches and instructions that the fold was given. */
uint64_t spoor_fold_count(const struct spoor_fold *fold);
/* Fills an object: `fold` (the spec), `references`, `branches` and `instructions` (those that the
 * fold was given, of the kinds that it takes), `results` (an object of what the plug-in names) and
 * `rows` (its table). */
enum spoor_status spoor_fold_report(const struct spoor_fold *fold, struct spoor_result *result);

#ifdef __cplusplus
}
#endif

#endif

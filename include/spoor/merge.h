/* SPDX-License-Identifier: MIT */
/*
 * merge.h: several traces of one format joined by time.
 *
 * Records come in the order of their absolute time; at the same time, in the order of the inputs.
 * Within one input the order never changes: a record without a stamp, or with one that goes back,
 * follows the record before it.  One batch of each input is in memory.
 *
 * A delta (BYU) is computed anew from the absolute times; the first record keeps its own.  Bytes
 * behind the last whole record of a binary input cannot stand in the middle of the result and are
 * left out.
 */
#ifndef SPOOR_MERGE_H
#define SPOOR_MERGE_H

#include "batch.h"

/* Where an input's batches come from: spoor_reader_next() or a function around it. */
struct spoor_merge_input {
    enum spoor_status (*next)(void *context, const struct spoor_batch **batch,
                              struct spoor_error *error);
    void *context;
    const struct spoor_stream *stream;
};

struct spoor_merge;

/* Start joining `count` inputs, whose array must outlive the merge.  Fails with a sentence where
 * they are not of one format, or of one without time.  On SPOOR_OK the caller owns *merge. */
enum spoor_status spoor_merge_open(struct spoor_merge **merge,
                                   const struct spoor_merge_input *inputs, size_t count,
                                   struct spoor_error *error);
/* The next joined batch, valid until the next call; SPOOR_END; or an error.  Inputs whose times
 * have different units are an error (SPOOR_EUSAGE). */
enum spoor_status spoor_merge_next(struct spoor_merge *merge, const struct spoor_batch **batch,
                                   struct spoor_error *error);
/* Records left out so far: trailing bytes. */
uint64_t spoor_merge_left_out(const struct spoor_merge *merge);
void spoor_merge_close(struct spoor_merge *merge);

#endif

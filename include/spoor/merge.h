/* SPDX-License-Identifier: MIT */
/*
 * merge.h: merge several traces of one format by time.
 *
 * Records come in the order of their absolute time; at the same time, in the order of the inputs.
 * Within one input the order never changes: a record without a time stamp, or with one that goes
 * back, follows the previous record.  One batch of each input is in memory.
 *
 * A delta (BYU) is recomputed from the absolute times; the first record keeps its own.  Bytes after
 * the last whole record of a binary input cannot lie in the middle of the result and are left out.
 */
#ifndef SPOOR_MERGE_H
#define SPOOR_MERGE_H

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The source of an input's batches: spoor_reader_next() or a function around it. */
struct spoor_merge_input {
    enum spoor_status (*next)(void *context, const struct spoor_batch **batch,
                              struct spoor_error *error);
    void *context;
    const struct spoor_stream *stream;
    const char *cpu; /* not NULL: the name of the processor of all its records but notes, in place
                      * of what it prints.  Their lines are then written anew, from their fields */
};

struct spoor_merge;

/* Starts merging `count` inputs, whose array must outlive the merge.  Fails with a message if they
 * are not of one format, if the format has no time, or no processors although one is named.  On
 * SPOOR_OK the caller owns *merge. */
enum spoor_status spoor_merge_open(struct spoor_merge **merge,
                                   const struct spoor_merge_input *inputs, size_t count,
                                   struct spoor_error *error);
/* The next merged batch, valid until the next call; SPOOR_END; or an error.  Inputs whose times
 * have different units are an error (SPOOR_EUSAGE). */
enum spoor_status spoor_merge_next(struct spoor_merge *merge, const struct spoor_batch **batch,
                                   struct spoor_error *error);
/* The same for a writer, without copying records: the next run of records is `from` to `to` - 1 of
 * a batch, which is an input's own where its lines can be copied, else a merged batch.  Valid until
 * the next call. */
struct spoor_merge_run {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    const struct spoor_batch *batch;
    size_t from, to;
};
enum spoor_status spoor_merge_next_run(struct spoor_merge *merge, struct spoor_merge_run *run,
                                       struct spoor_error *error);
/* Number of records left out so far: trailing bytes. */
uint64_t spoor_merge_left_out(const struct spoor_merge *merge);
void spoor_merge_close(struct spoor_merge *merge);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * basic_counts.h: the counts that DynamoRIO's tool of this name prints, of each thread and of all.
 *
 * Instructions that were fetched, iterations that were not, distinct addresses of instructions,
 * accesses, prefetches, flushes and markers by kind.  Markers count that DynamoRIO shows to its
 * tools: not the ordinal at the begin of a chunk, and not the timestamp and cpu after it, which
 * repeat those before.
 */
#ifndef SPOOR_CLI_BASIC_COUNTS_H
#define SPOOR_CLI_BASIC_COUNTS_H

#include "spoor/batch.h"
#include "spoor/result.h"

struct basic_counts;

/* NULL if memory runs out. */
struct basic_counts *basic_counts_new(void);
void basic_counts_free(struct basic_counts *counts);
/* Adds a batch; call it with the batches in order.  False if memory runs out. */
bool basic_counts_feed(struct basic_counts *counts, const struct spoor_batch *batch);
/* Adds `total`, and `threads`, an array. */
void basic_counts_report(const struct basic_counts *counts, const struct spoor_stream *stream,
                         struct spoor_result *result);

#endif

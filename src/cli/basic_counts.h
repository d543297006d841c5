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

#include "cli/cli.h"

/* Counts one trace; its result, `total` and `threads`, goes to `all` unless that is NULL.  Returns
 * the exit code. */
int mix_like_basic_counts(const struct settings *settings, const char *path, bool *shown,
                          struct spoor_result *all);

#endif

/* SPDX-License-Identifier: MIT */
/* warm_index.h: --warmup-index: fills caches with the lines of the records between simpoints. */
#ifndef SPOOR_CLI_WARM_INDEX_H
#define SPOOR_CLI_WARM_INDEX_H

#include "cli/cli.h"
#include "spoor/cache.h"

/* Before a simpoint and its warm-up: accesses each line of memory that the index of the trace
 * states for each segment since the simpoint before, and counts nothing.  An index is made if there
 * is none.  Returns the exit code. */
int warm_by_index(const struct settings *settings, const char *path,
                  struct spoor_cache_system *system);

#endif

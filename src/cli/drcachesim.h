/* SPDX-License-Identifier: MIT */
/*
 * drcachesim.h: the cache simulator of DynamoRIO, with its defaults.
 *
 * Four cores have a first-level cache each for instructions and for data (32 KiB, 8 ways); a last
 * level of 8 MiB with 16 ways is shared.  Lines have 64 bytes, replacement is LRU, writes allocate
 * and count as reads.  An access in several lines is a request for each.  A demand miss in a data
 * cache prefetches the next line.  A thread runs on the core with the fewest threads when its first
 * access or instruction comes, until it exits; or on the core of the cpu that the trace states.
 */
#ifndef SPOOR_CLI_DRCACHESIM_H
#define SPOOR_CLI_DRCACHESIM_H

#include "cli/cli.h"

struct drcachesim_choice {
    const struct settings *common;
    bool by_cpu; /* cores are cpus of the trace */
};
/* Simulates one trace, as a trace_runner; its context is such a choice. */
int cache_like_drcachesim(const void *context, const char *path, bool *shown,
                          struct spoor_result *all);

#endif

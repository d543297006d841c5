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

#include "spoor/batch.h"
#include "spoor/result.h"

struct drcachesim;

/* `by_cpu`: cores are cpus of the trace.  NULL if memory runs out. */
struct drcachesim *drcachesim_new(bool by_cpu);
void drcachesim_free(struct drcachesim *simulator);
/* Adds a batch; call it with the batches in order.  False if memory runs out. */
bool drcachesim_feed(struct drcachesim *simulator, const struct spoor_batch *batch);
/* Adds `caches`, an array: those of cores that ran a thread, then the last level. */
void drcachesim_report(const struct drcachesim *simulator, struct spoor_result *result);

#endif

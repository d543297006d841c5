/* SPDX-License-Identifier: MIT */
/*
 * sweep.h: many sizes, ways and blocks of one cache, in one pass.
 *
 * For LRU a stack for each set holds the misses of every number of ways at once, and where a block
 * stands on top of its stack it does so for every larger number of sets: all-associativity
 * simulation (Mattson et al. 1970; Hill and Smith 1989).  Other policies are simulated side by
 * side.  Misses equal those of cache.h for each cache by itself.
 */
#ifndef SPOOR_SWEEP_H
#define SPOOR_SWEEP_H

#include "error.h"
#include "result.h"
#include "view.h"

/* Powers of two from `first` to `last`, both included. */
struct spoor_sweep_range {
    uint64_t first, last;
};
struct spoor_sweep_options {
    struct spoor_sweep_range size, ways, block; /* bytes, ways, bytes */
    const char *policy;                         /* spoor_cache_policy_name(); NULL: "lru" */
    unsigned takes;                             /* enum spoor_cache_takes; 0: all */
    uint32_t unknown_size;
    uint64_t seed;
};

/* Fill the ranges from "size=1K:1M,ways=1:16,block=64[,policy=fifo][,takes=data]"; what is not said
 * is size=1K:1M,ways=1:16,block=64.  SPOOR_EUSAGE with a sentence where it makes no sense. */
enum spoor_status spoor_sweep_parse(struct spoor_sweep_options *options, const char *words,
                                    struct spoor_error *error);

struct spoor_sweep;

enum spoor_status spoor_sweep_new(struct spoor_sweep **sweep,
                                  const struct spoor_sweep_options *options,
                                  struct spoor_error *error);
void spoor_sweep_free(struct spoor_sweep *sweep);
/* False without memory. */
bool spoor_sweep_feed(struct spoor_sweep *sweep, const struct spoor_reference *references,
                      size_t count);

/* One cache of the sweep.  Caches of fewer than one set are left out. */
struct spoor_sweep_cache {
    uint64_t size, ways, block;
    uint64_t accesses, fetch_misses, read_misses, write_misses, misses;
};
size_t spoor_sweep_count(const struct spoor_sweep *sweep);
struct spoor_sweep_cache spoor_sweep_at(const struct spoor_sweep *sweep, size_t index);
/* Fill an object: `sweep`, an array of caches by block, size and ways. */
void spoor_sweep_report(const struct spoor_sweep *sweep, struct spoor_result *result);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * sweep.h: simulate many sizes, ways and block sizes of one cache in one pass.
 *
 * For LRU, one stack for each set gives the misses of every number of ways at once, and a block on
 * top of its stack is on top for every larger number of sets too: all-associativity simulation
 * (Mattson et al. 1970; Hill and Smith 1989).  For other policies the caches are simulated side by
 * side.  The misses equal those of cache.h for each cache alone.
 */
#ifndef SPOOR_SWEEP_H
#define SPOOR_SWEEP_H

#include "component.h"
#include "error.h"
#include "result.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Powers of two from `first` to `last`, both included. */
struct spoor_sweep_range {
    uint64_t first, last;
};
struct spoor_sweep_options {
    size_t struct_size;                         /* sizeof this struct */
    struct spoor_sweep_range size, ways, block; /* bytes, ways, bytes */
    char policy[SPOOR_COMPONENT_SPEC];          /* "": lru */
    unsigned takes;                             /* enum spoor_cache_takes; 0: all */
    uint32_t unknown_size;                      /* as in spoor_cache_options */
    uint64_t seed;                              /* as in spoor_cache_options */
    uint64_t memory; /* bytes that they may take in this machine's memory; 0: half of what it has */
    bool shared;     /* caches of all cpus are meant: the report does not say that they are */
};

/* Fills the ranges from "size=1K..1M,ways=1..16,block=64[,policy=fifo][,takes=data]"; the defaults
 * are size=1K..1M,ways=1..16,block=64.  SPOOR_EUSAGE with a message if `words` is invalid. */
enum spoor_status spoor_sweep_parse(struct spoor_sweep_options *options, const char *words,
                                    struct spoor_error *error);

struct spoor_sweep;

/* On SPOOR_OK the caller owns *sweep.  SPOOR_EUSAGE with a message: an unknown policy, a range that
 * is none, or the caches take more memory than is allowed. */
enum spoor_status spoor_sweep_new(struct spoor_sweep **sweep,
                                  const struct spoor_sweep_options *options,
                                  struct spoor_error *error);
void spoor_sweep_free(struct spoor_sweep *sweep);
/* Adds references; then the trace ends. */
enum spoor_status spoor_sweep_feed(struct spoor_sweep *sweep,
                                   const struct spoor_reference *references, size_t count,
                                   struct spoor_error *error);
/* A warm-up ends: the contents of all caches stay, and their counts are zero again. */
void spoor_sweep_end_warmup(struct spoor_sweep *sweep);
enum spoor_status spoor_sweep_end(struct spoor_sweep *sweep, struct spoor_error *error);

/* Fills an object: `sweep`, an array of caches by block, size and ways, without those of fewer than
 * one set; and, where fetches make them known, the instructions and each cache's misses per 1,000
 * of them. */
enum spoor_status spoor_sweep_report(const struct spoor_sweep *sweep, struct spoor_result *result);

#ifdef __cplusplus
}
#endif

#endif

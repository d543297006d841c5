/* SPDX-License-Identifier: MIT */
/*
 * misses.h: the accesses and misses of simulated caches over the records of a trace, for the
 * timeline.
 *
 * A thread reads the whole trace once.  It counts by bins of equally many records, at most 65,536,
 * so memory does not grow with the trace.  Bins can be read while it counts.
 */
#ifndef SPOOR_SERVE_MISSES_H
#define SPOOR_SERVE_MISSES_H

#include "spoor/cache.h"
#include "spoor/reader.h"

enum { MISS_BINS = 1 << 16 };

struct miss_bin {
    uint64_t accesses, misses;
};
struct misses;

/* Starts to simulate two caches of one design "SIZE,WAYS,BLOCK[,key=value...]", one for
 * instructions and one for data.  `path` and `records`, those of the trace, stay valid.  On
 * SPOOR_OK the caller owns *made; reading->threads 1: it has counted all, without a thread;
 * SPOOR_EUSAGE: the design is wrong. */
enum spoor_status misses_start(struct misses **made, const char *path,
                               const struct spoor_reader_options *reading, uint64_t records,
                               const char *design, struct spoor_error *error);
/* Stops the thread, and frees.  NULL is allowed. */
void misses_end(struct misses *misses);

/* The design that it was started with. */
const char *misses_design(const struct misses *misses);
/* Records in a bin. */
uint64_t misses_step(const struct misses *misses);
/* Records that are counted; *ended: no more are to come.  NULL, or why counting failed. */
uint64_t misses_counted(const struct misses *misses, bool *ended,
                        const struct spoor_error **failed);
/* The sum over the counted bins that begin at a record in [from, to). */
struct miss_bin misses_between(const struct misses *misses, uint64_t from, uint64_t to);

#endif

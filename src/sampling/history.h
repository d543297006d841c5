/* SPDX-License-Identifier: MIT */
/*
 * history.h: the records of a gap between two intervals that caches and predictors remember.
 *
 * A cache with LRU replacement has, after any accesses, the blocks that were used last: of each
 * line of memory, only the last use in the gap matters.  An interval that follows the last uses, in
 * their order, begins with the same contents in caches of every size and associativity whose blocks
 * are lines or larger, and in TLBs (the memory timestamp record of Barr, Pan, Zhang, Asanovic:
 * Accelerating Multiprocessor Simulation with a Memory Timestamp Record, ISPASS 2005).  The last
 * write of each line is kept, too, so that lines are modified that were.  Below a first level, and
 * with another policy, the contents are nearly the same.
 *
 * A predictor learns from each branch and from their order: all of them can be kept.
 *
 * Of micro-ops only: the branches of other records are known by the instruction that follows.
 */
#ifndef SPOOR_SAMPLING_HISTORY_H
#define SPOOR_SAMPLING_HISTORY_H

#include "base/hash_map.h"
#include "spoor/batch.h"

/* Zeroed, it is empty. */
struct history {
    bool branches;         /* keep all branches */
    struct hash_map lines; /* the last use of each line since the gap began */
    uint64_t *kept;        /* records, in order once the gap has ended */
    size_t count, capacity;
};

/* Forgets the gap before. */
void history_begin(struct history *history);
/* Adds records `from` to `to` - 1 of a batch of micro-ops; false if memory runs out. */
bool history_feed(struct history *history, const struct spoor_batch *batch, size_t from, size_t to);
/* The gap has ended: puts the kept records in order, each once; false if memory runs out. */
bool history_end(struct history *history);
void history_free(struct history *history);

#endif

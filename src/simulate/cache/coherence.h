/* SPDX-License-Identifier: MIT */
/*
 * coherence.h: MESI between the caches of several cpus (Papamarcos and Patel 1984).
 *
 * A dirty line is modified; a clean one is shared where another cpu's cache held the block when it
 * was brought in, else exclusive.  A write has all other cpus' caches give the block up; a read
 * that misses has the one that modified it write it down.  A cache remembers what it lost so, and
 * which bytes others wrote since: a miss on such a block is true sharing where it asks for one of
 * those bytes, else false sharing (Eggers and Jeremiassen 1991, at the moment of the miss).  Bytes
 * are told apart in units of 1/32 of a block.
 */
#ifndef SPOOR_SIMULATE_CACHE_COHERENCE_H
#define SPOOR_SIMULATE_CACHE_COHERENCE_H

#include "simulate/cache/cache.h"

struct sharing {
    struct cache **others; /* the caches that hold data for other cpus only, from the top down */
    size_t other_count;
    struct block_map lost; /* block to the units that others wrote since */
};

enum sharing_miss { SHARING_NONE, SHARING_TRUE, SHARING_FALSE };

#endif

/* SPDX-License-Identifier: MIT */
/*
 * coherence.h: MESI between the caches of several cpus (Papamarcos and Patel 1984).
 *
 * A dirty line is modified; a clean one is shared if another cpu's cache held the block when it was
 * filled, else exclusive.  A write invalidates the block in all other cpus' caches; a read miss
 * makes the cache that modified the block write it back.  A cache stores which blocks were
 * invalidated, and which of their bytes other cpus wrote since: a miss on such a block is true
 * sharing if it accesses one of those bytes, else false sharing (Eggers and Jeremiassen 1991, at
 * the moment of the miss).  The granularity is 1/32 of a block.
 */
#ifndef SPOOR_SIMULATE_CACHE_COHERENCE_H
#define SPOOR_SIMULATE_CACHE_COHERENCE_H

#include "base/hash_map.h"
#include "simulate/cache/cache.h"

struct sharing {
    struct cache **others; /* the caches with data of other cpus only, from the top down */
    size_t other_count;
    struct hash_map lost; /* block to the units that others wrote since */
};

enum sharing_miss { SHARING_NONE, SHARING_TRUE, SHARING_FALSE };

#endif

/* SPDX-License-Identifier: MIT */
/*
 * classify.h: the classes of misses (Hill 1987; Hill and Smith 1989): compulsory: the bytes were
 * never accessed; conflict: a fully associative cache of the same size would hit; capacity: all
 * others.  The fully associative cache uses FIFO replacement if the cache does, else LRU.
 *
 * Most accesses hit in both caches and only update a time in the fully associative one.  The least
 * recently used block is determined only for an eviction (classify.c).
 */
#ifndef SPOOR_SIMULATE_CACHE_CLASSIFY_H
#define SPOOR_SIMULATE_CACHE_CLASSIFY_H

#include "base/hash_map.h"
#include "simulate/cache/block_map.h"

enum miss_class { MISS_COMPULSORY, MISS_CAPACITY, MISS_CONFLICT };

struct shadow_node {
    uint64_t block;
    uint64_t time;  /* of the last access */
    uint32_t valid; /* sub-blocks */
};
/* A node at the time when the list was made. */
struct shadow_rank {
    uint64_t time;
    uint32_t node;
};
struct shadow {
    struct shadow_node *nodes;
    struct shadow_rank *ranks; /* the oldest, oldest first; and as many to sort them */
    uint32_t size, used, ranked;
    uint32_t next; /* next rank to examine; FIFO: node */
    uint64_t now;
    bool fifo, failed;
    /* Every accessed block: `value`, the sub-blocks ever accessed; `place`, its node plus one, or
     * 0. */
    struct hash_map blocks;
};

/* A fully associative cache of `blocks` blocks; NULL if memory runs out. */
struct shadow *shadow_new(uint32_t blocks, bool fifo);
void shadow_free(struct shadow *shadow);
/* An access that allocates its block (without `allocate`: only updates a present one).  If it
 * `missed` in the other cache, returns the class of the miss.  `hint`, unless NULL, is set to the
 * block's position. */
enum miss_class shadow_access(struct shadow *shadow, uint64_t block, uint32_t mask, bool allocate,
                              bool missed, uint32_t *hint);

/* An access that hit in the other cache, to a block with all sub-blocks; `hint` is its last
 * position. */
static inline void shadow_touch(struct shadow *shadow, uint64_t block, uint32_t *hint)
{
    struct shadow_node *node = &shadow->nodes[*hint];
    if (node->block == block)
        node->time = ++shadow->now;
    else
        shadow_access(shadow, block, 1, true, false, hint);
}

#endif

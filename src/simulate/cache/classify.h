/* SPDX-License-Identifier: MIT */
/*
 * classify.h: why did it miss (Hill 1987; Hill and Smith 1989): compulsory, the bytes were never
 * asked for; conflict, a fully associative cache of the same size would have hit; capacity, the
 * rest.  The fully associative cache replaces first in, first out where the cache does, else least
 * recently used.
 *
 * Most accesses hit in both caches: all that they leave in the fully associative one is the time.
 * Which block was used least recently is asked only where one has to go (classify.c).
 */
#ifndef SPOOR_SIMULATE_CACHE_CLASSIFY_H
#define SPOOR_SIMULATE_CACHE_CLASSIFY_H

#include "simulate/cache/block_map.h"

enum miss_class { MISS_COMPULSORY, MISS_CAPACITY, MISS_CONFLICT };

struct shadow_node {
    uint64_t block;
    uint64_t time;  /* of the last access */
    uint32_t valid; /* sub-blocks */
};
/* A node as it was when the list was made. */
struct shadow_rank {
    uint64_t time;
    uint32_t node;
};
struct shadow {
    struct shadow_node *nodes;
    struct shadow_rank *ranks; /* the oldest, oldest first */
    uint32_t size, used, ranked;
    uint32_t next; /* rank to look at; FIFO: node */
    uint64_t now;
    bool fifo, failed;
    /* Every block that was asked for: `value`, the sub-blocks ever asked for; `place`, its node
     * plus one, or 0. */
    struct block_map blocks;
};

/* A fully associative cache of so many blocks; NULL without memory. */
struct shadow *shadow_new(uint32_t blocks, bool fifo);
void shadow_free(struct shadow *shadow);
/* An access that brings its block in (or, without `allocate`, only where it is there already), and
 * that `missed` in the other cache or did not: why, if it did.  `hint`, where not NULL, is set to
 * where the block is now. */
enum miss_class shadow_access(struct shadow *shadow, uint64_t block, uint32_t mask, bool allocate,
                              bool missed, uint32_t *hint);

/* An access that hit in the other cache, of a block that is whole; `hint` is where it was last. */
static inline void shadow_touch(struct shadow *shadow, uint64_t block, uint32_t *hint)
{
    struct shadow_node *node = &shadow->nodes[*hint];
    if (node->block == block)
        node->time = ++shadow->now;
    else
        shadow_access(shadow, block, 1, true, false, hint);
}

#endif

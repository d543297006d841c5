/* SPDX-License-Identifier: MIT */
/*
 * classify.h: why did it miss (Hill 1987; Hill and Smith 1989): compulsory, the bytes were never
 * asked for; conflict, a fully associative cache of the same size would have hit; capacity, the
 * rest.  The fully associative cache replaces first in, first out where the cache does, else least
 * recently used.
 */
#ifndef SPOOR_SIMULATE_CACHE_CLASSIFY_H
#define SPOOR_SIMULATE_CACHE_CLASSIFY_H

#include "simulate/cache/block_map.h"

enum miss_class { MISS_COMPULSORY, MISS_CAPACITY, MISS_CONFLICT };

struct shadow_node {
    uint64_t block;
    uint32_t valid;        /* sub-blocks */
    uint32_t newer, older; /* in a ring */
};
struct shadow {
    struct shadow_node *nodes;
    uint32_t size, used, newest;
    bool fifo, failed;
    struct block_map index, seen;
};

/* A fully associative cache of so many blocks; NULL without memory. */
struct shadow *shadow_new(uint32_t blocks, bool fifo);
void shadow_free(struct shadow *shadow);
/* An access that brings its block in (or, without `allocate`, only where it is there already);
 * whether the sub-blocks of `mask` were all there. */
bool shadow_access(struct shadow *shadow, uint64_t block, uint32_t mask, bool allocate);
/* The same of a block that is whole, brought in where it is not there; `hint` is where it was
 * found last, which saves looking for it. */
void shadow_touch(struct shadow *shadow, uint64_t block, uint32_t *hint);
/* Why an access that missed did; `hit` is what shadow_access said. */
enum miss_class shadow_classify(struct shadow *shadow, uint64_t block, uint32_t mask, bool hit);

/* Whether an access to `block` would change nothing. */
static inline bool shadow_is_newest(const struct shadow *shadow, uint64_t block)
{
    return shadow->nodes[shadow->newest].block == block;
}

#endif

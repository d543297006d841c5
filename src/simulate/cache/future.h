/* SPDX-License-Identifier: MIT */
/* future.h: for each access of a cache, the next access to its block: the input of OPT. */
#ifndef SPOOR_SIMULATE_CACHE_FUTURE_H
#define SPOOR_SIMULATE_CACHE_FUTURE_H

#include "simulate/cache/cache.h"

struct future {
    uint64_t *next; /* first the block of each access, then the ordinal of its next access */
    size_t count, capacity;
    size_t at; /* the current access */
};

/* Appends the blocks of future accesses, in order; false if memory runs out. */
bool future_add(struct future *future, uint64_t block);
/* Turns blocks into ordinals of next accesses (UINT64_MAX: none); false if memory runs out. */
bool future_solve(struct future *future);
void future_free(struct future *future);

#endif

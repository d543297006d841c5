/* SPDX-License-Identifier: MIT */
/* future.h: when each access of a cache asks for its block again: what OPT knows. */
#ifndef SPOOR_SIMULATE_CACHE_FUTURE_H
#define SPOOR_SIMULATE_CACHE_FUTURE_H

#include "simulate/cache/cache.h"

struct future {
    uint64_t *next; /* first the block of each access, then the ordinal of its next access */
    size_t count, room;
    size_t at; /* the access at hand */
};

/* The blocks of accesses to come, in order; false without memory. */
bool future_add(struct future *future, uint64_t block);
/* Turn blocks into ordinals of next accesses (UINT64_MAX: never again); false without memory. */
bool future_solve(struct future *future);
void future_free(struct future *future);

#endif

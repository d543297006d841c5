/* SPDX-License-Identifier: MIT */
/* future.h: for each access, the next access to the same block or page: what OPT needs. */
#ifndef SPOOR_SIMULATE_FUTURE_H
#define SPOOR_SIMULATE_FUTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct future {
    uint64_t *next; /* first the block of each access, then the ordinal of its next access */
    size_t count, capacity;
    size_t at; /* the current access */
};

/* Appends the block of a future access; false if memory runs out. */
bool future_add(struct future *future, uint64_t block);
/* Turns blocks into ordinals of next accesses (UINT64_MAX: none); false if memory runs out. */
bool future_solve(struct future *future);

/* The ordinal of the next access to what is accessed now; UINT64_MAX: none. */
static inline uint64_t future_next(const struct future *future)
{
    return future->at < future->count ? future->next[future->at] : UINT64_MAX;
}

#endif

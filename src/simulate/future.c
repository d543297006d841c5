/* SPDX-License-Identifier: MIT */
/* future.c: the next access of each access. */
#include "simulate/future.h"

#include <stdlib.h>

#include "base/array.h"
#include "simulate/cache/block_map.h"

bool future_add(struct future *future, uint64_t block)
{
    if (!array_reserve(&future->next, &future->capacity, future->count + 1)) return false;
    future->next[future->count++] = block;
    return true;
}

/* From the end backwards. */
bool future_solve(struct future *future)
{
    struct hash_map blocks = {0}; /* to the last position in `seen` */
    uint64_t *seen = NULL;
    size_t capacity = 0;
    bool good = true;
    for (size_t i = future->count; good && i-- > future->at;) {
        bool added;
        uint32_t *place = block_map_add(&blocks, future->next[i], &added);
        if (place && added) *place = (uint32_t)(blocks.count - 1);
        good = place && array_reserve(&seen, &capacity, *place + (size_t)1) && seen;
        if (!good) break;
        future->next[i] = added ? UINT64_MAX : seen[*place];
        seen[*place] = i;
    }
    free(seen);
    hash_map_free(&blocks);
    return good;
}

/* SPDX-License-Identifier: MIT */
/*
 * opt.c: evict the block whose next access is farthest away (Belady 1966; Mattson et al. 1970).  No
 * policy that allocates on every miss has fewer misses.  All accesses must be known in advance:
 * spoor_cache_system_foresee().
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "simulate/cache/future.h"

bool future_add(struct future *future, uint64_t block)
{
    if (!array_reserve(&future->next, &future->capacity, future->count + 1)) return false;
    future->next[future->count++] = block;
    return true;
}

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

void future_free(struct future *future)
{
    if (future) free(future->next);
}

static bool start(struct cache *cache)
{
    return (cache->policy_state = calloc(1, sizeof(struct future)));
}

static void use(struct cache *cache, uint64_t set, uint32_t way)
{
    const struct future *future = cache->policy_state;
    const size_t at = future->at;
    cache->order[set * cache->ways + way] = at < future->count ? future->next[at] : UINT64_MAX;
}

static void fill(struct cache *cache, uint64_t set, uint32_t way, const struct request *request)
{
    (void)request;
    use(cache, set, way);
}

static uint32_t victim(struct cache *cache, uint64_t set)
{
    const uint64_t *order = &cache->order[set * cache->ways];
    uint32_t last = 0;
    for (uint32_t way = 1; way < cache->ways; way++)
        if (order[way] > order[last]) last = way;
    return last;
}

const struct cache_policy cache_policy_opt = {
    .name = "opt",
    .title = "what is needed last (Belady; holds the trace)",
    .needs_future = true,
    .start = start,
    .touch = use,
    .fill = fill,
    .victim = victim,
};

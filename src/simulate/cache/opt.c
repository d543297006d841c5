/* SPDX-License-Identifier: MIT */
/*
 * opt.c: evict the block whose next access is farthest away (Belady 1966; Mattson et al. 1970).  No
 * policy that allocates on every miss has fewer misses.  All accesses must be known in advance:
 * spoor_cache_system_foresee().
 */
#include <stdlib.h>

#include "simulate/cache/future.h"

bool future_add(struct future *future, uint64_t block)
{
    if (future->count == future->capacity) {
        const size_t capacity = future->capacity ? 2 * future->capacity : 4096;
        uint64_t *next = realloc(future->next, capacity * sizeof *next);
        if (!next) return false;
        future->next = next;
        future->capacity = capacity;
    }
    future->next[future->count++] = block;
    return true;
}

bool future_solve(struct future *future)
{
    struct block_map blocks = {0}; /* to the last position in `seen` */
    uint64_t *seen = NULL;
    size_t capacity = 0;
    bool good = true;
    for (size_t i = future->count; good && i-- > future->at;) {
        bool added;
        uint32_t *place = block_map_add(&blocks, future->next[i], &added);
        if (place && added) *place = (uint32_t)(blocks.count - 1);
        if (place && *place >= capacity) {
            capacity = capacity ? 2 * capacity : 4096;
            uint64_t *more = realloc(seen, capacity * sizeof *more);
            if (more) seen = more;
            good = more;
        }
        good = good && place;
        if (!good) break;
        future->next[i] = added ? UINT64_MAX : seen[*place];
        seen[*place] = i;
    }
    free(seen);
    block_map_free(&blocks);
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

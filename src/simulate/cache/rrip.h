/* SPDX-License-Identifier: MIT */
/*
 * rrip.h: re-reference interval prediction (Jaleel, Theobald, Steely, Emer, ISCA 2010), with 2-bit
 * predictions and hit priority: a hit block is predicted near; the first way predicted distant is
 * evicted, after all ways are aged until there is one.
 */
#ifndef SPOOR_SIMULATE_CACHE_RRIP_H
#define SPOOR_SIMULATE_CACHE_RRIP_H

#include "simulate/cache/cache.h"

enum {
    RRIP_NEAR = 0,
    RRIP_LONG = 2,
    RRIP_DISTANT = 3,
    RRIP_RARE = 32 /* BRRIP: one insertion in 32 is long */
};

static inline void rrip_set(struct cache *cache, uint64_t set, uint32_t way, uint64_t interval)
{
    cache->order[set * cache->ways + way] = interval;
}

static inline uint32_t rrip_victim(struct cache *cache, uint64_t set)
{
    uint64_t *order = &cache->order[set * cache->ways], maximum = 0;
    for (uint32_t way = 0; way < cache->ways; way++)
        if (order[way] > maximum) maximum = order[way];
    uint32_t victim = 0;
    for (uint32_t way = cache->ways; way-- > 0;) {
        order[way] += RRIP_DISTANT - maximum;
        if (order[way] == RRIP_DISTANT) victim = way;
    }
    return victim;
}

/* Bimodal: distant, and rarely long. */
static inline uint64_t rrip_bimodal(struct cache *cache)
{
    return (cache_random(cache) >> 32) % RRIP_RARE == 0 ? RRIP_LONG : RRIP_DISTANT;
}

static inline void rrip_touch(struct cache *cache, uint64_t set, uint32_t way)
{
    rrip_set(cache, set, way, RRIP_NEAR);
}

#endif

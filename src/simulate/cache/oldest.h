/* SPDX-License-Identifier: MIT */
/* oldest.h: for policies that number their lines: the way with the lowest number. */
#ifndef SPOOR_SIMULATE_CACHE_OLDEST_H
#define SPOOR_SIMULATE_CACHE_OLDEST_H

#include "simulate/cache/cache.h"

static inline uint32_t oldest_way(struct cache *cache, uint64_t set)
{
    const uint64_t *order = &cache->order[set * cache->ways];
    uint32_t oldest = 0;
    for (uint32_t way = 1; way < cache->ways; way++)
        if (order[way] < order[oldest]) oldest = way;
    return oldest;
}

#endif

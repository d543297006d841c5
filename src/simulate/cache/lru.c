/* SPDX-License-Identifier: MIT */
/* lru.c: least recently used: evict the block whose last use is the oldest. */
#include "simulate/cache/oldest.h"

static void use(struct cache *cache, uint64_t set, uint32_t way)
{
    cache->order[set * cache->ways + way] = ++cache->clock;
}

static void fill(struct cache *cache, uint64_t set, uint32_t way, const struct request *request)
{
    (void)request;
    use(cache, set, way);
}

const struct cache_policy cache_policy_lru = {
    .name = "lru",
    .title = "least recently used",
    .repeats_freely = true,
    .touch = use,
    .fill = fill,
    .victim = oldest_way,
};

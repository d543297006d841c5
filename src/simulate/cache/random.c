/* SPDX-License-Identifier: MIT */
/* random.c: evict a random block, uniformly, by a seeded generator. */
#include "simulate/cache/cache.h"

static void touch(struct cache *cache, uint64_t set, uint32_t way)
{
    (void)cache, (void)set, (void)way;
}

static void fill(struct cache *cache, uint64_t set, uint32_t way, const struct request *request)
{
    (void)cache, (void)set, (void)way, (void)request;
}

static uint32_t victim(struct cache *cache, uint64_t set)
{
    (void)set;
    return (uint32_t)((cache_random(cache) >> 32) * cache->ways >> 32);
}

const struct cache_policy cache_policy_random = {
    .name = "random",
    .title = "any, by a seeded generator",
    .repeats_freely = true,
    .touch = touch,
    .fill = fill,
    .victim = victim,
};

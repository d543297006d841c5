/* SPDX-License-Identifier: MIT */
/*
 * plru.c: a binary tree over the ways of a set whose nodes point away from the most recently used
 * way (So and Rechtschaffen 1988).  The bits of the nodes are words of set_state, root at bit 1;
 * ways are a power of two, at most 64.
 */
#include "simulate/cache/cache.h"

static void use(struct cache *cache, uint64_t set, uint32_t way)
{
    uint64_t nodes = cache->set_state[set];
    for (uint32_t node = way + cache->ways; node > 1; node /= 2) {
        const uint64_t bit = UINT64_C(1) << (node / 2);
        nodes = node % 2 ? nodes & ~bit : nodes | bit; /* used on the right: point left */
    }
    cache->set_state[set] = nodes;
}

static void fill(struct cache *cache, uint64_t set, uint32_t way, const struct request *request)
{
    (void)request;
    use(cache, set, way);
}

static uint32_t victim(struct cache *cache, uint64_t set)
{
    const uint64_t nodes = cache->set_state[set];
    uint32_t node = 1;
    while (node < cache->ways) node = 2 * node + (uint32_t)(nodes >> node & 1);
    return node - cache->ways;
}

const struct cache_policy cache_policy_plru = {
    .name = "plru",
    .title = "tree of pointers away from what was used",
    .repeats_freely = true,
    .touch = use,
    .fill = fill,
    .victim = victim,
};

/* SPDX-License-Identifier: MIT */
/*
 * drrip.c: dynamic RRIP: set duelling chooses between static and bimodal.  Of every 32 sets, one
 * always inserts as SRRIP and one as BRRIP; each of their misses moves a 10-bit counter, and the
 * other sets follow the one with fewer misses.  In a cache of fewer than 32 sets, the first and the
 * last set duel.
 */
#include "simulate/cache/rrip.h"

enum { GROUP = 32, COUNTER_MIDDLE = 512, MAX_COUNTER = 1023 };

/* The counter is stored in cache->clock. */
static bool start(struct cache *cache)
{
    cache->clock = COUNTER_MIDDLE;
    return true;
}

static void fill(struct cache *cache, uint64_t set, uint32_t way, const struct request *request)
{
    (void)request;
    const uint64_t group = cache->sets < GROUP ? cache->sets : GROUP;
    const bool static_leader = set % group == 0;
    const bool bimodal_leader = !static_leader && set % group == group - 1;
    if (static_leader && cache->clock < MAX_COUNTER) cache->clock++;
    if (bimodal_leader && cache->clock > 0) cache->clock--;
    const bool bimodal = !static_leader && (bimodal_leader || cache->clock > COUNTER_MIDDLE);
    rrip_set(cache, set, way, bimodal ? rrip_bimodal(cache) : RRIP_LONG);
}

const struct cache_policy cache_policy_drrip = {
    .name = "drrip",
    .title = "dynamic re-reference interval prediction",
    .start = start,
    .touch = rrip_touch,
    .fill = fill,
    .victim = rrip_victim,
};

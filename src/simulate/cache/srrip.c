/* SPDX-License-Identifier: MIT */
/* srrip.c: static RRIP: a new block is predicted to be used again after a long interval. */
#include "simulate/cache/rrip.h"

static void fill(struct cache *cache, uint64_t set, uint32_t way, const struct request *request)
{
    (void)request;
    rrip_set(cache, set, way, RRIP_LONG);
}

const struct cache_policy cache_policy_srrip = {
    .name = "srrip",
    .title = "static re-reference interval prediction",
    .touch = rrip_touch,
    .fill = fill,
    .victim = rrip_victim,
};

/* SPDX-License-Identifier: MIT */
/* brrip.c: bimodal RRIP: most new blocks are predicted distant, so that a scan does not evict the
 * others. */
#include "simulate/cache/rrip.h"

static void fill(struct cache *cache, uint64_t set, uint32_t way, const struct request *request)
{
    (void)request;
    rrip_set(cache, set, way, rrip_bimodal(cache));
}

const struct cache_policy cache_policy_brrip = {
    .name = "brrip",
    .title = "bimodal re-reference interval prediction",
    .touch = rrip_touch,
    .fill = fill,
    .victim = rrip_victim,
};

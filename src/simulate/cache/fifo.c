/* SPDX-License-Identifier: MIT */
/* fifo.c: first in, first out: evict the block that was filled first. */
#include "simulate/cache/oldest.h"

static void touch(struct cache *cache, uint64_t set, uint32_t way)
{
    (void)cache, (void)set, (void)way;
}

static void fill(struct cache *cache, uint64_t set, uint32_t way, const struct request *request)
{
    (void)request;
    cache->order[set * cache->ways + way] = ++cache->clock;
}

const struct cache_policy cache_policy_fifo = {
    .name = "fifo",
    .title = "first in, first out",
    .repeats_freely = true,
    .touch = touch,
    .fill = fill,
    .victim = oldest_way,
};

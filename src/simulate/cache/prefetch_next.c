/* SPDX-License-Identifier: MIT */
/*
 * prefetch_next.c: the next sub-blocks in the order of addresses (Smith, "Cache Memories", 1982):
 * on every read and fetch; on those that miss; or tagged, on the first access to a sub-block,
 * whether it misses or a prefetch had filled it.
 */
#include "simulate/cache/cache.h"

static void ask(struct cache *cache, const struct request *request)
{
    for (uint32_t i = 1; i <= cache->degree; i++)
        cache_prefetch(cache, request, request->address + i * cache_sub_size(cache));
}

static void on_all(struct cache *cache, const struct request *request, bool miss, bool first)
{
    (void)miss, (void)first;
    ask(cache, request);
}

static void on_miss(struct cache *cache, const struct request *request, bool miss, bool first)
{
    (void)first;
    if (miss) ask(cache, request);
}

static void on_first(struct cache *cache, const struct request *request, bool miss, bool first)
{
    if (miss || first) ask(cache, request);
}

const struct prefetcher prefetcher_always = {
    .name = "always",
    .title = "next line, on every read and fetch",
    .observe = on_all,
};
const struct prefetcher prefetcher_miss = {
    .name = "miss",
    .title = "next line, on a miss",
    .observe = on_miss,
};
const struct prefetcher prefetcher_tagged = {
    .name = "tagged",
    .title = "next line, on the first use of a line",
    .observe = on_first,
};

/* SPDX-License-Identifier: MIT */
/* prefetcher.c: the list of prefetchers. */
#include "simulate/cache/cache.h"

#define PREFETCHER(name) extern const struct prefetcher prefetcher_##name;
#include "simulate/cache/prefetchers.def"
#undef PREFETCHER

const struct prefetcher *const prefetchers[] = {
#define PREFETCHER(name) &prefetcher_##name,
#include "simulate/cache/prefetchers.def"
#undef PREFETCHER
    NULL};

enum { PREFETCHERS = sizeof prefetchers / sizeof *prefetchers - 1 };

const char *spoor_cache_prefetcher_name(size_t index)
{
    return index < PREFETCHERS ? prefetchers[index]->name : NULL;
}

const char *spoor_cache_prefetcher_title(size_t index)
{
    return index < PREFETCHERS ? prefetchers[index]->title : NULL;
}

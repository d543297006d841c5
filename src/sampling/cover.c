/* SPDX-License-Identifier: MIT */
/* cover.c: the caches that a reduction is exact for (reduce.h). */
#include <string.h>

#include "sampling/reduce.h"
#include "simulate/cache/system.h"

/* True if a shape is exact for a cache where references enter. */
static bool fits(const struct cache *cache, const struct reduced_shape *shape)
{
    if (cache->block_bits != shape->block_bits || cache->ways < shape->ways ||
        cache->sets % (UINT64_C(1) << shape->set_bits) != 0)
        return false;
    if (strcmp(cache->policy->component.about.name, "lru") == 0) return true;
    return shape->ways == 1 && cache->policy->repeats_freely;
}

/* True if the classes of misses are exact, too: the cache beside it of one set is LRU, and has the
 * blocks. */
static bool fits_classes(const struct cache *cache, const struct reduced_kind *kind)
{
    return !cache->shadow || (strcmp(cache->policy->component.about.name, "fifo") != 0 &&
                              cache->sets * cache->ways >= kind->full);
}

static bool fits_full(const struct cache *cache, const struct reduced_kind *kind)
{
    return cache->sets == 1 && cache->ways >= kind->full && cache->block_bits >= kind->line_bits &&
           strcmp(cache->policy->component.about.name, "lru") == 0;
}

/* True if a reduction is exact for a cache where references enter. */
static bool covers_entry(const struct reduced_kind *kind, const struct cache *cache)
{
    bool good = fits_full(cache, kind);
    for (size_t i = 0; i < kind->shape_count && !good; i++) good = fits(cache, &kind->shapes[i]);
    return good && fits_classes(cache, kind) && cache->block_bits < SPOOR_CACHE_BLOCK_BITS &&
           (cache->takes == SPOOR_CACHE_ALL) == kind->unified &&
           cache->crossing == SPOOR_CACHE_CROSSING_PARTS &&
           cache->allocate == SPOOR_CACHE_ALLOCATE && cache->write != SPOOR_CACHE_WRITE_THROUGH &&
           cache->sub_bits == cache->block_bits;
}

/* True if a cache needs nothing of a reference but its block and operation, and loses no block but
 * by an eviction of its own. */
static bool is_plain(const struct cache *cache)
{
    return !cache->prefetcher && !cache->policy->reads_pc && !cache->policy->needs_future &&
           cache->inclusion != SPOOR_CACHE_INCLUSIVE && !cache->private && !cache->attribution;
}

static bool covers(const struct reduced_kind *kind, const struct spoor_cache_system *system)
{
    bool good = system->options.unknown_size <= 1 << 6;
    for (size_t i = 0; i < system->count && good; i++) {
        const struct cache *cache = &system->caches[i];
        good = is_plain(cache) && (!cache->entry || covers_entry(kind, cache));
    }
    return good;
}

enum spoor_reduced spoor_reduced_for(const struct spoor_cache_system *system)
{
    for (unsigned kind = SPOOR_REDUCED_NONE + 1; kind < SPOOR_REDUCED_KINDS; kind++)
        if (covers(&reduced_kinds[kind], system)) return (enum spoor_reduced)kind;
    return SPOOR_REDUCED_NONE;
}

/* SPDX-License-Identifier: MIT */
/*
 * merge.c: the counts of two parts of a trace, and by how much they exceed those of the whole.
 *
 * The caches of a later part are empty when it begins.  In an LRU set that fills on every miss, the
 * blocks of the part are always a subset of those that the set would hold after the earlier part,
 * and the two are equal from the moment on in which the set is full.  So each line that the part
 * filled for the first time stands for at most one miss that the whole trace would not have (the
 * "unknown references" of Wood, Hill and Kessler 1991), and no other count of misses differs.
 */
#include <string.h>

#include "model/options.h"
#include "simulate/cache/system.h"

static bool same_word(const char *a, const char *b, const char *usual)
{
    return strcmp(a ? a : usual, b ? b : usual) == 0;
}

static bool is_same_level(const struct spoor_cache_level *a, const struct spoor_cache_level *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->parent, b->parent) == 0 &&
           a->size == b->size && a->ways == b->ways && a->block == b->block &&
           a->sub_block == b->sub_block && a->degree == b->degree && a->victim == b->victim &&
           a->copies == b->copies && a->write == b->write && a->allocate == b->allocate &&
           a->inclusion == b->inclusion && a->crossing == b->crossing && a->takes == b->takes &&
           same_word(a->policy, b->policy, "lru") && same_word(a->prefetch, b->prefetch, "");
}

static bool is_same_design(const struct spoor_cache_system *a, const struct spoor_cache_system *b)
{
    if (a->level_count != b->level_count || a->count != b->count) return false;
    for (size_t i = 0; i < a->level_count; i++)
        if (!is_same_level(&a->levels[i].level, &b->levels[i].level)) return false;
    return a->options.unknown_size == b->options.unknown_size;
}

/* True if the argument at the top of this file holds for a cache. */
static bool is_bounded(const struct cache *cache, const struct spoor_cache_level *level)
{
    return !cache->parent && !cache->child && !cache->prefetcher && !cache->sharing &&
           !level->victim && level->copies < 2 && level->allocate == SPOOR_CACHE_ALLOCATE &&
           cache->sub_bits == cache->block_bits && same_word(level->policy, "lru", "lru");
}

static uint64_t filled_lines(const struct cache *cache)
{
    uint64_t filled = 0;
    for (size_t i = 0; i < cache->sets * cache->ways; i++) filled += !cache_is_empty(cache, i);
    return filled;
}

static void add_counts(struct spoor_cache_counts *counts, const struct spoor_cache_counts *more)
{
    uint64_t *to = (uint64_t *)counts;
    const uint64_t *from = (const uint64_t *)more;
    _Static_assert(sizeof *counts % sizeof *to == 0, "all counts are uint64_t");
    for (size_t i = 0; i < sizeof *counts / sizeof *to; i++) to[i] += from[i];
}

static void add_excess(struct spoor_cache_system *system, const struct spoor_cache_system *next,
                       size_t level)
{
    const struct built *built = &system->levels[level];
    for (size_t i = built->first; i < built->first + built->copies; i++) {
        struct cache *cache = &system->caches[i];
        const uint64_t before = next->caches[i].excess;
        if (!is_bounded(cache, &built->level) || before == UINT64_MAX)
            cache->excess = UINT64_MAX;
        else if (cache->excess != UINT64_MAX)
            cache->excess += before + filled_lines(&next->caches[i]);
    }
}

enum spoor_status spoor_cache_system_merge(struct spoor_cache_system *system,
                                           const struct spoor_cache_system *next,
                                           struct spoor_error *error)
{
    const struct spoor_cache_options *options = &system->options;
    if (!is_same_design(system, next))
        return spoor_error_set(error, SPOOR_EUSAGE, "the counts are of different caches");
    if (options->classify || options->by_pc || options->by_region || options->by_set)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "classes and attributions of misses are not merged");
    for (size_t level = 0; level < system->level_count; level++) add_excess(system, next, level);
    for (size_t i = 0; i < system->count; i++)
        add_counts(&system->caches[i].counts, &next->caches[i].counts);
    system->unserved += next->unserved;
    system->merged = true;
    return SPOOR_OK;
}

uint64_t spoor_cache_system_excess(const struct spoor_cache_system *system, size_t index)
{
    return system->caches[index].excess;
}

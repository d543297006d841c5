/* SPDX-License-Identifier: MIT */
/* coherence.c: coherence between the caches of several cpus. */
#include "simulate/cache/coherence.h"

enum { UNITS = 32 };

/* The units of the block that the bytes lie in. */
static uint32_t units_of(const struct cache *cache, const struct request *request)
{
    const uint64_t size = cache_block_size(cache), unit = size / UNITS ? size / UNITS : 1;
    const uint64_t first = (request->address & (size - 1)) / unit;
    const uint64_t bytes = request->size ? request->size : 1;
    uint64_t last = ((request->address & (size - 1)) + bytes - 1) / unit;
    if (last >= UNITS) last = UNITS - 1;
    return (uint32_t)(((UINT64_C(2) << last) - 1) & ~((UINT64_C(1) << first) - 1));
}

/* Another cpu writes: invalidate the block, and store which bytes of it were written. */
static void lose(struct cache *cache, const struct request *request)
{
    const uint64_t block = request->address >> cache->block_bits;
    const size_t line = cache_find(cache, block);
    bool added = false;
    uint32_t *units = block_map_find(&cache->sharing->lost, block);
    if (line != SIZE_MAX) {
        cache->counts.invalidations++;
        cache_write_down(cache, line);
        cache_drop(cache, line);
        units = block_map_add(&cache->sharing->lost, block, &added);
        if (!units) cache_out_of_memory(cache);
    }
    if (units) *units |= units_of(cache, request);
}

void coherence_write(struct cache *cache, const struct request *request, size_t line)
{
    const struct sharing *sharing = cache->sharing;
    if (line != SIZE_MAX && cache->lines[line].shared) {
        cache->counts.upgrades++;
        cache->lines[line].shared = 0;
    }
    for (size_t i = 0; i < sharing->other_count; i++) lose(sharing->others[i], request);
}

bool coherence_read(struct cache *cache, const struct request *request)
{
    const struct sharing *sharing = cache->sharing;
    bool held = false;
    for (size_t i = 0; i < sharing->other_count; i++) {
        struct cache *other = sharing->others[i];
        const size_t line = cache_find(other, request->address >> other->block_bits);
        if (line == SIZE_MAX) continue;
        held = true;
        other->lines[line].shared = 1;
        if (!other->lines[line].dirty) continue;
        other->counts.interventions++;
        cache_write_down(other, line);
    }
    return held;
}

enum sharing_miss coherence_miss(struct cache *cache, const struct request *request)
{
    struct block_map *lost = &cache->sharing->lost;
    const uint64_t block = request->address >> cache->block_bits;
    const uint32_t *units = block_map_find(lost, block);
    if (!units) return SHARING_NONE;
    const bool written = *units & units_of(cache, request);
    block_map_remove(lost, block);
    return written ? SHARING_TRUE : SHARING_FALSE;
}

/* SPDX-License-Identifier: MIT */
/*
 * access.c: one access of one cache; spoor/cache.h defines the order of the steps.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/inline.h"
#include "simulate/cache/attribution.h"
#include "simulate/cache/block_run.h"
#include "simulate/cache/classify.h"
#include "simulate/cache/timed.h"
#include "simulate/future.h"

/* The state of an access. */
struct visit {
    struct cache *cache;
    struct request *request;
    bool simple;    /* a constant in the functions that are inlined; see tree_make_caches() */
    uint32_t empty; /* simple: the first empty way of the set; the number of ways: none */
    uint64_t block, set;
    size_t line;   /* the line of the block, present or allocated; SIZE_MAX: none */
    uint32_t mask; /* the accessed sub-blocks */
    bool write, allocate, block_miss, miss, shared;
    bool evicts; /* a block is evicted: */
    uint64_t gone_block;
    struct line gone;
};

/* ---- lines ---- */

static size_t cache_find_in_set(const struct cache *cache, uint64_t block, uint64_t set)
{
    if (cache->ways >= INDEX_WAYS) {
        const uint32_t *line = block_map_find(&cache->index, block);
        return line ? *line : SIZE_MAX;
    }
    const uint64_t *tags = &cache->tags[set * cache->ways];
    for (uint32_t way = 0; way < cache->ways; way++)
        if (tags[way] == block && !cache_is_empty(cache, set * cache->ways + way))
            return set * cache->ways + way;
    return SIZE_MAX;
}

size_t cache_find(const struct cache *cache, uint64_t block)
{
    return cache_find_in_set(cache, block, cache_set_of(cache, block));
}

/* Assigns an empty line to a block. */
static void cache_name_line(struct cache *cache, size_t line, uint64_t block)
{
    if (cache->ways >= INDEX_WAYS) {
        bool added;
        uint32_t *place = block_map_add(&cache->index, block, &added);
        if (place) *place = (uint32_t)line;
        if (!place) *cache->out_of_memory = true;
    }
    cache->tags[line] = block;
}

void cache_drop(struct cache *cache, size_t line)
{
    if (cache->ways >= INDEX_WAYS && !cache_is_empty(cache, line))
        block_map_remove(&cache->index, cache->tags[line]);
    cache->tags[line] = NO_BLOCK;
    cache->lines[line] = (struct line){0};
}

/* True if a write fills all sub-blocks that it accesses. */
static bool cache_fills_all(const struct cache *cache, const struct request *request, uint32_t mask)
{
    const uint64_t subs = mask == 1 ? 1 : (unsigned)__builtin_popcount(mask);
    return request->size == subs << cache->sub_bits;
}

/* ---- requests of the parent ---- */

static void cache_request_memory(const struct cache *cache, const struct request *request)
{
    if (cache->time) {
        struct memory_clock *clock = cache->time->clock;
        clock->ready = clock->below(clock->context, clock->at, request);
    }
    if (!cache->to_memory) return;
    const struct spoor_reference made = {.address = request->address,
                                         .pc = request->pc,
                                         .size = request->size,
                                         .op = request->op,
                                         .has = request->has_pc ? SPOOR_REFERENCE_HAS_PC : 0};
    cache->to_memory(cache->to_memory_context, &made);
}

/* The depth that serves a request, counted from the parent. */
static inline unsigned cache_request_parent(const struct cache *cache, struct request *request)
{
    if (cache->parent) return cache_request(cache->parent, request);
    cache_request_memory(cache, request);
    return 0;
}

/* ---- writes to the parent ---- */

/* Writes the runs of sub-blocks in `dirty`, the highest first. */
static void cache_write_runs(struct cache *cache, uint64_t block, uint32_t dirty)
{
    const uint64_t begin = block << cache->block_bits;
    while (dirty) {
        const unsigned last = 31 - (unsigned)__builtin_clz(dirty);
        unsigned first = last;
        while (first > 0 && dirty >> (first - 1) & 1) first--;
        dirty &= (uint32_t)((UINT64_C(1) << first) - 1);
        struct request request = {.address = begin + ((uint64_t)first << cache->sub_bits),
                                  .size = (uint32_t)(last - first + 1) << cache->sub_bits,
                                  .op = SPOOR_REFERENCE_WRITE};
        cache->counts.writebacks++;
        cache->counts.bytes_out += request.size;
        cache_request_parent(cache, &request);
    }
}

void cache_write_down(struct cache *cache, size_t line)
{
    const uint32_t dirty = cache->lines[line].dirty & cache->lines[line].valid;
    cache->lines[line].dirty = 0;
    cache_write_runs(cache, cache->tags[line], dirty);
}

/* ---- coherence between the caches of several cpus ---- */

enum { UNITS = 32 };

/* The units of the block that the bytes lie in. */
static uint32_t cache_units_of(const struct cache *cache, const struct request *request)
{
    const uint64_t size = cache_block_size(cache), unit = size / UNITS ? size / UNITS : 1;
    const uint64_t first = (request->address & (size - 1)) / unit;
    const uint64_t bytes = request->size ? request->size : 1;
    uint64_t last = ((request->address & (size - 1)) + bytes - 1) / unit;
    if (last >= UNITS) last = UNITS - 1;
    return (uint32_t)(((UINT64_C(2) << last) - 1) & ~((UINT64_C(1) << first) - 1));
}

/* A cpu writes: invalidates the block in the caches of the others, which store the bytes of it that
 * were written. */
static void cache_coherence_write(struct cache *cache, const struct request *request, size_t line)
{
    const struct coherence *coherence = cache->coherence;
    if (line != SIZE_MAX && cache->lines[line].shared) {
        cache->counts.upgrades++;
        cache->lines[line].shared = 0;
    }
    for (size_t i = 0; i < coherence->other_count; i++) {
        struct cache *other = coherence->others[i];
        const uint64_t block = request->address >> other->block_bits;
        const size_t lost = cache_find(other, block);
        bool added = false;
        uint32_t *units = block_map_find(&other->coherence->lost, block);
        if (lost != SIZE_MAX) {
            other->counts.invalidations++;
            cache_write_down(other, lost);
            cache_drop(other, lost);
            units = block_map_add(&other->coherence->lost, block, &added);
            if (!units) *other->out_of_memory = true;
        }
        if (units) *units |= cache_units_of(other, request);
    }
}

/* A cpu's read misses: the cache that modified the block writes it back.  Returns whether another
 * cache holds it. */
static bool cache_coherence_read(struct cache *cache, const struct request *request)
{
    const struct coherence *coherence = cache->coherence;
    bool held = false;
    for (size_t i = 0; i < coherence->other_count; i++) {
        struct cache *other = coherence->others[i];
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

/* ---- reads from the parent ---- */

/* Reads the bytes that a miss needs; returns the depth that served it, counted from the parent. */
static FORCE_INLINE unsigned visit_fetch_missing(struct visit *visit)
{
    struct cache *cache = visit->cache;
    const struct request *from = visit->request;
    const unsigned first = visit->simple ? 0 : (unsigned)__builtin_ctz(visit->mask);
    struct request request = *from;
    request.address = (visit->block << cache->block_bits) + ((uint64_t)first << cache->sub_bits);
    request.size = visit->simple
                       ? UINT32_C(1) << cache->sub_bits
                       : ((uint32_t)__builtin_popcount(visit->mask) << visit->cache->sub_bits);
    request.op = visit->write ? SPOOR_REFERENCE_READ : from->op;
    request.for_prefetch |= request.prefetch;
    request.prefetch = request.silent = false;
    cache->counts.bytes_in += request.size;
    const unsigned depth = cache_request_parent(cache, &request);
    if (!visit->simple && visit->line != SIZE_MAX) cache->lines[visit->line].dirty |= request.dirty;
    return 1 + depth;
}

/* ---- evictions ---- */

/* Invalidates [address, address + size) in the caches above; returns their dirty bytes as bits of
 * this cache's sub-blocks. */
static uint32_t cache_recall(struct cache *cache, uint64_t address, uint64_t size)
{
    uint32_t dirty = 0;
    for (struct cache *above = cache->child; above; above = above->sibling) {
        struct block_run run = block_run_of(address, size, above->block_bits);
        do {
            const size_t line = cache_find(above, run.block);
            const uint64_t begin = run.block << above->block_bits;
            uint32_t bits = cache_recall(above, begin, cache_block_size(above));
            if (line != SIZE_MAX) {
                bits |= above->lines[line].dirty;
                above->counts.back_invalidations++;
                cache_drop(above, line);
            }
            for (; bits; bits &= bits - 1) {
                const uint64_t at = (begin + ((uint64_t)__builtin_ctz(bits) << above->sub_bits)) &
                                    (cache_block_size(cache) - 1);
                dirty |= UINT32_C(1) << (at >> cache->sub_bits);
            }
        } while (block_run_next(&run));
    }
    return dirty;
}

/* A way that does not exist ends the simulation: see cache_system_status(). */
static __attribute__((noinline, cold)) uint32_t cache_refuse_way(struct cache *cache, uint32_t way)
{
    cache->misled = *cache->out_of_memory = true;
    cache->wrong_way = way;
    return 0;
}

/* The first way of the set that is empty; the number of ways: none. */
static FORCE_INLINE uint32_t visit_empty_way(const struct visit *visit)
{
    const struct cache *cache = visit->cache;
    const size_t first = visit->set * cache->ways;
    uint32_t way = visit->simple ? visit->empty : 0;
    while (!visit->simple && way < cache->ways &&
           (cache->tags[first + way] != NO_BLOCK || !cache_is_empty(cache, first + way)))
        way++;
    return way;
}

/* Whether the policy does not keep a block that missed. */
static FORCE_INLINE bool visit_bypasses(const struct visit *visit)
{
    const struct cache *cache = visit->cache;
    return !visit->simple && cache->policy->bypass && visit->block_miss &&
           visit->request->op != SPOOR_REFERENCE_WRITE &&
           cache->inclusion != SPOOR_CACHE_INCLUSIVE && visit_empty_way(visit) == cache->ways &&
           cache->policy->bypass(cache->policy_state, visit->set, visit->request);
}

/* Frees a line of a set and returns it; its old content goes to *visit. */
static FORCE_INLINE size_t visit_vacate_line(struct visit *visit)
{
    struct cache *cache = visit->cache;
    const size_t first = visit->set * cache->ways;
    uint32_t way = visit_empty_way(visit);
    visit->evicts = way == cache->ways;
    if (visit->evicts) {
        way = cache->policy->victim(cache->policy_state, visit->set);
        if (__builtin_expect(way >= cache->ways, false)) way = cache_refuse_way(cache, way);
    }
    const size_t line = first + way;
    if (visit->evicts) {
        visit->gone_block = cache->tags[line];
        visit->gone = cache->lines[line];
        cache->counts.evictions++;
        if (!visit->simple && cache->time)
            cache_time_evict(cache, visit->request, visit->gone_block, &visit->gone);
        if (!visit->simple && cache->inclusion == SPOOR_CACHE_INCLUSIVE)
            visit->gone.dirty |= cache_recall(cache, visit->gone_block << cache->block_bits,
                                              cache_block_size(cache));
        cache_drop(cache, line);
    }
    return line;
}

static void cache_receive(struct cache *cache, uint64_t block, const struct line *line);

/* Writes an evicted block to the parent: all of it if the parent is exclusive, else the dirty
 * sub-blocks. */
static FORCE_INLINE void visit_send_gone(struct visit *visit)
{
    struct cache *cache = visit->cache;
    const uint32_t dirty = visit->gone.dirty & visit->gone.valid;
    if (!visit->evicts) return;
    if (!visit->simple && cache->parent && cache->parent->inclusion == SPOOR_CACHE_EXCLUSIVE) {
        cache->counts.writebacks += dirty != 0;
        cache->counts.bytes_out += cache_block_size(cache);
        cache_receive(cache->parent, visit->gone_block, &visit->gone);
    } else if (dirty) {
        cache_write_runs(cache, visit->gone_block, dirty);
    }
}

/* An exclusive level stores an eviction of the level above. */
static void cache_receive(struct cache *cache, uint64_t block, const struct line *line)
{
    const struct request request = {.address = block << cache->block_bits};
    struct visit visit = {.cache = cache, .block = block, .set = cache_set_of(cache, block)};
    visit.line = cache_find_in_set(cache, block, visit.set);
    if (visit.line == SIZE_MAX) {
        visit.line = visit_vacate_line(&visit);
        cache_name_line(cache, visit.line, block);
    }
    const uint32_t way = (uint32_t)(visit.line % cache->ways);
    cache->lines[visit.line].valid |= line->valid;
    cache->lines[visit.line].dirty |= line->dirty;
    cache->policy->fill(cache->policy_state, visit.set, way, &request);
    cache->recent[visit.set] = way;
    visit_send_gone(&visit);
}

/* ---- counting ---- */

static void visit_classify(struct visit *visit, enum sharing_miss lost)
{
    struct cache *cache = visit->cache;
    struct spoor_cache_counts *counts = &cache->counts;
    const unsigned op = visit->request->op;
    const bool allocate = !visit->write || visit->allocate || !visit->block_miss;
    const bool missed = visit->miss && lost == SHARING_NONE;
    uint32_t *hint = visit->line == SIZE_MAX ? NULL : &cache->hints[visit->line];
    const enum miss_class why =
        shadow_access(cache->shadow, visit->block, visit->mask, allocate, missed, hint);
    const struct request *request = visit->request;
    if (!missed || request->prefetch || request->for_prefetch || request->silent) return;
    counts->compulsory[op] += why == MISS_COMPULSORY;
    counts->capacity[op] += why == MISS_CAPACITY;
    counts->conflict[op] += why == MISS_CONFLICT;
}

static FORCE_INLINE void visit_count(struct visit *visit)
{
    struct cache *cache = visit->cache;
    struct spoor_cache_counts *counts = &cache->counts;
    const struct request *request = visit->request;
    enum sharing_miss lost = SHARING_NONE;
    if (!visit->simple && cache->coherence && visit->miss) {
        const uint32_t *units = block_map_find(&cache->coherence->lost, visit->block);
        if (units) {
            /* Other cpus invalidated the block. */
            lost = *units & cache_units_of(cache, request) ? SHARING_TRUE : SHARING_FALSE;
            block_map_remove(&cache->coherence->lost, visit->block);
        }
    }
    if (cache->shadow) visit_classify(visit, lost);
    if (!visit->simple && request->silent) return;
    if (!visit->simple && request->prefetch) {
        counts->prefetches[request->op]++;
        counts->prefetch_misses[request->op] += visit->miss;
        return;
    }
    if (request->for_prefetch) {
        counts->prefetch_requests[request->op]++;
        counts->prefetch_request_misses[request->op] += visit->miss;
        return;
    }
    counts->accesses[request->op]++;
    if (!visit->miss) return;
    counts->misses[request->op]++;
    counts->block_misses[request->op] += visit->block_miss;
    counts->dirty_misses[request->op] += visit->evicts && visit->gone.dirty;
    counts->true_sharing += lost == SHARING_TRUE;
    counts->false_sharing += lost == SHARING_FALSE;
    if (cache->attribution) attribution_add_miss(cache, request);
}

/* ---- the access ---- */

static FORCE_INLINE void visit_look_up(struct visit *visit)
{
    struct cache *cache = visit->cache;
    const struct request *request = visit->request;
    visit->block = request->address >> cache->block_bits;
    visit->set = cache_set_of(cache, visit->block);
    if (visit->simple) {
        /* The tag alone states whether a way is empty. */
        const size_t first = visit->set * cache->ways;
        const uint64_t *tags = &cache->tags[first];
        uint32_t empty = cache->ways;
        visit->line = SIZE_MAX;
        for (uint32_t way = cache->ways; way-- > 0;) {
            if (tags[way] == visit->block) visit->line = first + way;
            if (tags[way] == NO_BLOCK) empty = way;
        }
        visit->empty = empty;
        visit->mask = 1;
        visit->write = request->op == SPOOR_REFERENCE_WRITE;
        visit->block_miss = visit->miss = visit->line == SIZE_MAX;
        visit->allocate = true;
        return;
    }
    visit->mask = 1;
    if (cache->sub_bits != cache->block_bits) {
        const uint64_t in_block = request->address & (cache_block_size(cache) - 1);
        const uint64_t end = in_block + (request->size ? request->size - 1 : 0);
        visit->mask = (uint32_t)(((UINT64_C(2) << (end >> cache->sub_bits)) - 1) &
                                 ~((UINT64_C(1) << (in_block >> cache->sub_bits)) - 1));
    }
    visit->write = request->op == SPOOR_REFERENCE_WRITE && cache->write != SPOOR_CACHE_WRITE_IGNORE;
    visit->line = cache_find_in_set(cache, visit->block, visit->set);
    visit->block_miss = visit->line == SIZE_MAX;
    visit->miss =
        visit->block_miss || (cache->lines[visit->line].valid & visit->mask) != visit->mask;
    visit->allocate = !visit->write || cache->allocate == SPOOR_CACHE_ALLOCATE ||
                      (cache->allocate == SPOOR_CACHE_ALLOCATE_IF_COMPLETE &&
                       cache_fills_all(cache, request, visit->mask));
    if (!cache->coherence || !cache->entry) return;
    if (request->op == SPOOR_REFERENCE_WRITE)
        cache_coherence_write(cache, request, visit->line);
    else if (visit->miss)
        visit->shared = cache_coherence_read(cache, request);
}

/* Allocates the block, or updates the policy on a hit. */
static FORCE_INLINE void visit_keep(struct visit *visit)
{
    struct cache *cache = visit->cache;
    if (visit->block_miss) {
        visit->line = visit_vacate_line(visit);
        cache_name_line(cache, visit->line, visit->block);
    }
    const uint32_t way = (uint32_t)(visit->line - visit->set * cache->ways);
    if (visit->block_miss)
        cache->policy->fill(cache->policy_state, visit->set, way, visit->request);
    else
        cache->policy->touch(cache->policy_state, visit->set, way, visit->request);
    cache->recent[visit->set] = way;
    struct line *line = &cache->lines[visit->line];
    line->valid |= visit->mask;
    if (visit->miss) line->shared = visit->shared;
    if (visit->write && visit->simple) line->dirty = 1;
    if (visit->write && !visit->simple && cache->write == SPOOR_CACHE_WRITE_BACK)
        line->dirty |= visit->mask;
}

/* An exclusive level moves the block up to the requesting level; a miss passes through. */
static unsigned visit_give(struct visit *visit)
{
    struct cache *cache = visit->cache;
    visit_count(visit);
    if (cache->time)
        cache_time_begin(cache, visit->request, visit->block, visit->line, visit->miss);
    if (visit->miss) {
        *(visit->write ? &cache->counts.bytes_out : &cache->counts.bytes_in) +=
            visit->request->size;
        return 1 + cache_request_parent(cache, visit->request);
    }
    struct line *line = &cache->lines[visit->line];
    if (visit->write) {
        line->dirty |= visit->mask;
    } else {
        visit->request->dirty = line->dirty;
        cache_drop(cache, visit->line);
    }
    return 0;
}

/* Reads and writes of the parent that the access needs; returns the depth that served it. */
static FORCE_INLINE unsigned visit_pass_on(struct visit *visit, bool kept)
{
    struct cache *cache = visit->cache;
    const struct request *request = visit->request;
    unsigned depth = 0;
    const bool forwarded =
        !visit->simple && cache->write == SPOOR_CACHE_WRITE_IGNORE && request->silent;
    if (visit->miss && forwarded) { /* see cache_request(): the whole goes to the parent */
        depth = 1;
        cache->counts.bytes_in += (uint32_t)__builtin_popcount(visit->mask)
                                  << visit->cache->sub_bits;
    } else if (visit->miss && visit->allocate &&
               !(visit->write && cache_fills_all(cache, request, visit->mask))) {
        depth = visit_fetch_missing(visit);
    }
    if (visit->simple) return depth;
    if (visit->write && (!kept || cache->write == SPOOR_CACHE_WRITE_THROUGH)) {
        /* Unchanged, to the parent. */
        struct request through = *request;
        through.silent = false;
        cache->counts.bytes_out += through.size;
        cache->counts.unsized += through.size == 0;
        const unsigned below = cache_request_parent(cache, &through);
        if (!kept) depth = 1 + below;
    }
    return depth;
}

/* One access, within one block. */
static FORCE_INLINE unsigned visit_run(struct cache *cache, struct request *request, bool simple)
{
    struct visit visit = {.cache = cache, .request = request, .simple = simple};
    visit_look_up(&visit);
    if (!simple && cache->inclusion == SPOOR_CACHE_EXCLUSIVE) return visit_give(&visit);
    struct cache_visit_time time = {.ready = 0};
    if (!simple && cache->time) {
        cache_time_note(cache, request);
        time = cache_time_begin(cache, request, visit.block, visit.line, visit.miss);
    }
    if (!simple && cache->prefetcher && !request->prefetch && request->op <= SPOOR_REFERENCE_READ &&
        !(cache->time && cache->time->clock->walks)) {
        /* Before the line is touched. */
        const bool first = visit.miss || !(cache->lines[visit.line].referenced & visit.mask);
        cache->prefetcher->observe(cache->prefetcher_state, request, visit.miss, first,
                                   cache->prefetches);
    }
    const bool kept =
        (!visit.write || visit.allocate || !visit.block_miss) && !visit_bypasses(&visit);
    if (kept) visit_keep(&visit);
    if (!simple && kept && cache->prefetched) {
        struct line *line = &cache->lines[visit.line];
        if (request->prefetch) {
            if (visit.block_miss) line->prefetched = 1;
        } else {
            line->referenced |= visit.mask;
            cache->counts.prefetch_useful += line->prefetched;
            line->prefetched = 0;
        }
    }
    const unsigned depth = visit_pass_on(&visit, kept);
    if (!simple && cache->time) {
        if (visit.miss) cache_time_fill(cache, &time, kept ? visit.line : SIZE_MAX);
        cache->time->clock->at = time.begin; /* of what is evicted */
        request->latency = request->timed ? (uint32_t)(time.ready - request->cycle) : 0;
    }
    if (!simple && kept && cache->prefetcher && cache->prefetcher->fill && visit.block_miss) {
        const uint64_t evicted = visit.evicts ? visit.gone_block << cache->block_bits : 0;
        cache->prefetcher->fill(cache->prefetcher_state, request, visit.evicts ? &evicted : NULL,
                                cache->prefetches);
    }
    visit_send_gone(&visit);
    visit_count(&visit);
    if (simple) return depth;
    if (cache->future) cache->future->at++;
    if (cache->time) cache->time->clock->ready = time.ready;
    if (!cache->prefetcher || request->prefetch || cache->prefetches->count == 0) return depth;
    /* Prefetches cause no further prefetches. */
    const unsigned count = cache->prefetches->count;
    for (unsigned i = 0; i < count; i++) {
        struct cache *to = cache;
        for (unsigned level = cache->prefetches->levels[i]; to && level > 0; level--) do
                to = to->parent;
            while (to && to->inclusion == SPOOR_CACHE_EXCLUSIVE);
        if (!to) continue;
        struct request ahead = *request;
        ahead.size = UINT32_C(1) << to->sub_bits;
        ahead.address = cache->prefetches->addresses[i] & ~((uint64_t)ahead.size - 1);
        ahead.prefetch = true;
        ahead.for_prefetch = ahead.silent = false;
        if (to->time) {
            to->time->clock->at = time.begin;
            if (!cache_time_admit(to, time.begin)) continue;
        }
        cache_request(to, &ahead);
    }
    if (cache->time) cache->time->clock->ready = time.ready;
    /* What the fills of these asked for waits for the next access. */
    const unsigned more = cache->prefetches->count - count;
    for (unsigned i = 0; i < more; i++) {
        cache->prefetches->addresses[i] = cache->prefetches->addresses[count + i];
        cache->prefetches->levels[i] = cache->prefetches->levels[count + i];
    }
    cache->prefetches->count = more;
    return depth;
}

static unsigned cache_visit(struct cache *cache, struct request *request)
{
    if (cache->simple && !request->prefetch && !request->silent)
        return visit_run(cache, request, true);
    return visit_run(cache, request, false);
}

/* ---- references that lie in several blocks ---- */

static unsigned cache_request_parts(struct cache *cache, struct request *request)
{
    struct request rest = *request;
    unsigned deepest = 0;
    request->dirty = 0;
    do {
        const uint64_t size = cache_block_size(cache);
        const uint64_t capacity = size - (rest.address & (size - 1));
        struct request part = rest;
        if (part.size > capacity) part.size = (uint32_t)capacity;
        rest.address += part.size;
        rest.size -= part.size;
        const unsigned depth = cache_visit(cache, &part);
        if (depth > deepest) deepest = depth;
        request->dirty |= part.dirty;
        cache->counts.crossings += rest.size > 0;
    } while (rest.size > 0);
    return deepest;
}

unsigned cache_request(struct cache *cache, struct request *request)
{
    const uint64_t size = cache_block_size(cache);
    const uint64_t capacity = size - (request->address & (size - 1));
    if (request->size <= capacity) return cache_visit(cache, request);
    if (cache->crossing == SPOOR_CACHE_CROSSING_PARTS) return cache_request_parts(cache, request);
    if (cache->crossing == SPOOR_CACHE_CROSSING_ONCE) {
        /* One access, which misses if any part misses.  If writes are ignored, no data move and the
         * parent is accessed once, for the whole. */
        struct request whole = *request;
        struct spoor_cache_counts *counts = &cache->counts;
        const bool demand = !request->for_prefetch;
        whole.silent = true;
        (demand ? counts->accesses : counts->prefetch_requests)[request->op]++;
        const unsigned depth = cache_request_parts(cache, &whole);
        if (depth == 0) return 0;
        (demand ? counts->misses : counts->prefetch_request_misses)[request->op]++;
        if (demand) counts->block_misses[request->op]++;
        if (demand && cache->attribution) attribution_add_miss(cache, request);
        if (cache->write != SPOOR_CACHE_WRITE_IGNORE) return depth;
        return 1 + cache_request_parent(cache, request);
    }
    request->size = (uint32_t)capacity;
    return cache_visit(cache, request);
}

void cache_flush(struct cache *cache)
{
    for (uint64_t set = cache->sets; set-- > 0;)
        for (;;) {
            /* The first dirty line of the set in the order of the policy. */
            size_t first = SIZE_MAX;
            for (size_t line = set * cache->ways; line < (set + 1) * cache->ways; line++)
                if (cache->lines[line].dirty &&
                    (first == SIZE_MAX || cache->order[line] < cache->order[first]))
                    first = line;
            if (first == SIZE_MAX) break;
            cache_write_down(cache, first);
        }
}

/* ---- construction ---- */

/* The bits of storage that a plug-in states; 0: it states none, or is built in. */
static uint64_t cache_storage_of(const struct component_setup *setup)
{
    struct component_size size = {0};
    if (!setup->component->design || setup->component->size(setup, &size)) return 0;
    return size.bits == SPOOR_PLUGIN_UNSTATED ? 0 : size.bits;
}

bool cache_start(struct cache *cache, struct component_setup *policy,
                 struct component_setup *prefetcher, struct spoor_error *error)
{
    const size_t lines = cache->sets * cache->ways;
    cache->policy = (const struct cache_policy *)policy->component;
    cache->tags = malloc(lines * sizeof *cache->tags);
    cache->order = calloc(lines, sizeof *cache->order);
    cache->lines = calloc(lines, sizeof *cache->lines);
    cache->recent = calloc(cache->sets, sizeof *cache->recent);
    cache->hints = calloc(lines, sizeof *cache->hints);
    if (cache->policy->needs_future) cache->future = calloc(1, sizeof *cache->future);
    if (!cache->hints || !cache->tags || !cache->order || !cache->lines || !cache->recent ||
        (cache->policy->needs_future && !cache->future))
        return false;
    memset(cache->tags, 0xFF, lines * sizeof *cache->tags); /* NO_BLOCK */
    policy->order = cache->order;
    policy->future = cache->future;
    cache->policy_state = component_make(policy, error);
    cache->policy_bits = cache_storage_of(policy);
    if (prefetcher) {
        cache->prefetcher = (const struct prefetcher *)prefetcher->component;
        prefetcher->block_bits = cache->block_bits;
        prefetcher->sub_bits = cache->sub_bits;
        cache->prefetches = calloc(1, sizeof *cache->prefetches);
        cache->prefetcher_state = component_make(prefetcher, error);
        cache->prefetcher_bits = cache_storage_of(prefetcher);
    }
    /* The operations for which a hit changes only a dirty bit and the policy's state, and for which
     * the tag alone decides whether they hit. */
    const unsigned reads = 1 << SPOOR_REFERENCE_FETCH | 1 << SPOOR_REFERENCE_READ;
    if (cache->policy->needs_future || cache->policy->needs_request || cache->prefetcher ||
        cache->sub_bits != cache->block_bits || cache->block_bits == 0)
        cache->plain = 0;
    else if (cache->coherence || cache->write == SPOOR_CACHE_WRITE_THROUGH)
        cache->plain = (uint8_t)reads;
    else
        cache->plain = (uint8_t)(reads | 1 << SPOOR_REFERENCE_WRITE);
    return cache->policy_state && (!prefetcher || (cache->prefetches && cache->prefetcher_state));
}

void cache_free(struct cache *cache)
{
    free(cache->tags);
    free(cache->order);
    free(cache->lines);
    free(cache->recent);
    free(cache->hints);
    hash_map_free(&cache->index);
    if (cache->future) free(cache->future->next);
    free(cache->future);
    component_free(cache->policy ? &cache->policy->component : NULL, cache->policy_state);
    component_free(cache->prefetcher ? &cache->prefetcher->component : NULL,
                   cache->prefetcher_state);
    free(cache->prefetches);
    cache_time_free(cache->time);
    shadow_free(cache->shadow);
    if (cache->coherence) {
        hash_map_free(&cache->coherence->lost);
        free(cache->coherence->others);
    }
    free(cache->coherence);
    if (cache->attribution) {
        hash_map_free(&cache->attribution->pcs);
        hash_map_free(&cache->attribution->regions);
        free(cache->attribution->sets);
    }
    free(cache->attribution);
}

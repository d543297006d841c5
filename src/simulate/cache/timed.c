/* SPDX-License-Identifier: MIT */
/* timed.c: the time of accesses; see timed.h. */
#include "simulate/cache/timed.h"

#include <stdlib.h>
#include <string.h>

bool cache_time_start(struct cache *cache, struct memory_clock *clock, uint32_t latency,
                      uint32_t ports, uint32_t mshrs, uint32_t queue)
{
    struct cache_time *time = calloc(1, sizeof *time);
    if (!time) return false;
    cache->time = time;
    *time = (struct cache_time){.clock = clock,
                                .latency = latency,
                                .ports = ports,
                                .mshr_count = mshrs,
                                .queue_size = queue};
    time->port_cycle = calloc(PORT_CYCLES, sizeof *time->port_cycle);
    time->port_used = calloc(PORT_CYCLES, sizeof *time->port_used);
    time->mshrs = calloc(MSHRS_KEPT * mshrs + (size_t)1, sizeof *time->mshrs);
    time->queue = calloc(queue + (size_t)1, sizeof *time->queue);
    time->ready = calloc(cache->sets * cache->ways, sizeof *time->ready);
    time->polluted = calloc(POLLUTED, sizeof *time->polluted);
    return time->port_cycle && time->port_used && time->mshrs && time->queue && time->ready &&
           time->polluted;
}

void cache_time_restart(struct cache *cache)
{
    struct cache_time *time = cache->time;
    memset(time->port_cycle, 0, PORT_CYCLES * sizeof *time->port_cycle);
    memset(time->port_used, 0, PORT_CYCLES * sizeof *time->port_used);
    memset(time->mshrs, 0, MSHRS_KEPT * time->mshr_count * sizeof *time->mshrs);
    time->forgotten = 0;
    memset(time->queue, 0, time->queue_size * sizeof *time->queue);
    memset(time->ready, 0, cache->sets * cache->ways * sizeof *time->ready);
}

void cache_time_free(struct cache_time *time)
{
    if (!time) return;
    free(time->port_cycle);
    free(time->port_used);
    free(time->mshrs);
    free(time->queue);
    free(time->ready);
    free(time->polluted);
    free(time);
}

/* Reserves a lookup in the first cycle from `at` on that has one left. */
static uint64_t cache_time_reserve_port(struct cache_time *time, uint64_t at)
{
    if (!time->ports) return at;
    for (;; at++) {
        const size_t place = at % PORT_CYCLES;
        if (time->port_cycle[place] != at) {
            time->port_cycle[place] = at;
            time->port_used[place] = 0;
        }
        if (time->port_used[place] == time->ports) continue;
        time->port_used[place]++;
        return at;
    }
}

/* The entry that is free first. */
static uint32_t cache_time_first(const uint64_t *entries, uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++)
        if (entries[i] < entries[first]) first = i;
    return first;
}

/* The misses under way in a cycle; *next: the cycle in which the first of them has its data. */
static uint32_t cache_time_under_way(const struct cache_time *time, uint64_t at, uint64_t *next)
{
    uint32_t count = 0;
    *next = UINT64_MAX;
    for (uint32_t i = 0; i < MSHRS_KEPT * time->mshr_count; i++) {
        const struct mshr *mshr = &time->mshrs[i];
        if (mshr->begin > at || mshr->end <= at) continue;
        count++;
        if (mshr->end < *next) *next = mshr->end;
    }
    return count;
}

/* The first cycle from `at` on in which a miss can begin. */
static uint64_t cache_time_free_mshr(const struct cache_time *time, uint64_t at)
{
    uint64_t next;
    if (at < time->forgotten) at = time->forgotten;
    while (cache_time_under_way(time, at, &next) >= time->mshr_count) at = next;
    return at;
}

/* Where the next miss is kept: in place of the one that has its data first. */
static uint32_t cache_time_forget_mshr(struct cache_time *time)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < MSHRS_KEPT * time->mshr_count; i++)
        if (time->mshrs[i].end < time->mshrs[oldest].end) oldest = i;
    if (time->mshrs[oldest].end > time->forgotten) time->forgotten = time->mshrs[oldest].end;
    return oldest;
}

static uint64_t *cache_time_polluted(const struct cache_time *time, uint64_t block)
{
    return &time->polluted[(block * UINT64_C(0x9E3779B97F4A7C15)) >> 54 & (POLLUTED - 1)];
}

void cache_time_note(const struct cache *cache, struct request *request)
{
    const struct cache_time *time = cache->time;
    uint64_t next;
    request->timed = !time->clock->stopped;
    request->cycle = request->timed ? time->clock->at : 0;
    request->latency = 0;
    const uint32_t taken =
        cache->prefetcher ? cache_time_under_way(time, request->cycle + time->latency, &next) : 0;
    request->mshrs = taken ? (uint8_t)(100 * taken / time->mshr_count) : 0;
}

struct cache_visit_time cache_time_begin(struct cache *cache, const struct request *request,
                                         uint64_t block, size_t line, bool miss)
{
    struct cache_time *time = cache->time;
    struct spoor_cache_counts *counts = &cache->counts;
    const bool demand = !request->prefetch && !request->for_prefetch;
    struct cache_visit_time visit = {.mshr = UINT32_MAX};
    if (time->clock->stopped) return visit;
    visit.begin = visit.ready = cache_time_reserve_port(time, time->clock->at) + time->latency;
    if (!miss && time->ready[line] > visit.ready) {
        visit.ready = time->ready[line];
        if (demand) {
            time->clock->merged = true;
            counts->merges++;
            counts->merge_cycles += visit.ready - visit.begin;
            counts->prefetch_late += cache->lines[line].prefetched;
        }
    } else if (miss) {
        if (time->mshr_count) {
            const uint64_t begin = cache_time_free_mshr(time, visit.begin);
            counts->mshr_cycles += begin - visit.begin;
            visit.begin = begin;
            visit.mshr = cache_time_forget_mshr(time);
            time->mshrs[visit.mshr] = (struct mshr){.begin = begin, .end = begin};
        }
        uint64_t *polluted = cache_time_polluted(time, block);
        if (demand && *polluted == block + 1) {
            counts->prefetch_polluting++;
            *polluted = 0;
        }
    }
    time->clock->at = time->clock->ready = visit.begin;
    return visit;
}

void cache_time_fill(struct cache *cache, struct cache_visit_time *visit, size_t line)
{
    struct cache_time *time = cache->time;
    if (time->clock->stopped) time->clock->ready = 0;
    visit->ready = time->clock->ready;
    if (line != SIZE_MAX) time->ready[line] = visit->ready;
    if (visit->mshr != UINT32_MAX) time->mshrs[visit->mshr].end = visit->ready;
}

void cache_time_evict(struct cache *cache, const struct request *request, uint64_t block,
                      const struct line *gone)
{
    cache->counts.prefetch_useless += gone->prefetched;
    if (request->prefetch && gone->referenced) *cache_time_polluted(cache->time, block) = block + 1;
}

bool cache_time_admit(struct cache *cache, uint64_t at)
{
    struct cache_time *time = cache->time;
    if (!time->queue_size) return true;
    const uint32_t first = cache_time_first(time->queue, time->queue_size);
    if (time->queue[first] > at) {
        cache->counts.prefetch_dropped++;
        return false;
    }
    /* it leaves the queue with its lookup, or when an MSHR is free for it */
    time->queue[first] = at + 1;
    if (time->mshr_count) {
        const uint64_t free = cache_time_free_mshr(time, at);
        if (free > at) time->queue[first] = free;
    }
    return true;
}

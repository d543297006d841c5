/* SPDX-License-Identifier: MIT */
/*
 * timed.h: the time that accesses of a cache take: ports, registers of misses (MSHRs), and queues
 * of prefetches.
 *
 * What a cache holds changes when it is accessed; when its data arrive is known beside each line.
 * An access of a line that is under way waits for it (it merges with the miss).  A miss begins
 * after the lookup, when one of the MSHRs is free, and holds that until its data arrive.  Requests
 * do not come in the order of cycles: a load that walks page tables asks for its data much later
 * than what another load, or another core, asks for after it.  So the times of misses are kept,
 * those to come, too.  A clock is common to all caches of a system: it has the cycle in which the
 * current request arrives at a cache, and, after the request, the cycle in which its data do.
 */
#ifndef SPOOR_SIMULATE_CACHE_TIMED_H
#define SPOOR_SIMULATE_CACHE_TIMED_H

#include "simulate/cache/cache.h"

struct memory_clock {
    uint64_t at, ready;
    bool stopped; /* caches are filled, and no time passes */
    bool merged;  /* set by a demand for a block that is under way */
    bool walks;   /* requests read page tables: prefetchers do not see them */
    /* What serves a request of the last level, from `at` on; returns when its data arrive. */
    uint64_t (*below)(void *context, uint64_t at, const struct request *request);
    void *context;
};

enum { PORT_CYCLES = 1024, POLLUTED = 1024, MSHRS_KEPT = 2 };
struct cache_time {
    struct memory_clock *clock;
    uint32_t latency;     /* cycles of a lookup */
    uint32_t ports;       /* lookups in a cycle; 0: any number */
    uint64_t *port_cycle; /* by cycle, modulo PORT_CYCLES: which cycle is meant, and its lookups */
    uint8_t *port_used;
    struct mshr {
        uint64_t begin, end;
    } * mshrs; /* the last misses, MSHRS_KEPT times as many as are under way at once */
    uint32_t mshr_count;
    uint64_t forgotten; /* misses that are not kept had their data by then: none begins before */
    uint64_t *queue;    /* the cycle in which each entry of the prefetch queue is free */
    uint32_t queue_size;
    uint64_t *ready;    /* of each line: the cycle in which its data arrive */
    uint64_t *polluted; /* blocks that prefetches evicted, by hash */
};

/* Gives a cache its time; false if memory runs out. */
bool cache_time_start(struct cache *cache, struct memory_clock *clock, uint32_t latency,
                      uint32_t ports, uint32_t mshrs, uint32_t queue);
/* Cycles are counted from 0 again, and nothing is under way. */
void cache_time_restart(struct cache *cache);
void cache_time_free(struct cache_time *time);

/* A visit of a cache in time. */
struct cache_visit_time {
    uint64_t begin; /* the request of the parent leaves, or the lookup is done */
    uint64_t ready; /* the data arrive */
    uint32_t mshr;
};
/* What policies and prefetchers know of the time of a request that arrives: MSHRs are those taken
 * after its lookup. */
void cache_time_note(const struct cache *cache, struct request *request);
/* The request of the clock arrives; `line`: of a hit.  Afterwards the clock has the cycle in which
 * a request of the parent leaves. */
struct cache_visit_time cache_time_begin(struct cache *cache, const struct request *request,
                                         uint64_t block, size_t line, bool miss);
/* The parent has answered a miss, whose data are of `line`; SIZE_MAX: of none. */
void cache_time_fill(struct cache *cache, struct cache_visit_time *visit, size_t line);
/* Something is evicted for a request. */
void cache_time_evict(struct cache *cache, const struct request *request, uint64_t block,
                      const struct line *gone);
/* True if a prefetch that the cache gets in the clock's cycle finds room in its queue. */
bool cache_time_admit(struct cache *cache, uint64_t at);

#endif

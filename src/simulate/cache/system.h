/* SPDX-License-Identifier: MIT */
/* system.h: a tree of caches and the entry points of each cpu. */
#ifndef SPOOR_SIMULATE_CACHE_SYSTEM_H
#define SPOOR_SIMULATE_CACHE_SYSTEM_H

#include "simulate/cache/cache.h"
#include "simulate/cache/timed.h"
#include "simulate/cpus.h"

/* ---- level.c ---- */

/* The policy and the prefetcher of a level; setups[1].component is NULL if it has none. */
enum spoor_status level_components(const struct spoor_cache_level *level,
                                   struct component_setup setups[2], struct spoor_error *error);
enum spoor_status level_check(const struct spoor_cache_level *level, struct spoor_error *error);
/* Ways of a set; all blocks of a fully associative level. */
uint64_t level_ways(const struct spoor_cache_level *level);

/* ---- system.c, tree.c ---- */

/* The caches of a level: `copies` caches from `first` on. */
struct tree_level {
    struct spoor_cache_level level;
    size_t first, copies;
    int parent; /* of its level; -1: memory */
    bool has_children;
};

/* The caches of one cpu, or of all; those of the first that the trace has also know the others. */
struct spoor_cache_system {
    bool splits; /* each cpu has a system of its own */
    bool shares; /* ... but for some levels, which are those of the first system */
    /* Of the others: that of the first cpu, and their number. */
    struct spoor_cache_system *first;
    uint32_t number;
    /* The shared levels count for one cpu at a time, that with the number `counting`; what the
     * first has counted is set aside while others count, as that of the others is in theirs. */
    struct memory_clock *clock; /* of accesses in time; NULL: they take none */
    uint32_t latencies[SPOOR_CACHE_LEVELS], fetch_latency; /* see cache_system_start_time() */
    size_t counting;
    struct spoor_cache_counts *set_aside;
    struct cpus machines;
    struct spoor_cache_system **others; /* by number of the cpu, from 1 on */
    size_t other_capacity;
    struct spoor_cache_counts *sums; /* of each cache over all cpus; NULL: there is one */
    uint64_t instructions;           /* fetches of instructions */
    uint64_t kept_instructions;      /* while paused: their number to restore */
    struct cache *caches;            /* from the top down */
    size_t count;
    struct tree_level *levels;
    size_t level_count;
    struct spoor_cache_options options;
    /* The caches at which references enter, by cpu and by kind (0 fetches, 1 data). */
    struct cache *entries[SPOOR_CACHE_COPIES][2][SPOOR_CACHE_LEVELS];
    size_t entry_count[2];
    bool single; /* all cpus enter at the same caches */
    bool out_of_memory, paused;
    bool hides_data;                 /* in the report */
    struct spoor_cache_counts *kept; /* while paused: the counts to restore */
    uint64_t unserved;               /* references that no level accepts */
    uint64_t kept_unserved;          /* while paused: their number to restore */
    uint32_t *ordinals;              /* of cpus by name, plus one */
    size_t ordinal_capacity;
    uint32_t cpus;
};

/* The system of the cpu with this number; 0: that of the first, also where there is none. */
static inline const struct spoor_cache_system *
system_of_cpu(const struct spoor_cache_system *system, size_t number)
{
    return number ? system->others[number - 1] : system;
}

/* system.c: what a cpu, by its number, has counted in a cache. */
const struct spoor_cache_counts *cache_system_counts_of(const struct spoor_cache_system *system,
                                                        size_t cpu, size_t index);
/* system.c: the system of a cpu, made if it is new; NULL: `error` has a message. */
struct spoor_cache_system *cache_system_of_cpu(struct spoor_cache_system *system, spoor_name cpu,
                                               struct spoor_error *error);
/* tree.c: lets accesses take time: `latencies` of lookups by depth, and `fetch` where fetches alone
 * enter.  Before the first access; false if memory runs out. */
bool cache_system_start_time(struct spoor_cache_system *system, struct memory_clock *clock,
                             const uint32_t *latencies, size_t count, uint32_t fetch);
/* system.c: cycles are counted from 0 again, and nothing is under way. */
void cache_system_restart_time(struct spoor_cache_system *system);
/* system.c: SPOOR_OK, or what ended the simulation: memory ran out, or the policy of a plug-in was
 * wrong.  Then spoor_cache_system_out_of_memory(), too. */
enum spoor_status cache_system_status(const struct spoor_cache_system *system,
                                      struct spoor_error *error);
/* system.c: the bytes that the arrays of the levels take; UINT64_MAX: more than can be counted. */
uint64_t cache_system_memory(const struct spoor_cache_level *levels, size_t count,
                             const struct spoor_cache_options *options);
/* tree.c: makes the private caches of each system known to those of the others, after a cpu came;
 * false if memory runs out. */
bool system_list_sharers(struct spoor_cache_system *first, size_t count);
/* tree.c: fill the levels, caches and entries. */
enum spoor_status system_build(struct spoor_cache_system *system,
                               const struct spoor_cache_level *levels, size_t count,
                               struct spoor_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * cache.h: one cache of a system, and the parts that act on it.
 *
 * A cache is an array of lines, `ways` of them to a set.  Its replacement policy chooses the victim
 * in a full set.  For most accesses it is called only if the line is not the one that its set used
 * last, so a call through a pointer is acceptable (see system_access_cache() in system.c).
 */
#ifndef SPOOR_SIMULATE_CACHE_H
#define SPOOR_SIMULATE_CACHE_H

#include "base/hash_map.h"
#include "simulate/cache/block_map.h"
#include "simulate/component.h"
#include "spoor/cache.h"
#include "spoor/plugin.h"

/* The tag of an empty line; see cache_is_empty(). */
#define NO_BLOCK UINT64_MAX

/* A request to a level: bytes of one block, unless it comes from above and is not yet split.  It
 * begins as struct spoor_plugin_access does, for the functions of plug-ins. */
struct request {
    uint64_t address, pc;
    uint32_t size;     /* bytes; 0: unknown */
    uint32_t cpu;      /* ordinal, in order of appearance */
    uint8_t op;        /* enum spoor_reference_op, up to MISC */
    bool prefetch;     /* a prefetch, not a demand access */
    bool for_prefetch; /* what a prefetch of a level above lacks */
    bool has_pc, timed;
    uint8_t mshrs;
    uint32_t latency;
    uint64_t cycle;
    uint32_t dirty; /* set by an exclusive level: the sub-blocks moved up that are dirty */
    bool silent;    /* one of several parts that count once */
};

struct line {
    uint32_t valid, dirty; /* a bit for each sub-block; no bit of `valid` is set if the line is
                            * empty */
    uint32_t referenced;   /* accessed, not only prefetched */
    uint16_t shared;       /* another cpu's cache may hold it too */
    uint16_t prefetched;   /* filled by a prefetch and not accessed yet */
};

/* ---- components ---- */

/* A replacement policy.  `touch` and `fill` report a way that was hit or filled. */
struct cache_policy {
    struct component component;
    /* Touching the way that the set touched or filled last has no effect. */
    bool repeats_freely;
    bool needs_future;
    bool needs_request; /* in touch() */
    /* Without needs_request, `request` is NULL for a hit that changes nothing but a dirty bit and
     * the policy's state. */
    void (*touch)(void *state, uint64_t set, uint32_t way, const struct request *request);
    void (*fill)(void *state, uint64_t set, uint32_t way, const struct request *request);
    uint32_t (*victim)(void *state, uint64_t set); /* every way holds a block; a plug-in's may be
                                                    * wrong */
    bool (*bypass)(void *state, uint64_t set, const struct request *request); /* NULL: never */
};

/* The touch or fill of a policy that learns nothing from it. */
static inline void policy_ignore(void *state, uint64_t set, uint32_t way,
                                 const struct request *request)
{
    (void)state, (void)set, (void)way, (void)request;
}

/* xorshift64* (Marsaglia 2003, Vigna 2016): seeded random numbers. */
static inline uint64_t policy_random(uint64_t *random)
{
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return *random * UINT64_C(0x2545F4914F6CDD1D);
}

/* The addresses of sub-blocks to prefetch when the current access has ended. */
static inline void prefetch_add(struct spoor_plugin_prefetches *prefetches, uint64_t address)
{
    spoor_plugin_prefetch(prefetches, address, 0);
}

/* A prefetcher.  `observe` receives every read and fetch; `first`: the first access to the
 * sub-block since it was filled. */
struct prefetcher {
    struct component component;
    void (*observe)(void *state, const struct request *request, bool miss, bool first,
                    struct spoor_plugin_prefetches *prefetches);
    /* A block was filled; `evicted`: the address of the one that it replaced, or NULL.  NULL: it
     * observes no fills. */
    void (*fill)(void *state, const struct request *request, const uint64_t *evicted,
                 struct spoor_plugin_prefetches *prefetches);
    bool issues_below; /* it may prefetch into the levels below */
};

/* ---- a cache ---- */

struct cache;
/*
 * MESI between the caches of several cpus (Papamarcos and Patel 1984).
 *
 * A dirty line is modified; a clean one is shared if another cpu's cache held the block when it was
 * filled, else exclusive.  A write invalidates the block in all other cpus' caches; a read miss
 * makes the cache that modified the block write it back.  A cache stores which blocks were
 * invalidated, and which of their bytes other cpus wrote since: a miss on such a block is true
 * sharing if it accesses one of those bytes, else false sharing (Eggers and Jeremiassen 1991, at
 * the moment of the miss).  The granularity is 1/32 of a block.
 */
struct coherence {
    struct cache **others; /* the caches with data of other cpus only, from the top down */
    size_t other_count;
    struct hash_map lost; /* block to the units that others wrote since */
};

enum sharing_miss { SHARING_NONE, SHARING_TRUE, SHARING_FALSE };

struct cache_time;  /* timed.h */
struct shadow;      /* classify.h */
struct attribution; /* attribution.h */

struct cache {
    char name[SPOOR_CACHE_NAME + 8];
    uint64_t sets, set_mask; /* set_mask: sets - 1, or 0 if sets is not a power of two */
    uint32_t ways;
    unsigned block_bits, sub_bits;
    uint64_t *tags;   /* the number of the block in each line, NO_BLOCK: none */
    uint64_t *order;  /* of each line: state of the policy */
    uint32_t *recent; /* of each set: the way touched or filled last */
    struct line *lines;
    struct hash_map index; /* with many ways: block to line */

    const struct cache_policy *policy;
    void *policy_state;
    struct future *future; /* NULL: the policy needs none */
    const struct prefetcher *prefetcher;
    void *prefetcher_state;
    struct spoor_plugin_prefetches *prefetches; /* NULL: no prefetcher */
    bool prefetched; /* its own prefetcher, or one above, fills it: lines are marked */
    uint64_t policy_bits, prefetcher_bits; /* of storage in hardware, of plug-ins; 0: unknown */

    enum spoor_cache_write write;
    enum spoor_cache_allocate allocate;
    enum spoor_cache_inclusion inclusion;
    enum spoor_cache_crossing crossing;
    uint8_t takes;
    uint8_t plain; /* a bit for each op that on a hit changes only a dirty bit and the policy's
                    * state */
    bool simple;   /* see tree_make_caches() */
    bool entry;    /* references of the trace enter here */
    bool private;  /* one of several private copies */
    /* Of a level that cpus with systems of their own share: the cache of the first cpu's system,
     * which has the lines; this one has only what its cpu counts there.  NULL: it is itself. */
    struct cache *stands_for;

    struct cache *parent, *child, *sibling; /* child: the first above; sibling: the next with the
                                             * same parent */
    bool *out_of_memory;                    /* of the system */
    bool misled;                            /* the policy, a plug-in, chose the way `wrong_way` */
    uint32_t wrong_way;
    /* without a parent: see struct spoor_cache_options; NULL: not called */
    void (*to_memory)(void *context, const struct spoor_reference *request);
    void *to_memory_context;
    struct cache_time *time;         /* NULL: accesses take no time */
    struct shadow *shadow;           /* NULL: misses are not classified */
    uint32_t *hints;                 /* of each line: the last position of its block in the
                                      * shadow */
    struct coherence *coherence;     /* NULL: no other cpu can have the block */
    struct attribution *attribution; /* NULL: nothing is attributed */
    struct spoor_cache_counts counts;
};

enum { INDEX_WAYS = 32 }; /* from this number of ways on, an index finds blocks */

/* ---- access.c ---- */

/* Allocates the arrays and makes the policy and the prefetcher, of which the setups have all but
 * what the cache knows; `prefetcher` NULL: none.  False if memory runs out, or, with a sentence in
 * `error`, if one of them cannot be made. */
bool cache_start(struct cache *cache, struct component_setup *policy,
                 struct component_setup *prefetcher, struct spoor_error *error);
void cache_free(struct cache *cache);
/* Runs a request, split at the cache's blocks; returns the depth that served it, 0 for this
 * cache. */
unsigned cache_request(struct cache *cache, struct request *request);
/* The line that holds a block, or SIZE_MAX. */
size_t cache_find(const struct cache *cache, uint64_t block);
/* Writes the dirty runs of a line to the parent; the line is clean afterwards. */
void cache_write_down(struct cache *cache, size_t line);
/* Empties a line. */
void cache_drop(struct cache *cache, size_t line);
/* Writes all dirty sub-blocks to the parent, set by set. */
void cache_flush(struct cache *cache);

static inline uint64_t cache_set_of(const struct cache *cache, uint64_t block)
{
    return cache->set_mask || cache->sets == 1 ? block & cache->set_mask : block % cache->sets;
}
/* Only with blocks of 1 byte is NO_BLOCK a valid block number: only then is the tag not sufficient.
 */
static inline bool cache_is_empty(const struct cache *cache, size_t line)
{
    return cache->tags[line] == NO_BLOCK && cache->lines[line].valid == 0;
}
static inline uint64_t cache_block_size(const struct cache *cache)
{
    return UINT64_C(1) << cache->block_bits;
}
#endif

/* SPDX-License-Identifier: MIT */
/*
 * cache.h: one cache of a system, and the parts that act on it.
 *
 * A cache is an array of lines, `ways` of them to a set.  Its replacement policy says which way of
 * a full set goes; most often it is asked only where the line is not the one its set used last,
 * which is why it may be called through a pointer (see access_cache in system.c).
 */
#ifndef SPOOR_SIMULATE_CACHE_H
#define SPOOR_SIMULATE_CACHE_H

#include "simulate/cache/block_map.h"
#include "spoor/cache.h"

/* The tag of an empty line; see cache_is_empty(). */
#define NO_BLOCK UINT64_MAX

/* What a level is asked for: bytes of one block, unless it comes from above and is yet to be cut.
 */
struct request {
    uint64_t address, pc;
    uint32_t size; /* bytes; 0: unknown */
    uint32_t cpu;  /* ordinal, in order of appearance */
    uint8_t op;    /* enum spoor_reference_op, up to MISC */
    bool prefetch; /* nobody asked for it yet */
    bool has_pc;
    bool silent;    /* one part of several that count once */
    uint32_t dirty; /* set by an exclusive level: what came up is dirty */
};

struct line {
    uint32_t valid, dirty; /* a bit for each sub-block; none is valid where there is no block */
    uint32_t referenced;   /* asked for, not just prefetched */
    uint16_t shared;       /* another cpu's cache may hold it too */
    uint16_t prefetched;   /* brought in by a prefetch and not asked for yet */
};

struct cache;

/* Which way of a set goes.  `fill` and `touch` tell of a way that was filled or hit. */
struct cache_policy {
    const char *name, *title;
    /* To touch the way that the set touched or filled last again changes nothing. */
    bool repeats_freely;
    bool needs_future;
    bool (*start)(struct cache *cache); /* NULL: nothing to prepare; false without memory */
    void (*touch)(struct cache *cache, uint64_t set, uint32_t way);
    void (*fill)(struct cache *cache, uint64_t set, uint32_t way, const struct request *request);
    uint32_t (*victim)(struct cache *cache, uint64_t set); /* every way holds a block */
};
extern const struct cache_policy *const cache_policies[]; /* NULL behind the last */

/* What to bring in before it is asked for.  `observe` is told of every read and fetch, and calls
 * cache_prefetch(). */
struct prefetcher {
    const char *name, *title;
    size_t state_size;
    void (*observe)(struct cache *cache, const struct request *request, bool miss,
                    bool first_touch);
};
extern const struct prefetcher *const prefetchers[];

struct shadow;  /* classify.h */
struct sharing; /* coherence.h */
struct blame;   /* attribute.h */

struct cache {
    char name[SPOOR_CACHE_NAME + 8];
    uint64_t sets, set_mask; /* set_mask: sets - 1, or 0 where sets is no power of two */
    uint32_t ways;
    unsigned block_bits, sub_bits;
    uint64_t *tags;      /* the number of the block in each line, NO_BLOCK: none */
    uint64_t *order;     /* of each line: what its policy keeps */
    uint64_t *set_state; /* of each set: what its policy keeps */
    uint32_t *recent;    /* of each set: the way touched or filled last */
    struct line *lines;
    struct block_map index; /* of many ways: block to line */

    const struct cache_policy *policy;
    uint64_t clock, random; /* of policies */
    void *policy_state;
    const struct prefetcher *prefetcher;
    void *prefetcher_state;
    uint32_t degree;
    unsigned pending; /* prefetches that wait for the access to be finished */
    struct request *waiting;

    enum spoor_cache_write write;
    enum spoor_cache_allocate allocate;
    enum spoor_cache_inclusion inclusion;
    enum spoor_cache_crossing crossing;
    uint8_t takes;
    uint8_t
        plain; /* a bit for each op that on a hit changes only a dirty bit and the policy's state */
    bool entry;   /* references of the trace enter here */
    bool private; /* one of several copies */

    struct cache *parent, *child, *sibling; /* child: the first above; sibling: beside it */
    bool *out_of_memory;                    /* of the system */
    struct shadow *shadow;                  /* NULL: misses are not classified */
    uint32_t *hints;                        /* of each line: where the shadow had its block last */
    struct sharing *sharing;                /* NULL: no other cpu can have the block */
    struct blame *blame;                    /* NULL: nothing is attributed */
    struct spoor_cache_counts counts;
};

enum { MOST_PREFETCHES = 64, INDEX_WAYS = 32 /* from here on an index finds blocks */ };

/* ---- access.c ---- */

/* Make the arrays; false without memory. */
bool cache_start(struct cache *cache);
void cache_finish(struct cache *cache);
/* A request, cut at the cache's blocks; the depth that answered, 0 this cache. */
unsigned cache_request(struct cache *cache, struct request *request);
/* Ask for the sub-block at `address` once the access at hand is finished. */
void cache_prefetch(struct cache *cache, const struct request *cause, uint64_t address);
/* The line that holds a block, or SIZE_MAX. */
size_t cache_find(const struct cache *cache, uint64_t block);
/* Write the dirty runs of a line to the parent; the line is clean behind it. */
void cache_write_down(struct cache *cache, size_t line);
/* Empty a line. */
void cache_drop(struct cache *cache, size_t line);
/* Write all that is dirty to the parent, set by set. */
void cache_flush(struct cache *cache);
/* Have the caches above give up what lies in [address, address + size): returns their dirty bytes
 * as bits of this cache's sub-blocks. */
uint32_t cache_recall(struct cache *cache, uint64_t address, uint64_t size);

static inline void cache_out_of_memory(const struct cache *cache)
{
    *cache->out_of_memory = true;
}
static inline uint64_t cache_set_of(const struct cache *cache, uint64_t block)
{
    return cache->set_mask || cache->sets == 1 ? block & cache->set_mask : block % cache->sets;
}
/* Blocks of 1 byte are the ones of which NO_BLOCK is one: only there is more than the tag to see.
 */
static inline bool cache_is_empty(const struct cache *cache, size_t line)
{
    return cache->tags[line] == NO_BLOCK && cache->lines[line].valid == 0;
}
static inline uint64_t cache_block_size(const struct cache *cache)
{
    return UINT64_C(1) << cache->block_bits;
}
static inline uint64_t cache_sub_size(const struct cache *cache)
{
    return UINT64_C(1) << cache->sub_bits;
}
/* xorshift64* (Marsaglia 2003, Vigna 2016): random numbers of a seed. */
static inline uint64_t cache_random(struct cache *cache)
{
    cache->random ^= cache->random >> 12;
    cache->random ^= cache->random << 25;
    cache->random ^= cache->random >> 27;
    return cache->random * UINT64_C(0x2545F4914F6CDD1D);
}

#endif

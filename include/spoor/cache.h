/* SPDX-License-Identifier: MIT */
/*
 * cache.h: caches, simulated on the memory references of a trace.
 *
 * A system is a tree of levels: each misses into its parent, the last into memory.  Levels are
 * described by words, "NAME:SIZE,WAYS,BLOCK[,key=value...]", or by struct spoor_cache_level.  A
 * reference enters at every level that nobody has for a parent and that takes its kind (fetches,
 * data, all): several such are simulated side by side.
 *
 * What happens on one access, in this order (the one of DineroIV, so that its published results
 * hold): the block is looked for; on a miss a way is chosen and its block given up; the missing
 * bytes are read from the parent; a write that is not kept is written to the parent; the dirty
 * bytes of the block given up are written to the parent; prefetches follow.
 *
 * Memory grows with the caches and, for compulsory misses, with the distinct blocks of the trace;
 * only OPT needs all references beforehand.
 */
#ifndef SPOOR_CACHE_H
#define SPOOR_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "result.h"
#include "view.h"

enum spoor_cache_write {
    SPOOR_CACHE_WRITE_BACK,    /* a written block is dirty, and written down when given up */
    SPOOR_CACHE_WRITE_THROUGH, /* every write goes on to the parent */
    SPOOR_CACHE_WRITE_IGNORE,  /* a write is as a read, and nothing is ever written down */
};
enum spoor_cache_allocate {
    SPOOR_CACHE_ALLOCATE,             /* a write that misses brings its block in */
    SPOOR_CACHE_NO_ALLOCATE,          /* it goes on to the parent */
    SPOOR_CACHE_ALLOCATE_IF_COMPLETE, /* brings it in if it writes whole sub-blocks */
};
enum spoor_cache_inclusion {
    SPOOR_CACHE_NEITHER,   /* of its own: neither inclusive nor exclusive */
    SPOOR_CACHE_INCLUSIVE, /* holds all that is above: what it gives up, those above give up too */
    SPOOR_CACHE_EXCLUSIVE, /* is filled by what those above give up, and gives what they ask for */
};
/* A reference whose bytes lie in several blocks. */
enum spoor_cache_crossing {
    SPOOR_CACHE_CROSSING_PARTS, /* counts as one access for each block (DineroIV's extended form) */
    SPOOR_CACHE_CROSSING_ONCE,  /* one access, a miss where any block misses (cachegrind) */
    SPOOR_CACHE_CROSSING_FIRST, /* only its lowest byte counts */
};
enum spoor_cache_takes { /* bits */
                         SPOOR_CACHE_FETCHES = 1,
                         SPOOR_CACHE_DATA = 2, /* reads, writes and those of no particular kind */
                         SPOOR_CACHE_ALL = 3,
};

enum { SPOOR_CACHE_NAME = 32, SPOOR_CACHE_LEVELS = 32, SPOOR_CACHE_COPIES = 64 };

struct spoor_cache_level {
    char name[SPOOR_CACHE_NAME];
    char parent[SPOOR_CACHE_NAME]; /* "": the next level that takes what this one takes;
                                    * "memory": none */
    uint64_t size;                 /* bytes; a multiple of ways * block */
    uint32_t ways;                 /* 0: fully associative */
    uint32_t block, sub_block;     /* bytes, powers of two; sub_block 0: the whole block; at most
                                    * 32 of them in a block */
    const char *policy;            /* spoor_cache_policy_name(); NULL: "lru" */
    const char *prefetch;          /* spoor_cache_prefetcher_name(); NULL: none */
    uint32_t degree;               /* sub-blocks that a prefetcher asks for at once; 0: 1 */
    uint32_t victim;               /* blocks of a victim cache behind it; 0: none */
    uint32_t copies;               /* 0, 1: shared by all cpus; N: one for each of N cpus */
    enum spoor_cache_write write;
    enum spoor_cache_allocate allocate;
    enum spoor_cache_inclusion inclusion;
    enum spoor_cache_crossing crossing;
    enum spoor_cache_takes takes;
};

/* Fill `level` from "l1d:32K,8,64,policy=srrip".  SIZE and BLOCK take K, M and G; WAYS may be
 * "full".  Keys: parent=NAME|memory; policy=; write=back|through|ignore; alloc=yes|no|complete;
 * incl=neither|inclusive|exclusive; prefetch=; degree=N; victim=BLOCKS; sub=BYTES;
 * split=parts|once|first; takes=fetch|data|all (by itself: what a name such as l1i or D1 says);
 * cpus=N.  SPOOR_EUSAGE with a sentence where the words make no sense. */
enum spoor_status spoor_cache_level_parse(struct spoor_cache_level *level, const char *words,
                                          struct spoor_error *error);

/* The replacement policies and prefetchers that there are; NULL behind the last. */
const char *spoor_cache_policy_name(size_t index);
const char *spoor_cache_policy_title(size_t index);
const char *spoor_cache_prefetcher_name(size_t index);
const char *spoor_cache_prefetcher_title(size_t index);

struct spoor_cache_options {
    bool classify;         /* tell compulsory, capacity and conflict misses apart (Hill 1987) */
    bool flush;            /* at the end write all that is dirty down (DineroIV) */
    bool incoherent;       /* copies for several cpus do not see each other's writes */
    uint32_t unknown_size; /* bytes of an access whose size the trace does not say, aligned down to
                            * as many (DineroIV: 4); 0: it touches one block, and what it writes
                            * through is not in the traffic */
    uint64_t seed;         /* of random, BRRIP, DRRIP */
    bool by_pc, by_region, by_set; /* whose misses: see spoor_cache_system_report() */
    uint32_t region;               /* bytes of a region, a power of two; 0: 4096 */
};

struct spoor_cache_system;

/* On SPOOR_OK the caller owns *system.  SPOOR_EUSAGE: the levels make no tree, with a sentence. */
enum spoor_status spoor_cache_system_new(struct spoor_cache_system **system,
                                         const struct spoor_cache_level *levels, size_t count,
                                         const struct spoor_cache_options *options,
                                         struct spoor_error *error);
void spoor_cache_system_free(struct spoor_cache_system *system);

/* One reference.  The depth that answered: 0 the level it entered, 1 the next, ... n memory, which
 * is below the n levels of that way; the deepest where the reference lies in several blocks.  A
 * write that a level takes without asking its parent is answered there. */
unsigned spoor_cache_system_access(struct spoor_cache_system *system,
                                   const struct spoor_reference *reference);
/* Many; the same as one after another, and faster. */
void spoor_cache_system_feed(struct spoor_cache_system *system,
                             const struct spoor_reference *references, size_t count);
/* Whether a level uses OPT, which must be told all references before they are fed. */
bool spoor_cache_system_needs_future(const struct spoor_cache_system *system);
/* Tell what is to come: exactly what will be fed from here on.  False without memory. */
bool spoor_cache_system_foresee(struct spoor_cache_system *system,
                                const struct spoor_reference *references, size_t count);
/* Nothing more comes: write down what is dirty, if that was asked for. */
void spoor_cache_system_end(struct spoor_cache_system *system);
/* What is fed from here on changes the contents and is not counted (misses by pc, region and set
 * are), until counting goes on. */
void spoor_cache_system_pause(struct spoor_cache_system *system);
void spoor_cache_system_resume(struct spoor_cache_system *system);
/* Whether memory ran out on the way: the counts are not to be trusted. */
bool spoor_cache_system_out_of_memory(const struct spoor_cache_system *system);

/* Counts of one cache, by enum spoor_reference_op up to MISC. */
enum { SPOOR_CACHE_KINDS = SPOOR_REFERENCE_MISC + 1 };
struct spoor_cache_counts {
    uint64_t accesses[SPOOR_CACHE_KINDS], misses[SPOOR_CACHE_KINDS];
    uint64_t block_misses[SPOOR_CACHE_KINDS]; /* with sub-blocks: no part of the block was there */
    uint64_t prefetches[SPOOR_CACHE_KINDS], prefetch_misses[SPOOR_CACHE_KINDS];
    uint64_t compulsory[SPOOR_CACHE_KINDS], capacity[SPOOR_CACHE_KINDS],
        conflict[SPOOR_CACHE_KINDS];
    uint64_t dirty_misses[SPOOR_CACHE_KINDS]; /* misses that gave up a dirty block */
    uint64_t prefetch_useful;     /* prefetched blocks that were asked for before they went */
    uint64_t crossings;           /* references that lay in more than one block */
    uint64_t writebacks;          /* runs of dirty sub-blocks written down */
    uint64_t bytes_in, bytes_out; /* from and to the parent */
    uint64_t unsized;             /* accesses of unknown size that were written through */
    uint64_t invalidations;       /* blocks lost to another cpu's write */
    uint64_t true_sharing;        /* misses on a block lost so, where another cpu wrote the bytes */
    uint64_t false_sharing;       /* and where others wrote only other bytes of it */
    uint64_t upgrades;            /* writes to a clean block that another cpu's cache held too */
    uint64_t interventions;       /* dirty blocks written down as another cpu read them */
    uint64_t back_invalidations;  /* blocks lost as an inclusive parent gave them up */
};
size_t spoor_cache_system_count(const struct spoor_cache_system *system);
const char *spoor_cache_system_name(const struct spoor_cache_system *system, size_t index);
const struct spoor_cache_counts *spoor_cache_system_counts(const struct spoor_cache_system *system,
                                                           size_t index);
/* Misses of each set of a cache, where by_set asked for them; else NULL. */
const uint64_t *spoor_cache_system_set_misses(const struct spoor_cache_system *system, size_t index,
                                              size_t *sets);
/* Fill an object: `caches`, an array in the order of the levels, and for each cache what was asked
 * for of by_pc, by_region (the `most` with most misses, as `pcs` and `regions`) and, with
 * `list_sets`, by_set (`sets`). */
void spoor_cache_system_report(const struct spoor_cache_system *system, size_t most, bool list_sets,
                               struct spoor_result *result);

#endif

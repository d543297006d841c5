/* SPDX-License-Identifier: MIT */
/*
 * cache.h: caches, simulated on the memory references of a trace.
 *
 * A system is a tree of levels: a miss goes to the parent, the last level's to memory.  A level is
 * described by a string, "NAME:SIZE,WAYS,BLOCK[,key=value...]", or by struct spoor_cache_level.  A
 * reference enters at every level that is no other level's parent and that accepts its kind
 * (fetches, data, all): several such levels are simulated side by side.
 *
 * The steps of one access, in the order of DineroIV, so that its published results are reproduced:
 * look the block up; on a miss choose a way and evict its block; read the missing bytes from the
 * parent; pass a write that this level does not hold on to the parent; write the dirty bytes of the
 * evicted block to the parent; prefetch.
 *
 * Memory grows with the caches and, for compulsory misses, with the distinct blocks of the trace;
 * only OPT needs all references in advance.
 */
#ifndef SPOOR_CACHE_H
#define SPOOR_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "component.h"
#include "error.h"
#include "result.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum spoor_cache_write {
    SPOOR_CACHE_WRITE_BACK,    /* a written block becomes dirty and is written to the parent on
                                * eviction */
    SPOOR_CACHE_WRITE_THROUGH, /* every write goes to the parent as well */
    SPOOR_CACHE_WRITE_IGNORE,  /* a write acts as a read, and nothing is written to the parent */
};
enum spoor_cache_allocate {
    SPOOR_CACHE_ALLOCATE,             /* a write miss fills its block */
    SPOOR_CACHE_NO_ALLOCATE,          /* a write miss goes to the parent only */
    SPOOR_CACHE_ALLOCATE_IF_COMPLETE, /* a write miss fills its block if it writes whole
                                       * sub-blocks */
};
enum spoor_cache_inclusion {
    SPOOR_CACHE_NEITHER,   /* non-inclusive: neither inclusive nor exclusive */
    SPOOR_CACHE_INCLUSIVE, /* holds all blocks of the levels above: an eviction invalidates the
                            * block in them */
    SPOOR_CACHE_EXCLUSIVE, /* filled by the evictions of the levels above; a hit moves the block
                            * up */
};
/* The counting of a reference whose bytes lie in several blocks. */
enum spoor_cache_crossing {
    SPOOR_CACHE_CROSSING_PARTS, /* one access for each block (DineroIV's extended form) */
    SPOOR_CACHE_CROSSING_ONCE,  /* one access, a miss if any block misses (cachegrind) */
    SPOOR_CACHE_CROSSING_FIRST, /* one access, to the block of its lowest byte */
};
/* The kinds of references that a level accepts; a set of bits. */
enum spoor_cache_takes {
    SPOOR_CACHE_FETCHES = 1,
    SPOOR_CACHE_DATA = 2, /* reads, writes and accesses of unspecified kind */
    SPOOR_CACHE_ALL = 3,
};

/* Bytes of a name with its NUL, and the maximum numbers of levels and of copies of a level. */
enum { SPOOR_CACHE_NAME = 32, SPOOR_CACHE_LEVELS = 32, SPOOR_CACHE_COPIES = 64 };

/* One level of the tree.  With zero in all members but `name`, `size`, `block` and `takes`, it is a
 * fully associative LRU cache that writes back and allocates. */
struct spoor_cache_level {
    char name[SPOOR_CACHE_NAME];   /* each level has another name */
    char parent[SPOOR_CACHE_NAME]; /* "": the next level that accepts the same kinds; "memory":
                                    * none */
    uint64_t size;                 /* bytes; a multiple of ways * block */
    uint32_t ways;                 /* 0: fully associative */
    uint32_t block, sub_block;     /* bytes, powers of two; sub_block 0: the whole block; at most 32
                                    * per block */
    char policy[SPOOR_COMPONENT_SPEC];   /* "": lru */
    char prefetch[SPOOR_COMPONENT_SPEC]; /* "": none */
    uint32_t degree;                     /* sub-blocks per prefetch; 0: 1 */
    uint32_t victim;                     /* blocks of a victim cache for this level's evictions; 0:
                                          * none */
    uint32_t copies; /* 0, 1: one cache, shared by all cpus; N: a private cache for
                      * each of N cpus */
    uint32_t shared; /* 1: where each cpu has a system of its own, this level is one for all of
                      * them; so are those below it.  Then writes of a cpu invalidate blocks in the
                      * private caches of the others, as with `copies` */
    /* In time alone (spoor/pipeline.h), each 0: unlimited.  Lookups in a cycle, misses under way,
     * and prefetches that wait. */
    uint32_t ports, mshrs, prefetch_queue;
    enum spoor_cache_write write;
    enum spoor_cache_allocate allocate;
    enum spoor_cache_inclusion inclusion;
    enum spoor_cache_crossing crossing;
    enum spoor_cache_takes takes;
};

/* Fills `level` from "l1d:32K,8,64,policy=srrip".  SIZE and BLOCK take K, M and G; WAYS may be
 * "full".  Keys: parent=NAME|memory; policy=SPEC; write=back|through|ignore; alloc=yes|no|complete;
 * incl=neither|inclusive|exclusive; prefetch=SPEC; degree=N; victim=BLOCKS; sub=BYTES;
 * split=parts|once|first; takes=fetch|data|all (default: as a name such as l1i or D1 implies);
 * cpus=N; shared=no|yes; of pipelines ports=N, mshrs=N, pq=N.  SPOOR_EUSAGE with a message if
 * `words` is invalid. */
enum spoor_status spoor_cache_level_parse(struct spoor_cache_level *level, const char *words,
                                          struct spoor_error *error);

struct spoor_cache_options {
    size_t struct_size;    /* sizeof this struct */
    bool classify;         /* classify misses as compulsory, capacity or conflict (Hill 1987) */
    bool flush;            /* write all dirty blocks to memory at the end (DineroIV) */
    bool incoherent;       /* private caches do not see each other's writes */
    uint32_t unknown_size; /* size in bytes of an access whose size the trace does not state, with
                            * its address aligned down to it (DineroIV: 4); 0: the access touches
                            * one block, and its write-through bytes are not counted in the
                            * traffic */
    uint64_t seed;         /* for random, BRRIP, DRRIP */
    bool shared; /* all cpus of the trace share the levels.  Else each cpu (or thread) has a system
                  * of its own, apart from levels that are `shared`, unless a level has `copies`:
                  * then the caller states what is private */
    bool by_pc, by_region, by_set; /* attribution of misses: see spoor_cache_system_report() */
    uint32_t region;               /* bytes of a region, a power of two; 0: 4096 */
    uint64_t memory;               /* bytes that the levels may take in the memory of this machine;
                                    * 0: half of what it has */
    /* Called for each request that leaves the last level, in order, also while counting is paused:
     * what misses and prefetches read (the op that missed, of a write READ), what is written back
     * or through (WRITE).  It has the pc of the reference, where that has one.  NULL: not called.
     */
    void (*request)(void *context, const struct spoor_reference *request);
    void *request_context;
};

struct spoor_cache_system;

/* On SPOOR_OK the caller owns *system.  SPOOR_EUSAGE with a message: the levels are not a tree, or
 * take more memory than is allowed. */
enum spoor_status spoor_cache_system_new(struct spoor_cache_system **system,
                                         const struct spoor_cache_level *levels, size_t count,
                                         const struct spoor_cache_options *options,
                                         struct spoor_error *error);
void spoor_cache_system_free(struct spoor_cache_system *system);

/* Accesses one reference.  Returns the depth that served it: 0 the level it entered, 1 the next,
 * ..., n memory, where n is the number of levels on that path; the greatest depth if the reference
 * lies in several blocks.  A write that a level absorbs without its parent is served there. */
unsigned spoor_cache_system_access(struct spoor_cache_system *system,
                                   const struct spoor_reference *reference);
/* Accesses many references: the same result as one after another, and faster. */
enum spoor_status spoor_cache_system_feed(struct spoor_cache_system *system,
                                          const struct spoor_reference *references, size_t count,
                                          struct spoor_error *error);
/* True if a level uses OPT, which needs all references before the first access. */
bool spoor_cache_system_needs_future(const struct spoor_cache_system *system);
/* Announces the future: exactly the references that will be fed from here on. */
enum spoor_status spoor_cache_system_foresee(struct spoor_cache_system *system,
                                             const struct spoor_reference *references, size_t count,
                                             struct spoor_error *error);
/* The trace has ended: writes dirty blocks to memory if `flush` is set. */
enum spoor_status spoor_cache_system_end(struct spoor_cache_system *system,
                                         struct spoor_error *error);
/* References fed from here on change the contents but are not counted, until counting resumes.
 * (Misses by pc, region and set are counted all the same.) */
void spoor_cache_system_pause(struct spoor_cache_system *system);
void spoor_cache_system_resume(struct spoor_cache_system *system);
/* A warm-up ends: the contents stay, and the counts of every level are zero again.  Misses by pc,
 * region and set are not. */
void spoor_cache_system_end_warmup(struct spoor_cache_system *system);
/* True if memory ran out: then the counts are invalid. */
bool spoor_cache_system_out_of_memory(const struct spoor_cache_system *system);

/* Counts of one cache, by enum spoor_reference_op up to MISC. */
enum { SPOOR_CACHE_KINDS = SPOOR_REFERENCE_MISC + 1 };
struct spoor_cache_counts {
    uint64_t accesses[SPOOR_CACHE_KINDS], misses[SPOOR_CACHE_KINDS]; /* of demand */
    uint64_t prefetch_requests[SPOOR_CACHE_KINDS], /* what prefetches of levels above ask for */
        prefetch_request_misses[SPOOR_CACHE_KINDS];
    uint64_t block_misses[SPOOR_CACHE_KINDS]; /* with sub-blocks: no part of the block was
                                               * present */
    uint64_t prefetches[SPOOR_CACHE_KINDS], prefetch_misses[SPOOR_CACHE_KINDS];
    uint64_t compulsory[SPOOR_CACHE_KINDS], capacity[SPOOR_CACHE_KINDS],
        conflict[SPOOR_CACHE_KINDS];
    uint64_t dirty_misses[SPOOR_CACHE_KINDS]; /* misses that evicted a dirty block */
    uint64_t prefetch_useful;     /* prefetched blocks that were accessed before their eviction */
    uint64_t evictions;           /* blocks replaced by others */
    uint64_t crossings;           /* references that lay in more than one block */
    uint64_t writebacks;          /* runs of dirty sub-blocks written to the parent */
    uint64_t bytes_in, bytes_out; /* from and to the parent */
    uint64_t unsized;             /* accesses of unknown size that were written through */
    uint64_t invalidations;       /* blocks invalidated by another cpu's write */
    uint64_t true_sharing;        /* misses on such a block, if another cpu wrote the bytes */
    uint64_t false_sharing;       /* the same, if other cpus wrote only other bytes of it */
    uint64_t upgrades;            /* writes to a clean block that another cpu's cache held too */
    uint64_t interventions;       /* dirty blocks written back because another cpu read them */
    /* in time alone: accesses of demand to blocks under way, and the cycles that they waited;
     * cycles that misses waited for an MSHR; of prefetched blocks: used while under way, evicted
     * unused, prefetches for which the queue had no room, and misses on blocks that prefetches
     * evicted */
    uint64_t merges, merge_cycles, mshr_cycles;
    uint64_t prefetch_late, prefetch_useless, prefetch_dropped, prefetch_polluting;
    uint64_t back_invalidations; /* blocks invalidated by an eviction of an inclusive parent */
};
/* Names the cpus of a trace that has several, for the report: the names of its stream.  Without it
 * they are numbered, in the order in which they came. */
void spoor_cache_system_name_cpus(struct spoor_cache_system *system,
                                  const struct spoor_stream *stream);
/* The number of cpus that have systems of their own; 1 if they share. */
size_t spoor_cache_system_cpu_count(const struct spoor_cache_system *system);
/* The instructions of the trace that counted: fetches that are no bus transactions; 0: it states
 * none. */
uint64_t spoor_cache_system_instructions(const struct spoor_cache_system *system);
/* The number of caches, those of private copies included; and the name and the counts of one, by
 * index from 0, sums over all cpus.  The strings and counts belong to the system; the counts are
 * those of the moment of the call. */
size_t spoor_cache_system_count(const struct spoor_cache_system *system);
const char *spoor_cache_system_name(const struct spoor_cache_system *system, size_t index);
const struct spoor_cache_counts *spoor_cache_system_counts(const struct spoor_cache_system *system,
                                                           size_t index);
/* Misses of each set of a cache, with by_set; else, or where several cpus have systems of their
 * own, NULL. */
const uint64_t *spoor_cache_system_set_misses(const struct spoor_cache_system *system, size_t index,
                                              size_t *sets);
/* The trace states no data accesses: the report has null for what depends on them. */
void spoor_cache_system_hide_data(struct spoor_cache_system *system);
/* Fills an object: `caches`, an array in the order of the levels.  Each cache has, if enabled,
 * by_pc and by_region (`pcs` and `regions`: at most `maximum` entries, those with the highest
 * number of misses) and, with `list_sets`, by_set (`sets`).  Of several cpus the counts are sums,
 * and an array `cpus` has a row for each cache of each, with what these list. */
enum spoor_status spoor_cache_system_report(const struct spoor_cache_system *system, size_t maximum,
                                            bool list_sets, struct spoor_result *result);

/* Fills a row with the counts of one cache of the system, as in `caches`; or of one of its cpus,
 * from 0, in the order in which they came, as in `cpus`. */
void spoor_cache_system_report_row(const struct spoor_cache_system *system, size_t index,
                                   struct spoor_result *row);
void spoor_cache_system_report_cpu(const struct spoor_cache_system *system, size_t index,
                                   size_t cpu, struct spoor_result *row);

#ifdef __cplusplus
}
#endif

#endif

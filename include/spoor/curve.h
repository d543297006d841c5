/* SPDX-License-Identifier: MIT */
/*
 * curve.h: the misses of every size of a fully associative LRU cache, from one pass.
 *
 * An access whose block was accessed before, with d other blocks in between, hits in every cache of
 * more than d blocks: its stack distance is d (Mattson, Gecsei, Slutz, Traiger 1970).  A histogram
 * of all stack distances therefore gives the exact misses of every size.  With a rate below 1, only
 * blocks whose hash is below it are followed, and distances are scaled: SHARDS (Waldspurger, Park,
 * Garthwaite, Ahmad, FAST 2015), with the correction for the number of samples that the paper calls
 * SHARDS_adj.  Samples are inaccurate for small caches, which hold few of the followed blocks.
 * Therefore the misses of up to 1,024 blocks are always exact, and above that size the misses on
 * blocks used before are scaled to meet the exact number at 1,024.
 *
 * Memory grows with the number of distinct blocks that are followed, not with the length of the
 * trace.
 */
#ifndef SPOOR_CURVE_H
#define SPOOR_CURVE_H

#include "error.h"
#include "result.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_curve_options {
    size_t struct_size;    /* sizeof this struct */
    uint32_t block;        /* bytes, a power of two; 0: 64 */
    double rate;           /* share of the blocks that are followed; 0 or 1: all */
    unsigned takes;        /* enum spoor_cache_takes; 0: all */
    uint32_t unknown_size; /* as in spoor_cache_options */
    bool every;  /* the report has every number of blocks up to that which is enough, not powers of
                  * two  alone; with a rate below 1 it has these */
    bool shared; /* one cache of all cpus is meant: the report does not say that it is one */
};

struct spoor_curve;

/* On SPOOR_OK the caller owns *curve; SPOOR_EUSAGE: an invalid block or rate. */
enum spoor_status spoor_curve_new(struct spoor_curve **curve,
                                  const struct spoor_curve_options *options,
                                  struct spoor_error *error);
void spoor_curve_free(struct spoor_curve *curve);
/* A reference that lies in several blocks accesses each of them. */
enum spoor_status spoor_curve_feed(struct spoor_curve *curve,
                                   const struct spoor_reference *references, size_t count,
                                   struct spoor_error *error);
/* A warm-up ends: no access is counted any more, and blocks accessed so far are known. */
void spoor_curve_end_warmup(struct spoor_curve *curve);
enum spoor_status spoor_curve_end(struct spoor_curve *curve, struct spoor_error *error);

/* Accesses so far. */
uint64_t spoor_curve_accesses(const struct spoor_curve *curve);
/* Misses of a cache of `blocks` blocks: exact at rate 1, else an estimate. */
double spoor_curve_misses(const struct spoor_curve *curve, uint64_t blocks);
/* The minimum number of blocks from which on only first accesses miss. */
uint64_t spoor_curve_enough(const struct spoor_curve *curve);
/* Fills an object: block, accesses, followed, cold (of those followed, first accesses to a block),
 * and `curve`: blocks, size (bytes), misses, miss_ratio and, where fetches make instructions known,
 * mpki at each power of two up to the first that is at least spoor_curve_enough(); and `reuse`: the
 * accesses, and their share, whose stack distance is below that power of two and not below the one
 * before. */
enum spoor_status spoor_curve_report(const struct spoor_curve *curve, struct spoor_result *result);

#ifdef __cplusplus
}
#endif

#endif

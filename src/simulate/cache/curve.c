/* SPDX-License-Identifier: MIT */
/* curve.c: the histogram of stack distances, and from it the misses of caches of every size. */
#include "spoor/curve.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "model/options.h"
#include "simulate/cache/block_run.h"
#include "simulate/cache/stack_distance.h"
#include "spoor/cache.h"

enum {
    EXACT = 1024,   /* places that are exact at every rate */
    HASH_BITS = 24, /* of a block's hash, to compare with the rate */
    FIRST_DISTANCES = 512,
    USUAL_BLOCK = 64,
};

struct spoor_curve {
    struct spoor_curve_options options;
    unsigned block_bits;
    uint32_t threshold; /* upper bound of the hash of followed blocks; 0: all are followed */
    uint64_t accesses, followed, cold;
    struct stack stack;  /* the stack of the followed blocks */
    uint64_t *distances; /* histogram of their stack distances */
    size_t distance_capacity;

    struct stack top; /* at a rate below 1: the first EXACT of all blocks */
    uint64_t top_distances[EXACT];
};

/* ---- an access ---- */

static inline bool follow(struct spoor_curve *curve, uint64_t block)
{
    const size_t distance = stack_use(&curve->stack, block);
    curve->followed++;
    if (distance == STACK_NONE)
        curve->cold++;
    else if (distance == STACK_FAILED ||
             !array_reserve_zeroed(&curve->distances, &curve->distance_capacity, distance + 1))
        return false;
    else
        curve->distances[distance]++;
    return true;
}

/* True if a block is followed.  The hash is independent of the one that maps use to place blocks;
 * otherwise all followed blocks would be neighbours there. */
static inline bool is_followed(const struct spoor_curve *curve, uint64_t block)
{
    return hash_mix(0, block) >> (64 - HASH_BITS) < curve->threshold;
}

static inline bool access_block(struct spoor_curve *curve, uint64_t block)
{
    curve->accesses++;
    if (curve->threshold) {
        const size_t distance = stack_use(&curve->top, block);
        if (distance == STACK_FAILED) return false;
        if (distance != STACK_NONE) curve->top_distances[distance]++;
        if (!is_followed(curve, block)) return true;
    }
    return follow(curve, block);
}

enum spoor_status spoor_curve_feed(struct spoor_curve *curve,
                                   const struct spoor_reference *references, size_t count,
                                   struct spoor_error *error)
{
    const unsigned bits = curve->block_bits, takes = curve->options.takes;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        const struct spoor_reference *reference = &references[i];
        const bool data = reference->op != SPOOR_REFERENCE_FETCH;
        if (!(takes >> data & 1) || reference->op > SPOOR_REFERENCE_MISC) continue;
        uint64_t address = reference->address, size = reference->size;
        if (size == 0 && curve->options.unknown_size) {
            size = curve->options.unknown_size;
            address &= ~(size - 1);
        }
        struct block_run run = block_run_of(address, size, bits);
        do good = access_block(curve, run.block);
        while (good && block_run_next(&run));
    }
    return memory_status(good, error);
}

void spoor_curve_end_warmup(struct spoor_curve *curve)
{
    curve->accesses = curve->followed = curve->cold = 0;
    memset(curve->distances, 0, curve->distance_capacity * sizeof *curve->distances);
    memset(curve->top_distances, 0, sizeof curve->top_distances);
}

/* ---- construction ---- */

enum spoor_status spoor_curve_new(struct spoor_curve **curve,
                                  const struct spoor_curve_options *options,
                                  struct spoor_error *error)
{
    struct spoor_curve_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    const uint32_t block = own.block ? own.block : USUAL_BLOCK;
    if (block & (block - 1))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found a block of %u bytes, expected a power "
                               "of two",
                               block);
    if (!(own.rate >= 0 && own.rate <= 1))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found a rate of %g, expected more than 0 and "
                               "at most 1",
                               own.rate);
    struct spoor_curve *made = calloc(1, sizeof *made);
    if (!made) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    made->options = own;
    made->options.block = block;
    if (!own.takes) made->options.takes = SPOOR_CACHE_ALL;
    made->block_bits = (unsigned)__builtin_ctz(block);
    if (own.rate > 0 && own.rate < 1) {
        made->threshold = (uint32_t)(own.rate * (1 << HASH_BITS));
        if (made->threshold == 0) made->threshold = 1;
    }
    if (array_reserve_zeroed(&made->distances, &made->distance_capacity, FIRST_DISTANCES) &&
        stack_start(&made->stack, 0) && (!made->threshold || stack_start(&made->top, EXACT))) {
        *curve = made;
        return SPOOR_OK;
    }
    spoor_curve_free(made);
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
}

void spoor_curve_free(struct spoor_curve *curve)
{
    if (!curve) return;
    stack_finish(&curve->stack);
    stack_finish(&curve->top);
    free(curve->distances);
    free(curve);
}

/* ---- results ---- */

uint64_t spoor_curve_accesses(const struct spoor_curve *curve)
{
    return curve->accesses;
}

uint64_t spoor_curve_followed(const struct spoor_curve *curve)
{
    return curve->followed;
}

uint64_t spoor_curve_cold(const struct spoor_curve *curve)
{
    return curve->cold;
}

static double rate_of(const struct spoor_curve *curve)
{
    return curve->threshold ? (double)curve->threshold / (1 << HASH_BITS) : 1;
}

/* Accesses whose bucket of a histogram lies below `limit`; a bucket that contains the limit counts
 * in part. */
static double below(const uint64_t *histogram, size_t capacity, double limit)
{
    double count = 0;
    for (size_t i = 0; i < capacity && (double)i < limit; i++) {
        const double part = limit - (double)i;
        count += (double)histogram[i] * (part < 1 ? part : 1);
    }
    return count;
}

/* With d followed blocks in between, the expected number of all blocks in between is (d + 1) / rate
 * - 1.  The misses of followed blocks are scaled by the rate, not by the share of followed
 * accesses: this is SHARDS_adj, whose correction of the first bucket is the difference of the
 * two. */
static double sampled(const struct spoor_curve *curve, double blocks)
{
    const double rate = rate_of(curve), limit = (blocks + 1) * rate - 1 + 0.5;
    return ((double)curve->followed - below(curve->distances, curve->distance_capacity, limit)) /
           rate;
}

static double exact(const struct spoor_curve *curve, double blocks)
{
    return (double)curve->accesses - below(curve->top_distances, EXACT, blocks);
}

/* The top holds all blocks. */
static bool is_all_exact(const struct spoor_curve *curve)
{
    return !curve->top.forgot;
}

/* Above the exact sizes, misses on blocks used before are scaled so that the estimate meets the
 * exact number at the boundary (a ratio estimator).  First uses are as sampled. */
static double estimate(const struct spoor_curve *curve, double blocks)
{
    const double cold = (double)curve->cold / rate_of(curve);
    const double maximum = exact(curve, EXACT), end = sampled(curve, EXACT);
    double misses = sampled(curve, blocks);
    if (maximum > cold && end > cold)
        misses = cold + (misses - cold) * (maximum - cold) / (end - cold);
    return misses < maximum ? misses : maximum;
}

double spoor_curve_misses(const struct spoor_curve *curve, uint64_t blocks)
{
    const double wanted = (double)blocks;
    if (!curve->threshold)
        return (double)curve->accesses - below(curve->distances, curve->distance_capacity, wanted);
    return blocks <= EXACT || is_all_exact(curve) ? exact(curve, wanted) : estimate(curve, wanted);
}

static size_t used_of(const uint64_t *histogram, size_t capacity)
{
    while (capacity > 0 && histogram[capacity - 1] == 0) capacity--;
    return capacity;
}

uint64_t spoor_curve_enough(const struct spoor_curve *curve)
{
    const double maximum =
        (double)used_of(curve->distances, curve->distance_capacity) / rate_of(curve);
    if (!curve->threshold || (maximum > EXACT && !is_all_exact(curve))) return (uint64_t)maximum;
    return used_of(curve->top_distances, EXACT);
}

enum spoor_status spoor_curve_end(struct spoor_curve *curve, struct spoor_error *error)
{
    (void)curve;
    return memory_status(true, error);
}

/* Between two points of the curve lie the accesses that the smaller cache misses and the larger one
 * does not. */
static void report_reuse(const struct spoor_curve *curve, struct spoor_result *result)
{
    const uint64_t enough = spoor_curve_enough(curve);
    const double accesses = (double)curve->accesses;
    struct spoor_result *rows = spoor_result_array(result, "reuse");
    double before = accesses;
    for (uint64_t blocks = 1; accesses > 0; blocks *= 2) {
        const double misses = spoor_curve_misses(curve, blocks);
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, "below", blocks);
        spoor_result_unsigned(row, "accesses", (uint64_t)(before - misses + 0.5));
        spoor_result_real(row, "share", (before - misses) / accesses, 4);
        before = misses;
        if (blocks >= enough) break;
    }
}

enum spoor_status spoor_curve_report(const struct spoor_curve *curve, struct spoor_result *result)
{
    const uint64_t enough = spoor_curve_enough(curve);
    spoor_result_size(result, "block", curve->options.block);
    spoor_result_unsigned(result, "accesses", curve->accesses);
    spoor_result_unsigned(result, "followed", curve->followed);
    spoor_result_unsigned(result, "cold", curve->cold);
    struct spoor_result *points = spoor_result_array(result, "curve");
    for (uint64_t blocks = 1;; blocks *= 2) {
        const double misses = spoor_curve_misses(curve, blocks);
        struct spoor_result *point = spoor_result_object(points, NULL);
        spoor_result_unsigned(point, "blocks", blocks);
        spoor_result_size(point, "size", blocks << curve->block_bits);
        spoor_result_unsigned(point, "misses", (uint64_t)(misses + 0.5));
        spoor_result_real(point, "miss_ratio",
                          curve->accesses ? misses / (double)curve->accesses : 0, 6);
        if (blocks >= enough) break;
    }
    report_reuse(curve, result);
    return result_status(result);
}

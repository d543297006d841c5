/* SPDX-License-Identifier: MIT */
/*
 * curve.c: the histogram of stack distances, and from it the misses of caches of every size.
 *
 * An LRU stack holds blocks from the most to the least recently used; the depth of a block when it
 * is used again is its stack distance (Mattson et al. 1970).
 *
 * The top few blocks are in an array, in order: most accesses end there.  Each block below has a
 * time, and a bitmap has a bit at each time that a block has.  The bits after a block's time,
 * counted with sums over 512 and 32,768 bits, are the blocks above it.  When the bitmap is full,
 * the times are renumbered densely.
 *
 * A stack with a limit drops the blocks below it.
 */
#include "spoor/curve.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "model/error.h"
#include "model/options.h"
#include "simulate/cache/block_map.h"
#include "simulate/cache/block_run.h"
#include "simulate/cpus.h"
#include "spoor/cache.h"

enum { STACK_NEAR = 16 /* blocks in the array */ };
#define STACK_NONE SIZE_MAX         /* the block was not in the stack */
#define STACK_FAILED (SIZE_MAX - 1) /* memory ran out */

/* Zeroed, and with its times made, it is empty. */
struct stack {
    uint64_t near_blocks[STACK_NEAR];
    uint32_t near_ids[STACK_NEAR];
    unsigned near_count;

    struct hash_map ids; /* of blocks */
    uint64_t *blocks;    /* by id */
    uint32_t *times;     /* by id */
    size_t id_capacity;
    size_t limit; /* of blocks, more than STACK_NEAR; 0: none */
    bool forgot;  /* a block was dropped because of the limit: it does not hold all */

    uint64_t *bits;  /* by time */
    uint16_t *small; /* sums of 512 bits */
    uint32_t *large; /* sums of 32,768 bits */
    uint32_t *owner; /* by time: the id */
    uint32_t now, times_capacity, far_count;
    uint32_t lowest; /* no earlier word of `bits` has a set bit */
};

enum {
    SMALL = 512,        /* bits under a small sum */
    LARGE = 64 * SMALL, /* bits under a large sum */
    FIRST_TIMES = LARGE,
    MAX_TIMES = 1 << 30,
};

/* ---- the stack: times ---- */

static void stack_set_bit(struct stack *stack, uint32_t time)
{
    stack->bits[time / 64] |= UINT64_C(1) << time % 64;
    stack->small[time / SMALL]++;
    stack->large[time / LARGE]++;
}

static void stack_clear_bit(struct stack *stack, uint32_t time)
{
    stack->bits[time / 64] &= ~(UINT64_C(1) << time % 64);
    stack->small[time / SMALL]--;
    stack->large[time / LARGE]--;
}

/* Number of bits after `time` and before `now`. */
static uint32_t stack_bits_after(const struct stack *stack, uint32_t time)
{
    const uint32_t words_to_small = SMALL / 64, small_to_large = LARGE / SMALL;
    uint32_t word = time / 64, small = time / SMALL, large = time / LARGE;
    uint32_t count = (uint32_t)__builtin_popcountll(stack->bits[word] >> time % 64 >> 1);
    const uint32_t last_large = (stack->now - 1) / LARGE, last_small = (stack->now - 1) / SMALL;
    for (word++; word % words_to_small; word++)
        count += (uint32_t)__builtin_popcountll(stack->bits[word]);
    for (small++; small % small_to_large && small <= last_small; small++)
        count += stack->small[small];
    for (large++; large <= last_large; large++) count += stack->large[large];
    return count;
}

/* Allocates `capacity` times and discards the old ones.  False if memory runs out. */
static bool stack_make_times(struct stack *stack, uint32_t capacity)
{
    free(stack->bits);
    free(stack->small);
    free(stack->large);
    stack->bits = calloc(capacity / 64, sizeof *stack->bits);
    stack->small = calloc(capacity / SMALL, sizeof *stack->small);
    stack->large = calloc(capacity / LARGE, sizeof *stack->large);
    size_t owned = stack->owner ? stack->times_capacity : 0;
    const bool owns = array_reserve(&stack->owner, &owned, capacity);
    stack->times_capacity = capacity;
    stack->lowest = 0;
    return stack->bits && stack->small && stack->large && owns;
}

/* Renumbers the times densely, with at least as many free as used. */
static bool stack_renumber(struct stack *stack)
{
    uint32_t capacity = stack->times_capacity > FIRST_TIMES ? stack->times_capacity : FIRST_TIMES;
    uint32_t live = 0;
    while (capacity < MAX_TIMES && stack->far_count > capacity / 4) capacity *= 2;
    if (stack->far_count >= capacity) return false;
    for (uint32_t time = 0; time < stack->now; time++)
        if (stack->bits[time / 64] >> time % 64 & 1) stack->owner[live++] = stack->owner[time];
    if (!stack_make_times(stack, capacity)) return false;
    for (uint32_t time = 0; time < live; time++) {
        stack->times[stack->owner[time]] = time;
        stack_set_bit(stack, time);
    }
    stack->now = live;
    return true;
}

/* ---- the stack: blocks ---- */

/* Assigns an id to a new block; false if memory runs out. */
static bool stack_add_block(struct stack *stack, uint64_t block, uint32_t *id)
{
    bool added;
    const size_t count = stack->ids.count;
    size_t capacity = stack->id_capacity;
    if (!array_reserve(&stack->times, &capacity, count + 1) ||
        !array_reserve(&stack->blocks, &stack->id_capacity, capacity))
        return false;
    *id = (uint32_t)count;
    if (stack->limit && count == stack->limit) {
        /* The block at the bottom is dropped, and its id serves the new one. */
        while (!stack->bits[stack->lowest]) stack->lowest++;
        const uint32_t bit = (uint32_t)__builtin_ctzll(stack->bits[stack->lowest]);
        const uint32_t time = stack->lowest * 64 + bit;
        *id = stack->owner[time];
        stack_clear_bit(stack, time);
        stack->forgot = true;
        stack->far_count--;
        block_map_remove(&stack->ids, stack->blocks[*id]);
    }
    uint32_t *place = block_map_add(&stack->ids, block, &added);
    if (!place) return false;
    *place = *id;
    stack->blocks[*id] = block;
    return true;
}

/* Moves the block at `place` of the array to the top. */
static inline void stack_raise(struct stack *stack, unsigned place, uint64_t block, uint32_t id)
{
    for (unsigned i = place; i > 0; i--) {
        stack->near_blocks[i] = stack->near_blocks[i - 1];
        stack->near_ids[i] = stack->near_ids[i - 1];
    }
    stack->near_blocks[0] = block;
    stack->near_ids[0] = id;
}

/* Uses a block that is not among the top STACK_NEAR. */
static size_t stack_use_far(struct stack *stack, uint64_t block)
{
    const uint32_t *place = block_map_find(&stack->ids, block);
    size_t distance = STACK_NONE;
    uint32_t id;
    if (place) {
        id = *place;
        distance = STACK_NEAR + stack_bits_after(stack, stack->times[id]);
        stack_clear_bit(stack, stack->times[id]);
        stack->far_count--;
    } else if (!stack_add_block(stack, block, &id)) {
        return STACK_FAILED;
    }
    if (stack->near_count < STACK_NEAR) {
        stack->near_count++;
    } else {
        /* The last block of the array moves below it. */
        const uint32_t last = stack->near_ids[STACK_NEAR - 1];
        if (stack->now == stack->times_capacity && !stack_renumber(stack)) return STACK_FAILED;
        stack->times[last] = stack->now;
        stack->owner[stack->now] = last;
        stack_set_bit(stack, stack->now++);
        stack->far_count++;
    }
    stack_raise(stack, stack->near_count - 1, block, id);
    return distance;
}

/* Uses a block; returns the number of other blocks used since its last use, STACK_NONE or
 * STACK_FAILED. */
static inline size_t stack_use(struct stack *stack, uint64_t block)
{
    for (unsigned i = 0; i < stack->near_count; i++)
        if (stack->near_blocks[i] == block) {
            if (i) stack_raise(stack, i, block, stack->near_ids[i]);
            return i;
        }
    return stack_use_far(stack, block);
}

static void stack_finish(struct stack *stack)
{
    hash_map_free(&stack->ids);
    free(stack->blocks);
    free(stack->times);
    free(stack->bits);
    free(stack->small);
    free(stack->large);
    free(stack->owner);
}

/* ---- the curve ---- */

enum {
    EXACT = 1024,   /* places that are exact at every rate */
    HASH_BITS = 24, /* of a block's hash, to compare with the rate */
    FIRST_DISTANCES = 512,
    USUAL_BLOCK = 64,
};

struct spoor_curve {
    struct spoor_curve_options options;
    struct cpus_seen cpus;
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

static inline bool curve_access(struct spoor_curve *curve, uint64_t block)
{
    curve->accesses++;
    if (curve->threshold) {
        const size_t distance = stack_use(&curve->top, block);
        if (distance == STACK_FAILED) return false;
        if (distance != STACK_NONE) curve->top_distances[distance]++;
        /* The hash is independent of the one that maps use to place blocks; otherwise all followed
         * blocks would be neighbours there. */
        if (hash_mix(0, block) >> (64 - HASH_BITS) >= curve->threshold) return true;
    }
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

enum spoor_status spoor_curve_feed(struct spoor_curve *curve,
                                   const struct spoor_reference *references, size_t count,
                                   struct spoor_error *error)
{
    const unsigned bits = curve->block_bits, takes = curve->options.takes;
    bool good = true;
    cpus_see(&curve->cpus, references, count);
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
        do good = curve_access(curve, run.block);
        while (good && block_run_next(&run));
    }
    return memory_status(good, error);
}

void spoor_curve_end_warmup(struct spoor_curve *curve)
{
    curve->accesses = curve->followed = curve->cold = curve->cpus.instructions = 0;
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
                               "found a block of %u bytes, expected a power of two", block);
    if (!(own.rate >= 0 && own.rate <= 1))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found a rate of %g, expected more than 0 and at most 1", own.rate);
    struct spoor_curve *made = calloc(1, sizeof *made);
    if (!made) return error_no_memory(error);
    made->options = own;
    made->options.block = block;
    if (!own.takes) made->options.takes = SPOOR_CACHE_ALL;
    made->block_bits = (unsigned)__builtin_ctz(block);
    if (own.rate > 0 && own.rate < 1) {
        made->threshold = (uint32_t)(own.rate * (1 << HASH_BITS));
        if (made->threshold == 0) made->threshold = 1;
    }
    made->top.limit = EXACT;
    if (array_reserve_zeroed(&made->distances, &made->distance_capacity, FIRST_DISTANCES) &&
        stack_make_times(&made->stack, FIRST_TIMES) &&
        (!made->threshold || stack_make_times(&made->top, FIRST_TIMES))) {
        *curve = made;
        return SPOOR_OK;
    }
    spoor_curve_free(made);
    return error_no_memory(error);
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

static double curve_rate(const struct spoor_curve *curve)
{
    return curve->threshold ? (double)curve->threshold / (1 << HASH_BITS) : 1;
}

/* Accesses whose bucket of a histogram lies below `limit`; a bucket that contains the limit counts
 * in part. */
static double histogram_below(const uint64_t *histogram, size_t capacity, double limit)
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
static double curve_misses_sampled(const struct spoor_curve *curve, double blocks)
{
    const double rate = curve_rate(curve), limit = (blocks + 1) * rate - 1 + 0.5;
    return ((double)curve->followed -
            histogram_below(curve->distances, curve->distance_capacity, limit)) /
           rate;
}

double spoor_curve_misses(const struct spoor_curve *curve, uint64_t blocks)
{
    const double wanted = (double)blocks;
    if (!curve->threshold)
        return (double)curve->accesses -
               histogram_below(curve->distances, curve->distance_capacity, wanted);
    if (blocks <= EXACT || !curve->top.forgot)
        return (double)curve->accesses - histogram_below(curve->top_distances, EXACT, wanted);
    /* Above the exact sizes, misses on blocks used before are scaled so that the estimate meets the
     * exact number at the boundary (a ratio estimator).  First uses are as sampled. */
    const double cold = (double)curve->cold / curve_rate(curve);
    const double maximum =
        (double)curve->accesses - histogram_below(curve->top_distances, EXACT, EXACT);
    const double end = curve_misses_sampled(curve, EXACT);
    double misses = curve_misses_sampled(curve, wanted);
    if (maximum > cold && end > cold)
        misses = cold + (misses - cold) * (maximum - cold) / (end - cold);
    return misses < maximum ? misses : maximum;
}

static size_t histogram_used(const uint64_t *histogram, size_t capacity)
{
    while (capacity > 0 && histogram[capacity - 1] == 0) capacity--;
    return capacity;
}

uint64_t spoor_curve_enough(const struct spoor_curve *curve)
{
    const double maximum =
        (double)histogram_used(curve->distances, curve->distance_capacity) / curve_rate(curve);
    if (!curve->threshold || (maximum > EXACT && curve->top.forgot)) return (uint64_t)maximum;
    return histogram_used(curve->top_distances, EXACT);
}

enum spoor_status spoor_curve_end(struct spoor_curve *curve, struct spoor_error *error)
{
    (void)curve;
    return memory_status(true, error);
}

enum spoor_status spoor_curve_report(const struct spoor_curve *curve, struct spoor_result *result)
{
    const uint64_t enough = spoor_curve_enough(curve);
    const double instructions = (double)curve->cpus.instructions;
    cpus_put_seen(&curve->cpus, curve->options.shared,
                  "caches of each cpu: one curve is of all, as with --shared; --cpu NAME has that "
                  "of one",
                  result);
    spoor_result_size(result, "block", curve->options.block);
    spoor_result_unsigned(result, "accesses", curve->accesses);
    spoor_result_unsigned(result, "followed", curve->followed);
    spoor_result_unsigned(result, "cold", curve->cold);
    struct spoor_result *points = spoor_result_array(result, "curve");
    const bool every = curve->options.every && !curve->threshold;
    const double accesses = (double)curve->accesses;
    double misses = accesses;
    for (uint64_t blocks = 1;; blocks += every ? 1 : blocks) {
        if (!every)
            misses = spoor_curve_misses(curve, blocks);
        else if (blocks <= curve->distance_capacity)
            misses -= (double)curve->distances[blocks - 1];
        struct spoor_result *point = spoor_result_object(points, NULL);
        spoor_result_unsigned(point, "blocks", blocks);
        spoor_result_size(point, "size", blocks << curve->block_bits);
        spoor_result_unsigned(point, "misses", (uint64_t)(misses + 0.5));
        spoor_result_real(point, "miss_ratio", accesses > 0 ? misses / accesses : 0, 6);
        if (instructions > 0) spoor_result_real(point, "mpki", 1000 * misses / instructions, 4);
        if (blocks >= enough) break;
    }
    /* Between two points of the curve lie the accesses that the smaller cache misses and the larger
     * one does not. */
    struct spoor_result *rows = spoor_result_array(result, "reuse");
    double before = accesses;
    for (uint64_t blocks = 1; accesses > 0; blocks *= 2) {
        misses = spoor_curve_misses(curve, blocks);
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, "below", blocks);
        spoor_result_unsigned(row, "accesses", (uint64_t)(before - misses + 0.5));
        spoor_result_real(row, "access_ratio", (before - misses) / accesses, 4);
        before = misses;
        if (blocks >= enough) break;
    }
    return result_status(result);
}

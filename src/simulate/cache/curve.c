/* SPDX-License-Identifier: MIT */
/*
 * curve.c: stack distances.
 *
 * The stack is kept in two parts.  Its top few blocks stand in an array, in order: most accesses
 * end there.  Each block below has a time, the later the higher it stands, and a bitmap has a bit
 * at each time that a block has; the bits behind a block's time, counted with the help of sums over
 * 512 and 32,768 of them, are the blocks above it.  When the bitmap is full, the times are made
 * dense again.
 */
#include "spoor/curve.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/cache/block_map.h"
#include "spoor/cache.h"

enum {
    NEAR = 16,          /* blocks in the array */
    TOP = 64,           /* places that are exact whatever the rate */
    SMALL = 512,        /* bits under a small sum */
    LARGE = 64 * SMALL, /* bits under a large sum */
    FIRST_TIMES = LARGE,
    MOST_TIMES = 1 << 30,
    HASH_BITS = 24, /* of a block's hash, to compare with the rate */
    USUAL_BLOCK = 64,
};

struct spoor_curve {
    struct spoor_curve_options options;
    unsigned block_bits;
    uint32_t threshold; /* of the hash of a block that is followed */
    uint64_t accesses, followed, cold;
    uint64_t *distances; /* histogram */
    size_t distance_room;

    uint64_t top_blocks[TOP], top_hits[TOP]; /* at a rate below 1: of all blocks, exactly */
    unsigned top_count;
    uint64_t near_blocks[NEAR];
    uint32_t near_ids[NEAR];
    unsigned near_count;

    struct block_map ids; /* of blocks, in order of first access */
    uint32_t *times;      /* by id */
    size_t id_room;

    uint64_t *bits;  /* by time */
    uint16_t *small; /* sums of SMALL bits */
    uint32_t *large; /* sums of LARGE bits */
    uint32_t *owner; /* by time: the id */
    uint32_t now, times_room, far_count;
};

/* ---- the part below the top ---- */

static void set_bit(struct spoor_curve *curve, uint32_t time)
{
    curve->bits[time / 64] |= UINT64_C(1) << time % 64;
    curve->small[time / SMALL]++;
    curve->large[time / LARGE]++;
}

static void clear_bit(struct spoor_curve *curve, uint32_t time)
{
    curve->bits[time / 64] &= ~(UINT64_C(1) << time % 64);
    curve->small[time / SMALL]--;
    curve->large[time / LARGE]--;
}

/* Bits behind `time`, before `now`. */
static uint32_t bits_behind(const struct spoor_curve *curve, uint32_t time)
{
    const uint32_t words_to_small = SMALL / 64, small_to_large = LARGE / SMALL;
    uint32_t word = time / 64, small = time / SMALL, large = time / LARGE;
    uint32_t count = (uint32_t)__builtin_popcountll(curve->bits[word] >> time % 64 >> 1);
    const uint32_t last_large = (curve->now - 1) / LARGE, last_small = (curve->now - 1) / SMALL;
    for (word++; word % words_to_small; word++)
        count += (uint32_t)__builtin_popcountll(curve->bits[word]);
    for (small++; small % small_to_large && small <= last_small; small++)
        count += curve->small[small];
    for (large++; large <= last_large; large++) count += curve->large[large];
    return count;
}

/* Room for `room` times; what was is forgotten.  False without memory. */
static bool make_times(struct spoor_curve *curve, uint32_t room)
{
    free(curve->bits);
    free(curve->small);
    free(curve->large);
    curve->bits = calloc(room / 64, sizeof *curve->bits);
    curve->small = calloc(room / SMALL, sizeof *curve->small);
    curve->large = calloc(room / LARGE, sizeof *curve->large);
    uint32_t *owner = realloc(curve->owner, room * sizeof *owner);
    if (owner) curve->owner = owner;
    curve->times_room = room;
    return curve->bits && curve->small && curve->large && owner;
}

/* Make the times dense again, with room for at least as many as there are. */
static bool renumber(struct spoor_curve *curve)
{
    uint32_t room = curve->times_room ? curve->times_room : FIRST_TIMES, live = 0;
    while (room < MOST_TIMES && curve->far_count > room / 4) room *= 2;
    if (curve->far_count >= room) return false;
    for (uint32_t time = 0; time < curve->now; time++)
        if (curve->bits[time / 64] >> time % 64 & 1) curve->owner[live++] = curve->owner[time];
    if (!make_times(curve, room)) return false;
    for (uint32_t time = 0; time < live; time++) {
        curve->times[curve->owner[time]] = time;
        set_bit(curve, time);
    }
    curve->now = live;
    return true;
}

/* The lowest of the top goes below. */
static bool push_far(struct spoor_curve *curve, uint32_t id)
{
    if (curve->now == curve->times_room && !renumber(curve)) return false;
    curve->times[id] = curve->now;
    curve->owner[curve->now] = id;
    set_bit(curve, curve->now++);
    curve->far_count++;
    return true;
}

/* ---- an access ---- */

static bool note(struct spoor_curve *curve, size_t distance)
{
    if (distance >= curve->distance_room) {
        const size_t room = 2 * (distance + 512);
        uint64_t *distances = realloc(curve->distances, room * sizeof *distances);
        if (!distances) return false;
        memset(distances + curve->distance_room, 0,
               (room - curve->distance_room) * sizeof *distances);
        curve->distances = distances;
        curve->distance_room = room;
    }
    curve->distances[distance]++;
    return true;
}

/* A block goes on top: of those above place `from` each moves one down. */
static void put_on_top(struct spoor_curve *curve, unsigned from, uint64_t block, uint32_t id)
{
    for (unsigned i = from; i > 0; i--) {
        curve->near_blocks[i] = curve->near_blocks[i - 1];
        curve->near_ids[i] = curve->near_ids[i - 1];
    }
    curve->near_blocks[0] = block;
    curve->near_ids[0] = id;
}

static bool is_first(struct spoor_curve *curve, uint32_t *place)
{
    const size_t id = curve->ids.count - 1;
    if (id >= curve->id_room) {
        const size_t room = curve->id_room ? 2 * curve->id_room : 4096;
        uint32_t *times = realloc(curve->times, room * sizeof *times);
        if (!times) return false;
        curve->times = times;
        curve->id_room = room;
    }
    *place = (uint32_t)id;
    curve->cold++;
    return true;
}

/* A block that is not among the top ones. */
static bool access_far(struct spoor_curve *curve, uint64_t block)
{
    bool added, good;
    uint32_t *place = block_map_add(&curve->ids, block, &added);
    if (!place) return false;
    if (added) {
        good = is_first(curve, place);
    } else {
        const uint32_t time = curve->times[*place];
        good = note(curve, NEAR + bits_behind(curve, time));
        clear_bit(curve, time);
        curve->far_count--;
    }
    const uint32_t id = *place;
    if (curve->near_count == NEAR)
        good = good && push_far(curve, curve->near_ids[NEAR - 1]);
    else
        curve->near_count++;
    put_on_top(curve, curve->near_count - 1, block, id);
    return good;
}

/* The first few places of the stack of all blocks. */
static void access_top(struct spoor_curve *curve, uint64_t block)
{
    uint64_t carried = block;
    for (unsigned i = 0; i < curve->top_count; i++) {
        const uint64_t here = curve->top_blocks[i];
        curve->top_blocks[i] = carried;
        carried = here;
        if (here != block) continue;
        curve->top_hits[i]++;
        return;
    }
    if (curve->top_count < TOP) curve->top_blocks[curve->top_count++] = carried;
}

static inline bool access_block(struct spoor_curve *curve, uint64_t block)
{
    curve->accesses++;
    if (curve->threshold) {
        access_top(curve, block);
        if (block * UINT64_C(0x9E3779B97F4A7C15) >> (64 - HASH_BITS) >= curve->threshold)
            return true;
    }
    curve->followed++;
    for (unsigned i = 0; i < curve->near_count; i++)
        if (curve->near_blocks[i] == block) {
            curve->distances[i]++;
            if (i) put_on_top(curve, i, block, curve->near_ids[i]);
            return true;
        }
    return access_far(curve, block);
}

bool spoor_curve_feed(struct spoor_curve *curve, const struct spoor_reference *references,
                      size_t count)
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
        const uint64_t last = (address + (size ? size - 1 : 0)) >> bits;
        for (uint64_t block = address >> bits; good && block <= last; block++)
            good = access_block(curve, block);
    }
    return good;
}

/* ---- making one ---- */

static bool start(struct spoor_curve *curve)
{
    curve->distance_room = NEAR;
    curve->distances = calloc(NEAR, sizeof *curve->distances);
    return curve->distances && make_times(curve, FIRST_TIMES);
}

enum spoor_status spoor_curve_new(struct spoor_curve **curve,
                                  const struct spoor_curve_options *options,
                                  struct spoor_error *error)
{
    const uint32_t block = options->block ? options->block : USUAL_BLOCK;
    if (block & (block - 1))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found a block of %u bytes, expected a power "
                               "of two",
                               block);
    if (!(options->rate >= 0 && options->rate <= 1))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found a rate of %g, expected more than 0 and "
                               "at most 1",
                               options->rate);
    struct spoor_curve *made = calloc(1, sizeof *made);
    if (!made) return spoor_error_set(error, SPOOR_ENOMEM, "memory ran out");
    made->options = *options;
    made->options.block = block;
    if (!options->takes) made->options.takes = SPOOR_CACHE_ALL;
    made->block_bits = (unsigned)__builtin_ctz(block);
    if (options->rate > 0 && options->rate < 1) {
        made->threshold = (uint32_t)(options->rate * (1 << HASH_BITS));
        if (made->threshold == 0) made->threshold = 1;
    }
    if (start(made)) {
        *curve = made;
        return SPOOR_OK;
    }
    spoor_curve_free(made);
    return spoor_error_set(error, SPOOR_ENOMEM, "memory ran out");
}

void spoor_curve_free(struct spoor_curve *curve)
{
    if (!curve) return;
    block_map_free(&curve->ids);
    free(curve->distances);
    free(curve->times);
    free(curve->bits);
    free(curve->small);
    free(curve->large);
    free(curve->owner);
    free(curve);
}

/* ---- what came out ---- */

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

/* Accesses whose entry of a histogram lies below `limit`, in part where the limit lies in it. */
static double below(const uint64_t *histogram, size_t room, double limit)
{
    double count = 0;
    for (size_t i = 0; i < room && (double)i < limit; i++) {
        const double part = limit - (double)i;
        count += (double)histogram[i] * (part < 1 ? part : 1);
    }
    return count;
}

/* With d followed blocks in between there were (d + 1) / rate - 1 of all, by expectation.  What
 * misses among the followed is scaled by the rate, which is SHARDS_adj in other words. */
static double estimate(const struct spoor_curve *curve, double blocks)
{
    const double rate = rate_of(curve), limit = (blocks + 1) * rate - 1 + 0.5;
    return ((double)curve->followed - below(curve->distances, curve->distance_room, limit)) / rate;
}

double spoor_curve_misses(const struct spoor_curve *curve, uint64_t blocks)
{
    const double accesses = (double)curve->accesses, wanted = (double)blocks;
    if (!curve->threshold) return accesses - below(curve->distances, curve->distance_room, wanted);
    const double top = accesses - below(curve->top_hits, TOP, wanted);
    const double misses = blocks <= TOP ? top : estimate(curve, wanted);
    return misses < top ? misses : top;
}

uint64_t spoor_curve_enough(const struct spoor_curve *curve)
{
    size_t most = curve->distance_room;
    while (most > 0 && curve->distances[most - 1] == 0) most--;
    return (uint64_t)((double)most / rate_of(curve));
}

void spoor_curve_report(const struct spoor_curve *curve, struct spoor_result *result)
{
    const uint64_t enough = spoor_curve_enough(curve);
    spoor_result_unsigned(result, "block", curve->options.block);
    spoor_result_unsigned(result, "accesses", curve->accesses);
    spoor_result_unsigned(result, "followed", curve->followed);
    spoor_result_unsigned(result, "cold", curve->cold);
    struct spoor_result *points = spoor_result_array(result, "curve");
    for (uint64_t blocks = 1;; blocks *= 2) {
        const double misses = spoor_curve_misses(curve, blocks);
        struct spoor_result *point = spoor_result_object(points, NULL);
        spoor_result_unsigned(point, "blocks", blocks);
        spoor_result_unsigned(point, "size", blocks << curve->block_bits);
        spoor_result_unsigned(point, "misses", (uint64_t)(misses + 0.5));
        spoor_result_real(point, "miss_ratio",
                          curve->accesses ? misses / (double)curve->accesses : 0, 6);
        if (blocks >= enough) break;
    }
}

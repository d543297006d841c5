/* SPDX-License-Identifier: MIT */
/* cache/curve.h: the state of a curve, for feeding, merging and packing it. */
#ifndef SPOOR_SIMULATE_CACHE_CURVE_H
#define SPOOR_SIMULATE_CACHE_CURVE_H

#include "simulate/cache/stack_distance.h"
#include "spoor/curve.h"

enum {
    CURVE_EXACT = 1024,   /* places that are exact at every rate */
    CURVE_HASH_BITS = 24, /* of a block's hash, to compare with the rate */
};

struct spoor_curve {
    struct spoor_curve_options options;
    unsigned block_bits;
    uint32_t threshold; /* upper bound of the hash of followed blocks; 0: all are followed */
    uint64_t accesses, followed, cold;
    struct stack stack;  /* the stack of the followed blocks, whose ids are in order of first use */
    uint64_t *distances; /* histogram of their stack distances */
    size_t distance_capacity;

    struct stack top; /* at a rate below 1: the first CURVE_EXACT of all blocks */
    uint64_t top_distances[CURVE_EXACT];
    uint64_t first_blocks[CURVE_EXACT]; /* the first blocks, in order of their first use */
    size_t first_count;
};

#endif

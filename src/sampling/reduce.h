/* SPDX-License-Identifier: MIT */
/*
 * reduce.h: leaves out the references that no cache of a usual size misses.
 *
 * A reference changes nothing in a cache whose set used the same block last: caches with as many
 * sets or a multiple, and a replacement policy that such a repetition leaves as it is, have the
 * same misses without it (trace stripping: Puzak, Analysis of Cache Replacement Algorithms, 1985;
 * Wang and Baer, Efficient Trace-driven Simulation Methods for Cache Performance Analysis, ACM TOCS
 * 9, 1991).  Of three uses of a block, the second one changes nothing in an LRU cache of N ways if
 * fewer than N other blocks of the set are used between the first and the third (safely allowed
 * drop: Kaplan, Smaragdakis, Wilson, Flexible Reference Trace Reduction for VM Simulations, ACM
 * TOMACS 13, 2003).
 *
 * The first write of a block after a read is kept, so that blocks are modified that were.
 */
#ifndef SPOOR_SAMPLING_REDUCE_H
#define SPOOR_SAMPLING_REDUCE_H

#include "base/text.h"
#include "spoor/sampling.h"

enum { REDUCED_SHAPES = 5 };

/* What a reduction is exact for. */
struct reduced_kind {
    unsigned line_bits; /* a use is of a line of 2^line_bits bytes */
    bool unified;       /* for caches where fetches and data enter, else where one of them does */
    unsigned full;      /* and for LRU caches of so many blocks of any size in one set */
    size_t shape_count;
    /* Caches of blocks of 2^block_bits bytes, with 2^set_bits sets or a multiple, and so many ways
     * or more: LRU; with one way: every policy that repetitions leave as it is. */
    struct reduced_shape {
        unsigned block_bits, set_bits, ways;
    } shapes[REDUCED_SHAPES];
};
/* By enum spoor_reduced. */
extern const struct reduced_kind reduced_kinds[SPOOR_REDUCED_KINDS];

struct reducer;

/* NULL: memory ran out. */
struct reducer *reducer_new(enum spoor_reduced kind);
void reducer_free(struct reducer *reducer);
/* Adds a reference, up to SPOOR_REFERENCE_WRITE; false: memory ran out. */
bool reducer_add(struct reducer *reducer, const struct spoor_reference *reference);
/* The uses that are kept, packed as history_pack_use() packs them; NULL: memory ran out.  More can
 * be added later.  Valid until then. */
const struct text *reducer_pack(struct reducer *reducer, uint64_t *uses);

#endif

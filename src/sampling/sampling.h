/* SPDX-License-Identifier: MIT */
/*
 * sampling.h: many short intervals that stand for a trace, weighted by what is known of all of it.
 *
 * The trace is divided into intervals of equally many records.  For each, the fold counts what the
 * speed of a machine depends on, without a machine: instructions, accesses, conditional branches,
 * mispredictions of a simple bimodal and gshare predictor, and the accesses that LRU caches of
 * several sizes miss (stack distances).  Two results follow from these counts.
 *
 *   The intervals are chosen with probabilities that grow with how much of all counts they have,
 *   at equal steps of the sum of probabilities along the trace (systematic sampling with unequal
 *   probabilities: Madow, Ann. Math. Stat. 20, 1949).  Rare bursts of misses are so in the sample.
 *
 *   The weights are the inverse probabilities, changed as little as possible so that the weighted
 *   sample has the exact counts of the whole trace (calibration; Deville, Sarndal, JASA 87, 1992;
 *   here raking, whose weights are positive).  A number that depends on the counts, such as the CPI
 *   of a machine or the misses of a cache, is then nearly that of the whole.
 */
#ifndef SPOOR_SAMPLING_SAMPLING_H
#define SPOOR_SAMPLING_SAMPLING_H

#include "spoor/batch.h"
#include "spoor/error.h"

enum sample_count {
    SAMPLE_INTERVALS, /* 1: the number of intervals */
    SAMPLE_INSTRUCTIONS,
    SAMPLE_ACCESSES,
    SAMPLE_BRANCHES, /* conditional */
    SAMPLE_BIMODAL,  /* mispredictions */
    SAMPLE_GSHARE,
    SAMPLE_DATA_256, /* misses of an LRU cache of 256 lines of 64 bytes, and more */
    SAMPLE_DATA_512,
    SAMPLE_DATA_2048,
    SAMPLE_DATA_16384,
    SAMPLE_DATA_COLD, /* first uses of a line */
    SAMPLE_CODE_512,
    SAMPLE_CODE_2048,
    SAMPLE_CODE_COLD,
    SAMPLE_COUNTS
};

struct sample_interval {
    uint64_t first, last; /* records, both included */
    double counts[SAMPLE_COUNTS];
    double weight; /* the number of intervals that it stands for; 0: it was not chosen */
};

struct sampling_options {
    uint64_t interval; /* records; an interval ends before the next instruction */
    size_t size;       /* intervals to choose */
    uint64_t seed;
};

struct sampling;
/* NULL if memory runs out. */
struct sampling *sampling_new(const struct sampling_options *options);
void sampling_free(struct sampling *sampling);
/* Adds a batch; batches come in order. */
enum spoor_status sampling_feed(struct sampling *sampling, const struct spoor_batch *batch,
                                struct spoor_error *error);
/* The trace has ended: chooses the intervals. */
enum spoor_status sampling_end(struct sampling *sampling, struct spoor_error *error);
/* The intervals, which belong to it. */
const struct sample_interval *sampling_intervals(const struct sampling *sampling, size_t *count);

/* ---- choose.c ---- */

/* Sets the weights of `size` of the intervals, or of all if there are fewer. */
void sampling_choose(struct sample_interval *intervals, size_t count, size_t size, uint64_t seed);

#endif

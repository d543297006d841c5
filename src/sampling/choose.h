/* SPDX-License-Identifier: MIT */
/* choose.h: chooses intervals, and weights them, by their counts. */
#ifndef SPOOR_SAMPLING_CHOOSE_H
#define SPOOR_SAMPLING_CHOOSE_H

#include <stddef.h>
#include <stdint.h>

#include "spoor/sampling.h"

enum sample_count {
    SAMPLE_INTERVALS, /* 1: the number of intervals */
    SAMPLE_INSTRUCTIONS,
    SAMPLE_ACCESSES,
    SAMPLE_BRANCHES, /* conditional */
    SAMPLE_BIMODAL,  /* mispredictions */
    SAMPLE_GSHARE,
    SAMPLE_DATA_256, /* misses of an LRU cache of 256 lines of 64 bytes, and more */
    SAMPLE_DATA_512,
    SAMPLE_DATA_1024,
    SAMPLE_DATA_2048,
    SAMPLE_DATA_4096,
    SAMPLE_DATA_16384,
    SAMPLE_DATA_COLD, /* first uses of a line */
    SAMPLE_CODE_128,
    SAMPLE_CODE_256,
    SAMPLE_CODE_512,
    SAMPLE_CODE_1024,
    SAMPLE_CODE_2048,
    SAMPLE_CODE_COLD,
    SAMPLE_TAGE,       /* mispredictions of TAGE-SC-L */
    SAMPLE_LEVEL_CODE, /* misses of the caches of the pilot, of smaller and of larger ones */
    SAMPLE_LEVEL_DATA,
    SAMPLE_LEVEL_SECOND,
    SAMPLE_SMALL_CODE,
    SAMPLE_SMALL_DATA,
    SAMPLE_SMALL_SECOND,
    SAMPLE_LARGE_CODE,
    SAMPLE_LARGE_DATA,
    SAMPLE_LARGE_SECOND,
    SAMPLE_TLB_CODE, /* misses of its TLBs, and of other ones */
    SAMPLE_TLB_DATA,
    SAMPLE_TLB_SECOND,
    SAMPLE_TLB2_CODE,
    SAMPLE_TLB2_DATA,
    SAMPLE_TLB2_SECOND,
    SAMPLE_CYCLES, /* of the pipeline of the pilot */
    SAMPLE_COUNTS
};

struct sample_interval {
    uint64_t first, last; /* records, both included */
    double counts[SAMPLE_COUNTS];
    double weight; /* the number of intervals that it stands for; 0: it was not chosen */
    double design; /* the inverse of its probability: the weight before calibration */
};

/* Sets the weights of `size` of the intervals, or of all if there are fewer. */
void sampling_choose(struct sample_interval *intervals, size_t count, size_t size, uint64_t seed);

/* Sets the weights of each chosen interval in SPOOR_SAMPLING_REPLICATES replicates, divided by its
 * weight; false: too few were chosen by chance, and nothing was set. */
bool sampling_replicate(struct sample_interval *intervals, size_t count, const size_t *chosen,
                        size_t chosen_count, double (*replicates)[SPOOR_SAMPLING_REPLICATES]);

#endif

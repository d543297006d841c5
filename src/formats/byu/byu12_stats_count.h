/* SPDX-License-Identifier: MIT */
/*
 * formats/byu/byu12_stats_count.h: counts BYU records with vectors of any size.
 *
 * byu12_stats_avx2.c includes it.  That file defines `words`, a vector of GROUP words, and FOR_SIMD
 * before the inclusion, and the functions declared here after it.
 */
#ifndef SPOOR_FORMATS_BYU_BYU12_STATS_COUNT_H
#define SPOOR_FORMATS_BYU_BYU12_STATS_COUNT_H

#include "formats/byu/byu12_stats.h"

enum { GROUP = sizeof(words) / sizeof(uint32_t), GROUP_BYTES = GROUP * BYU12_RECORD };

/* See struct byu12_lanes. */
struct lanes {
    words counts[BYU12_TYPES];
    words code_minimum, code_maximum, data_minimum, data_maximum;
    words time;
};

/* The words of a group of records by field.  Their order is that of the addresses, except for
 * deltas. */
struct group {
    words address, head, delta;
};

FOR_SIMD static inline void store_words(void *to, words from);
FOR_SIMD static inline words all_ones(void);
/* The words lie so that each field has all lanes in some vector. */
FOR_SIMD static inline struct group load_group(const char *at);
/* True if all are of the four types and of the agent, and have a delta. */
FOR_SIMD static inline bool is_common(const struct group *group, uint32_t agent);
FOR_SIMD static inline void count_group(struct lanes *lanes, const struct group *group);

FOR_SIMD static void count_lanes(struct stats *stats, const struct lanes *lanes)
{
    struct byu12_lanes all = {.lanes = GROUP};
    for (int i = 0; i < BYU12_TYPES; i++) store_words(all.counts[i], lanes->counts[i]);
    store_words(all.code_minimum, lanes->code_minimum);
    store_words(all.code_maximum, lanes->code_maximum);
    store_words(all.data_minimum, lanes->data_minimum);
    store_words(all.data_maximum, lanes->data_maximum);
    store_words(all.time, lanes->time);
    byu12_add_lanes(stats, &all);
}

/* Makes the batch's statistics. */
FOR_SIMD static void count_batch(struct spoor_batch *batch)
{
    const size_t count = batch->text_size / BYU12_RECORD;
    const char *at = batch->text, *end = at + count * BYU12_RECORD;
    struct stats *stats = byu_stats_begin(batch, count);
    if (!stats) return;
    struct lanes lanes = {.code_minimum = all_ones(), .data_minimum = all_ones()};
    for (uint32_t agent = 0; end - at >= GROUP_BYTES; at += GROUP_BYTES) {
        const struct group group = load_group(at);
        if (stats->time.any && is_common(&group, agent))
            count_group(&lanes, &group);
        else
            agent = byu12_add_one_by_one(stats, at, GROUP);
    }
    for (; at < end; at += BYU12_RECORD) byu_stats_record(stats, at, byu12_shape);
    count_lanes(stats, &lanes);
    byu_stats_end(stats, batch, count);
}

#endif

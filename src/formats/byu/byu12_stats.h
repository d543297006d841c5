/* SPDX-License-Identifier: MIT */
/*
 * formats/byu/byu12_stats.h: counts BYU records of 12 bytes, several at a time.
 *
 * A group is as many records as a vector has words.  It is three vectors; blends and a permutation
 * sort their words into addresses, heads (type, size, attribute, agent) and deltas.  Fetches, reads
 * and writes are counted there, lane by lane.  A group with any other type, a record without a
 * delta, or a change of agent is counted one by one.
 */
#ifndef SPOOR_FORMATS_BYU_BYU12_STATS_H
#define SPOOR_FORMATS_BYU_BYU12_STATS_H

#include "formats/byu/byu_project.h"

enum {
    BYU12_RECORD = 12,
    BYU12_TYPES = 4, /* 0 to 3: fetch, read, read-invalidate, write */
    BYU12_MAX_LANES = 16,
};

/* The bits that must be equal in all heads of a group, and in the previous one: the agent, and a
 * type below BYU12_TYPES. */
#define BYU12_HEAD_LOOKED_AT UINT32_C(0xFF0000FC)

static const struct byu_shape byu12_shape = {
    .address = 4, .padding = 0, .time = 4, .record = BYU12_RECORD};

/* Counts and limits of each lane, and sums of deltas, as extracted from vectors. */
struct byu12_lanes {
    unsigned lanes; /* half as many have a time */
    uint32_t counts[BYU12_TYPES][BYU12_MAX_LANES];
    uint32_t code_minimum[BYU12_MAX_LANES], code_maximum[BYU12_MAX_LANES];
    uint32_t data_minimum[BYU12_MAX_LANES], data_maximum[BYU12_MAX_LANES];
    uint64_t time[BYU12_MAX_LANES / 2];
};

static inline void byu12_add_span(struct span *span, const uint32_t *minimum,
                                  const uint32_t *maximum, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++) {
        if (minimum[i] < span->minimum) span->minimum = minimum[i];
        if (maximum[i] > span->maximum) span->maximum = maximum[i];
    }
}

/* Adds the lanes to the statistics. */
static inline void byu12_add_lanes(struct stats *stats, const struct byu12_lanes *lanes)
{
    uint64_t counts[BYU12_TYPES] = {0};
    for (unsigned type = 0; type < BYU12_TYPES; type++) {
        for (unsigned i = 0; i < lanes->lanes; i++) counts[type] += lanes->counts[type][i];
        stats->ops[SPOOR_BUS][byu_type_op[type]] += counts[type];
    }
    struct span *spans = stats->addresses[SPACE_PHYSICAL];
    if (counts[0])
        byu12_add_span(&spans[USE_CODE], lanes->code_minimum, lanes->code_maximum, lanes->lanes);
    if (counts[1] + counts[2] + counts[3])
        byu12_add_span(&spans[USE_DATA], lanes->data_minimum, lanes->data_maximum, lanes->lanes);
    for (unsigned i = 0; i < lanes->lanes / 2; i++) stats->time.last += lanes->time[i];
}

/* Adds a group of `count` records one by one: the agent of the last, which is in the set. */
static inline uint8_t byu12_add_one_by_one(struct stats *stats, const char *at, size_t count)
{
    for (size_t i = 0; i < count; i++, at += BYU12_RECORD) byu_stats_record(stats, at, byu12_shape);
    return (uint8_t)at[-5];
}

#endif

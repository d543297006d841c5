/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/match.h: where the last records of a coded segment came before, in the same order.
 *
 * The records that followed there are what is expected now: their templates and their lanes.  Where
 * a record differs, the place is kept, and its misses are counted; another place is chosen where it
 * explains more of the last records.
 */
#ifndef SPOOR_FORMATS_SPOOR_MATCH_H
#define SPOOR_FORMATS_SPOOR_MATCH_H

#include "formats/spoor/model.h"

enum {
    MATCH_BITS = 16,
    MATCH_RECORDS = 3,  /* whose hash finds a place */
    MATCH_LONGEST = 32, /* records that are compared with those at a place */
    MATCH_NONE = -1,
    MATCH_LANES = LANES_MAX + 1, /* of a record, with its time */
};

struct match {
    uint32_t last[1 << MATCH_BITS];   /* by the hash of records: the number of the one after them */
    uint32_t hashes[SEGMENT_RECORDS]; /* of each record */
    uint32_t first[SEGMENT_RECORDS];  /* of its lanes, in `values` */
    uint16_t templates[SEGMENT_RECORDS];
    uint64_t values[SEGMENT_RECORDS * MATCH_LANES];
    uint32_t count, lanes; /* records and lanes so far; those of the current one are lanes, too */
    uint32_t at;           /* number of the record that is expected; 0: none */
    uint32_t length;       /* records that were as expected since the last miss */
    uint32_t misses;       /* of the last records, a bit each */
    uint32_t hash;         /* of the current record */
    uint32_t quality;      /* of what is expected */
};

static inline void match_begin(struct match *match)
{
    memset(match->last, 0, sizeof match->last);
    match->count = match->lanes = match->at = match->length = match->misses = match->hash = 0;
}

static inline uint32_t match_key(const struct match *match)
{
    uint32_t key = 0;
    for (uint32_t i = 1; i <= MATCH_RECORDS; i++)
        key = (key + match->hashes[match->count - i]) * UINT32_C(0x9E3779B1) >> 3 ^ key << 7;
    return (key * UINT32_C(0x85EBCA6B)) >> (32 - MATCH_BITS);
}

/* The number of records before `at` that are as the last ones. */
static inline uint32_t match_length(const struct match *match, uint32_t at)
{
    uint32_t length = 0;
    while (length < MATCH_LONGEST && length < at &&
           match->hashes[at - 1 - length] == match->hashes[match->count - 1 - length])
        length++;
    return length;
}

/* Before a record: finds what is expected. */
static inline void match_find(struct match *match)
{
    if (match->count >= MATCH_RECORDS) {
        uint32_t *last = &match->last[match_key(match)];
        const uint32_t found = *last;
        *last = match->count;
        if (found && found != match->at && match->length < MATCH_LONGEST) {
            const uint32_t length = match_length(match, found);
            if (length > match->length) {
                match->at = found;
                match->length = length;
                match->misses = 0;
            }
        }
    }
    const uint32_t length = match->length;
    const uint32_t class = length < 4    ? length
                           : length < 8  ? 4
                           : length < 16 ? 5
                           : length < 32 ? 6
                                         : 7;
    match->quality = match->at ? 1 + (class << 2 | (match->misses & 3)) : 0;
    match->first[match->count] = match->lanes;
    match->hash = 0;
}

/* The expected value of the next lane of a record with this template; false if there is none. */
static inline bool match_lane(const struct match *match, uint32_t local, uint64_t *value)
{
    if (!match->at || match->templates[match->at] != local) return false;
    *value = match->values[match->first[match->at] + match->lanes - match->first[match->count]];
    return true;
}

/* The lane has this value; it counts for finding a place, or not. */
static inline void match_value(struct match *match, uint64_t value, bool counts)
{
    match->values[match->lanes++] = value;
    if (counts)
        match->hash =
            (match->hash ^ (uint32_t)((value ^ value >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> 32)) *
            UINT32_C(0x85EBCA6B);
}

/* After a record. */
static inline void match_end(struct match *match, uint32_t local)
{
    const uint32_t hash = (match->hash + local) * UINT32_C(0x9E3779B1);
    match->templates[match->count] = (uint16_t)local;
    match->hashes[match->count] = hash;
    if (match->at) {
        const bool right = match->hashes[match->at] == hash;
        match->length = right ? match->length + 1 : 0;
        match->misses = match->misses << 1 | !right;
        match->at = (match->misses & 0xFF) == 0xFF ? 0 : match->at + 1;
    }
    match->count++;
}

#endif

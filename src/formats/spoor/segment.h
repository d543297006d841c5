/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/segment.h: the parts of a segment that its encoder and its decoder share.
 */
#ifndef SPOOR_FORMATS_SPOOR_SEGMENT_H
#define SPOOR_FORMATS_SPOOR_SEGMENT_H

#include "formats/spoor/model.h"
#include "formats/spoor/section.h"
#include "spoor/batch.h"

enum { LANE_GROUP_NUMBER = 1, LANE_GROUPS = 4 };

/* Sections of the block. */
enum segment_section {
    SEGMENT_RUNS,   /* numbers of templates in a row that the history predicts */
    SEGMENT_MISSES, /* after each run: enum segment_miss */
    SEGMENT_SEEN,   /* a template of the segment: its number */
    SEGMENT_NEW,    /* a template that is new in it: its id, as a difference */
    SEGMENT_REGISTERS,
    SEGMENT_CONSTANTS,
    SEGMENT_TEXT_SIZES,
    SEGMENT_TEXT,
    SEGMENT_SPILLS,
    SEGMENT_SPILL_BYTES,
    SEGMENT_FAULTS,
    SEGMENT_FAULT_BYTES,
    /* one for each group of lanes: */
    SEGMENT_CODES,
    SEGMENT_SIZES = SEGMENT_CODES + LANE_GROUPS,
    SEGMENT_LITERALS = SEGMENT_SIZES + LANE_GROUPS,
    SEGMENT_SECTIONS = SEGMENT_LITERALS + LANE_GROUPS,
};

/* The template after a run. */
enum segment_miss {
    MISS_SECOND,   /* the template that followed the last three */
    MISS_FOLLOWER, /* and more: a template that followed the last one */
    MISS_SEEN = MISS_FOLLOWER + FOLLOWERS,
    MISS_NEW,
};

enum segment_flag {
    SEGMENT_TIMED = 1 << 0, /* records have a lane for the time; else all have the first time */
};

/* The numbers before the sections. */
struct segment_head {
    uint64_t record, place; /* ordinals of the first record, and of its line or binary record */
    uint64_t time;          /* before the first record */
    uint32_t records;
    uint32_t templates;  /* different ones of the segment */
    uint32_t dictionary; /* its number, */
    uint32_t defined;    /* and the number of its templates that segments up to here have used */
    uint32_t flags;
};
enum { SEGMENT_HEAD_SIZE = 64 };

/* False if the payload is too short for them, or they are impossible. */
bool segment_parse_head(const char *payload, size_t size, struct segment_head *head);
/* Appends them to an empty payload. */
void segment_put_head(struct text *payload, const struct segment_head *head);

/* The group whose columns a lane is stored in. */
static inline unsigned lane_group(enum lane_class class)
{
    switch (class) {
    case LANE_TIME:
    case LANE_INDEX: return 0;
    case LANE_VALUE: return 2;
    case LANE_DATA:
    case LANE_DATA_HIGH: return 3;
    default: return LANE_GROUP_NUMBER;
    }
}

/* True if a literal of the lane is stored as the difference from the last value. */
static inline bool lane_is_relative(enum lane_class class)
{
    return class != LANE_VALUE && class != LANE_DATA && class != LANE_DATA_HIGH;
}

#endif

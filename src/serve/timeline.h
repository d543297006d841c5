/* SPDX-License-Identifier: MIT */
/*
 * timeline.h: which function ran when, from far and near.
 *
 * A span is one execution of a function, from the record at which it was entered to the one at
 * which it was left.  The spans come from the section of activity of the index.  The longest
 * TIMELINE_SPANS are kept, so memory does not grow with the trace; `shortest` states the length
 * from which on all are there.  A tile is a part of the timeline on as many pixels as are asked
 * for: spans narrower than a pixel become one mark.
 */
#ifndef SPOOR_SERVE_TIMELINE_H
#define SPOOR_SERVE_TIMELINE_H

#include "base/text.h"
#include "spoor/index.h"

enum { TIMELINE_SPANS = 1 << 20, TIMELINE_DEEPEST = 200 };

struct span {
    uint64_t begin, end; /* records; `end` is the first one after it */
    uint32_t function;   /* in timeline->functions */
    uint16_t cpu;
    uint8_t depth;
    uint8_t exception;
};
/* The spans of a processor at a depth, in order. */
struct span_row {
    size_t first, count;
    uint16_t cpu;
    uint8_t depth;
};
struct timeline {
    struct span *spans;
    size_t count, capacity;
    uint64_t shortest; /* spans with fewer records may be missing; 0: none is */
    struct span_row *rows;
    size_t row_count, row_capacity;
    uint64_t *functions; /* addresses */
    size_t function_count, function_capacity;
    char unit[16]; /* of times; "": none */
    bool present;  /* the trace has instructions */
};

/* Builds it from the index.  An index without calls gives an empty timeline. */
enum spoor_status timeline_build(struct timeline *timeline, const struct spoor_index *index,
                                 struct spoor_error *error);
void timeline_free(struct timeline *timeline);
/* The row of a processor at a depth; NULL: none. */
const struct span_row *timeline_row(const struct timeline *timeline, unsigned cpu, unsigned depth);
/* The span of a row that is open at the record; NULL: none. */
const struct span *timeline_at(const struct timeline *timeline, const struct span_row *row,
                               uint64_t record);

/* A mark of a tile: a span, or several that share pixels. */
struct mark {
    uint64_t begin, end;
    const struct span *span; /* NULL: several */
};
/* The next mark of a row from *from on and before `to`, where a pixel has `pixel` records; advances
 * *from.  False: there is none. */
bool timeline_next(const struct timeline *timeline, const struct span_row *row, uint64_t *from,
                   uint64_t to, uint64_t pixel, struct mark *mark);

#endif

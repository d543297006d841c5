/* SPDX-License-Identifier: MIT */
/* explore/profile.h: what the files of the profile share, and feeding it from an index. */
#ifndef SPOOR_EXPLORE_PROFILE_H
#define SPOOR_EXPLORE_PROFILE_H

#include "explore/contexts.h"
#include "explore/functions.h"
#include "explore/hot_sites.h"
#include "spoor/profile.h"

struct spoor_profile {
    struct spoor_profile_options options;
    struct machine machine;
    struct activity *activity;
    struct contexts contexts;
    struct functions functions;
    struct hot_sites sites;
    char time_unit[16];
    /* after the end */
    struct amount *totals; /* of contexts */
    uint32_t *row_of;      /* of contexts: number of the row, or NO_ROW */
    struct spoor_profile_row *rows;
    size_t row_count;
    struct spoor_profile_edge *edges;
    size_t edge_count;
    bool failed; /* memory ran out */
};
#define NO_ROW UINT32_MAX

/* What the profile counts of it. */
static inline uint64_t profile_amount(const struct spoor_profile *profile,
                                      const struct amount *amount)
{
    switch (profile->options.unit) {
    case SPOOR_PROFILE_TIME: return amount->time;
    case SPOOR_PROFILE_ACCESSES: return amount->accesses;
    case SPOOR_PROFILE_MISSES:
    case SPOOR_PROFILE_MISPREDICTIONS: return amount->events;
    default: return amount->instructions;
    }
}

/* An event of the trace, from wherever; profile_end() after the last. */
void profile_event(void *context, const struct activity_event *event);
/* Make rows and edges of the contexts; false if memory runs out. */
bool profile_make_rows(struct spoor_profile *profile);
/* The name of a row as a frame of a stack; the text is appended to. */
void profile_put_frame(const struct spoor_profile *profile, uint32_t row, struct text *text);

/* Take all that a section of the index (activity_section.h) says instead of a trace; false: it is
 * none, or memory ran out. */
bool profile_use_section(struct spoor_profile *profile, const struct machine *machine,
                         const uint8_t *bytes, size_t size);

#endif

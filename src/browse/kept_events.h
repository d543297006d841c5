/* SPDX-License-Identifier: MIT */
/* kept_events.h: calls, returns and exceptions of the segments that were asked for last. */
#ifndef SPOOR_BROWSE_KEPT_EVENTS_H
#define SPOOR_BROWSE_KEPT_EVENTS_H

#include "spoor/explore.h"

enum { KEPT_SEGMENTS_MAX = 4 };
/* Initialise it with zeros. */
struct kept_events {
    struct {
        size_t segment;
        struct spoor_call_events *events; /* NULL: empty */
    } items[KEPT_SEGMENTS_MAX];
    size_t next; /* to be replaced */
};

/* Finds the events of a segment, which are valid until those of KEPT_SEGMENTS_MAX others were
 * found. */
enum spoor_status kept_events_find(struct kept_events *kept, struct spoor_explorer *explorer,
                                   size_t segment, const struct spoor_call_events **events,
                                   struct spoor_error *error);
void kept_events_free(struct kept_events *kept);

#endif

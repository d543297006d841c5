/* SPDX-License-Identifier: MIT */
/* call_events.h: calls, returns and exceptions of a segment, by the rule of effects/calls.h. */
#ifndef SPOOR_EXPLORE_CALL_EVENTS_H
#define SPOOR_EXPLORE_CALL_EVENTS_H

#include "explore/explorer.h"

enum call_event_kind { EVENT_CALL, EVENT_RETURN, EVENT_EXCEPTION };
struct call_event {
    uint64_t record;  /* calling or returning instruction */
    uint64_t arrival; /* the instruction after it */
    uint32_t depth;   /* open calls after it */
    uint16_t cpu;
    uint8_t kind;
};
/* Initialise it with zeros. */
struct call_events {
    size_t segment; /* plus 1; 0: empty */
    struct call_event *items;
    size_t count, capacity;
    uint32_t *depths; /* open calls of each processor before the segment */
    size_t cpu_count, cpu_capacity;
};

/* Fills in the events of a segment. */
enum spoor_status call_events_find(struct call_events *events, struct explorer *explorer,
                                   size_t segment, struct spoor_error *error);
void call_events_free(struct call_events *events);

#endif

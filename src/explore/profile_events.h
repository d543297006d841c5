/* SPDX-License-Identifier: MIT */
/*
 * profile_events.h: the events of a part of a trace as bytes, and what joins them to those before.
 *
 * A part counts instructions from its own beginning, and numbers stacks of calls that were put
 * aside in its own way.  It says by the record of its outermost call which stack is which, at its
 * beginning and at its end.
 */
#ifndef SPOOR_EXPLORE_PROFILE_EVENTS_H
#define SPOOR_EXPLORE_PROFILE_EVENTS_H

#include "base/pack.h"
#include "effects/activity.h"

enum { ACTIVITY_THREADS_MAXIMUM = 1 << 24 /* of a processor: more are damage */ };

struct event_cpu {
    uint64_t instructions, accesses, time; /* of the event before, or at the beginning */
};
struct event_packer {
    struct text threads, events, end; /* of the beginning, of the part, of its end */
    struct event_cpu *cpus;
    size_t cpu_count;
};
/* Each returns false if memory runs out. */
bool event_packer_begin(struct event_packer *packer, const struct activity *activity,
                        unsigned cpus);
bool event_packer_add(struct event_packer *packer, const struct activity_event *event);
bool event_packer_end(struct event_packer *packer, const struct activity *activity, unsigned cpus);
void event_packer_put(const struct event_packer *packer, struct text *bytes);
void event_packer_free(struct event_packer *packer);

/* Joins the events of parts; zeroed, of none. */
struct event_joiner {
    struct joined_cpu *cpus;
    size_t cpu_count;
};
/* Passes on the events of the next part; false: the bytes are damaged, or memory ran out. */
bool event_joiner_add(struct event_joiner *joiner, unsigned cpus, struct unpacker *from,
                      void (*event)(void *context, const struct activity_event *event),
                      void *context);
void event_joiner_free(struct event_joiner *joiner);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * event.h: what an event of a trace states about exceptions.
 *
 * The producers: Fast Models (E with a CoreEvent, INFO_EXCEPTION_REASON), cycle models (EXC), the
 * tracer of Cortex-M0 RTL (E INT_TAKEN, INT_RETURN, LOCKUP, HARDFAULT_REQ), and logs of commits
 * (lines of exceptions).
 */
#ifndef SPOOR_EFFECTS_EVENT_H
#define SPOOR_EFFECTS_EVENT_H

#include "spoor/batch.h"

enum event_meaning {
    EVENT_MEANS_NOTHING,   /* about exceptions */
    EVENT_MEANS_EXCEPTION, /* one is taken */
    EVENT_MEANS_RETURN,    /* the handler has returned */
    EVENT_MEANS_RESET,     /* the processor begins again: nothing is open */
    EVENT_MEANS_LOCKUP,    /* it stops, because a fault has no handler left */
    EVENT_MEANS_RAISED,    /* a fault that will become an exception, perhaps another one */
};
struct event_statement {
    enum event_meaning meaning;
    const char *name; /* of the exception: "CoreEvent_IRQ", "HARDFAULT"; not terminated */
    size_t name_size;
    const char *fault; /* RAISED: what happened, in words; not terminated */
    size_t fault_size;
    uint64_t number; /* of the exception, `numbered` */
    uint64_t value;  /* address that the event states, `addressed`; or what mtval has, `has_tval` */
    uint64_t key;    /* of the name: equal for "CoreEvent_HARDFAULT" and "HARDFAULT" */
    bool numbered, addressed, has_tval;
    bool escalated; /* RAISED: it became the exception `name` */
    bool certain;   /* EXCEPTION: the flow cannot contradict it */
    bool reason;    /* by INFO_EXCEPTION_REASON: an E line may state it again */
};

/* Returns the meaning of an EVENT record. */
struct event_statement event_read(const struct spoor_batch *batch,
                                  const struct spoor_record *record);
/* True if both name one exception: "CoreEvent_HARDFAULT" and "HARDFAULT". */
bool event_same_name(const char *one, size_t one_size, const char *other, size_t other_size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * contexts.h: a tree of calling contexts: each function once for each chain of callers, with what
 * it ran there.  A fold over activity (effects/activity.h); profiles and flame graphs are made of
 * it.
 *
 * Memory grows with the contexts, not with the trace, and is bounded.  When there are too many, or
 * calls are too deep, a further context is counted in the nearest caller of the same function, or
 * as a context without callers; when there are too many of those, as CONTEXTS_OTHERS.
 */
#ifndef SPOOR_EXPLORE_CONTEXTS_H
#define SPOOR_EXPLORE_CONTEXTS_H

#include "base/hash_map.h"
#include "effects/activity.h"

enum { CONTEXTS_LIMIT = 1 << 18, CONTEXTS_DEEPEST = 512, CONTEXTS_OPEN = 1 << 17 };
#define CONTEXTS_OTHERS UINT64_MAX       /* as a function: those that are not kept apart */
#define CONTEXTS_UNSEEN (UINT64_MAX - 1) /* handlers of which no instruction is in the trace */
#define NO_CONTEXT UINT32_MAX

enum context_kind {
    CONTEXT_CALL,
    CONTEXT_EXCEPTION,
    CONTEXT_CPU, /* the root of a processor: `function` is its number */
};
/* The amounts that were run. */
struct amount {
    uint64_t instructions, accesses, time;
    uint64_t events; /* what contexts_add() counts, as misses */
};
struct context {
    uint64_t function;
    uint64_t site;                      /* with `by_site`: the place of the call; else 0 */
    uint64_t entry;                     /* for the caller: the place of its first instruction */
    uint32_t parent;                    /* NO_CONTEXT for CPU; else less than its own number */
    uint32_t first_child, next_sibling; /* NO_CONTEXT: none */
    uint32_t same_hash;                 /* another context with the same hash */
    uint16_t depth;                     /* callers */
    uint8_t kind;                       /* enum context_kind */
    uint64_t calls, returned;
    struct amount own; /* without what it called */
};

struct contexts {
    struct context *nodes;
    size_t count, capacity, limit;
    struct hash_map map; /* by a hash of parent, function and kind: the last context that has it */
    struct context_cpu *cpus;
    size_t cpu_count;
    bool by_site;  /* calls from different places are different contexts */
    uint64_t site; /* the place that the next event calls from, as the caller numbers places */
    uint64_t lost; /* calls whose context was not kept apart */
    bool failed;   /* memory ran out */
};

/* Zeroed with `limit` set, it is empty. */
void contexts_free(struct contexts *contexts);
void contexts_event(struct contexts *contexts, const struct activity_event *event);
/* The context that runs now; NO_CONTEXT: none of this processor. */
uint32_t contexts_now(const struct contexts *contexts, unsigned cpu);

#endif

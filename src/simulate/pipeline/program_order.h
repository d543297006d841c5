/* SPDX-License-Identifier: MIT */
/*
 * program_order.h: the state of the out-of-order machine that is timed in program order.
 *
 * The oldest ready operation issues first, and fetch and commit are in order.  As long as nothing
 * is squashed, a younger operation therefore never delays an older one: at fetch, the issue, result
 * and commit of an operation follow from those of older ones.  No cycle-by-cycle simulation is
 * needed.  The machine stores only the cycle in which each register's value is available, the
 * number of operations that issue in each later cycle, and the cycle in which each operation in
 * flight commits.
 */
#ifndef SPOOR_PIPELINE_DIRECT_H
#define SPOOR_PIPELINE_DIRECT_H

#include "simulate/pipeline/outorder_shared.h"

/* An operation in flight, or one that left recently. */
struct flight {
    uint64_t done, commit;  /* cycles */
    uint32_t held;          /* load: number of cycles by which a store delayed it */
    uint16_t loads, stores; /* number of them before it in the trace, modulo 2^16 */
    uint16_t latency;
    uint8_t is, noted, dests;
};

/* A store.  Stores whose addresses share a bucket are linked. */
struct program_order_store {
    uint64_t address;
    uint64_t done; /* cycle in which it and all older stores to its address are done */
    uint64_t same; /* 1 + number of the next older in the bucket; 0: none */
};

/* The number of operations of one class that issue in each later cycle, indexed by cycle, masked.
 */
struct issues {
    uint8_t *count;
    uint64_t *full; /* one bit for each cycle: no more can issue */
    uint8_t maximum;
};

struct program_order {
    struct machine machine;
    struct outorder_setup setup;

    uint64_t cycle;
    uint64_t head, tail; /* ordinals: the oldest in flight, and the next to fetch */

    struct front_end front;

    /* rename */
    uint64_t value[SPOOR_NO_REGISTER +
                   1];  /* cycle in which the result of an architectural register is available */
    uint32_t registers; /* number of free physical registers */

    /* issue */
    struct issues all, by_class[SPOOR_CLASSES]; /* by_class: count is NULL where unlimited */
    uint64_t horizon_mask;
    uint64_t passed;       /* cycles before this one are closed */
    uint64_t issued;       /* operations that issued in them */
    bool bounded, classed; /* a structure besides the reorder buffer can be full; the units of a
                            * class can be busy */

    /* commit */
    struct flight
        *flights; /* operations that commit in a cycle are still present after its fetches */
    uint64_t mask;
    uint64_t over; /* the cycle after the last commit; 0: none */

    /* counts: sums over operations */
    uint64_t lives[4]; /* cycles from fetch to commit: neither, loads, stores, both */
    uint64_t waits;    /* cycles from fetch to issue */

    /* memory */
    uint64_t stores_done; /* conservative: cycle in which all stores are done */
    struct program_order_store *queue;
    uint64_t *bucket;       /* perfect: by address, 1 + number of the youngest store */
    uint64_t loads, stores; /* number fetched so far */
};

/* True if this machine can be timed in program order; `longest`: the longest data delay. */
bool program_order_suits(const struct spoor_pipeline_config *config, uint32_t longest);
/* The bytes that it allocates. */
uint64_t program_order_memory(const struct spoor_pipeline_config *config, uint32_t longest);
struct machine *program_order_make(const struct spoor_pipeline_config *config, uint32_t longest);
void program_order_free(struct machine *machine);

static inline struct flight *flight_of(const struct program_order *machine, uint64_t ordinal)
{
    return &machine->flights[ordinal & machine->mask];
}

/* ---- issues ---- */

static inline void issues_book(struct issues *issues, uint64_t at)
{
    if (++issues->count[at] == issues->maximum) issues->full[at >> 6] |= UINT64_C(1) << (at & 63);
}

/* Closes the cycle; returns the number of operations that issued in it. */
static inline uint8_t issues_pass(struct issues *issues, uint64_t at)
{
    const uint8_t count = issues->count[at];
    issues->count[at] = 0;
    if (count == issues->maximum) issues->full[at >> 6] &= ~(UINT64_C(1) << (at & 63));
    return count;
}

#endif

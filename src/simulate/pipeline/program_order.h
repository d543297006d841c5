/* SPDX-License-Identifier: MIT */
/*
 * program_order.h: the state of the out-of-order machine that is timed in the order of the program.
 *
 * The oldest that is ready issues first, fetch and commit are in order: so as long as nothing is
 * squashed no operation is delayed by a younger one, and when it is fetched its issue, result and
 * commit follow from those of older ones.  There is no cycle by cycle: what an operation needs to
 * know of the older ones is when each register's value is there, how many issue in each cycle to
 * come, and when each operation in flight commits.
 */
#ifndef SPOOR_PIPELINE_DIRECT_H
#define SPOOR_PIPELINE_DIRECT_H

#include "simulate/pipeline/outorder_shared.h"

/* An operation in flight, or one that has left not long ago. */
struct flight {
    uint64_t done, commit;  /* cycles */
    uint32_t held;          /* cycles by which a store held it up, a load */
    uint16_t loads, stores; /* of them before it in the trace, modulo 2^16 */
    uint16_t latency;
    uint8_t is, noted, dests;
};

/* A store.  Those whose addresses share a bucket hang together. */
struct program_order_store {
    uint64_t address;
    uint64_t done; /* cycle in which it and all older ones to its address are done */
    uint64_t same; /* 1 + number of the next older in the bucket; 0: none */
};

/* What of one kind issues in each cycle to come, by cycle, masked. */
struct issues {
    uint8_t *count;
    uint64_t *full; /* a bit a cycle: no more can issue */
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
                   1];  /* cycle in which the result of an architectural register is there */
    uint32_t registers; /* physical ones that are free */

    /* issue */
    struct issues all, by_class[SPOOR_CLASSES]; /* by_class: count is NULL where unlimited */
    uint64_t horizon_mask;
    uint64_t passed;       /* cycles before this one are over */
    uint64_t issued;       /* operations that issued in them */
    bool bounded, classed; /* something but the reorder buffer, the units of a class can be full */

    /* commit */
    struct flight *flights; /* those that commit in this cycle are still there after its fetches */
    uint64_t mask;
    uint64_t over; /* the cycle after the last commit; 0: none */

    /* account: sums over operations */
    uint64_t lives[4]; /* cycles from fetch to commit; of neither, loads, stores */
    uint64_t waits;    /* cycles from fetch to issue */

    /* memory */
    uint64_t stores_done; /* conservative: cycle in which all stores are done */
    struct program_order_store *queue;
    uint64_t *bucket;       /* perfect: by address, 1 + number of the youngest store */
    uint64_t loads, stores; /* met so far */
};

/* Whether this machine can be timed directly; `longest`: the longest data delay. */
bool program_order_suits(const struct spoor_pipeline_config *config, uint32_t longest);
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

/* The cycle is over; gives how many issued in it. */
static inline uint8_t issues_pass(struct issues *issues, uint64_t at)
{
    const uint8_t count = issues->count[at];
    issues->count[at] = 0;
    if (count == issues->maximum) issues->full[at >> 6] &= ~(UINT64_C(1) << (at & 63));
    return count;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * outorder_shared.h: rules that are the same for an out-of-order machine that is timed in the order
 * of the program (program_order.h) and one that goes cycle by cycle (outorder.h).
 */
#ifndef SPOOR_PIPELINE_OUTORDER_SHARED_H
#define SPOOR_PIPELINE_OUTORDER_SHARED_H

#include "simulate/pipeline/outorder_setup.h"

#define INLINE static inline __attribute__((always_inline))

/* ---- fetch ---- */

/* Why there is no fetch. */
struct front_end {
    uint64_t resume;     /* no fetch before this cycle */
    uint64_t missed;     /* 1 + ordinal of the operation whose instruction miss has been served */
    enum reason stalled; /* why not */
};

/* An instruction miss stops fetch once, when its operation is first met: those before ordinal `met`
 * have been. */
INLINE bool misses(struct front_end *front, const struct note *note, uint64_t ordinal, uint64_t met,
                   uint64_t cycle)
{
    if (!note->fetch_delay || ordinal < met || front->missed == ordinal + 1) return false;
    front->missed = ordinal + 1;
    front->resume = cycle + note->fetch_delay;
    front->stalled = REASON_FRONT_END;
    return true;
}

/* ---- room ---- */

/* How many more there is room for, after so many in flight and in the issue queue, with so many
 * physical registers free, of which each takes two at most; where for none, *full is the structure
 * without. */
INLINE uint64_t capacity_behind(const struct outorder_setup *setup, uint64_t in_flight,
                                uint64_t queued, uint64_t free_registers, enum reason *full)
{
    const uint64_t rob = setup->rob - in_flight, registers = free_registers / 2;
    const uint64_t queue = setup->capacity[ISSUE_QUEUE] - queued;
    const uint64_t minimum = rob < queue ? rob : queue;
    *full = rob <= queue ? REASON_ROB_FULL : REASON_ISSUE_QUEUE_FULL;
    if (minimum <= registers) return minimum;
    *full = REASON_REGISTERS_FULL;
    return registers;
}

/* Is there room for a load or store (`is`) after so many in flight?  Else *full is its queue. */
INLINE bool queue_has_capacity(const struct outorder_setup *setup, uint8_t is, uint64_t loads,
                               uint64_t stores, enum reason *full)
{
    if (is & SPOOR_UOP_LOAD && loads >= setup->capacity[LOAD_QUEUE]) {
        *full = REASON_LOAD_QUEUE_FULL;
        return false;
    }
    if (is & SPOOR_UOP_STORE && stores >= setup->capacity[STORE_QUEUE]) {
        *full = REASON_STORE_QUEUE_FULL;
        return false;
    }
    return true;
}

/* ---- addresses ---- */

enum { BUCKETS = 1024 }; /* of loads and stores in flight, by address */

static inline uint32_t address_hash(uint64_t address)
{
    return (uint32_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 40);
}
static inline uint32_t bucket_of(uint64_t address)
{
    return address_hash(address) & (BUCKETS - 1);
}

#endif

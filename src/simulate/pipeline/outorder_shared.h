/* SPDX-License-Identifier: MIT */
/*
 * outorder_shared.h: rules that both out-of-order machines share: the one timed in program order
 * (program_order.c) and the one simulated cycle by cycle (outorder.h).
 */
#ifndef SPOOR_PIPELINE_OUTORDER_SHARED_H
#define SPOOR_PIPELINE_OUTORDER_SHARED_H

#include "base/inline.h"
#include "simulate/pipeline/machine.h"

#define INLINE static FORCE_INLINE

/* ---- the resolved configuration: outorder_state.c ---- */

/* The configuration with every 0 that means another number replaced by that number. */
struct outorder_setup {
    uint32_t fetch_width, issue_width, commit_width, rob, capacity[STRUCTURES];
    uint32_t issue_delay, penalty, latency[SPOOR_CLASSES];
    /* the longest data delay beyond the greater of issue_delay and every latency */
    uint32_t longest;
    uint8_t units[SPOOR_CLASSES];
    bool taken_ends_group, divide_pipelined, checks_in_flight, checks_first, bounds_queues;
};

/* Resolves a configuration; `longest`: the longest data delay. */
struct outorder_setup outorder_setup_of(const struct spoor_pipeline_config *config,
                                        uint32_t longest);
/* Returns the smallest power of two greater than `value`. */
uint32_t power_of_two_over(uint64_t value);

/* ---- fetch ---- */

/* The state of a stalled fetch. */
struct front_end {
    uint64_t resume;     /* no fetch before this cycle */
    uint64_t missed;     /* 1 + ordinal of the operation whose instruction miss has been served */
    enum reason stalled; /* reason */
};

/* True if an instruction miss stops fetch.  It does so once, when its operation is first fetched;
 * the operations before ordinal `met` have been fetched before. */
INLINE bool front_end_misses(struct front_end *front, const struct note *note, uint64_t ordinal,
                             uint64_t met, uint64_t cycle)
{
    if (!note->fetch_delay || ordinal < met || front->missed == ordinal + 1) return false;
    front->missed = ordinal + 1;
    front->resume = cycle + note->fetch_delay;
    front->stalled = REASON_FRONT_END;
    return true;
}

/* ---- capacity ---- */

/* Returns how many operations fit after those in flight and in the issue queue, given the free
 * physical registers, of which each operation needs at most two.  If none fits, *full is the
 * structure that is full. */
INLINE uint64_t outorder_capacity_after(const struct outorder_setup *setup, uint64_t in_flight,
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

/* True if a load or store (`is`) fits into its queue after those in flight; else *full is that
 * queue. */
INLINE bool outorder_queue_has_room(const struct outorder_setup *setup, uint8_t is, uint64_t loads,
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

enum { BUCKETS = 1024 }; /* for loads and stores in flight, by address */

static inline uint32_t address_hash(uint64_t address)
{
    return (uint32_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 40);
}
static inline uint32_t address_bucket(uint64_t address)
{
    return address_hash(address) & (BUCKETS - 1);
}

#endif

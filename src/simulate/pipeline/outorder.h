/* SPDX-License-Identifier: MIT */
/*
 * outorder.h: the state of the out-of-order machine.
 *
 * The reorder buffer is a ring of slots.  The slot of an operation is its ordinal, masked, so the
 * order in the ring is the order of age.  Each slot has one bit that states whether it is ready to
 * issue.  Operations that become ready in a known later cycle are bits in a timing wheel of such
 * bitmaps, one row for each cycle.  An operation whose sources have not issued is linked into the
 * lists of their producers.  The cost of a cycle therefore depends on its events, not on the size
 * of the reorder buffer.
 */
#ifndef SPOOR_PIPELINE_OUTORDER_H
#define SPOOR_PIPELINE_OUTORDER_H

#include <stdlib.h>

#include "base/hash_map.h"
#include "simulate/pipeline/outorder_shared.h"

/* Links of a slot: three sources, and one to make the number a power of two. */
enum { SOURCES = 4, FETCH_AHEAD = 256 };
#define NEVER UINT64_MAX
#define NO_PHYSICAL ((uint16_t)UINT16_MAX)

/* An operation in flight. */
struct slot {
    uint64_t done;        /* cycle in which its result is available; NEVER before it issues */
    uint64_t ready;       /* earliest cycle of issue, as known so far */
    uint64_t issue;       /* cycle */
    uint64_t address;     /* address of a load or store */
    uint64_t stores;      /* number of preceding stores in the trace */
    uint64_t after;       /* perfect: 1 + number of the store that it waits for; 0: none */
    uint64_t blocked;     /* load: 1 + cycle in which a store first delayed it; 0: none did */
    uint64_t previous[2]; /* previous producers of the destinations */
    uint32_t waiters; /* 1 + link of the youngest operation that waits for its result; 0: none */
    uint32_t set;     /* store set; 0: none */
    uint16_t latency;
    uint16_t physical[2], freed[2];
    uint8_t dest[2];
    uint8_t pending; /* sources whose producers have not issued */
    uint8_t kind, is, noted;
};

/* The data needed to fetch an operation again, or to show it. */
struct slot_copy {
    struct spoor_operation operation;
    struct note note;
    uint64_t fetch, producer[3], store;
    uint64_t from; /* in time, of a load: see outorder_find_store() */
    uint16_t source[3];
};

/* A store in flight: an entry of the store queue. */
struct store {
    uint32_t slot;
    uint32_t completing; /* 1 + entry of another store that completes in the same cycle */
    uint64_t loads;      /* number of preceding loads in the trace */
    uint64_t same;       /* 1 + number of an older store in the same bucket; 0: none */
};

/* Store sets: one set for each pc that took part in a violation. */
struct store_sets {
    struct hash_map by_pc; /* of struct store_set */
    uint32_t *table;       /* bounded: a table by hash of the pc instead; 0: none */
    uint32_t mask;         /* entries of the table - 1 */
    uint32_t last;         /* the newest set */
};

struct outorder {
    struct machine machine;
    struct outorder_setup setup;

    uint64_t cycle;
    uint64_t head, tail; /* ordinals: the oldest in flight, and the next to fetch */
    uint64_t seen;       /* operations before this ordinal were fetched at least once */

    /* fetch */
    struct front_end front;
    uint64_t wrong; /* 1 + ordinal of the mispredicted branch in flight; 0: none */

    /* in time: 1 + number of the block that was fetched last, the cycle in which it is there, and 1
     * + ordinal of the operation that fetched it; the next operation whose block is fetched ahead,
     * and those cycles of the operations before it; whether the fetch of an operation missed */
    uint64_t block, block_ready, block_fetcher, ahead;
    uint64_t ahead_ready[FETCH_AHEAD];
    bool fetch_missed[FETCH_AHEAD];

    /* rename */
    /* by architectural register: 1 + ordinal of the last producer; the cycle in which its result is
     * available, NEVER: it has not issued */
    uint64_t producer[SPOOR_NO_REGISTER + 1], value[SPOOR_NO_REGISTER + 1];
    uint16_t physical[SPOOR_NO_REGISTER + 1];
    uint16_t *free_list;
    uint32_t free_mask, free_head, free_count;

    /* the ring, its lists and bitmaps */
    struct slot *slots;
    struct slot_copy *kept;
    uint32_t *links; /* SOURCES for each slot: the next older operation that waits for the same
                      * result */
    uint32_t mask, words;
    uint64_t *ready, *blocked; /* bitmaps; blocked: loads that wait for stores */
    uint64_t *wheel;           /* a row of `words` words for each cycle up to the horizon */
    uint32_t horizon_mask;
    uint32_t queued; /* number of operations in the issue queue */
    uint32_t divides;
    /* cycle in which each divider is free, if divides are not pipelined */
    uint64_t divider_free[64];

    /* loads and stores in flight, indexed by their numbers in the trace */
    struct store *stores;
    uint32_t *loads; /* slots */
    uint64_t store_head, store_tail, load_head, load_tail;
    uint64_t stores_done; /* stores before this number are done */
    uint64_t blocker;     /* number of the store that the last blocked load waits for */
    uint32_t *completing; /* indexed by cycle in the wheel: 1 + entry of a store that completes */
    uint64_t *bucket;     /* perfect: by address, 1 + number of the youngest store */
    /* speculation: number of issued loads in flight by address, saturating */
    uint8_t *issued_loads;
    struct store_sets sets;
};

static inline struct slot *outorder_slot(const struct outorder *machine, uint64_t ordinal)
{
    return &machine->slots[ordinal & machine->mask];
}
static inline struct store *outorder_store(const struct outorder *machine, uint64_t number)
{
    return &machine->stores[number & machine->mask];
}
static inline struct slot *outorder_store_slot(const struct outorder *machine, uint64_t number)
{
    return &machine->slots[outorder_store(machine, number)->slot];
}

/* ---- the wheel ---- */

static inline void bit_set(uint64_t *bits, uint32_t slot)
{
    bits[slot >> 6] |= UINT64_C(1) << (slot & 63);
}
static inline void bit_clear(uint64_t *bits, uint32_t slot)
{
    bits[slot >> 6] &= ~(UINT64_C(1) << (slot & 63));
}
static inline uint64_t *outorder_wheel_row(const struct outorder *machine, uint64_t cycle)
{
    return machine->wheel + (cycle & machine->horizon_mask) * machine->words;
}
/* Schedules an operation whose sources are all known: it may issue from cycle `ready` on, which has
 * not begun. */
static inline void outorder_schedule(struct outorder *machine, uint32_t slot, uint64_t ready)
{
    bit_set(outorder_wheel_row(machine, ready), slot);
}

/* The cycle, or the farthest one that the wheel has. */
static inline uint64_t outorder_within(const struct outorder *machine, uint64_t cycle)
{
    const uint64_t farthest = machine->cycle + machine->horizon_mask;
    return cycle < farthest ? cycle : farthest;
}

/* ---- outorder_state.c ---- */

uint64_t outorder_memory(const struct spoor_pipeline_config *config, uint32_t longest);
bool outorder_start(struct machine *machine, uint32_t longest);
void outorder_finish(struct machine *machine);
/* Exchanges their store sets. */
void outorder_exchange(struct machine *machine, struct machine *other);
/* Returns the number of the oldest load that issued before store `number`, which completes now;
 * NEVER if there is none. */
uint64_t outorder_violation(const struct outorder *machine, uint64_t number);
/* Squashes operation `first` and all younger ones. */
void outorder_squash(struct outorder *machine, uint64_t first);
uint32_t store_sets_find(const struct store_sets *sets, uint64_t pc);
/* Puts the load and the store of a violation, by the addresses of their instructions, into one set;
 * false if memory runs out. */
bool store_sets_join(struct store_sets *sets, uint64_t load_pc, uint64_t store_pc);

/* ---- when a load may issue, for each memory order ----
 *
 * Only exact addresses are compared, because micro-op traces state no sizes. */

static inline bool memory_order_speculates(enum spoor_memory_order order)
{
    return order == SPOOR_MEMORY_NAIVE || order == SPOOR_MEMORY_STORE_SETS;
}

/* Conservative: true if all stores older than the load are done. */
static inline bool outorder_all_stores_done(struct outorder *machine, const struct slot *load)
{
    uint64_t number = machine->stores_done;
    if (number < machine->store_head) number = machine->store_head;
    while (number < load->stores && outorder_store_slot(machine, number)->done <= machine->cycle)
        number++;
    machine->stores_done = machine->blocker = number;
    return number >= load->stores;
}

/* Perfect: drops the youngest of the older stores to the same address while it is done; true if
 * none is left. */
static inline bool outorder_same_stores_done(struct outorder *machine, struct slot *load)
{
    while (load->after > machine->store_head) {
        const struct slot *store = outorder_store_slot(machine, load->after - 1);
        if (store->address == load->address && store->done > machine->cycle) {
            machine->blocker = load->after - 1;
            return false;
        }
        load->after = outorder_store(machine, load->after - 1)->same;
    }
    return true;
}

/* Store sets: true if an older store of the load's set is not done. */
static inline bool outorder_set_stores_done(struct outorder *machine, const struct slot *load)
{
    if (load->set == 0) return true;
    for (uint64_t number = load->stores; number > machine->store_head; number--) {
        const struct slot *store = outorder_store_slot(machine, number - 1);
        if (store->set == load->set && store->done > machine->cycle) {
            machine->blocker = number - 1;
            return false;
        }
    }
    return true;
}

static inline bool outorder_load_may_issue(struct outorder *machine, struct slot *load,
                                           enum spoor_memory_order order)
{
    switch (order) {
    case SPOOR_MEMORY_CONSERVATIVE: return outorder_all_stores_done(machine, load);
    case SPOOR_MEMORY_PERFECT: return outorder_same_stores_done(machine, load);
    case SPOOR_MEMORY_STORE_SETS: return outorder_set_stores_done(machine, load);
    default: return true;
    }
}

/* In time: 1 + the number of the youngest store to a load's address in the queue; 0: none. */
static inline uint64_t outorder_find_store(const struct outorder *machine, const struct slot *load)
{
    for (uint64_t number = load->stores; number > machine->store_head; number--)
        if (outorder_store_slot(machine, number - 1)->address == load->address) return number;
    return 0;
}

/* True if the store with this number, plus 1, is done. */
static inline bool outorder_is_forwarded(const struct outorder *machine, uint64_t number)
{
    return number > machine->store_head
               ? outorder_store_slot(machine, number - 1)->done <= machine->cycle
               : number > 0;
}

/* Adds a load or store to its queue. */
static inline void outorder_memory_enter(struct outorder *machine, struct slot *slot,
                                         uint32_t index, uint64_t pc, enum spoor_memory_order order)
{
    uint64_t *bucket = &machine->bucket[address_bucket(slot->address)];
    slot->stores = machine->store_tail;
    slot->after = order == SPOOR_MEMORY_PERFECT ? *bucket : 0;
    slot->set = order == SPOOR_MEMORY_STORE_SETS ? store_sets_find(&machine->sets, pc) : 0;
    if (slot->is & SPOOR_UOP_LOAD) {
        machine->loads[machine->load_tail++ & machine->mask] = index;
        return;
    }
    *outorder_store(machine, machine->store_tail) =
        (struct store){.slot = index, .loads = machine->load_tail, .same = slot->after};
    machine->store_tail++;
    if (order == SPOOR_MEMORY_PERFECT) *bucket = machine->store_tail;
}

/* Updates the queues when a load or store issues. */
static inline void outorder_memory_issue(struct outorder *machine, struct slot *slot,
                                         enum spoor_memory_order order)
{
    if (slot->is & SPOOR_UOP_STORE) {
        const uint32_t entry = (uint32_t)(slot->stores & machine->mask);
        uint32_t *row = &machine->completing[slot->done & machine->horizon_mask];
        machine->stores[entry].completing = *row;
        *row = entry + 1;
    } else if (memory_order_speculates(order)) {
        uint8_t *count = &machine->issued_loads[address_bucket(slot->address)];
        *count = (uint8_t)(*count + (*count != UINT8_MAX));
    }
}

/* Removes a load or store, after its commit or squash. */
static inline void outorder_memory_forget(struct outorder *machine, const struct slot *slot,
                                          enum spoor_memory_order order)
{
    if (!memory_order_speculates(order) || !(slot->is & SPOOR_UOP_LOAD) || slot->done == NEVER)
        return;
    uint8_t *count = &machine->issued_loads[address_bucket(slot->address)];
    *count = (uint8_t)(*count - (*count != UINT8_MAX));
}

#endif

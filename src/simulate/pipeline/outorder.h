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

enum {
    SOURCES = 4
}; /* links of a slot: three sources, and one to make the number a power of two */
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
struct kept {
    struct spoor_operation operation;
    struct note note;
    uint64_t fetch, producer[3], store;
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

    /* rename */
    uint64_t producer[SPOOR_NO_REGISTER +
                      1]; /* 1 + ordinal of the last producer of an architectural register */
    uint64_t value[SPOOR_NO_REGISTER +
                   1]; /* cycle in which its result is available; NEVER: it has not issued */
    uint16_t physical[SPOOR_NO_REGISTER + 1];
    uint16_t *free_list;
    uint32_t free_mask, free_head, free_count;

    /* the ring, its lists and bitmaps */
    struct slot *slots;
    struct kept *kept;
    uint32_t *links; /* SOURCES for each slot: the next older operation that waits for the same
                      * result */
    uint32_t mask, words;
    uint64_t *ready, *blocked; /* bitmaps; blocked: loads that wait for stores */
    uint64_t *wheel;           /* a row of `words` words for each cycle up to the horizon */
    uint32_t horizon_mask;
    uint32_t queued; /* number of operations in the issue queue */
    uint32_t divides;
    uint64_t
        divider_free[64]; /* cycle in which each divider is free, if divides are not pipelined */

    /* loads and stores in flight, indexed by their numbers in the trace */
    struct store *stores;
    uint32_t *loads; /* slots */
    uint64_t store_head, store_tail, load_head, load_tail;
    uint64_t stores_done; /* stores before this number are done */
    uint64_t blocker;     /* number of the store that the last blocked load waits for */
    uint32_t *completing; /* indexed by cycle in the wheel: 1 + entry of a store that completes */
    uint64_t *bucket;     /* perfect: by address, 1 + number of the youngest store */
    uint8_t
        *issued_loads; /* speculation: number of issued loads in flight by address, saturating */
    struct store_sets sets;
};

static inline struct slot *slot_of(const struct outorder *machine, uint64_t ordinal)
{
    return &machine->slots[ordinal & machine->mask];
}
static inline struct store *store_of(const struct outorder *machine, uint64_t number)
{
    return &machine->stores[number & machine->mask];
}
static inline struct slot *slot_of_store(const struct outorder *machine, uint64_t number)
{
    return &machine->slots[store_of(machine, number)->slot];
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
static inline uint64_t *wheel_row(const struct outorder *machine, uint64_t cycle)
{
    return machine->wheel + (cycle & machine->horizon_mask) * machine->words;
}
/* Schedules an operation whose sources are all known: it may issue from cycle `ready` on, which has
 * not begun. */
static inline void schedule(struct outorder *machine, uint32_t slot, uint64_t ready)
{
    bit_set(wheel_row(machine, ready), slot);
}

/* ---- outorder_memory.c ---- */

/* Returns the number of the oldest load that issued before store `number`, which completes now;
 * NEVER if there is none. */
uint64_t memory_violation(const struct outorder *machine, uint64_t number);
uint32_t store_sets_find(const struct store_sets *sets, uint64_t pc);
/* Puts the load and the store of a violation, by the addresses of their instructions, into one set;
 * false if memory runs out. */
bool store_sets_join(struct store_sets *sets, uint64_t load_pc, uint64_t store_pc);

/* ---- outorder_make.c ---- */

/* The bytes that it allocates. */
uint64_t outorder_memory(const struct spoor_pipeline_config *config, uint32_t longest);
struct machine *outorder_make(const struct spoor_pipeline_config *config, uint32_t longest);
void outorder_free(struct machine *machine);
/* Exchanges their store sets. */
void outorder_exchange(struct machine *machine, struct machine *other);

/* ---- outorder_squash.c ---- */

/* Squashes operation `first` and all younger ones. */
void outorder_squash(struct outorder *machine, uint64_t first);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * outorder_memory.h: decides when a load may issue, for each memory order.
 *
 * Only exact addresses are compared, because micro-op traces state no sizes.
 */
#ifndef SPOOR_PIPELINE_OUTORDER_MEMORY_H
#define SPOOR_PIPELINE_OUTORDER_MEMORY_H

#include "simulate/pipeline/outorder.h"

static inline bool speculates(enum spoor_memory_order order)
{
    return order == SPOOR_MEMORY_NAIVE || order == SPOOR_MEMORY_STORE_SETS;
}

/* Conservative: true if all stores older than the load are done. */
static inline bool stores_before_done(struct outorder *machine, const struct slot *load)
{
    uint64_t number = machine->stores_done;
    if (number < machine->store_head) number = machine->store_head;
    while (number < load->stores && slot_of_store(machine, number)->done <= machine->cycle)
        number++;
    machine->stores_done = machine->blocker = number;
    return number >= load->stores;
}

/* Perfect: drops the youngest of the older stores to the same address while it is done; true if
 * none is left. */
static inline bool same_stores_done(struct outorder *machine, struct slot *load)
{
    while (load->after > machine->store_head) {
        const struct slot *store = slot_of_store(machine, load->after - 1);
        if (store->address == load->address && store->done > machine->cycle) {
            machine->blocker = load->after - 1;
            return false;
        }
        load->after = store_of(machine, load->after - 1)->same;
    }
    return true;
}

/* Store sets: true if an older store of the load's set is not done. */
static inline bool set_stores_done(struct outorder *machine, const struct slot *load)
{
    if (load->set == 0) return true;
    for (uint64_t number = load->stores; number > machine->store_head; number--) {
        const struct slot *store = slot_of_store(machine, number - 1);
        if (store->set == load->set && store->done > machine->cycle) {
            machine->blocker = number - 1;
            return false;
        }
    }
    return true;
}

static inline bool load_may_issue(struct outorder *machine, struct slot *load,
                                  enum spoor_memory_order order)
{
    switch (order) {
    case SPOOR_MEMORY_CONSERVATIVE: return stores_before_done(machine, load);
    case SPOOR_MEMORY_PERFECT: return same_stores_done(machine, load);
    case SPOOR_MEMORY_STORE_SETS: return set_stores_done(machine, load);
    default: return true;
    }
}

/* Adds a load or store to its queue. */
static inline void memory_enter(struct outorder *machine, struct slot *slot, uint32_t index,
                                uint64_t pc, enum spoor_memory_order order)
{
    uint64_t *bucket = &machine->bucket[bucket_of(slot->address)];
    slot->stores = machine->store_tail;
    slot->after = order == SPOOR_MEMORY_PERFECT ? *bucket : 0;
    slot->set = order == SPOOR_MEMORY_STORE_SETS ? store_sets_find(&machine->sets, pc) : 0;
    if (slot->is & SPOOR_UOP_LOAD) {
        machine->loads[machine->load_tail++ & machine->mask] = index;
        return;
    }
    *store_of(machine, machine->store_tail) =
        (struct store){.slot = index, .loads = machine->load_tail, .same = slot->after};
    machine->store_tail++;
    if (order == SPOOR_MEMORY_PERFECT) *bucket = machine->store_tail;
}

/* Updates the queues when a load or store issues. */
static inline void memory_issue(struct outorder *machine, struct slot *slot,
                                enum spoor_memory_order order)
{
    if (slot->is & SPOOR_UOP_STORE) {
        const uint32_t entry = (uint32_t)(slot->stores & machine->mask);
        uint32_t *row = &machine->completing[slot->done & machine->horizon_mask];
        machine->stores[entry].completing = *row;
        *row = entry + 1;
    } else if (speculates(order)) {
        uint8_t *count = &machine->issued_loads[bucket_of(slot->address)];
        *count = (uint8_t)(*count + (*count != UINT8_MAX));
    }
}

/* Removes a load or store, after its commit or squash. */
static inline void memory_forget(struct outorder *machine, const struct slot *slot,
                                 enum spoor_memory_order order)
{
    if (!speculates(order) || !(slot->is & SPOOR_UOP_LOAD) || slot->done == NEVER) return;
    uint8_t *count = &machine->issued_loads[bucket_of(slot->address)];
    *count = (uint8_t)(*count - (*count != UINT8_MAX));
}

#endif

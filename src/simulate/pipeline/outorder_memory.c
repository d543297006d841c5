/* SPDX-License-Identifier: MIT */
/*
 * outorder_memory.c: memory-order violations and store sets.
 *
 * Store sets after Chrysos and Emer, "Memory Dependence Prediction using Store Sets", ISCA 1998:
 * the load and the store of a violation come into one set, two sets are merged into the older, and
 * a load waits for the stores of its set that are in flight.
 */
#include "simulate/pipeline/outorder_memory.h"

/* Did the load take its value from a store that is younger than `number`? */
static bool supplied_by_younger(const struct outorder *machine, const struct slot *load,
                                uint64_t number)
{
    for (uint64_t younger = number + 1; younger < load->stores; younger++) {
        const struct slot *store = slot_of_store(machine, younger);
        if (store->address == load->address && store->done <= load->issue) return true;
    }
    return false;
}

uint64_t memory_violation(const struct outorder *machine, uint64_t number)
{
    const struct store *entry = store_of(machine, number);
    const uint64_t address = machine->slots[entry->slot].address;
    if (!machine->issued_loads[bucket_of(address)]) return NEVER;
    uint64_t first = entry->loads > machine->load_head ? entry->loads : machine->load_head;
    for (uint64_t at = first; at < machine->load_tail; at++) {
        const struct slot *load = &machine->slots[machine->loads[at & machine->mask]];
        const bool early = load->done != NEVER && load->issue < machine->cycle;
        if (early && load->address == address && !supplied_by_younger(machine, load, number))
            return at;
    }
    return NEVER;
}

/* ---- store sets ---- */

enum { SETS_CAPACITY = 1024 };

static uint32_t place_of(const struct store_sets *sets, uint64_t pc)
{
    uint32_t at = address_hash(pc) & (sets->capacity - 1);
    if (sets->bounded) return at;
    while (sets->pcs[at] && sets->pcs[at] != pc) at = (at + 1) & (sets->capacity - 1);
    return at;
}

uint32_t store_sets_find(const struct store_sets *sets, uint64_t pc)
{
    return sets->used ? sets->sets[place_of(sets, pc)] : 0;
}

static void grow(struct store_sets *sets)
{
    struct store_sets wider = *sets;
    wider.capacity = sets->capacity ? sets->capacity * 2 : SETS_CAPACITY;
    wider.pcs = calloc(wider.capacity, sizeof *wider.pcs);
    wider.sets = calloc(wider.capacity, sizeof *wider.sets);
    if (!wider.pcs || !wider.sets) {
        free(wider.pcs);
        free(wider.sets);
        sets->failed = true;
        return;
    }
    for (uint32_t i = 0; i < sets->capacity; i++) {
        if (!sets->pcs[i]) continue;
        const uint32_t at = place_of(&wider, sets->pcs[i]);
        wider.pcs[at] = sets->pcs[i];
        wider.sets[at] = sets->sets[i];
    }
    free(sets->pcs);
    free(sets->sets);
    sets->pcs = wider.pcs;
    sets->sets = wider.sets;
    sets->capacity = wider.capacity;
}

void store_sets_join(struct store_sets *sets, uint64_t load_pc, uint64_t store_pc)
{
    if (!sets->bounded && (sets->used + 2) * 2 > sets->capacity) grow(sets);
    if (sets->failed) return;
    const uint32_t load = place_of(sets, load_pc);
    const uint32_t of_load = sets->sets[load];
    sets->used += !sets->pcs[load];
    sets->pcs[load] = load_pc;
    const uint32_t store = place_of(sets, store_pc);
    const uint32_t of_store = sets->sets[store];
    sets->used += !sets->pcs[store];
    sets->pcs[store] = store_pc;
    uint32_t both = of_load && (!of_store || of_load < of_store) ? of_load : of_store;
    if (!both) both = ++sets->last;
    sets->sets[load] = sets->sets[store] = both;
}

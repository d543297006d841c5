/* SPDX-License-Identifier: MIT */
/*
 * outorder_memory.c: memory-order violations and store sets.
 *
 * Store sets follow Chrysos and Emer, "Memory Dependence Prediction using Store Sets", ISCA 1998:
 * the load and the store of a violation join one set, two sets are merged into the older, and a
 * load waits for the stores of its set that are in flight.
 */
#include "simulate/pipeline/outorder_memory.h"

/* Did the load take its value from a store that is younger than `number`?  The course does not
 * ask. */
static bool supplied_by_younger(const struct outorder *machine, const struct slot *load,
                                uint64_t number)
{
    if (machine->setup.checks_first) return false;
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

struct store_set {
    uint64_t pc;
    uint32_t set;
};

uint32_t store_sets_find(const struct store_sets *sets, uint64_t pc)
{
    if (sets->table) return sets->table[address_hash(pc) & sets->mask];
    const struct store_set *found = hash_map_find(&sets->by_pc, pc, sizeof *found);
    return found ? found->set : 0;
}

/* False if memory runs out. */
static bool set_store_set(struct store_sets *sets, uint64_t pc, uint32_t set)
{
    bool added;
    if (sets->table) {
        sets->table[address_hash(pc) & sets->mask] = set;
        return true;
    }
    struct store_set *found = hash_map_add(&sets->by_pc, pc, sizeof *found, &added);
    if (found) found->set = set;
    return found;
}

bool store_sets_join(struct store_sets *sets, uint64_t load_pc, uint64_t store_pc)
{
    const uint32_t load = store_sets_find(sets, load_pc);
    const uint32_t store = store_sets_find(sets, store_pc);
    uint32_t both = load && (!store || load < store) ? load : store;
    if (!both) both = ++sets->last;
    return set_store_set(sets, load_pc, both) && set_store_set(sets, store_pc, both);
}

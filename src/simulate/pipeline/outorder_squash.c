/* SPDX-License-Identifier: MIT */
/*
 * outorder_squash.c: squashes operations that executed too early.
 *
 * Renaming is undone from the youngest operation on.  Each register returns to the front of the
 * free list, so the next fetched operation gets it again.  The two registers of one operation are
 * thereby exchanged, as in the published logs.
 */
#include "simulate/pipeline/outorder_memory.h"

/* Clears the bits of the slots of `count` operations from `first` on. */
static void clear_slots(uint64_t *bits, const struct outorder *machine, uint64_t first)
{
    for (uint64_t ordinal = first; ordinal < machine->tail; ordinal++)
        bit_clear(bits, (uint32_t)(ordinal & machine->mask));
}

static void forget_schedule(struct outorder *machine, uint64_t first)
{
    clear_slots(machine->ready, machine, first);
    clear_slots(machine->blocked, machine, first);
    for (uint32_t row = 0; row <= machine->horizon_mask; row++)
        clear_slots(machine->wheel + (size_t)row * machine->words, machine, first);
}

/* Removes squashed operations from the lists of the unissued operations before `first`, where they
 * are at the front. */
static void forget_waiters(struct outorder *machine, uint64_t first)
{
    const uint64_t age = first - machine->head;
    for (uint64_t ordinal = machine->head; ordinal < first; ordinal++) {
        struct slot *slot = slot_of(machine, ordinal);
        while (slot->waiters) {
            const uint64_t waiter = (slot->waiters - 1) / SOURCES;
            if (((waiter - machine->head) & machine->mask) < age) break;
            slot->waiters = machine->links[slot->waiters - 1];
        }
    }
}

/* Removes stores from `number` on from the lists of stores that will complete. */
static void forget_completing(struct outorder *machine, uint64_t number)
{
    const uint64_t age = number - machine->store_head;
    for (uint32_t row = 0; row <= machine->horizon_mask; row++) {
        uint32_t *at = &machine->completing[row];
        while (*at) {
            const uint64_t entry = *at - 1;
            if (((entry - machine->store_head) & machine->mask) < age)
                at = &machine->stores[entry].completing;
            else
                *at = machine->stores[entry].completing;
        }
    }
}

static void undo_rename(struct outorder *machine, const struct slot *slot)
{
    for (int i = 0; i < 2; i++) {
        if (slot->dest[i] == SPOOR_NO_REGISTER) continue;
        machine->free_head--;
        machine->free_list[machine->free_head & machine->free_mask] = slot->physical[i];
        machine->free_count++;
    }
    for (int i = 1; i >= 0; i--) {
        if (slot->dest[i] == SPOOR_NO_REGISTER) continue;
        machine->physical[slot->dest[i]] = slot->freed[i];
        machine->producer[slot->dest[i]] = slot->previous[i];
        machine->value[slot->dest[i]] =
            slot->previous[i] > machine->head ? slot_of(machine, slot->previous[i] - 1)->done : 0;
    }
}

static void undo(struct outorder *machine, uint64_t ordinal)
{
    const struct slot *slot = slot_of(machine, ordinal);
    undo_rename(machine, slot);
    memory_forget(machine, slot, machine->machine.config.memory);
    if (slot->is & SPOOR_UOP_LOAD) machine->load_tail--;
    if (slot->is & SPOOR_UOP_STORE) machine->store_tail--;
    machine->queued -= slot->done == NEVER;
}

void outorder_squash(struct outorder *machine, uint64_t first)
{
    struct tally *stats = &machine->machine.stats;
    const uint64_t count = machine->tail - first;
    forget_schedule(machine, first);
    forget_waiters(machine, first);
    for (uint64_t ordinal = machine->tail; ordinal-- > first;) undo(machine, ordinal);
    forget_completing(machine, machine->store_tail);
    machine->tail = first;
    if (machine->wrong > first) {
        machine->wrong = 0;
        machine->front.resume = 0;
    }
    stats->squashes++;
    stats->squashed += count;
    stats->slots[REASON_BASE] -= count;
    stats->slots[REASON_MEMORY_ORDER] += count;
}

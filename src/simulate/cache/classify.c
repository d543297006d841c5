/* SPDX-License-Identifier: MIT */
/*
 * classify.c: a fully associative cache that stores the time of the last access of each block.
 *
 * To find the oldest block, all nodes up to a certain time are sorted into a list, which then
 * serves until its end: a node that was accessed since is newer than all that were not, and is
 * skipped.  Any time with a node is correct.  The minimum of a few nodes' times is used, so the
 * list has a small part of all nodes, because most recently accessed nodes will be accessed again.
 */
#include "simulate/cache/classify.h"

#include <stdlib.h>

#include "base/hash_map.h"

enum { SAMPLES = 16 };

struct shadow *shadow_new(uint32_t blocks, bool fifo)
{
    struct shadow *shadow = calloc(1, sizeof *shadow);
    if (!shadow) return NULL;
    shadow->nodes = calloc(blocks, sizeof *shadow->nodes);
    shadow->ranks = fifo ? NULL : calloc(blocks, sizeof *shadow->ranks);
    shadow->size = blocks;
    shadow->fifo = fifo;
    if (shadow->nodes && (fifo || shadow->ranks)) {
        shadow->nodes[0].block = UINT64_MAX;
        return shadow;
    }
    shadow_free(shadow);
    return NULL;
}

void shadow_free(struct shadow *shadow)
{
    if (!shadow) return;
    hash_map_free(&shadow->blocks);
    free(shadow->nodes);
    free(shadow->ranks);
    free(shadow);
}

static int by_time(const void *a, const void *b)
{
    const struct shadow_rank *left = a, *right = b;
    return (left->time > right->time) - (left->time < right->time);
}

/* Sorts all nodes that are not newer than the oldest of a few, evenly spaced ones. */
static void rank(struct shadow *shadow)
{
    const uint32_t step = shadow->size / SAMPLES + 1;
    uint64_t limit = UINT64_MAX;
    for (uint32_t i = 0; i < shadow->size; i += step)
        if (shadow->nodes[i].time < limit) limit = shadow->nodes[i].time;
    shadow->next = shadow->ranked = 0;
    for (uint32_t i = 0; i < shadow->size; i++) {
        shadow->ranks[shadow->ranked] = (struct shadow_rank){shadow->nodes[i].time, i};
        shadow->ranked += shadow->nodes[i].time <= limit;
    }
    qsort(shadow->ranks, shadow->ranked, sizeof *shadow->ranks, by_time);
}

static uint32_t oldest(struct shadow *shadow)
{
    if (shadow->fifo) {
        const uint32_t first = shadow->next;
        shadow->next = first + 1 == shadow->size ? 0 : first + 1;
        return first;
    }
    for (;; shadow->next++) {
        if (shadow->next == shadow->ranked) rank(shadow);
        const struct shadow_rank *first = &shadow->ranks[shadow->next];
        if (shadow->nodes[first->node].time == first->time) return first->node;
    }
}

/* A node for a new block. */
static uint32_t make_capacity(struct shadow *shadow)
{
    if (shadow->used < shadow->size) return shadow->used++;
    const uint32_t node = oldest(shadow);
    block_map_slot(&shadow->blocks, shadow->nodes[node].block)->place = 0;
    return node;
}

static void bring(struct shadow *shadow, uint64_t block, struct block_map_slot *slot)
{
    const uint32_t node = make_capacity(shadow);
    shadow->nodes[node] = (struct shadow_node){.block = block};
    slot->place = node + 1;
}

enum miss_class shadow_access(struct shadow *shadow, uint64_t block, uint32_t mask, bool allocate,
                              bool missed, uint32_t *hint)
{
    bool added;
    struct block_map_slot *slot = allocate || missed
                                      ? block_map_slot_add(&shadow->blocks, block, &added)
                                      : block_map_slot(&shadow->blocks, block);
    if (!slot) {
        shadow->failed |= allocate || missed;
        return MISS_CAPACITY;
    }
    const bool there = slot->place > 0;
    if (!there && allocate) bring(shadow, block, slot);
    bool hit = false;
    if (slot->place > 0) {
        struct shadow_node *node = &shadow->nodes[slot->place - 1];
        hit = there && (node->valid & mask) == mask;
        node->valid |= mask;
        node->time = ++shadow->now;
        if (hint) *hint = slot->place - 1;
    }
    const bool seen = (slot->value & mask) == mask;
    if (missed && !hit) slot->value |= mask;
    return hit ? MISS_CONFLICT : seen ? MISS_CAPACITY : MISS_COMPULSORY;
}

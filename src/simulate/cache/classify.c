/* SPDX-License-Identifier: MIT */
/*
 * classify.c: a fully associative cache that stores the time of the last access of each block.
 *
 * To find the oldest block, all nodes up to a certain time are sorted into a list, which then
 * serves until its end: a node that was accessed since is newer than all that were not, and is
 * skipped.  Any time with a node is correct.  The third of a few nodes' times is used, so the
 * list has a sixth of all nodes: most recently accessed nodes will be accessed again, and a longer
 * list is made less often.
 */
#include "simulate/cache/classify.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"

enum { SAMPLES = 16 };

struct shadow *shadow_new(uint32_t blocks, bool fifo)
{
    struct shadow *shadow = calloc(1, sizeof *shadow);
    if (!shadow) return NULL;
    shadow->nodes = calloc(blocks, sizeof *shadow->nodes);
    shadow->ranks = fifo ? NULL : calloc(2 * (size_t)blocks, sizeof *shadow->ranks);
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

/* Lists all nodes that are not newer than a limit, and sorts them by time: a digit at a time, the
 * lowest first. */
static void shadow_rank(struct shadow *shadow)
{
    /* The third oldest time of a few nodes, evenly spaced: about a sixth of all are not newer. */
    const uint32_t step = shadow->size / SAMPLES + 1;
    uint64_t times[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (uint32_t i = 0; i < shadow->size; i += step) {
        uint64_t time = shadow->nodes[i].time;
        for (unsigned k = 0; k < 3; k++) {
            const uint64_t newer = time > times[k] ? time : times[k];
            times[k] = time < times[k] ? time : times[k];
            time = newer;
        }
    }
    const uint64_t limit = times[2];
    uint64_t oldest = limit;
    shadow->next = shadow->ranked = 0;
    for (uint32_t i = 0; i < shadow->size; i++) {
        const uint64_t time = shadow->nodes[i].time;
        shadow->ranks[shadow->ranked] = (struct shadow_rank){time, i};
        shadow->ranked += time <= limit;
        oldest = time < oldest ? time : oldest;
    }
    enum { BITS = 8, DIGITS = 1 << BITS };
    const uint32_t count = shadow->ranked;
    struct shadow_rank *from = shadow->ranks, *to = shadow->ranks + shadow->size;
    for (unsigned shift = 0; shift < 64 && (limit - oldest) >> shift; shift += BITS) {
        uint32_t begin[DIGITS + 1] = {0};
        for (uint32_t i = 0; i < count; i++)
            begin[((from[i].time - oldest) >> shift & (DIGITS - 1)) + 1]++;
        for (unsigned digit = 0; digit < DIGITS; digit++) begin[digit + 1] += begin[digit];
        for (uint32_t i = 0; i < count; i++)
            to[begin[(from[i].time - oldest) >> shift & (DIGITS - 1)]++] = from[i];
        struct shadow_rank *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != shadow->ranks) memcpy(shadow->ranks, from, count * sizeof *from);
}

static uint32_t shadow_oldest(struct shadow *shadow)
{
    if (shadow->fifo) {
        const uint32_t first = shadow->next;
        shadow->next = first + 1 == shadow->size ? 0 : first + 1;
        return first;
    }
    for (;; shadow->next++) {
        if (shadow->next == shadow->ranked) shadow_rank(shadow);
        const struct shadow_rank *first = &shadow->ranks[shadow->next];
        if (shadow->nodes[first->node].time == first->time) return first->node;
    }
}

enum miss_class shadow_access(struct shadow *shadow, uint64_t block, uint32_t mask, bool allocate,
                              bool missed, uint32_t *hint)
{
    bool added;
    struct block_map_slot *slot = allocate || missed
                                      ? hash_map_add(&shadow->blocks, block, sizeof *slot, &added)
                                      : block_map_slot(&shadow->blocks, block);
    if (!slot) {
        shadow->failed |= allocate || missed;
        return MISS_CAPACITY;
    }
    const bool there = slot->place > 0;
    if (!there && allocate) {
        uint32_t node = shadow->used;
        if (node < shadow->size) {
            shadow->used++;
        } else {
            node = shadow_oldest(shadow);
            block_map_slot(&shadow->blocks, shadow->nodes[node].block)->place = 0;
        }
        shadow->nodes[node] = (struct shadow_node){.block = block};
        slot->place = node + 1;
    }
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

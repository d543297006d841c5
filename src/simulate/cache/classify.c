/* SPDX-License-Identifier: MIT */
/* classify.c: a fully associative cache as a ring of nodes from newest to oldest. */
#include "simulate/cache/classify.h"

#include <stdlib.h>

struct shadow *shadow_new(uint32_t blocks, bool fifo)
{
    struct shadow *shadow = calloc(1, sizeof *shadow);
    if (!shadow) return NULL;
    shadow->nodes = calloc(blocks, sizeof *shadow->nodes);
    shadow->size = blocks;
    shadow->fifo = fifo;
    if (shadow->nodes) {
        shadow->nodes[0].block = BLOCK_MAP_NONE;
        return shadow;
    }
    free(shadow);
    return NULL;
}

void shadow_free(struct shadow *shadow)
{
    if (!shadow) return;
    block_map_free(&shadow->index);
    block_map_free(&shadow->seen);
    free(shadow->nodes);
    free(shadow);
}

static void unlink_node(struct shadow *shadow, uint32_t at)
{
    struct shadow_node *nodes = shadow->nodes;
    nodes[nodes[at].newer].older = nodes[at].older;
    nodes[nodes[at].older].newer = nodes[at].newer;
}

/* Put a node in front of the newest; the oldest is the newest's newer neighbour. */
static void link_newest(struct shadow *shadow, uint32_t at)
{
    struct shadow_node *nodes = shadow->nodes;
    const uint32_t newest = shadow->newest, oldest = nodes[newest].newer;
    nodes[at].older = newest;
    nodes[at].newer = oldest;
    nodes[newest].newer = at;
    nodes[oldest].older = at;
    shadow->newest = at;
}

static void move_to_newest(struct shadow *shadow, uint32_t at)
{
    if (at == shadow->newest) return;
    unlink_node(shadow, at);
    link_newest(shadow, at);
}

/* Bring a block in, in the place of the oldest where there is no room. */
static void insert(struct shadow *shadow, uint64_t block, uint32_t mask)
{
    uint32_t at = shadow->used;
    if (shadow->used == 0) {
        shadow->nodes[0] = (struct shadow_node){.block = block};
        shadow->newest = 0;
        shadow->used = 1;
    } else if (shadow->used < shadow->size) {
        shadow->used++;
        link_newest(shadow, at);
    } else {
        at = shadow->nodes[shadow->newest].newer;
        block_map_remove(&shadow->index, shadow->nodes[at].block);
        shadow->newest = at; /* a ring: the oldest becomes the newest where it is */
    }
    shadow->nodes[at].block = block;
    shadow->nodes[at].valid = mask;
    bool added;
    uint32_t *place = block_map_add(&shadow->index, block, &added);
    if (place) *place = at;
    shadow->failed |= !place;
}

bool shadow_access(struct shadow *shadow, uint64_t block, uint32_t mask, bool allocate)
{
    const uint32_t *place = NULL;
    uint32_t at = shadow->newest;
    if (shadow->nodes[at].block != block) {
        place = block_map_find(&shadow->index, block);
        if (!place) {
            if (allocate) insert(shadow, block, mask);
            return false;
        }
        at = *place;
    }
    const bool hit = (shadow->nodes[at].valid & mask) == mask;
    shadow->nodes[at].valid |= mask;
    if (!shadow->fifo) move_to_newest(shadow, at);
    return hit;
}

void shadow_touch(struct shadow *shadow, uint64_t block, uint32_t *hint)
{
    if (shadow->nodes[*hint].block == block) {
        if (!shadow->fifo) move_to_newest(shadow, *hint);
        return;
    }
    shadow_access(shadow, block, 1, true);
    *hint = shadow->newest;
}

enum miss_class shadow_classify(struct shadow *shadow, uint64_t block, uint32_t mask, bool hit)
{
    if (hit) return MISS_CONFLICT;
    bool added;
    uint32_t *seen = block_map_add(&shadow->seen, block, &added);
    if (!seen) {
        shadow->failed = true;
        return MISS_CAPACITY;
    }
    if ((*seen & mask) == mask) return MISS_CAPACITY;
    *seen |= mask;
    return MISS_COMPULSORY;
}

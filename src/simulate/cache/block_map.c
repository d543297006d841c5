/* SPDX-License-Identifier: MIT */
/* block_map.c: growing and removing; the hot functions are in the header. */
#include "simulate/cache/block_map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 8, MAX_BITS = 40 };

static void put(struct block_map *map, const struct block_map_slot *slot)
{
    const size_t mask = ((size_t)1 << map->bits) - 1;
    size_t at = block_map_home(map, slot->key);
    while (map->slots[at].key != BLOCK_MAP_NONE) at = (at + 1) & mask;
    map->slots[at] = *slot;
}

bool block_map_grow(struct block_map *map)
{
    struct block_map grown = {.count = map->count,
                              .bits = map->bits ? map->bits + 1 : FIRST_BITS,
                              .has_none = map->has_none};
    if (grown.bits > MAX_BITS) return false;
    const size_t last = (size_t)1 << grown.bits, size = (last + 1) * sizeof *grown.slots;
    grown.slots = malloc(size);
    if (!grown.slots) return false;
    memset(grown.slots, 0xFF, size); /* every key BLOCK_MAP_NONE */
    for (size_t i = 0; map->bits && i < (size_t)1 << map->bits; i++)
        if (map->slots[i].key != BLOCK_MAP_NONE) put(&grown, &map->slots[i]);
    if (map->has_none) grown.slots[last] = map->slots[(size_t)1 << map->bits];
    free(map->slots);
    *map = grown;
    return true;
}

void block_map_remove(struct block_map *map, uint64_t key)
{
    struct block_map_slot *slot = block_map_slot(map, key);
    if (!slot) return;
    const size_t mask = ((size_t)1 << map->bits) - 1;
    size_t hole = (size_t)(slot - map->slots);
    map->count--;
    if (key == BLOCK_MAP_NONE) {
        map->has_none = false;
        return;
    }
    for (size_t at = (hole + 1) & mask; map->slots[at].key != BLOCK_MAP_NONE;
         at = (at + 1) & mask) {
        const size_t home = block_map_home(map, map->slots[at].key);
        /* It may move to the hole unless its home lies after the hole. */
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        map->slots[hole] = map->slots[at];
        hole = at;
    }
    map->slots[hole].key = BLOCK_MAP_NONE;
}

void block_map_free(struct block_map *map)
{
    free(map->slots);
    *map = (struct block_map){0};
}

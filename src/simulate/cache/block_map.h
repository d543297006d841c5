/* SPDX-License-Identifier: MIT */
/*
 * block_map.h: a hash map from a number (of a block, a page, an instruction) to one or two 32-bit
 * values.
 *
 * Open addressing with linear probing and deletion by shifting back; at most half full.  A zeroed
 * map is empty.  BLOCK_MAP_NONE marks an empty slot and is still a valid key: it has a separate
 * slot after those that are probed.
 */
#ifndef SPOOR_SIMULATE_BLOCK_MAP_H
#define SPOOR_SIMULATE_BLOCK_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_MAP_NONE UINT64_MAX

struct block_map {
    struct block_map_slot {
        uint64_t key;
        uint32_t value, place;
    } * slots;
    size_t count;
    unsigned bits; /* 2^bits + 1 slots; 0: none */
    bool has_none; /* the key BLOCK_MAP_NONE is present */
};

/* Increase the capacity; false if memory runs out. */
bool block_map_grow(struct block_map *map);
void block_map_remove(struct block_map *map, uint64_t key);
void block_map_free(struct block_map *map);

static inline size_t block_map_home(const struct block_map *map, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - map->bits));
}

/* The slot of BLOCK_MAP_NONE in a map with slots; a new slot (*added) is zeroed. */
static inline struct block_map_slot *block_map_slot_none(struct block_map *map, bool *added)
{
    struct block_map_slot *slot = &map->slots[(size_t)1 << map->bits];
    *added = !map->has_none;
    if (*added) {
        *slot = (struct block_map_slot){.key = BLOCK_MAP_NONE};
        map->has_none = true;
        map->count++;
    }
    return slot;
}

/* The slot of `key`; NULL if it has none. */
static inline struct block_map_slot *block_map_slot(const struct block_map *map, uint64_t key)
{
    if (map->bits == 0) return NULL;
    const size_t mask = ((size_t)1 << map->bits) - 1;
    if (key == BLOCK_MAP_NONE) return map->has_none ? &map->slots[mask + 1] : NULL;
    for (size_t at = block_map_home(map, key);; at = (at + 1) & mask) {
        if (map->slots[at].key == key) return &map->slots[at];
        if (map->slots[at].key == BLOCK_MAP_NONE) return NULL;
    }
}

/* The same; a new slot (*added) is zeroed.  NULL if memory runs out.  Valid until the next call
 * that adds or removes. */
static inline struct block_map_slot *block_map_slot_add(struct block_map *map, uint64_t key,
                                                        bool *added)
{
    if (map->bits == 0 || map->count >= (size_t)1 << (map->bits - 1))
        if (!block_map_grow(map)) return NULL;
    if (key == BLOCK_MAP_NONE) return block_map_slot_none(map, added);
    const size_t mask = ((size_t)1 << map->bits) - 1;
    size_t at = block_map_home(map, key);
    while (map->slots[at].key != key && map->slots[at].key != BLOCK_MAP_NONE) at = (at + 1) & mask;
    *added = map->slots[at].key == BLOCK_MAP_NONE;
    if (*added) {
        map->slots[at] = (struct block_map_slot){.key = key};
        map->count++;
    }
    return &map->slots[at];
}

/* The value of `key`, in the same way. */
static inline uint32_t *block_map_find(const struct block_map *map, uint64_t key)
{
    struct block_map_slot *slot = block_map_slot(map, key);
    return slot ? &slot->value : NULL;
}
static inline uint32_t *block_map_add(struct block_map *map, uint64_t key, bool *added)
{
    struct block_map_slot *slot = block_map_slot_add(map, key, added);
    return slot ? &slot->value : NULL;
}

#endif

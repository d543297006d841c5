/* SPDX-License-Identifier: MIT */
/* block_map.h: a hash map from a number (of a block, a page, an instruction) to one or two 32-bit
 * values. */
#ifndef SPOOR_SIMULATE_BLOCK_MAP_H
#define SPOOR_SIMULATE_BLOCK_MAP_H

#include "base/hash_map.h"

struct block_map_slot {
    uint64_t key;
    uint32_t value, place;
};

/* The slot of `key`; NULL if it has none. */
static inline struct block_map_slot *block_map_slot(const struct hash_map *map, uint64_t key)
{
    return hash_map_find(map, key, sizeof(struct block_map_slot));
}

/* The values of these slots. */
static inline uint32_t *block_map_find(const struct hash_map *map, uint64_t key)
{
    struct block_map_slot *slot = block_map_slot(map, key);
    return slot ? &slot->value : NULL;
}
static inline uint32_t *block_map_add(struct hash_map *map, uint64_t key, bool *added)
{
    struct block_map_slot *slot = hash_map_add(map, key, sizeof *slot, added);
    return slot ? &slot->value : NULL;
}

static inline void block_map_remove(struct hash_map *map, uint64_t key)
{
    hash_map_remove(map, key, sizeof(struct block_map_slot));
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * hash_map.h: a hash map of items that begin with their key, a 64-bit number.
 *
 * Open addressing with linear probing and deletion by shifting back; at most half full.  A zeroed
 * map is empty.  Key 0 marks an empty slot and is still a valid key: its item lies after those that
 * are probed.  A map keyed by a hash of something larger chains items of equal hashes by itself.
 *
 * Every function has the size of an item as a parameter.  It is a constant at each call, so that
 * the compiler makes the same code as for a table of that type alone.
 */
#ifndef SPOOR_BASE_HASH_MAP_H
#define SPOOR_BASE_HASH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hash_map {
    char *slots;
    size_t count;
    unsigned bits; /* 2^bits + 1 slots; 0: none */
    bool has_zero; /* key 0 is present */
};

/* Doubles the capacity; false if memory runs out. */
bool hash_map_grow(struct hash_map *map, size_t size);
void hash_map_remove(struct hash_map *map, uint64_t key, size_t size);
/* The item after `item` in the order of the slots, the first after NULL; NULL after the last. */
void *hash_map_next(const struct hash_map *map, const void *item, size_t size);
/* Moves all items to the front of the memory, which is returned, so that they can be sorted.  The
 * map must then be cleared or freed. */
void *hash_map_gather(struct hash_map *map, size_t size);
/* Removes all items and keeps the memory. */
void hash_map_clear(struct hash_map *map, size_t size);
void hash_map_free(struct hash_map *map);

static inline uint64_t hash_map_key(const void *item)
{
    uint64_t key;
    memcpy(&key, item, sizeof key);
    return key;
}

static inline size_t hash_map_home(const struct hash_map *map, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - map->bits));
}

/* The slot that has the key, or the empty one for it; the map has slots. */
static inline void *hash_map_slot(const struct hash_map *map, uint64_t key, size_t size)
{
    const size_t mask = ((size_t)1 << map->bits) - 1;
    if (key == 0) return map->slots + (mask + 1) * size;
    for (size_t at = hash_map_home(map, key);; at = (at + 1) & mask) {
        char *item = map->slots + at * size;
        const uint64_t found = hash_map_key(item);
        if (found == key || found == 0) return item;
    }
}

/* Fetches the slot where the search for a key begins into the processor's cache. */
static inline void hash_map_prefetch(const struct hash_map *map, uint64_t key, size_t size)
{
    if (map->bits) __builtin_prefetch(map->slots + hash_map_home(map, key) * size);
}

/* The item of `key`, valid until the next call that adds or removes; NULL if there is none. */
static inline void *hash_map_find(const struct hash_map *map, uint64_t key, size_t size)
{
    if (map->bits == 0) return NULL;
    void *item = hash_map_slot(map, key, size);
    const bool present = key ? hash_map_key(item) != 0 : map->has_zero;
    return present ? item : NULL;
}

/* As above; a new item (*added) is zero except for its key.  NULL if memory runs out. */
static inline void *hash_map_add(struct hash_map *map, uint64_t key, size_t size, bool *added)
{
    if (map->bits == 0 || map->count >= (size_t)1 << (map->bits - 1))
        if (!hash_map_grow(map, size)) return NULL;
    void *item = hash_map_slot(map, key, size);
    *added = key ? hash_map_key(item) == 0 : !map->has_zero;
    if (*added) {
        memcpy(item, &key, sizeof key);
        map->count++;
        map->has_zero |= key == 0;
    }
    return item;
}

#endif

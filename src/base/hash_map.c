/* SPDX-License-Identifier: MIT */
/* hash_map.c: growing, removing and listing; the hot functions are in the header. */
#include "base/hash_map.h"

#include <stdlib.h>

enum { FIRST_BITS = 8, MAX_BITS = 40 };

/* Slots that are probed, without the one of key 0. */
static size_t hash_map_probed(const struct hash_map *map)
{
    return map->bits ? (size_t)1 << map->bits : 0;
}

bool hash_map_grow(struct hash_map *map, size_t size)
{
    struct hash_map grown = {.count = map->count,
                             .bits = map->bits ? map->bits + 1 : FIRST_BITS,
                             .has_zero = map->has_zero};
    if (grown.bits > MAX_BITS) return false;
    grown.slots = calloc(hash_map_probed(&grown) + 1, size);
    if (!grown.slots) return false;
    for (void *item = NULL; (item = hash_map_next(map, item, size));)
        memcpy(hash_map_slot(&grown, hash_map_key(item), size), item, size);
    free(map->slots);
    *map = grown;
    return true;
}

void hash_map_remove(struct hash_map *map, uint64_t key, size_t size)
{
    char *hole = hash_map_find(map, key, size);
    if (!hole) return;
    const size_t mask = hash_map_probed(map) - 1;
    map->count--;
    if (key == 0) map->has_zero = false;
    size_t empty = (size_t)(hole - map->slots) / size;
    for (size_t at = (empty + 1) & mask; key; at = (at + 1) & mask) {
        const uint64_t other = hash_map_key(map->slots + at * size);
        if (other == 0) break;
        /* It may move to the hole unless its home lies after the hole. */
        if (((at - hash_map_home(map, other)) & mask) < ((at - empty) & mask)) continue;
        memcpy(map->slots + empty * size, map->slots + at * size, size);
        empty = at;
    }
    memset(map->slots + empty * size, 0, size);
}

void *hash_map_next(const struct hash_map *map, const void *item, size_t size)
{
    const size_t slots = hash_map_probed(map);
    size_t at = item ? (size_t)((const char *)item - map->slots) / size + 1 : 0;
    for (; at < slots; at++)
        if (hash_map_key(map->slots + at * size)) return map->slots + at * size;
    return at == slots && map->has_zero ? map->slots + at * size : NULL;
}

void *hash_map_gather(struct hash_map *map, size_t size)
{
    char *to = map->slots;
    for (char *item = NULL; (item = hash_map_next(map, item, size)); to += size)
        if (item != to) memcpy(to, item, size);
    return map->slots;
}

void hash_map_clear(struct hash_map *map, size_t size)
{
    if (map->slots) memset(map->slots, 0, (hash_map_probed(map) + 1) * size);
    map->count = 0;
    map->has_zero = false;
}

void hash_map_free(struct hash_map *map)
{
    free(map->slots);
    *map = (struct hash_map){0};
}

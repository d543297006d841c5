/* SPDX-License-Identifier: MIT */
/* memory_map.c: which regions of memory a program accesses at which time. */
#include "html/memory_map.h"

#include <stdlib.h>

enum { FIRST_WINDOW = 64, FIRST_SHIFT = 8, MAX_REGIONS = 1024 };

struct map_region {
    uint64_t number; /* + 1, so that it is no empty slot */
    uint64_t counts[MAP_WINDOWS];
};

/* Doubles the size of the regions; false if memory runs out. */
static bool memory_map_merge(struct memory_map *map)
{
    struct hash_map merged = {0};
    struct map_region *region = NULL;
    bool added;
    while ((region = hash_map_next(&map->regions, region, sizeof *region))) {
        struct map_region *into =
            hash_map_add(&merged, (region->number - 1) / 2 + 1, sizeof *into, &added);
        if (!into) {
            hash_map_free(&merged);
            return false;
        }
        for (size_t i = 0; i < MAP_WINDOWS; i++) into->counts[i] += region->counts[i];
    }
    hash_map_free(&map->regions);
    map->regions = merged;
    map->shift++;
    return true;
}

bool memory_map_feed(struct memory_map *map, const struct spoor_reference *references, size_t count)
{
    if (map->window == 0) {
        map->window = FIRST_WINDOW;
        map->shift = FIRST_SHIFT;
    }
    for (size_t i = 0; i < count; i++) {
        if (map->at == map->window * MAP_WINDOWS) {
            struct map_region *region = NULL;
            while ((region = hash_map_next(&map->regions, region, sizeof *region)))
                for (size_t j = 0; j < MAP_WINDOWS; j++)
                    region->counts[j] =
                        j < MAP_WINDOWS / 2 ? region->counts[2 * j] + region->counts[2 * j + 1] : 0;
            map->window *= 2;
        }
        bool added;
        const uint64_t number = references[i].address >> map->shift;
        struct map_region *region = hash_map_add(&map->regions, number + 1, sizeof *region, &added);
        if (!region) return false;
        region->counts[map->at / map->window]++;
        while (map->regions.count > MAX_REGIONS)
            if (!memory_map_merge(map)) return false;
        map->at++;
    }
    return true;
}

static int memory_map_by_number(const void *a, const void *b)
{
    const struct map_region *left = a, *right = b;
    return left->number < right->number ? -1 : left->number > right->number;
}

void memory_map_report(struct memory_map *map, struct spoor_result *result)
{
    bool good = true;
    while (good && map->regions.count > MAP_REGIONS) good = memory_map_merge(map);
    if (!good) spoor_result_fail(result);
    const size_t count = map->regions.count;
    struct spoor_result *rows = spoor_result_array(result, "memory_map");
    if (!good || count == 0) return;
    struct map_region *regions = hash_map_gather(&map->regions, sizeof *regions);
    qsort(regions, count, sizeof *regions, memory_map_by_number);
    for (size_t i = 0; i < MAP_WINDOWS && i * map->window < map->at; i++) {
        /* The first window has a row for each region, so that regions appear in the order of
         * addresses. */
        for (size_t j = 0; j < count; j++) {
            if (i && !regions[j].counts[i]) continue;
            struct spoor_result *row = spoor_result_object(rows, NULL);
            spoor_result_unsigned(row, "from", i * map->window);
            spoor_result_hex(row, "region", (regions[j].number - 1) << map->shift);
            spoor_result_size(row, "bytes", UINT64_C(1) << map->shift);
            spoor_result_unsigned(row, "accesses", regions[j].counts[i]);
        }
    }
    hash_map_clear(&map->regions, sizeof *regions);
}

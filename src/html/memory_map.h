/* SPDX-License-Identifier: MIT */
/*
 * memory_map.h: which regions of memory a program accesses at which time, in bounded memory.
 *
 * A trace becomes at most 64 windows of equally many references, and its addresses at most 24
 * regions of equal size: both double where there would be more.
 */
#ifndef SPOOR_HTML_MEMORY_MAP_H
#define SPOOR_HTML_MEMORY_MAP_H

#include "base/hash_map.h"
#include "spoor/result.h"
#include "spoor/view.h"

enum { MAP_WINDOWS = 64, MAP_REGIONS = 24 };

/* Zeroed, it is empty. */
struct memory_map {
    struct hash_map regions; /* struct map_region, by number + 1 */
    unsigned shift;          /* bits of an address within a region */
    uint64_t window;         /* references in a window; 0: none yet */
    uint64_t at;             /* number of the next reference */
};

/* False if memory runs out. */
bool memory_map_feed(struct memory_map *map, const struct spoor_reference *references,
                     size_t count);
/* Adds `memory_map`: `from` (the first reference of a window, from 0), `region` (its first
 * address), `bytes` (of the region), `accesses`, for each pair with accesses.  Reduces the map. */
void memory_map_report(struct memory_map *map, struct spoor_result *result);

#endif

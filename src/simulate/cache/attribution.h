/* SPDX-License-Identifier: MIT */
/* attribution.h: attribution of misses to instructions, regions of addresses and sets. */
#ifndef SPOOR_SIMULATE_CACHE_ATTRIBUTION_H
#define SPOOR_SIMULATE_CACHE_ATTRIBUTION_H

#include "base/hash_map.h"
#include "simulate/cache/cache.h"
#include "spoor/result.h"

struct attribution {
    bool by_pc, by_region;
    unsigned region_bits;
    struct hash_map pcs, regions; /* of struct tally */
    uint64_t without_pc;          /* misses whose instruction the trace does not state */
    uint64_t *sets;               /* misses of each set; NULL: not enabled */
};

/* Sets up the attributions that the options enable for a cache; false if memory runs out.  If there
 * are none, cache->attribution stays NULL. */
bool attribution_start(struct cache *cache, const struct spoor_cache_options *options);
void attribution_add_miss(struct cache *cache, const struct request *request);
/* Adds `pcs`, `regions` and `sets` if enabled. */
void attribution_report(const struct cache *cache, size_t maximum, bool list_sets,
                        struct spoor_result *result);

#endif

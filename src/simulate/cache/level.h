/* SPDX-License-Identifier: MIT */
/* level.h: validation of the description of one level. */
#ifndef SPOOR_SIMULATE_CACHE_LEVEL_H
#define SPOOR_SIMULATE_CACHE_LEVEL_H

#include "simulate/component.h"
#include "spoor/cache.h"

/* The policy and the prefetcher of a level; setups[1].component is NULL if it has none. */
enum spoor_status level_components(const struct spoor_cache_level *level,
                                   struct component_setup setups[2], struct spoor_error *error);
enum spoor_status level_check(const struct spoor_cache_level *level, struct spoor_error *error);
/* Ways of a set; all blocks of a fully associative level. */
uint64_t level_ways(const struct spoor_cache_level *level);

#endif

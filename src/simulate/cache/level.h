/* SPDX-License-Identifier: MIT */
/* level.h: validation of the description of one level. */
#ifndef SPOOR_SIMULATE_CACHE_LEVEL_H
#define SPOOR_SIMULATE_CACHE_LEVEL_H

#include "spoor/cache.h"

enum spoor_status level_check(const struct spoor_cache_level *level, struct spoor_error *error);
/* Ways of a set; all blocks of a fully associative level. */
uint64_t level_ways(const struct spoor_cache_level *level);

#endif

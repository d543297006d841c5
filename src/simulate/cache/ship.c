/* SPDX-License-Identifier: MIT */
/*
 * ship.c: signature-based hit prediction over SRRIP (Wu et al., MICRO 2011).  A table of 16,384
 * 2-bit counters by signature learns whether the blocks that an instruction fills are used again: a
 * hit counts up, an eviction without a hit counts down; a block whose counter is 0 is predicted
 * distant.  The signature is the hash of the pc (SHiP-PC); without a pc, the hash of the address's
 * 16 KiB region (SHiP-Mem).
 */
#include <stdlib.h>
#include <string.h>

#include "simulate/cache/rrip.h"

enum { SIGNATURE_BITS = 14, SIGNATURES = 1 << SIGNATURE_BITS, MAX_COUNTER = 3, REGION_BITS = 14 };

struct ship {
    uint8_t counters[SIGNATURES];
    struct {
        uint16_t signature;
        bool reused;
    } lines[];
};

static bool start(struct cache *cache)
{
    struct ship *ship = NULL;
    ship = calloc(1, sizeof *ship + cache->sets * cache->ways * sizeof *ship->lines);
    cache->policy_state = ship;
    if (ship) memset(ship->counters, 1, sizeof ship->counters);
    return ship;
}

static uint16_t signature_of(const struct request *request)
{
    const uint64_t key = request->has_pc ? request->pc : request->address >> REGION_BITS;
    return (uint16_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - SIGNATURE_BITS));
}

static void touch(struct cache *cache, uint64_t set, uint32_t way)
{
    struct ship *ship = cache->policy_state;
    const size_t line = set * cache->ways + way;
    rrip_touch(cache, set, way);
    ship->lines[line].reused = true;
    uint8_t *counter = &ship->counters[ship->lines[line].signature];
    if (*counter < MAX_COUNTER) ++*counter;
}

static void fill(struct cache *cache, uint64_t set, uint32_t way, const struct request *request)
{
    struct ship *ship = cache->policy_state;
    const size_t line = set * cache->ways + way;
    const uint16_t signature = signature_of(request);
    ship->lines[line].signature = signature;
    ship->lines[line].reused = false;
    rrip_set(cache, set, way, ship->counters[signature] ? RRIP_LONG : RRIP_DISTANT);
}

static uint32_t victim(struct cache *cache, uint64_t set)
{
    struct ship *ship = cache->policy_state;
    const uint32_t way = rrip_victim(cache, set);
    const size_t line = set * cache->ways + way;
    uint8_t *counter = &ship->counters[ship->lines[line].signature];
    if (!ship->lines[line].reused && *counter > 0) --*counter;
    return way;
}

const struct cache_policy cache_policy_ship = {
    .name = "ship",
    .title = "signature-based hit prediction over srrip",
    .reads_pc = true,
    .start = start,
    .touch = touch,
    .fill = fill,
    .victim = victim,
};

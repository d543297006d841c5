/* SPDX-License-Identifier: MIT */
/*
 * rrip.c: re-reference interval prediction (Jaleel, Theobald, Steely, Emer, ISCA 2010), with hit
 * priority, and SHiP over it.
 *
 * The order of a line is the predicted interval until its next use: 0 near, to 2^bits - 1 distant.
 * A hit block is predicted near; the first way predicted distant is evicted, after all ways are
 * aged until there is one.  The policies differ in what they predict of a new block:
 *
 *   srrip  static: long, one less than distant
 *   brrip  bimodal: distant, and one in `long` long, so that a scan does not evict the others
 *   drrip  dynamic: set duelling chooses between both.  Of every `group` sets, one always inserts
 * as SRRIP and one as BRRIP; each of their misses moves a counter, and the other sets follow the
 * one with fewer misses.  In a cache of fewer sets, the first and the last set duel ship
 * signature-based hit prediction (Wu et al., MICRO 2011): a table of counters by signature learns
 * whether the blocks that an instruction fills are used again: a hit counts up, an eviction without
 * a hit counts down; a block whose counter is 0 is predicted distant, the others long.  The
 * signature is the hash of the pc (SHiP-PC); without a pc, the hash of the address's 16 KiB region
 * (SHiP-Mem)
 */
#include <string.h>

#include "simulate/cache/cache.h"

enum { BITS, LONG, GROUP, COUNTER, SIGNATURE = LONG };
#define BITS_KEY                                \
    {                                           \
        "bits", "bits of a prediction", 2, 1, 8 \
    }
#define LONG_KEY                                                                      \
    {                                                                                 \
        "long", "bimodal: one new block in so many is predicted long", 32, 1, 1 << 30 \
    }
static const struct spoor_component_key srrip_keys[] = {BITS_KEY, {0}};
static const struct spoor_component_key brrip_keys[] = {BITS_KEY, LONG_KEY, {0}};
static const struct spoor_component_key drrip_keys[] = {
    BITS_KEY,
    LONG_KEY,
    {"group", "sets of which one leads for each of both", 32, 2, 1 << 30},
    {"counter", "bits of the counter of their misses", 10, 1, 30},
    {0},
};
static const struct spoor_component_key ship_keys[] = {
    BITS_KEY,
    {"signature", "log2 of the number of counters", 14, 1, 16},
    {0},
};

struct rrip {
    uint64_t *order;
    uint32_t ways;
    uint64_t distant, random;
    uint64_t rare;                  /* one new block in so many is predicted long: srrip 1 */
    uint64_t group, misses, middle; /* drrip, else 0; misses: those of SRRIP less those of BRRIP */
};

static void rrip_start(void *state, const struct component_setup *setup)
{
    const uint64_t *values = setup->values;
    struct rrip *self = state;
    self->order = setup->order;
    self->ways = setup->ways;
    self->distant = (UINT64_C(1) << values[BITS]) - 1;
    self->random = setup->seed;
    self->rare = values[LONG] ? values[LONG] : 1;
    self->group = setup->sets < values[GROUP] ? setup->sets : values[GROUP];
    self->misses = self->middle = UINT64_C(1) << values[COUNTER] >> 1;
}

static void rrip_touch(void *state, uint64_t set, uint32_t way, const struct request *request)
{
    const struct rrip *self = state;
    (void)request;
    self->order[set * self->ways + way] = 0;
}

static uint32_t rrip_victim(void *state, uint64_t set)
{
    const struct rrip *self = state;
    uint64_t *order = &self->order[set * self->ways], maximum = 0;
    for (uint32_t way = 0; way < self->ways; way++)
        if (order[way] > maximum) maximum = order[way];
    uint32_t victim = 0;
    for (uint32_t way = self->ways; way-- > 0;) {
        order[way] += self->distant - maximum;
        if (order[way] == self->distant) victim = way;
    }
    return victim;
}

static void rrip_fill(void *state, uint64_t set, uint32_t way, const struct request *request)
{
    struct rrip *self = state;
    bool bimodal = self->rare > 1;
    (void)request;
    if (self->group) {
        const bool static_leader = set % self->group == 0;
        const bool bimodal_leader = !static_leader && set % self->group == self->group - 1;
        if (static_leader && self->misses < 2 * self->middle - 1) self->misses++;
        if (bimodal_leader && self->misses > 0) self->misses--;
        bimodal = !static_leader && (bimodal_leader || self->misses > self->middle);
    }
    const bool is_long = !bimodal || (policy_random(&self->random) >> 32) % self->rare == 0;
    self->order[set * self->ways + way] = self->distant - is_long;
}

#define RRIP(NAME, TITLE, KEYS)                                                               \
    {                                                                                         \
        .component = {.about = {SPOOR_CACHE_POLICY, NAME, TITLE, "Jaleel et al. 2010", KEYS}, \
                      .struct_size = sizeof(struct rrip),                                     \
                      .start = rrip_start},                                                   \
        .touch = rrip_touch, .fill = rrip_fill, .victim = rrip_victim,                        \
    }
const struct cache_policy cache_policy_srrip =
    RRIP("srrip", "static re-reference interval prediction", srrip_keys);
const struct cache_policy cache_policy_brrip =
    RRIP("brrip", "bimodal re-reference interval prediction", brrip_keys);
const struct cache_policy cache_policy_drrip =
    RRIP("drrip", "dynamic re-reference interval prediction", drrip_keys);

/* ---- SHiP ---- */

enum { MAX_SIGNATURE = 16, SHIP_SURE = 3, REGION_BITS = 14 };

struct ship {
    struct rrip rrip;
    unsigned signature_bits;
    uint8_t counters[1 << MAX_SIGNATURE]; /* 2 bits */
    struct ship_line {
        uint16_t signature;
        bool reused;
    } lines[];
};

static const char *ship_size(const struct component_setup *setup, struct component_size *size)
{
    size->tables = setup->sets * setup->ways * sizeof(struct ship_line);
    return NULL;
}

static void ship_start(void *state, const struct component_setup *setup)
{
    struct ship *self = state;
    rrip_start(&self->rrip, setup);
    self->signature_bits = (unsigned)setup->values[SIGNATURE];
    memset(self->counters, 1, sizeof self->counters);
}

static struct ship_line *ship_line(struct ship *self, uint64_t set, uint32_t way)
{
    return &self->lines[set * self->rrip.ways + way];
}

static void ship_touch(void *state, uint64_t set, uint32_t way, const struct request *request)
{
    struct ship *self = state;
    struct ship_line *line = ship_line(self, set, way);
    rrip_touch(&self->rrip, set, way, request);
    line->reused = true;
    uint8_t *counter = &self->counters[line->signature];
    if (*counter < SHIP_SURE) ++*counter;
}

static void ship_fill(void *state, uint64_t set, uint32_t way, const struct request *request)
{
    struct ship *self = state;
    const uint64_t key = request->has_pc ? request->pc : request->address >> REGION_BITS;
    const uint16_t signature =
        (uint16_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - self->signature_bits));
    *ship_line(self, set, way) = (struct ship_line){.signature = signature};
    self->rrip.order[set * self->rrip.ways + way] =
        self->rrip.distant - (self->counters[signature] > 0);
}

static uint32_t ship_victim(void *state, uint64_t set)
{
    struct ship *self = state;
    const uint32_t way = rrip_victim(&self->rrip, set);
    const struct ship_line *line = ship_line(self, set, way);
    uint8_t *counter = &self->counters[line->signature];
    if (!line->reused && *counter > 0) --*counter;
    return way;
}

const struct cache_policy cache_policy_ship = {
    .component = {.about = {SPOOR_CACHE_POLICY, "ship", "signature-based hit prediction over srrip",
                            "Wu et al. 2011", ship_keys},
                  .struct_size = sizeof(struct ship),
                  .size = ship_size,
                  .start = ship_start},
    .touch = ship_touch,
    .fill = ship_fill,
    .victim = ship_victim,
};

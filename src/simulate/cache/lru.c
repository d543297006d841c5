/* SPDX-License-Identifier: MIT */
/*
 * lru.c: policies that evict the oldest block of a set: least recently used, and first in, first
 * out.  The order of a line is the time of its last use, or of its fill.
 */
#include "simulate/cache/cache.h"

struct lru {
    uint64_t *order, clock;
    uint32_t ways;
};

static void lru_start(void *state, const struct component_setup *setup)
{
    *(struct lru *)state = (struct lru){.order = setup->order, .ways = setup->ways};
}

static void lru_use(void *state, uint64_t set, uint32_t way, const struct request *request)
{
    struct lru *self = state;
    (void)request;
    self->order[set * self->ways + way] = ++self->clock;
}

static uint32_t lru_victim(void *state, uint64_t set)
{
    const struct lru *self = state;
    const uint64_t *order = &self->order[set * self->ways];
    uint32_t oldest = 0;
    for (uint32_t way = 1; way < self->ways; way++)
        if (order[way] < order[oldest]) oldest = way;
    return oldest;
}

const struct cache_policy cache_policy_lru = {
    .component = {.about = {SPOOR_CACHE_POLICY, "lru", "least recently used", NULL, NULL},
                  .struct_size = sizeof(struct lru),
                  .start = lru_start},
    .repeats_freely = true,
    .touch = lru_use,
    .fill = lru_use,
    .victim = lru_victim,
};
const struct cache_policy cache_policy_fifo = {
    .component = {.about = {SPOOR_CACHE_POLICY, "fifo", "first in, first out", NULL, NULL},
                  .struct_size = sizeof(struct lru),
                  .start = lru_start},
    .repeats_freely = true,
    .touch = policy_ignore,
    .fill = lru_use,
    .victim = lru_victim,
};

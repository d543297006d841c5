/* SPDX-License-Identifier: MIT */
/* random.c: evict a random block, uniformly, by a seeded generator. */
#include "simulate/cache/cache.h"

struct random {
    uint64_t random;
    uint32_t ways;
};

static void random_start(void *state, const struct component_setup *setup)
{
    *(struct random *)state = (struct random){.random = setup->seed, .ways = setup->ways};
}

static uint32_t random_victim(void *state, uint64_t set)
{
    struct random *self = state;
    (void)set;
    return (uint32_t)((policy_random(&self->random) >> 32) * self->ways >> 32);
}

const struct cache_policy cache_policy_random = {
    .component = {.about = {SPOOR_CACHE_POLICY, "random", "any, by a seeded generator", NULL, NULL},
                  .struct_size = sizeof(struct random),
                  .start = random_start},
    .repeats_freely = true,
    .touch = policy_ignore,
    .fill = policy_ignore,
    .victim = random_victim,
};

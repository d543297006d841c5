/* SPDX-License-Identifier: MIT */
/*
 * opt.c: evict the block whose next access is farthest away (Belady 1966; Mattson et al. 1970).  No
 * policy that allocates on every miss has fewer misses.  All accesses must be known in advance:
 * spoor_cache_system_foresee().  The order of a line is the ordinal of its next access.
 */
#include "simulate/cache/cache.h"
#include "simulate/future.h"

struct opt {
    uint64_t *order;
    const struct future *future;
    uint32_t ways;
};

static void opt_start(void *state, const struct component_setup *setup)
{
    *(struct opt *)state =
        (struct opt){.order = setup->order, .future = setup->future, .ways = setup->ways};
}

static void opt_use(void *state, uint64_t set, uint32_t way, const struct request *request)
{
    const struct opt *self = state;
    (void)request;
    self->order[set * self->ways + way] = future_next(self->future);
}

static uint32_t opt_victim(void *state, uint64_t set)
{
    const struct opt *self = state;
    const uint64_t *order = &self->order[set * self->ways];
    uint32_t last = 0;
    for (uint32_t way = 1; way < self->ways; way++)
        if (order[way] > order[last]) last = way;
    return last;
}

const struct cache_policy cache_policy_opt = {
    .component = {.about = {SPOOR_CACHE_POLICY, "opt",
                            "what is needed last (Belady; holds the trace)", "Belady 1966", NULL},
                  .struct_size = sizeof(struct opt),
                  .start = opt_start},
    .needs_future = true,
    .touch = opt_use,
    .fill = opt_use,
    .victim = opt_victim,
};

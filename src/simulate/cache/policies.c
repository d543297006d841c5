/* SPDX-License-Identifier: MIT */
/* policies.c: the replacement policies of a cache, but for RRIP's (rrip.c). */
#include "simulate/cache/cache.h"
#include "simulate/future.h"

/* The state of a policy; each uses some of it. */
struct policy {
    uint64_t *order;             /* of the lines */
    uint64_t clock, random;      /* lru, fifo; random */
    const struct future *future; /* opt */
    uint32_t ways;
};

static void policy_start(void *state, const struct component_setup *setup)
{
    *(struct policy *)state = (struct policy){
        .order = setup->order, .random = setup->seed, .future = setup->future, .ways = setup->ways};
}

/*
 * ---- lru, fifo ----
 *
 * Evict the oldest block of a set: least recently used, and first in, first out.  The order of a
 * line is the time of its last use, or of its fill.
 */

static void lru_use(void *state, uint64_t set, uint32_t way, const struct request *request)
{
    struct policy *self = state;
    (void)request;
    self->order[set * self->ways + way] = ++self->clock;
}

static uint32_t lru_victim(void *state, uint64_t set)
{
    const struct policy *self = state;
    const uint64_t *order = &self->order[set * self->ways];
    uint32_t oldest = 0;
    for (uint32_t way = 1; way < self->ways; way++)
        if (order[way] < order[oldest]) oldest = way;
    return oldest;
}

const struct cache_policy cache_policy_lru = {
    .component = {.about = {SPOOR_CACHE_POLICY, "lru", "least recently used", NULL, NULL},
                  .struct_size = sizeof(struct policy),
                  .start = policy_start},
    .repeats_freely = true,
    .touch = lru_use,
    .fill = lru_use,
    .victim = lru_victim,
};
const struct cache_policy cache_policy_fifo = {
    .component = {.about = {SPOOR_CACHE_POLICY, "fifo", "first in, first out", NULL, NULL},
                  .struct_size = sizeof(struct policy),
                  .start = policy_start},
    .repeats_freely = true,
    .touch = policy_ignore,
    .fill = lru_use,
    .victim = lru_victim,
};

/*
 * ---- random ----
 *
 * Evicts a random block, uniformly, by a seeded generator.
 */

static uint32_t random_victim(void *state, uint64_t set)
{
    struct policy *self = state;
    (void)set;
    return (uint32_t)((policy_random(&self->random) >> 32) * self->ways >> 32);
}

const struct cache_policy cache_policy_random = {
    .component = {.about = {SPOOR_CACHE_POLICY, "random", "any, by a seeded generator", NULL, NULL},
                  .struct_size = sizeof(struct policy),
                  .start = policy_start},
    .repeats_freely = true,
    .touch = policy_ignore,
    .fill = policy_ignore,
    .victim = random_victim,
};

/*
 * ---- plru ----
 *
 * A binary tree over the ways of a set whose nodes point away from the most recently used way (So
 * and Rechtschaffen 1988).  The nodes of a set are the bits of a word, the root is bit 1.
 */

struct plru {
    uint32_t ways;
    uint64_t nodes[]; /* of each set */
};

static const char *plru_size(const struct component_setup *setup, struct component_size *size)
{
    const uint32_t ways = setup->ways;
    size->tables = setup->sets * sizeof(uint64_t);
    return ways == 0 || ways & (ways - 1) || ways > 64
               ? "expected a number of ways that is a power of two, at most 64"
               : NULL;
}

static void plru_start(void *state, const struct component_setup *setup)
{
    ((struct plru *)state)->ways = setup->ways;
}

static void plru_use(void *state, uint64_t set, uint32_t way, const struct request *request)
{
    struct plru *self = state;
    (void)request;
    uint64_t nodes = self->nodes[set];
    for (uint32_t node = way + self->ways; node > 1; node /= 2) {
        const uint64_t bit = UINT64_C(1) << (node / 2);
        nodes = node % 2 ? nodes & ~bit : nodes | bit; /* used on the right: point left */
    }
    self->nodes[set] = nodes;
}

static uint32_t plru_victim(void *state, uint64_t set)
{
    const struct plru *self = state;
    const uint64_t nodes = self->nodes[set];
    uint32_t node = 1;
    while (node < self->ways) node = 2 * node + (uint32_t)(nodes >> node & 1);
    return node - self->ways;
}

const struct cache_policy cache_policy_plru = {
    .component = {.about = {SPOOR_CACHE_POLICY, "plru", "tree of pointers away from what was used",
                            "So, Rechtschaffen 1988", NULL},
                  .struct_size = sizeof(struct plru),
                  .size = plru_size,
                  .start = plru_start},
    .repeats_freely = true,
    .touch = plru_use,
    .fill = plru_use,
    .victim = plru_victim,
};

/*
 * ---- opt ----
 *
 * Evicts the block whose next access is farthest away (Belady 1966; Mattson et al. 1970).  No
 * policy that allocates on every miss has fewer misses.  All accesses must be known in advance:
 * spoor_cache_system_foresee().  The order of a line is the ordinal of its next access.
 */

static void opt_use(void *state, uint64_t set, uint32_t way, const struct request *request)
{
    const struct policy *self = state;
    (void)request;
    self->order[set * self->ways + way] = future_next(self->future);
}

static uint32_t opt_victim(void *state, uint64_t set)
{
    const struct policy *self = state;
    const uint64_t *order = &self->order[set * self->ways];
    uint32_t last = 0;
    for (uint32_t way = 1; way < self->ways; way++)
        if (order[way] > order[last]) last = way;
    return last;
}

const struct cache_policy cache_policy_opt = {
    .component = {.about = {SPOOR_CACHE_POLICY, "opt",
                            "what is needed last (Belady; holds the trace)", "Belady 1966", NULL},
                  .struct_size = sizeof(struct policy),
                  .start = policy_start},
    .needs_future = true,
    .touch = opt_use,
    .fill = opt_use,
    .victim = opt_victim,
};

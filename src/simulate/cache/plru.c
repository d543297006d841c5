/* SPDX-License-Identifier: MIT */
/*
 * plru.c: a binary tree over the ways of a set whose nodes point away from the most recently used
 * way (So and Rechtschaffen 1988).  The nodes of a set are the bits of a word, the root is bit 1.
 */
#include "simulate/cache/cache.h"

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

/* SPDX-License-Identifier: MIT */
/*
 * prefetch_next.c: the next sub-blocks in the order of addresses (Smith, "Cache Memories", 1982):
 * on every read and fetch; on those that miss; or tagged, on the first access to a sub-block,
 * whether it misses or a prefetch had filled it.
 */
#include "simulate/cache/cache.h"

struct next {
    bool on_all, on_first; /* else on misses alone */
    unsigned sub_bits;
    uint32_t degree;
};

static void next_start(void *state, const struct component_setup *setup)
{
    struct next *self = state;
    self->sub_bits = setup->sub_bits;
    self->degree = setup->degree;
}

static void next_observe(void *state, const struct request *request, bool miss, bool first,
                         struct prefetches *prefetches)
{
    const struct next *self = state;
    if (!miss && !self->on_all && !(first && self->on_first)) return;
    for (uint64_t i = 1; i <= self->degree; i++)
        prefetch_add(prefetches, request->address + (i << self->sub_bits));
}

#define NEXT(NAME, TITLE, ON_ALL, ON_FIRST)                                                    \
    {                                                                                          \
        .component = {.about = {SPOOR_PREFETCHER, NAME, TITLE, "Smith 1982", NULL},            \
                      .struct_size = sizeof(struct next),                                      \
                      .initial = &(const struct next){.on_all = ON_ALL, .on_first = ON_FIRST}, \
                      .start = next_start},                                                    \
        .observe = next_observe,                                                               \
    }
const struct prefetcher prefetcher_always =
    NEXT("always", "next line, on every read and fetch", true, false);
const struct prefetcher prefetcher_miss = NEXT("miss", "next line, on a miss", false, false);
const struct prefetcher prefetcher_tagged =
    NEXT("tagged", "next line, on the first use of a line", false, true);

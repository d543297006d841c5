/* SPDX-License-Identifier: MIT */
/*
 * prefetch_stride.c: a reference prediction table (Chen and Baer 1995): 256 entries by pc hold the
 * last address and stride of an instruction; if the stride was the same twice, the addresses
 * `degree` strides ahead are prefetched.  Accesses without a pc are ignored.
 */
#include "simulate/cache/cache.h"

enum { ENTRIES = 256 };
enum state { INITIAL, TRANSIENT, STEADY, NO_PREDICTION };

struct table {
    struct entry {
        uint64_t pc, address, stride;
        uint8_t state;
        bool used;
    } entries[ENTRIES];
};

/* The next state after a right and a wrong prediction. */
static const uint8_t after_right[] = {STEADY, STEADY, STEADY, TRANSIENT};
static const uint8_t after_wrong[] = {TRANSIENT, NO_PREDICTION, INITIAL, NO_PREDICTION};

static void observe(struct cache *cache, const struct request *request, bool miss, bool first)
{
    (void)miss, (void)first;
    struct table *table = cache->prefetcher_state;
    if (!request->has_pc || request->op != SPOOR_REFERENCE_READ) return;
    struct entry *entry = &table->entries[(request->pc ^ request->pc >> 8) % ENTRIES];
    if (!entry->used || entry->pc != request->pc) {
        *entry = (struct entry){.pc = request->pc, .address = request->address, .used = true};
        return;
    }
    const uint64_t stride = request->address - entry->address;
    const bool right = stride == entry->stride;
    const bool keeps_stride = right || entry->state == STEADY;
    entry->state = right ? after_right[entry->state] : after_wrong[entry->state];
    if (!keeps_stride) entry->stride = stride;
    entry->address = request->address;
    if (entry->state != STEADY || entry->stride == 0) return;
    for (uint32_t i = 1; i <= cache->degree; i++)
        cache_prefetch(cache, request, request->address + i * entry->stride);
}

const struct prefetcher prefetcher_stride = {
    .name = "stride",
    .title = "by the stride of each load instruction",
    .state_size = sizeof(struct table),
    .observe = observe,
};

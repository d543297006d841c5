/* SPDX-License-Identifier: MIT */
/*
 * prefetch_stride.c: a reference prediction table (Chen and Baer 1995): entries by pc hold the last
 * address and stride of an instruction; if the stride was the same twice, the addresses `degree`
 * strides ahead are prefetched.  Accesses without a pc are ignored.
 */
#include "simulate/cache/cache.h"

enum { ENTRIES };
static const struct spoor_component_key stride_keys[] = {
    {"entries", "instructions whose strides are stored", 256, 1, 1 << 24},
    {0},
};
enum stride_state { INITIAL, TRANSIENT, STEADY, NO_PREDICTION };

struct stride {
    uint64_t count;
    uint32_t degree;
    struct stride_entry {
        uint64_t pc, address, stride;
        uint8_t state; /* enum stride_state */
        bool used;
    } entries[];
};

/* The next state after a right and a wrong prediction. */
static const uint8_t after_right[] = {STEADY, STEADY, STEADY, TRANSIENT};
static const uint8_t after_wrong[] = {TRANSIENT, NO_PREDICTION, INITIAL, NO_PREDICTION};

static const char *stride_size(const struct component_setup *setup, struct component_size *size)
{
    size->tables = setup->values[ENTRIES] * sizeof(struct stride_entry);
    return NULL;
}

static void stride_start(void *state, const struct component_setup *setup)
{
    struct stride *self = state;
    self->count = setup->values[ENTRIES];
    self->degree = setup->degree;
}

static void stride_observe(void *state, const struct request *request, bool miss, bool first,
                           struct prefetches *prefetches)
{
    struct stride *self = state;
    (void)miss, (void)first;
    if (!request->has_pc || request->op != SPOOR_REFERENCE_READ) return;
    struct stride_entry *entry = &self->entries[(request->pc ^ request->pc >> 8) % self->count];
    if (!entry->used || entry->pc != request->pc) {
        *entry =
            (struct stride_entry){.pc = request->pc, .address = request->address, .used = true};
        return;
    }
    const uint64_t stride = request->address - entry->address;
    const bool right = stride == entry->stride;
    const bool keeps_stride = right || entry->state == STEADY;
    entry->state = right ? after_right[entry->state] : after_wrong[entry->state];
    if (!keeps_stride) entry->stride = stride;
    entry->address = request->address;
    if (entry->state != STEADY || entry->stride == 0) return;
    for (uint32_t i = 1; i <= self->degree; i++)
        prefetch_add(prefetches, request->address + i * entry->stride);
}

const struct prefetcher prefetcher_stride = {
    .component = {.about = {SPOOR_PREFETCHER, "stride", "by the stride of each load instruction",
                            "Chen, Baer 1995", stride_keys},
                  .struct_size = sizeof(struct stride),
                  .size = stride_size,
                  .start = stride_start},
    .observe = stride_observe,
};

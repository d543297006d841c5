/* SPDX-License-Identifier: MIT */
/* mix_references.c: the working set by window, and strides. */
#include <stdlib.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "stats/mix.h"

/* ---- distinct pages ---- */

static bool add_page(struct mix_references *references, uint64_t page)
{
    bool added;
    return hash_map_add(&references->pages, page, sizeof page, &added);
}

bool mix_window_end(struct mix_references *references)
{
    if (!array_reserve(&references->windows, &references->window_capacity,
                       references->window_count + 1))
        return false;
    references->windows[references->window_count++] = references->pages.count;
    hash_map_clear(&references->pages, sizeof(uint64_t));
    references->in_window = 0;
    return true;
}

/* ---- strides ---- */

static unsigned step_of(uint64_t from, uint64_t to)
{
    static const uint64_t maximum[MIX_STEPS - 1] = {0, 8, 64, 512, 4096, 32768};
    const uint64_t stride = to > from ? to - from : from - to;
    unsigned step = 0;
    while (step < MIX_STEPS - 1 && stride > maximum[step]) step++;
    return step;
}

/* The accesses of one instruction: the stride from its previous access. */
static bool add_site(struct mix_references *references, int write, uint64_t pc, uint64_t address)
{
    bool added;
    struct mix_site *site = hash_map_add(&references->sites[write], pc, sizeof *site, &added);
    if (!site) return false;
    if (!added) references->local[write][step_of(site->last, address)]++;
    site->last = address;
    return true;
}

bool mix_data_access(struct mix_references *references, const struct spoor_reference *reference)
{
    const int write = reference->op == SPOOR_REFERENCE_WRITE;
    const uint64_t address = reference->address;
    if (references->has_last[write])
        references->global[write][step_of(references->last[write], address)]++;
    references->last[write] = address;
    references->has_last[write] = true;
    return add_page(references, address >> references->shift) &&
           (!(reference->has & SPOOR_REFERENCE_HAS_PC) ||
            add_site(references, write, reference->pc, address));
}

void mix_references_close(struct mix_references *references)
{
    hash_map_free(&references->pages);
    free(references->windows);
    for (int write = 0; write < 2; write++) hash_map_free(&references->sites[write]);
}

/* SPDX-License-Identifier: MIT */
/* mix_references.c: the working set by window, and strides. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "stats/mix.h"

/* ---- distinct pages ---- */

static bool add_page(struct mix_references *references, uint64_t page)
{
    bool added;
    return hash_map_add(&references->pages, page, sizeof page, &added);
}

static bool window_end(struct mix_references *references)
{
    if (!array_reserve(&references->windows, &references->window_capacity,
                       references->window_count + 1))
        return false;
    references->windows[references->window_count++] =
        (struct mix_window){references->in_window, references->pages.count};
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
static bool add_site(struct mix_references *references, int write, const struct mix_site *site)
{
    bool added;
    struct mix_site *last = hash_map_add(&references->sites[write], site->pc, sizeof *last, &added);
    if (!last) return false;
    if (added) {
        *last = *site;
    } else {
        references->local[write][step_of(last->last, site->first)]++;
        last->last = site->last;
    }
    return true;
}

/* Reads or writes that begin and end at these addresses: the stride from the previous one. */
static void add_global(struct mix_references *references, int write, uint64_t first, uint64_t last)
{
    if (references->has_last[write])
        references->global[write][step_of(references->last[write], first)]++;
    else
        references->first[write] = first;
    references->last[write] = last;
    references->has_last[write] = true;
}

static bool add_data(struct mix_references *references, const struct spoor_reference *reference)
{
    const int write = reference->op == SPOOR_REFERENCE_WRITE;
    const uint64_t address = reference->address;
    const struct mix_site site = {reference->pc, address, address};
    add_global(references, write, address, address);
    return add_page(references, address >> references->shift) &&
           (!(reference->has & SPOOR_REFERENCE_HAS_PC) || add_site(references, write, &site));
}

bool mix_reference(struct mix_references *references, const struct spoor_reference *reference)
{
    bool good = true;
    switch ((enum spoor_reference_op)reference->op) {
    case SPOOR_REFERENCE_FETCH: references->fetches++; break;
    case SPOOR_REFERENCE_READ: references->reads++; break;
    case SPOOR_REFERENCE_WRITE: references->writes++; break;
    default: references->other++; break;
    }
    if (reference->op == SPOOR_REFERENCE_READ || reference->op == SPOOR_REFERENCE_WRITE)
        good = add_data(references, reference);
    if (++references->in_window == references->window) good &= window_end(references);
    return good;
}

/* ---- merging ---- */

static bool merge_windows(struct mix_references *references, const struct mix_references *after)
{
    const uint64_t open = references->in_window + after->in_window;
    const bool fits = after->window_count == 0 && open <= references->window;
    if (!fits && references->in_window && !window_end(references)) return false;
    for (size_t i = 0; i < after->window_count; i++) {
        references->in_window = after->windows[i].references;
        references->pages.count = after->windows[i].pages;
        if (!window_end(references)) return false;
    }
    const uint64_t *page = NULL;
    while ((page = hash_map_next(&after->pages, page, sizeof *page)))
        if (!add_page(references, *page)) return false;
    references->in_window = fits ? open : after->in_window;
    return references->in_window < references->window || window_end(references);
}

static bool merge_strides(struct mix_references *references, const struct mix_references *after,
                          int write)
{
    bool good = true;
    for (int step = 0; step < MIX_STEPS; step++) {
        references->local[write][step] += after->local[write][step];
        references->global[write][step] += after->global[write][step];
    }
    if (after->has_last[write])
        add_global(references, write, after->first[write], after->last[write]);
    const struct mix_site *site = NULL;
    while (good && (site = hash_map_next(&after->sites[write], site, sizeof *site)))
        good = add_site(references, write, site);
    return good;
}

bool mix_references_merge(struct mix_references *references, const struct mix_references *after)
{
    references->fetches += after->fetches;
    references->reads += after->reads;
    references->writes += after->writes;
    references->other += after->other;
    return merge_windows(references, after) && merge_strides(references, after, 0) &&
           merge_strides(references, after, 1);
}

void mix_references_close(struct mix_references *references)
{
    hash_map_free(&references->pages);
    free(references->windows);
    for (int write = 0; write < 2; write++) hash_map_free(&references->sites[write]);
}

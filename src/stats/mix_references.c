/* SPDX-License-Identifier: MIT */
/* mix_references.c: the working set by window, and strides. */
#include <stdlib.h>
#include <string.h>

#include "stats/mix.h"

enum { FIRST_CAPACITY = 4096 };

static size_t hash_of(uint64_t value, size_t capacity)
{
    value *= UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(value >> 20) & (capacity - 1);
}

/* ---- distinct pages ---- */

static bool pages_grow(struct mix_pages *pages)
{
    const struct mix_pages old = *pages;
    pages->capacity = old.capacity ? 2 * old.capacity : FIRST_CAPACITY;
    pages->slots = calloc(pages->capacity, sizeof *pages->slots);
    if (!pages->slots) {
        *pages = old;
        return false;
    }
    for (size_t i = 0; i < old.capacity; i++) {
        if (!old.slots[i]) continue;
        size_t at = hash_of(old.slots[i], pages->capacity);
        while (pages->slots[at]) at = (at + 1) & (pages->capacity - 1);
        pages->slots[at] = old.slots[i];
    }
    free(old.slots);
    return true;
}

static bool pages_add(struct mix_pages *pages, uint64_t page)
{
    if (2 * pages->count >= pages->capacity && !pages_grow(pages)) return false;
    size_t at = hash_of(page + 1, pages->capacity);
    while (pages->slots[at] && pages->slots[at] != page + 1) at = (at + 1) & (pages->capacity - 1);
    pages->count += pages->slots[at] == 0;
    pages->slots[at] = page + 1;
    return true;
}

static bool window_end(struct mix_references *references)
{
    if (references->window_count == references->window_capacity) {
        const size_t capacity = references->window_capacity ? 2 * references->window_capacity : 256;
        struct mix_window *windows = realloc(references->windows, capacity * sizeof *windows);
        if (!windows) return false;
        references->windows = windows;
        references->window_capacity = capacity;
    }
    references->windows[references->window_count++] =
        (struct mix_window){references->in_window, references->pages.count};
    if (references->pages.capacity)
        memset(references->pages.slots, 0, references->pages.capacity * sizeof(uint64_t));
    references->pages.count = 0;
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

static bool sites_grow(struct mix_references *references, int write)
{
    const size_t old_capacity = references->site_capacity[write];
    const size_t capacity = old_capacity ? 2 * old_capacity : FIRST_CAPACITY;
    struct mix_site *old = references->sites[write], *sites = calloc(capacity, sizeof *sites);
    if (!sites) return false;
    for (size_t i = 0; i < old_capacity; i++) {
        if (!old[i].pc) continue;
        size_t at = hash_of(old[i].pc, capacity);
        while (sites[at].pc) at = (at + 1) & (capacity - 1);
        sites[at] = old[i];
    }
    free(old);
    references->sites[write] = sites;
    references->site_capacity[write] = capacity;
    return true;
}

/* The accesses of one instruction: the stride from its previous access. */
static bool take_site(struct mix_references *references, int write, const struct mix_site *site)
{
    if (2 * references->site_count[write] >= references->site_capacity[write] &&
        !sites_grow(references, write))
        return false;
    struct mix_site *sites = references->sites[write];
    const size_t mask = references->site_capacity[write] - 1;
    size_t at = hash_of(site->pc, mask + 1);
    while (sites[at].pc && sites[at].pc != site->pc) at = (at + 1) & mask;
    if (sites[at].pc) {
        references->local[write][step_of(sites[at].last, site->first)]++;
        sites[at].last = site->last;
    } else {
        references->site_count[write]++;
        sites[at] = *site;
    }
    return true;
}

/* Reads or writes that begin and end at these addresses: the stride from the previous one. */
static void take_global(struct mix_references *references, int write, uint64_t first, uint64_t last)
{
    if (references->has_last[write])
        references->global[write][step_of(references->last[write], first)]++;
    else
        references->first[write] = first;
    references->last[write] = last;
    references->has_last[write] = true;
}

static bool take_data(struct mix_references *references, const struct spoor_reference *reference)
{
    const int write = reference->op == SPOOR_REFERENCE_WRITE;
    const uint64_t address = reference->address;
    const struct mix_site site = {reference->pc + 1, address, address};
    take_global(references, write, address, address);
    return pages_add(&references->pages, address >> references->shift) &&
           (!(reference->has & SPOOR_REFERENCE_HAS_PC) || take_site(references, write, &site));
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
        good = take_data(references, reference);
    if (++references->in_window == references->window) good &= window_end(references);
    return good;
}

/* ---- merging ---- */

static bool merge_windows(struct mix_references *references, const struct mix_references *behind)
{
    const uint64_t open = references->in_window + behind->in_window;
    const bool fits = behind->window_count == 0 && open <= references->window;
    if (!fits && references->in_window && !window_end(references)) return false;
    for (size_t i = 0; i < behind->window_count; i++) {
        references->in_window = behind->windows[i].references;
        references->pages.count = behind->windows[i].pages;
        if (!window_end(references)) return false;
    }
    for (size_t i = 0; i < behind->pages.capacity; i++)
        if (behind->pages.slots[i] && !pages_add(&references->pages, behind->pages.slots[i] - 1))
            return false;
    references->in_window = fits ? open : behind->in_window;
    return references->in_window < references->window || window_end(references);
}

static bool merge_strides(struct mix_references *references, const struct mix_references *behind,
                          int write)
{
    bool good = true;
    for (int step = 0; step < MIX_STEPS; step++) {
        references->local[write][step] += behind->local[write][step];
        references->global[write][step] += behind->global[write][step];
    }
    if (behind->has_last[write])
        take_global(references, write, behind->first[write], behind->last[write]);
    for (size_t i = 0; good && i < behind->site_capacity[write]; i++)
        good =
            !behind->sites[write][i].pc || take_site(references, write, &behind->sites[write][i]);
    return good;
}

bool mix_references_merge(struct mix_references *references, const struct mix_references *behind)
{
    references->fetches += behind->fetches;
    references->reads += behind->reads;
    references->writes += behind->writes;
    references->other += behind->other;
    return merge_windows(references, behind) && merge_strides(references, behind, 0) &&
           merge_strides(references, behind, 1);
}

void mix_references_close(struct mix_references *references)
{
    free(references->pages.slots);
    free(references->windows);
    free(references->sites[0]);
    free(references->sites[1]);
}

/* SPDX-License-Identifier: MIT */
/*
 * translation.c: a fully associative TLB with LRU replacement.  A course's TLB considers only the
 * pages accessed last (10 of them); if none of those is in the TLB, the least recently used entry
 * is replaced.
 */
#include <stdlib.h>
#include <string.h>

#include "model/memory_limit.h"
#include "simulate/paging/paging.h"

uint64_t tlb_memory(const struct spoor_paging_options *options)
{
    const struct spoor_paging *paging = NULL;
    uint64_t needed = 0;
    memory_need(&needed, options->tlb, sizeof *paging->tlb);
    memory_need(&needed, options->tlb_recent, sizeof *paging->recent);
    return needed;
}

bool tlb_start(struct spoor_paging *paging)
{
    const struct spoor_paging_options *options = &paging->options;
    if (options->tlb) paging->tlb = calloc(options->tlb, sizeof *paging->tlb);
    if (options->tlb_recent) paging->recent = calloc(options->tlb_recent, sizeof *paging->recent);
    return (paging->tlb || !options->tlb) && (paging->recent || !options->tlb_recent);
}

static struct translation *find(struct spoor_paging *paging, uint64_t page)
{
    for (uint32_t i = 0; i < paging->tlb_count; i++)
        if (paging->tlb[i].page == page) return &paging->tlb[i];
    return NULL;
}

/* Moves or adds the page to the front of the pages accessed last. */
static void note_recent(struct spoor_paging *paging, uint64_t page)
{
    uint64_t *recent = paging->recent;
    uint32_t at = 0;
    if (!recent) return;
    while (at < paging->recent_count && recent[at] != page) at++;
    if (at == paging->options.tlb_recent) at--;
    if (at == paging->recent_count) paging->recent_count++;
    memmove(recent + 1, recent, at * sizeof *recent);
    recent[0] = page;
}

bool tlb_access(struct spoor_paging *paging, uint64_t page)
{
    struct translation *entry = find(paging, page);
    if (!entry) return false;
    entry->accessed = paging->now;
    note_recent(paging, page);
    return true;
}

static struct translation *oldest_recent(struct spoor_paging *paging)
{
    for (uint32_t i = paging->recent_count; i-- > 0;) {
        struct translation *entry = find(paging, paging->recent[i]);
        if (entry) return entry;
    }
    return NULL;
}

static struct translation *entry_to_go(struct spoor_paging *paging)
{
    struct translation *oldest = oldest_recent(paging);
    if (oldest) return oldest;
    oldest = &paging->tlb[0];
    for (uint32_t i = 1; i < paging->tlb_count; i++)
        if (paging->tlb[i].accessed < oldest->accessed) oldest = &paging->tlb[i];
    return oldest;
}

void tlb_fill(struct spoor_paging *paging, uint64_t page)
{
    if (!paging->tlb) return;
    struct translation *entry = paging->tlb_count < paging->options.tlb
                                    ? &paging->tlb[paging->tlb_count++]
                                    : entry_to_go(paging);
    *entry = (struct translation){page, paging->now};
    note_recent(paging, page);
}

void tlb_drop(struct spoor_paging *paging, uint64_t page)
{
    struct translation *entry = find(paging, page);
    if (entry) *entry = paging->tlb[--paging->tlb_count];
}

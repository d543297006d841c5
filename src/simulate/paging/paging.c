/* SPDX-License-Identifier: MIT */
/* paging.c: translate addresses through a TLB and a page table to frames. */
#include "simulate/paging/paging.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "model/error.h"
#include "model/options.h"

enum { USUAL_BITS = 32 };

/*
 * ---- the TLB ----
 *
 * It is fully associative with LRU replacement.  A course's TLB considers only the pages accessed
 * last (10 of them); if none of those is in the TLB, the least recently used entry is replaced.
 */

static struct translation *tlb_find(struct spoor_paging *paging, uint64_t page)
{
    for (uint32_t i = 0; i < paging->tlb_count; i++)
        if (paging->tlb[i].page == page) return &paging->tlb[i];
    return NULL;
}

/* Moves or adds the page to the front of the pages accessed last. */
static void tlb_note_recent(struct spoor_paging *paging, uint64_t page)
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

/* Adds a translation, in the place of another if the TLB is full: the least recently used of the
 * pages accessed last, or of all. */
static void tlb_fill(struct spoor_paging *paging, uint64_t page)
{
    if (!paging->tlb) return;
    struct translation *entry = NULL;
    if (paging->tlb_count < paging->options.tlb) entry = &paging->tlb[paging->tlb_count++];
    for (uint32_t i = paging->recent_count; !entry && i-- > 0;)
        entry = tlb_find(paging, paging->recent[i]);
    if (!entry) {
        entry = &paging->tlb[0];
        for (uint32_t i = 1; i < paging->tlb_count; i++)
            if (paging->tlb[i].accessed < entry->accessed) entry = &paging->tlb[i];
    }
    *entry = (struct translation){page, paging->now};
    tlb_note_recent(paging, page);
}

/* ---- construction ---- */

static enum spoor_status paging_prepare(struct spoor_paging *paging, struct spoor_error *error)
{
    struct spoor_paging_options *options = &paging->options;
    paging->widens = !options->address_bits;
    if (paging->widens) options->address_bits = USUAL_BITS;
    paging->newest = NO_FRAME;
    /* Keys that the options set are defaults of the policy's spec. */
    char defaults[64] = "";
    if (options->interval) snprintf(defaults, sizeof defaults, "ageing=%u,", options->interval);
    if (options->age)
        snprintf(defaults + strlen(defaults), sizeof defaults - strlen(defaults), "age=%u",
                 options->age);
    enum spoor_status status =
        component_parse(&paging->setup, SPOOR_PAGE_POLICY,
                        options->policy ? options->policy : "lru", defaults, error);
    paging->policy = (const struct page_policy *)paging->setup.component;
    if (status != SPOOR_OK) return status;
    /* The position of each level's index; the levels must leave an offset. */
    unsigned left = options->address_bits;
    bool fits = options->levels >= 1 && options->levels <= SPOOR_PAGE_LEVELS && left <= 64;
    for (size_t i = 0; fits && i < options->levels; i++) {
        fits = options->level_bits[i] > 0 && options->level_bits[i] < left;
        left -= options->level_bits[i];
        paging->shifts[i] = left;
    }
    if (!fits)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "expected 1 to %d levels of at least 1 bit that leave an offset of "
                               "the %u bits of an address",
                               SPOOR_PAGE_LEVELS, options->address_bits);
    paging->offset_bits = left;
    if (options->frames > UINT32_MAX / 2)
        return spoor_error_set(error, SPOOR_EUSAGE, "expected at most 2^31 frames");
    uint64_t needed = 0;
    memory_need(&needed, options->tlb, sizeof *paging->tlb);
    memory_need(&needed, options->tlb_recent, sizeof *paging->recent);
    status = memory_check("the TLB's entries", needed, options->memory, error);
    if (status != SPOOR_OK) return status;
    if (options->tlb) paging->tlb = calloc(options->tlb, sizeof *paging->tlb);
    if (options->tlb_recent) paging->recent = calloc(options->tlb_recent, sizeof *paging->recent);
    return memory_status((paging->tlb || !options->tlb) && (paging->recent || !options->tlb_recent),
                         error);
}

enum spoor_status spoor_paging_new(struct spoor_paging **paging,
                                   const struct spoor_paging_options *options,
                                   struct spoor_error *error)
{
    struct spoor_paging_options own;
    enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_paging *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->options = own;
    status = paging_prepare(made, error);
    if (status == SPOOR_OK)
        *paging = made;
    else
        spoor_paging_free(made);
    return status;
}

void spoor_paging_free(struct spoor_paging *paging)
{
    if (!paging) return;
    for (size_t i = 0; i < SPOOR_PAGE_LEVELS; i++) hash_map_free(&paging->tables[i]);
    hash_map_free(&paging->pages);
    free(paging->states);
    free(paging->frames);
    free(paging->tlb);
    free(paging->recent);
    free(paging->future.next);
    free(paging);
}

/* ---- an access ---- */

/* The page's state; a new page allocates it and the tables that lead to it. */
static struct page_state *paging_page_state(struct spoor_paging *paging, uint64_t address,
                                            uint64_t page)
{
    bool added, made;
    uint32_t *place = block_map_add(&paging->pages, page, &added);
    if (!place) return NULL;
    if (!added) return &paging->states[*place];
    const size_t at = paging->pages.count - 1;
    *place = (uint32_t)at;
    if (!array_reserve(&paging->states, &paging->state_capacity, at + 1)) return NULL;
    paging->states[at] = (struct page_state){0};
    for (size_t i = 1; i < paging->options.levels; i++)
        if (!block_map_add(&paging->tables[i], address >> paging->shifts[i - 1], &made))
            return NULL;
    return &paging->states[at];
}

/* Loads the page, in the place of another if all frames are full; false if memory runs out. */
static bool paging_load(struct spoor_paging *paging, struct page_state *state,
                        struct spoor_page_access *access)
{
    const uint64_t maximum = paging->options.frames;
    uint32_t frame;
    if (maximum && paging->frame_count == maximum) {
        frame = paging->policy->victim(paging);
        const uint64_t page = paging->frames[frame].page;
        paging->states[*block_map_find(&paging->pages, page)].frame = 0;
        struct translation *entry = tlb_find(paging, page);
        if (entry) *entry = paging->tlb[--paging->tlb_count];
        access->replaced = true;
        access->replaced_page = page;
        access->bits = paging->frames[frame].bits;
        paging->counts.replacements++;
    } else {
        if (!array_reserve(&paging->frames, &paging->frame_capacity, paging->frame_count + 1))
            return false;
        frame = (uint32_t)paging->frame_count++;
    }
    paging->frames[frame] = (struct frame){.page = access->page, .accessed = paging->now};
    state->frame = frame + 1;
    if (maximum && paging->policy->load) paging->policy->load(paging, frame);
    return true;
}

/* Adds a level at the top, with as many bits as the one that was, for an address that has more
 * bits.  The pages stay as they are: the addresses so far have 0 in the new bits.  False if memory
 * runs out. */
static bool paging_add_level(struct spoor_paging *paging)
{
    struct spoor_paging_options *options = &paging->options;
    const unsigned bits = options->address_bits, more = options->level_bits[0];
    const size_t levels = options->levels;
    bool made;
    memmove(options->level_bits + 1, options->level_bits, levels * sizeof *options->level_bits);
    memmove(paging->shifts + 1, paging->shifts, levels * sizeof *paging->shifts);
    memmove(paging->tables + 1, paging->tables, levels * sizeof *paging->tables);
    options->levels++;
    options->level_bits[0] = more < 64 - bits ? more : 64 - bits;
    options->address_bits += options->level_bits[0];
    paging->shifts[0] = bits;
    paging->tables[0] = paging->tables[1] = (struct hash_map){0};
    paging->widened = true;
    return !paging->pages.count || block_map_add(&paging->tables[1], 0, &made);
}

enum spoor_status spoor_paging_access(struct spoor_paging *paging, uint64_t address, bool write,
                                      struct spoor_page_access *access, struct spoor_error *error)
{
    const struct spoor_paging_options *options = &paging->options;
    while (options->address_bits < 64 && address >> options->address_bits) {
        if (!paging->widens || options->levels == SPOOR_PAGE_LEVELS)
            return spoor_error_set(error, SPOOR_EINPUT,
                                   "access %llu: found address %llx, expected one of %u bits",
                                   (unsigned long long)paging->counts.accesses,
                                   (unsigned long long)address, options->address_bits);
        if (!paging_add_level(paging)) return memory_status(false, error);
    }
    *access =
        (struct spoor_page_access){.address = address, .page = address >> paging->offset_bits};
    struct page_state *state = paging_page_state(paging, address, access->page);
    paging->future.at = paging->now++;
    if (!state) return memory_status(false, error);
    /* Looks the page up, in the TLB and the page table. */
    struct translation *entry = tlb_find(paging, access->page);
    access->tlb_hit = entry;
    if (entry) {
        entry->accessed = paging->now;
        tlb_note_recent(paging, access->page);
    }
    access->page_hit = state->frame != 0;
    const struct page_policy *policy = paging->policy;
    const bool replaces = options->frames; /* else the policy has nothing to do */
    if (access->page_hit) {
        paging->frames[state->frame - 1].accessed = paging->now;
        if (replaces && policy->hit) policy->hit(paging, state->frame - 1);
    }
    if (replaces && policy->tick) policy->tick(paging);
    if (!access->page_hit && !paging_load(paging, state, access))
        return memory_status(false, error);
    if (!access->tlb_hit) tlb_fill(paging, access->page);
    paging->counts.tlb_hits += access->tlb_hit;
    paging->counts.page_hits += access->page_hit && !access->tlb_hit;
    paging->counts.misses += !access->page_hit;
    paging->counts.accesses++;
    access->count = ++state->count;
    access->frame = state->frame - 1;
    paging->frames[access->frame].dirty |= write;
    access->physical =
        access->frame << paging->offset_bits | (address & (spoor_paging_page_size(paging) - 1));
    return SPOOR_OK;
}

enum spoor_status spoor_paging_feed(struct spoor_paging *paging,
                                    const struct spoor_reference *references, size_t count,
                                    struct spoor_error *error)
{
    struct spoor_page_access access;
    enum spoor_status status = SPOOR_OK;
    for (size_t i = 0; i < count && status == SPOOR_OK; i++)
        status = spoor_paging_access(paging, references[i].address,
                                     references[i].op == SPOOR_REFERENCE_WRITE, &access, error);
    return status;
}

enum spoor_status spoor_paging_end(struct spoor_paging *paging, struct spoor_error *error)
{
    (void)paging;
    return memory_status(true, error);
}

void spoor_paging_end_warmup(struct spoor_paging *paging)
{
    paging->counts = (struct spoor_paging_counts){0};
}

/* ---- the future ---- */

bool spoor_paging_needs_future(const struct spoor_paging *paging)
{
    return paging->policy->needs_future && paging->options.frames;
}

enum spoor_status spoor_paging_foresee(struct spoor_paging *paging, const uint64_t *addresses,
                                       size_t count, struct spoor_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!future_add(&paging->future, addresses[i] >> paging->offset_bits))
            return memory_status(false, error);
    return memory_status(count || future_solve(&paging->future), error);
}

/* ---- results ---- */

const struct spoor_component *spoor_paging_policy(const struct spoor_paging *paging)
{
    return &paging->setup.component->about;
}

struct spoor_paging_counts spoor_paging_count(const struct spoor_paging *paging)
{
    struct spoor_paging_counts counts = paging->counts;
    counts.frames = paging->frame_count;
    counts.table_entries = 0;
    for (size_t i = 0; i < paging->options.levels; i++) {
        const uint64_t tables = i ? paging->tables[i].count : 1;
        const unsigned bits = paging->options.level_bits[i];
        counts.table_entries += bits < 64 ? tables << bits : 0;
    }
    return counts;
}

uint64_t spoor_paging_page_size(const struct spoor_paging *paging)
{
    return UINT64_C(1) << paging->offset_bits;
}

uint64_t spoor_paging_mask(const struct spoor_paging *paging, size_t level)
{
    const unsigned bits = paging->options.level_bits[level];
    return ((UINT64_C(1) << bits) - 1) << paging->shifts[level];
}

uint64_t spoor_paging_index(const struct spoor_paging *paging, uint64_t address, size_t level)
{
    return (address & spoor_paging_mask(paging, level)) >> paging->shifts[level];
}

enum spoor_status spoor_paging_report(const struct spoor_paging *paging,
                                      struct spoor_result *result)
{
    const struct spoor_paging_counts counts = spoor_paging_count(paging);
    spoor_result_size(result, "page_size", spoor_paging_page_size(paging));
    spoor_result_unsigned(result, "accesses", counts.accesses);
    spoor_result_unsigned(result, "tlb_hits", counts.tlb_hits);
    spoor_result_unsigned(result, "page_hits", counts.page_hits);
    spoor_result_unsigned(result, "misses", counts.misses);
    spoor_result_real(result, "miss_ratio",
                      counts.accesses ? (double)counts.misses / (double)counts.accesses : 0, 4);
    spoor_result_unsigned(result, "frames", counts.frames);
    spoor_result_unsigned(result, "replacements", counts.replacements);
    spoor_result_unsigned(result, "table_entries", counts.table_entries);
    spoor_result_text(result, "policy",
                      paging->options.frames ? spoor_paging_policy(paging)->name : NULL);
    if (paging->widened)
        spoor_result_unsigned(result, "address_bits", paging->options.address_bits);
    return result_status(result);
}

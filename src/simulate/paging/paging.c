/* SPDX-License-Identifier: MIT */
/* paging.c: translate addresses through a TLB and a page table to frames. */
#include "simulate/paging/paging.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "model/memory_limit.h"
#include "model/options.h"

enum { USUAL_BITS = 32 };

/* ---- construction ---- */

/* Keys that the options set are defaults of the policy's spec. */
static enum spoor_status choose_policy(struct spoor_paging *paging, struct spoor_error *error)
{
    const struct spoor_paging_options *options = &paging->options;
    char defaults[64] = "";
    if (options->interval) snprintf(defaults, sizeof defaults, "interval=%u,", options->interval);
    if (options->age)
        snprintf(defaults + strlen(defaults), sizeof defaults - strlen(defaults), "age=%u",
                 options->age);
    const enum spoor_status status =
        component_parse(&paging->setup, SPOOR_PAGE_POLICY,
                        options->policy ? options->policy : "lru", defaults, error);
    paging->policy = (const struct page_policy *)paging->setup.component;
    return status;
}

/* The position of each level's index; false if the levels leave no offset. */
static bool cut_address(struct spoor_paging *paging)
{
    const struct spoor_paging_options *options = &paging->options;
    unsigned left = options->address_bits;
    if (options->levels < 1 || options->levels > SPOOR_PAGE_LEVELS || left > 64) return false;
    for (size_t i = 0; i < options->levels; i++) {
        if (options->level_bits[i] == 0 || options->level_bits[i] >= left) return false;
        left -= options->level_bits[i];
        paging->shifts[i] = left;
    }
    paging->offset_bits = left;
    return true;
}

static enum spoor_status prepare(struct spoor_paging *paging, struct spoor_error *error)
{
    struct spoor_paging_options *options = &paging->options;
    if (!options->address_bits) options->address_bits = USUAL_BITS;
    paging->newest = NO_FRAME;
    enum spoor_status status = choose_policy(paging, error);
    if (status != SPOOR_OK) return status;
    if (!cut_address(paging))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "expected 1 to %d levels of at least 1 bit that leave an offset of "
                               "the %u bits of an address",
                               SPOOR_PAGE_LEVELS, options->address_bits);
    if (options->frames > UINT32_MAX / 2)
        return spoor_error_set(error, SPOOR_EUSAGE, "expected at most 2^31 frames");
    status = memory_check("the TLB's entries", tlb_memory(options), options->memory, error);
    if (status != SPOOR_OK) return status;
    if (tlb_start(paging)) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
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
    status = prepare(made, error);
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
    future_free(&paging->future);
    free(paging);
}

/* ---- an access ---- */

/* The page's state; a new page allocates it and the tables that lead to it. */
static struct page_state *state_of(struct spoor_paging *paging, uint64_t address, uint64_t page)
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

/* Allocates a frame; NO_FRAME if memory runs out. */
static uint32_t new_frame(struct spoor_paging *paging)
{
    if (!array_reserve(&paging->frames, &paging->frame_capacity, paging->frame_count + 1))
        return NO_FRAME;
    return (uint32_t)paging->frame_count++;
}

/* The frame of the page to replace. */
static uint32_t replace(struct spoor_paging *paging, struct spoor_page_access *access)
{
    const uint32_t frame = paging->policy->victim(paging);
    const uint64_t page = paging->frames[frame].page;
    paging->states[*block_map_find(&paging->pages, page)].frame = 0;
    tlb_drop(paging, page);
    access->replaced = true;
    access->replaced_page = page;
    access->bits = paging->frames[frame].bits;
    paging->counts.replacements++;
    return frame;
}

/* Loads the page; false if memory runs out. */
static bool load(struct spoor_paging *paging, struct page_state *state,
                 struct spoor_page_access *access)
{
    const uint64_t maximum = paging->options.frames;
    const bool full = maximum && paging->frame_count == maximum;
    const uint32_t frame = full ? replace(paging, access) : new_frame(paging);
    if (frame == NO_FRAME) return false;
    paging->frames[frame] = (struct frame){.page = access->page, .accessed = paging->now};
    state->frame = frame + 1;
    if (maximum && paging->policy->load) paging->policy->load(paging, frame);
    return true;
}

/* The page is in memory: inform the policy, if replacements are possible at all. */
static void note_hit(struct spoor_paging *paging, uint32_t frame)
{
    paging->frames[frame].accessed = paging->now;
    if (paging->options.frames && paging->policy->hit) paging->policy->hit(paging, frame);
}

static bool walk(struct spoor_paging *paging, struct page_state *state,
                 struct spoor_page_access *access)
{
    access->tlb_hit = paging->tlb_count && tlb_access(paging, access->page);
    access->page_hit = state->frame != 0;
    if (access->page_hit) note_hit(paging, state->frame - 1);
    if (paging->options.frames && paging->policy->tick) paging->policy->tick(paging);
    if (!access->page_hit && !load(paging, state, access)) return false;
    if (!access->tlb_hit) tlb_fill(paging, access->page);
    paging->counts.tlb_hits += access->tlb_hit;
    paging->counts.page_hits += access->page_hit && !access->tlb_hit;
    paging->counts.misses += !access->page_hit;
    return true;
}

enum spoor_status spoor_paging_access(struct spoor_paging *paging, uint64_t address, bool write,
                                      struct spoor_page_access *access, struct spoor_error *error)
{
    const unsigned bits = paging->options.address_bits;
    if (bits < 64 && address >> bits)
        return spoor_error_set(
            error, SPOOR_EINPUT, "access %llu: found address %llx, expected one of %u bits",
            (unsigned long long)paging->counts.accesses, (unsigned long long)address, bits);
    *access =
        (struct spoor_page_access){.address = address, .page = address >> paging->offset_bits};
    struct page_state *state = state_of(paging, address, access->page);
    paging->future.at = paging->now++;
    if (!state || !walk(paging, state, access))
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
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

static double percent_of(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
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
    spoor_result_real(result, "miss_percent", percent_of(counts.misses, counts.accesses), 2);
    spoor_result_unsigned(result, "frames", counts.frames);
    spoor_result_unsigned(result, "replacements", counts.replacements);
    spoor_result_unsigned(result, "table_entries", counts.table_entries);
    spoor_result_text(result, "policy",
                      paging->options.frames ? spoor_paging_policy(paging)->name : NULL);
    return result_status(result);
}

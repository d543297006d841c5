/* SPDX-License-Identifier: MIT */
/* opt.c: replace the page whose next access is farthest away (Belady 1966); all addresses must be
 * known. */
#include <stdlib.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "simulate/paging/paging.h"

bool future_pages_add(struct spoor_paging *paging, uint64_t page)
{
    if (!array_reserve(&paging->future, &paging->future_capacity, paging->future_count + 1))
        return false;
    paging->future[paging->future_count++] = page;
    return true;
}

/* Replaces pages by the ordinals of their next accesses, from the end backwards. */
bool future_pages_solve(struct spoor_paging *paging)
{
    struct hash_map places = {0};
    uint64_t *next = malloc((paging->future_count + 1) * sizeof *next);
    bool good = next;
    for (size_t i = paging->future_count; good && i-- > 0;) {
        bool added;
        uint32_t *place = block_map_add(&places, paging->future[i], &added);
        good = place;
        if (!good) break;
        if (added) *place = (uint32_t)(places.count - 1);
        paging->future[i] = added ? UINT64_MAX : next[*place];
        next[*place] = i;
    }
    free(next);
    hash_map_free(&places);
    return good;
}

static void use(struct spoor_paging *paging, uint32_t frame)
{
    const uint64_t at = paging->now - 1;
    paging->frames[frame].next = at < paging->future_count ? paging->future[at] : UINT64_MAX;
}

static uint32_t victim(struct spoor_paging *paging)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < paging->frame_count; i++)
        if (paging->frames[i].next > paging->frames[last].next) last = i;
    return last;
}

const struct page_policy page_policy_opt = {
    .name = "opt",
    .title = "what is accessed again last (Belady; holds the trace)",
    .needs_future = true,
    .hit = use,
    .victim = victim,
    .load = use,
};

/* SPDX-License-Identifier: MIT */
/*
 * nfu.c: not frequently used, with ageing, as a course published it: each page has 16 age bits,
 * 8000 when it is loaded.  Every `interval` accesses, after the access's hit and before its
 * replacement, the age bits of each page shift right by one, and the new top bit states whether the
 * page was accessed since; loading a page is an access, but a load at a tick belongs to the
 * interval that ended.  The page with the lowest age bits is replaced; of equal pages, the least
 * recently accessed one.
 */
#include "simulate/paging/paging.h"

enum { FIRST_BIT = 0x8000 };

static void use(struct spoor_paging *paging, uint32_t frame)
{
    paging->frames[frame].referenced = true;
}

static void load(struct spoor_paging *paging, uint32_t frame)
{
    paging->frames[frame].bits = FIRST_BIT;
    paging->frames[frame].referenced = paging->now % paging->options.interval != 0;
}

static void tick(struct spoor_paging *paging)
{
    if (paging->now % paging->options.interval) return;
    for (size_t i = 0; i < paging->frame_count; i++) {
        struct frame *frame = &paging->frames[i];
        frame->bits = (uint16_t)(frame->bits >> 1 | (frame->referenced ? FIRST_BIT : 0));
        frame->referenced = false;
    }
}

static uint32_t victim(struct spoor_paging *paging)
{
    const struct frame *frames = paging->frames;
    uint32_t minimum = 0;
    for (uint32_t i = 1; i < paging->frame_count; i++)
        if (frames[i].bits < frames[minimum].bits ||
            (frames[i].bits == frames[minimum].bits &&
             frames[i].accessed < frames[minimum].accessed))
            minimum = i;
    return minimum;
}

const struct page_policy page_policy_nfu = {
    .name = "nfu",
    .title = "not frequently used, with ageing",
    .reports_bits = true,
    .hit = use,
    .tick = tick,
    .victim = victim,
    .load = load,
};

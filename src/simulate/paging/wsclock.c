/* SPDX-License-Identifier: MIT */
/*
 * wsclock.c: the working set clock (Carr and Hennessy 1981), as a course published it: a hand goes
 * round the frames.  A page that was accessed within the last `age` accesses stays; the first old
 * clean page is replaced, and the old dirty pages that the hand passes are cleaned.  If all pages
 * are young, the least recently accessed one is replaced.
 */
#include "simulate/paging/paging.h"

static uint32_t oldest(const struct spoor_paging *paging)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < paging->frame_count; i++)
        if (paging->frames[i].accessed < paging->frames[oldest].accessed) oldest = i;
    return oldest;
}

static uint32_t victim(struct spoor_paging *paging)
{
    /* Two rounds: the first may only clean pages. */
    for (size_t steps = 0; steps < 2 * paging->frame_count; steps++) {
        const uint32_t at = paging->hand;
        struct frame *frame = &paging->frames[at];
        paging->hand = (uint32_t)((at + 1) % paging->frame_count);
        if (paging->now - frame->accessed <= paging->options.age) continue;
        if (!frame->dirty) return at;
        frame->dirty = false;
    }
    return oldest(paging);
}

const struct page_policy page_policy_wsclock = {
    .name = "wsclock",
    .title = "working set clock",
    .victim = victim,
};

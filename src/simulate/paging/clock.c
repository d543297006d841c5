/* SPDX-License-Identifier: MIT */
/*
 * clock.c: second chance: a hand goes round the frames; a page that was accessed since the hand
 * last passed it stays, and the first other page is replaced (Corbato 1968).
 */
#include "simulate/paging/paging.h"

static void use(struct spoor_paging *paging, uint32_t frame)
{
    paging->frames[frame].referenced = true;
}

static uint32_t victim(struct spoor_paging *paging)
{
    for (;;) {
        const uint32_t at = paging->hand;
        paging->hand = (uint32_t)((at + 1) % paging->frame_count);
        if (!paging->frames[at].referenced) return at;
        paging->frames[at].referenced = false;
    }
}

const struct page_policy page_policy_clock = {
    .name = "clock",
    .title = "second chance, by a hand that goes round",
    .hit = use,
    .victim = victim,
    .load = use,
};

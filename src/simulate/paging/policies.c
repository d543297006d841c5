/* SPDX-License-Identifier: MIT */
/* policies.c: the page replacement policies. */
#include "simulate/paging/paging.h"

/* ---- lru, fifo: frames in a ring, newest to oldest ---- */

/* The newest frame's newer neighbour is the oldest. */
static void ring_insert(struct spoor_paging *paging, uint32_t frame)
{
    struct frame *frames = paging->frames;
    if (paging->newest == NO_FRAME) {
        frames[frame].newer = frames[frame].older = frame;
    } else {
        const uint32_t newest = paging->newest, oldest = frames[newest].newer;
        frames[frame].older = newest;
        frames[frame].newer = oldest;
        frames[newest].newer = frame;
        frames[oldest].older = frame;
    }
    paging->newest = frame;
}

static void ring_remove(struct spoor_paging *paging, uint32_t frame)
{
    struct frame *frames = paging->frames;
    if (frames[frame].newer == frame) {
        paging->newest = NO_FRAME;
        return;
    }
    frames[frames[frame].newer].older = frames[frame].older;
    frames[frames[frame].older].newer = frames[frame].newer;
    if (paging->newest == frame) paging->newest = frames[frame].older;
}

static void ring_touch(struct spoor_paging *paging, uint32_t frame)
{
    if (paging->newest == frame) return;
    ring_remove(paging, frame);
    ring_insert(paging, frame);
}

static uint32_t ring_victim(struct spoor_paging *paging)
{
    const uint32_t oldest = paging->frames[paging->newest].newer;
    ring_remove(paging, oldest);
    return oldest;
}

const struct page_policy page_policy_lru = {
    .component.about = {SPOOR_PAGE_POLICY, "lru", "least recently used", NULL, NULL},
    .hit = ring_touch,
    .victim = ring_victim,
    .load = ring_insert,
};
const struct page_policy page_policy_fifo = {
    .component.about = {SPOOR_PAGE_POLICY, "fifo", "first in, first out", NULL, NULL},
    .victim = ring_victim,
    .load = ring_insert,
};

/* ---- clock ---- */

static void frame_reference(struct spoor_paging *paging, uint32_t frame)
{
    paging->frames[frame].referenced = true;
}

/* A hand goes round the frames; a page that was accessed since the hand last passed it stays, and
 * the first other page is replaced (Corbato 1968). */
static uint32_t clock_victim(struct spoor_paging *paging)
{
    for (;;) {
        const uint32_t at = paging->hand;
        paging->hand = (uint32_t)((at + 1) % paging->frame_count);
        if (!paging->frames[at].referenced) return at;
        paging->frames[at].referenced = false;
    }
}

const struct page_policy page_policy_clock = {
    .component.about = {SPOOR_PAGE_POLICY, "clock", "second chance, by a hand that goes round",
                        "Corbato 1968", NULL},
    .hit = frame_reference,
    .victim = clock_victim,
    .load = frame_reference,
};

/*
 * ---- nfu ----
 *
 * Not frequently used, with ageing, as a course published it: each page has 16 age bits, 8000 when
 * it is loaded.  Every `interval` accesses, after the access's hit and before its replacement, the
 * age bits of each page shift right by one, and the new top bit states whether the page was
 * accessed since; loading a page is an access, but a load at a tick belongs to the interval that
 * ended.  The page with the lowest age bits is replaced; of equal pages, the least recently
 * accessed one.
 */
enum { FIRST_BIT = 0x8000 };
enum { INTERVAL };
static const struct spoor_component_key nfu_keys[] = {
    {"ageing", "accesses between two ticks of ageing", 10, 1, UINT32_MAX},
    {0},
};

static bool nfu_is_tick(const struct spoor_paging *paging)
{
    return paging->now % paging->setup.values[INTERVAL] == 0;
}

static void nfu_load(struct spoor_paging *paging, uint32_t frame)
{
    paging->frames[frame].bits = FIRST_BIT;
    paging->frames[frame].referenced = !nfu_is_tick(paging);
}

static void nfu_tick(struct spoor_paging *paging)
{
    if (!nfu_is_tick(paging)) return;
    for (size_t i = 0; i < paging->frame_count; i++) {
        struct frame *frame = &paging->frames[i];
        frame->bits = (uint16_t)(frame->bits >> 1 | (frame->referenced ? FIRST_BIT : 0));
        frame->referenced = false;
    }
}

static uint32_t nfu_victim(struct spoor_paging *paging)
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
    .component.about = {SPOOR_PAGE_POLICY, "nfu", "not frequently used, with ageing", NULL,
                        nfu_keys},
    .hit = frame_reference,
    .tick = nfu_tick,
    .victim = nfu_victim,
    .load = nfu_load,
};

/*
 * ---- wsclock ----
 *
 * The working set clock (Carr and Hennessy 1981), as a course published it: a hand goes round the
 * frames.  A page that was accessed within the last `age` accesses stays; the first old clean page
 * is replaced, and the old dirty pages that the hand passes are cleaned.  If all pages are young,
 * the least recently accessed one is replaced.
 */
enum { AGE };
static const struct spoor_component_key wsclock_keys[] = {
    {"age", "accesses until a page is old", 10, 1, UINT32_MAX},
    {0},
};

static uint32_t wsclock_victim(struct spoor_paging *paging)
{
    /* Two rounds: the first may only clean pages. */
    for (size_t steps = 0; steps < 2 * paging->frame_count; steps++) {
        const uint32_t at = paging->hand;
        struct frame *frame = &paging->frames[at];
        paging->hand = (uint32_t)((at + 1) % paging->frame_count);
        if (paging->now - frame->accessed <= paging->setup.values[AGE]) continue;
        if (!frame->dirty) return at;
        frame->dirty = false;
    }
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < paging->frame_count; i++)
        if (paging->frames[i].accessed < paging->frames[oldest].accessed) oldest = i;
    return oldest;
}

const struct page_policy page_policy_wsclock = {
    .component.about = {SPOOR_PAGE_POLICY, "wsclock", "working set clock", "Carr, Hennessy 1981",
                        wsclock_keys},
    .victim = wsclock_victim,
};

/* ---- opt: the page whose next access is farthest away ---- */

static void page_opt_use(struct spoor_paging *paging, uint32_t frame)
{
    paging->frames[frame].next = future_next(&paging->future);
}

static uint32_t page_opt_victim(struct spoor_paging *paging)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < paging->frame_count; i++)
        if (paging->frames[i].next > paging->frames[last].next) last = i;
    return last;
}

const struct page_policy page_policy_opt = {
    .component.about = {SPOOR_PAGE_POLICY, "opt",
                        "what is accessed again last (Belady; holds the trace)", "Belady 1966",
                        NULL},
    .needs_future = true,
    .hit = page_opt_use,
    .victim = page_opt_victim,
    .load = page_opt_use,
};

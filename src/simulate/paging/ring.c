/* SPDX-License-Identifier: MIT */
/* ring.c: frames in a ring from newest to oldest; the newest's newer neighbour is the oldest. */
#include "simulate/paging/paging.h"

static const uint32_t empty = UINT32_MAX; /* no frame is in the ring */

void ring_insert(struct spoor_paging *paging, uint32_t frame)
{
    struct frame *frames = paging->frames;
    if (paging->newest == empty) {
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

static void unlink_frame(struct spoor_paging *paging, uint32_t frame)
{
    struct frame *frames = paging->frames;
    if (frames[frame].newer == frame) {
        paging->newest = empty;
        return;
    }
    frames[frames[frame].newer].older = frames[frame].older;
    frames[frames[frame].older].newer = frames[frame].newer;
    if (paging->newest == frame) paging->newest = frames[frame].older;
}

void ring_touch(struct spoor_paging *paging, uint32_t frame)
{
    if (paging->newest == frame) return;
    unlink_frame(paging, frame);
    ring_insert(paging, frame);
}

uint32_t ring_remove_oldest(struct spoor_paging *paging)
{
    const uint32_t oldest = paging->frames[paging->newest].newer;
    unlink_frame(paging, oldest);
    return oldest;
}

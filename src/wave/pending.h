/* SPDX-License-Identifier: MIT */
/*
 * wave/pending.h: changes of one time, of a waveform that has all signals one after the other.
 *
 * They take effect when their time ends: the values before an edge are those of the time before,
 * whatever the order of the changes of one time.
 */
#ifndef SPOOR_WAVE_PENDING_H
#define SPOOR_WAVE_PENDING_H

#include "wave/sampler.h"

struct wave_pending {
    uint64_t time;
    uint64_t *next; /* values at the end of that time */
    int *changed;   /* signals that change in it */
    size_t changed_count;
    uint8_t *dirty;
};

/* When the sampler is bound; false: memory ran out. */
bool wave_pending_begin(struct wave_pending *pending, const struct wave_sampler *sampler);
/* The signal has its value of `next` from the present time on. */
static inline void wave_pending_mark(struct wave_pending *pending, int signal)
{
    if (!pending->dirty[signal]) pending->changed[pending->changed_count++] = signal;
    pending->dirty[signal] = true;
}
/* The present time ends, after the samples before its changes. */
void wave_pending_end_time(struct wave_pending *pending, struct wave_sampler *sampler);
void wave_pending_free(struct wave_pending *pending);

#endif

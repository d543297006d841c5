/* SPDX-License-Identifier: MIT */
/* history.c: stores the values of a signal, and finds the one before a time. */
#include "wave/history.h"

#include <stdlib.h>

#include "base/array.h"

void wave_history_add(struct wave_history *history, uint64_t time, uint64_t bits, uint64_t unknown)
{
    const size_t count = history->count;
    const struct wave_change change = {time, bits, unknown};
    if (count && history->changes[count - 1].bits == bits &&
        history->changes[count - 1].unknown == unknown)
        return;
    if (count && history->changes[count - 1].time >= time) { /* the last value of a time counts */
        history->changes[count - 1].bits = bits;
        history->changes[count - 1].unknown = unknown;
        return;
    }
    history->full |= count == WAVE_HISTORY_MOST;
    if (history->full || history->failed) return;
    if (array_reserve(&history->changes, &history->capacity, count + 1))
        history->changes[history->count++] = change;
    else
        history->failed = true;
}

void wave_history_add_absence(struct wave_history *history, uint64_t from, uint64_t to)
{
    if (array_reserve(&history->absences, &history->absence_capacity, history->absence_count + 1))
        history->absences[history->absence_count++] = (struct wave_absence){from, to};
    else
        history->failed = true;
}

bool wave_history_find(struct wave_history *history, uint64_t time, uint64_t *bits,
                       uint64_t *unknown)
{
    const struct wave_change *changes = history->changes;
    if (time == 0) return false;
    /* the last unit of the waveform that begins before the time */
    const uint64_t last = (time - 1) / history->factor;
    size_t low = 0, high = history->count; /* changes before `low` are not after it */
    if (history->at < high && changes[history->at].time <= last) {
        low = history->at; /* rows come in the order of time: most find it within a few steps */
        for (size_t step = 1; low + step < high; step *= 2) {
            if (changes[low + step].time > last) {
                high = low + step;
                break;
            }
            low += step;
        }
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (changes[middle].time <= last)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return false;
    history->at = low - 1;
    for (size_t i = 0; i < history->absence_count; i++)
        if (history->absences[i].from < last && last < history->absences[i].to) return false;
    *bits = changes[low - 1].bits;
    *unknown = changes[low - 1].unknown;
    return true;
}

void wave_history_free(struct wave_history *history)
{
    free(history->changes);
    free(history->absences);
    *history = (struct wave_history){0};
}

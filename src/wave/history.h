/* SPDX-License-Identifier: MIT */
/*
 * wave/history.h: all values of one signal over time.
 *
 * Of at most 64 bits, and in memory: 24 bytes for each change.
 */
#ifndef SPOOR_WAVE_HISTORY_H
#define SPOOR_WAVE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAVE_HISTORY_MOST = 1 << 25 /* changes */ };

struct wave_change {
    uint64_t time; /* in the waveform's unit, from which on it has the value */
    uint64_t bits, unknown;
};
struct wave_absence {
    uint64_t from, to; /* nothing was recorded */
};

struct wave_history {
    struct wave_change *changes;
    size_t count, capacity;
    struct wave_absence *absences;
    size_t absence_count, absence_capacity;
    uint64_t factor;  /* units of the trace's times in one of the waveform */
    uint32_t bits;    /* of a value */
    size_t at;        /* of the value that was asked for last */
    bool full;        /* it has more than WAVE_HISTORY_MOST changes */
    bool failed;      /* memory ran out */
    char damage[200]; /* the first place that could not be read; "": none */
};

void wave_history_add(struct wave_history *history, uint64_t time, uint64_t bits, uint64_t unknown);
void wave_history_add_absence(struct wave_history *history, uint64_t from, uint64_t to);
/* The value just before a time of the trace, as a register that is clocked then sees it: false if
 * none is recorded. */
bool wave_history_find(struct wave_history *history, uint64_t time, uint64_t *bits,
                       uint64_t *unknown);
void wave_history_free(struct wave_history *history);

#endif

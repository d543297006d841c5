/* SPDX-License-Identifier: MIT */
/*
 * record/futex.h: waits until another process changes a word of shared memory.
 *
 * Where the system has no such call, the waiting side looks at the word every millisecond.
 */
#ifndef SPOOR_RECORD_FUTEX_H
#define SPOOR_RECORD_FUTEX_H

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "base/platform.h"

#ifdef SPOOR_HAVE_FUTEX
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* Wakes every process that waits for this word. */
static inline void futex_wake(_Atomic uint32_t *word)
{
#ifdef SPOOR_HAVE_FUTEX
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
#else
    (void)word;
#endif
}

/* Waits while the word has this value, at most `milliseconds`; may return earlier. */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t value, unsigned milliseconds)
{
#ifdef SPOOR_HAVE_FUTEX
    const struct timespec maximum = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &maximum, NULL, 0);
#else
    const struct timespec pause = {0, 1000000};
    for (unsigned i = 0; i < milliseconds && atomic_load(word) == value; i++)
        nanosleep(&pause, NULL);
#endif
}

#endif

/* SPDX-License-Identifier: MIT */
/* clock.h: a clock that only advances, for waits and limits of time. */
#ifndef SPOOR_BASE_CLOCK_H
#define SPOOR_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

#endif

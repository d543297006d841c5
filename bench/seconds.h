/* SPDX-License-Identifier: MIT */
/* seconds.h: processor time of the calling thread, for what measures one core. */
#ifndef SPOOR_BENCH_SECONDS_H
#define SPOOR_BENCH_SECONDS_H

#include <time.h>

static inline double thread_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif

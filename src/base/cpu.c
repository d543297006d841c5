/* SPDX-License-Identifier: MIT */
/* cpu.c: detect the features of the processor, once per process. */
#include "base/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static bool find_avx2(void)
{
#if CPU_MAY_HAVE_AVX2
    const char *wanted = getenv("SPOOR_CPU");
    if (wanted && strcmp(wanted, "scalar") == 0) return false;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

bool cpu_has_avx2(void)
{
    enum { UNKNOWN, ABSENT, PRESENT };
    static atomic_int found; /* every thread computes the same value */
    int answer = atomic_load_explicit(&found, memory_order_relaxed);
    if (answer == UNKNOWN) {
        answer = find_avx2() ? PRESENT : ABSENT;
        atomic_store_explicit(&found, answer, memory_order_relaxed);
    }
    return answer == PRESENT;
}

/* SPDX-License-Identifier: MIT */
/*
 * cpu.h: what the processor at hand can do beyond what the library is compiled for.
 *
 * A fast path lives in a file of its own, whose functions are marked FOR_AVX2, and is chosen at
 * run time.  On other architectures there are none, and only the plain path is compiled.
 */
#ifndef SPOOR_BASE_CPU_H
#define SPOOR_BASE_CPU_H

#include <stdbool.h>

#if defined __x86_64__
#define CPU_MAY_HAVE_AVX2 1
/* Only functions marked so are inlined into each other. */
#define FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,sse4.2,tune=znver2")))

/* Whether functions marked FOR_AVX2 may be called: AVX2 and the bit manipulation that came with it.
 */
static inline bool cpu_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}
#else
#define CPU_MAY_HAVE_AVX2 0
#endif

#endif

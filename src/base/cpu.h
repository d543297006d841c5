/* SPDX-License-Identifier: MIT */
/*
 * cpu.h: what the processor at hand can do beyond what the library is compiled for.
 *
 * A fast path lives in a file of its own, whose functions are marked FOR_AVX2 or FOR_AVX512, and is
 * chosen at run time.  On other architectures there are none, and only the plain path is compiled.
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

#define CPU_MAY_HAVE_AVX512 1
/* What all server processors with AVX-512 have: Intel's from Skylake-SP, AMD's from Zen 4.  What
 * came later (VBMI: Ice Lake) is not asked for. */
#define FOR_AVX512                                                                   \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,popcnt," \
                          "sse4.2,tune=skylake-avx512")))

/* Whether functions marked FOR_AVX512 may be called: also, whether the system saves their
 * registers. */
static inline bool cpu_has_avx512(void)
{
    return cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#else
#define CPU_MAY_HAVE_AVX2 0
#define CPU_MAY_HAVE_AVX512 0
#endif

#endif

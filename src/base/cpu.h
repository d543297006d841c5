/* SPDX-License-Identifier: MIT */
/*
 * cpu.h: what the processor at hand can do beyond what the library is compiled for.
 *
 * A fast path is compiled for each width: a header in terms of base/simd_text.h, included by a file
 * for AVX2, whose functions are marked FOR_AVX2, and by one for any processor.  Which of the two
 * runs is chosen at run time.
 */
#ifndef SPOOR_BASE_CPU_H
#define SPOOR_BASE_CPU_H

#include <stdbool.h>

#if defined __x86_64__
#define CPU_MAY_HAVE_AVX2 1
/* Only functions marked so are inlined into each other. */
#define FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,sse4.2,tune=znver2")))
#else
#define CPU_MAY_HAVE_AVX2 0
#endif

/* Whether functions marked FOR_AVX2 may be called: the processor has AVX2 and the bit manipulation
 * that came with it, and the environment does not say SPOOR_CPU=scalar.  That is looked at once in
 * a process. */
bool cpu_has_avx2(void);

#endif

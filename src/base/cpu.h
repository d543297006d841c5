/* SPDX-License-Identifier: MIT */
/*
 * cpu.h: run-time detection of processor features beyond those that the library is compiled for.
 *
 * A loop that AVX2 makes a third faster is compiled twice, from one source: in functions marked
 * FOR_AVX2, and for any processor.  The choice between the two is made at run time.
 */
#ifndef SPOOR_BASE_CPU_H
#define SPOOR_BASE_CPU_H

#include <stdbool.h>

#if defined __x86_64__
#define CPU_MAY_HAVE_AVX2 1
/* Compilers inline only functions with the same mark into each other. */
#define FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,sse4.2,tune=znver2")))
#else
#define CPU_MAY_HAVE_AVX2 0
#endif

/* True if functions marked FOR_AVX2 may be called: the processor has AVX2 and the bit manipulation
 * instructions that came with it, and the environment does not set SPOOR_CPU=scalar.  Checked once
 * per process.  Other values are native (the default) and avx2, which choose what is there. */
bool cpu_has_avx2(void);
/* The error in the value of SPOOR_CPU; NULL: none. */
const char *cpu_refusal(void);

#endif

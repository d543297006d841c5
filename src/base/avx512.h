/* SPDX-License-Identifier: MIT */
/*
 * avx512.h: the instructions of AVX-512, for files whose functions are FOR_AVX512.
 *
 * With EMULATE_AVX512, functions of SIMDe stand in for them: tests compile such a file once more in
 * this way, for AVX2, so that what it does is tested on machines that have no AVX-512.
 */
#ifndef SPOOR_BASE_AVX512_H
#define SPOOR_BASE_AVX512_H

#include "base/cpu.h"

#if CPU_MAY_HAVE_AVX512
#ifdef EMULATE_AVX512
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#undef FOR_AVX512
#define FOR_AVX512 /* the whole file is compiled for AVX2 */
/* SIMDe 0.7.4 lacks it. */
#undef _mm512_cmpneq_epi8_mask
#define _mm512_cmpneq_epi8_mask(a, b) (~_mm512_cmpeq_epi8_mask(a, b))
#else
#include <immintrin.h>
#endif
#endif

#endif

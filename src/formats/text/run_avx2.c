/* SPDX-License-Identifier: MIT */
/* run_avx2.c: lines of known layouts and of the cache, for processors with AVX2. */
#include "base/cpu.h"

#if CPU_MAY_HAVE_AVX2
#define SIMD_AVX2
#include "formats/text/cache_run.h"
#include "formats/text/run.h"

const struct text_width text_width_avx2 = {text_run_lines, cache_run_lines, text_key_of,
                                           text_hash_of};
#endif

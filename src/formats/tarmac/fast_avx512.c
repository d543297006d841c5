/* SPDX-License-Identifier: MIT */
/* fast_avx512.c: lines of known layouts, for processors with AVX-512. */
#include "base/cpu.h"

#if CPU_MAY_HAVE_AVX512
#define FAST_WITH_AVX512
#include "formats/tarmac/fast_simd_take.h"

FOR_AVX512 const char *fast_lines_avx512(const struct reading *reading, const char *at)
{
    return take_lines(reading, at);
}
#endif

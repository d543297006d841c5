/* SPDX-License-Identifier: MIT */
/* fast_avx2.c: lines of known layouts, for processors with AVX2. */
#include "base/cpu.h"

#if CPU_MAY_HAVE_AVX2
#include "formats/tarmac/fast_simd_decode.h"

FOR_AVX2 const char *fast_lines_avx2(const struct reading *reading, const char *at)
{
    return decode_lines(reading, at);
}
#endif

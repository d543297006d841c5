/* SPDX-License-Identifier: MIT */
/*
 * din_avx512.c: lines of din straight into references, for processors with AVX-512.
 */
#include "base/cpu.h"

#if CPU_MAY_HAVE_AVX512
#define DIN_WITH_AVX512
#include "formats/din_simd.h"

FOR_AVX512 size_t din_project_avx512(struct projecting *projecting, const char **text,
                                     const char *end)
{
    return project_lines(projecting, text, end);
}
#endif

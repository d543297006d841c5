/* SPDX-License-Identifier: MIT */
/*
 * din_avx2.c: lines of din straight into references, for processors with AVX2.
 */
#include "base/cpu.h"

#if CPU_MAY_HAVE_AVX2
#include "formats/din/din_simd.h"

FOR_AVX2 size_t din_project_avx2(struct projecting *projecting, const char **text, const char *end)
{
    return project_lines(projecting, text, end);
}
#endif

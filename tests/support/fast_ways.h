/* SPDX-License-Identifier: MIT */
/* fast_ways.h: the decoders of learned Tarmac layouts that this machine can run. */
#ifndef SUPPORT_FAST_WAYS_H
#define SUPPORT_FAST_WAYS_H

#include "base/cpu.h"
#include "formats/tarmac/fast.h"

enum { MAX_FAST_WAYS = 2 };

/* Lists those of this processor; the last is NULL, the decoder by words alone.  Returns their
 * number. */
static inline size_t find_fast_ways(fast_way *ways[MAX_FAST_WAYS])
{
    size_t count = 0;
#if CPU_MAY_HAVE_AVX2
    if (cpu_has_avx2()) ways[count++] = fast_lines_avx2;
#endif
    ways[count++] = NULL;
    return count;
}

#endif

/* SPDX-License-Identifier: MIT */
/* fast_ways.h: the ways through Tarmac lines of known layouts that can be run on this machine. */
#ifndef SUPPORT_FAST_WAYS_H
#define SUPPORT_FAST_WAYS_H

#include "base/cpu.h"
#include "formats/tarmac/fast.h"

enum { MAX_FAST_WAYS = 2 };

/* Those of this processor; the last is NULL: by words alone.  How many. */
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

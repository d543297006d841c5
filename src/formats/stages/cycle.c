/* SPDX-License-Identifier: MIT */
/* cycle.c: the length of a cycle, from the times between stages. */
#include <stdlib.h>

#include "spoor/pipeline.h"

enum { USUAL_TICKS = 1000 /* of a cycle, as gem5's own viewer assumes */ };

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* The commonest of some sorted numbers. */
static uint64_t commonest(const uint64_t *all, size_t count)
{
    uint64_t best = 0;
    size_t longest = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && all[end] == all[i];) end++;
        if (end - i <= longest) continue;
        longest = end - i;
        best = all[i];
    }
    return best;
}

uint64_t spoor_stages_cycle(uint64_t *differences, size_t count)
{
    uint64_t ticks = 0;
    size_t multiples = 0;
    if (count == 0) return USUAL_TICKS;
    qsort(differences, count, sizeof *differences, by_number);
    for (size_t i = 0; i < count; i++) ticks = divisor(ticks, differences[i]);
    const uint64_t usual = commonest(differences, count);
    for (size_t i = 0; i < count && usual; i++) multiples += differences[i] % usual == 0;
    return ticks < usual && multiples * 10 >= count * 8 ? usual : ticks;
}

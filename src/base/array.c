/* SPDX-License-Identifier: MIT */
/* array.c: growing arrays by doubling. */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_CAPACITY = 8 };

bool array_grow(void *items, size_t *capacity, size_t wanted, size_t size)
{
    void *from;
    size_t grown = *capacity < MIN_CAPACITY / 2 ? MIN_CAPACITY : 2 * *capacity, bytes;
    if (wanted <= *capacity) return true;
    if (grown < wanted) grown = wanted;
    if (__builtin_mul_overflow(grown, size, &bytes) || bytes > PTRDIFF_MAX) return false;
    memcpy(&from, items, sizeof from);
    void *to = realloc(from, bytes);
    if (!to) return false;
    memcpy(items, &to, sizeof to);
    *capacity = grown;
    return true;
}

bool array_grow_zeroed(void *items, size_t *capacity, size_t wanted, size_t size)
{
    const size_t before = *capacity;
    char *grown;
    if (!array_grow(items, capacity, wanted, size)) return false;
    memcpy(&grown, items, sizeof grown);
    if (*capacity > before) memset(grown + before * size, 0, (*capacity - before) * size);
    return true;
}

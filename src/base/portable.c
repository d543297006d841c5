/* SPDX-License-Identifier: MIT */
/* portable.c: what some C libraries lack. */
#include "base/portable.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"

const void *bytes_last(const void *bytes, int byte, size_t size)
{
#ifdef SPOOR_HAVE_MEMRCHR
    return memrchr(bytes, byte, size);
#else
    const unsigned char *begin = bytes, *at = begin + size;
    while (at > begin)
        if (*--at == (unsigned char)byte) return at;
    return NULL;
#endif
}

#ifdef SPOOR_HAVE_QSORT_R

void sort_items(void *items, size_t count, size_t size,
                int (*compare)(const void *left, const void *right, void *context), void *context)
{
    if (count) qsort_r(items, count, size, compare, context);
}

#else /* a heap sort: no memory of its own, and never more than a constant times n log n */

struct sorting {
    char *items;
    size_t size;
    int (*compare)(const void *left, const void *right, void *context);
    void *context;
};

static void swap(const struct sorting *sorting, size_t left, size_t right)
{
    char *one = sorting->items + left * sorting->size,
         *other = sorting->items + right * sorting->size;
    for (size_t i = 0; i < sorting->size; i++) {
        const char byte = one[i];
        one[i] = other[i];
        other[i] = byte;
    }
}

static bool less(const struct sorting *sorting, size_t left, size_t right)
{
    return sorting->compare(sorting->items + left * sorting->size,
                            sorting->items + right * sorting->size, sorting->context) < 0;
}

/* Moves an item down until neither of the two below it is greater. */
static void sift(const struct sorting *sorting, size_t at, size_t count)
{
    for (size_t below; (below = 2 * at + 1) < count; at = below) {
        if (below + 1 < count && less(sorting, below, below + 1)) below++;
        if (!less(sorting, at, below)) return;
        swap(sorting, at, below);
    }
}

void sort_items(void *items, size_t count, size_t size,
                int (*compare)(const void *left, const void *right, void *context), void *context)
{
    const struct sorting sorting = {items, size, compare, context};
    for (size_t i = count / 2; i-- > 0;) sift(&sorting, i, count);
    for (size_t i = count; i-- > 1;) {
        swap(&sorting, 0, i);
        sift(&sorting, 0, i);
    }
}

#endif

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

#ifndef SPOOR_HAVE_QSORT_R
/* a heap sort: no memory of its own, and never more than a constant times n log n */

struct sort_job {
    char *items;
    size_t size;
    int (*compare)(const void *left, const void *right, void *context);
    void *context;
};

static void sort_swap(const struct sort_job *job, size_t left, size_t right)
{
    char *one = job->items + left * job->size, *other = job->items + right * job->size;
    for (size_t i = 0; i < job->size; i++) {
        const char byte = one[i];
        one[i] = other[i];
        other[i] = byte;
    }
}

static bool sort_less(const struct sort_job *job, size_t left, size_t right)
{
    return job->compare(job->items + left * job->size, job->items + right * job->size,
                        job->context) < 0;
}

/* Moves an item down until neither of the two below it is greater. */
static void sort_sift(const struct sort_job *job, size_t at, size_t count)
{
    for (size_t below; (below = 2 * at + 1) < count; at = below) {
        if (below + 1 < count && sort_less(job, below, below + 1)) below++;
        if (!sort_less(job, at, below)) return;
        sort_swap(job, at, below);
    }
}

#endif

void sort_items(void *items, size_t count, size_t size,
                int (*compare)(const void *left, const void *right, void *context), void *context)
{
#ifdef SPOOR_HAVE_QSORT_R
    if (count) qsort_r(items, count, size, compare, context);
#else
    const struct sort_job job = {items, size, compare, context};
    for (size_t i = count / 2; i-- > 0;) sort_sift(&job, i, count);
    for (size_t i = count; i-- > 1;) {
        sort_swap(&job, 0, i);
        sort_sift(&job, 0, i);
    }
#endif
}

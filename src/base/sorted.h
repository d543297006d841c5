/* SPDX-License-Identifier: MIT */
/*
 * sorted.h: finding a place in an array that is sorted by a number in its items.
 *
 * The number is a member of the item, unsigned, of 32 or 64 bits.  `items` and `count` are
 * evaluated more than once.
 */
#ifndef SPOOR_BASE_SORTED_H
#define SPOOR_BASE_SORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of items before the first one whose number is `value` or more; with `including`, more
 * than `value`.  `first` is the number of the first item, `size` its bytes; `stride` lie between it
 * and that of the next item. */
static inline size_t sorted_count_before(const void *first, size_t size, size_t stride,
                                         size_t count, uint64_t value, bool including)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *at = (const char *)first + middle * stride;
        const uint64_t number = size == sizeof(uint32_t) ? *(const uint32_t *)(const void *)at
                                                         : *(const uint64_t *)(const void *)at;
        if (number < value || (including && number == value))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The number of items whose `member` is less than `value`, which is the index of the first other
 * one. */
#define SORTED_BELOW(items, count, member, value)                                            \
    ((items) ? sorted_count_before(&(items)->member, sizeof(items)->member, sizeof *(items), \
                                   (count), (value), false)                                  \
             : 0)
/* The number of items whose `member` is `value` or less: the last of them is before it. */
#define SORTED_UP_TO(items, count, member, value)                                            \
    ((items) ? sorted_count_before(&(items)->member, sizeof(items)->member, sizeof *(items), \
                                   (count), (value), true)                                   \
             : 0)

/* For qsort(): orders items by the uint64_t that they begin with. */
static inline int sorted_order(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

#endif

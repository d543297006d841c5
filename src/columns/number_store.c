/* SPDX-License-Identifier: MIT */
/* number_store.c: widens a store when a number does not fit. */
#include "columns/number_store.h"

#include <stdlib.h>

#include "base/array.h"

/* The largest number that `width` bytes hold. */
static uint64_t number_store_maximum_of(unsigned width)
{
    return width < sizeof(uint64_t) ? (UINT64_C(1) << 8 * width) - 1 : UINT64_MAX;
}

/* True if numbers of the range are stored as they are. */
static bool number_store_is_small(const struct number_range *range, unsigned width)
{
    return range->low <= range->high && range->high <= number_store_maximum_of(width);
}

/* The width for numbers of a range, which may grow: others than small ones take at most a quarter
 * of what the width holds, so that the store need not be written again and again. */
static unsigned number_store_width_of(const struct number_range *range)
{
    const uint64_t span = range->high - range->low;
    unsigned width = 1;
    while (width < sizeof span && !number_store_is_small(range, width) &&
           span > number_store_maximum_of(width) / 4)
        width *= 2;
    return width;
}

bool number_store_fits(const struct number_store *store, const struct number_range *range)
{
    const uint64_t low = range->low - store->base, high = range->high - store->base;
    return store->width == sizeof high ||
           (low <= high && high <= number_store_maximum_of(store->width));
}

/* Numbers that are not small are stored about the middle: more of them fit on both sides. */
static uint64_t number_store_base_of(const struct number_range *range, unsigned width)
{
    const uint64_t span = range->high - range->low;
    if (width == sizeof span || number_store_is_small(range, width)) return 0;
    return range->low - (number_store_maximum_of(width) - span) / 2;
}

static uint64_t number_store_load(const struct number_store *store, size_t index)
{
    switch (store->width) {
    case 1: return number_store_raw(store->bytes, 1, index);
    case 2: return number_store_raw(store->bytes, 2, index);
    case 4: return number_store_raw(store->bytes, 4, index);
    default: return number_store_raw(store->bytes, 8, index);
    }
}

bool number_store_append(struct number_store *store, size_t stored, const uint64_t *numbers,
                         size_t count, const struct number_range *block,
                         const struct number_range *all, const struct number_range *expected)
{
    if (count == 0) return true;
    if (stored == 0) {
        const unsigned own = number_store_width_of(block), other = number_store_width_of(expected);
        store->width = own > other ? own : other;
        store->base = number_store_base_of(block, store->width);
    }
    const unsigned needed = number_store_width_of(all);
    const unsigned width = needed > store->width ? needed : store->width;
    if (!array_reserve(&store->bytes, &store->capacity, (stored + count) * width)) return false;
    if (!number_store_fits(store, block)) {
        /* Stores the numbers again, from the last: a number becomes no narrower. */
        const uint64_t base = number_store_base_of(all, width), more = store->base - base;
        for (size_t i = stored; i-- > 0;) {
            const uint64_t number = number_store_load(store, i) + more;
            memcpy(store->bytes + i * width, &number, width);
        }
        store->width = width;
        store->base = base;
    }
    numbers_put(store->bytes + stored * store->width, numbers, count, store->base, store->width);
    return true;
}

void number_store_free(struct number_store *store)
{
    free(store->bytes);
    *store = (struct number_store){0};
}

const uint64_t *number_store_get(const struct number_store *store, size_t first, size_t count,
                                 uint64_t *buffer)
{
    const void *at = store->bytes + first * store->width;
    if (store->width == sizeof *buffer) return at;
    numbers_get(at, count, store->base, store->width, buffer);
    return buffer;
}

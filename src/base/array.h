/* SPDX-License-Identifier: MIT */
/*
 * array.h: growing arrays.
 *
 * An array is a pointer to its items, their count and the capacity, in the owner's struct; all
 * zero is an empty array.  Every array of the library grows here: by doubling, so that appending an
 * item costs constant time on average.  If memory runs out, the array is unchanged.  The new
 * capacity depends on the former one and on the wanted one alone.
 *
 * Arrays that share one capacity grow by copies of it, the owner's last:
 *
 *     size_t capacity = owner->capacity;
 *     return array_reserve(&owner->keys, &capacity, wanted) &&
 *            array_reserve(&owner->values, &owner->capacity, wanted);
 */
#ifndef SPOOR_BASE_ARRAY_H
#define SPOOR_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Increases the capacity to at least `wanted` items of `size` bytes.  `items` is the address of the
 * pointer to the items.  False if memory runs out. */
bool array_grow(void *items, size_t *capacity, size_t wanted, size_t size);
/* The same; the items beyond the former capacity are zero. */
bool array_grow_zeroed(void *items, size_t *capacity, size_t wanted, size_t size);

/* Ensures a capacity of `wanted` items.  `items` is the address of a typed pointer. */
#define array_reserve(items, capacity, wanted) \
    ((wanted) <= *(capacity) || array_grow((items), (capacity), (wanted), sizeof **(items)))
#define array_reserve_zeroed(items, capacity, wanted) \
    ((wanted) <= *(capacity) || array_grow_zeroed((items), (capacity), (wanted), sizeof **(items)))

#endif

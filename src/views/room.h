/* SPDX-License-Identifier: MIT */
/* room.h: growing arrays, for views and their state between batches. */
#ifndef SPOOR_VIEWS_ROOM_H
#define SPOOR_VIEWS_ROOM_H

#include <stdbool.h>
#include <stddef.h>

/* Ensure capacity for `wanted` items in an array of `*room` items of `size` bytes; new ones are
 * zeroed.  False if memory runs out: the array is then unchanged.  `array` is the address of the
 * pointer to it. */
bool view_capacity(void *array, size_t *capacity, size_t size, size_t wanted);

#endif

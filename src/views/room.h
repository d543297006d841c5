/* SPDX-License-Identifier: MIT */
/* room.h: arrays that grow, for views and what they carry from batch to batch. */
#ifndef SPOOR_VIEWS_ROOM_H
#define SPOOR_VIEWS_ROOM_H

#include <stdbool.h>
#include <stddef.h>

/* Make an array of `*room` items of `size` bytes hold `wanted`, the new ones zeroed; false without
 * memory, and the array is as it was.  `array` is the address of the pointer to it. */
bool view_room(void *array, size_t *room, size_t size, size_t wanted);

#endif

/* SPDX-License-Identifier: MIT */
/* portable.h: functions of some C libraries, with the same result where the C library lacks them.
 */
#ifndef SPOOR_BASE_PORTABLE_H
#define SPOOR_BASE_PORTABLE_H

#include <stddef.h>

/* The last byte of this value among `size` bytes; NULL: there is none.  (memrchr) */
const void *bytes_last(const void *bytes, int byte, size_t size);

/* Sorts `count` items of `size` bytes each; equal ones may change places.  (qsort_r, whose
 * arguments differ between systems) */
void sort_items(void *items, size_t count, size_t size,
                int (*compare)(const void *left, const void *right, void *context), void *context);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * number_store.h: many numbers, each in as few bytes as their range needs.
 *
 * The numbers of a column are written and read many times before they become a page; columns of
 * eight bytes a number would not stay in the processor's caches.
 */
#ifndef SPOOR_COLUMNS_NUMBER_STORE_H
#define SPOOR_COLUMNS_NUMBER_STORE_H

#include <stddef.h>

#include "base/inline.h"
#include "columns/number_loops.h"

enum { STORE_BLOCK = 1024 /* numbers that are read at a time */ };

/* At first all zeros. */
struct number_store {
    char *bytes;     /* each number less `base` */
    size_t capacity; /* bytes */
    uint64_t base;   /* 0 where a number takes eight bytes */
    unsigned width;  /* bytes of each: 1, 2, 4 or 8; 0: there was none yet */
};

/* Appends numbers of the range `block` to `stored` ones; `all` is the range of both.  A store
 * without numbers becomes wide enough for the range `expected`, too.  False if memory runs out. */
bool number_store_append(struct number_store *store, size_t stored, const uint64_t *numbers,
                         size_t count, const struct number_range *block,
                         const struct number_range *all, const struct number_range *expected);
/* Reserves capacity for so many numbers of eight bytes, and returns them; NULL if memory runs out.
 * Such a store is written by its user alone. */
uint64_t *number_store_reserve(struct number_store *store, size_t count);
/* Reserves capacity for so many numbers of a store that has some; false if memory runs out. */
bool number_store_more(struct number_store *store, size_t count);
/* True if numbers of this range can be stored as others were. */
bool number_store_fits(const struct number_store *store, const struct number_range *range);
void number_store_free(struct number_store *store);

/* Numbers from `first` on: in the store itself, or copied to `buffer`. */
const uint64_t *number_store_get(const struct number_store *store, size_t first, size_t count,
                                 uint64_t *buffer);
/* The same for a block of the `left` numbers that there are: at most STORE_BLOCK, *count. */
static inline const uint64_t *number_store_block(const struct number_store *store, size_t first,
                                                 size_t left, uint64_t *buffer, size_t *count)
{
    *count = left < STORE_BLOCK ? left : STORE_BLOCK;
    return number_store_get(store, first, *count, buffer);
}

/* A number as it is stored in `width` bytes, a constant: less `base`. */
static FORCE_INLINE uint64_t number_store_raw(const char *bytes, unsigned width, size_t index)
{
    uint64_t number = 0;
    memcpy(&number, bytes + index * width, width); /* the lowest bytes: see meson.build */
    return number;
}

#endif

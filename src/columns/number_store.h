/* SPDX-License-Identifier: MIT */
/*
 * number_store.h: many numbers, each in as few bytes as their range needs.
 *
 * The numbers of a column are written and read many times before they become a page; columns of
 * eight bytes a number would not stay in the processor's caches.
 */
#ifndef SPOOR_COLUMNS_NUMBER_STORE_H
#define SPOOR_COLUMNS_NUMBER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"

/* ---- number_loops.c: loops over many numbers, that a compiler turns into vectors ---- */

struct number_range {
    uint64_t low, high;
};
/* The smallest and the largest of at least one number, with these bits inverted while they are
 * compared: the top bit orders signed numbers. */
struct number_range numbers_range(const uint64_t *numbers, size_t count, uint64_t inverted);

/* The same of numbers as numbers_put() has put them: `base` is added to the smallest and to the
 * largest.  Those of fewer than eight bytes are compared before. */
struct number_range numbers_stored_range(const char *bytes, size_t count, uint64_t base,
                                         unsigned width, uint64_t inverted);

/* The difference of each number from the one before it, less the smallest difference, which is
 * returned.  `before` is the number before the first. */
int64_t numbers_differences(const uint64_t *numbers, size_t count, uint64_t before,
                            uint64_t *differences);

/* Puts each number less `base` into `width` bytes: 1, 2, 4 or 8, the lowest. */
void numbers_put(char *bytes, const uint64_t *numbers, size_t count, uint64_t base, unsigned width);

/* The opposite: adds `base` to each. */
void numbers_get(const char *bytes, size_t count, uint64_t base, unsigned width, uint64_t *numbers);

/* Numbers of entries of a dictionary. */
struct codes {
    const void *at;
    unsigned width; /* bytes of each: 1 or 2 */
};

/* The lowest `code_width` bytes of numbers of `width` bytes, with `more` added to each. */
void numbers_to_codes(const char *bytes, size_t count, unsigned width, uint64_t more, void *codes,
                      unsigned code_width);

/* Packs codes of `bits` bits (1, 2, 4, 8 or 16; at most 8 where a code is a byte), lowest first;
 * `count` is a multiple of 8.  Returns the end: count * bits / 8 bytes. */
char *codes_pack(char *at, const struct codes *codes, size_t count, unsigned bits);

/* Those from code `first` on; there may be no codes, and no memory for them. */
static inline struct codes codes_from(const struct codes *codes, size_t first)
{
    if (first == 0) return *codes;
    return (struct codes){(const char *)codes->at + first * codes->width, codes->width};
}

/* ---- number_store.c ---- */

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

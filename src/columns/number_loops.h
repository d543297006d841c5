/* SPDX-License-Identifier: MIT */
/* number_loops.h: loops over many numbers. */
#ifndef SPOOR_COLUMNS_NUMBER_LOOPS_H
#define SPOOR_COLUMNS_NUMBER_LOOPS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

static inline unsigned code_at(const struct codes *codes, size_t index)
{
    uint16_t code = 0;
    memcpy(&code, codes_from(codes, index).at,
           codes->width); /* the lowest bytes: see meson.build */
    return code;
}

static inline bool codes_are_equal(const struct codes *codes, size_t count)
{
    return count < 2 || memcmp(codes->at, codes_from(codes, 1).at, (count - 1) * codes->width) == 0;
}

#endif

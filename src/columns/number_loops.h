/* SPDX-License-Identifier: MIT */
/* number_loops.h: loops over many numbers, compiled for AVX2 and for any processor. */
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

/* The difference of each number from the one before it, less the smallest difference, which is
 * returned.  `before` is the number before the first. */
int64_t numbers_differences(const uint64_t *numbers, size_t count, uint64_t before,
                            uint64_t *differences);

/* The lower 16 bits of each code. */
void codes_narrow(const uint32_t *codes, size_t count, uint16_t *lower);

/* The lower 16 bits of each number's distance from `lowest`. */
void numbers_narrow(const uint64_t *numbers, size_t count, uint64_t lowest, uint16_t *codes);

/* Packs codes of `width` bits (1, 2, 4, 8 or 16), lowest first; `count` is a multiple of 8. Returns
 * the end: count * width / 8 bytes. */
char *codes_pack(char *at, const uint16_t *codes, size_t count, unsigned width);

static inline bool codes_are_equal(const uint16_t *codes, size_t count)
{
    return count < 2 || memcmp(codes, codes + 1, (count - 1) * sizeof *codes) == 0;
}

#endif

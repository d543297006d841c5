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

static inline bool numbers_are_equal(const uint64_t *numbers, size_t count)
{
    return count < 2 || memcmp(numbers, numbers + 1, (count - 1) * sizeof *numbers) == 0;
}

#endif

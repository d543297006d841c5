/* SPDX-License-Identifier: MIT */
/*
 * spaces.h: the spaces of a line, many bytes at a time, for plain rules that parse lines of fields.
 */
#ifndef SPOOR_BASE_SPACES_H
#define SPOOR_BASE_SPACES_H

#include "base/simd_text.h"

enum { SPACES_BLOCK = SIMD_BLOCK };

/* Returns a mask of the 64 bytes at `at`, the first one's bit the lowest: ones for spaces. */
static inline uint64_t spaces_mark(const char *at)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < SPACES_BLOCK; i += SIMD_STEP)
        mask |= simd_equal_step(at + i, simd_each(' ')) << i;
    return mask;
}

#endif

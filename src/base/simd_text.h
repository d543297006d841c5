/* SPDX-License-Identifier: MIT */
/*
 * simd_text.h: SIMD operations on text, 64 bytes at a time.
 *
 * A comparison of 64 bytes gives a mask with one bit per byte, so a field ends at the first clear
 * bit.  Digits are moved to the end of a vector, after zeros: no branch depends on their number.
 *
 * Code that uses it is compiled once for each vector width.  It lies in a header, in functions
 * marked SIMD_FUNCTION, and one file for each width includes it: the file for AVX2 defines
 * SIMD_AVX2 before, the file for any processor does not.  base/cpu.h chooses between them.
 *
 * Every load needs 64 readable bytes; 16 are enough for a number.  `bytes` is the number of bytes
 * of a block to compare, SIMD_BLOCK or SIMD_HALF: in a mask of a half, the other bits are
 * undefined.
 */
#ifndef SPOOR_BASE_SIMD_TEXT_H
#define SPOOR_BASE_SIMD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cpu.h"

enum {
    SIMD_BLOCK = 64,  /* bytes of a block of text */
    SIMD_HALF = 32,   /* the first half of a block */
    SIMD_DIGITS = 16, /* maximum digits of a number */
};

#if defined SIMD_AVX2 && CPU_MAY_HAVE_AVX2
#include "base/simd_text_avx2.h"
#elif !defined SIMD_AVX2
#include "base/simd_text_scalar.h"
#endif

/* The index of the lowest set bit. */
static inline __attribute__((always_inline)) unsigned simd_first(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * simd_text.h: text, 64 bytes at a time.
 *
 * A look at 64 bytes gives a mask: bit i says something of byte i, so that a field ends at the
 * first bit that is not set.  Digits are moved to the end of a vector, after zeros: no branch
 * depends on how many there are.
 *
 * What is made of this is compiled once for each width.  Its code lies in a header, in functions
 * marked SIMD_FUNCTION, and one file for each width includes it: the one for AVX2 says SIMD_AVX2
 * before, the other nothing; that one is for any processor.  base/cpu.h says which to call.
 *
 * All that is read begins where 64 bytes are readable; 16 are enough for a number.  `bytes` says
 * how many of a block are looked at, SIMD_BLOCK or SIMD_HALF: masks of a half say nothing of the
 * rest.
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
    SIMD_HALF = 32,   /* the first half of one */
    SIMD_DIGITS = 16, /* a number has no more */
};

#if defined SIMD_AVX2 && CPU_MAY_HAVE_AVX2
#include "base/simd_text_avx2.h"
#elif !defined SIMD_AVX2
#include "base/simd_text_scalar.h"
#endif

/* The number of the first bit. */
static inline __attribute__((always_inline)) unsigned simd_first(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

#endif

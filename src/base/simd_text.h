/* SPDX-License-Identifier: MIT */
/*
 * simd_text.h: SIMD operations on text, 64 bytes at a time.
 *
 * A comparison of 64 bytes gives a mask with one bit per byte.  Digits are moved to the end of a
 * vector, after zeros: no branch depends on their number.
 *
 * Code that uses it is compiled once for each vector width.  It is in a header, in functions marked
 * SIMD_FUNCTION, and one file for each width includes it: the file for AVX2 defines SIMD_AVX2
 * before, the file for any processor does not.  base/cpu.h chooses between them.
 *
 * Each width has:
 *
 *     simd_load(at, bytes)                 a block, to compare as follows
 *     simd_newlines(block, bytes)          the mask of the newlines
 *     simd_words(block, bytes)             of bytes that may be part of a word or number
 *     simd_equals(block, byte)             of bytes that are that of simd_each()
 *     simd_controls(block)                 of control characters, all below a space
 *     simd_pairs(block, a, b, bytes)       of a byte, simd_each() of which is a, before another one
 *     simd_hash(block, mask, bytes)        a hash of the bytes where `mask` has ones
 *     simd_is(block, mask, other, bytes)   whether those are equal to `other`, which has zeros
 *                                          elsewhere
 *     simd_differ(a, b, count)             nonzero if the first `count` bytes, at most 64, differ
 *     simd_load_word(at)                   eight bytes, the first the lowest
 *     simd_copy(to, from)                  copy 64 bytes
 *     simd_hex_pair(from, pair, &good, &digits), simd_decimal_pair(from, pair, &good)
 *                                          the values of two numbers
 *     simd_hex_sized(from, sizes, &good), simd_decimal_sized(from, sizes, &good)
 *                                          likewise of two numbers of 1 to 16 digits, the
 *                                          hexadecimal ones in lower case
 *     simd_hex_lower(at, pair, &value)     read the first number of `pair`; false if it has other
 *                                          bytes than digits in lower case, or refused ones
 *     simd_refuse(&good, &digits, pair)    refuse what `pair` refuses; simd_decimal_pair() does
 *     simd_is_good(good)                   after several of them: whether all bytes are digits
 *     simd_has_upper(&digits), _lower()    whether there are letters of that case
 *     simd_cases(&digits, &upper, &lower)  nonzero in the first or last 16 bits if that number has
 *                                          letters of that case
 *     simd_value(values, i)                one of them
 *     simd_first_or_any(mask)              the index of the lowest set bit; of 0, any below 65
 *
 * Every load needs 64 readable bytes, simd_pairs() one more; 16 are enough for a number.  `bytes`
 * is the number of bytes of a block to compare, SIMD_BLOCK or SIMD_HALF: in a mask of a half, the
 * other bits are undefined.
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

/* The spelling of two numbers.  The second one may have no digits: its value is 0. */
struct simd_pair {
    _Alignas(32) uint8_t moves[2][SIMD_DIGITS]; /* a shuffle: its digits after zeros, 0xFF before */
    uint8_t refused[2][SIMD_DIGITS]; /* '0' where a digit is not allowed to be 0; else 0xFF */
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

/* True if one of the lowest `count` bits is set, at most 63. */
static inline __attribute__((always_inline)) bool simd_below(uint64_t mask, unsigned count)
{
    return mask & ((UINT64_C(1) << count) - 1);
}

#endif

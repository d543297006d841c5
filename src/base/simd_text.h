/* SPDX-License-Identifier: MIT */
/*
 * simd_text.h: operations on text, 16 bytes at a time.
 *
 * One source serves every processor: the compiler's vectors are SSE2 on every x86-64 and NEON on
 * every AArch64, and words elsewhere.  Only the bits of a comparison are gathered in three ways.
 *
 * Every operation needs 16 readable bytes, or as many as it is told.
 */
#ifndef SPOOR_BASE_SIMD_TEXT_H
#define SPOOR_BASE_SIMD_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/inline.h"

/* SIMD_WORDS in a test: as on other processors. */
#if defined __SSE2__ && !defined SIMD_WORDS
#define SIMD_IS_SSE2 1
#include <emmintrin.h>
#elif defined __aarch64__ && !BYTE_ORDER_IS_BIG && !defined SIMD_WORDS
#define SIMD_IS_NEON 1
#include <arm_neon.h>
#endif

enum { SIMD_BYTES = 16 /* of a vector */, SIMD_MOST = 64 /* of a mask */ };

typedef uint8_t simd_bytes __attribute__((vector_size(16)));
typedef int8_t simd_signed __attribute__((vector_size(16)));
typedef uint16_t simd_pairs __attribute__((vector_size(16)));
typedef uint64_t simd_words __attribute__((vector_size(16)));

#define SIMD_FUNCTION static FORCE_INLINE

SIMD_FUNCTION simd_bytes simd_load(const void *at)
{
    simd_bytes bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

/* From a place that is a multiple of 16: as an operand, it needs no load of its own. */
SIMD_FUNCTION simd_bytes simd_load_aligned(const void *at)
{
    simd_bytes bytes;
    memcpy(&bytes, __builtin_assume_aligned(at, SIMD_BYTES), sizeof bytes);
    return bytes;
}

/* ---- masks ---- */

/* One bit for each byte of `bytes` bytes, a constant, 16, 32 or 64; each is zeros or ones. */
SIMD_FUNCTION uint64_t simd_bits(const simd_bytes *ones, unsigned bytes)
{
    uint64_t bits = 0;
#ifdef SIMD_IS_SSE2
    for (unsigned i = 0; i < bytes / SIMD_BYTES; i++)
        bits |= (uint64_t)(unsigned)_mm_movemask_epi8((__m128i)ones[i]) << SIMD_BYTES * i;
#elif defined SIMD_IS_NEON
    /* sums of different bits */
    const simd_bytes weights = (simd_bytes)(simd_words){0x8040201008040201, 0x8040201008040201};
    const simd_bytes none = {0};
    simd_bytes sums[4];
    for (unsigned i = 0; i < 4; i++) sums[i] = i < bytes / SIMD_BYTES ? ones[i] & weights : none;
    const uint8x16_t low = vpaddq_u8((uint8x16_t)sums[0], (uint8x16_t)sums[1]);
    const uint8x16_t high = vpaddq_u8((uint8x16_t)sums[2], (uint8x16_t)sums[3]);
    const uint8x16_t all = vpaddq_u8(low, high);
    bits = vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
#else
    for (unsigned i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, (const char *)ones + i, sizeof word);
        word = little_endian64(word) & UINT64_C(0x0101010101010101);
        bits |= (word * UINT64_C(0x0102040810204080) >> 56) << i;
    }
#endif
    return bits;
}

/* The mask of the bytes that are `wanted`. */
SIMD_FUNCTION uint64_t simd_equals(const char *at, char wanted, unsigned bytes)
{
    simd_bytes ones[SIMD_MOST / SIMD_BYTES];
    for (unsigned i = 0; i < bytes / SIMD_BYTES; i++)
        ones[i] = (simd_bytes)(simd_load(at + SIMD_BYTES * i) == (uint8_t)wanted);
    return simd_bits(ones, bytes);
}

/* The mask of the bytes above `low`, of ASCII. */
SIMD_FUNCTION uint64_t simd_above(const char *at, char low, unsigned bytes)
{
    simd_bytes ones[SIMD_MOST / SIMD_BYTES];
    for (unsigned i = 0; i < bytes / SIMD_BYTES; i++)
        ones[i] = (simd_bytes)((simd_signed)simd_load(at + SIMD_BYTES * i) > (int8_t)low);
    return simd_bits(ones, bytes);
}

/* The mask of the bytes that are `first` and have `second` after them; one more is readable. */
SIMD_FUNCTION uint64_t simd_equal_pairs(const char *at, char first, char second, unsigned bytes)
{
    simd_bytes ones[SIMD_MOST / SIMD_BYTES];
    for (unsigned i = 0; i < bytes / SIMD_BYTES; i++)
        ones[i] = (simd_bytes)(simd_load(at + SIMD_BYTES * i) == (uint8_t)first) &
                  (simd_bytes)(simd_load(at + SIMD_BYTES * i + 1) == (uint8_t)second);
    return simd_bits(ones, bytes);
}

/* The index of the lowest set bit. */
SIMD_FUNCTION uint64_t simd_first(uint64_t mask)
{
    return (uint64_t)__builtin_ctzll(mask);
}

/* ---- some of the bytes ---- */

SIMD_FUNCTION bool simd_is_zero(simd_bytes bytes)
{
#ifdef SIMD_IS_SSE2
    return _mm_movemask_epi8((__m128i)(bytes == 0)) == 0xFFFF;
#else
    const simd_words words = (simd_words)bytes;
    return (words[0] | words[1]) == 0;
#endif
}

/* True if the bytes where `same` has ones are those of `wanted`, which has zeros elsewhere.  The
 * two lie at multiples of 16. */
SIMD_FUNCTION bool simd_is(const char *at, const uint8_t *same, const uint8_t *wanted,
                           unsigned bytes)
{
    simd_bytes differ = {0};
    for (unsigned from = 0; from < bytes; from += SIMD_MOST)
        for (unsigned i = from; i < from + SIMD_MOST && (bytes >= SIMD_MOST || i < bytes);
             i += SIMD_BYTES)
            differ |=
                (simd_load(at + i) & simd_load_aligned(same + i)) ^ simd_load_aligned(wanted + i);
    return simd_is_zero(differ);
}

/* A sum of the bytes where `same` has ones, which a multiplication makes a hash: the same for each
 * greater number of bytes that has zeros there.  `same` lies at a multiple of 16. */
SIMD_FUNCTION uint64_t simd_sum(const char *at, const uint8_t *same, unsigned bytes)
{
    static const simd_pairs factors[SIMD_MOST / SIMD_BYTES] = {
        {1, 1, 1, 1, 1, 1, 1, 1},
        {31259, 15107, 26641, 20533, 12689, 29819, 18199, 24113},
        {27239, 14389, 21611, 32003, 16127, 23537, 10993, 28021},
        {19913, 30893, 12071, 25943, 17683, 22769, 31663, 13103}};
    simd_pairs sums = {0};
    for (unsigned from = 0; from < bytes; from += SIMD_MOST) {
        simd_pairs block = {0};
        for (unsigned i = 0; i < SIMD_MOST && (bytes >= SIMD_MOST || i < bytes); i += SIMD_BYTES)
            block += (simd_pairs)(simd_load(at + from + i) & simd_load_aligned(same + from + i)) *
                     factors[i / SIMD_BYTES];
        sums += block * (uint16_t)(2 * from + 1);
    }
    const simd_words words = (simd_words)sums;
    return words[0] + words[1] * UINT64_C(0xbf58476d1ce4e5b9);
}

/* ---- hexadecimal numbers ---- */

/* What is wrong with the numbers that were read: nonzero bytes where letters are in upper case, and
 * where bytes are no digits. */
struct simd_flaws {
    simd_bytes upper, others;
};

/* Ones in the bytes that are letters of hexadecimal digits. */
SIMD_FUNCTION simd_bytes simd_hex_letters(simd_bytes text)
{
    return (simd_bytes)((text | 0x20) - 'a' < 6);
}

/* Ones in all bytes but the last `count`, at most 16. */
SIMD_FUNCTION simd_bytes simd_ones_but(unsigned count)
{
    static const uint8_t ones[2 * SIMD_BYTES] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                 255, 255, 255, 255, 255, 255, 255, 255};
    return simd_load(ones + count);
}

/* The value of the 16 digits at `at` but the last `others`, at most 15. */
SIMD_FUNCTION uint64_t simd_hex(const char *at, unsigned others, struct simd_flaws *flaws)
{
    typedef uint8_t half __attribute__((vector_size(8)));
    const simd_bytes text = simd_load(at), letters = simd_hex_letters(text);
    const simd_bytes wanted = simd_ones_but(others);
    const simd_bytes lower = (simd_bytes)((simd_signed)text > '`');
    flaws->upper |= ~lower & letters & wanted;
    flaws->others |= ~(letters | (simd_bytes)(text - '0' < 10)) & wanted;
    const simd_pairs nibbles = (simd_pairs)((text & 15) + (letters & 9));
    const simd_pairs pairs =
        BYTE_ORDER_IS_BIG ? nibbles >> 4 | nibbles : nibbles << 4 | nibbles >> 8;
    const half joined = __builtin_convertvector(pairs & 0xFF, half);
    uint64_t value;
    memcpy(&value, &joined, sizeof value);
    return big_endian64(value) >> 4 * others;
}

/* True if these digits have a letter of that case. */
SIMD_FUNCTION bool simd_has_upper(const char *at, unsigned others)
{
    struct simd_flaws flaws = {{0}, {0}};
    (void)simd_hex(at, others, &flaws);
    return !simd_is_zero(flaws.upper);
}

SIMD_FUNCTION bool simd_has_lower(const char *at, unsigned others)
{
    const simd_bytes text = simd_load(at), lower = (simd_bytes)((simd_signed)text > '`');
    return !simd_is_zero(lower & simd_hex_letters(text) & simd_ones_but(others));
}

#endif

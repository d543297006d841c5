/* SPDX-License-Identifier: MIT */
/*
 * fast_simd.h: finds and converts the numbers of a Tarmac line many bytes at a time.
 *
 * A comparison of 16, 32 or 64 bytes gives a mask with one bit for each, so a number ends at the
 * first clear bit.  Its digits are then moved to the end of a vector, after zeros: no branch
 * depends on their number.  Every load begins where 64 bytes are readable.
 */
#ifndef SPOOR_FORMATS_TARMAC_FAST_SIMD_H
#define SPOOR_FORMATS_TARMAC_FAST_SIMD_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"
#include "formats/tarmac/fast_line.h"

#define FOR_SIMD FOR_AVX2

enum { LOOK = 64 /* bytes */, HALF_LOOK = 32, FIELD = 16 /* digits of a number, at most */ };

/* Constants, hidden from the compiler, which would otherwise compute each one anew, in three
 * instructions, for each line. */
struct vectors {
    __m256i above_nine, digit;      /* a digit plus the first is greater than the second */
    __m256i lower, above_f, letter; /* likewise for a letter in lower case */
    __m256i newline, blank;         /* characters */
    __m256i nine, nibble, nines, sixteens, reversed;
};

FOR_SIMD static __attribute__((noinline)) void vectors_begin(struct vectors *v)
{
    v->above_nine = _mm256_set1_epi8(INT8_MAX - '9');
    v->digit = _mm256_set1_epi8(INT8_MAX - 10);
    v->lower = _mm256_set1_epi8(0x20);
    v->above_f = _mm256_set1_epi8(INT8_MAX - 'f');
    v->letter = _mm256_set1_epi8(INT8_MAX - 6);
    v->newline = _mm256_set1_epi8('\n');
    v->blank = _mm256_set1_epi8(' ');
    v->nine = _mm256_set1_epi8('9');
    v->nibble = _mm256_set1_epi8(0x0F);
    v->nines = _mm256_set1_epi8(9);
    v->sixteens = _mm256_set1_epi16(0x0110);
    v->reversed = _mm256_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f,
                                    0x0001020304050607);
}

FOR_SIMD static inline __m128i load16(const void *at)
{
    return _mm_loadu_si128(at);
}

FOR_SIMD static inline __m256i load32(const void *at)
{
    return _mm256_loadu_si256(at);
}

FOR_SIMD static inline uint32_t mask32(__m256i bytes)
{
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

/* ---- decimal numbers ---- */

/* Moves the first `count` bytes of a vector, 0 to 16, to its end, after zeros. */
FOR_SIMD static inline __m128i to_end(unsigned count)
{
    static const int8_t places[2 * FIELD] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                             -1, -1, -1, -1, -1, 0,  1,  2,  3,  4,  5,
                                             6,  7,  8,  9,  10, 11, 12, 13, 14, 15};
    return load16(places + count);
}

/* Returns the number of digits at the beginning of a text, 0 to 16. */
FOR_SIMD static inline unsigned count_decimal(const struct vectors *v, __m128i text)
{
    const __m128i moved = _mm_add_epi8(text, _mm256_castsi256_si128(v->above_nine));
    const __m128i digits = _mm_cmpgt_epi8(moved, _mm256_castsi256_si128(v->digit));
    return _tzcnt_u32(~(uint32_t)_mm_movemask_epi8(digits));
}

/* Returns the number in the first `count` digits of a text. */
FOR_SIMD static inline uint64_t decimal(const struct vectors *v, __m128i text, unsigned count)
{
    const __m128i digits =
        _mm_and_si128(_mm_shuffle_epi8(text, to_end(count)), _mm256_castsi256_si128(v->nibble));
    const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a));
    const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));
    const __m128i eights =
        _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x00012710));
    const uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    return (both & UINT32_MAX) * 100000000 + (both >> 32);
}

/* ---- hexadecimal numbers ---- */

/* Two numbers: their bytes, the highest first, in 16-bit lanes; and for each 16 bits that state
 * which of their digits are letters, and in which case: not 0 if some are. */
struct hex_pair {
    __m256i bytes;
    uint32_t upper, lower;
};

/* `moves` puts each number's digits after zeros. */
FOR_SIMD FAST_INLINE struct hex_pair hex_pair(const struct vectors *v, const char *low,
                                              const char *high, __m256i moves)
{
    const __m256i both =
        _mm256_inserti128_si256(_mm256_castsi128_si256(load16(low)), load16(high), 1);
    const __m256i text = _mm256_shuffle_epi8(both, moves);
    const __m256i letter = _mm256_cmpgt_epi8(text, v->nine);
    /* 'a' and 'A' have 1 in their low four bits */
    const __m256i value =
        _mm256_and_si256(_mm256_add_epi8(text, _mm256_and_si256(letter, v->nines)), v->nibble);
    const __m256i is_lower = _mm256_slli_epi16(text, 2); /* the bit of lower case on top */
    return (struct hex_pair){_mm256_maddubs_epi16(value, v->sixteens),
                             mask32(_mm256_andnot_si256(is_lower, letter)),
                             mask32(_mm256_and_si256(is_lower, letter))};
}

/* Returns the numbers of two pairs: the low ones in the low half. */
FOR_SIMD static inline __m256i hex_numbers(const struct vectors *v, const struct hex_pair *low,
                                           const struct hex_pair *high)
{
    const __m256i bytes = _mm256_packus_epi16(low->bytes, high->bytes);
    return _mm256_permute4x64_epi64(_mm256_shuffle_epi8(bytes, v->reversed),
                                    _MM_SHUFFLE(3, 1, 2, 0));
}

#include "formats/tarmac/fast_avx2_look.h"

#endif

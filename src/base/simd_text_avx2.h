/* SPDX-License-Identifier: MIT */
/* simd_text_avx2.h: simd_text.h for processors with AVX2. */
#ifndef SPOOR_BASE_SIMD_TEXT_AVX2_H
#define SPOOR_BASE_SIMD_TEXT_AVX2_H

#include <immintrin.h>

#define SIMD_FUNCTION FOR_AVX2 __attribute__((always_inline)) static inline

/* Vectors with the same byte in each place.  They lie where the compiler cannot see their values,
 * because it would otherwise rebuild each of them, in three instructions, for each line. */
extern const struct simd_constants {
    _Alignas(32) uint8_t to_lower[32];
    uint8_t above_nine[32], digits[32]; /* x is a digit if x + above_nine > digits */
    uint8_t above_z[32], letters[32];   /* the same for a lower-case letter, */
    uint8_t above_f[32], six[32];       /* and for a hexadecimal letter */
    uint8_t newline[32], zero[32], nine[32], fifteen[32], value_nine[32];
    uint16_t sixteens[16], tens[16], hundreds[16], myriads[16]; /* weights of digits */
    uint8_t reversed[32];    /* a shuffle: the low bytes of 16-bit lanes, last lane first */
    uint16_t factors[2][16]; /* for a hash */
} simd_constants;
#define SIMD_CONSTANT(name) _mm256_load_si256((const void *)simd_constants.name)

struct simd_block {
    __m256i low, high;
};

SIMD_FUNCTION struct simd_block simd_load(const void *at, unsigned bytes)
{
    const __m256i low = _mm256_loadu_si256(at);
    if (bytes == SIMD_HALF) return (struct simd_block){low, low};
    return (struct simd_block){low, _mm256_loadu_si256((const void *)((const char *)at + 32))};
}

SIMD_FUNCTION uint64_t simd_mask(struct simd_block truth, unsigned bytes)
{
    const uint64_t low = (uint32_t)_mm256_movemask_epi8(truth.low);
    if (bytes == SIMD_HALF) return low;
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(truth.high) << 32 | low;
}

SIMD_FUNCTION uint64_t simd_equal_each(struct simd_block text, __m256i each, unsigned bytes)
{
    return simd_mask(
        (struct simd_block){_mm256_cmpeq_epi8(text.low, each), _mm256_cmpeq_epi8(text.high, each)},
        bytes);
}

/* Mask of the bytes equal to *c. */
SIMD_FUNCTION uint64_t simd_equal(struct simd_block text, const char *c, unsigned bytes)
{
    return simd_equal_each(text, _mm256_set1_epi8(*c), bytes);
}

SIMD_FUNCTION uint64_t simd_newlines(struct simd_block text, unsigned bytes)
{
    return simd_equal_each(text, SIMD_CONSTANT(newline), bytes);
}

SIMD_FUNCTION uint64_t simd_zeros(struct simd_block text, unsigned bytes)
{
    return simd_equal_each(text, SIMD_CONSTANT(zero), bytes);
}

/* Mask of letters and digits; mask of hexadecimal digits of either case. */
struct simd_words {
    uint64_t words, digits;
};

struct simd_classes {
    __m256i words, digits;
};

SIMD_FUNCTION struct simd_classes simd_classes(__m256i text)
{
    const __m256i lower = _mm256_or_si256(text, SIMD_CONSTANT(to_lower));
    const __m256i number =
        _mm256_cmpgt_epi8(_mm256_add_epi8(text, SIMD_CONSTANT(above_nine)), SIMD_CONSTANT(digits));
    const __m256i letter =
        _mm256_cmpgt_epi8(_mm256_add_epi8(lower, SIMD_CONSTANT(above_z)), SIMD_CONSTANT(letters));
    const __m256i digit =
        _mm256_cmpgt_epi8(_mm256_add_epi8(lower, SIMD_CONSTANT(above_f)), SIMD_CONSTANT(six));
    return (struct simd_classes){_mm256_or_si256(number, letter), _mm256_or_si256(number, digit)};
}

SIMD_FUNCTION struct simd_words simd_words(struct simd_block text, unsigned bytes)
{
    const struct simd_classes low = simd_classes(text.low), high = simd_classes(text.high);
    return (struct simd_words){simd_mask((struct simd_block){low.words, high.words}, bytes),
                               simd_mask((struct simd_block){low.digits, high.digits}, bytes)};
}

/* Bit 6 of each byte, which is set in letters but not in decimal digits; and bit 5, which is set in
 * lower-case letters. */
SIMD_FUNCTION uint64_t simd_bit6(struct simd_block text, unsigned bytes)
{
    return simd_mask(
        (struct simd_block){_mm256_slli_epi16(text.low, 1), _mm256_slli_epi16(text.high, 1)},
        bytes);
}

SIMD_FUNCTION uint64_t simd_bit5(struct simd_block text, unsigned bytes)
{
    return simd_mask(
        (struct simd_block){_mm256_slli_epi16(text.low, 2), _mm256_slli_epi16(text.high, 2)},
        bytes);
}

/* The bytes where `mask` has ones, and zeros elsewhere. */
SIMD_FUNCTION struct simd_block simd_masked(struct simd_block text, const void *mask,
                                            unsigned bytes)
{
    const struct simd_block ones = simd_load(mask, bytes);
    return (struct simd_block){_mm256_and_si256(text.low, ones.low),
                               _mm256_and_si256(text.high, ones.high)};
}

/* Whether the bytes equal those at `other`. */
SIMD_FUNCTION bool simd_is(struct simd_block text, const void *other, unsigned bytes)
{
    const struct simd_block same = simd_load(other, bytes);
    __m256i differ = _mm256_xor_si256(text.low, same.low);
    if (bytes != SIMD_HALF)
        differ = _mm256_or_si256(differ, _mm256_xor_si256(text.high, same.high));
    return _mm256_testz_si256(differ, differ);
}

SIMD_FUNCTION uint64_t simd_hash(struct simd_block text, unsigned bytes)
{
    __m256i sum = _mm256_madd_epi16(text.low, SIMD_CONSTANT(factors[0]));
    if (bytes != SIMD_HALF)
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(text.high, SIMD_CONSTANT(factors[1])));
    const __m128i half =
        _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    return (uint64_t)_mm_cvtsi128_si64(half) * UINT64_C(0x9e3779b97f4a7c15) ^
           (uint64_t)_mm_extract_epi64(half, 1) * UINT64_C(0xbf58476d1ce4e5b9);
}

SIMD_FUNCTION void simd_copy(void *to, const void *from)
{
    const struct simd_block block = simd_load(from, SIMD_BLOCK);
    _mm256_storeu_si256(to, block.low);
    _mm256_storeu_si256((void *)((char *)to + 32), block.high);
}

/* ---- numbers, two at a time: `moves` has the source index of each of their 16 bytes, or 0xFF for
 * a zero ---- */

SIMD_FUNCTION __m256i simd_pair(const char *first, const char *second, const void *moves)
{
    const __m128i low = _mm_loadu_si128((const void *)first);
    const __m128i high = _mm_loadu_si128((const void *)second);
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    return _mm256_shuffle_epi8(both, _mm256_loadu_si256(moves));
}

SIMD_FUNCTION void simd_hex_pair(const char *first, const char *second, const void *moves,
                                 uint64_t values[2])
{
    const __m256i text = simd_pair(first, second, moves);
    const __m256i letter = _mm256_cmpgt_epi8(text, SIMD_CONSTANT(nine));
    /* 'a' and 'A' have 1 in their low four bits */
    const __m256i digit =
        _mm256_and_si256(_mm256_add_epi8(text, _mm256_and_si256(letter, SIMD_CONSTANT(value_nine))),
                         SIMD_CONSTANT(fifteen));
    const __m256i bytes = _mm256_maddubs_epi16(digit, SIMD_CONSTANT(sixteens));
    const __m256i numbers = _mm256_shuffle_epi8(bytes, SIMD_CONSTANT(reversed));
    values[0] = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(numbers));
    values[1] = (uint64_t)_mm_cvtsi128_si64(_mm256_extracti128_si256(numbers, 1));
}

SIMD_FUNCTION void simd_decimal_pair(const char *first, const char *second, const void *moves,
                                     uint64_t values[2])
{
    const __m256i text = simd_pair(first, second, moves);
    const __m256i digits = _mm256_and_si256(text, SIMD_CONSTANT(fifteen));
    const __m256i pairs = _mm256_maddubs_epi16(digits, SIMD_CONSTANT(tens));
    const __m256i fours = _mm256_madd_epi16(pairs, SIMD_CONSTANT(hundreds));
    const __m256i eights =
        _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), SIMD_CONSTANT(myriads));
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(eights));
    const uint64_t high = (uint64_t)_mm_cvtsi128_si64(_mm256_extracti128_si256(eights, 1));
    values[0] = (low & UINT32_MAX) * 100000000 + (low >> 32);
    values[1] = (high & UINT32_MAX) * 100000000 + (high >> 32);
}

#endif

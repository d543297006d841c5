/* SPDX-License-Identifier: MIT */
/* simd_text_avx2.h: the operations of simd_text.h for processors with AVX2. */
#ifndef SPOOR_BASE_SIMD_TEXT_AVX2_H
#define SPOOR_BASE_SIMD_TEXT_AVX2_H

#include <immintrin.h>

#include "base/inline.h"

#define SIMD_FUNCTION FOR_AVX2 static FORCE_INLINE
#define SIMD_LOOP FOR_AVX2 __attribute__((noinline))

/* Constants, in a separate file: the compiler would otherwise compute each one anew, in three
 * instructions, for each line. */
extern const struct simd_constants {
    _Alignas(32) uint8_t newline[32];
    uint8_t word_above[32]; /* by the low four bits: greater bytes are in words */
    uint8_t nine[32], to_lower[32], fifteen[32], value_nine[32];
    uint8_t spelled[32];                                        /* digits by value */
    uint16_t sixteens[16], tens[16], hundreds[16], myriads[16]; /* weights of digits */
    uint8_t reversed[32];    /* a shuffle: the low bytes of 16-bit lanes, the last one first */
    uint16_t factors[2][16]; /* of a hash */
    uint64_t hundred_million[4];
    uint8_t last_control[32];
    uint8_t sized[160]; /* from the count of digits on: a shuffle that moves these to the end */
} simd_constants;
#define SIMD_CONSTANT(name) _mm256_load_si256((const void *)simd_constants.name)

SIMD_FUNCTION __m256i simd_load32(const void *at)
{
    return _mm256_loadu_si256(at);
}

SIMD_FUNCTION uint64_t simd_load_word(const void *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

SIMD_FUNCTION uint64_t simd_first_or_any(uint64_t mask)
{
    return _tzcnt_u64(mask);
}

struct simd_block {
    __m256i low, high;
    const char *at;
};

SIMD_FUNCTION struct simd_block simd_load(const void *at, unsigned bytes)
{
    const __m256i low = simd_load32(at);
    const __m256i high = bytes == SIMD_HALF ? low : simd_load32((const char *)at + SIMD_HALF);
    return (struct simd_block){low, high, at};
}

SIMD_FUNCTION uint64_t simd_mask(__m256i low, __m256i high, unsigned bytes)
{
    const uint64_t mask = (uint32_t)_mm256_movemask_epi8(low);
    if (bytes == SIMD_HALF) return mask;
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32 | mask;
}

/* The same byte everywhere. */
typedef __m256i simd_byte;

SIMD_FUNCTION simd_byte simd_each(char c)
{
    return _mm256_set1_epi8(c);
}

SIMD_FUNCTION uint64_t simd_newlines(struct simd_block text, unsigned bytes)
{
    const __m256i newline = SIMD_CONSTANT(newline);
    return simd_mask(_mm256_cmpeq_epi8(text.low, newline), _mm256_cmpeq_epi8(text.high, newline),
                     bytes);
}

SIMD_FUNCTION uint64_t simd_equals(struct simd_block text, simd_byte wanted)
{
    return simd_mask(_mm256_cmpeq_epi8(text.low, wanted), _mm256_cmpeq_epi8(text.high, wanted),
                     SIMD_BLOCK);
}

SIMD_FUNCTION __m256i simd_is_control(__m256i text)
{
    return _mm256_cmpeq_epi8(_mm256_min_epu8(text, SIMD_CONSTANT(last_control)), text);
}

SIMD_FUNCTION uint64_t simd_controls(struct simd_block text)
{
    return simd_mask(simd_is_control(text.low), simd_is_control(text.high), SIMD_BLOCK);
}

SIMD_FUNCTION __m256i simd_is_pair(__m256i text, const char *at, simd_byte first, simd_byte second)
{
    return _mm256_and_si256(_mm256_cmpeq_epi8(text, first),
                            _mm256_cmpeq_epi8(simd_load32(at + 1), second));
}

SIMD_FUNCTION uint64_t simd_pairs(struct simd_block text, simd_byte first, simd_byte second,
                                  unsigned bytes)
{
    return simd_mask(simd_is_pair(text.low, text.at, first, second),
                     simd_is_pair(text.high, text.at + SIMD_HALF, first, second), bytes);
}

SIMD_FUNCTION __m256i simd_is_word(__m256i text)
{
    return _mm256_cmpgt_epi8(text, _mm256_shuffle_epi8(SIMD_CONSTANT(word_above), text));
}

SIMD_FUNCTION uint64_t simd_words(struct simd_block text, unsigned bytes)
{
    return simd_mask(simd_is_word(text.low), simd_is_word(text.high), bytes);
}

SIMD_FUNCTION bool simd_is(struct simd_block text, const void *mask, const void *other,
                           unsigned bytes)
{
    const struct simd_block ones = simd_load(mask, bytes), same = simd_load(other, bytes);
    __m256i differ = _mm256_xor_si256(_mm256_and_si256(text.low, ones.low), same.low);
    if (bytes != SIMD_HALF)
        differ = _mm256_or_si256(
            differ, _mm256_xor_si256(_mm256_and_si256(text.high, ones.high), same.high));
    return _mm256_testz_si256(differ, differ);
}

SIMD_FUNCTION uint64_t simd_differ(const void *a, const void *b, unsigned count)
{
    const struct simd_block one = simd_load(a, SIMD_BLOCK), other = simd_load(b, SIMD_BLOCK);
    const uint64_t same = simd_mask(_mm256_cmpeq_epi8(one.low, other.low),
                                    _mm256_cmpeq_epi8(one.high, other.high), SIMD_BLOCK);
    return _bzhi_u64(~same, count);
}

SIMD_FUNCTION uint64_t simd_hash(struct simd_block text, const void *mask, unsigned bytes)
{
    const struct simd_block ones = simd_load(mask, bytes);
    __m256i sum =
        _mm256_madd_epi16(_mm256_and_si256(text.low, ones.low), SIMD_CONSTANT(factors[0]));
    if (bytes != SIMD_HALF)
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_and_si256(text.high, ones.high),
                                                      SIMD_CONSTANT(factors[1])));
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    half = _mm_add_epi32(half, _mm_unpackhi_epi64(half, half));
    return (uint64_t)_mm_cvtsi128_si64(half) * UINT64_C(0x9e3779b97f4a7c15);
}

SIMD_FUNCTION void simd_copy(void *to, const void *from)
{
    const struct simd_block block = simd_load(from, SIMD_BLOCK);
    _mm256_storeu_si256(to, block.low);
    _mm256_storeu_si256((void *)((char *)to + SIMD_HALF), block.high);
}

/* ---- numbers ---- */

typedef __m256i simd_values;

SIMD_FUNCTION simd_values simd_no_values(void)
{
    return _mm256_setzero_si256();
}

SIMD_FUNCTION uint64_t simd_value(simd_values values, unsigned index)
{
    const __m128i half =
        index ? _mm256_extracti128_si256(values, 1) : _mm256_castsi256_si128(values);
    return (uint64_t)_mm_cvtsi128_si64(half);
}

SIMD_FUNCTION __m256i simd_move(const char *const from[2], __m256i moves)
{
    const __m128i first = _mm_loadu_si128((const void *)from[0]);
    const __m128i second = _mm_loadu_si128((const void *)from[1]);
    return _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1),
                               moves);
}

/* Bytes of all numbers so far: ones if they are as they have to be. */
typedef __m256i simd_verdict;

SIMD_FUNCTION simd_verdict simd_no_verdict(void)
{
    return _mm256_set1_epi8(-1);
}

SIMD_FUNCTION bool simd_is_good(simd_verdict good)
{
    return _mm256_movemask_epi8(good) == -1;
}

/* Each byte, in lower case, is the digit of that value, or is none of a number. */
SIMD_FUNCTION void simd_check_digits(simd_verdict *good, __m256i text, __m256i value, __m256i moves)
{
    const __m256i spelled = _mm256_shuffle_epi8(SIMD_CONSTANT(spelled), value);
    *good = _mm256_and_si256(*good, _mm256_or_si256(_mm256_cmpeq_epi8(text, spelled), moves));
}

/* The digits of two numbers; zeros before them. */
struct simd_digits {
    __m256i text, letter; /* letter: ones for the letters, and perhaps for other bytes */
};

SIMD_FUNCTION void simd_refuse(simd_verdict *good, const struct simd_digits *digits,
                               const struct simd_pair *pair)
{
    *good = _mm256_andnot_si256(_mm256_cmpeq_epi8(digits->text, simd_load32(pair->refused)), *good);
}

SIMD_FUNCTION __m256i simd_capitals(const struct simd_digits *digits)
{
    return _mm256_andnot_si256(digits->text, digits->letter); /* their bit of lower case */
}

SIMD_FUNCTION bool simd_has_upper(const struct simd_digits *digits)
{
    return !_mm256_testz_si256(simd_capitals(digits), SIMD_CONSTANT(to_lower));
}

SIMD_FUNCTION bool simd_have_upper(const struct simd_digits *a, const struct simd_digits *b)
{
    const __m256i capitals = _mm256_or_si256(simd_capitals(a), simd_capitals(b));
    return !_mm256_testz_si256(capitals, SIMD_CONSTANT(to_lower));
}

SIMD_FUNCTION bool simd_has_lower(const struct simd_digits *digits)
{
    const __m256i lower = _mm256_and_si256(digits->text, digits->letter);
    return !_mm256_testz_si256(lower, SIMD_CONSTANT(to_lower));
}

SIMD_FUNCTION void simd_cases(const struct simd_digits *digits, uint32_t *upper, uint32_t *lower)
{
    const __m256i is_lower = _mm256_slli_epi16(digits->text, 2); /* that bit on top */
    *upper = (uint32_t)_mm256_movemask_epi8(_mm256_andnot_si256(is_lower, digits->letter));
    *lower = (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(is_lower, digits->letter));
}

/* 'a' and 'A' have 1 in their low four bits. */
SIMD_FUNCTION __m256i simd_hex_digits(__m256i text, __m256i letter)
{
    const __m256i nine = _mm256_and_si256(letter, SIMD_CONSTANT(value_nine));
    return _mm256_and_si256(_mm256_add_epi8(text, nine), SIMD_CONSTANT(fifteen));
}

SIMD_FUNCTION simd_values simd_join_hex(__m256i digits)
{
    const __m256i bytes = _mm256_maddubs_epi16(digits, SIMD_CONSTANT(sixteens));
    return _mm256_shuffle_epi8(bytes, SIMD_CONSTANT(reversed));
}

SIMD_FUNCTION simd_values simd_hex_pair(const char *const from[2], const struct simd_pair *pair,
                                        simd_verdict *good, struct simd_digits *digits)
{
    const __m256i moves = simd_load32(pair->moves), text = simd_move(from, moves);
    const __m256i letter = _mm256_cmpgt_epi8(text, SIMD_CONSTANT(nine));
    const __m256i value = simd_hex_digits(text, letter);
    const __m256i lower = _mm256_and_si256(letter, SIMD_CONSTANT(to_lower));
    simd_check_digits(good, _mm256_or_si256(text, lower), value, moves);
    *digits = (struct simd_digits){text, letter};
    return simd_join_hex(value);
}

SIMD_FUNCTION __m256i simd_sized(const unsigned size[2])
{
    const __m128i first = _mm_loadu_si128((const void *)(simd_constants.sized + size[0]));
    const __m128i second = _mm_loadu_si128((const void *)(simd_constants.sized + size[1]));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}

SIMD_FUNCTION simd_values simd_hex_sized(const char *const from[2], const unsigned size[2],
                                         simd_verdict *good)
{
    const __m256i moves = simd_sized(size), text = simd_move(from, moves);
    const __m256i value = simd_hex_digits(text, _mm256_cmpgt_epi8(text, SIMD_CONSTANT(nine)));
    simd_check_digits(good, text, value, moves);
    return simd_join_hex(value);
}

#define SIMD_CONSTANT16(name) _mm_load_si128((const void *)simd_constants.name)

SIMD_FUNCTION bool simd_hex_lower(const char *at, const struct simd_pair *pair, uint64_t *number)
{
    const __m128i moves = _mm_load_si128((const void *)pair->moves[0]);
    const __m128i text = _mm_shuffle_epi8(_mm_loadu_si128((const void *)at), moves);
    const __m128i letter = _mm_cmpgt_epi8(text, SIMD_CONSTANT16(nine));
    const __m128i nine = _mm_and_si128(letter, SIMD_CONSTANT16(value_nine));
    const __m128i value = _mm_and_si128(_mm_add_epi8(text, nine), SIMD_CONSTANT16(fifteen));
    const __m128i bytes = _mm_maddubs_epi16(value, SIMD_CONSTANT16(sixteens));
    const __m128i spelled = _mm_shuffle_epi8(SIMD_CONSTANT16(spelled), value);
    const __m128i good = _mm_or_si128(_mm_cmpeq_epi8(text, spelled), moves);
    const __m128i bad = _mm_cmpeq_epi8(text, _mm_load_si128((const void *)pair->refused[0]));
    *number = (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi8(bytes, SIMD_CONSTANT16(reversed)));
    return _mm_movemask_epi8(_mm_andnot_si128(bad, good)) == UINT16_MAX;
}

SIMD_FUNCTION simd_values simd_decimals(__m256i text, __m256i moves, simd_verdict *good)
{
    const __m256i digits = _mm256_and_si256(text, SIMD_CONSTANT(fifteen));
    const __m256i pairs = _mm256_maddubs_epi16(digits, SIMD_CONSTANT(tens));
    const __m256i fours = _mm256_madd_epi16(pairs, SIMD_CONSTANT(hundreds));
    const __m256i eights =
        _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), SIMD_CONSTANT(myriads));
    const __m256i high = _mm256_mul_epu32(eights, SIMD_CONSTANT(hundred_million));
    simd_check_digits(good, text, digits, moves);
    return _mm256_add_epi64(high, _mm256_srli_epi64(eights, 32));
}

SIMD_FUNCTION simd_values simd_decimal_pair(const char *const from[2], const struct simd_pair *pair,
                                            simd_verdict *good)
{
    const __m256i moves = simd_load32(pair->moves), text = simd_move(from, moves);
    simd_refuse(good, &(struct simd_digits){.text = text}, pair);
    return simd_decimals(text, moves, good);
}

SIMD_FUNCTION simd_values simd_decimal_sized(const char *const from[2], const unsigned size[2],
                                             simd_verdict *good)
{
    const __m256i moves = simd_sized(size);
    return simd_decimals(simd_move(from, moves), moves, good);
}

#endif

/* SPDX-License-Identifier: MIT */
/* simd_text_avx2.h: what simd_text.h says, for processors with AVX2. */
#ifndef SPOOR_BASE_SIMD_TEXT_AVX2_H
#define SPOOR_BASE_SIMD_TEXT_AVX2_H

#include <immintrin.h>

#define SIMD_FUNCTION FOR_AVX2 __attribute__((always_inline)) static inline

/* The same byte in each place.  They come from where the compiler cannot see them, because it would
 * rather make each anew, in three instructions, for each line. */
extern const struct simd_constants {
    _Alignas(32) uint8_t to_lower[32];
    uint8_t above_nine[32], digits[32]; /* a digit plus the first is greater than the second */
    uint8_t above_z[32], letters[32];   /* the same of a letter in lower case, */
    uint8_t above_f[32], six[32];       /* and of one that is a digit */
    uint8_t newline[32], fifteen[32], value_nine[32];
    uint16_t sixteens[16], tens[16], hundreds[16], myriads[16]; /* weights of digits */
    uint8_t reversed[32];    /* a shuffle: the low bytes of 16-bit lanes, the last one first */
    uint16_t factors[4][16]; /* of a hash */
    uint64_t hundred_million[4];
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

/* The same byte everywhere. */
typedef __m256i simd_byte;

SIMD_FUNCTION simd_byte simd_each(char c)
{
    return _mm256_set1_epi8(c);
}

/* The bytes that are that byte. */
SIMD_FUNCTION uint64_t simd_equal(struct simd_block text, simd_byte each, unsigned bytes)
{
    return simd_mask(
        (struct simd_block){_mm256_cmpeq_epi8(text.low, each), _mm256_cmpeq_epi8(text.high, each)},
        bytes);
}

SIMD_FUNCTION uint64_t simd_newlines(struct simd_block text, unsigned bytes)
{
    return simd_equal(text, SIMD_CONSTANT(newline), bytes);
}

SIMD_FUNCTION __m256i simd_numbers(__m256i text)
{
    return _mm256_cmpgt_epi8(_mm256_add_epi8(text, SIMD_CONSTANT(above_nine)),
                             SIMD_CONSTANT(digits));
}

SIMD_FUNCTION __m256i simd_letters(__m256i text)
{
    const __m256i lower = _mm256_or_si256(text, SIMD_CONSTANT(to_lower));
    return _mm256_cmpgt_epi8(_mm256_add_epi8(lower, SIMD_CONSTANT(above_z)),
                             SIMD_CONSTANT(letters));
}

/* Letters and digits. */
SIMD_FUNCTION uint64_t simd_words(struct simd_block text, unsigned bytes)
{
    return simd_mask(
        (struct simd_block){_mm256_or_si256(simd_numbers(text.low), simd_letters(text.low)),
                            _mm256_or_si256(simd_numbers(text.high), simd_letters(text.high))},
        bytes);
}

/* The bytes that have ones at `mask`, and zeros in place of others. */
SIMD_FUNCTION struct simd_block simd_masked(struct simd_block text, const void *mask,
                                            unsigned bytes)
{
    const struct simd_block ones = simd_load(mask, bytes);
    return (struct simd_block){_mm256_and_si256(text.low, ones.low),
                               _mm256_and_si256(text.high, ones.high)};
}

/* Whether the bytes are those at `other`. */
SIMD_FUNCTION bool simd_is(struct simd_block text, const void *other, unsigned bytes)
{
    const struct simd_block same = simd_load(other, bytes);
    __m256i differ = _mm256_xor_si256(text.low, same.low);
    if (bytes != SIMD_HALF)
        differ = _mm256_or_si256(differ, _mm256_xor_si256(text.high, same.high));
    return _mm256_testz_si256(differ, differ);
}

/* Of one block, or of two. */
SIMD_FUNCTION uint64_t simd_hash(const struct simd_block *text, unsigned blocks, unsigned bytes)
{
    __m256i sum = _mm256_madd_epi16(text[0].low, SIMD_CONSTANT(factors[0]));
    if (bytes != SIMD_HALF)
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(text[0].high, SIMD_CONSTANT(factors[1])));
    if (blocks > 1) {
        const __m256i low = _mm256_madd_epi16(text[1].low, SIMD_CONSTANT(factors[2]));
        const __m256i high = _mm256_madd_epi16(text[1].high, SIMD_CONSTANT(factors[3]));
        sum = _mm256_add_epi32(sum, _mm256_add_epi32(low, high));
    }
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

/* ---- numbers, two at a time: 16 bytes each, of which `moves` has 16 places to be taken from, 0xFF
 * where a zero comes ---- */

SIMD_FUNCTION __m256i simd_move(const char *first, const char *second, __m256i moves)
{
    const __m128i low = _mm_loadu_si128((const void *)first);
    const __m128i high = _mm_loadu_si128((const void *)second);
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    return _mm256_shuffle_epi8(both, moves);
}

SIMD_FUNCTION void simd_store(__m256i numbers, void *first, void *second)
{
    _mm_storel_epi64(second, _mm256_extracti128_si256(numbers, 1));
    _mm_storel_epi64(first, _mm256_castsi256_si128(numbers));
}

/* The values go to *to[1], then to *to[0].  False where not all are digits; else, which of twice 16
 * bytes are letters in upper and lower case. */
SIMD_FUNCTION bool simd_hex_pair(const char *const from[2], const void *places, void *const to[2],
                                 uint32_t *upper, uint32_t *lower)
{
    const __m256i moves = _mm256_loadu_si256(places), text = simd_move(from[0], from[1], moves);
    const __m256i small = _mm256_or_si256(text, SIMD_CONSTANT(to_lower));
    const __m256i letter =
        _mm256_cmpgt_epi8(_mm256_add_epi8(small, SIMD_CONSTANT(above_f)), SIMD_CONSTANT(six));
    const __m256i is_lower = _mm256_slli_epi16(text, 2); /* the bit of lower case on top */
    const __m256i good = _mm256_or_si256(_mm256_or_si256(simd_numbers(text), letter), moves);
    /* 'a' and 'A' have 1 in their low four bits */
    const __m256i digit =
        _mm256_and_si256(_mm256_add_epi8(text, _mm256_and_si256(letter, SIMD_CONSTANT(value_nine))),
                         SIMD_CONSTANT(fifteen));
    const __m256i bytes = _mm256_maddubs_epi16(digit, SIMD_CONSTANT(sixteens));
    simd_store(_mm256_shuffle_epi8(bytes, SIMD_CONSTANT(reversed)), to[0], to[1]);
    *upper = (uint32_t)_mm256_movemask_epi8(_mm256_andnot_si256(is_lower, letter));
    *lower = (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(is_lower, letter));
    return _mm256_movemask_epi8(good) == -1;
}

SIMD_FUNCTION bool simd_decimal_pair(const char *const from[2], const void *places,
                                     void *const to[2])
{
    const __m256i moves = _mm256_loadu_si256(places), text = simd_move(from[0], from[1], moves);
    const __m256i good = _mm256_or_si256(simd_numbers(text), moves);
    const __m256i digits = _mm256_and_si256(text, SIMD_CONSTANT(fifteen));
    const __m256i pairs = _mm256_maddubs_epi16(digits, SIMD_CONSTANT(tens));
    const __m256i fours = _mm256_madd_epi16(pairs, SIMD_CONSTANT(hundreds));
    const __m256i eights =
        _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), SIMD_CONSTANT(myriads));
    const __m256i high = _mm256_mul_epu32(eights, SIMD_CONSTANT(hundred_million));
    simd_store(_mm256_add_epi64(high, _mm256_srli_epi64(eights, 32)), to[0], to[1]);
    return _mm256_movemask_epi8(good) == -1;
}

#endif

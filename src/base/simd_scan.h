/* SPDX-License-Identifier: MIT */
/*
 * simd_scan.h: reading a number many bytes at once, for readers of millions of lines.
 *
 * No branch depends on how many digits there are.  What is read begins where 16 bytes are readable.
 */
#ifndef SPOOR_BASE_SIMD_SCAN_H
#define SPOOR_BASE_SIMD_SCAN_H

#include <stdint.h>

#include "base/scan.h"

#if defined __SSE2__
#include <emmintrin.h>

/* The hexadecimal digits at `at`, of either case: how many there are, 0 to 16, and their value
 * (not set where there are none). */
static inline unsigned simd_scan_hex(const char *at, uint64_t *value)
{
    const __m128i text = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i lower = _mm_or_si128(text, _mm_set1_epi8(0x20));
    const __m128i number = _mm_sub_epi8(text, _mm_set1_epi8('0'));
    const __m128i letter = _mm_sub_epi8(lower, _mm_set1_epi8('a'));
    const __m128i is_number = _mm_cmpeq_epi8(_mm_min_epu8(number, _mm_set1_epi8(9)), number);
    const __m128i is_letter = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(5)), letter);
    const __m128i digits =
        _mm_or_si128(_mm_and_si128(is_number, number),
                     _mm_and_si128(is_letter, _mm_add_epi8(letter, _mm_set1_epi8(10))));
    /* two digits a byte: the first is the high one */
    const __m128i pairs = _mm_and_si128(
        _mm_or_si128(_mm_slli_epi16(digits, 4), _mm_srli_epi16(digits, 8)), _mm_set1_epi16(0xFF));
    const uint64_t bytes = (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(pairs, pairs));
    const unsigned others =
        ~(unsigned)_mm_movemask_epi8(_mm_or_si128(is_number, is_letter)) | UINT32_C(1) << 16;
    const unsigned count = (unsigned)__builtin_ctz(others);
    if (count > 0) *value = __builtin_bswap64(bytes) >> (64 - 4 * count);
    return count;
}
#else
static inline unsigned simd_scan_hex(const char *at, uint64_t *value)
{
    uint64_t sum = 0;
    unsigned count = 0;
    for (; count < 16 && hex_value[(unsigned char)at[count]] < 16; count++)
        sum = sum << 4 | hex_value[(unsigned char)at[count]];
    *value = sum;
    return count;
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* simd_put.h: stores the digits of a hexadecimal number at once. */
#ifndef SPOOR_BASE_SIMD_PUT_H
#define SPOOR_BASE_SIMD_PUT_H

#include <stdint.h>
#include <string.h>

#include "base/byte_order.h"

#if defined __SSE2__
#include <emmintrin.h>
#endif

static inline void store8(char *at, uint64_t bytes)
{
    bytes = little_endian64(bytes);
    memcpy(at, &bytes, 8);
}

#if defined __SSE2__
/* The sixteen digits of a number. */
static inline void store_hex16(char *at, uint64_t value)
{
    const __m128i bytes = _mm_cvtsi64_si128((int64_t)__builtin_bswap64(value));
    const __m128i high = _mm_srli_epi16(bytes, 4), low_half = _mm_set1_epi8(15);
    const __m128i digits = _mm_and_si128(_mm_unpacklo_epi8(high, bytes), low_half);
    const __m128i letters = _mm_cmpgt_epi8(digits, _mm_set1_epi8(9));
    const __m128i shift = _mm_and_si128(letters, _mm_set1_epi8('a' - '0' - 10));
    _mm_storeu_si128((__m128i *)(void *)at,
                     _mm_add_epi8(_mm_add_epi8(digits, _mm_set1_epi8('0')), shift));
}
#else
static inline uint64_t hex_digits8(uint32_t value)
{
    uint64_t digits = value;
    digits = (digits | digits << 16) & UINT64_C(0x0000ffff0000ffff);
    digits = (digits | digits << 8) & UINT64_C(0x00ff00ff00ff00ff);
    digits = (digits | digits << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    const uint64_t letters =
        (digits + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
    return __builtin_bswap64(digits + UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10));
}

static inline void store_hex16(char *at, uint64_t value)
{
    store8(at, hex_digits8((uint32_t)(value >> 32)));
    store8(at + 8, hex_digits8((uint32_t)value));
}
#endif

#endif

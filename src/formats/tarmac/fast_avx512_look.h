/* SPDX-License-Identifier: MIT */
/* fast_avx512_look.h: looks at 64 bytes with AVX-512, for fast_simd.h. */
#ifndef SPOOR_FORMATS_TARMAC_FAST_AVX512_LOOK_H
#define SPOOR_FORMATS_TARMAC_FAST_AVX512_LOOK_H

#include "formats/tarmac/fast_simd.h"

FOR_SIMD static inline __m512i load64(const void *at)
{
    return _mm512_loadu_si512(at);
}

/* Which of 64 bytes are digits, in upper or lower case. */
FOR_SIMD static inline uint64_t hex_mask64(const struct vectors *v, const char *at)
{
    (void)v;
    const __m512i text = load64(at);
    const __m512i lower = _mm512_or_si512(text, _mm512_set1_epi8(0x20));
    const __m512i number = _mm512_sub_epi8(text, _mm512_set1_epi8('0'));
    const __m512i letter = _mm512_sub_epi8(lower, _mm512_set1_epi8('a'));
    return _mm512_cmple_epu8_mask(number, _mm512_set1_epi8(9)) |
           _mm512_cmple_epu8_mask(letter, _mm512_set1_epi8(5));
}

/* Which of 64 bytes are newlines. */
FOR_SIMD static inline uint64_t newlines64(const struct vectors *v, const char *at)
{
    (void)v;
    return _mm512_cmpeq_epi8_mask(load64(at), _mm512_set1_epi8('\n'));
}

/* Whether 64 bytes are the same where the mask has ones. */
FOR_SIMD static inline bool is_same64(const char *at, const uint8_t *same, const uint8_t *mask)
{
    const __m512i differ = _mm512_xor_si512(load64(at), load64(same));
    return _mm512_test_epi8_mask(differ, load64(mask)) == 0;
}

FOR_SIMD static inline void copy64(void *to, const void *from)
{
    _mm512_storeu_si512(to, load64(from));
}

#endif

/* SPDX-License-Identifier: MIT */
/* fast_avx2_look.h: operations on 64 bytes with AVX2, for fast_simd.h. */
#ifndef SPOOR_FORMATS_TARMAC_FAST_AVX2_LOOK_H
#define SPOOR_FORMATS_TARMAC_FAST_AVX2_LOOK_H

#include "formats/tarmac/fast_simd.h"

/* Returns a mask of the digits among 32 bytes, in upper or lower case. */
FOR_SIMD static inline uint32_t hex_mask32(const struct vectors *v, const char *at)
{
    const __m256i text = load32(at);
    const __m256i number = _mm256_cmpgt_epi8(_mm256_add_epi8(text, v->above_nine), v->digit);
    const __m256i lower = _mm256_add_epi8(_mm256_or_si256(text, v->lower), v->above_f);
    return mask32(_mm256_or_si256(number, _mm256_cmpgt_epi8(lower, v->letter)));
}

FOR_SIMD static inline uint64_t hex_mask64(const struct vectors *v, const char *at)
{
    return (uint64_t)hex_mask32(v, at + HALF_LOOK) << HALF_LOOK | hex_mask32(v, at);
}

/* Returns a mask of the newlines among 64 bytes. */
FOR_SIMD static inline uint64_t newlines64(const struct vectors *v, const char *at)
{
    const uint32_t low = mask32(_mm256_cmpeq_epi8(load32(at), v->newline));
    const uint32_t high = mask32(_mm256_cmpeq_epi8(load32(at + HALF_LOOK), v->newline));
    return (uint64_t)high << HALF_LOOK | low;
}

FOR_SIMD static inline bool is_same32(const char *at, const uint8_t *same, const uint8_t *mask)
{
    return _mm256_testz_si256(_mm256_xor_si256(load32(at), load32(same)), load32(mask));
}

/* True if 64 bytes are the same where the mask has ones. */
FOR_SIMD static inline bool is_same64(const char *at, const uint8_t *same, const uint8_t *mask)
{
    return is_same32(at, same, mask) &&
           is_same32(at + HALF_LOOK, same + HALF_LOOK, mask + HALF_LOOK);
}

FOR_SIMD static inline void copy64(void *to, const void *from)
{
    _mm256_storeu_si256(to, load32(from));
    _mm256_storeu_si256((void *)((char *)to + HALF_LOOK), load32((const char *)from + HALF_LOOK));
}

#endif

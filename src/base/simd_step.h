/* SPDX-License-Identifier: MIT */
/*
 * simd_step.h: masks of a few bytes of text, with the vectors that every x86-64 and every AArch64
 * has, SSE2 and NEON, or else of a word.
 */
#ifndef SPOOR_BASE_SIMD_STEP_H
#define SPOOR_BASE_SIMD_STEP_H

#include <stdint.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/hex_run.h"
#include "base/inline.h"

#define SIMD_FUNCTION static FORCE_INLINE
#define SIMD_LOOP __attribute__((noinline))

SIMD_FUNCTION uint64_t simd_load_word(const void *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return little_endian64(word);
}

typedef uint8_t simd_byte;

SIMD_FUNCTION simd_byte simd_each(char c)
{
    return (simd_byte)c;
}

#if defined __SSE2__
#include <emmintrin.h>

enum { SIMD_STEP = 16 };

SIMD_FUNCTION uint64_t simd_equal_step(const char *at, simd_byte each)
{
    const __m128i text = _mm_loadu_si128((const void *)at);
    return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8((char)each)));
}

SIMD_FUNCTION uint64_t simd_controls_step(const char *at)
{
    const __m128i text = _mm_loadu_si128((const void *)at);
    return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(31)), text));
}

SIMD_FUNCTION uint64_t simd_words_step(const char *at)
{
    const __m128i text = _mm_loadu_si128((const void *)at);
    return (uint64_t)_mm_movemask_epi8(_mm_cmpgt_epi8(text, _mm_set1_epi8('/')));
}
#elif defined __aarch64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>

enum { SIMD_STEP = 32 };

/* One bit for each byte, which is zeros or ones: sums of different bits. */
SIMD_FUNCTION uint64_t simd_mask(uint8x16_t low, uint8x16_t high)
{
    const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    uint8x16_t sums = vpaddq_u8(vandq_u8(low, bits), vandq_u8(high, bits));
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u32(vreinterpretq_u32_u8(vpaddq_u8(sums, sums)), 0);
}

SIMD_FUNCTION uint8x16_t simd_load16(const char *at)
{
    return vld1q_u8((const uint8_t *)at);
}

SIMD_FUNCTION uint64_t simd_equal_step(const char *at, simd_byte each)
{
    const uint8x16_t wanted = vdupq_n_u8(each);
    return simd_mask(vceqq_u8(simd_load16(at), wanted), vceqq_u8(simd_load16(at + 16), wanted));
}

SIMD_FUNCTION uint64_t simd_controls_step(const char *at)
{
    const uint8x16_t space = vdupq_n_u8(' ');
    return simd_mask(vcltq_u8(simd_load16(at), space), vcltq_u8(simd_load16(at + 16), space));
}

SIMD_FUNCTION uint8x16_t simd_is_word(const char *at)
{
    return vcgtq_s8(vreinterpretq_s8_u8(simd_load16(at)), vdupq_n_s8('/'));
}

SIMD_FUNCTION uint64_t simd_words_step(const char *at)
{
    return simd_mask(simd_is_word(at), simd_is_word(at + 16));
}
#else
enum { SIMD_STEP = 8 };

/* The top bits of eight bytes, as eight bits. */
SIMD_FUNCTION uint64_t simd_top_bits(uint64_t word)
{
    return (word >> 7 & HEX_BYTES(1)) * UINT64_C(0x0102040810204080) >> 56;
}

SIMD_FUNCTION uint64_t simd_equal_step(const char *at, simd_byte each)
{
    const uint64_t differ = simd_load_word(at) ^ HEX_BYTES(each);
    return simd_top_bits(~(((differ & HEX_BYTES(0x7F)) + HEX_BYTES(0x7F)) | differ));
}

SIMD_FUNCTION uint64_t simd_controls_step(const char *at)
{
    const uint64_t word = simd_load_word(at);
    return simd_top_bits(~(((word & HEX_BYTES(0x7F)) + HEX_BYTES(0x80 - ' ')) | word));
}

/* From '0' on. */
SIMD_FUNCTION uint64_t simd_words_step(const char *at)
{
    const uint64_t word = simd_load_word(at);
    return simd_top_bits(((word & HEX_BYTES(0x7F)) + HEX_BYTES(0x80 - '0')) & ~word);
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * formats/uop/uop_simd.h: constants and small operations of the decoder of micro-op lines by many
 * bytes at a time (uop_avx2.c).
 */
#ifndef SPOOR_FORMATS_UOP_UOP_SIMD_H
#define SPOOR_FORMATS_UOP_UOP_SIMD_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cpu.h"
#include "spoor/record.h"

#define FOR_SIMD FOR_AVX2

FOR_SIMD static inline __m256i join(__m128i low, __m128i high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* Returns a mask of the last `count` bytes of a vector: all ones; at most 64, of which 16 have an
 * effect. */
FOR_SIMD static inline __m128i last_bytes(uint32_t count)
{
#define ONES16 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
    static const uint8_t ones[16 + 64] = {[16] = ONES16, ONES16, ONES16, ONES16};
    return _mm_loadu_si128((const void *)(ones + count));
}

FOR_SIMD static inline __m128i text_before(const char *end)
{
    return _mm_loadu_si128((const void *)(end - 16));
}

/* Hexadecimal fields with the blanks before them: the end of each, and its size with them, 1 to 16.
 */
struct hex_texts {
    struct {
        const char *end;
        uint32_t size;
    } pc, address, target, fall;
};

#include "formats/uop/uop_avx2_text.h"

/* Constants, hidden from the compiler, which would otherwise compute each one anew, in three
 * instructions, for each line. */
struct uop_vectors {
    simd_bytes blank, newline, zero, minus, last_control, nine; /* characters, and 9 */
    struct hex_vectors hex;
    __m128i last_digit, fifteen, spelled, digit_weights; /* see read_address() */
};

FOR_SIMD static inline struct uop_vectors uop_vectors(void)
{
    return (struct uop_vectors){
        .blank = simd_each(' '),
        .newline = simd_each('\n'),
        .zero = simd_each('0'),
        .minus = simd_each('-'),
        .last_control = simd_each(0x1f),
        .nine = simd_each(9),
        .hex = hex_vectors(),
        .last_digit = _mm_set1_epi8('9'),
        .fifteen = _mm_set1_epi8(15),
        .spelled = _mm_setr_epi8('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c',
                                 'd', 'e', 'f'),
        .digit_weights = _mm_set1_epi16(0x0110),
    };
}

#define BIT(n) (UINT64_C(1) << (n))

FOR_SIMD static inline uint64_t below(uint64_t n)
{
    return _bzhi_u64(UINT64_MAX, (uint32_t)n);
}

/* Of 32 bytes. */
FOR_SIMD static inline uint32_t marks32(__m256i bytes, __m256i wanted)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, wanted));
}

#endif

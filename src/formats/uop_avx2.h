/* SPDX-License-Identifier: MIT */
/*
 * formats/uop_avx2.h: the numbers of a micro-op line, converted side by side.
 *
 * Each field is loaded together with the bytes before it, so that it ends where its vector ends;
 * what is not the field is masked away.  A vector `bad` collects what is not as it should be: any
 * top bit set in it refuses the line.
 */
#ifndef SPOOR_FORMATS_UOP_AVX2_H
#define SPOOR_FORMATS_UOP_AVX2_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "base/cpu.h"

/* Where the fields behind the PC lie: the offset of the blank behind each, and its size or, in
 * padded lines, that of its column. */
struct uop_places {
    uint32_t immediate, address, fall, target;
    uint32_t immediate_size, address_size, fall_size, target_size;
};

FOR_AVX2 static inline __m128i load16(const void *at)
{
    return _mm_loadu_si128(at);
}

FOR_AVX2 static inline __m256i load32(const void *at)
{
    return _mm256_loadu_si256(at);
}

FOR_AVX2 static inline __m256i join(__m128i low, __m128i high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* The last `count` bytes of a vector: all ones; at most 64, of which 16 have an effect. */
FOR_AVX2 static inline __m128i last_bytes(uint32_t count)
{
#define ONES16 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
    static const uint8_t ones[16 + 64] = {[16] = ONES16, ONES16, ONES16, ONES16};
    return load16(ones + count);
}

/* Two hexadecimal fields to two numbers of eight bytes each, highest byte first, in the low bytes
 * of 16-bit lanes.  Only lower case is taken. */
FOR_AVX2 static inline __m256i hex_bytes(__m256i text, __m256i field, __m256i *bad)
{
    const __m256i blank = _mm256_cmpeq_epi8(text, _mm256_set1_epi8(' '));
    const __m256i mask = _mm256_andnot_si256(blank, field);
    /* '0'..'9' to 0..9 and all else to 10 and more; 'a'..'f' to 10..15 and all else to others */
    const __m256i shifted = _mm256_add_epi8(text, _mm256_set1_epi8((char)(0xff - '9')));
    const __m256i digit = _mm256_sub_epi8(_mm256_subs_epu8(shifted, _mm256_set1_epi8(6)),
                                          _mm256_set1_epi8((char)0xf0));
    const __m256i letter =
        _mm256_adds_epu8(_mm256_sub_epi8(text, _mm256_set1_epi8('a')), _mm256_set1_epi8(10));
    const __m256i value = _mm256_min_epu8(digit, letter);
    const __m256i over = _mm256_adds_epu8(value, _mm256_set1_epi8(127 - 15));
    *bad = _mm256_or_si256(*bad, _mm256_and_si256(over, mask));
    return _mm256_maddubs_epi16(_mm256_and_si256(value, mask), _mm256_set1_epi16(0x0110));
}

/* The PC, which ends at `body`'s blank, the fall-through, the address and the target, in this
 * order.
 */
FOR_AVX2 static inline __m256i hex_fields(const char *body, const struct uop_places *places,
                                          uint32_t pc_size, __m256i *bad)
{
    const __m256i first = join(load16(body - 17), load16(body + places->address - 16));
    const __m256i second =
        join(load16(body + places->fall - 16), load16(body + places->target - 16));
    const __m256i first_field = join(last_bytes(pc_size), last_bytes(places->address_size));
    const __m256i second_field =
        join(last_bytes(places->fall_size), last_bytes(places->target_size));
    const __m256i bytes = _mm256_packus_epi16(hex_bytes(first, first_field, bad),
                                              hex_bytes(second, second_field, bad));
    const __m256i reverse = _mm256_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607,
                                              0x08090a0b0c0d0e0f, 0x0001020304050607);
    return _mm256_shuffle_epi8(bytes, reverse);
}

/* Two decimal numbers at a time: in the low lane three of two bytes each, in the high lane one of
 * at most 16, each with blanks and a sign before its digits; to pairs of digits in 16-bit lanes. */
FOR_AVX2 static inline __m256i digit_pairs(__m256i text, __m256i field, __m256i *bad)
{
    const __m256i value = _mm256_sub_epi8(text, _mm256_set1_epi8('0'));
    const __m256i digit = _mm256_cmpeq_epi8(_mm256_min_epu8(value, _mm256_set1_epi8(9)), value);
    const __m256i other = _mm256_or_si256(_mm256_cmpeq_epi8(text, _mm256_set1_epi8('-')),
                                          _mm256_cmpeq_epi8(text, _mm256_set1_epi8(' ')));
    *bad = _mm256_or_si256(*bad, _mm256_andnot_si256(_mm256_or_si256(digit, other), field));
    return _mm256_maddubs_epi16(_mm256_and_si256(_mm256_and_si256(value, digit), field),
                                _mm256_set1_epi16(0x010a));
}

/* Three numbers of two digits each; that of a lane that begins with a minus sign is negative. */
FOR_AVX2 static inline uint64_t small_numbers(__m128i pairs, __m128i text)
{
    const __m128i negative =
        _mm_cmpeq_epi16(_mm_and_si128(text, _mm_set1_epi16(0xff)), _mm_set1_epi16('-'));
    return (uint64_t)_mm_cvtsi128_si64(_mm_sub_epi16(_mm_xor_si128(pairs, negative), negative));
}

/* Sixteen digits, as pairs. */
FOR_AVX2 static inline uint64_t long_number(__m128i pairs)
{
    const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));
    const __m128i eights =
        _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x00012710));
    const uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    return (both & UINT32_MAX) * 100000000 + (both >> 32);
}

#endif

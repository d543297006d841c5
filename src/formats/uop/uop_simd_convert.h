/* SPDX-License-Identifier: MIT */
/*
 * formats/uop/uop_simd_convert.h: converts the numbers of a micro-op line in parallel.
 *
 * Each field is loaded together with the bytes before it, so that it ends where its vector ends;
 * the bytes before the field are masked.
 */
#ifndef SPOOR_FORMATS_UOP_UOP_SIMD_CONVERT_H
#define SPOOR_FORMATS_UOP_UOP_SIMD_CONVERT_H

#include "formats/uop/uop_simd_find.h"
#include "spoor/record.h"

enum { UOP_BEFORE = 16 /* bytes before a line that may be loaded */ };

FOR_SIMD static inline __m128i load16(const void *at)
{
    return _mm_loadu_si128(at);
}

/* ---- decimal numbers and letters ---- */

/* Moves pairs of bytes to lanes: Src1, Src2, Dest, none, then Flags, Branch and Ld/St twice each,
 * from the 16 bytes from the blank before Src1 on.  A number has two bytes, or one and the blank
 * before it. */
#define SHUFFLE(a, b, c, f)                                                            \
    {                                                                                  \
        a, a + 1, b, b + 1, c, c + 1, -1, -1, f, f, f + 2, f + 2, f + 4, f + 4, -1, -1 \
    }
static const int8_t shuffles[8][16] = {
    SHUFFLE(0, 2, 4, 7), SHUFFLE(1, 3, 5, 8), SHUFFLE(0, 3, 5, 8), SHUFFLE(1, 4, 6, 9),
    SHUFFLE(0, 2, 5, 8), SHUFFLE(1, 3, 6, 9), SHUFFLE(0, 3, 6, 9), SHUFFLE(1, 4, 7, 10),
};

/* Converts numbers with blanks and a sign before their digits to pairs of digits in 16-bit lanes:
 * in the low lane three of two bytes each, in the high lane one of at most 16. */
FOR_SIMD static inline __m256i digit_pairs(const struct uop_vectors *v, __m256i text, __m256i field,
                                           struct refusal *refusal)
{
    const __m256i value = _mm256_sub_epi8(text, low256(v->zero));
    const __m256i digit = _mm256_cmpeq_epi8(_mm256_min_epu8(value, low256(v->nine)), value);
    const __m256i other = _mm256_or_si256(_mm256_cmpeq_epi8(text, low256(v->minus)),
                                          _mm256_cmpeq_epi8(text, low256(v->blank)));
    refusal->bytes =
        _mm256_or_si256(refusal->bytes, _mm256_andnot_si256(_mm256_or_si256(digit, other), field));
    return _mm256_maddubs_epi16(_mm256_and_si256(_mm256_and_si256(value, digit), field),
                                _mm256_set1_epi16(0x010a));
}

/* Returns three numbers of two digits each; a lane that begins with a minus sign is negative. */
FOR_SIMD static inline uint64_t small_numbers(const struct uop_vectors *v, __m128i pairs,
                                              __m128i text)
{
    const __m128i minus = _mm_cmpeq_epi8(text, low128(v->minus));
    const __m128i negative = _mm_srai_epi16(_mm_slli_epi16(minus, 8), 15);
    return (uint64_t)_mm_cvtsi128_si64(_mm_sub_epi16(_mm_xor_si128(pairs, negative), negative));
}

/* Sixteen digits, as pairs. */
FOR_SIMD static inline uint64_t long_number(__m128i pairs)
{
    const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));
    const __m128i eights =
        _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x00012710));
    const uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    return (both & UINT32_MAX) * 100000000 + (both >> 32);
}

/* Returns the bits of enum spoor_uop_op from the letters, which occur twice each from byte 8 on;
 * false if one is not a letter of its field. */
FOR_SIMD static inline bool op_of(const struct uop_vectors *v, __m128i few, uint8_t *op)
{
    const __m128i letters =
        _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 'R', 'W', 'T', 'N', 'L', 'S', 0, 0);
    const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(few, letters)) >> 8 & 0x3f;
    const int none = _mm_movemask_epi8(_mm_cmpeq_epi8(few, low128(v->minus))) >> 8;
    *op = (uint8_t)found;
    return ((found | found >> 1 | none) & 0x15) == 0x15;
}

/* ---- a line ---- */

FOR_SIMD static inline struct hex_texts hex_texts(const struct uop_places *places)
{
    const char *body = places->body;
    return (struct hex_texts){
        .pc = {body - 1, places->pc_size},
        .address = {body + places->address, places->address - places->immediate - 1},
        .target = {body + places->target, places->target - places->fall - 1},
        .fall = {body + places->fall, places->fall - places->address - 1},
    };
}

/* Fills in the record except its opcodes; false if a field is invalid. */
FOR_SIMD static inline __attribute__((always_inline)) bool convert(const struct uop_vectors *v,
                                                                   const struct uop_places *places,
                                                                   spoor_name spelling,
                                                                   struct spoor_record *record)
{
    struct refusal refusal = no_refusal();
    const struct hex_texts texts = hex_texts(places);
    const int64_t fall = put_hex_fields(&v->hex, v->blank, &texts, &record->uop, &refusal);
    const __m128i few = _mm_shuffle_epi8(load16(places->body - 1), load16(shuffles[places->wide]));
    const __m256i text = join(few, load16(places->body + places->immediate - 16));
    const __m256i field =
        join(_mm_set_epi32(0, 0, 0xffff, -1), last_bytes(places->immediate - places->dest - 7));
    const __m256i pairs = digit_pairs(v, text, field, &refusal);
    const uint64_t small = small_numbers(v, _mm256_castsi256_si128(pairs), few);
    const uint64_t magnitude = long_number(_mm256_extracti128_si256(pairs, 1));
    const uint64_t sign = 0 - (uint64_t)places->negative;
    record->time = 0;
    record->kind = SPOOR_UOP;
    record->has = places->crlf ? SPOOR_EOL_CRLF : 0;
    record->cpu = SPOOR_NO_NAME;
    record->spelling = spelling;
    record->uop.immediate = (int64_t)((magnitude ^ sign) - sign);
    record->uop.fall = (int32_t)fall;
    record->uop.src1 = (int16_t)small;
    record->uop.src2 = (int16_t)(small >> 16);
    record->uop.dest = (int16_t)(small >> 32);
    record->uop.step = (uint16_t)places->step;
    return op_of(v, few, &record->op) && fall == (int32_t)fall && !is_refused(&refusal);
}

#endif

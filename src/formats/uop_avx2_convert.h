/* SPDX-License-Identifier: MIT */
/*
 * formats/uop_avx2_convert.h: the numbers of a micro-op line, converted side by side.
 *
 * Each field is loaded together with the bytes before it, so that it ends where its vector ends;
 * what is not the field is masked away.  A vector `bad` collects what is not as it should be: any
 * top bit set in it refuses the line.
 */
#ifndef SPOOR_FORMATS_UOP_AVX2_CONVERT_H
#define SPOOR_FORMATS_UOP_AVX2_CONVERT_H

#include "formats/uop_avx2_find.h"
#include "spoor/record.h"

enum { UOP_BEFORE = 16 /* bytes before a line that may be loaded */ };

FOR_AVX2 static inline __m128i load16(const void *at)
{
    return _mm_loadu_si128(at);
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

/* ---- hexadecimal numbers ---- */

/* Two fields to two numbers of eight bytes each, highest byte first, in the low bytes of 16-bit
 * lanes.  Only lower case is taken. */
FOR_AVX2 static inline __m256i hex_bytes(const struct uop_vectors *v, __m256i text, __m256i field,
                                         __m256i *bad)
{
    const __m256i blank = _mm256_cmpeq_epi8(text, v->blank);
    const __m256i mask = _mm256_andnot_si256(blank, field);
    /* '0'..'9' become 0..9 and all else 10 and more; 'a'..'f' 10..15 and all else other values */
    const __m256i high = _mm256_add_epi8(text, v->above_nine);
    const __m256i digit = _mm256_sub_epi8(_mm256_subs_epu8(high, v->six), v->above_digits);
    const __m256i letter = _mm256_adds_epu8(_mm256_sub_epi8(text, v->first_letter), v->ten);
    const __m256i value = _mm256_min_epu8(digit, letter);
    const __m256i over = _mm256_adds_epu8(value, v->above_hex);
    *bad = _mm256_or_si256(*bad, _mm256_and_si256(over, mask));
    return _mm256_maddubs_epi16(_mm256_and_si256(value, mask), _mm256_set1_epi16(0x0110));
}

/* The PC, the fall-through, the address and the target, in this order. */
FOR_AVX2 static inline __m256i hex_fields(const struct uop_vectors *v,
                                          const struct uop_places *places, __m256i *bad)
{
    const char *body = places->body;
    const uint32_t immediate = places->immediate, address = places->address;
    const uint32_t fall = places->fall, target = places->target;
    const __m256i first = join(load16(body - 17), load16(body + address - 16));
    const __m256i second = join(load16(body + fall - 16), load16(body + target - 16));
    const __m256i first_field =
        join(last_bytes(places->pc_size), last_bytes(address - immediate - 1));
    const __m256i second_field =
        join(last_bytes(fall - address - 1), last_bytes(target - fall - 1));
    const __m256i bytes = _mm256_packus_epi16(hex_bytes(v, first, first_field, bad),
                                              hex_bytes(v, second, second_field, bad));
    const __m256i reverse = _mm256_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607,
                                              0x08090a0b0c0d0e0f, 0x0001020304050607);
    return _mm256_shuffle_epi8(bytes, reverse);
}

/* ---- decimal numbers and letters ---- */

/* Each pair of bytes to a lane: Src1, Src2, Dest, none, then Flags, Branch and Ld/St twice each; of
 * the 16 bytes from the blank before Src1 on.  The numbers have one byte, to which the blank before
 * it comes, or two. */
#define SHUFFLE(a, b, c, f)                                                            \
    {                                                                                  \
        a, a + 1, b, b + 1, c, c + 1, -1, -1, f, f, f + 2, f + 2, f + 4, f + 4, -1, -1 \
    }
static const int8_t shuffles[8][16] = {
    SHUFFLE(0, 2, 4, 7), SHUFFLE(1, 3, 5, 8), SHUFFLE(0, 3, 5, 8), SHUFFLE(1, 4, 6, 9),
    SHUFFLE(0, 2, 5, 8), SHUFFLE(1, 3, 6, 9), SHUFFLE(0, 3, 6, 9), SHUFFLE(1, 4, 7, 10),
};

/* Numbers with blanks and a sign before their digits to pairs of digits in 16-bit lanes: in the low
 * lane three of two bytes each, in the high lane one of at most 16. */
FOR_AVX2 static inline __m256i digit_pairs(const struct uop_vectors *v, __m256i text, __m256i field,
                                           __m256i *bad)
{
    const __m256i value = _mm256_sub_epi8(text, v->zero);
    const __m256i digit = _mm256_cmpeq_epi8(_mm256_min_epu8(value, v->nine), value);
    const __m256i other =
        _mm256_or_si256(_mm256_cmpeq_epi8(text, v->minus), _mm256_cmpeq_epi8(text, v->blank));
    *bad = _mm256_or_si256(*bad, _mm256_andnot_si256(_mm256_or_si256(digit, other), field));
    return _mm256_maddubs_epi16(_mm256_and_si256(_mm256_and_si256(value, digit), field),
                                _mm256_set1_epi16(0x010a));
}

/* Three numbers of two digits each; that of a lane that begins with a minus sign is negative. */
FOR_AVX2 static inline uint64_t small_numbers(const struct uop_vectors *v, __m128i pairs,
                                              __m128i text)
{
    const __m128i minus = _mm_cmpeq_epi8(text, _mm256_castsi256_si128(v->minus));
    const __m128i negative = _mm_srai_epi16(_mm_slli_epi16(minus, 8), 15);
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

/* The bits of enum spoor_uop_op from the letters, which lie twice each from byte 8 on; false where
 * one is none of its three. */
FOR_AVX2 static inline bool op_of(const struct uop_vectors *v, __m128i few, uint8_t *op)
{
    const __m128i letters =
        _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 'R', 'W', 'T', 'N', 'L', 'S', 0, 0);
    const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(few, letters)) >> 8 & 0x3f;
    const int none = _mm_movemask_epi8(_mm_cmpeq_epi8(few, _mm256_castsi256_si128(v->minus))) >> 8;
    *op = (uint8_t)found;
    return ((found | found >> 1 | none) & 0x15) == 0x15;
}

/* ---- a line ---- */

/* Fill in the record, but for its opcodes: false where a field is not as it must be. */
FOR_AVX2 static inline __attribute__((always_inline)) bool convert(const struct uop_vectors *v,
                                                                   const struct uop_places *places,
                                                                   spoor_name spelling,
                                                                   struct spoor_record *record)
{
    __m256i bad = _mm256_setzero_si256();
    const __m256i hex = hex_fields(v, places, &bad);
    const __m128i few = _mm_shuffle_epi8(load16(places->body - 1), load16(shuffles[places->wide]));
    const __m256i text = join(few, load16(places->body + places->immediate - 16));
    const __m256i field =
        join(_mm_set_epi32(0, 0, 0xffff, -1), last_bytes(places->immediate - places->dest - 7));
    const __m256i pairs = digit_pairs(v, text, field, &bad);
    const uint64_t small = small_numbers(v, _mm256_castsi256_si128(pairs), few);
    const uint64_t magnitude = long_number(_mm256_extracti128_si256(pairs, 1));
    const uint64_t sign = 0 - (uint64_t)places->negative;
    const __m128i low = _mm256_castsi256_si128(hex), high = _mm256_extracti128_si256(hex, 1);
    const uint64_t pc = (uint64_t)_mm_cvtsi128_si64(low);
    const int64_t fall = (int64_t)((uint64_t)_mm_extract_epi64(low, 1) - pc);
    record->time = 0;
    record->kind = SPOOR_UOP;
    record->has = places->crlf ? SPOOR_EOL_CRLF : 0;
    record->cpu = SPOOR_NO_NAME;
    record->spelling = spelling;
    record->uop.pc = pc;
    record->uop.address = (uint64_t)_mm_cvtsi128_si64(high);
    record->uop.target = (uint64_t)_mm_extract_epi64(high, 1);
    record->uop.immediate = (int64_t)((magnitude ^ sign) - sign);
    record->uop.fall = (int32_t)fall;
    record->uop.src1 = (int16_t)small;
    record->uop.src2 = (int16_t)(small >> 16);
    record->uop.dest = (int16_t)(small >> 32);
    record->uop.step = (uint16_t)places->step;
    return op_of(v, few, &record->op) && fall == (int32_t)fall && _mm256_movemask_epi8(bad) == 0;
}

#endif

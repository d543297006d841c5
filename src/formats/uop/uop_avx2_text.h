/* SPDX-License-Identifier: MIT */
/*
 * formats/uop/uop_avx2_text.h: the operations that uop_simd.h needs, with AVX2.
 */
#ifndef SPOOR_FORMATS_UOP_UOP_AVX2_TEXT_H
#define SPOOR_FORMATS_UOP_UOP_AVX2_TEXT_H

#include <immintrin.h>

/* ---- text ---- */

/* The same byte in each place. */
typedef __m256i simd_bytes;

FOR_AVX2 static inline simd_bytes simd_each(char byte)
{
    return _mm256_set1_epi8(byte);
}

FOR_AVX2 static inline __m256i low256(simd_bytes bytes)
{
    return bytes;
}

FOR_AVX2 static inline __m128i low128(simd_bytes bytes)
{
    return _mm256_castsi256_si128(bytes);
}

/* 64 bytes; a mask of them has one bit for each. */
struct text64 {
    __m256i low, high;
};

FOR_AVX2 static inline struct text64 load64(const char *at)
{
    return (struct text64){_mm256_loadu_si256((const void *)at),
                           _mm256_loadu_si256((const void *)(at + 32))};
}

FOR_AVX2 static inline uint64_t mask64(__m256i low, __m256i high)
{
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32 |
           (uint32_t)_mm256_movemask_epi8(low);
}

FOR_AVX2 static inline uint64_t marks64(struct text64 text, simd_bytes wanted)
{
    return mask64(_mm256_cmpeq_epi8(text.low, wanted), _mm256_cmpeq_epi8(text.high, wanted));
}

/* Returns the bytes that are at most `maximum`, as unsigned numbers. */
FOR_AVX2 static inline uint64_t low_marks64(struct text64 text, simd_bytes maximum)
{
    return mask64(_mm256_cmpeq_epi8(_mm256_min_epu8(text.low, maximum), text.low),
                  _mm256_cmpeq_epi8(_mm256_min_epu8(text.high, maximum), text.high));
}

/* Returns the bytes that differ among the first `size` of 64. */
FOR_AVX2 static inline uint64_t differences64(const char *a, const char *b, uint32_t size)
{
    const struct text64 one = load64(a), other = load64(b);
    const uint64_t same =
        mask64(_mm256_cmpeq_epi8(one.low, other.low), _mm256_cmpeq_epi8(one.high, other.high));
    return _bzhi_u64(~same, size);
}

FOR_AVX2 static inline void copy_record(struct spoor_record *to, const struct spoor_record *from)
{
    const struct text64 record = load64((const void *)from);
    _mm256_storeu_si256((void *)to, record.low);
    _mm256_storeu_si256((void *)((char *)to + 32), record.high);
}

/* ---- hexadecimal numbers ---- */

/* Errors of a line: any top bit set rejects it. */
struct refusal {
    __m256i bytes;
};

FOR_AVX2 static inline struct refusal no_refusal(void)
{
    return (struct refusal){_mm256_setzero_si256()};
}

FOR_AVX2 static inline bool is_refused(const struct refusal *refusal)
{
    return _mm256_movemask_epi8(refusal->bytes) != 0;
}

/* Constants, see hex_bytes(). */
struct hex_vectors {
    __m256i above_nine, six, above_digits, first_letter, ten, above_hex;
};

FOR_AVX2 static inline struct hex_vectors hex_vectors(void)
{
    return (struct hex_vectors){
        .above_nine = _mm256_set1_epi8((char)(0xff - '9')),
        .six = _mm256_set1_epi8(6),
        .above_digits = _mm256_set1_epi8((char)0xf0),
        .first_letter = _mm256_set1_epi8('a'),
        .ten = _mm256_set1_epi8(10),
        .above_hex = _mm256_set1_epi8(127 - 15),
    };
}

/* Converts two fields to two numbers of eight bytes each, highest byte first, in the low bytes of
 * 16-bit lanes.  Only lower case is accepted. */
FOR_AVX2 static inline __m256i hex_bytes(const struct hex_vectors *v, simd_bytes blanks,
                                         __m256i text, __m256i field, struct refusal *refusal)
{
    const __m256i blank = _mm256_cmpeq_epi8(text, blanks);
    const __m256i mask = _mm256_andnot_si256(blank, field);
    /* '0'..'9' become 0..9 and all others at least 10; 'a'..'f' become 10..15 and all others other
     * values */
    const __m256i high = _mm256_add_epi8(text, v->above_nine);
    const __m256i digit = _mm256_sub_epi8(_mm256_subs_epu8(high, v->six), v->above_digits);
    const __m256i letter = _mm256_adds_epu8(_mm256_sub_epi8(text, v->first_letter), v->ten);
    const __m256i value = _mm256_min_epu8(digit, letter);
    const __m256i over = _mm256_adds_epu8(value, v->above_hex);
    refusal->bytes = _mm256_or_si256(refusal->bytes, _mm256_and_si256(over, mask));
    return _mm256_maddubs_epi16(_mm256_and_si256(value, mask), _mm256_set1_epi16(0x0110));
}

/* Stores the PC, the address and the target in the record; returns the fall-through minus the PC.
 */
FOR_AVX2 static inline int64_t put_hex_fields(const struct hex_vectors *v, simd_bytes blanks,
                                              const struct hex_texts *texts, struct spoor_uop *uop,
                                              struct refusal *refusal)
{
    const __m256i first = join(text_before(texts->pc.end), text_before(texts->address.end));
    const __m256i second = join(text_before(texts->fall.end), text_before(texts->target.end));
    const __m256i first_field = join(last_bytes(texts->pc.size), last_bytes(texts->address.size));
    const __m256i second_field = join(last_bytes(texts->fall.size), last_bytes(texts->target.size));
    const __m256i bytes = _mm256_packus_epi16(hex_bytes(v, blanks, first, first_field, refusal),
                                              hex_bytes(v, blanks, second, second_field, refusal));
    const __m256i reverse = _mm256_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607,
                                              0x08090a0b0c0d0e0f, 0x0001020304050607);
    const __m256i numbers = _mm256_shuffle_epi8(bytes, reverse);
    const __m128i low = _mm256_castsi256_si128(numbers);
    const __m128i high = _mm256_extracti128_si256(numbers, 1);
    const uint64_t pc = (uint64_t)_mm_cvtsi128_si64(low);
    uop->pc = pc;
    uop->address = (uint64_t)_mm_cvtsi128_si64(high);
    uop->target = (uint64_t)_mm_extract_epi64(high, 1);
    return (int64_t)((uint64_t)_mm_extract_epi64(low, 1) - pc);
}

#endif

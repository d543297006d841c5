/* SPDX-License-Identifier: MIT */
/*
 * formats/uop_avx512_text.h: what uop_simd.h needs of a processor, with AVX-512.
 *
 * A comparison of 64 bytes gives its mask at once, and the four hexadecimal fields of a line are
 * converted in one register.
 */
#ifndef SPOOR_FORMATS_UOP_AVX512_TEXT_H
#define SPOOR_FORMATS_UOP_AVX512_TEXT_H

#include "base/avx512.h"

/* ---- text ---- */

/* The same byte in each place. */
typedef __m512i simd_bytes;

FOR_AVX512 static inline simd_bytes simd_each(char byte)
{
    return _mm512_set1_epi8(byte);
}

FOR_AVX512 static inline __m256i low256(simd_bytes bytes)
{
    return _mm512_castsi512_si256(bytes);
}

FOR_AVX512 static inline __m128i low128(simd_bytes bytes)
{
    return _mm512_castsi512_si128(bytes);
}

/* 64 bytes; of each, a mask says something in one bit. */
struct text64 {
    __m512i bytes;
};

FOR_AVX512 static inline struct text64 load64(const char *at)
{
    return (struct text64){_mm512_loadu_si512(at)};
}

FOR_AVX512 static inline uint64_t marks64(struct text64 text, simd_bytes wanted)
{
    return _mm512_cmpeq_epi8_mask(text.bytes, wanted);
}

/* The bytes that are `most` or less, as numbers without a sign. */
FOR_AVX512 static inline uint64_t low_marks64(struct text64 text, simd_bytes most)
{
    return _mm512_cmple_epu8_mask(text.bytes, most);
}

/* Of the first `size` of 64 bytes those that differ. */
FOR_AVX512 static inline uint64_t differences64(const char *a, const char *b, uint32_t size)
{
    return _bzhi_u64(_mm512_cmpneq_epi8_mask(load64(a).bytes, load64(b).bytes), size);
}

FOR_AVX512 static inline void copy_record(struct spoor_record *to, const struct spoor_record *from)
{
    _mm512_storeu_si512(to, _mm512_loadu_si512(from));
}

/* ---- hexadecimal numbers ---- */

/* What is not as it should be: any top bit set in a byte, or any bit of `hex`, refuses the line. */
struct refusal {
    __m256i bytes;
    uint64_t hex;
};

FOR_AVX512 static inline struct refusal no_refusal(void)
{
    return (struct refusal){_mm256_setzero_si256(), 0};
}

FOR_AVX512 static inline bool is_refused(const struct refusal *refusal)
{
    return ((uint32_t)_mm256_movemask_epi8(refusal->bytes) | refusal->hex) != 0;
}

/* Constants, see put_hex_fields(). */
struct hex_vectors {
    __m512i last_digit, nine, fifteen, spelled, weights;
    __m512i backwards; /* the low bytes of 16-bit lanes, the last one first */
    __m256i order;     /* every second number */
};

FOR_AVX512 static inline struct hex_vectors hex_vectors(void)
{
    return (struct hex_vectors){
        .last_digit = _mm512_set1_epi8('9'),
        .nine = _mm512_set1_epi8(9),
        .fifteen = _mm512_set1_epi8(15),
        .spelled = _mm512_broadcast_i32x4(_mm_setr_epi8('0', '1', '2', '3', '4', '5', '6', '7', '8',
                                                        '9', 'a', 'b', 'c', 'd', 'e', 'f')),
        .weights = _mm512_set1_epi16(0x0110),
        .backwards = _mm512_broadcast_i32x4(
            _mm_setr_epi8(14, 12, 10, 8, 6, 4, 2, 0, -1, -1, -1, -1, -1, -1, -1, -1)),
        .order = _mm256_setr_epi64x(0, 2, 4, 6),
    };
}

/* The last `size` of 16 bytes, as bits. */
FOR_AVX512 static inline uint64_t last_marks(uint32_t size)
{
    return UINT32_C(0xffff0000) >> size & 0xffff;
}

/* What the four numbers are stored as, in one go. */
_Static_assert(offsetof(struct spoor_uop, address) == offsetof(struct spoor_uop, pc) + 8 &&
                   offsetof(struct spoor_uop, target) == offsetof(struct spoor_uop, pc) + 16 &&
                   offsetof(struct spoor_uop, immediate) == offsetof(struct spoor_uop, pc) + 24,
               "three of the four, and one whose place is written to afterwards");

/* The PC, the address and the target into the record: the fall-through, less the PC.  Writes over
 * the immediate.  Only lower case is taken. */
FOR_AVX512 static inline int64_t put_hex_fields(const struct hex_vectors *v, simd_bytes blanks,
                                                const struct hex_texts *texts,
                                                struct spoor_uop *uop, struct refusal *refusal)
{
    const __m256i front = join(text_before(texts->pc.end), text_before(texts->address.end));
    const __m256i back = join(text_before(texts->target.end), text_before(texts->fall.end));
    const uint64_t field = last_marks(texts->pc.size) | last_marks(texts->address.size) << 16 |
                           last_marks(texts->target.size) << 32 |
                           last_marks(texts->fall.size) << 48;
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(front), back, 1);
    const __m512i text = _mm512_maskz_mov_epi8(field, both);
    /* blanks have the value 0; a digit is what its value is spelled like */
    const uint64_t letter = _mm512_cmpgt_epi8_mask(text, v->last_digit);
    const __m512i value =
        _mm512_and_si512(_mm512_mask_add_epi8(text, letter, text, v->nine), v->fifteen);
    const uint64_t good = _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(v->spelled, value), text) |
                          _mm512_cmpeq_epi8_mask(text, blanks);
    refusal->hex = field & ~good;
    const __m512i bytes = _mm512_maddubs_epi16(value, v->weights);
    const __m512i spread = _mm512_shuffle_epi8(bytes, v->backwards);
    const __m512i numbers = _mm512_permutexvar_epi64(_mm512_castsi256_si512(v->order), spread);
    const __m256i four = _mm512_castsi512_si256(numbers);
    _mm256_storeu_si256((void *)&uop->pc, four);
    const uint64_t fall = (uint64_t)_mm256_extract_epi64(four, 3);
    return (int64_t)(fall - (uint64_t)_mm256_extract_epi64(four, 0));
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * byu12_account_avx512.c: an account of BYU records of 12 bytes, sixteen at a time.
 */
#include "base/avx512.h"

#if CPU_MAY_HAVE_AVX512

typedef __m512i words;
#define FOR_SIMD FOR_AVX512
#include "formats/byu12_account_take.h"

FOR_SIMD static inline void store_words(void *to, words from)
{
    _mm512_storeu_si512(to, from);
}

FOR_SIMD static inline words all_ones(void)
{
    return _mm512_set1_epi32(-1);
}

/* Every third word, from the first, second or third one on. */
enum { FIRST = 0x9249, SECOND = 0x2492, THIRD = 0x4924 };

FOR_SIMD static inline struct group load_group(const char *at)
{
    const __m512i one = _mm512_loadu_si512(at), two = _mm512_loadu_si512(at + 64);
    const __m512i three = _mm512_loadu_si512(at + 128);
    const __m512i next_lane =
        _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0);
    const __m512i address =
        _mm512_mask_blend_epi32(SECOND, _mm512_mask_blend_epi32(THIRD, one, two), three);
    const __m512i head =
        _mm512_mask_blend_epi32(THIRD, _mm512_mask_blend_epi32(FIRST, one, two), three);
    const __m512i delta =
        _mm512_mask_blend_epi32(FIRST, _mm512_mask_blend_epi32(SECOND, one, two), three);
    return (struct group){address, _mm512_permutexvar_epi32(next_lane, head), delta};
}

FOR_SIMD static inline bool is_common(const struct group *group, uint32_t agent)
{
    const __m512i looked_at = _mm512_set1_epi32((int)BYU12_HEAD_LOOKED_AT);
    const __m512i wanted = _mm512_set1_epi32((int)(agent << 24));
    const __m512i found = _mm512_and_si512(group->head, looked_at);
    const uint32_t without = _mm512_cmpeq_epi32_mask(group->delta, _mm512_set1_epi32(-1));
    return _mm512_cmpeq_epi32_mask(found, wanted) == 0xFFFF && without == 0;
}

FOR_SIMD static inline void take_group(struct lanes *lanes, const struct group *group)
{
    const __m512i type = _mm512_and_si512(group->head, _mm512_set1_epi32(0xFF));
    const __m512i one = _mm512_set1_epi32(1), address = group->address;
    for (int i = 0; i < BYU12_TYPES; i++) {
        const __mmask16 of_type = _mm512_cmpeq_epi32_mask(type, _mm512_set1_epi32(i));
        lanes->counts[i] = _mm512_mask_add_epi32(lanes->counts[i], of_type, lanes->counts[i], one);
    }
    const __mmask16 code = _mm512_cmpeq_epi32_mask(type, _mm512_setzero_si512());
    const __mmask16 data = (__mmask16)~code;
    lanes->code_least = _mm512_mask_min_epu32(lanes->code_least, code, lanes->code_least, address);
    lanes->code_most = _mm512_mask_max_epu32(lanes->code_most, code, lanes->code_most, address);
    lanes->data_least = _mm512_mask_min_epu32(lanes->data_least, data, lanes->data_least, address);
    lanes->data_most = _mm512_mask_max_epu32(lanes->data_most, data, lanes->data_most, address);
    const __m512i low = _mm512_and_si512(group->delta, _mm512_set1_epi64(UINT32_MAX));
    const __m512i high = _mm512_srli_epi64(group->delta, 32);
    lanes->time = _mm512_add_epi64(lanes->time, _mm512_add_epi64(low, high));
}

FOR_AVX512 void byu12_account_avx512(struct spoor_batch *batch)
{
    take_batch(batch);
}
#endif

/* SPDX-License-Identifier: MIT */
/*
 * byu12_stats_avx2.c: an account of BYU records of 12 bytes, eight at a time.
 */
#include "base/cpu.h"

#if CPU_MAY_HAVE_AVX2
#include <immintrin.h>

typedef __m256i words;
#define FOR_SIMD FOR_AVX2
#include "formats/byu/byu12_stats_count.h"

FOR_SIMD static inline void store_words(void *to, words from)
{
    _mm256_storeu_si256(to, from);
}

FOR_SIMD static inline words all_ones(void)
{
    return _mm256_set1_epi32(-1);
}

FOR_SIMD static inline struct group load_group(const char *at)
{
    const __m256i first = _mm256_loadu_si256((const void *)at);
    const __m256i second = _mm256_loadu_si256((const void *)(at + 32));
    const __m256i third = _mm256_loadu_si256((const void *)(at + 64));
    const __m256i next_lane = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
    const __m256i address =
        _mm256_blend_epi32(_mm256_blend_epi32(first, second, 0x92), third, 0x24);
    const __m256i head = _mm256_blend_epi32(_mm256_blend_epi32(first, second, 0x24), third, 0x49);
    const __m256i delta = _mm256_blend_epi32(_mm256_blend_epi32(first, second, 0x49), third, 0x92);
    return (struct group){address, _mm256_permutevar8x32_epi32(head, next_lane), delta};
}

FOR_SIMD static inline bool is_common(const struct group *group, uint32_t agent)
{
    const __m256i looked_at = _mm256_set1_epi32((int)BYU12_HEAD_LOOKED_AT);
    const __m256i wanted = _mm256_set1_epi32((int)(agent << 24));
    const __m256i differs = _mm256_xor_si256(_mm256_and_si256(group->head, looked_at), wanted);
    const __m256i without = _mm256_cmpeq_epi32(group->delta, _mm256_set1_epi32(-1));
    const __m256i any = _mm256_or_si256(differs, without);
    return _mm256_testz_si256(any, any);
}

FOR_SIMD static inline void count_group(struct lanes *lanes, const struct group *group)
{
    const __m256i type = _mm256_and_si256(group->head, _mm256_set1_epi32(0xFF));
    const __m256i address = group->address;
    const __m256i code = _mm256_cmpeq_epi32(type, _mm256_setzero_si256());
    const __m256i others = _mm256_xor_si256(code, _mm256_set1_epi32(-1));
    for (int i = 0; i < BYU12_TYPES; i++)
        lanes->counts[i] =
            _mm256_sub_epi32(lanes->counts[i], _mm256_cmpeq_epi32(type, _mm256_set1_epi32(i)));
    lanes->code_minimum = _mm256_min_epu32(lanes->code_minimum, _mm256_or_si256(address, others));
    lanes->code_maximum = _mm256_max_epu32(lanes->code_maximum, _mm256_and_si256(address, code));
    lanes->data_minimum = _mm256_min_epu32(lanes->data_minimum, _mm256_or_si256(address, code));
    lanes->data_maximum = _mm256_max_epu32(lanes->data_maximum, _mm256_and_si256(address, others));
    const __m256i low = _mm256_and_si256(group->delta, _mm256_set1_epi64x(UINT32_MAX));
    const __m256i high = _mm256_srli_epi64(group->delta, 32);
    lanes->time = _mm256_add_epi64(lanes->time, _mm256_add_epi64(low, high));
}

FOR_AVX2 void byu12_stats_avx2(struct spoor_batch *batch)
{
    count_batch(batch);
}
#endif

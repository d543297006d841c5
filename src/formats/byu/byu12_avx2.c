/* SPDX-License-Identifier: MIT */
/*
 * byu12_avx2.c: decode BYU records of 12 bytes to records of 64 bytes, in two stores each.
 *
 * One shuffle moves the bytes of the file to their positions in each half of the record; constants
 * fill the gaps.  The operation is looked up by type; a record without a delta is rare.
 */
#include "base/cpu.h"
#include "formats/byu/byu.h"

#if CPU_MAY_HAVE_AVX2
#include <immintrin.h>
#include <string.h>

enum { RECORD = 12, TYPE = 4, DELTA = 8 };

/* The layout that the two halves assume. */
_Static_assert(offsetof(struct spoor_record, kind) == 8, "first half");
_Static_assert(offsetof(struct spoor_record, has) == 10, "first half");
_Static_assert(offsetof(struct spoor_record, bus.address) == 16, "first half");
_Static_assert(offsetof(struct spoor_record, bus.delta) == 40, "second half");
_Static_assert(offsetof(struct spoor_record, bus.attr) == 50, "second half");
_Static_assert(offsetof(struct spoor_record, bus.size) == 52, "second half");
_Static_assert(offsetof(struct spoor_record, bus.code) == 56, "second half");
_Static_assert(offsetof(struct spoor_record, bus.agent) == 58, "second half");
_Static_assert(offsetof(struct spoor_record, bus.given) == 59, "second half");

/* False if the record has no delta. */
FOR_AVX2 static inline bool store_record(const char *at, struct spoor_record *record)
{
    const __m256i first_from = _mm256_setr_epi8(
        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* time to spelling */
        0, 1, 2, 3, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);    /* address, data[0] */
    const __m256i second_from = _mm256_setr_epi8(
        -1, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11, -1, -1, -1, -1, /* data[1], delta */
        -1, -1, 6, -1, 5, -1, -1, -1, 4, -1, 7, -1, -1, -1, -1, -1);  /* attr, size, code, agent */
    const __m256i first_more =
        _mm256_setr_epi64x(0, SPOOR_BUS | (SPOOR_HAS_PA | SPOOR_HAS_TIME) << 16, 0, 0);
    const __m256i second_more = _mm256_setr_epi64x(0, 0, 0, (int64_t)BYU_GIVEN << 24);
    const __m256i bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)at));
    const __m256i first = _mm256_or_si256(_mm256_shuffle_epi8(bytes, first_from), first_more);
    const __m256i second = _mm256_or_si256(_mm256_shuffle_epi8(bytes, second_from), second_more);
    _mm256_storeu_si256((void *)record, first);
    _mm256_storeu_si256((void *)((char *)record + 32), second);
    record->op = byu_type_op[(uint8_t)at[TYPE]];
    uint32_t delta;
    memcpy(&delta, at + DELTA, sizeof delta);
    return delta != UINT32_MAX;
}

FOR_AVX2 void byu12_decode_avx2(struct spoor_batch *batch)
{
    const size_t count = batch->text_size / RECORD;
    struct spoor_record *records = spoor_batch_reserve(batch, count);
    if (!records) return;
    const char *at = batch->text; /* loads reach past the text, where bytes are readable */
    for (size_t i = 0; i < count; i++, at += RECORD)
        if (!store_record(at, &records[i])) records[i].has = SPOOR_HAS_PA;
    batch->count += count;
    trailing_bytes(batch, RECORD);
}
#endif

/* SPDX-License-Identifier: MIT */
/*
 * byu12_avx512.c: BYU records of 12 bytes to records of 64, a record in one store.
 *
 * One shuffle brings the bytes of the file to where they lie in the record; constants are put
 * between them.  The rest is the operation, looked up by type, and the rare record without a delta.
 */
#include "base/avx512.h"
#include "formats/byu.h"

#if CPU_MAY_HAVE_AVX512
#include <string.h>

enum { RECORD = 12, ADDRESS = 0, TYPE = 4, SIZE, ATTRIBUTE, AGENT, DELTA = 8 };

/* Where each byte of a record comes from: it is one of 16 bytes that begin with the file's record.
 */
struct sources {
    _Alignas(64) uint8_t of[sizeof(struct spoor_record)];
};
enum { ZERO = 0x80 };

#define PLACE(field) offsetof(struct spoor_record, field)
#define WORD(from) from, from + 1, from + 2, from + 3

static struct sources sources(void)
{
    static const uint8_t address[] = {WORD(ADDRESS)}, delta[] = {WORD(DELTA)};
    struct sources sources;
    memset(sources.of, ZERO, sizeof sources.of);
    memcpy(sources.of + PLACE(bus.address), address, sizeof address);
    memcpy(sources.of + PLACE(bus.delta), delta, sizeof delta);
    sources.of[PLACE(bus.code)] = TYPE;
    sources.of[PLACE(bus.size)] = SIZE;
    sources.of[PLACE(bus.attr)] = ATTRIBUTE;
    sources.of[PLACE(bus.agent)] = AGENT;
    return sources;
}

FOR_AVX512 void byu12_decode_avx512(struct spoor_batch *batch)
{
    const size_t count = batch->text_size / RECORD;
    struct spoor_record *records = spoor_batch_reserve(batch, count);
    if (!records) return;
    const struct sources places = sources();
    const struct spoor_record same = {
        .kind = SPOOR_BUS, .has = SPOOR_HAS_PA | SPOOR_HAS_TIME, .bus.given = BYU_GIVEN};
    const __m512i from = _mm512_loadu_si512(&places), more = _mm512_loadu_si512(&same);
    const char *at = batch->text; /* loads reach beyond the text, where there are readable bytes */
    for (size_t i = 0; i < count; i++, at += RECORD) {
        const __m512i bytes = _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)at));
        const __m512i record = _mm512_or_si512(_mm512_shuffle_epi8(bytes, from), more);
        _mm512_storeu_si512(&records[i], record);
        records[i].op = byu_type_op[(uint8_t)at[TYPE]];
        uint32_t delta;
        memcpy(&delta, at + DELTA, sizeof delta);
        if (delta == UINT32_MAX) records[i].has = SPOOR_HAS_PA;
    }
    batch->count += count;
    trailing_bytes(batch, RECORD);
}
#endif

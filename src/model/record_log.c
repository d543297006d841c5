/* SPDX-License-Identifier: MIT */
/* record_log.c: records as their differences from the last one of their kind. */
#include "model/record_log.h"

#include <string.h>

#include "model/layout.h"

enum { WORDS = sizeof(struct spoor_record) / sizeof(uint64_t) };

/* Without what refers to the batch. */
static struct spoor_record plain(const struct spoor_record *record)
{
    struct spoor_record copy = *record;
    copy.spelling = SPOOR_NO_NAME;
    for (const uint8_t *at = record_layouts[copy.kind].refs; *at; at++)
        *layout_ref(&copy, *at) = (struct spoor_ref){0};
    return copy;
}

void record_log_add(struct record_log *log, struct text *bytes, const struct spoor_record *record,
                    uint64_t number)
{
    const struct spoor_record copy = plain(record);
    uint64_t now[WORDS], before[WORDS];
    unsigned changed = 0;
    memcpy(now, &copy, sizeof now);
    memcpy(before, &log->last[copy.kind], sizeof before);
    for (unsigned i = 0; i < WORDS; i++) changed |= (unsigned)(now[i] != before[i]) << i;
    text_varint(bytes, copy.kind);
    text_varint(bytes, number - log->number);
    text_varint(bytes, changed);
    for (unsigned i = 0; i < WORDS; i++)
        if (changed >> i & 1) text_signed_varint(bytes, (int64_t)(now[i] - before[i]));
    log->last[copy.kind] = copy;
    log->number = number;
}

bool record_log_next(struct record_log *log, struct unpacker *from, struct spoor_record *record)
{
    uint64_t words[WORDS];
    const size_t kind = unpack_below(from, SPOOR_KINDS);
    log->number += unpack(from);
    const size_t changed = unpack_below(from, 1U << WORDS);
    memcpy(words, &log->last[kind], sizeof words);
    for (unsigned i = 0; i < WORDS; i++)
        if (changed >> i & 1) words[i] += (uint64_t)unpack_signed(from);
    memcpy(record, words, sizeof words);
    from->failed |= record->kind != kind;
    if (from->failed) return false;
    *record = log->last[kind] = plain(record); /* damaged bytes refer to nothing, either */
    return true;
}

/* SPDX-License-Identifier: MIT */
/* text.c: records what the rules state about a line while they parse it. */
#include "formats/text/text.h"
#include "base/simd_text.h"

enum {
    HEX_WORD = 16, /* digits */
    BLOCK = 64,    /* bytes */
};

void text_forget(struct text_facts *learning)
{
    if (!learning) return;
    *learning = (struct text_facts){.line = learning->line,
                                    .first = learning->first,
                                    .spills = learning->spills,
                                    .faults = learning->faults,
                                    .arena = learning->arena};
}

void text_number(struct text_facts *learning, const char *begin, size_t digits, unsigned style,
                 size_t record, size_t offset)
{
    if (!learning) return;
    if (learning->count == TEXT_FIELDS || digits == 0 || digits > HEX_WORD ||
        begin < learning->line) {
        learning->refused = true;
        return;
    }
    learning->fields[learning->count++] =
        (struct text_field){.begin = begin,
                            .digits = (uint8_t)digits,
                            .style = (uint8_t)style,
                            .place = (uint16_t)(record * sizeof(struct spoor_record) + offset)};
}

void text_number_at(struct text_facts *learning, const char *begin, size_t digits, unsigned style,
                    const struct spoor_batch *batch, const uint64_t *value)
{
    if (!learning) return;
    const char *records = (const char *)(batch->records + learning->first);
    text_number(learning, begin, digits, style, 0, (size_t)((const char *)value - records));
}

void text_seconds(struct text_facts *learning, const char *begin, size_t size,
                  const struct spoor_batch *batch, const uint64_t *value)
{
    enum { SECONDS = 10 /* digits that fit in 64 bits as ns */ };
    if (!learning) return;
    const char *point = memchr(begin, '.', size);
    const size_t seconds = point ? (size_t)(point - begin) : 0;
    if (seconds == 0 || seconds > SECONDS) {
        learning->refused = true;
        return;
    }
    text_number_at(learning, begin, seconds, TEXT_DECIMAL | TEXT_LEADING | TEXT_SECONDS, batch,
                   value);
    if (!learning->refused) learning->fields[learning->count - 1].digits = (uint8_t)size;
}

void text_number_in_parts(struct text_facts *learning, const char *begin, size_t digits,
                          size_t low_digits, const struct spoor_batch *batch,
                          const uint64_t value[2])
{
    if (!learning) return;
    const bool parted = low_digits > 0;
    const size_t low = parted ? low_digits : digits < HEX_WORD ? digits : HEX_WORD;
    const size_t high = digits - low;
    text_number_at(learning, begin + high + parted, low, TEXT_HEX, batch, &value[0]);
    if (high == 0) return;
    const uint16_t place = learning->count ? learning->fields[learning->count - 1].place : 0;
    text_number_at(learning, begin, high, TEXT_HEX | TEXT_JOINED, batch, &value[1]);
    if (low == HEX_WORD) return;
    learning->refused |= learning->low_bits != 0;
    learning->low_bits = (uint16_t)(4 * low);
    learning->low_place = place;
}

void text_copy_word(struct text_facts *learning, const struct spoor_batch *batch,
                    const uint64_t *word, const uint64_t *from, uint64_t mask)
{
    if (!learning) return;
    const char *records = (const char *)(batch->records + learning->first);
    const uint16_t place = (uint16_t)((const char *)from - records);
    unsigned number = 0;
    while (number < learning->count && learning->fields[number].place != place) number++;
    if (number == learning->count) return;
    learning->refused |= learning->copy_count == TEXT_COPIES;
    if (learning->refused) return;
    learning->copies[learning->copy_count++] = (struct text_copy){
        .mask = mask, .place = (uint16_t)((const char *)word - records), .from = place};
}

void text_fixed(struct text_facts *learning, const char *at)
{
    if (!learning) return;
    learning->refused |= learning->fixed_count == TEXT_FIELDS;
    if (!learning->refused) learning->fixed[learning->fixed_count++] = at;
}

void text_place(struct text_facts *learning, size_t offset)
{
    if (!learning) return;
    learning->word_place = (uint16_t)offset;
    learning->has_word_place = true;
}

void text_tail(struct text_facts *learning, const char *begin, const char refuse[2])
{
    if (!learning) return;
    learning->tail = begin;
    memcpy(learning->refuse, refuse, sizeof learning->refuse);
}

const char *text_word(const char *at, const char *end, unsigned number)
{
    for (uint64_t before = 0; at < end; at += BLOCK) {
        const uint64_t bytes = simd_above(at, ' ', BLOCK);
        uint64_t begins = bytes & ~(bytes << 1 | before);
        before = bytes >> (BLOCK - 1);
        for (; begins; begins &= begins - 1)
            if (number-- == 0) {
                at += simd_first(begins);
                return at < end ? at : NULL;
            }
    }
    return NULL;
}

const char *text_column(const char *at, const char *end, char separator, unsigned number)
{
    for (; at < end; at += BLOCK)
        for (uint64_t found = simd_equals(at, separator, BLOCK); found; found &= found - 1)
            if (--number == 0) {
                at += simd_first(found) + 1;
                return at < end ? at : NULL;
            }
    return NULL;
}

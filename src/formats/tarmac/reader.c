/* SPDX-License-Identifier: MIT */
/* reader.c: reads the elements of the grammar: gaps, tokens, numbers, names. */
#include "formats/tarmac/reader.h"

#include <string.h>

#include "base/hex_run.h"

bool tarmac_read_char(struct tarmac_reader *reader, char c, const char *expected)
{
    return scan_char(&reader->scan, c) || tarmac_fail(reader, expected);
}

static size_t tarmac_spaces_at(const char *at, const char *end)
{
    const char *begin = at;
    while (at < end && *at == ' ') at++;
    return (size_t)(at - begin);
}

/* Returns a count of spaces as the spelling stores it. */
static uint8_t tarmac_keep_spaces(struct tarmac_reader *reader, size_t spaces)
{
    if (spaces > UINT8_MAX) reader->verbatim = true;
    return (uint8_t)spaces;
}

bool tarmac_read_gap_slow(struct tarmac_reader *reader)
{
    size_t spaces = tarmac_spaces_at(reader->scan.at, reader->scan.end);
    if (spaces == 0) return scan_done(&reader->scan) || tarmac_fail(reader, "a space");
    reader->scan.at += spaces;
    if (reader->gaps < SPELLING_GAPS)
        reader->spelling.gap[reader->gaps] = tarmac_keep_spaces(reader, spaces);
    else if (spaces != 1)
        reader->verbatim = true;
    reader->gaps++;
    return true;
}

bool tarmac_more(const struct tarmac_reader *reader)
{
    const struct scan *scan = &reader->scan;
    return scan->at + tarmac_spaces_at(scan->at, scan->end) < scan->end;
}

static struct spoor_slice tarmac_token_at(const char *at, const char *end)
{
    const char *begin = at;
    while (at < end && *at != ' ') at++;
    return (struct spoor_slice){begin, (size_t)(at - begin)};
}

struct spoor_slice tarmac_peek(const struct tarmac_reader *reader)
{
    const struct scan *scan = &reader->scan;
    return tarmac_token_at(scan->at + tarmac_spaces_at(scan->at, scan->end), scan->end);
}

bool tarmac_read_token(struct tarmac_reader *reader, struct spoor_slice *token,
                       const char *expected)
{
    if (!tarmac_more(reader)) return tarmac_fail(reader, expected);
    if (!tarmac_read_gap(reader)) return false;
    *token = tarmac_token_at(reader->scan.at, reader->scan.end);
    reader->scan.at += token->size;
    return true;
}

bool tarmac_read_rest(struct tarmac_reader *reader, struct spoor_ref *rest)
{
    if (!tarmac_more(reader)) return true;
    if (!tarmac_read_gap(reader)) return false;
    const char *begin = reader->scan.at, *end = reader->scan.end;
    while (end > begin && end[-1] == ' ') end--;
    if (!tarmac_unglued(reader, end)) return false;
    *rest = spoor_batch_refer(reader->batch, begin, (size_t)(end - begin));
    reader->scan.at = end;
    return true;
}

bool tarmac_read_end(struct tarmac_reader *reader)
{
    struct scan *scan = &reader->scan;
    if (scan_done(scan)) return true;
    size_t spaces = tarmac_spaces_at(scan->at, scan->end);
    if (scan->at + spaces < scan->end) return tarmac_fail(reader, "the end of the line");
    reader->spelling.trailing = tarmac_keep_spaces(reader, spaces);
    return true;
}

bool tarmac_read_decimal(struct tarmac_reader *reader, uint64_t maximum, uint64_t *value,
                         const char *expected)
{
    struct scan *scan = &reader->scan;
    const char *begin = scan->at, *at = begin;
    uint64_t sum = 0;
    for (unsigned digit; at < scan->end && (digit = (unsigned char)(*at - '0')) < 10; at++)
        sum = sum * 10 + digit;
    const size_t digits = (size_t)(at - begin);
    bool good = digits > 0 && digits <= 19; /* these cannot overflow */
    if (good) {
        scan->at = at;
        *value = sum;
    } else {
        good = scan_decimal(scan, value);
    }
    if (!good || *value > maximum) {
        scan->at = begin;
        return tarmac_fail(reader, expected);
    }
    if (*begin == '0' && scan->at > begin + 1) reader->verbatim = true;
    return true;
}

/* As scan_hex() reads; calling it instead makes `check` of a trace up to 3 % slower. */
bool tarmac_read_hex(struct tarmac_reader *reader, unsigned slot, uint64_t *value,
                     const char *expected)
{
    struct scan *scan = &reader->scan;
    unsigned digits = 0, letters = 0;
    uint64_t sum = 0;
    for (struct hex_run run = {.digits = 8}; run.digits == 8;) {
        run = hex_run_at(scan->at + digits);
        if (run.digits == 0) break;
        if (sum >> (64 - 4 * run.digits)) return tarmac_fail(reader, expected);
        sum = sum << 4 * run.digits | run.value;
        digits += run.digits;
        letters |= run.letters;
    }
    if (digits == 0) return tarmac_fail(reader, expected);
    if (digits > 16 || letters == 3) reader->verbatim = true;
    reader->number_at[slot] = scan->at;
    scan->at += digits;
    *value = sum;
    reader->spelling.width[slot] = (uint8_t)digits;
    reader->spelling.upper |= (uint8_t)((letters & 1) << slot);
    return true;
}

bool tarmac_read_bracket(struct tarmac_reader *reader, const char *expected)
{
    const struct scan *scan = &reader->scan;
    if (scan_done(scan) || *scan->at != '(') {
        if (!tarmac_read_gap(reader)) return false;
    } else if (reader->gaps++ < SPELLING_GAPS) {
        reader->spelling.gap[reader->gaps - 1] = 0;
    } else {
        reader->verbatim = true;
    }
    return tarmac_read_char(reader, '(', expected);
}

void tarmac_learn_decimal(struct tarmac_reader *reader, const char *begin, const uint64_t *value)
{
    text_number_at(reader->learning, begin, (size_t)(reader->scan.at - begin),
                   TEXT_DECIMAL | TEXT_LEADING, reader->batch, value);
}

void tarmac_learn(struct tarmac_reader *reader, unsigned slot, const uint64_t *value)
{
    text_number_at(reader->learning, reader->number_at[slot], reader->spelling.width[slot],
                   TEXT_HEX, reader->batch, value);
}

void tarmac_learn_address(struct tarmac_reader *reader, unsigned slot, const uint64_t *va,
                          const uint64_t *pa)
{
    tarmac_learn(reader, slot, va);
    if (reader->record->has & SPOOR_HAS_PA) tarmac_learn(reader, slot + 1, pa);
}

/* Data of more than two groups, or with unknown digits, is not learned. */
void tarmac_learn_data(struct tarmac_reader *reader, const uint64_t value[2])
{
    const struct spelling *spelling = &reader->spelling;
    if (!(reader->record->has & SPOOR_HAS_DATA)) return;
    if (spelling->separators > 1 || spelling->unknown || spelling->data_digits > 32 ||
        spelling->group > 16)
        text_refuse(reader->learning);
    else
        text_number_in_parts(reader->learning, reader->data_at, spelling->data_digits,
                             spelling->separators ? spelling->group : 0, reader->batch, value);
}

bool tarmac_read_index(struct tarmac_reader *reader, uint64_t *index)
{
    const struct scan *scan = &reader->scan;
    const char *bracket = scan->at + tarmac_spaces_at(scan->at, scan->end);
    if (bracket == scan->end || *bracket != '(') return true;
    if (!tarmac_read_bracket(reader, "'('")) return false;
    reader->record->has |= SPOOR_HAS_INDEX;
    const char *begin = reader->scan.at;
    if (!tarmac_read_decimal(reader, UINT64_MAX, index, "a decimal index in brackets"))
        return false;
    tarmac_learn_decimal(reader, begin, index);
    return tarmac_read_char(reader, ')', "')' after the index");
}

bool tarmac_intern(struct tarmac_reader *reader, struct spoor_slice bytes, spoor_name *name)
{
    if (bytes.size > LONGEST_NAME) return tarmac_fail(reader, "a name of at most 255 bytes");
    *name = spoor_names_intern(reader->decoder->names, bytes.bytes, bytes.size);
    reader->verbatim |= *name == SPOOR_NAMES_FULL;
    return true;
}

bool tarmac_intern_recent(struct tarmac_reader *reader, struct recent_name *recent,
                          struct spoor_slice bytes, spoor_name *name)
{
    if (bytes.size == recent->size && memcmp(bytes.bytes, recent->bytes, bytes.size) == 0) {
        *name = recent->name;
        return true;
    }
    if (!tarmac_intern(reader, bytes, name)) return false;
    if (bytes.size <= sizeof recent->bytes && *name != SPOOR_NAMES_FULL) {
        memcpy(recent->bytes, bytes.bytes, bytes.size);
        recent->size = bytes.size;
        recent->name = *name;
    }
    return true;
}

bool tarmac_read_name(struct tarmac_reader *reader, spoor_name *name, const char *expected)
{
    struct spoor_slice token;
    return tarmac_read_token(reader, &token, expected) && tarmac_intern(reader, token, name);
}

bool slice_is_hex(struct spoor_slice slice)
{
    for (size_t i = 0; i < slice.size; i++)
        if (hex_value[(unsigned char)slice.bytes[i]] > 15) return false;
    return slice.size != 0;
}

/* SPDX-License-Identifier: MIT */
/* reading.c: reads the elements of the grammar: gaps, tokens, numbers, names. */
#include "formats/tarmac/reading.h"

#include <string.h>

#include "base/hex_run.h"

bool reading_char(struct reading *reading, char c, const char *expected)
{
    return scan_char(&reading->scan, c) || reading_fail(reading, expected);
}

static size_t spaces_at(const char *at, const char *end)
{
    const char *begin = at;
    while (at < end && *at == ' ') at++;
    return (size_t)(at - begin);
}

/* Returns a count of spaces as the spelling stores it. */
static uint8_t spaces_kept(struct reading *reading, size_t spaces)
{
    if (spaces > UINT8_MAX) reading->verbatim = true;
    return (uint8_t)spaces;
}

bool reading_gap_slow(struct reading *reading)
{
    size_t spaces = spaces_at(reading->scan.at, reading->scan.end);
    if (spaces == 0) return scan_done(&reading->scan) || reading_fail(reading, "a space");
    reading->scan.at += spaces;
    if (reading->gaps < SPELLING_GAPS)
        reading->spelling.gap[reading->gaps] = spaces_kept(reading, spaces);
    else if (spaces != 1)
        reading->verbatim = true;
    reading->gaps++;
    return true;
}

bool reading_more(const struct reading *reading)
{
    const struct scan *scan = &reading->scan;
    return scan->at + spaces_at(scan->at, scan->end) < scan->end;
}

static struct spoor_slice token_at(const char *at, const char *end)
{
    const char *begin = at;
    while (at < end && *at != ' ') at++;
    return (struct spoor_slice){begin, (size_t)(at - begin)};
}

struct spoor_slice reading_peek(const struct reading *reading)
{
    const struct scan *scan = &reading->scan;
    return token_at(scan->at + spaces_at(scan->at, scan->end), scan->end);
}

bool reading_token(struct reading *reading, struct spoor_slice *token, const char *expected)
{
    if (!reading_more(reading)) return reading_fail(reading, expected);
    if (!reading_gap(reading)) return false;
    *token = token_at(reading->scan.at, reading->scan.end);
    reading->scan.at += token->size;
    return true;
}

bool reading_rest(struct reading *reading, struct spoor_ref *rest)
{
    if (!reading_more(reading)) return true;
    if (!reading_gap(reading)) return false;
    const char *begin = reading->scan.at, *end = reading->scan.end;
    while (end > begin && end[-1] == ' ') end--;
    if (!reading_unglued(reading, end)) return false;
    *rest = spoor_batch_refer(reading->batch, begin, (size_t)(end - begin));
    reading->scan.at = end;
    return true;
}

bool reading_end(struct reading *reading)
{
    struct scan *scan = &reading->scan;
    if (scan_done(scan)) return true;
    size_t spaces = spaces_at(scan->at, scan->end);
    if (scan->at + spaces < scan->end) return reading_fail(reading, "the end of the line");
    reading->spelling.trailing = spaces_kept(reading, spaces);
    return true;
}

/* Up to 19 digits cannot overflow; the careful scanner handles more. */
static bool scan_digits(struct scan *scan, uint64_t *value)
{
    const char *at = scan->at;
    uint64_t sum = 0;
    for (unsigned digit; at < scan->end && (digit = (unsigned char)(*at - '0')) < 10; at++)
        sum = sum * 10 + digit;
    size_t digits = (size_t)(at - scan->at);
    if (digits == 0 || digits > 19) return scan_decimal(scan, value);
    scan->at = at;
    *value = sum;
    return true;
}

bool reading_decimal(struct reading *reading, uint64_t maximum, uint64_t *value,
                     const char *expected)
{
    const char *begin = reading->scan.at;
    if (!scan_digits(&reading->scan, value) || *value > maximum) {
        reading->scan.at = begin;
        return reading_fail(reading, expected);
    }
    if (*begin == '0' && reading->scan.at > begin + 1) reading->verbatim = true;
    return true;
}

/* As scan_hex() reads; calling it instead makes `check` of a trace up to 3 % slower. */
bool reading_hex(struct reading *reading, unsigned slot, uint64_t *value, const char *expected)
{
    struct scan *scan = &reading->scan;
    unsigned digits = 0, letters = 0;
    uint64_t sum = 0;
    for (struct hex_run run = {.digits = 8}; run.digits == 8;) {
        run = hex_run_at(scan->at + digits);
        if (run.digits == 0) break;
        if (sum >> (64 - 4 * run.digits)) return reading_fail(reading, expected);
        sum = sum << 4 * run.digits | run.value;
        digits += run.digits;
        letters |= run.letters;
    }
    if (digits == 0) return reading_fail(reading, expected);
    if (digits > 16 || letters == 3) reading->verbatim = true;
    reading->number_at[slot] = scan->at;
    scan->at += digits;
    *value = sum;
    reading->spelling.width[slot] = (uint8_t)digits;
    reading->spelling.upper |= (uint8_t)((letters & 1) << slot);
    return true;
}

bool reading_bracket(struct reading *reading, const char *expected)
{
    const struct scan *scan = &reading->scan;
    if (scan_done(scan) || *scan->at != '(') {
        if (!reading_gap(reading)) return false;
    } else if (reading->gaps++ < SPELLING_GAPS) {
        reading->spelling.gap[reading->gaps - 1] = 0;
    } else {
        reading->verbatim = true;
    }
    return reading_char(reading, '(', expected);
}

void reading_learn_decimal(struct reading *reading, const char *begin, const uint64_t *value)
{
    text_number_at(reading->learning, begin, (size_t)(reading->scan.at - begin),
                   TEXT_DECIMAL | TEXT_LEADING, reading->batch, value);
}

void reading_learn(struct reading *reading, unsigned slot, const uint64_t *value)
{
    text_number_at(reading->learning, reading->number_at[slot], reading->spelling.width[slot],
                   TEXT_HEX, reading->batch, value);
}

void reading_learn_address(struct reading *reading, unsigned slot, const uint64_t *va,
                           const uint64_t *pa)
{
    reading_learn(reading, slot, va);
    if (reading->record->has & SPOOR_HAS_PA) reading_learn(reading, slot + 1, pa);
}

/* Data of more than two groups, or with unknown digits, is not learned. */
void reading_learn_data(struct reading *reading, const uint64_t value[2])
{
    const struct spelling *spelling = &reading->spelling;
    if (!(reading->record->has & SPOOR_HAS_DATA)) return;
    if (spelling->separators > 1 || spelling->unknown || spelling->data_digits > 32 ||
        spelling->group > 16)
        text_refuse(reading->learning);
    else
        text_number_in_parts(reading->learning, reading->data_at, spelling->data_digits,
                             spelling->separators ? spelling->group : 0, reading->batch, value);
}

bool reading_index(struct reading *reading, uint64_t *index)
{
    const struct scan *scan = &reading->scan;
    const char *bracket = scan->at + spaces_at(scan->at, scan->end);
    if (bracket == scan->end || *bracket != '(') return true;
    if (!reading_bracket(reading, "'('")) return false;
    reading->record->has |= SPOOR_HAS_INDEX;
    const char *begin = reading->scan.at;
    if (!reading_decimal(reading, UINT64_MAX, index, "a decimal index in brackets")) return false;
    reading_learn_decimal(reading, begin, index);
    return reading_char(reading, ')', "')' after the index");
}

bool reading_intern(struct reading *reading, struct spoor_slice bytes, spoor_name *name)
{
    if (bytes.size > LONGEST_NAME) return reading_fail(reading, "a name of at most 255 bytes");
    *name = spoor_names_intern(reading->decoder->names, bytes.bytes, bytes.size);
    reading->verbatim |= *name == SPOOR_NAMES_FULL;
    return true;
}

bool reading_intern_recent(struct reading *reading, struct recent_name *recent,
                           struct spoor_slice bytes, spoor_name *name)
{
    if (bytes.size == recent->size && memcmp(bytes.bytes, recent->bytes, bytes.size) == 0) {
        *name = recent->name;
        return true;
    }
    if (!reading_intern(reading, bytes, name)) return false;
    if (bytes.size <= sizeof recent->bytes && *name != SPOOR_NAMES_FULL) {
        memcpy(recent->bytes, bytes.bytes, bytes.size);
        recent->size = bytes.size;
        recent->name = *name;
    }
    return true;
}

bool reading_name(struct reading *reading, spoor_name *name, const char *expected)
{
    struct spoor_slice token;
    return reading_token(reading, &token, expected) && reading_intern(reading, token, name);
}

bool slice_is_hex(struct spoor_slice slice)
{
    for (size_t i = 0; i < slice.size; i++)
        if (hex_value[(unsigned char)slice.bytes[i]] > 15) return false;
    return slice.size != 0;
}

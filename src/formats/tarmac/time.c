/* SPDX-License-Identifier: MIT */
/*
 * time.c: {<time>} {<unit>}
 *
 * The time of a record is an integer.  A fractional time is stored in the next unit that makes it
 * an integer, in steps of a thousand: "10.356000us" is 10356000 ps, with six decimals in its
 * spelling.
 */
#include <string.h>

#include "formats/tarmac/writing.h"

static const char *const seconds[] = {"s", "ms", "us", "ns", "ps", "fs", "as"};
static const char *const counts[] = {"clk", "cyc", "tic", "cs"};
enum { SECONDS = sizeof seconds / sizeof *seconds, COUNTS = sizeof counts / sizeof *counts };

static int find_word(const char *const *words, int count, struct spoor_slice word)
{
    for (int i = 0; i < count; i++)
        if (slice_is(word, words[i])) return i;
    return -1;
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
}

/* Returns how much finer the record's unit is than the printed one: in thousands, for that many
 * decimals. */
static int steps_of(unsigned decimals)
{
    return (int)(decimals + 2) / 3;
}

static bool time_at_digit(const struct scan *scan)
{
    return scan->at < scan->end && (unsigned char)(*scan->at - '0') < 10;
}

/* Reads {.<digits>} after the integer part: the time becomes a count of the last digit. */
static bool read_fraction(struct reading *reading)
{
    struct scan *scan = &reading->scan;
    uint64_t *time = &reading->record->time;
    if (!scan_char(scan, '.')) return true;
    text_refuse(reading->learning);
    unsigned decimals = 0;
    for (; time_at_digit(scan) && decimals < SPELLING_DECIMALS; decimals++, scan->at++)
        if (__builtin_mul_overflow(*time, UINT64_C(10), time) ||
            __builtin_add_overflow(*time, (uint64_t)(*scan->at - '0'), time))
            return reading_fail(reading, "a time of at most 64 bits");
    if (decimals == 0) return reading_fail(reading, "the decimals of the time");
    reading->spelling.decimals = (uint8_t)decimals;
    return true;
}

bool reading_time(struct reading *reading)
{
    struct scan *scan = &reading->scan;
    const char *begin = scan->at;
    while (scan->at < scan->end && *scan->at == ' ') scan->at++;
    bool indented = scan->at > begin;
    if (time_at_digit(scan)) {
        reading->record->has |= SPOOR_HAS_TIME;
        if (!reading_decimal(reading, UINT64_MAX, &reading->record->time,
                             "a time of at most 64 bits"))
            return false;
        reading_learn_decimal(reading, begin + (indented ? strspn(begin, " ") : 0),
                              &reading->record->time);
        if (indented) reading->spelling.indent = (uint8_t)(scan->at - begin);
        if (scan->at - begin > UINT8_MAX) reading->verbatim = true;
        return read_fraction(reading);
    }
    reading->spelling.indent = (uint8_t)(scan->at - begin);
    if (scan->at - begin > UINT8_MAX) reading->verbatim = true;
    return true;
}

bool reading_is_unit(const struct reading *reading, struct spoor_slice word)
{
    if (!(reading->record->has & SPOOR_HAS_TIME))
        return find_word(seconds, SECONDS, word) >= 0 || find_word(counts, COUNTS, word) >= 0;
    for (size_t i = 0; i < word.size; i++)
        if ((unsigned char)((word.bytes[i] | 0x20) - 'a') >= 26) return false;
    return word.size > 0 && word.size < SPELLING_UNIT_SIZE;
}

bool reading_unit(struct reading *reading, struct spoor_slice unit)
{
    unsigned decimals = reading->spelling.decimals;
    if (decimals == 0) {
        memcpy(reading->spelling.unit, unit.bytes, unit.size);
        return true;
    }
    int coarse = find_word(seconds, SECONDS, unit), fine = coarse + steps_of(decimals);
    if (coarse < 0 || fine >= SECONDS)
        return reading_fail(reading, "s, ms, us, ns or ps after a fractional time");
    uint64_t scale = power_of_ten(3 * (unsigned)steps_of(decimals) - decimals);
    if (__builtin_mul_overflow(reading->record->time, scale, &reading->record->time))
        return reading_fail(reading, "a time of at most 64 bits");
    memcpy(reading->spelling.unit, seconds[fine], strlen(seconds[fine]));
    return true;
}

/* Returns the printed unit: coarser than the record's if the time is fractional. */
static const char *printed_unit(const struct spelling *spelling)
{
    if (spelling->decimals == 0) return spelling->unit;
    struct spoor_slice unit = {spelling->unit, strlen(spelling->unit)};
    int coarse = find_word(seconds, SECONDS, unit) - steps_of(spelling->decimals);
    return coarse >= 0 ? seconds[coarse] : spelling->unit;
}

static void write_number(struct writing *writing, uint64_t time)
{
    const struct spelling *spelling = &writing->spelling;
    unsigned decimals = spelling->decimals;
    if (decimals == 0 && spelling->indent == 0) {
        writing_decimal(writing, time);
        return;
    }
    time /= power_of_ten(3 * (unsigned)steps_of(decimals) - decimals);
    uint64_t whole = time / power_of_ten(decimals), rest = time % power_of_ten(decimals);
    for (unsigned used = decimal_digits(whole); used < spelling->indent; used++)
        writing_char(writing, ' ');
    writing_decimal(writing, whole);
    if (decimals == 0) return;
    writing_char(writing, '.');
    for (unsigned used = decimal_digits(rest); used < decimals; used++) writing_char(writing, '0');
    writing_decimal(writing, rest);
}

bool writing_time(struct writing *writing)
{
    const struct spelling *spelling = &writing->spelling;
    const char *unit = printed_unit(spelling);
    bool timed = writing->timed;
    if (timed) {
        write_number(writing, writing->record->time);
        if (*unit) writing_gap(writing);
    } else {
        for (unsigned i = 0; i < spelling->indent; i++) writing_char(writing, ' ');
    }
    writing_text(writing, unit);
    return timed || *unit;
}

/* SPDX-License-Identifier: MIT */
/*
 * event.c: E <value> {<mode>} {<value1>} <number> <desc>     exceptions, interrupts, mode changes
 *          E <name> {<value>}                                debug events and pins
 *          E <name> <text>, SIGNAL: <text>, CADI <text>,
 *          INFO_EXCEPTION_REASON: <text>                     messages of the simulator
 *
 * <value1> and <number> may be joined: 00dfdfdf00000003 is the value dfdfdf of event 3.
 */
#include "formats/tarmac/writing.h"

enum { VALUE = 0, VALUE1 = 2, NUMBER = 3, NUMBER_DIGITS = 8 };

static const char *const remarks[] = {
    [SPOOR_EVENT_SIGNAL] = "SIGNAL:",
    [SPOOR_EVENT_CADI] = "CADI",
    [SPOOR_EVENT_REASON] = "INFO_EXCEPTION_REASON:",
};

/* Reads <hexadecimal>, number `slot` of the spelling. */
static bool read_number(struct reading *reading, unsigned slot, uint64_t *value)
{
    return reading_gap(reading) && reading_hex(reading, slot, value, "a number in hexadecimal");
}

static bool read_value(struct reading *reading)
{
    struct spoor_event *event = &reading->record->event;
    struct address address;
    if (!reading_gap(reading) || !reading_address(reading, VALUE, &address)) return false;
    event->value = address.va;
    event->value_pa = address.pa;
    event->security = address.security;
    reading->record->has |= (uint16_t)(SPOOR_HAS_VA | (address.has_pa ? SPOOR_HAS_PA : 0));
    return true;
}

/* Reads {<mode>}: a word that is not a number. */
static bool read_mode(struct reading *reading)
{
    struct spoor_slice word = reading_peek(reading);
    if (word.size == 0 || slice_is_hex(word)) return true;
    return reading_name(reading, &reading->record->event.mode, "a mode");
}

/* Splits a number of more than NUMBER_DIGITS, which is the value and the number without a gap. */
static void split_number(struct reading *reading, uint64_t both)
{
    struct spelling *spelling = &reading->spelling;
    spelling->width[VALUE1] = (uint8_t)(spelling->width[NUMBER] - NUMBER_DIGITS);
    spelling->width[NUMBER] = NUMBER_DIGITS;
    if (spelling->upper >> NUMBER & 1) spelling->upper |= 1 << VALUE1;
    if (reading->gaps < SPELLING_GAPS)
        spelling->gap[reading->gaps] = 0;
    else
        reading->verbatim = true;
    reading->gaps++;
    reading->record->event.value1 = both >> 4 * NUMBER_DIGITS;
    reading->record->has |= SPOOR_HAS_EXTRA;
}

/* Reads {<value1>} <number>: of two numbers the first is the value. */
static bool read_numbers(struct reading *reading)
{
    struct spoor_event *event = &reading->record->event;
    uint64_t number;
    struct scan before = reading->scan;
    unsigned gaps = reading->gaps;
    struct spoor_slice first, second;
    if (!reading_token(reading, &first, "the number of the event")) return false;
    second = reading_peek(reading);
    reading->scan = before;
    reading->gaps = gaps;
    if (slice_is_hex(second)) {
        if (!read_number(reading, VALUE1, &event->value1)) return false;
        reading->record->has |= SPOOR_HAS_EXTRA;
    }
    const bool two = reading->record->has & SPOOR_HAS_EXTRA;
    if (!read_number(reading, NUMBER, &number)) return false;
    if (!two && reading->spelling.width[NUMBER] > NUMBER_DIGITS) split_number(reading, number);
    if (two && number > UINT32_MAX)
        return reading_fail(reading, "an event number of at most 32 bits");
    event->number = (uint32_t)number;
    reading->record->has |= SPOOR_HAS_INDEX;
    return true;
}

static bool read_description(struct reading *reading)
{
    struct spoor_ref rest = {0, 0};
    if (!reading_rest(reading, &rest)) return false;
    if (rest.size == 0) return reading_fail(reading, "the name of the event");
    struct spoor_slice name = {spoor_batch_bytes(reading->batch, rest), rest.size};
    return reading_intern(reading, name, &reading->record->event.name);
}

/* E <name> {<value>} or E <name> <text> */
static bool read_debug(struct reading *reading)
{
    struct spoor_event *event = &reading->record->event;
    reading->record->op = SPOOR_EVENT_DEBUG;
    if (!reading_name(reading, &event->name, "an event")) return false;
    struct spoor_slice word = reading_peek(reading);
    struct scan after = {word.bytes + word.size, reading->scan.end};
    while (scan_char(&after, ' ')) continue;
    if (!slice_is_hex(word) || !scan_done(&after) || word.size > 16)
        return reading_rest(reading, &event->text);
    reading->record->has |= SPOOR_HAS_VA;
    return read_number(reading, VALUE, &event->value);
}

bool event_line_read(struct reading *reading)
{
    struct spoor_slice word = reading_peek(reading);
    const char *colon = memchr(word.bytes, ':', word.size);
    if (colon) word.size = (size_t)(colon - word.bytes);
    if (!slice_is_hex(word)) return read_debug(reading);
    return read_value(reading) && read_mode(reading) && read_numbers(reading) &&
           read_description(reading);
}

bool remark_line_read(struct reading *reading)
{
    return reading_rest(reading, &reading->record->event.text);
}

static void write_debug(struct writing *writing)
{
    const struct spoor_event *event = &writing->record->event;
    writing_char(writing, 'E');
    writing_word_name(writing, event->name);
    if (writing->record->has & SPOOR_HAS_VA) {
        writing_gap(writing);
        writing_hex(writing, VALUE, event->value, 8);
    }
    writing_word_ref(writing, event->text);
}

static void write_event(struct writing *writing)
{
    const struct spoor_event *event = &writing->record->event;
    struct address value = {event->value, event->value_pa, event->security,
                            writing->record->has & SPOOR_HAS_PA};
    writing_char(writing, 'E');
    writing_gap(writing);
    writing_address(writing, VALUE, &value);
    if (event->mode) writing_word_name(writing, event->mode);
    if (writing->record->has & SPOOR_HAS_EXTRA) {
        writing_gap(writing);
        writing_hex(writing, VALUE1, event->value1, 8);
    }
    writing_gap(writing);
    writing_hex(writing, NUMBER, event->number, 8);
    writing_word_name(writing, event->name);
}

bool event_line_write(struct writing *writing)
{
    const struct spoor_record *record = writing->record;
    switch (record->op) {
    case SPOOR_EVENT_E:
        if (!(record->has & SPOOR_HAS_VA) || !(record->has & SPOOR_HAS_INDEX)) return false;
        write_event(writing);
        return true;
    case SPOOR_EVENT_DEBUG: write_debug(writing); return true;
    case SPOOR_EVENT_SIGNAL:
    case SPOOR_EVENT_CADI:
    case SPOOR_EVENT_REASON:
        writing_text(writing, remarks[record->op]);
        writing_word_ref(writing, record->event.text);
        return true;
    case SPOOR_EVENT_EXCEPTION: return !writing->foreign && exception_line_write(writing);
    default: return false;
    }
}

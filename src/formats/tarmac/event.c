/* SPDX-License-Identifier: MIT */
/*
 * event.c: E <value> {<mode>} {<value1>} <number> <desc>     exceptions, interrupts, mode changes
 *          E <name> {<value>}                                debug events and pins
 *          E <name> <text>, SIGNAL: <text>, CADI <text>,
 *          INFO_EXCEPTION_REASON: <text>                     messages of the simulator
 *          {ES} EXC {[<number>]} <name>, ES Reset            exceptions of the ES dialect
 *
 * <value1> and <number> may be joined: 00dfdfdf00000003 is the value dfdfdf of event 3.  The number
 * of an exception of ES is the offset of its vector in hexadecimal with 0x (A profile), or its
 * decimal number (M profile).
 */
#include "formats/tarmac/writer.h"

enum { VALUE = 0, VALUE1 = 2, NUMBER = 3, NUMBER_DIGITS = 8, VECTOR = 0 };

static const char *const remarks[] = {
    [SPOOR_EVENT_SIGNAL] = "SIGNAL:",
    [SPOOR_EVENT_CADI] = "CADI",
    [SPOOR_EVENT_REASON] = "INFO_EXCEPTION_REASON:",
};

/* Reads <hexadecimal>, number `slot` of the spelling. */
static bool event_read_number(struct tarmac_reader *reader, unsigned slot, uint64_t *value)
{
    return tarmac_read_gap(reader) &&
           tarmac_read_hex(reader, slot, value, "a number in hexadecimal");
}

/* Reads the rest of the line, which is a name. */
static bool event_read_rest(struct tarmac_reader *reader, const char *expected)
{
    struct spoor_ref rest = {0, 0};
    if (!tarmac_read_rest(reader, &rest)) return false;
    if (rest.size == 0) return tarmac_fail(reader, expected);
    struct spoor_slice name = {spoor_batch_bytes(reader->batch, rest), rest.size};
    return tarmac_intern(reader, name, &reader->record->event.name);
}

bool event_line_read(struct tarmac_reader *reader)
{
    struct spoor_event *event = &reader->record->event;
    struct address address;
    struct spoor_slice word = tarmac_peek(reader);
    const char *colon = memchr(word.bytes, ':', word.size);
    if (colon) word.size = (size_t)(colon - word.bytes);
    if (!slice_is_hex(word)) { /* E <name> {<value>} or E <name> <text> */
        reader->record->op = SPOOR_EVENT_DEBUG;
        if (!tarmac_read_name(reader, &event->name, "an event")) return false;
        word = tarmac_peek(reader);
        struct scan after = {word.bytes + word.size, reader->scan.end};
        while (scan_char(&after, ' ')) continue;
        if (!slice_is_hex(word) || !scan_done(&after) || word.size > 16)
            return tarmac_read_rest(reader, &event->text);
        reader->record->has |= SPOOR_HAS_VA;
        return event_read_number(reader, VALUE, &event->value);
    }
    if (!tarmac_read_gap(reader) || !tarmac_read_address(reader, VALUE, &address)) return false;
    event->value = address.va;
    event->value_pa = address.pa;
    event->security = address.security;
    reader->record->has |= (uint16_t)(SPOOR_HAS_VA | (address.has_pa ? SPOOR_HAS_PA : 0));
    word = tarmac_peek(reader); /* a word that is not a number is the mode */
    if (word.size && !slice_is_hex(word) && !tarmac_read_name(reader, &event->mode, "a mode"))
        return false;
    /* {<value1>} <number>: of two numbers the first is the value */
    struct spelling *spelling = &reader->spelling;
    const struct scan before = reader->scan;
    const unsigned gaps = reader->gaps;
    struct spoor_slice token;
    uint64_t number;
    if (!tarmac_read_token(reader, &token, "the number of the event")) return false;
    const bool two = slice_is_hex(tarmac_peek(reader));
    reader->scan = before;
    reader->gaps = gaps;
    if (two) {
        if (!event_read_number(reader, VALUE1, &event->value1)) return false;
        reader->record->has |= SPOOR_HAS_EXTRA;
    }
    if (!event_read_number(reader, NUMBER, &number)) return false;
    if (!two && spelling->width[NUMBER] > NUMBER_DIGITS) { /* the two without a gap */
        spelling->width[VALUE1] = (uint8_t)(spelling->width[NUMBER] - NUMBER_DIGITS);
        spelling->width[NUMBER] = NUMBER_DIGITS;
        if (spelling->upper >> NUMBER & 1) spelling->upper |= 1 << VALUE1;
        if (reader->gaps < SPELLING_GAPS)
            spelling->gap[reader->gaps] = 0;
        else
            reader->verbatim = true;
        reader->gaps++;
        event->value1 = number >> 4 * NUMBER_DIGITS;
        reader->record->has |= SPOOR_HAS_EXTRA;
    }
    if (two && number > UINT32_MAX)
        return tarmac_fail(reader, "an event number of at most 32 bits");
    event->number = (uint32_t)number;
    reader->record->has |= SPOOR_HAS_INDEX;
    return event_read_rest(reader, "the name of the event");
}

bool remark_line_read(struct tarmac_reader *reader)
{
    return tarmac_read_rest(reader, &reader->record->event.text);
}

bool event_line_write(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    const struct spoor_event *event = &record->event;
    const struct address value = {event->value, event->value_pa, event->security,
                                  record->has & SPOOR_HAS_PA};
    switch (record->op) {
    case SPOOR_EVENT_E:
        if (!(record->has & SPOOR_HAS_VA) || !(record->has & SPOOR_HAS_INDEX)) return false;
        tarmac_write_char(writer, 'E');
        tarmac_write_gap(writer);
        tarmac_write_address(writer, VALUE, &value);
        if (event->mode) tarmac_write_word_name(writer, event->mode);
        if (record->has & SPOOR_HAS_EXTRA) {
            tarmac_write_gap(writer);
            tarmac_write_hex(writer, VALUE1, event->value1, 8);
        }
        tarmac_write_gap(writer);
        tarmac_write_hex(writer, NUMBER, event->number, 8);
        tarmac_write_word_name(writer, event->name);
        return true;
    case SPOOR_EVENT_DEBUG:
        tarmac_write_char(writer, 'E');
        tarmac_write_word_name(writer, event->name);
        if (record->has & SPOOR_HAS_VA) {
            tarmac_write_gap(writer);
            tarmac_write_hex(writer, VALUE, event->value, 8);
        }
        tarmac_write_word_ref(writer, event->text);
        return true;
    case SPOOR_EVENT_SIGNAL:
    case SPOOR_EVENT_CADI:
    case SPOOR_EVENT_REASON:
        tarmac_write_text(writer, remarks[record->op]);
        tarmac_write_word_ref(writer, event->text);
        return true;
    case SPOOR_EVENT_EXCEPTION: return !writer->foreign && exception_line_write(writer);
    default: return false;
    }
}

/* ---- exceptions of the ES dialect ---- */

bool exception_line_read(struct tarmac_reader *reader)
{
    const struct spoor_slice token = tarmac_peek(reader);
    uint64_t number;
    reader->spelling.shape |= EVENT_EXC;
    if (token.size && *token.bytes == '[') {
        if (!tarmac_read_gap(reader) || !tarmac_read_char(reader, '[', "'['")) return false;
        if (SCAN_LITERAL(&reader->scan, "0x")) {
            reader->spelling.shape |= EVENT_0X;
            if (!tarmac_read_hex(reader, VECTOR, &number, "the offset of the vector")) return false;
        } else if (!tarmac_read_decimal(reader, UINT32_MAX, &number,
                                        "the number of the exception")) {
            return false;
        }
        if (number > UINT32_MAX) return tarmac_fail(reader, "a number of at most 32 bits");
        reader->record->event.number = (uint32_t)number;
        reader->record->has |= SPOOR_HAS_INDEX;
        if (!tarmac_read_char(reader, ']', "']' after the number")) return false;
    }
    return event_read_rest(reader, "the name of the exception");
}

bool es_exception_line_read(struct tarmac_reader *reader)
{
    struct spoor_slice token = tarmac_peek(reader);
    reader->spelling.shape |= EVENT_ES;
    if (slice_is(token, "Reset")) return event_read_rest(reader, "the name of the exception");
    if (!slice_is(token, "EXC")) return tarmac_fail(reader, "'(', EXC or Reset after ES");
    return tarmac_read_token(reader, &token, "EXC") && exception_line_read(reader);
}

bool exception_line_write(struct tarmac_writer *writer)
{
    const struct spoor_record *record = writer->record;
    unsigned shape = writer->spelling.shape;
    if (record->op != SPOOR_EVENT_EXCEPTION) return false;
    if (shape & EVENT_ES) tarmac_write_text(writer, "ES");
    if (shape & EVENT_ES && shape & EVENT_EXC) tarmac_write_gap(writer);
    if (shape & EVENT_EXC) tarmac_write_text(writer, "EXC");
    if (record->has & SPOOR_HAS_INDEX) {
        tarmac_write_word(writer, "[");
        if (shape & EVENT_0X) {
            tarmac_write_text(writer, "0x");
            tarmac_write_hex(writer, VECTOR, record->event.number, 1);
        } else {
            tarmac_write_decimal(writer, record->event.number);
        }
        tarmac_write_char(writer, ']');
    }
    tarmac_write_word_name(writer, record->event.name);
    return true;
}

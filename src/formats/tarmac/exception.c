/* SPDX-License-Identifier: MIT */
/*
 * exception.c: {ES} EXC {[<number>]} <name>, ES Reset
 *
 * An exception of the ES dialect.  The number is the offset of its vector in hexadecimal with 0x (A
 * profile), or its decimal number (M profile).
 */
#include "formats/tarmac/writing.h"

enum { NUMBER };

/* {[<number>]} */
static bool read_number(struct reading *reading)
{
    struct spoor_event *event = &reading->record->event;
    struct spoor_slice token = reading_peek(reading);
    uint64_t number;
    if (token.size == 0 || *token.bytes != '[') return true;
    if (!reading_gap(reading) || !reading_char(reading, '[', "'['")) return false;
    if (SCAN_LITERAL(&reading->scan, "0x")) {
        reading->spelling.shape |= EVENT_0X;
        if (!reading_hex(reading, NUMBER, &number, "the offset of the vector")) return false;
    } else if (!reading_decimal(reading, UINT32_MAX, &number, "the number of the exception")) {
        return false;
    }
    if (number > UINT32_MAX) return reading_fail(reading, "a number of at most 32 bits");
    event->number = (uint32_t)number;
    reading->record->has |= SPOOR_HAS_INDEX;
    return reading_char(reading, ']', "']' after the number");
}

static bool read_name(struct reading *reading)
{
    struct spoor_ref rest = {0, 0};
    if (!reading_rest(reading, &rest)) return false;
    if (rest.size == 0) return reading_fail(reading, "the name of the exception");
    struct spoor_slice name = {spoor_batch_bytes(reading->batch, rest), rest.size};
    return reading_intern(reading, name, &reading->record->event.name);
}

bool exception_line_read(struct reading *reading)
{
    reading->spelling.shape |= EVENT_EXC;
    return read_number(reading) && read_name(reading);
}

bool es_exception_line_read(struct reading *reading)
{
    struct spoor_slice token = reading_peek(reading);
    reading->spelling.shape |= EVENT_ES;
    if (slice_is(token, "Reset")) return read_name(reading);
    if (!slice_is(token, "EXC")) return reading_fail(reading, "'(', EXC or Reset after ES");
    return reading_token(reading, &token, "EXC") && exception_line_read(reading);
}

bool exception_line_write(struct writing *writing)
{
    const struct spoor_record *record = writing->record;
    unsigned shape = writing->spelling.shape;
    if (record->op != SPOOR_EVENT_EXCEPTION) return false;
    if (shape & EVENT_ES) writing_text(writing, "ES");
    if (shape & EVENT_ES && shape & EVENT_EXC) writing_gap(writing);
    if (shape & EVENT_EXC) writing_text(writing, "EXC");
    if (record->has & SPOOR_HAS_INDEX) {
        writing_word(writing, "[");
        if (shape & EVENT_0X) {
            writing_text(writing, "0x");
            writing_hex(writing, NUMBER, record->event.number, 1);
        } else {
            writing_decimal(writing, record->event.number);
        }
        writing_char(writing, ']');
    }
    writing_word_name(writing, record->event.name);
    return true;
}

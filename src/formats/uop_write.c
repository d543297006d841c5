/* SPDX-License-Identifier: MIT */
/*
 * uop_write.c: putting micro-op lines together.
 *
 * Printing pads as the course's printf does:
 * "%d %x %2d %2d %2d %c %c %c %9d %12x %12x %12x %-8s %s\n", with numbers of full range.
 * Writing gives each line the blanks that it had.
 */
#include "formats/uop.h"

enum { LONGEST_NUMBERS = 256 }; /* bytes of a padded line without its opcodes */

/* A micro-op with all that its line needs. */
struct uop_text {
    struct spoor_uop_full number;
    const char *macro, *micro;
    size_t macro_size, micro_size;
    char flags, branch, ldst;
};

static char letter(uint8_t op, uint8_t first_bit, char first, uint8_t second_bit, char second)
{
    return (op & first_bit) ? first : (op & second_bit) ? second : '-';
}

static struct uop_text text_of(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_names *names = batch->stream->names;
    const uint8_t op = record->op;
    struct uop_text text = {
        .number = spoor_uop_of(batch, index),
        .flags = letter(op, SPOOR_UOP_READS_FLAGS, 'R', SPOOR_UOP_WRITES_FLAGS, 'W'),
        .branch = letter(op, SPOOR_UOP_TAKEN, 'T', SPOOR_UOP_NOT_TAKEN, 'N'),
        .ldst = letter(op, SPOOR_UOP_LOAD, 'L', SPOOR_UOP_STORE, 'S'),
    };
    text.macro = spoor_names_text(names, record->uop.macro, &text.macro_size);
    text.micro = spoor_names_text(names, record->uop.micro, &text.micro_size);
    return text;
}

/* A field and the space behind it. */
static char *put_decimal_field(char *at, int64_t value, unsigned width)
{
    return put_char(put_signed_padded(at, value, width), ' ');
}
static char *put_hex_field(char *at, uint64_t value, unsigned width)
{
    return put_char(put_hex_padded(at, value, width), ' ');
}
static char *put_letter_field(char *at, char value)
{
    return put_char(put_char(at, value), ' ');
}

static char *put_padded(char *at, const struct uop_text *text)
{
    const struct spoor_uop_full *number = &text->number;
    at = put_decimal_field(at, number->step, uop_widths[UOP_STEP]);
    at = put_hex_field(at, number->pc, uop_widths[UOP_PC]);
    at = put_decimal_field(at, number->src1, uop_widths[UOP_SRC1]);
    at = put_decimal_field(at, number->src2, uop_widths[UOP_SRC2]);
    at = put_decimal_field(at, number->dest, uop_widths[UOP_DEST]);
    at = put_letter_field(at, text->flags);
    at = put_letter_field(at, text->branch);
    at = put_letter_field(at, text->ldst);
    at = put_decimal_field(at, number->immediate, uop_widths[UOP_IMMEDIATE]);
    at = put_hex_field(at, number->address, uop_widths[UOP_ADDRESS]);
    at = put_hex_field(at, number->fall, uop_widths[UOP_FALL]);
    at = put_hex_field(at, number->target, uop_widths[UOP_TARGET]);
    at = put_bytes(at, text->macro, text->macro_size);
    for (size_t size = text->macro_size; size < uop_widths[UOP_MACRO]; size++)
        at = put_char(at, ' ');
    return put_bytes(put_char(at, ' '), text->micro, text->micro_size);
}

static char *put_field(char *at, const struct uop_text *text, enum uop_field field)
{
    const struct spoor_uop_full *number = &text->number;
    switch (field) {
    case UOP_STEP: return put_signed(at, number->step);
    case UOP_PC: return put_hex(at, number->pc, 1);
    case UOP_SRC1: return put_signed(at, number->src1);
    case UOP_SRC2: return put_signed(at, number->src2);
    case UOP_DEST: return put_signed(at, number->dest);
    case UOP_FLAGS: return put_char(at, text->flags);
    case UOP_BRANCH: return put_char(at, text->branch);
    case UOP_LDST: return put_char(at, text->ldst);
    case UOP_IMMEDIATE: return put_signed(at, number->immediate);
    case UOP_ADDRESS: return put_hex(at, number->address, 1);
    case UOP_FALL: return put_hex(at, number->fall, 1);
    case UOP_TARGET: return put_hex(at, number->target, 1);
    case UOP_MACRO: return put_bytes(at, text->macro, text->macro_size);
    case UOP_MICRO: return put_bytes(at, text->micro, text->micro_size);
    default: return at;
    }
}

/* `gaps`: fifteen strings, each ended by a zero byte. */
static char *put_spelled(char *at, const struct uop_text *text, const char *gaps)
{
    for (enum uop_field field = UOP_STEP; field < UOP_FIELDS; field++) {
        while (*gaps) at = put_char(at, *gaps++);
        gaps++;
        at = put_field(at, text, field);
    }
    while (*gaps) at = put_char(at, *gaps++);
    return at;
}

static void put_uop(const struct spoor_batch *batch, size_t index, bool spelled, struct text *out)
{
    const struct spoor_record *record = &batch->records[index];
    const struct uop_text text = text_of(batch, index);
    char *at =
        text_reserve(out, LONGEST_NUMBERS + LONGEST_SPELLING + text.macro_size + text.micro_size);
    if (!at) return;
    if (spelled && record->spelling != SPOOR_NO_NAME) {
        const char *gaps = spoor_names_text(batch->stream->spellings, record->spelling, NULL);
        at = put_spelled(at, &text, gaps + SPELLING_UNIT_SIZE);
    } else {
        at = put_padded(at, &text);
    }
    text_commit(out, put_eol(at, record));
}

void uop_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    const bool own = batch->stream->format->write == uop_write;
    for (size_t i = from; i < to; i++) {
        const bool taken = own && put_verbatim(batch, i, out);
        const bool writable = taken || batch->records[i].kind == SPOOR_UOP;
        if (writable && !taken) put_uop(batch, i, own, out);
        encoder->written += writable;
        encoder->skipped += !writable;
    }
}

/* An odd line is printed from its fields as well, unless its opcodes found no room in the table. */
static bool printable(const struct spoor_record *record)
{
    return record->kind == SPOOR_UOP &&
           !((record->has & SPOOR_IS_ODD) && record->uop.macro == SPOOR_NO_NAME);
}

void uop_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out)
{
    for (size_t i = from; i < to; i++) {
        const bool fields = printable(&batch->records[i]);
        if (fields) put_uop(batch, i, false, out);
        const bool done = fields || put_verbatim(batch, i, out);
        encoder->written += done;
        encoder->skipped += !done;
    }
}

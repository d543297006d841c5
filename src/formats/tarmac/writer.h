/* SPDX-License-Identifier: MIT */
/*
 * writer.h: a line that is being written: the inverse of reader.h.
 *
 * The capacity for the longest line of the record was reserved before, so these functions write
 * without checks.
 */
#ifndef SPOOR_FORMATS_TARMAC_WRITER_H
#define SPOOR_FORMATS_TARMAC_WRITER_H

#include <string.h>

#include "formats/tarmac/dialect.h"
#include "formats/tarmac/reader.h"
#include "formats/tarmac/spelling.h"

struct tarmac_writer {
    const struct dialect *dialect;
    const struct spoor_batch *batch;
    const struct spoor_record *record;
    size_t index; /* of the record in the batch */
    bool foreign; /* the record belongs to another format: it is written canonically */
    bool timed;   /* the line has a time */
    struct encoder *encoder;
    struct spelling spelling;
    unsigned gaps;
    char *at;
};

/* Writes the spaces before the next token. */
void tarmac_write_gap_slow(struct tarmac_writer *writer, unsigned spaces);
static inline void tarmac_write_gap(struct tarmac_writer *writer)
{
    const unsigned gap = writer->gaps++;
    const unsigned spaces = gap < SPELLING_GAPS ? writer->spelling.gap[gap] : 1;
    if (spaces == 1)
        *writer->at++ = ' ';
    else
        tarmac_write_gap_slow(writer, spaces);
}
static inline void tarmac_write_char(struct tarmac_writer *writer, char c)
{
    *writer->at++ = c;
}
static inline void tarmac_write_bytes(struct tarmac_writer *writer, const char *bytes, size_t size)
{
    writer->at = put_bytes(writer->at, bytes, size);
}
static inline void tarmac_write_text(struct tarmac_writer *writer, const char *text)
{
    tarmac_write_bytes(writer, text, strlen(text));
}
void tarmac_write_name(struct tarmac_writer *writer, spoor_name name);
void tarmac_write_decimal(struct tarmac_writer *writer, uint64_t value);
/* Begins another line of the record, with a head of its own. */
void tarmac_next_line(struct tarmac_writer *writer);
/* Writes number `slot`, with `canonical` digits if the spelling states none. */
void tarmac_write_hex(struct tarmac_writer *writer, unsigned slot, uint64_t value,
                      unsigned canonical);
/* Writes a gap and (<index>), if the record has one. */
void tarmac_write_index(struct tarmac_writer *writer, uint64_t index);
/* Writes a gap and a word, name or reference. */
void tarmac_write_word(struct tarmac_writer *writer, const char *word);
void tarmac_write_word_name(struct tarmac_writer *writer, spoor_name name);
void tarmac_write_word_ref(struct tarmac_writer *writer, struct spoor_ref ref);

/* Writes the indent, the time and the unit; false if neither of the last two was written. */
bool tarmac_write_time(struct tarmac_writer *writer);
void tarmac_write_address(struct tarmac_writer *writer, unsigned slot,
                          const struct address *address);
void tarmac_write_security(struct tarmac_writer *writer, uint8_t security);

/* The prefix of a physical address in a diagram, by security: "", "S:", "NS:"... */
extern const char *const diagram_prefixes[];
/* Returns the minimum number of digits for data of `bytes` bytes and this value. */
unsigned data_canonical_digits(const struct data *data, unsigned bytes);
/* Writes data; `data->digits` is the canonical number of digits, `group` the canonical grouping, 0
 * for none. */
void tarmac_write_data(struct tarmac_writer *writer, const struct data *data, unsigned group,
                       bool upper);

/* The writer's state in encoder->word. */
enum {
    TIME_SEEN,      /* 1: a record stated a time, which others have inherited */
    UNIT_SEEN,      /* its unit, as eight characters */
    WIDE_ADDRESSES, /* 1: the last instruction was of the A64 set */
    TIME_WRITTEN,   /* 1: the trace contains encoder->time */
};

#endif

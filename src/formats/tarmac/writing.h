/* SPDX-License-Identifier: MIT */
/*
 * writing.h: a line that is being written: the inverse of reading.h.
 *
 * The capacity for the longest line of the record was reserved before, so these functions write
 * without checks.
 */
#ifndef SPOOR_FORMATS_TARMAC_WRITING_H
#define SPOOR_FORMATS_TARMAC_WRITING_H

#include <string.h>

#include "formats/tarmac/dialect.h"
#include "formats/tarmac/reading.h"
#include "formats/tarmac/spelling.h"

struct writing {
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
void writing_gap_slow(struct writing *writing, unsigned spaces);
static inline void writing_gap(struct writing *writing)
{
    const unsigned gap = writing->gaps++;
    const unsigned spaces = gap < SPELLING_GAPS ? writing->spelling.gap[gap] : 1;
    if (spaces == 1)
        *writing->at++ = ' ';
    else
        writing_gap_slow(writing, spaces);
}
static inline void writing_char(struct writing *writing, char c)
{
    *writing->at++ = c;
}
static inline void writing_bytes(struct writing *writing, const char *bytes, size_t size)
{
    writing->at = put_bytes(writing->at, bytes, size);
}
static inline void writing_text(struct writing *writing, const char *text)
{
    writing_bytes(writing, text, strlen(text));
}
void writing_name(struct writing *writing, spoor_name name);
void writing_decimal(struct writing *writing, uint64_t value);
/* Begins another line of the record, with a head of its own. */
void writing_next_line(struct writing *writing);
/* Writes number `slot`, with `canonical` digits if the spelling states none. */
void writing_hex(struct writing *writing, unsigned slot, uint64_t value, unsigned canonical);
/* Writes a gap and (<index>), if the record has one. */
void writing_index(struct writing *writing, uint64_t index);
/* Writes a gap and a word, name or reference. */
void writing_word(struct writing *writing, const char *word);
void writing_word_name(struct writing *writing, spoor_name name);
void writing_word_ref(struct writing *writing, struct spoor_ref ref);

/* Writes the indent, the time and the unit; false if neither of the last two was written. */
bool writing_time(struct writing *writing);
void writing_address(struct writing *writing, unsigned slot, const struct address *address);
void writing_security(struct writing *writing, uint8_t security);
void writing_physical(struct writing *writing, unsigned slot, uint64_t pa, uint8_t security);
/* The prefix of a physical address in a diagram, by security: "", "S:", "NS:"... */
extern const char *const diagram_prefixes[];
/* Returns the minimum number of digits for data of `bytes` bytes and this value. */
unsigned data_canonical_digits(const struct data *data, unsigned bytes);
/* Writes data; `data->digits` is the canonical number of digits, `group` the canonical grouping, 0
 * for none. */
void writing_data(struct writing *writing, const struct data *data, unsigned group, bool upper);

/* The writer's state in encoder->word. */
enum {
    TIME_SEEN,      /* 1: a record stated a time, which others have inherited */
    UNIT_SEEN,      /* its unit, as eight characters */
    WIDE_ADDRESSES, /* 1: the last instruction was of the A64 set */
    TIME_WRITTEN,   /* 1: the trace contains encoder->time */
};

#endif

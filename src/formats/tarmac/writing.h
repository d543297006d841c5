/* SPDX-License-Identifier: MIT */
/*
 * writing.h: a line being written: the mirror of reading.h.
 *
 * The room for the longest line that the record can give was reserved before; what is put here is
 * put without checks.
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
    bool foreign; /* the record comes from another format: written canonically */
    bool timed;   /* the line has a time */
    struct encoder *encoder;
    struct spelling spelling;
    unsigned gaps;
    char *at;
};

/* The spaces before the next token. */
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
void writing_ref(struct writing *writing, struct spoor_ref ref);
void writing_name(struct writing *writing, spoor_name name);
void writing_decimal(struct writing *writing, uint64_t value);
/* The record goes on in another line, with a head of its own. */
void writing_next_line(struct writing *writing);
/* Number `slot`; `canonical` digits where the spelling does not say. */
void writing_hex(struct writing *writing, unsigned slot, uint64_t value, unsigned canonical);
/* A gap and (<index>), if the record has one. */
void writing_index(struct writing *writing, uint64_t index);
/* A gap and a word, name or reference. */
void writing_word(struct writing *writing, const char *word);
void writing_word_name(struct writing *writing, spoor_name name);
void writing_word_ref(struct writing *writing, struct spoor_ref ref);

/* The indent, the time and the unit: false where neither of the last two was put. */
bool writing_time(struct writing *writing);
void writing_address(struct writing *writing, unsigned slot, const struct address *address);
void writing_security(struct writing *writing, uint8_t security);
void writing_physical(struct writing *writing, unsigned slot, uint64_t pa, uint8_t security);
/* What stands before a physical address of a diagram, by security: "", "S:", "NS:"... */
extern const char *const diagram_prefixes[];
/* Digits that data of `bytes` bytes and this value need at least. */
unsigned data_canonical_digits(const struct data *data, unsigned bytes);
/* `data->digits` is the canonical number of them; `group` the canonical grouping, 0 for none. */
void writing_data(struct writing *writing, const struct data *data, unsigned group, bool upper);

/* What the writer remembers in encoder->word. */
enum {
    TIME_SEEN,      /* 1: a record stated a time, so that others have inherited one */
    UNIT_SEEN,      /* its unit, as eight characters */
    WIDE_ADDRESSES, /* 1: the last instruction was of the A64 set */
    TIME_WRITTEN,   /* 1: encoder->time stands in the trace */
};

#endif

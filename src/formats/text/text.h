/* SPDX-License-Identifier: MIT */
/*
 * formats/text/text.h: text formats, read fast.
 *
 * A format writes plain rules: a function that takes one line apart and makes its records.  While
 * it does so it says which bytes of the line are numbers, and where in the records their values
 * stand (text_number() and the functions beside it).  All other bytes decide everything else.  That
 * is the line's layout: a line with the same bytes but for the digits of its numbers makes the same
 * records but for their values, and is decoded without the rules from then on, 64 bytes at a time.
 * A line without numbers is recognised by all of its bytes.
 *
 * The rules stay the definition.  A layout is kept only where it makes, of the line that it was
 * learnt of, the records that the rules made; a test and a fuzz target hold the two equal for every
 * text format.
 *
 * What a line makes may depend on the line, on the decoder's options and on nothing else; where it
 * depends on lines before, the rules say text_refuse().
 */
#ifndef SPOOR_FORMATS_TEXT_TEXT_H
#define SPOOR_FORMATS_TEXT_TEXT_H

#include "formats/format.h"

enum { TEXT_FIELDS = 8, TEXT_LINE = 128 /* bytes of a layout */ };

/* How a number is written. */
enum text_style {
    TEXT_HEX = 0,          /* at most 16 hexadecimal digits, all letters of one case */
    TEXT_DECIMAL = 1 << 0, /* at most 16 decimal digits */
    TEXT_LEADING = 1 << 1, /* whether its first digit is a zero decides more than its value */
    TEXT_JOINED = 1 << 2,  /* its letters are of the same case as the number's before */
};

/* A number of a line: its value is the 64-bit word at `place` of the line's records. */
struct text_field {
    const char *begin;
    uint8_t digits, style;
    uint16_t place;
};

/* What the rules say of a line while they take it apart. */
struct text_learning {
    const char *line;             /* where it begins */
    size_t first;                 /* index of its first record */
    size_t spills, faults, arena; /* of the batch before it */
    bool refused;
    uint8_t count;
    uint8_t fixed_count;
    struct text_field fields[TEXT_FIELDS];
    const char *fixed[TEXT_FIELDS]; /* digits that are the same in every line of the layout */
    uint16_t low_bits, low_place;   /* see text_number_in_parts() */
    const char *tail;               /* see text_tail() */
    char refuse[2];
    uint16_t word_place; /* see text_place() */
    bool has_word_place;
};

/* Who decodes lines by rules. */
struct text_reading {
    const struct decoder *decoder;
    struct spoor_batch *batch;
    struct text_learning *learning; /* NULL: nothing is learnt of this line */
};

/* The plain rules of a format. */
struct text_rules {
    /* Decode the line at `at`, whatever it is: where the next begins.  `state` is the format's. */
    const char *(*line)(struct text_reading *reading, void *state, const char *at);
    size_t state_size;
    /* Zeroed before, once for all batches of a decoder; NULL: zeros do. */
    void (*begin)(void *state, const struct decoder *decoder);
    /* Before each batch, and after lines that the rules were not asked for.  May be NULL. */
    void (*begin_batch)(void *state, struct text_reading *reading);
    void (*passed)(void *state);
    void (*end_batch)(void *state); /* releases what begin_batch and lines took */
    /* After these two bytes a line may go on with any text (text_tail()); zeros: none does. */
    char mark[2];
};

/* Decode a batch: into its records, or, a few at a time, into a sink, which may be NULL. */
void text_decode(const struct text_rules *rules, const struct decoder *decoder,
                 struct spoor_batch *batch, struct record_sink *sink);
/* The same in the given width of layout.h, or by the plain rules alone: NULL. */
struct text_width;
void text_decode_in(const struct text_rules *rules, const struct text_width *width,
                    const struct decoder *decoder, struct spoor_batch *batch,
                    struct record_sink *sink);
/* struct spoor_format's `project` for PROJECT_STATS, of a format without `settle`. */
void text_stats(const struct text_rules *rules, const struct decoder *decoder,
                struct spoor_batch *batch);

/* ---- what rules say of the line; all may be called with NULL, by who only tries a line ---- */

/* The line's layout cannot be learnt. */
static inline void text_refuse(struct text_learning *learning)
{
    if (learning) learning->refused = true;
}

/* What was said of numbers does not hold: the line is tried in another way. */
void text_forget(struct text_learning *learning);

/* `digits` digits at `begin` are a number, whose value is the 64-bit word at byte `offset` of the
 * line's record number `record`. */
void text_number(struct text_learning *learning, const char *begin, size_t digits, unsigned style,
                 size_t record, size_t offset);
/* The same where the 64-bit word is `value`, in a record of the batch. */
void text_number_at(struct text_learning *learning, const char *begin, size_t digits,
                    unsigned style, const struct spoor_batch *batch, const uint64_t *value);
/* 1 to 32 hexadecimal digits at `begin` are a number of 128 bits.  At most one byte among them is
 * no digit: it separates the last `low_digits`, at most 16, from the others.  0: there is none. */
void text_number_in_parts(struct text_learning *learning, const char *begin, size_t digits,
                          size_t low_digits, const struct spoor_batch *batch,
                          const uint64_t value[2]);
/* This byte of the line decides more than the value of the number it is part of. */
void text_fixed(struct text_learning *learning, const char *at);
/* The 32-bit word at byte `offset` of the line's first record is where the line begins in the
 * text of the batch. */
void text_place(struct text_learning *learning, size_t offset);
/* `begin`, after the rules' mark and at most 6 spaces, is the begin of any text up to the end of
 * the line, which a record refers to.  It does not end in a space, and the bytes of `refuse`, if
 * not zeros, do not follow each other in it. */
void text_tail(struct text_learning *learning, const char *begin, const char refuse[2]);

#endif

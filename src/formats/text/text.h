/* SPDX-License-Identifier: MIT */
/*
 * formats/text/text.h: fast reading of text formats.
 *
 * A format defines plain rules: a function that parses one line and makes its records.  While it
 * does so, it states which bytes of the line are numbers, and where in the records their values are
 * (text_number() and the functions after it).  All other bytes form the line's layout.  A line with
 * the same bytes, except for the digits of its numbers, has the same records, except for their
 * values.  From then on it is decoded without the rules, 16 bytes at a time.  A line without
 * numbers is recognised by all of its bytes.  A text in the middle of lines, such as a disassembly,
 * can be left out of their layouts (struct text_middle).
 *
 * The rules stay the definition.  A layout is used only if it produces the records of the rules
 * from the line that it was learned from; a test and a fuzz target compare both for every text
 * format.
 *
 * The records of a line may depend only on the line and the decoder's options.  If they depend on
 * earlier lines, the rules call text_refuse().
 */
#ifndef SPOOR_FORMATS_TEXT_TEXT_H
#define SPOOR_FORMATS_TEXT_TEXT_H

#include "formats/format.h"

enum { TEXT_FIELDS = 8, TEXT_COPIES = 4, TEXT_LINE = 512 /* bytes of a layout */ };

/* The spelling of a number. */
enum text_style {
    TEXT_HEX = 0,          /* at most 16 hexadecimal digits, all letters of one case */
    TEXT_DECIMAL = 1 << 0, /* at most 16 decimal digits */
    TEXT_LEADING = 1 << 1, /* a leading zero changes more than the value */
    TEXT_JOINED = 1 << 2,  /* its letters have the same case as the previous number's */
    TEXT_SECONDS = 1 << 3, /* see text_seconds() */
};

/* A number of a line; its value is the 64-bit word at `place` of the line's records. */
struct text_field {
    const char *begin;
    uint8_t digits, style;
    uint16_t place;
};

/* A word of a line's records that has the bits `mask` of one of its numbers. */
struct text_copy {
    uint64_t mask;
    uint16_t place, from; /* of the word, and of the number's value */
};

/* The facts that the rules state about a line while they parse it. */
struct text_facts {
    const char *line;                     /* beginning of the line */
    struct text_copy copies[TEXT_COPIES]; /* see text_copy_word() */
    uint8_t copy_count;
    size_t first;                 /* index of its first record */
    size_t spills, faults, arena; /* counts of the batch before the line */
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

/* The state of decoding lines by the rules. */
struct text_reader {
    const struct decoder *decoder;
    struct spoor_batch *batch;
    struct text_facts *learning; /* NULL: nothing is learnt of this line */
    const struct text_rules *rules;
};

/* A text in the middle of a line: all bytes from `begin` to `end`, of which a record refers to the
 * first `size`.  Neither can be empty, and no text is at the beginning of its line. */
struct text_middle {
    const char *begin, *end;
    uint32_t size;
};

/* The plain rules of a format. */
struct text_rules {
    const void *variant; /* as that of struct spoor_format */
    /* Decodes the line at `at`, whatever it is; returns the beginning of the next one.  `state` is
     * the format's. */
    const char *(*line)(struct text_reader *reading, void *state, const char *at);
    size_t state_size;
    /* Initialises the zeroed state, once for all batches of a decoder; NULL: zeros suffice. */
    void (*begin)(void *state, const struct text_rules *rules, const struct decoder *decoder);
    /* Called before each batch, and after lines that the rules did not decode.  May be NULL. */
    void (*begin_batch)(void *state, struct text_reader *reading);
    void (*passed)(void *state);
    void (*end_batch)(void *state); /* releases the memory of begin_batch and of lines */
    /* After these two bytes a line may continue with any text (text_tail()); zeros: never. */
    char mark[2];
    /* Finds the text in the middle of the line from `at` to `end`, which has no end of line.  Of
     * lines that differ only in the texts that this function finds, the rules make the same
     * records, but for the reference.  False: the line has none, and all of it is its layout.
     * NULL: as false; else the format has no mark. */
    bool (*find_middle)(struct text_middle *middle, const struct text_rules *rules, const char *at,
                        const char *end);
    /* Sets what the records from `from` on have by their own values, such as the size of an access
     * by the opcode, so that `line` need not fix these values in a layout.  May be NULL. */
    void (*settle)(void *state, struct spoor_batch *batch, size_t from);
};

/* Decodes a batch into its records, or, a few at a time, into a sink.  The sink may be NULL.  A
 * decoder without a state learns no layouts: its lines are decoded by the rules alone. */
void text_decode(const struct text_rules *rules, const struct decoder *decoder,
                 struct spoor_batch *batch, struct record_sink *sink);

/* ---- statements of the rules about a line; `learning` is NULL if the line is only tried ---- */

/* States that the line's layout cannot be learned. */
static inline void text_refuse(struct text_facts *learning)
{
    if (learning) learning->refused = true;
}

/* Withdraws the statements about numbers: the line is parsed in another way. */
void text_forget(struct text_facts *learning);

/* States that the `digits` digits at `begin` are a number, whose value is the 64-bit word at byte
 * `offset` of the line's record number `record`. */
void text_number(struct text_facts *learning, const char *begin, size_t digits, unsigned style,
                 size_t record, size_t offset);
/* States that the digits are a number, whose value is the 64-bit word `value` of a record of the
 * batch. */
void text_number_at(struct text_facts *learning, const char *begin, size_t digits, unsigned style,
                    const struct spoor_batch *batch, const uint64_t *value);
/* States that the 1 to 32 hexadecimal digits at `begin` are a number of 128 bits.  At most one byte
 * among them is not a digit: it separates the last `low_digits`, at most 16, from the others.  0:
 * there is no separator. */
void text_number_in_parts(struct text_facts *learning, const char *begin, size_t digits,
                          size_t low_digits, const struct spoor_batch *batch,
                          const uint64_t value[2]);
/* States that the `size` bytes at `begin` are seconds, a point and digits of a second, 6 or 9,
 * whose value in ns is `value`. */
void text_seconds(struct text_facts *learning, const char *begin, size_t size,
                  const struct spoor_batch *batch, const uint64_t *value);
/* States that `word` of a record has the bits `mask` of the word `from`.  If that is no number of
 * the line, `word` is the same in every line. */
void text_copy_word(struct text_facts *learning, const struct spoor_batch *batch,
                    const uint64_t *word, const uint64_t *from, uint64_t mask);
/* States that this byte of the line determines more than the value of its number. */
void text_fixed(struct text_facts *learning, const char *at);
/* States that the 32-bit word at byte `offset` of the line's first record is the offset of the line
 * in the text of the batch. */
void text_place(struct text_facts *learning, size_t offset);
/* `begin`, after the rules' mark and at most 6 spaces, is the begin of any text up to the end of
 * the line, which a record refers to.  It neither begins nor ends with a blank, and the bytes of
 * `refuse`, if not zeros, do not follow each other in it. */
void text_tail(struct text_facts *learning, const char *begin, const char refuse[2]);

/* For find_middle.  Returns the word of the line with this number, from 0, which blanks and control
 * characters separate; NULL: the line has fewer. */
const char *text_word(const char *at, const char *end, unsigned number);
/* Returns the column with this number, from 1, which is after so many separators; NULL: the line
 * has fewer, or ends there. */
const char *text_column(const char *at, const char *end, char separator, unsigned number);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * reference_line.h: text formats in which a line is one memory reference.
 *
 *     LABEL ADDRESS [SIZE]
 *
 * din, extended din and lackey differ in their labels and in the spelling of the size.  One reader
 * and one writer handle all three, each with a table of its syntax.
 */
#ifndef SPOOR_FORMATS_DIN_REFERENCE_LINE_H
#define SPOOR_FORMATS_DIN_REFERENCE_LINE_H

#include "formats/probe.h"
#include "formats/text/text.h"
#include "views/projection.h"

enum size_syntax { SIZE_NONE, SIZE_HEX, SIZE_DECIMAL };

struct reference_syntax {
    const char *rule;           /* name in faults */
    const char *labels_wanted;  /* the part that a fault expected */
    uint8_t ops[256];           /* operation + 1 of each label; 0: not a label */
    char labels[SPOOR_MEM_OPS]; /* label of each operation; 0: the format has none */
    enum size_syntax size;
    char separator;    /* between address and size: ' ' for any blanks, ',' for a comma without
                        * blanks */
    uint8_t digits;    /* minimum number of digits of the address */
    bool indents_data; /* valgrind's columns: "I  address" but " L address" */
    bool has_comments; /* valgrind's own lines: ==PID==, SB ADDRESS */
    bool ignores_rest; /* the format's reader ignores the rest of the line */
};

/* ---- spellings ---- */

enum {
    REFERENCE_GAPS = 4, /* gaps before the label, the address and the size, and after all */
    LONGEST_BLANKS = 64,
};

/* The spelling of a hexadecimal number (in lackey, of a decimal one). */
struct number_spelling {
    uint8_t digits; /* minimum number, with leading zeros */
    uint8_t prefix; /* 'x' or 'X' after a 0; 0: none */
    uint8_t upper;  /* letters are upper case */
};

/* A spelling as the stream's table stores it, cut after the blanks in use. */
struct reference_spelling {
    char unit[SPELLING_UNIT_SIZE]; /* empty: these formats have no time */
    uint8_t gaps[REFERENCE_GAPS];  /* bytes of each gap */
    uint8_t capital;               /* the label is the capital of the syntax's letter */
    struct number_spelling address, size;
    char blanks[LONGEST_BLANKS]; /* the bytes of all gaps, in order */
};

/* Returns the format's canonical spelling of an operation. */
struct reference_spelling reference_canonical(const struct reference_syntax *syntax,
                                              enum spoor_mem_op op);

/* ---- reading and writing ---- */

/* A cache of spelling ids: lines have few spellings. */
struct reference_spellings {
    struct reference_spelling canonical[SPOOR_MEM_OPS];
    struct reference_spelling last;
    size_t last_size;
    spoor_name last_name;
};

/* The text rules of a format: a line is decoded into a record, whatever it is. */
void reference_begin(void *state, const struct text_rules *rules, const struct decoder *decoder);
const char *reference_line_decode(struct text_reader *reading, void *state, const char *at);
#define REFERENCE_RULES(syntax)                                                     \
    {                                                                               \
        .variant = (syntax), .line = reference_line_decode,                         \
        .state_size = sizeof(struct reference_spellings), .begin = reference_begin, \
    }

/* Members of struct spoor_format whose rules are these; the projection is to references.  Spellings
 * and verbatim lines are written for records of the same format only. */
enum line_fit reference_line_fit(const struct spoor_format *self, const char *line, size_t size);
void reference_lines_project(const struct decoder *decoder, const struct projection *projection,
                             struct spoor_batch *batch);
void reference_lines_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                           size_t to, struct text *out);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * formats/din/reference_line.h: text formats whose line is one memory reference.
 *
 *     LABEL ADDRESS [SIZE]
 *
 * din, extended din and lackey differ in their labels and in how the size is written; one reader
 * and one writer serve all three, each by its syntax.
 */
#ifndef SPOOR_FORMATS_DIN_REFERENCE_LINE_H
#define SPOOR_FORMATS_DIN_REFERENCE_LINE_H

#include "formats/probe.h"
#include "formats/text/text.h"
#include "views/projection.h"

enum size_syntax { SIZE_NONE, SIZE_HEX, SIZE_DECIMAL };

struct reference_syntax {
    const char *rule;           /* name in faults */
    const char *labels_wanted;  /* what a fault says was expected */
    uint8_t ops[256];           /* operation + 1 of each label, 0: no label */
    char labels[SPOOR_MEM_OPS]; /* label of each operation, 0: the format has none */
    enum size_syntax size;
    char separator;      /* between address and size: ' ' for any blanks, or ',' and no blanks */
    uint8_t digits;      /* the address has at least so many digits */
    bool indents_data;   /* valgrind's columns: "I  address" but " L address" */
    bool takes_comments; /* lines of valgrind's own: ==PID== */
    bool ignores_rest;   /* the format's reader ignores what follows on the line */
};

/* ---- spellings ---- */

enum {
    REFERENCE_GAPS = 4, /* before the label, address, size; after all */
    LONGEST_BLANKS = 64,
};

/* How a hexadecimal (or lackey's decimal) number is spelled. */
struct number_spelling {
    uint8_t digits; /* at least so many, zeros in front */
    uint8_t prefix; /* 'x' or 'X': after a 0; 0: none */
    uint8_t upper;  /* letters are upper case */
};

/* A spelling as it lies in the stream's table, cut after the blanks in use. */
struct reference_spelling {
    char unit[SPELLING_UNIT_SIZE]; /* empty: these formats have no time */
    uint8_t gaps[REFERENCE_GAPS];  /* bytes of each gap */
    struct number_spelling address, size;
    char blanks[LONGEST_BLANKS]; /* of all gaps, in order */
};

/* The format's own way to write an operation. */
struct reference_spelling reference_canonical(const struct reference_syntax *syntax,
                                              enum spoor_mem_op op);

/* ---- reading and writing ---- */

/* Ids of the spellings met last: lines come in few spellings. */
struct reference_spellings {
    struct reference_spelling canonical[SPOOR_MEM_OPS];
    struct reference_spelling last;
    size_t last_size;
    spoor_name last_name;
};

/* The spellings that are the format's own. */
void reference_begin(struct reference_spellings *spellings, const struct reference_syntax *syntax);
/* Decode the line at `at`, whatever it is, into a record: where the next begins. */
const char *reference_line_decode(struct text_reading *reading,
                                  struct reference_spellings *spellings, const char *at,
                                  const struct reference_syntax *syntax);

/* struct spoor_format's `project`. */
void reference_lines_project(const struct text_rules *rules, const struct decoder *decoder,
                             const struct projection *projection, struct spoor_batch *batch,
                             const struct reference_syntax *syntax);
/* `own`: the records come from this very format, so that spellings and odd lines are its own. */
void reference_lines_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                           size_t to, struct text *out, const struct reference_syntax *syntax,
                           bool own);
enum line_fit reference_line_fit(const char *line, size_t size,
                                 const struct reference_syntax *syntax);

#endif

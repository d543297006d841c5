/* SPDX-License-Identifier: MIT */
/*
 * formats/uop/uop.h: the parts of the micro-op format.
 *
 * A line is fourteen fields separated by blanks.  uop_scan.c parses a line, uop_spelling.c interns
 * the blanks between the fields, uop_line.c makes the record, uop_write.c writes lines, uop.c
 * defines the format.  Lines that repeat are decoded by the cache of formats/text, most others by
 * its columns.
 */
#ifndef SPOOR_FORMATS_UOP_UOP_H
#define SPOOR_FORMATS_UOP_UOP_H

#include "formats/format.h"
#include "formats/text/text.h"

enum uop_field {
    UOP_STEP,
    UOP_PC,
    UOP_SRC1,
    UOP_SRC2,
    UOP_DEST,
    UOP_FLAGS,
    UOP_BRANCH,
    UOP_LDST,
    UOP_IMMEDIATE,
    UOP_ADDRESS,
    UOP_FALL,
    UOP_TARGET,
    UOP_MACRO,
    UOP_MICRO,
    UOP_FIELDS,
    UOP_GAPS /* one before each field and one after the last */
};

/* Minimum width of each field as the course's printf pads it: on the left, except the macro opcode.
 */
extern const uint8_t uop_widths[UOP_FIELDS];

/* A parsed line. */
struct uop_line {
    struct spoor_uop_full number;
    uint8_t op;               /* enum spoor_uop_op */
    bool plain;               /* every number is spelled as printf writes it */
    bool tabs;                /* not all blanks are spaces */
    const char *start, *stop; /* of the line, without its line end */
    /* where each field begins and ends, and where any text after the last one begins */
    const char *edges[2 * UOP_FIELDS + 1];
    const char *column, *expected; /* the position where it is not a micro-op, and what was expected
                                    * there */
};

static inline const char *uop_begin(const struct uop_line *line, unsigned field)
{
    return line->edges[2 * field];
}
static inline const char *uop_end(const struct uop_line *line, unsigned field)
{
    return line->edges[2 * field + 1];
}

/* Parses [start, stop); false if it is not a micro-op.  64 bytes from `stop` on are readable; the
 * first one is neither blank nor printable (a line end or a zero). */
bool uop_scan(struct uop_line *line, const char *start, const char *stop);

/* ---- spellings: the blanks between the fields ---- */

enum { LONGEST_SPELLING = 512 }; /* bytes of all gaps with their terminators */

/* The spelling used last: lines have few spellings. */
struct uop_spellings {
    spoor_name single; /* one space between fields; 0: not interned yet */
    spoor_name last;
    size_t last_size;
    char last_bytes[LONGEST_SPELLING];
};

/* Returns the id of the line's spelling, 0 for the course's printf.  SPOOR_NAMES_FULL if the table
 * is full or the blanks are too long: the line must be stored verbatim. */
spoor_name uop_spelling(const struct decoder *decoder, struct uop_spellings *spellings,
                        const struct uop_line *line);

/* ---- decoding ---- */

/* Opcodes by their bytes: a few dozen names occur millions of times. */
enum { CACHED_NAMES = 256, CACHED_BYTES = 24 };
struct uop_name {
    uint64_t first, middle, last; /* eight bytes each; of a shorter one, all of them */
    uint32_t size;                /* 0: empty */
    spoor_name name;
};
struct uop_names {
    struct uop_name slots[CACHED_NAMES];
};

/* State of decoding from line to line. */
struct uop_state {
    struct uop_spellings spellings;
    struct uop_names names;
};

extern const struct text_rules uop_rules;

/* True if [at, end) is empty or only blanks. */
bool uop_is_blank_line(const char *at, const char *end);
/* True for a line above the columns, as in the document: their numbers, or their names, which begin
 * with Uop and PC; and for one that underlines. */
bool uop_is_title_line(const char *at, const char *end);

/* ---- struct spoor_format's write and print ---- */

void uop_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out);
void uop_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out);

#endif

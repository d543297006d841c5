/* SPDX-License-Identifier: MIT */
/*
 * uop.h: the parts of the micro-op format.
 *
 * A line is fourteen fields separated by blanks.  uop_scan.c parses a line, uop.c makes the record,
 * uop_write.c writes lines.  Lines that repeat are decoded by the cache of formats/text, most
 * others by its columns.
 */
#ifndef SPOOR_FORMATS_UOP_UOP_H
#define SPOOR_FORMATS_UOP_UOP_H

#include "formats/format.h"

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

enum { LONGEST_SPELLING = 512 }; /* bytes of all gaps with their terminators */

/* ---- struct spoor_format's write and print ---- */

void uop_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out);
void uop_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out);

#endif

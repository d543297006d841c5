/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/templates.h: the columns in which templates are stored.
 *
 * A template is the 64 bytes of a record, little-endian, whose lanes are zero, whose names and
 * spelling are ids of the dictionary, and whose string is an id of it.  The first address and the
 * string are stored as the difference from those of the template before it of its kind; byte k of
 * all of a kind is a plane.
 */
#ifndef SPOOR_FORMATS_SPOOR_TEMPLATES_H
#define SPOOR_FORMATS_SPOOR_TEMPLATES_H

#include "base/text.h"
#include "spoor/record.h"

enum template_flag {
    TEMPLATES_CONTINUE = 1 << 0, /* a branch lies relative to where the one before continues */
};

enum template_form { FORM_BOTH, FORM_PLANES, FORM_ROWS };

/* The columns of templates.  Those of a kind are stored as planes or as rows, of the bytes that are
 * not 0 in all of them. */
struct template_columns {
    uint32_t flags;             /* enum template_flag */
    uint8_t forms[SPOOR_KINDS]; /* enum template_form: those that are packed */
    struct text kinds;          /* a byte each */
    struct text planes[SPOOR_KINDS], rows[SPOOR_KINDS];
};

/* Appends the templates to the columns, each kind in its form. */
void templates_pack(const struct spoor_record *templates, size_t count,
                    struct template_columns *columns);
/* The bytes of a row; 0: there are none. */
uint8_t templates_width(const struct text *rows);
/* Where templates are unpacked to. */
struct template_places {
    void *first;            /* the first record */
    size_t step;            /* bytes from one to the next */
    const uint32_t *wanted; /* template i goes to place wanted[i] - 1, or nowhere where that is 0;
                             * NULL: to place i */
};
/* The reverse, from planes or rows: false if the columns do not have `count` templates of known
 * kinds.  SECTION_SLACK bytes after the columns may be read. */
bool templates_unpack(const struct template_places *places, size_t count,
                      const struct template_columns *columns);

#endif

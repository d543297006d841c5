/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/templates.h: the columns in which templates are stored.
 *
 * A template is the 64 bytes of a record, little-endian, whose lanes are zero (that of a micro-op
 * has its first value), whose names and spelling are ids of the dictionary, and whose string is an
 * id of it.  Micro-ops are forms and numbers (uop_templates.h).  Of the other kinds, the first
 * address and the string are stored as the difference from those of the template before it of its
 * kind; byte k of all of a kind is a plane.
 */
#ifndef SPOOR_FORMATS_SPOOR_TEMPLATES_H
#define SPOOR_FORMATS_SPOOR_TEMPLATES_H

#include "formats/spoor/uop_templates.h"

/* The columns of templates. */
struct template_columns {
    struct text kinds; /* a byte each */
    struct text
        planes[SPOOR_KINDS];       /* a mask of the bytes that are not 0 in all of a kind; these */
    struct text uops[UOP_COLUMNS]; /* of the micro-ops */
};

/* Appends the templates to the columns.  `uop_forms` has those of the dictionary so far, and then
 * those of the page. */
void templates_pack(const struct spoor_record *templates, size_t count, struct uop_forms *uop_forms,
                    struct template_columns *columns);
/* The reverse, to templates that are zero; `forms`: where those of micro-ops are read.  False if
 * the columns do not have `count` templates of known kinds, or memory runs out. */
bool templates_unpack(struct spoor_record *templates, size_t count, const struct uop_source *forms,
                      const struct template_columns *columns);

#endif

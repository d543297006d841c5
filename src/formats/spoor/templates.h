/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/templates.h: the columns in which templates are stored.
 *
 * A template is the 64 bytes of a record, little-endian, whose lanes are zero, whose names and
 * spelling are ids of the dictionary, and whose string is an id of it.  The first address and the
 * string are stored as the difference from those of the template before it of its kind; byte k of
 * all of them is a plane.
 */
#ifndef SPOOR_FORMATS_SPOOR_TEMPLATES_H
#define SPOOR_FORMATS_SPOOR_TEMPLATES_H

#include "base/text.h"
#include "spoor/record.h"

/* Appends the kinds (a byte each) and the 64 planes. */
void templates_pack(const struct spoor_record *templates, size_t count, struct text *kinds,
                    struct text *planes);
/* The reverse: false if the columns do not have `count` templates of known kinds. */
bool templates_unpack(struct spoor_record *templates, size_t count, const struct text *kinds,
                      const struct text *planes);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * lines.h: what DWARF says of an address: file, line, inlined functions.
 *
 * Compilation units are found once; what is in a unit is read when an address in it is first asked
 * for, and of its functions only those that addresses are asked of.  Not safe for threads: the set
 * of images has a lock.
 */
#ifndef SPOOR_IMAGE_LINES_H
#define SPOOR_IMAGE_LINES_H

#include "image/strings.h"
#include "spoor/image.h"

struct lines;

/* The lines of an ELF file in memory, which must outlive them.  NULL: it has none, or nothing can
 * read them.  Strings come to lie in `strings`. */
struct lines *lines_open(const void *bytes, size_t size, struct strings *strings);
void lines_close(struct lines *lines);
/* Fill file, line, column, inlined, subprogram and source of a place.  False: nothing is known. */
bool lines_resolve(struct lines *lines, uint64_t address, struct spoor_place *place);
/* Visit all rows, `offset` added to their addresses; false: the visitor ended it. */
bool lines_each(struct lines *lines, uint64_t offset, spoor_line_visitor *visit, void *context);
/* Whether this spoor was built with what reads DWARF. */
bool lines_supported(void);

#endif

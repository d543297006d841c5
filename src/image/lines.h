/* SPDX-License-Identifier: MIT */
/*
 * lines.h: the information of DWARF about an address: file, line, inlined functions.
 *
 * Compilation units are located once.  The contents of a unit are read at the first lookup in it,
 * and only those functions of it that cover looked-up addresses.  Not safe for threads: the set of
 * images holds a lock.
 */
#ifndef SPOOR_IMAGE_LINES_H
#define SPOOR_IMAGE_LINES_H

#include "image/strings.h"
#include "spoor/image.h"

struct lines;

/* Opens the lines of an ELF file in memory, which must outlive them.  NULL if it has none, or if
 * elfutils is missing.  The strings are allocated in `strings`. */
struct lines *lines_open(const void *bytes, size_t size, struct strings *strings);
void lines_close(struct lines *lines);
/* Fills file, line, column, inlined, subprogram and source of a place.  False if nothing is known.
 */
bool lines_resolve(struct lines *lines, uint64_t address, struct spoor_place *place);
/* Visits all rows, with `offset` added to their addresses; false if the visitor stopped. */
bool lines_each(struct lines *lines, uint64_t offset, spoor_line_visitor *visit, void *context);

#endif

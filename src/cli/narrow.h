/* SPDX-License-Identifier: MIT */
/*
 * narrow.h: lines of text that fit on the screen.
 *
 * A table whose last column is a name has lines of any length.  On a screen, the name is cut so
 * that no line wraps, unless --wide is given; in a file or a pipe it is whole.
 */
#ifndef SPOOR_CLI_NARROW_H
#define SPOOR_CLI_NARROW_H

#include "base/text.h"
#include "cli/cli.h"

/* The columns of the screen; 0: lines may have any length. */
unsigned narrow_columns(const struct settings *settings);
/* Returns the columns of the text from byte `begin` to its end. */
size_t narrow_width(const struct text *text, size_t begin);
/* Cuts the name that begins at byte `name`, in the line that begins at byte `line`, at its end, so
 * that `tail` more columns fit on a screen of `columns`; "..." marks the cut.  Some of the name
 * always stays.  columns 0: leaves it. */
void narrow_name(struct text *text, size_t line, size_t name, size_t tail, unsigned columns);
/* Breaks the line that begins at byte `line` and ends with the text, at blanks after byte `begin`,
 * where it is wider than `columns`; what follows is indented.  `parts`: only between its parts
 * (": ", ", "). */
void narrow_wrap(struct text *text, size_t line, size_t begin, unsigned columns, unsigned indent,
                 bool parts);
static inline void narrow_title(struct text *text, size_t line, unsigned columns)
{
    narrow_wrap(text, line, line, columns, 2, true);
}

#endif

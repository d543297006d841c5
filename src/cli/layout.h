/* SPDX-License-Identifier: MIT */
/*
 * layout.h: the text of results: a line, or a few, by a template over the members of an object.
 *
 *   {key}          the member; "-" where it is not known.  {a.b}: a member of an object
 *   {key:12}       right-aligned in 12 columns; -12: left-aligned; *3: in widths[3] of the layout
 *   {key:08}       with zeros, the digits of an address: 0x0000f00d; {key:x}: without its 0x
 *   {key:,}        with separators on a terminal; {key:'}: always
 *   {key:.1}       decimals; {key:+}: with its sign; {key:U}: in capitals
 *   {key:s}        "s", but nothing of 1
 *   {key+other}    the sum of two members; {key+1}: of a member and a number
 *   {key%other}    per cent of the other; {key/other:8}: a bar of 8 cells
 *   {key>12}       two blanks for each level, up to 12; beyond it also the number in brackets
 *   {pc@}          where that is: "function+0x12", else the address
 *   {pc@@}         after two blanks "function+0x12 file:line", if it is known
 *   {pc@&}         as much of this as fits, or on a line of its own; {pc@~}: as much as fits
 *   {pc&}          two blanks and "file:line" of an address, or of a text, if it fits
 *   <text>12       aligned as a member is; <text>~: cut so that the line fits, up to a {pc&}
 *   [one|other]    the first that has all its members; nothing if none has
 *   {?key} {!key}  prints nothing: the member is there and not 0, false or ""; it is not
 *   {^key}         it is known;  {?key=word} {?key>1}: it is this word; a number above this
 *   {$good} {$}    begins and ends a colour: error, warning, good, changed or quiet, or
 *   {$key%other}   that of the heat of a share
 *
 * A member that the object lacks is one of the object around it.
 */
#ifndef SPOOR_CLI_LAYOUT_H
#define SPOOR_CLI_LAYOUT_H

#include "base/text.h"
#include "cli/image_set.h"
#include "spoor/result.h"

struct layout {
    const struct image_set *located;   /* its images name addresses */
    unsigned columns;                  /* of the screen; 0: no limit */
    const struct spoor_result *around; /* NULL: none */
    int widths[8];
};

/* That of the screen. */
struct layout layout_of(const struct settings *settings, const struct image_set *located);
/* The text fails if the object is NULL or incomplete: memory ran out. */
void layout_put(const struct layout *layout, const char *template,
                const struct spoor_result *object, struct text *text);
/* A template and the end of its line, which is broken between its parts where it is too wide. */
void layout_put_title(const struct layout *layout, const char *template,
                      const struct spoor_result *object, struct text *text);
/* Puts the objects of an array, if it has any, after a heading. */
void layout_put_rows(const struct layout *layout, const char *heading, const char *template,
                     const struct spoor_result *array, struct text *text);

#endif

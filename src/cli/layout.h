/* SPDX-License-Identifier: MIT */
/*
 * layout.h: the text of results: texts.def has, for the objects at each path of a report, a
 * template over their members.
 *
 *   {key}          the member; "-" where it is not known.  {a.b}: a member of an object; {.}: the
 *                  value itself, of a list; {=}: its key, of an object
 *   {key:12}       right-aligned in 12 columns; -12: left-aligned; *3: in column 3, as wide as the
 *                  widest of its rows; 8*3: 8 at least
 *   {key:08}       with zeros, the digits of an address: 0x0000f00d; {key:x}: without its 0x
 *   {key:,}        with separators on a terminal; {key:'}: always
 *   {key:.1}       decimals; {key:.2g}: as many, or three digits of a small number; {key:+}: with
 * its sign; {key:U}: in capitals; {key:f}: a path without its folders; {key:t}: tabs as \t;
 * {key:z}: a value of a register without zeros before it; {key:c}: "cpu 0" of a processor that has
 * but a number {key:s}        "s", but nothing of 1 {key+other-1}  a sum of members, numbers and
 * counts: {key#} how many rows, {#} the number of this row, from 0, {##} how many follow it
 *   {key%other}    per cent of the other; {key/other:8}: a bar of 8 cells
 *   {key>12}       two blanks for each level, up to 12; beyond it also the number in brackets
 *   {pc@}          where that is: "function+0x12", else the address
 *   {pc@@}         after two blanks "function+0x12 file:line", if it is known
 *   {pc@&}         as much of this as fits, or on a line of its own; {pc@~}: as much as fits
 *   {pc&}          two blanks and "file:line" of an address, or of a text, if it fits
 *   {*key}         the rows of an array, after their heading, or an object, each as its own
 * template has it; nothing if there is none.  {*key word}: by the template of "key word";
 *                  {*key:4}: the first four
 *   {*key:shape}   in a shape of layout_shape.h
 *   <text>12       aligned as a member is; <text>~: cut so that the line fits, up to a {pc&};
 *                  <text>^: broken between its parts; <text>=15: between words, then indented
 *   [one|other]    the first that has all its members; nothing if none has
 *   {?key} {!key}  prints nothing: the member is there and not 0, false or ""; it is not
 *   {^key}         it is known;  {?key=word} {?key>1}: it is this word; a sum above another;
 *   {/key}         it is another than that of the row before
 *   {$good} {$}    begins and ends a colour: error, warning, good, changed or quiet, or
 *   {$key%other}   that of the heat of a share
 *
 * A member that the object lacks is one of the objects around it.
 */
#ifndef SPOOR_CLI_LAYOUT_H
#define SPOOR_CLI_LAYOUT_H

#include "base/text.h"
#include "cli/image_set.h"
#include "spoor/result.h"

enum { LAYOUT_WIDTHS = 8 };
struct layout {
    const char *report; /* its name in texts.def */
    size_t first;       /* the number of its texts there, at most */
    const struct settings *settings;
    const struct image_set *located;   /* its images name addresses */
    unsigned columns;                  /* of the screen; 0: no limit */
    bool plain;                        /* without colours, as in a file */
    const struct spoor_result *around; /* NULL: none */
    int widths[LAYOUT_WIDTHS];         /* of columns, at least */
};

/* That of the verb and of the screen. */
struct layout layout_of(const struct settings *settings, const struct image_set *located);
/* Puts an object at a path of the report ("": the whole; " word": a part of it); the heading that
 * stands before rows.  The text fails if the object is NULL or incomplete: memory ran out. */
void layout_put(const struct layout *layout, const char *path, const struct spoor_result *object,
                struct text *text);
void layout_put_heading(const struct layout *layout, const char *path,
                        const struct spoor_result *object, struct text *text);
/* Shows a result as text, or, unless it is one of `all`, as data, and frees it then; returns the
 * exit code.  `shown`: as show_apart() has it. */
int layout_show(const struct layout *layout, struct spoor_result *result, bool *shown,
                struct spoor_result *all);

#endif

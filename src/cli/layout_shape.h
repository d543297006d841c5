/* SPDX-License-Identifier: MIT */
/*
 * layout_shape.h: results that are neither lines nor records.
 *
 *   tree   rows that name others by their `id` in `from`, each below the one that it comes from, or
 *          with `forward` below what it goes to; `depth` 0: it begins a tree
 *   grid   an object of values, in as many columns as fit: those that `written` lists are marked;
 *          with `before`, an object of the same keys, a line for each
 *   dump   rows of bytes at an `address`, 16 or 8 a line; with `before`, the lines that differ
 */
#ifndef SPOOR_CLI_LAYOUT_SHAPE_H
#define SPOOR_CLI_LAYOUT_SHAPE_H

#include "base/text.h"
#include "spoor/result.h"

struct layout_shape {
    const char *name;                  /* what it begins with: 't', 'g' or 'd' */
    unsigned columns;                  /* of the screen; 0: no limit */
    const struct spoor_result *around; /* the object that has the value */
    /* Puts a row of a tree, `width` columns of it before what is to align; `again`: it is above. */
    void (*put)(const void *context, const struct spoor_result *row, bool again, int width,
                struct text *text);
    const void *context;
};
/* Puts a value in a shape. */
void layout_put_shape(const struct layout_shape *shape, const struct spoor_result *value,
                      struct text *text);

#endif

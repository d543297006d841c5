/* SPDX-License-Identifier: MIT */
/*
 * plot.h: pictures of results.
 *
 * A plot is a description: which table of a verb's result tree it draws, which of its columns are
 * x, y and series, and how they are drawn.  plots.c lists the descriptions; a new verb has a plot
 * when its row is there, without code.  docs/plots.md is the style of all pictures.
 *
 * Paths.  `table` leads from the result of one trace to rows: members by key, separated by points;
 * an array of objects on the way is visited row by row.  An array of objects has a row for each
 * object, an array of numbers for each number, an object for each member; "" is the result itself.
 * The keys of columns lead on from a row; "#0" is the first member of an object, "#1" the second.
 * Instead of a key:
 *
 *     @key    the key of the row's member, or the index of the number
 *     @value  the row itself, a number
 *     @index  the number of the row, from 0
 *     @name   the name of what is around the row: a trace, a cache
 *     @pairs  all members of an object: "width 4, rob 64"; after a key: "swept.@pairs"
 */
#ifndef SPOOR_PLOT_PLOT_H
#define SPOOR_PLOT_PLOT_H

#include "base/text.h"
#include "spoor/plot.h"

enum plot_mark {
    PLOT_LINES,   /* a line through the points of each series */
    PLOT_COLUMNS, /* a column for each x; of several series, side by side */
    PLOT_BARS,    /* a horizontal bar for each x; of several series, side by side */
    PLOT_STACK,   /* a horizontal bar for each x, made of the values of the series */
    PLOT_HEAT,    /* a cell for each x and series, coloured by y */
    PLOT_SPANS,   /* a row for each x: y lists the columns at which its parts begin */
};

enum plot_unit {
    UNIT_COUNT,   /* 1,234 or 12 K */
    UNIT_SIZE,    /* bytes: 32K */
    UNIT_SHARE,   /* 0 to 1, drawn as a percentage */
    UNIT_NUMBER,  /* with decimals */
    UNIT_ADDRESS, /* hexadecimal */
};

struct plot_axis {
    const char *key;   /* of y, several may be given: "reads|writes"; "wrong_*": all with that
                        * beginning; "~wait": drawn muted, in PLOT_SPANS; "*": all numbers of the row,
                        * "cpi_stack.*" of a member */
    const char *label; /* NULL: the key */
    enum plot_unit unit;
    bool log2; /* of x: powers of two at equal distances */
    bool log10;
};

struct plot {
    const char *verb, *name; /* "cache", "curve": the name is unique */
    enum plot_mark mark;
    const char *title, *table;
    struct plot_axis x, y;
    const char
        *series;       /* column that names the series; NULL: only the columns of y and the trace */
    const char *names; /* table.column with the names of the columns of y, in their order; NULL:
                        * the keys */
    bool stacked;      /* PLOT_COLUMNS: the series stand upon each other */
    const char *window; /* a row whose value of this is less than the first row's is of a part of a
                         * window only, and is not drawn; NULL: all are */
};
/* Ends with a plot whose verb is NULL. */
extern const struct plot plots[];

/* Draws the plots that the options ask for and whose tables `results` has: one result of a trace,
 * or an array of them.  Returns their number; 0 and no text: there is none. */
size_t plot_draw(const struct spoor_result *results, const struct spoor_plot_options *options,
                 struct text *out);

#endif

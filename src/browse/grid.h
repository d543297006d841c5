/* SPDX-License-Identifier: MIT */
/*
 * grid.h: a screen as a grid of styled characters, without a terminal.
 *
 * Panes write into rectangles of it.  A terminal shows it, and a dump prints it.
 */
#ifndef SPOOR_BROWSE_GRID_H
#define SPOOR_BROWSE_GRID_H

#include "base/text.h"

/* The meaning of a character; style_look() gives its looks. */
enum style {
    STYLE_PLAIN,
    STYLE_DIM,       /* context, unknown values */
    STYLE_STATUS,    /* the status line */
    STYLE_TITLE,     /* the title of a pane */
    STYLE_FOCUS,     /* that of the pane with the keyboard */
    STYLE_CURSOR,    /* the row of the cursor */
    STYLE_CHANGED,   /* what the instruction at the cursor changed */
    STYLE_MATCH,     /* what a search found */
    STYLE_NUMBER,    /* addresses, values */
    STYLE_NAME,      /* registers, functions */
    STYLE_CODE,      /* disassembly */
    STYLE_EVENT,     /* exceptions */
    STYLE_DIFFERENT, /* a consequence of a difference, or a gap */
    STYLE_ROOT,      /* a root of differences */
    STYLE_ERROR,
    STYLES
};

struct style_look {
    bool bold, dim, underlined, reversed;
    int8_t color; /* of ANSI, 0 to 7; -1: the terminal's */
};
/* Without colours, styles differ by attributes only. */
struct style_look style_look(enum style style, bool colors);

struct glyph {
    uint32_t character; /* 0: the second half of a wide one */
    uint8_t style;
};

struct grid {
    int width, height;
    struct glyph *glyphs;   /* row by row */
    int cursor_x, cursor_y; /* of the prompt; -1: hidden */
    bool ascii;             /* the terminal shows ASCII only */
};

/* Limits of both dimensions. */
enum { GRID_MAX = 1000 };

/* False: memory ran out; the grid is empty then. */
bool grid_resize(struct grid *grid, int width, int height);
void grid_free(struct grid *grid);
void grid_clear(struct grid *grid);

struct area {
    int x, y, width, height;
};
/* Writes bytes into one row of an area, from column x of it on; returns the column after them.
 * Bytes that are not characters are shown as '.'.  `skip` columns of them are left out first. */
int grid_put(struct grid *grid, const struct area *area, int x, int y, enum style style,
             const char *bytes, size_t size, int skip);
int grid_puts(struct grid *grid, const struct area *area, int x, int y, enum style style,
              const char *string);
int grid_printf(struct grid *grid, const struct area *area, int x, int y, enum style style,
                const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Writes words into rows of an area from row y on, broken at blanks; returns the number of rows,
 * also of those outside the area. */
int grid_wrap(struct grid *grid, const struct area *area, int y, enum style style,
              const char *words);
/* Fills a row of an area with blanks of a style. */
void grid_bar(struct grid *grid, const struct area *area, int y, enum style style);
/* Changes the style of a row, where it is plain or (all) everywhere. */
void grid_restyle(struct grid *grid, const struct area *area, int y, enum style style, bool all);
/* Draws a line between panes. */
void grid_line(struct grid *grid, int x, int y, int length, bool vertical);

/* Appends the screen as lines of UTF-8 without blanks at their ends; `styles`: with escape
 * sequences. */
void grid_dump(const struct grid *grid, bool styles, bool colors, struct text *text);

#endif

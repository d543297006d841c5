/* SPDX-License-Identifier: MIT */
/*
 * browser.h: walking through a trace, screen by screen, without a terminal.
 *
 * A browser gets keys and draws into a grid; a terminal, or a test, passes keys to it and shows the
 * grid.  The first screen needs only the first bytes of the trace.  An index is found or built by a
 * thread beside it.
 */
#ifndef SPOOR_BROWSE_BROWSER_H
#define SPOOR_BROWSE_BROWSER_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/text.h"
#include "spoor/annotate.h"
#include "spoor/image.h"
#include "spoor/index.h"

/* ---- grid.c: a screen as a grid of styled characters, without a terminal ----
 *
 * Panes write into rectangles of it.  A terminal shows it, and a dump prints it. */

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

/* ---- spool.c: a pipe as a file that can be read anywhere ----
 *
 * A thread copies the pipe into a temporary file, which has no name where the system can open it
 * again without: then nothing is left over however the program ends.  What was copied so far can be
 * read while more arrives. */

enum spool_state {
    SPOOL_RUNS,
    SPOOL_ENDED,  /* with the pipe */
    SPOOL_FULL,   /* the limit is reached: the rest of the pipe is not read */
    SPOOL_FAILED, /* reading or writing failed: the rest is not there */
};

/* Initialise it with zeros; it must not move while the thread runs. */
struct spool {
    _Atomic int state; /* enum spool_state */
    _Atomic uint64_t copied;
    _Atomic bool stop;
    uint64_t limit; /* bytes */
    int from, to, system_error;
    char path[PATH_MAX]; /* of the file */
    bool named;          /* the file has this name until it is closed */
    pthread_t thread;
    bool has_thread;
};

/* Begins to copy a pipe ("-": standard input) into a file in the folder TMPDIR, or /tmp: at most
 * half of the bytes that are free there. */
enum spoor_status spool_open(struct spool *spool, const char *path, struct spoor_error *error);
/* Waits for bytes to begin with: some hundred KiB, or fewer where the pipe is slow; `all`: for its
 * end.  Calls the function about ten times a second; may be NULL. */
void spool_wait(struct spool *spool, bool all, void (*progress)(void *context, uint64_t copied),
                void *context);
static inline bool spool_runs(struct spool *spool)
{
    return atomic_load(&spool->state) == SPOOL_RUNS;
}
void spool_close(struct spool *spool);

/* ---- the browser ---- */

struct browser;

struct browser_options {
    const char *paths[2];
    const char *names[2]; /* of the status line; NULL: the last part of the path */
    struct spool *spool;  /* that still copies the first trace into its file; NULL: none */
    size_t path_count;
    struct spoor_reader_options reading;
    struct spoor_index_options indexing; /* its functions are not called */
    struct spoor_images *images;         /* NULL: none */
    bool images_of_index;                /* they are what the index of the first trace names */
    bool hints;                          /* say at first how to find the keys */
    bool no_index;                       /* neither find nor build one */
    bool follow;
    bool colors;
    bool big_endian; /* data of accesses has its highest byte at the lowest address */
    /* Disassembles the bytes of images; NULL: nothing does. */
    spoor_disassemble *disassemble;
    void *disassembler;
    /* Called from time to time during a long operation, to show browser_grid(); false: stop it. */
    bool (*goes_on)(void *context);
    void *context;
    uint64_t (*clock)(void); /* milliseconds; NULL: those of the machine */
};

/* Opens the traces and begins to index them. */
enum spoor_status browser_open(struct browser **browser, const struct browser_options *options,
                               struct spoor_error *error);
/* False: the index is still being built, by a thread that ends with the process only. */
bool browser_close(struct browser *browser);

bool browser_resize(struct browser *browser, int width, int height);
/* Acts on a key. */
void browser_press(struct browser *browser, int key);
/* The mouse, before PRESS_CLICK. */
void browser_click(struct browser *browser, int x, int y);
/* Looks for an index that is complete, and for growth; true: the screen has changed. */
bool browser_tick(struct browser *browser);
/* Waits for the end of a pipe, for the index and the comparison. */
void browser_wait(struct browser *browser);
/* Executes a command of the `:` line; false: it failed, and browser_message() says why. */
bool browser_execute(struct browser *browser, const char *command);
/* True once after the user has asked that all of the screen be drawn again. */
bool browser_redraws(struct browser *browser);
bool browser_is_over(const struct browser *browser);
const char *browser_message(const struct browser *browser);
/* The first error of reading, or of memory that ran out: screens since then may lack something.
 * NULL: there was none. */
const char *browser_failure(const struct browser *browser);
/* The index of a trace, by its number, once it is there and was waited for; NULL: it is not. */
const struct spoor_index *browser_index(const struct browser *browser, size_t number);
/* What was said of the index of a trace, by its number, if it has been waited for; NULL: nothing.
 */
const char *browser_notice(const struct browser *browser, size_t number);
/* Draws the screen, which belongs to the browser. */
const struct grid *browser_draw(struct browser *browser);
/* The screen as it was drawn last, with the progress of a long operation. */
const struct grid *browser_grid(const struct browser *browser);
void browser_set_ascii(struct browser *browser, bool ascii);

/* ---- keys ---- */

/* The n-th row of the table of keys; false after the last.  `keys` are their names, `peer` is the
 * key that Arm's browser has for it, or NULL. */
struct browser_key_row {
    const char *group, *name, *argument, *help, *peer;
    struct text *keys; /* the caller's */
};
bool browser_key_row(size_t n, struct browser_key_row *row);

#endif

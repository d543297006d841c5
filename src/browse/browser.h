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

#include "browse/grid.h"
#include "spoor/annotate.h"
#include "spoor/image.h"
#include "spoor/index.h"

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

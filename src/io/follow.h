/* SPDX-License-Identifier: MIT */
/*
 * follow.h: wait for data that another process is still writing.
 *
 * A pipe signals data and its end itself.  A file that is read to its end does not: inotify reports
 * changes, and if inotify is not available, or the file lies on another machine, polling does.
 */
#ifndef SPOOR_IO_FOLLOW_H
#define SPOOR_IO_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

struct follow {
    bool on;   /* a file that ends may grow, and available data are not held back */
    int stop;  /* becomes readable when following should end; -1: never */
    int watch; /* inotify of a regular file; -1: none */
};

/* Follows an open file until `stop`. */
void follow_begin(struct follow *follow, int file, bool regular, int stop);
void follow_end(struct follow *follow);

enum follow_news {
    FOLLOW_BYTES,    /* there may be data to read, or the end of a pipe */
    FOLLOW_NOTHING,  /* there are no data */
    FOLLOW_STOPPED,  /* following should end */
    FOLLOW_GIVEN_UP, /* the waiting read was cancelled */
};
/* Waits for one of `file` (a pipe; -1: none), `wake`, the stop and the watch, at most this many
 * milliseconds (-1: for ever). */
enum follow_news follow_wait(const struct follow *follow, int file, int wake, int milliseconds);
/* Waits until a regular file that was read to its end may have changed. */
enum follow_news follow_wait_change(const struct follow *follow, int wake);

/* The state of a regular file that was read to its end. */
enum follow_state {
    FOLLOW_SAME,
    FOLLOW_GROWN,
    FOLLOW_CUT,     /* it is shorter than the bytes read; *size: its size */
    FOLLOW_REMOVED, /* it has no name any more */
};
enum follow_state follow_look(int file, uint64_t *size);

#endif

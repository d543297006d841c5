/* SPDX-License-Identifier: MIT */
/*
 * follow.h: waiting for what somebody is still writing.
 *
 * A pipe says itself when it has something or has ended.  A file that is read to its end says
 * nothing: inotify tells that it has changed, and where that is not to be had, or the file lies on
 * another machine, looking at it now and then does.
 */
#ifndef SPOOR_IO_FOLLOW_H
#define SPOOR_IO_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

struct follow {
    bool on;   /* a file that ends may grow, and what is there is not held back */
    int stop;  /* becomes readable when following should end; -1: never */
    int watch; /* inotify of a regular file; -1: none */
};

/* Follow an open file until `stop`. */
void follow_begin(struct follow *follow, int file, bool regular, int stop);
void follow_end(struct follow *follow);

enum follow_news {
    FOLLOW_BYTES,    /* there may be something to read, or the end of a pipe */
    FOLLOW_NOTHING,  /* there is not */
    FOLLOW_STOPPED,  /* following should end */
    FOLLOW_GIVEN_UP, /* whoever reads has gone */
};
/* Wait for one of `file` (a pipe; -1: none), `wake`, the stop and the watch, at most so many
 * milliseconds (-1: for ever). */
enum follow_news follow_wait(const struct follow *follow, int file, int wake, int milliseconds);
/* Wait until a regular file that was read to its end may have changed. */
enum follow_news follow_wait_change(const struct follow *follow, int wake);

/* What has become of a regular file that was read to its end. */
enum follow_state {
    FOLLOW_SAME,
    FOLLOW_GROWN,
    FOLLOW_CUT,     /* it is shorter than what was read of it; *size: how long */
    FOLLOW_REMOVED, /* no name leads to it */
};
enum follow_state follow_look(int file, uint64_t *size);

#endif

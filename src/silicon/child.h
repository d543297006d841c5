/* SPDX-License-Identifier: MIT */
/*
 * silicon/child.h: bytes that a process of its own makes, so that what crashes there ends no other.
 *
 * The child is a fork of this process.  It has no descriptor but the pipe, ignores what a terminal
 * sends, and ends when nobody reads.  A pipe bounds what it is ahead by.
 */
#ifndef SPOOR_SILICON_CHILD_H
#define SPOOR_SILICON_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spoor/error.h"

struct child_work {
    /* In the child: makes the bytes, by child_put(). */
    enum spoor_status (*run)(void *context, struct spoor_error *error);
    /* In the child, after a signal that ends it: may put bytes, by functions that are safe in the
     * handler of a signal.  False: it does not know why. */
    bool (*crash)(void *context, int signal, uint64_t *place);
};

/* In the child: false: nobody reads any more, and it should return. */
bool child_put(const void *bytes, size_t size);

struct child;
enum child_end {
    CHILD_ENDED,   /* run() returned */
    CHILD_CRASHED, /* crash() returned true */
    CHILD_LOST,    /* it was ended in another way, which the error says */
};

/* Starts it, and waits for its first bytes or its end.  NULL: `error` says why. */
struct child *child_start(const struct child_work *work, void *context, const char *path,
                          struct spoor_error *error);
/* True if it has ended without a byte. */
bool child_is_empty(const struct child *child);
/* Reads up to `capacity` bytes; 0: there are no more. */
size_t child_read(struct child *child, void *to, size_t capacity);
/* Once there are no more bytes: how it ended.  *status and *error are those of run(); *place is
 * that of crash(). */
enum child_end child_how(struct child *child, enum spoor_status *status, uint64_t *place,
                         struct spoor_error *error);
/* Ends it, and waits for that. */
void child_free(struct child *child);

#endif

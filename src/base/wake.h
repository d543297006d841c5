/* SPDX-License-Identifier: MIT */
/* wake.h: a file descriptor that a thread makes readable to end the wait of another one: an
 * eventfd, or a pipe where the system has none. */
#ifndef SPOOR_BASE_WAKE_H
#define SPOOR_BASE_WAKE_H

#include <stdbool.h>

struct wake {
    int file;   /* to wait for; -1: not open */
    int signal; /* to write to */
};

/* False: the system refuses. */
bool wake_open(struct wake *wake);
/* Makes the file readable, for good. */
void wake_now(const struct wake *wake);
void wake_close(struct wake *wake);

#endif

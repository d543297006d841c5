/* SPDX-License-Identifier: MIT */
/* progress.h: the line on a terminal's stderr that says how far reading is. */
#ifndef SPOOR_CLI_PROGRESS_H
#define SPOOR_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool on;               /* stderr is a terminal and nobody asked for quiet */
    bool shown;            /* a line stands there now */
    double started, drawn; /* seconds of a clock that only goes forward */
};

struct progress progress_start(bool quiet);
/* `done` of `size` bytes of the file have been read (size 0: unknown).  Draws a few times a second,
 * never in the first half. */
void progress_update(struct progress *progress, const char *path, uint64_t done, uint64_t size);
/* Take the line away: before anything else is said, and at the end. */
void progress_clear(struct progress *progress);

#endif

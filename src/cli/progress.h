/* SPDX-License-Identifier: MIT */
/* progress.h: the progress line on stderr, if that is a terminal. */
#ifndef SPOOR_CLI_PROGRESS_H
#define SPOOR_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool on;               /* stderr is a terminal and --quiet is not given */
    bool shown;            /* a line is displayed now */
    double started, drawn; /* seconds of a monotonic clock */
};

struct progress progress_start(bool quiet);
/* `done` of `size` bytes of the file have been read (size 0: unknown).  Draws a few times a second,
 * never in the first half second. */
void progress_update(struct progress *progress, const char *path, uint64_t done, uint64_t size);
/* Erases the line: before any other output, and at the end. */
void progress_clear(struct progress *progress);

#endif

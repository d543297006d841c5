/* SPDX-License-Identifier: MIT */
/* progress.c: "trace.gz  42 %  812 MB/s  0:07 left", drawn over itself. */
#include "cli/cli.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double FIRST_AFTER = 0.5, REDRAW_AFTER = 0.2; /* seconds */

static double progress_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

struct progress progress_start(bool quiet)
{
    struct progress progress = {.on = !quiet && isatty(STDERR_FILENO)};
    if (progress.on) progress.started = progress_now();
    return progress;
}

void progress_update(struct progress *progress, const char *path, uint64_t done, uint64_t size)
{
    if (!progress->on) return;
    const double time = progress_now(), read = (double)done, all = (double)size;
    const double seconds = time - progress->started, rate = read / seconds;
    if (seconds < FIRST_AFTER || time - progress->drawn < REDRAW_AFTER) return;
    progress->drawn = time;
    progress->shown = true;
    fprintf(stderr, "\r\033[K%s  ", path);
    if (size) fprintf(stderr, "%.0f %%  ", read < all ? 100 * read / all : 100.0);
    fprintf(stderr, "%.0f MB/s", rate / 1e6);
    if (all > read && rate > 0) {
        const long left = (long)((all - read) / rate) + 1;
        fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
    } else if (!size) {
        fprintf(stderr, "  %.0f MB", read / 1e6);
    }
    fflush(stderr);
}

void progress_clear(struct progress *progress)
{
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = false;
}

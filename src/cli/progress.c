/* SPDX-License-Identifier: MIT */
/* progress.c: "trace.gz  42 %  812 MB/s  0:07 left", drawn over itself. */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double FIRST_AFTER = 0.5, REDRAW_AFTER = 0.2; /* seconds */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

struct progress progress_start(bool quiet)
{
    struct progress progress = {.on = !quiet && isatty(STDERR_FILENO)};
    if (progress.on) progress.started = now();
    return progress;
}

static void draw(const char *path, double seconds, double done, double size)
{
    double rate = done / seconds;
    fprintf(stderr, "\r\033[K%s  ", path);
    if (size > 0) fprintf(stderr, "%.0f %%  ", done < size ? 100 * done / size : 100.0);
    fprintf(stderr, "%.0f MB/s", rate / 1e6);
    if (size > done && rate > 0) {
        long left = (long)((size - done) / rate) + 1;
        fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
    } else if (size <= 0) {
        fprintf(stderr, "  %.0f MB", done / 1e6);
    }
    fflush(stderr);
}

void progress_update(struct progress *progress, const char *path, uint64_t done, uint64_t size)
{
    if (!progress->on) return;
    double time = now();
    if (time - progress->started < FIRST_AFTER || time - progress->drawn < REDRAW_AFTER) return;
    progress->drawn = time;
    progress->shown = true;
    draw(path, time - progress->started, (double)done, (double)size);
}

void progress_clear(struct progress *progress)
{
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = false;
}

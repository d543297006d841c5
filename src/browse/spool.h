/* SPDX-License-Identifier: MIT */
/*
 * spool.h: a pipe as a file that can be read anywhere.
 *
 * A thread copies the pipe into a temporary file, which has no name where the system can open it
 * again without: then nothing is left over however the program ends.  What was copied so far can be
 * read while more arrives.
 */
#ifndef SPOOR_BROWSE_SPOOL_H
#define SPOOR_BROWSE_SPOOL_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "spoor/error.h"

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

#endif

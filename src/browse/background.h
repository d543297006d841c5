/* SPDX-License-Identifier: MIT */
/* background.h: finds or builds the index of a trace on a thread of its own, unless the trace is
 * to be read with one thread. */
#ifndef SPOOR_BROWSE_BACKGROUND_H
#define SPOOR_BROWSE_BACKGROUND_H

#include <pthread.h>
#include <stdatomic.h>

#include "spoor/index.h"

enum background_state { BACKGROUND_NONE, BACKGROUND_RUNS, BACKGROUND_DONE, BACKGROUND_FAILED };

/* Initialise it with zeros; it must not move while the thread runs. */
struct background {
    _Atomic int state; /* enum background_state */
    _Atomic uint64_t done, size;
    _Atomic bool stop;
    const char *path;
    struct spoor_index_options options;
    struct spoor_index *index; /* with DONE: the caller's, who sets it to NULL */
    struct spoor_error error;
    char notice[480]; /* what was said of the index last; "": nothing */
    pthread_t thread;
    bool has_thread;
};

/* With one thread (options->threads is 1) the index is there when this returns. */
void background_start(struct background *background, const char *path,
                      const struct spoor_index_options *options);
/* Asks the thread to end, and waits until it has. */
void background_end(struct background *background);

#endif

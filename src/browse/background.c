/* SPDX-License-Identifier: MIT */
/* background.c: the thread that builds an index; with -j1 the caller's thread builds it. */
#include <signal.h>
#include <stdio.h>

#include "browse/internal.h"

static void background_note_progress(void *context, const struct spoor_reader *reader)
{
    struct background *background = context;
    uint64_t done, size;
    spoor_reader_progress(reader, &done, &size);
    atomic_store(&background->done, done);
    atomic_store(&background->size, size);
}

static void background_note_sentence(void *context, const char *sentence)
{
    struct background *background = context;
    snprintf(background->notice, sizeof background->notice, "%s", sentence);
}

static bool background_is_stopped(void *context)
{
    struct background *background = context;
    return atomic_load(&background->stop);
}

static void *background_run(void *context)
{
    struct background *background = context;
    struct spoor_index *index;
    const enum spoor_status status =
        spoor_index_open(&index, background->path, &background->options, &background->error);
    if (status == SPOOR_OK) background->index = index;
    atomic_store(&background->state, status == SPOOR_OK ? BACKGROUND_DONE : BACKGROUND_FAILED);
    return NULL;
}

void background_start(struct background *background, const char *path,
                      const struct spoor_index_options *options)
{
    sigset_t all, before;
    background->path = path;
    background->options = *options;
    background->options.tell = background_note_sentence;
    background->options.progress = background_note_progress;
    background->options.stopped = background_is_stopped;
    background->options.context = background;
    atomic_store(&background->state, BACKGROUND_RUNS);
    background->has_thread = options->threads != 1;
    if (!background->has_thread) {
        background_run(background);
        return;
    }
    sigfillset(&all); /* signals belong to the thread of the terminal */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&background->thread, NULL, background_run, background) != 0) {
        spoor_error_set(&background->error, SPOOR_ENOMEM, "%s: no thread can be made for its index",
                        path);
        background->path = NULL;
        background->has_thread = false;
        atomic_store(&background->state, BACKGROUND_FAILED);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void background_end(struct background *background)
{
    if (!background->path) return;
    atomic_store(&background->stop, true);
    if (background->has_thread) pthread_join(background->thread, NULL);
    background->has_thread = false;
    background->path = NULL;
}

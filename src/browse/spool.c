/* SPDX-License-Identifier: MIT */
/* spool.c: the thread that copies a pipe into a temporary file. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/platform.h"
#include "browse/browser.h"

enum { PIECE = 64 << 10, INTERVAL = 100 /* ms */ };

/* ---- copying ---- */

static void *spool_run(void *context)
{
    struct spool *spool = context;
    char bytes[PIECE];
    struct pollfd poller = {spool->from, POLLIN, 0};
    enum spool_state state = SPOOL_RUNS;
    while (state == SPOOL_RUNS) {
        if (atomic_load(&spool->stop)) {
            state = SPOOL_ENDED;
            break;
        }
        if (poll(&poller, 1, INTERVAL) <= 0) continue;
        const ssize_t got = read(spool->from, bytes, sizeof bytes);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) spool->system_error = errno;
        if (got <= 0) {
            state = got < 0 ? SPOOL_FAILED : SPOOL_ENDED;
            break;
        }
        const uint64_t left = spool->limit - atomic_load(&spool->copied);
        const size_t size = (uint64_t)got < left ? (size_t)got : (size_t)left;
        for (size_t at = 0; at < size && state == SPOOL_RUNS;) {
            const ssize_t written = write(spool->to, bytes + at, size - at);
            if (written > 0) {
                at += (size_t)written;
                atomic_fetch_add(&spool->copied, (uint64_t)written);
            } else if (written == 0 || errno != EINTR) {
                spool->system_error = written < 0 ? errno : ENOSPC;
                state = SPOOL_FAILED;
            }
        }
        if (state == SPOOL_RUNS && size == left) state = SPOOL_FULL;
    }
    atomic_store(&spool->state, state);
    return NULL;
}

/* ---- opening and closing ---- */

enum spoor_status spool_open(struct spool *spool, const char *path, struct spoor_error *error)
{
    sigset_t all, before;
    spool->to = -1;
    spool->named = false;
    spool->from = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (spool->from < 0) return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path);
    /* A file, and the path by which it can be opened again. */
    const char *folder = getenv("TMPDIR");
    snprintf(spool->path, sizeof spool->path, "%s/spoor-browse-XXXXXX",
             folder && *folder ? folder : "/tmp");
    spool->to = mkstemp(spool->path);
    if (spool->to < 0) {
        spoor_error_system(error, SPOOR_EOUTPUT, "%s: the copy of %s cannot be made", spool->path,
                           path);
        spool_close(spool);
        return SPOOR_EOUTPUT;
    }
    spool->named = true;
#ifdef SPOOR_HAVE_PROC_SELF
    /* the name goes if the file can be opened again without; else it is removed at the end */
    char again[64];
    snprintf(again, sizeof again, "/proc/self/fd/%d", spool->to);
    if (access(again, R_OK) == 0) {
        unlink(spool->path);
        spool->named = false;
        snprintf(spool->path, sizeof spool->path, "%s", again);
    }
#endif
    fcntl(spool->to, F_SETFD, FD_CLOEXEC);
    struct statvfs space;
    spool->limit = UINT64_MAX;
    if (fstatvfs(spool->to, &space) == 0)
        spool->limit = (uint64_t)space.f_bavail * (uint64_t)space.f_frsize / 2;
    sigfillset(&all); /* signals belong to the thread of the terminal */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    spool->has_thread = pthread_create(&spool->thread, NULL, spool_run, spool) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (spool->has_thread) return SPOOR_OK;
    spool_close(spool);
    return spoor_error_set(error, SPOOR_ENOMEM, "%s: no thread can be made to read it", path);
}

void spool_wait(struct spool *spool, bool all, void (*progress)(void *context, uint64_t copied),
                void *context)
{
    enum { ENOUGH = 256 << 10, SLOW = 40 /* turns of 5 ms after the first bytes */, TURNS = 20 };
    const struct timespec pause = {.tv_nsec = 5000000};
    unsigned turns = 0;
    for (unsigned i = 1; spool_runs(spool); i++) {
        const uint64_t copied = atomic_load(&spool->copied);
        turns += copied > 0;
        if (!all && (copied >= ENOUGH || turns > SLOW)) return;
        if (progress && i % TURNS == 0) progress(context, copied);
        nanosleep(&pause, NULL);
    }
}

void spool_close(struct spool *spool)
{
    if (spool->has_thread) {
        atomic_store(&spool->stop, true);
        pthread_join(spool->thread, NULL);
        spool->has_thread = false;
    }
    if (spool->from >= 0) close(spool->from);
    if (spool->to >= 0) close(spool->to);
    if (spool->named) unlink(spool->path);
    spool->named = false;
    spool->from = spool->to = -1;
}

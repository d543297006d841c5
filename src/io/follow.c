/* SPDX-License-Identifier: MIT */
/* follow.c: wait for a file to grow and for a pipe to be filled. */
#include "io/follow.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"
#ifdef SPOOR_HAVE_INOTIFY
#include <sys/inotify.h>
#endif

enum {
    WATCHED_MS = 1000,  /* changes by another machine are not reported */
    UNWATCHED_MS = 100, /* polling is the only way */
};

/* Through the descriptor, because standard input has no path. */
static int watch_file(int file)
{
#ifdef SPOOR_HAVE_INOTIFY
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch < 0) return -1;
    if (inotify_add_watch(watch, path, IN_MODIFY | IN_ATTRIB) >= 0) return watch;
    close(watch);
#else
    (void)file;
#endif
    return -1;
}

void follow_begin(struct follow *follow, int file, bool regular, int stop)
{
    *follow = (struct follow){.on = true, .stop = stop, .watch = regular ? watch_file(file) : -1};
}

void follow_end(struct follow *follow)
{
    if (follow->on && follow->watch >= 0) close(follow->watch);
    follow->on = false;
}

enum follow_news follow_wait(const struct follow *follow, int file, int wake, int milliseconds)
{
    struct pollfd files[] = {
        {wake, POLLIN, 0},
        {follow->on ? follow->stop : -1, POLLIN, 0},
        {file, POLLIN, 0},
        {follow->on ? follow->watch : -1, POLLIN, 0},
    };
    int ready;
    do {
        ready = poll(files, sizeof files / sizeof *files, milliseconds);
    } while (ready < 0 && (errno == EINTR || errno == EAGAIN));
    if (ready < 0) return FOLLOW_BYTES; /* read() reports the error */
    if (files[0].revents) return FOLLOW_GIVEN_UP;
    if (files[1].revents) return FOLLOW_STOPPED;
    return ready ? FOLLOW_BYTES : FOLLOW_NOTHING;
}

enum follow_news follow_wait_change(const struct follow *follow, int wake)
{
    char events[4096];
    bool watched = follow->watch >= 0;
    enum follow_news news = follow_wait(follow, -1, wake, watched ? WATCHED_MS : UNWATCHED_MS);
    while (watched && read(follow->watch, events, sizeof events) > 0) continue;
    return news;
}

enum follow_state follow_look(int file, uint64_t *size)
{
    struct stat status;
    off_t at = lseek(file, 0, SEEK_CUR);
    if (at < 0 || fstat(file, &status) != 0) return FOLLOW_SAME;
    *size = (uint64_t)status.st_size;
    if (status.st_size > at) return FOLLOW_GROWN;
    if (status.st_size < at) return FOLLOW_CUT;
    return status.st_nlink ? FOLLOW_SAME : FOLLOW_REMOVED;
}

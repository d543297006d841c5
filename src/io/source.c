/* SPDX-License-Identifier: MIT */
/* source.c: read a file with read(2) in pieces that stay in the cache. */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"
#ifdef SPOOR_HAVE_INOTIFY
#include <sys/inotify.h>
#endif

#include "base/read_at.h"
#include "model/error.h"

enum {
    BUFFER_SIZE = 256 << 10, /* larger reads are slower: they exceed the cache */
    FIRST_READ = 64 << 10,   /* for detection, after which the trace may be entered elsewhere */
    SMALL_READ = 4096,       /* below this, the buffer saves system calls */
    WATCHED_MS = 1000,       /* changes by another machine are not reported */
    UNWATCHED_MS = 100,      /* polling is the only way */
};

/* ---- following ----
 *
 * A pipe signals data and its end itself.  A file that is read to its end does not: inotify reports
 * changes, and if inotify is not available, or the file lies on another machine, polling does. */

enum follow_news {
    FOLLOW_BYTES,    /* there may be data to read, or the end of a pipe */
    FOLLOW_NOTHING,  /* there are no data */
    FOLLOW_STOPPED,  /* following should end */
    FOLLOW_GIVEN_UP, /* the waiting read was cancelled */
};

/* Waits for one of `file` (a pipe; -1: none), `wake`, the stop and the watch, at most this many
 * milliseconds (-1: for ever). */
static enum follow_news source_poll(const struct follow *follow, int file, int wake,
                                    int milliseconds)
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

/* ---- opening ---- */

static enum spoor_status source_refuse(const char *path, struct spoor_error *error)
{
    return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path);
}

enum spoor_status source_open(struct source *source, const char *path,
                              const struct spoor_follow *follow, struct spoor_error *error)
{
    *source = (struct source){.path = path, .wake = -1};
    source->is_standard_input = strcmp(path, "-") == 0;
    source->file = source->is_standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (source->file < 0) return source_refuse(path, error);
    struct stat file;
    enum spoor_status status = SPOOR_OK;
    if (fstat(source->file, &file) != 0) {
        status = source_refuse(path, error);
    } else if (S_ISDIR(file.st_mode)) { /* it can be opened but not read */
        source->is_directory = !follow;
        errno = EISDIR;
        if (follow) status = source_refuse(path, error);
    } else {
        source->waits = !S_ISREG(file.st_mode);
        if (!source->waits) {
            const off_t begin = lseek(source->file, 0, SEEK_CUR);
            source->begin = begin > 0 ? (uint64_t)begin : 0;
            source->size = follow ? 0 : (uint64_t)file.st_size;
            source->written = file.st_mtim;
#ifdef SPOOR_HAVE_FADVISE
            posix_fadvise(source->file, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
        }
        if (follow) source->follow = (struct follow){.on = true, .stop = follow->stop, .watch = -1};
#ifdef SPOOR_HAVE_INOTIFY
        char name[64]; /* of the descriptor, because standard input has none */
        const int watch = source->waits || !follow ? -1 : inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        snprintf(name, sizeof name, "/proc/self/fd/%d", source->file);
        if (watch >= 0 && inotify_add_watch(watch, name, IN_MODIFY | IN_ATTRIB) >= 0)
            source->follow.watch = watch;
        else if (watch >= 0)
            close(watch);
#endif
    }
    if (status == SPOOR_OK) {
        source->bytes = malloc(BUFFER_SIZE);
        if (!source->bytes) status = error_no_memory_while(error, path, NULL);
    }
    if (status != SPOOR_OK) source_close(source);
    return status;
}

void source_close(struct source *source)
{
    if (source->follow.on && source->follow.watch >= 0) close(source->follow.watch);
    source->follow.on = false;
    if (source->file >= 0 && !source->is_standard_input) close(source->file);
    free(source->bytes);
    source->bytes = NULL;
    source->file = -1;
}

bool source_is_ready(const struct source *source)
{
    struct pollfd poller = {.fd = source->file, .events = POLLIN};
    return !source->waits || poll(&poller, 1, 0) != 0;
}

/* At the end of a followed file: wait until there is a reason to read again. */
static enum follow_news source_wait_for_growth(const struct source *source,
                                               enum spoor_status *status, struct spoor_error *error)
{
    const struct follow *follow = &source->follow;
    const bool watched = follow->watch >= 0;
    enum follow_news news = FOLLOW_BYTES;
    while (news == FOLLOW_BYTES || news == FOLLOW_NOTHING) {
        struct stat file;
        const off_t at = lseek(source->file, 0, SEEK_CUR);
        if (at >= 0 && fstat(source->file, &file) == 0) {
            if (file.st_size > at) return FOLLOW_BYTES;
            if (file.st_size < at) {
                *status = spoor_error_set(error, SPOOR_EINPUT,
                                          "%s: was cut to %llu bytes while it was followed: "
                                          "following ends at what had been read",
                                          source->path, (unsigned long long)file.st_size);
                return FOLLOW_NOTHING;
            }
            if (file.st_nlink == 0) {
                *status = spoor_error_set(error, SPOOR_EINPUT,
                                          "%s: was removed or replaced while it was followed: "
                                          "following ends at what had been read",
                                          source->path);
                return FOLLOW_NOTHING;
            }
        }
        if (source->hurried) return FOLLOW_NOTHING;
        char events[4096];
        news = source_poll(follow, -1, source->wake, watched ? WATCHED_MS : UNWATCHED_MS);
        while (watched && read(follow->watch, events, sizeof events) > 0) continue;
    }
    return news;
}

/* Reads some bytes: *size is 0 only at the end, or if the source is hurried. */
static enum spoor_status source_read_some(struct source *source, void *to, size_t capacity,
                                          size_t *size, struct spoor_error *error)
{
    enum follow_news news;
    enum spoor_status status = SPOOR_OK;
    ssize_t got;
    *size = 0;
    do { /* one read(2), repeated as long as a followed file has no data */
        got = 0;
        news = FOLLOW_BYTES; /* read(2) may be called: it would not block, or blocking is allowed */
        if (source->waits && (source->follow.on || source->wake >= 0))
            news =
                source_poll(&source->follow, source->file, source->wake, source->hurried ? 0 : -1);
        else if (source->follow.on)
            news = source_poll(&source->follow, -1, source->wake, 0);
        if (!source->waits && news == FOLLOW_NOTHING) news = FOLLOW_BYTES;
        if (news != FOLLOW_BYTES) break;
        got = read(source->file, to, capacity);
        if (got < 0 && errno == EINTR) continue;
        if (got != 0 || !source->follow.on || source->waits) break;
        news = source_wait_for_growth(source, &status, error);
    } while (news == FOLLOW_BYTES);
    uint64_t taken = atomic_load_explicit(&source->taken, memory_order_relaxed);
    if (got < 0)
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read at offset %llu",
                                  source->path, (unsigned long long)taken);
    if (news == FOLLOW_GIVEN_UP)
        return spoor_error_set(error, SPOOR_EINPUT, "%s: reading was given up", source->path);
    source->stopped = news == FOLLOW_STOPPED;
    source->ended = source->stopped || (news == FOLLOW_BYTES && got == 0);
    *size = (size_t)got;
    atomic_store_explicit(&source->taken, taken + *size, memory_order_relaxed);
    if (status != SPOOR_OK || !source->ended || source->stopped) return status;
    /* At the end of a regular file: whether it is still the one that was opened.  It may have
     * grown: then what was there is followed by more. */
    struct stat file;
    if (source->waits || !source->size || fstat(source->file, &file) != 0) return SPOOR_OK;
    const uint64_t now = (uint64_t)file.st_size;
    const bool written = file.st_mtim.tv_sec != source->written.tv_sec ||
                         file.st_mtim.tv_nsec != source->written.tv_nsec;
    if (now < source->size || source->begin + taken < source->size)
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: offset %llu: found the end of the file, expected the %llu "
                               "bytes that it had: it was truncated while it was read",
                               source->path, (unsigned long long)(source->begin + taken),
                               (unsigned long long)source->size);
    if (!written || now > source->size) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: was written to while it was read: what was read up to offset %llu "
                           "may be partly the old content and partly the new",
                           source->path, (unsigned long long)(source->begin + taken));
}

enum spoor_status source_peek(struct source *source, size_t minimum, size_t count,
                              struct spoor_error *error)
{
    if (source_left(source) >= count) return SPOOR_OK;
    if (source_left(source))
        memmove(source->bytes, source->bytes + source->at, source_left(source));
    source->end -= source->at;
    source->at = 0;
    while (source->end < count && !source->ended) {
        if (source->follow.on && source->end >= minimum) break;
        const bool first = source->end == 0 && source_offset(source) == 0;
        const size_t limit = first ? FIRST_READ : BUFFER_SIZE;
        size_t size;
        enum spoor_status status = source_read_some(source, source->bytes + source->end,
                                                    limit - source->end, &size, error);
        if (status != SPOOR_OK) return status;
        source->end += size;
        if (size == 0 && source->hurried) break;
    }
    return SPOOR_OK;
}

enum spoor_status source_look(struct source *source, size_t count, struct spoor_error *error)
{
    return source_peek(source, count, count, error);
}

enum spoor_status source_consume(struct source *source, void *to, size_t capacity, size_t *size,
                                 struct spoor_error *error)
{
    *size = 0;
    if (source_left(source) == 0 && !source->ended && capacity >= SMALL_READ)
        return source_read_some(source, to, capacity, size, error);
    enum spoor_status status = source_look(source, 1, error);
    if (status != SPOOR_OK) return status;
    *size = source_left(source) < capacity ? source_left(source) : capacity;
    memcpy(to, source->bytes + source->at, *size);
    source->at += *size;
    return SPOOR_OK;
}

uint64_t source_offset(const struct source *source)
{
    return atomic_load_explicit(&source->taken, memory_order_relaxed) - source_left(source);
}

size_t source_read_at(const struct source *source, uint64_t offset, void *to, size_t capacity)
{
    return read_at(source->file, source->begin + offset, to, capacity);
}

enum spoor_status source_seek(struct source *source, uint64_t offset, struct spoor_error *error)
{
    if (lseek(source->file, (off_t)(source->begin + offset), SEEK_SET) < 0)
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read at offset %llu",
                                  source->path, (unsigned long long)offset);
    source->at = source->end = 0;
    source->ended = false;
    atomic_store_explicit(&source->taken, offset, memory_order_relaxed);
    return SPOOR_OK;
}

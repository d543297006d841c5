/* SPDX-License-Identifier: MIT */
/* source.c: reading a file with read(2) in pieces that stay in the cache. */
#include "input/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_SIZE = 256 << 10, /* reading more at a time is slower: it leaves the cache */
    SMALL_READ = 4096,       /* below this, going through the buffer saves system calls */
};

static enum spoor_status refuse(const char *path, struct spoor_error *error)
{
    return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path);
}

/* What kind of file it is; directories open but cannot be read, so they are refused here. */
static enum spoor_status inspect(struct source *source, struct spoor_error *error)
{
    struct stat status;
    if (fstat(source->file, &status) != 0) return refuse(source->path, error);
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return refuse(source->path, error);
    }
    source->waits = !S_ISREG(status.st_mode);
    if (!source->waits) {
        source->size = (uint64_t)status.st_size;
        posix_fadvise(source->file, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return SPOOR_OK;
}

enum spoor_status source_open(struct source *source, const char *path, struct spoor_error *error)
{
    *source = (struct source){.path = path, .wake = -1};
    bool standard_input = strcmp(path, "-") == 0;
    source->file = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (source->file < 0) return refuse(path, error);
    enum spoor_status status = inspect(source, error);
    if (status == SPOOR_OK) {
        source->bytes = malloc(BUFFER_SIZE);
        if (!source->bytes)
            status = spoor_error_set(error, SPOOR_ENOMEM, "%s: memory ran out", path);
    }
    if (status != SPOOR_OK) source_close(source);
    return status;
}

void source_close(struct source *source)
{
    if (source->file > STDIN_FILENO) close(source->file);
    free(source->bytes);
    source->bytes = NULL;
    source->file = -1;
}

/* Wait until there is something to read; false when woken to give up. */
static bool wait_for_bytes(const struct source *source)
{
    struct pollfd files[] = {{source->file, POLLIN, 0}, {source->wake, POLLIN, 0}};
    while (poll(files, 2, -1) < 0)
        if (errno != EINTR && errno != EAGAIN) return true; /* let read() say what is wrong */
    return files[1].revents == 0;
}

/* One read(2): *size 0 only at the end. */
static enum spoor_status read_some(struct source *source, void *to, size_t room, size_t *size,
                                   struct spoor_error *error)
{
    ssize_t got;
    *size = 0;
    do {
        if (source->waits && source->wake >= 0 && !wait_for_bytes(source))
            return spoor_error_set(error, SPOOR_EINPUT, "%s: reading was given up", source->path);
        got = read(source->file, to, room);
    } while (got < 0 && errno == EINTR);
    uint64_t taken = atomic_load_explicit(&source->taken, memory_order_relaxed);
    if (got < 0)
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read at offset %llu",
                                  source->path, (unsigned long long)taken);
    source->ended = got == 0;
    *size = (size_t)got;
    atomic_store_explicit(&source->taken, taken + *size, memory_order_relaxed);
    return SPOOR_OK;
}

enum spoor_status source_look(struct source *source, size_t count, struct spoor_error *error)
{
    if (source_left(source) >= count) return SPOOR_OK;
    if (source_left(source))
        memmove(source->bytes, source->bytes + source->at, source_left(source));
    source->end -= source->at;
    source->at = 0;
    while (source->end < count && !source->ended) {
        size_t size;
        enum spoor_status status =
            read_some(source, source->bytes + source->end, BUFFER_SIZE - source->end, &size, error);
        if (status != SPOOR_OK) return status;
        source->end += size;
    }
    return SPOOR_OK;
}

enum spoor_status source_fill(struct source *source, struct spoor_error *error)
{
    return source_look(source, 1, error);
}

enum spoor_status source_take(struct source *source, void *to, size_t room, size_t *size,
                              struct spoor_error *error)
{
    *size = 0;
    if (source_left(source) == 0 && !source->ended && room >= SMALL_READ)
        return read_some(source, to, room, size, error);
    enum spoor_status status = source_fill(source, error);
    if (status != SPOOR_OK) return status;
    *size = source_left(source) < room ? source_left(source) : room;
    memcpy(to, source->bytes + source->at, *size);
    source->at += *size;
    return SPOOR_OK;
}

uint64_t source_offset(const struct source *source)
{
    return atomic_load_explicit(&source->taken, memory_order_relaxed) - source_left(source);
}

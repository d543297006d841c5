/* SPDX-License-Identifier: MIT */
/*
 * output.c: write bytes to a file or standard output, compressed by suffix, with every write
 * checked.  A file gets its name when it is closed, if nothing failed.
 */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"
#include "io/compression.h"
#include "model/error.h"

/* ---- a file that appears under its name only when it is whole ----
 *
 * A new regular file is written without a name where the file system has such files (O_TMPFILE),
 * else beside its place under a name of its own.  Publishing gives it its name in one step, so that
 * anyone who looks finds the old file or the new one, whenever this process ends.  What is no
 * regular file (a pipe, a terminal, /dev/stdout) is written directly.
 */

struct output_file {
    int file;     /* descriptor to write to; -1: none */
    char *target; /* the file's place, symbolic links resolved; NULL: it is written directly */
    char *beside; /* its present name; NULL: it has none */
    bool regular; /* not a pipe, terminal or device */
};

enum { NAMES_TRIED = 1000, MODE = 0666 };

static enum spoor_status output_file_refuse(const char *path, struct spoor_error *error)
{
    return spoor_error_system(error, SPOOR_EOUTPUT, "%s: cannot be written", path);
}

static enum spoor_status output_file_open_directly(struct output_file *output, const char *path,
                                                   struct spoor_error *error)
{
    struct stat status;
    output->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, MODE);
    if (output->file < 0) return output_file_refuse(path, error);
    output->regular = fstat(output->file, &status) == 0 && S_ISREG(status.st_mode);
    return SPOOR_OK;
}

/* The folder of a path, up to its last slash, or "." */
static void output_file_put_folder(char folder[PATH_MAX], const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    else
        snprintf(folder, PATH_MAX, ".");
}

/* Creates a file beside the target, or, if there is one without a name, links it there. */
static bool output_file_create_beside(struct output_file *output)
{
    char folder[PATH_MAX], name[PATH_MAX], unnamed[64];
    output_file_put_folder(folder, output->target);
    snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", output->file);
    const bool links = output->file >= 0;
    for (unsigned attempt = 0; attempt < NAMES_TRIED; attempt++) {
        const int size =
            snprintf(name, PATH_MAX, "%s/.spoor-%ld-%u", folder, (long)getpid(), attempt);
        if (size <= 0 || size >= PATH_MAX) break;
        const int made = links ? linkat(AT_FDCWD, unnamed, AT_FDCWD, name, AT_SYMLINK_FOLLOW)
                               : open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
        if (made < 0 && errno == EEXIST) continue;
        if (made < 0) return false;
        if (!links) output->file = made;
        output->beside = strdup(name);
        if (output->beside) return true;
        unlink(name);
        if (!links) close(output->file);
        errno = ENOMEM;
        return false;
    }
    return false;
}

/* Opens `path`; `in_place`: write the file directly, so that what was written stays whatever
 * happens.  After a failure there is nothing to close. */
static enum spoor_status output_file_open(struct output_file *output, const char *path,
                                          bool in_place, struct spoor_error *error)
{
    struct stat status;
    *output = (struct output_file){.file = -1, .regular = true};
    const bool exists = stat(path, &status) == 0;
    const bool special =
        exists ? !S_ISREG(status.st_mode) : lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    if (!exists && special)
        return spoor_error_set(error, SPOOR_EOUTPUT,
                               "%s: cannot be written: found a link to a file that does not exist",
                               path);
    /* a name of an open file must keep the file that it names */
    if (in_place || special || strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
        return output_file_open_directly(output, path, error);
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return output_file_refuse(path, error);
    output->target = exists ? realpath(path, NULL) : strdup(path);
    if (!output->target) return output_file_refuse(path, error);
#ifdef SPOOR_HAVE_UNNAMED_FILES
    char folder[PATH_MAX];
    output_file_put_folder(folder, output->target);
    if (access("/proc/self/fd", X_OK) == 0)
        output->file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, MODE);
#endif
    if (output->file < 0 && !output_file_create_beside(output)) {
        free(output->target);
        output->target = NULL;
        return exists && errno != ENOMEM ? output_file_open_directly(output, path, error)
                                         : output_file_refuse(path, error);
    }
    if (exists) (void)!fchmod(output->file, status.st_mode & (mode_t)07777);
    return SPOOR_OK;
}

/* Closes the file without a name: what was there before stays. */
static void output_file_discard(struct output_file *output)
{
    if (output->file >= 0) close(output->file);
    if (output->beside) unlink(output->beside);
    free(output->target);
    free(output->beside);
    *output = (struct output_file){.file = -1};
}

/* ---- the output ---- */

enum { FLUSH_SIZE = 256 << 10 };

struct spoor_output {
    char *path;
    struct output_file file;
    bool standard;               /* standard output, which stays open */
    bool failed;                 /* a write failed: the file is not whole */
    struct async_writer *writer; /* compresses; NULL: bytes are written unchanged */
    struct text waiting;         /* bytes not yet written */
    bool line_open;
    bool visible; /* control characters are written as \xNN */
};

bool *output_line_open(struct spoor_output *output)
{
    return &output->line_open;
}

static void output_release(struct spoor_output *output)
{
    async_writer_close(output->writer);
    text_free(&output->waiting);
    free(output->path);
    free(output);
}

static enum spoor_status output_write_all(struct spoor_output *output, const char *bytes,
                                          size_t size, struct spoor_error *error)
{
    const int file = output->file.file;
    static const struct timespec now = {0};
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    while (size) {
        /* A closed pipe is reported as EPIPE alone: the signal would end a host program that did
         * not expect it. */
        const bool quietly = !output->file.regular;
        if (quietly) sigpending(&pending);
        if (quietly) pthread_sigmask(SIG_BLOCK, &pipe, &before);
        const ssize_t written = write(file, bytes, size);
        const int reason = errno;
        if (quietly && written < 0 && reason == EPIPE && sigismember(&pending, SIGPIPE) != 1)
            while (sigtimedwait(&pipe, NULL, &now) < 0 && errno == EINTR) continue;
        if (quietly) pthread_sigmask(SIG_SETMASK, &before, NULL);
        errno = reason;
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            output->failed = true;
            return spoor_error_system(error, SPOOR_EOUTPUT, "%s: cannot be written", output->path);
        }
        bytes += written;
        size -= (size_t)written;
    }
    return SPOOR_OK;
}

static enum spoor_status output_flush(struct spoor_output *output, struct spoor_error *error)
{
    const size_t size = output->waiting.size;
    output->waiting.size = 0;
    return output_write_all(output, output->waiting.bytes, size, error);
}

/* Writes compressed bytes; called by one thread at a time. */
static enum spoor_status output_put_compressed(void *context, const void *bytes, size_t size,
                                               struct spoor_error *error)
{
    struct spoor_output *output = context;
    text_put(&output->waiting, bytes, size);
    if (output->waiting.failed) return error_no_memory_while(error, output->path, "writing");
    return output->waiting.size >= FLUSH_SIZE ? output_flush(output, error) : SPOOR_OK;
}

static enum spoor_status output_new(struct spoor_output **output, const char *path, bool in_place,
                                    struct spoor_error *error)
{
    struct spoor_output *opened = calloc(1, sizeof *opened);
    if (!opened) return error_no_memory_while(error, path ? path : "-", "writing");
    enum spoor_status status = SPOOR_OK;
    opened->standard = !path || strcmp(path, "-") == 0;
    opened->path = strdup(opened->standard ? "standard output" : path);
    opened->file = (struct output_file){.file = STDOUT_FILENO};
    const struct compression *compression = opened->standard ? NULL : compression_by_suffix(path);
    const struct deflater *deflater = compression ? compression->deflater : NULL;
    if (!opened->path) {
        status = error_no_memory_while(error, path ? path : "-", "writing");
    } else if (deflater) {
        opened->writer = async_writer_open(deflater, opened->path, output_put_compressed, opened);
        if (!opened->writer || (deflater->begin && !deflater->begin(&opened->waiting)))
            status = error_no_memory_while(error, opened->path, "writing");
    } else if (compression && compression->inflater) {
        status =
            spoor_error_set(error, SPOOR_EUSAGE,
                            "%s: names %s, which is read but not written: name another suffix, "
                            "such as .zst, or none",
                            path, compression->name);
    } else if (compression) {
        status =
            spoor_error_set(error, SPOOR_EUSAGE,
                            "%s: names %s, which this spoor was built without: install %s and "
                            "build again, or omit %s",
                            path, compression->name, compression->package, compression->suffix);
    }
    if (status == SPOOR_OK && !opened->standard)
        status = output_file_open(&opened->file, path, in_place, error);
    if (status == SPOOR_OK)
        *output = opened;
    else
        output_release(opened);
    return status;
}

enum spoor_status spoor_output_open(struct spoor_output **output, const char *path,
                                    struct spoor_error *error)
{
    return output_new(output, path, false, error);
}

enum spoor_status spoor_output_open_in_place(struct spoor_output **output, const char *path,
                                             struct spoor_error *error)
{
    return output_new(output, path, true, error);
}

const char *spoor_output_temporary(const struct spoor_output *output)
{
    return output->file.beside;
}

void spoor_output_use_threads(struct spoor_output *output, unsigned threads)
{
    if (output->writer && threads > 1) async_writer_use_threads(output->writer, threads);
}

void spoor_output_make_visible(struct spoor_output *output)
{
    output->visible = true;
}

enum spoor_status spoor_output_put(struct spoor_output *output, const void *bytes, size_t size,
                                   struct spoor_error *error)
{
    if (size == 0) return SPOOR_OK;
    if (output->visible) {
        const char *shown = bytes;
        struct text *waiting = &output->waiting;
        for (size_t at = 0; at < size;) {
            const char *newline = memchr(shown + at, '\n', size - at);
            const size_t end = newline ? (size_t)(newline - shown) : size;
            text_put_visible(waiting, shown + at, end - at);
            if (newline) text_put(waiting, "\n", 1);
            at = end + 1;
        }
        if (waiting->failed) return error_no_memory_while(error, output->path, "writing");
        return waiting->size >= FLUSH_SIZE ? output_flush(output, error) : SPOOR_OK;
    }
    if (output->writer) return async_writer_put(output->writer, bytes, size, error);
    if (output->waiting.size + size >= FLUSH_SIZE) {
        enum spoor_status status = output_flush(output, error);
        return status == SPOOR_OK ? output_write_all(output, bytes, size, error) : status;
    }
    text_put(&output->waiting, bytes, size);
    return output->waiting.failed ? error_no_memory_while(error, output->path, "writing")
                                  : SPOOR_OK;
}

enum spoor_status spoor_output_flush(struct spoor_output *output, struct spoor_error *error)
{
    const enum spoor_status status =
        output->writer ? async_writer_drain(output->writer, error) : SPOOR_OK;
    return status == SPOOR_OK ? output_flush(output, error) : status;
}

enum spoor_status spoor_output_close(struct spoor_output *output, struct spoor_error *error)
{
    if (!output) return SPOOR_OK;
    enum spoor_status status =
        output->writer ? async_writer_finish(output->writer, error) : SPOOR_OK;
    if (status == SPOOR_OK) status = output_flush(output, error);
    if (status == SPOOR_OK && (output->failed || output->waiting.failed))
        status = spoor_error_set(error, SPOOR_EOUTPUT, "%s: is not whole: an earlier write failed",
                                 output->path);
    if (status != SPOOR_OK) {
        if (!output->standard) output_file_discard(&output->file);
        output_release(output);
        return status;
    }
    if (output->standard) {
        /* Closing reports delayed errors of network file systems; standard output stays open. */
        const int file = dup(STDOUT_FILENO);
        if (file < 0 || close(file) != 0)
            status =
                spoor_error_system(error, SPOOR_EOUTPUT, "%s: cannot be written", output->path);
    } else {
        /* Closes the file and gives it its name.  A file that is replaced is replaced on the disk,
         * too: the new content is flushed to it before.  After a failure, what was there before is
         * still there.  No signal ends the program while the file has the name beside its place. */
        sigset_t all, before;
        char path[256];
        snprintf(path, sizeof path, "%s", output->file.target ? output->file.target : "the output");
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        struct output_file *file = &output->file;
        const bool replaces = file->target && access(file->target, F_OK) == 0;
        bool published = !replaces || fsync(file->file) == 0 || errno == EINVAL || errno == EROFS;
        if (published && file->target && !file->beside) {
            /* Links an unnamed file to its place, or to a name beside it if the place is taken. */
            char unnamed[64];
            snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", file->file);
            published = linkat(AT_FDCWD, unnamed, AT_FDCWD, file->target, AT_SYMLINK_FOLLOW) == 0 ||
                        (errno == EEXIST && output_file_create_beside(file));
        }
        if (published) {
            const int descriptor = file->file;
            file->file = -1;
            published = close(descriptor) == 0 || errno == EINTR;
        }
        if (published && file->beside) {
            published = rename(file->beside, file->target) == 0;
            if (published) {
                free(file->beside);
                file->beside = NULL;
            }
        }
        const int reason = errno;
        output_file_discard(&output->file);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        errno = reason;
        if (!published) status = output_file_refuse(path, error);
    }
    output_release(output);
    return status;
}

bool spoor_output_discard(struct spoor_output *output)
{
    if (!output) return false;
    const bool discarded = output->file.target != NULL;
    if (!discarded) {
        spoor_output_close(output, NULL);
        return false;
    }
    output_file_discard(&output->file);
    output_release(output);
    return true;
}

enum spoor_status output_store(const char *path, const void *bytes, size_t size,
                               struct spoor_error *error)
{
    struct spoor_output *output = NULL;
    enum spoor_status status = spoor_output_open(&output, path, error);
    if (!output) return status;
    status = spoor_output_put(output, bytes, size, error);
    if (status == SPOOR_OK) return spoor_output_close(output, error);
    spoor_output_discard(output);
    return status;
}

static bool output_identify(const char *path, int standard, struct stat *status)
{
    int failed = !path || strcmp(path, "-") == 0 ? fstat(standard, status) : stat(path, status);
    return failed == 0 && S_ISREG(status->st_mode);
}

bool spoor_output_is_input(const char *output, const char *input)
{
    struct stat to, from;
    return output_identify(output, STDOUT_FILENO, &to) &&
           output_identify(input, STDIN_FILENO, &from) && to.st_dev == from.st_dev &&
           to.st_ino == from.st_ino;
}

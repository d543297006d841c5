/* SPDX-License-Identifier: MIT */
/*
 * output.c: write bytes to a file or standard output, compressed by suffix, with every write
 * checked.  A file gets its name when it is closed, if nothing failed (output_file.h).
 */
#include "io/output.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/async_writer.h"
#include "io/compression.h"
#include "io/output_file.h"
#include "model/error.h"

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

static enum spoor_status io_output_out_of_memory(const char *path, struct spoor_error *error)
{
    return error_no_memory_while(error, path, "writing");
}

static async_writer_sink write_compressed;

static enum spoor_status choose_deflater(struct spoor_output *output, struct spoor_error *error)
{
    const struct compression *compression = compression_by_suffix(output->path);
    if (!compression) return SPOOR_OK;
    if (!compression->deflater && compression->inflater)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: names %s, which is read but not written: name another suffix, "
                               "such as .zst, or none",
                               output->path, compression->name);
    if (!compression->deflater)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: names %s, which this spoor was built without: install %s and "
                               "build again, or omit %s",
                               output->path, compression->name, compression->package,
                               compression->suffix);
    output->writer =
        async_writer_open(compression->deflater, output->path, write_compressed, output);
    const struct deflater *deflater = compression->deflater;
    if (output->writer && (!deflater->begin || deflater->begin(&output->waiting))) return SPOOR_OK;
    return io_output_out_of_memory(output->path, error);
}

static enum spoor_status io_output_open_file(struct spoor_output *output, const char *path,
                                             bool in_place, struct spoor_error *error)
{
    output->standard = !path || strcmp(path, "-") == 0;
    output->path = strdup(output->standard ? "standard output" : path);
    if (!output->path) return io_output_out_of_memory(path ? path : "-", error);
    output->file = (struct output_file){.file = STDOUT_FILENO};
    if (output->standard) return SPOOR_OK;
    const enum spoor_status status = choose_deflater(output, error);
    return status == SPOOR_OK ? output_file_open(&output->file, path, in_place, error) : status;
}

static void io_output_release(struct spoor_output *output)
{
    async_writer_close(output->writer);
    text_free(&output->waiting);
    free(output->path);
    free(output);
}

/* write(2) that reports a closed pipe as EPIPE alone: the signal would end a host program that did
 * not expect it. */
static ssize_t write_quietly(int file, const char *bytes, size_t size)
{
    static const struct timespec now = {0};
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    const bool waits = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    const ssize_t written = write(file, bytes, size);
    const int reason = errno;
    if (written < 0 && reason == EPIPE && !waits)
        while (sigtimedwait(&pipe, NULL, &now) < 0 && errno == EINTR) continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return written;
}

static enum spoor_status io_output_write_all(struct spoor_output *output, const char *bytes,
                                             size_t size, struct spoor_error *error)
{
    const int file = output->file.file;
    while (size) {
        const ssize_t written =
            output->file.regular ? write(file, bytes, size) : write_quietly(file, bytes, size);
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

static enum spoor_status io_output_flush(struct spoor_output *output, struct spoor_error *error)
{
    const size_t size = output->waiting.size;
    output->waiting.size = 0;
    return io_output_write_all(output, output->waiting.bytes, size, error);
}

/* Writes compressed bytes; called by one thread at a time. */
static enum spoor_status write_compressed(void *context, const void *bytes, size_t size,
                                          struct spoor_error *error)
{
    struct spoor_output *output = context;
    text_put(&output->waiting, bytes, size);
    if (output->waiting.failed) return io_output_out_of_memory(output->path, error);
    return output->waiting.size >= FLUSH_SIZE ? io_output_flush(output, error) : SPOOR_OK;
}

static enum spoor_status io_output_open_output(struct spoor_output **output, const char *path,
                                               bool in_place, struct spoor_error *error)
{
    struct spoor_output *opened = calloc(1, sizeof *opened);
    if (!opened) return io_output_out_of_memory(path ? path : "-", error);
    const enum spoor_status status = io_output_open_file(opened, path, in_place, error);
    if (status == SPOOR_OK)
        *output = opened;
    else
        io_output_release(opened);
    return status;
}

enum spoor_status spoor_output_open(struct spoor_output **output, const char *path,
                                    struct spoor_error *error)
{
    return io_output_open_output(output, path, false, error);
}

enum spoor_status spoor_output_open_in_place(struct spoor_output **output, const char *path,
                                             struct spoor_error *error)
{
    return io_output_open_output(output, path, true, error);
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

static enum spoor_status write_visible(struct spoor_output *output, const char *bytes, size_t size,
                                       struct spoor_error *error)
{
    struct text *waiting = &output->waiting;
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(bytes + at, '\n', size - at);
        const size_t end = newline ? (size_t)(newline - bytes) : size;
        text_put_visible(waiting, bytes + at, end - at);
        if (newline) text_put(waiting, "\n", 1);
        at = end + 1;
    }
    if (waiting->failed) return io_output_out_of_memory(output->path, error);
    return waiting->size >= FLUSH_SIZE ? io_output_flush(output, error) : SPOOR_OK;
}

enum spoor_status spoor_output_put(struct spoor_output *output, const void *bytes, size_t size,
                                   struct spoor_error *error)
{
    if (size == 0) return SPOOR_OK;
    if (output->visible) return write_visible(output, bytes, size, error);
    if (output->writer) return async_writer_put(output->writer, bytes, size, error);
    if (output->waiting.size + size >= FLUSH_SIZE) {
        enum spoor_status status = io_output_flush(output, error);
        return status == SPOOR_OK ? io_output_write_all(output, bytes, size, error) : status;
    }
    text_put(&output->waiting, bytes, size);
    return output->waiting.failed ? io_output_out_of_memory(output->path, error) : SPOOR_OK;
}

enum spoor_status spoor_output_flush(struct spoor_output *output, struct spoor_error *error)
{
    const enum spoor_status status =
        output->writer ? async_writer_drain(output->writer, error) : SPOOR_OK;
    return status == SPOOR_OK ? io_output_flush(output, error) : status;
}

/* Closing reports delayed errors of network file systems; standard output stays open. */
static enum spoor_status close_standard(const struct spoor_output *output,
                                        struct spoor_error *error)
{
    const int file = dup(STDOUT_FILENO);
    if (file >= 0 && close(file) == 0) return SPOOR_OK;
    return spoor_error_system(error, SPOOR_EOUTPUT, "%s: cannot be written", output->path);
}

enum spoor_status spoor_output_close(struct spoor_output *output, struct spoor_error *error)
{
    if (!output) return SPOOR_OK;
    enum spoor_status status =
        output->writer ? async_writer_finish(output->writer, error) : SPOOR_OK;
    if (status == SPOOR_OK) status = io_output_flush(output, error);
    if (status == SPOOR_OK && (output->failed || output->waiting.failed))
        status = spoor_error_set(error, SPOOR_EOUTPUT, "%s: is not whole: an earlier write failed",
                                 output->path);
    if (status != SPOOR_OK) {
        if (!output->standard) output_file_discard(&output->file);
        io_output_release(output);
        return status;
    }
    status = output->standard ? close_standard(output, error)
                              : output_file_publish(&output->file, error);
    io_output_release(output);
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
    io_output_release(output);
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

static bool identify(const char *path, int standard, struct stat *status)
{
    int failed = !path || strcmp(path, "-") == 0 ? fstat(standard, status) : stat(path, status);
    return failed == 0 && S_ISREG(status->st_mode);
}

bool spoor_output_is_input(const char *output, const char *input)
{
    struct stat to, from;
    return identify(output, STDOUT_FILENO, &to) && identify(input, STDIN_FILENO, &from) &&
           to.st_dev == from.st_dev && to.st_ino == from.st_ino;
}

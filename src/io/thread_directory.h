/* SPDX-License-Identifier: MIT */
/*
 * thread_directory.h: a directory of files, one for each thread, as the bytes of one trace.
 *
 * The files are interleaved by time (formats/thread_files.h).  Each is opened at the beginning and
 * read through buffers of its own, so memory grows with their number (some 0.5 MiB each), not with
 * the trace.
 */
#ifndef SPOOR_IO_THREAD_DIRECTORY_H
#define SPOOR_IO_THREAD_DIRECTORY_H

#include "spoor/error.h"
#include "spoor/reader.h"

struct bytes;
struct gzip_trailer;
struct thread_directory;

/* How a file is read: functions of bytes.h, which itself reads directories. */
struct bytes_calls {
    enum spoor_status (*open)(struct bytes *bytes, const char *path,
                              const struct spoor_reader_options *options,
                              struct spoor_error *error);
    enum spoor_status (*read)(struct bytes *bytes, void *to, size_t capacity, bool hurried,
                              size_t *size, struct spoor_error *error);
    enum spoor_status (*mismatch)(const struct bytes *bytes, const struct gzip_trailer *trailer,
                                  struct spoor_error *error);
    void (*close)(struct bytes *bytes);
};
/* Those of bytes.c. */
extern const struct bytes_calls bytes_calls;

/* True if a directory, or its folder "trace", has files of threads. */
bool thread_directory_is(const struct bytes_calls *calls, const char *path);
/* Opens the files of threads in a directory, or in its folder "trace".  SPOOR_END: there are none.
 */
enum spoor_status thread_directory_open(struct thread_directory **directory,
                                        const struct bytes_calls *calls, const char *path,
                                        struct spoor_error *error);
/* As bytes_read(). */
enum spoor_status thread_directory_read(struct thread_directory *directory, void *to,
                                        size_t capacity, size_t *size, struct spoor_error *error);
/* The path of a file, in the order of names; NULL past the last. */
const char *thread_directory_path(const struct thread_directory *directory, size_t index);
void thread_directory_close(struct thread_directory *directory);

#endif

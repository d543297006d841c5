/* SPDX-License-Identifier: MIT */
/*
 * formats/thread_files.h: a trace in several files, one for each thread or core.
 *
 * Such a trace is read as one sequence of entries: the files are interleaved by the times that they
 * state, and an entry before each run states whose it is.
 */
#ifndef SPOOR_FORMATS_THREAD_FILES_H
#define SPOOR_FORMATS_THREAD_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of one file, zero at its beginning. */
struct thread_file {
    enum { RUN_FIRST, RUN_INSIDE, RUN_NEXT } at;
    uint64_t time; /* of the run that comes next */
    uint64_t thread, process;
};

enum { THREAD_ENTER_MAX = 64 };

struct thread_files {
    size_t entry; /* bytes of an entry */
    /* True for the name of such a file, without its folder, and for its first bytes. */
    bool (*is_name)(const char *name);
    bool (*begins)(const char *bytes, size_t size);
    /* The first time in these bytes; 0: none. */
    uint64_t (*first_time)(const char *bytes, size_t size);
    /* The bytes at `at` that belong to the current run.  *ends: the next run begins after them, at
     * file->time. */
    size_t (*run)(struct thread_file *file, const char *at, size_t size, bool *ends);
    /* Stores entries that state whose run begins; returns the number of their bytes. */
    size_t (*enter)(const struct thread_file *file, char to[THREAD_ENTER_MAX]);
};

/* The files of drmemtrace. */
extern const struct thread_files thread_files_drmemtrace;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * silicon/perf_data.h: a file perf.data as elements (element.h), which a process of its own makes:
 * the libraries that decode AUX buffers see the bytes of a stranger.
 */
#ifndef SPOOR_SILICON_PERF_DATA_H
#define SPOOR_SILICON_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "spoor/error.h"

struct perf_data;

struct perf_input {
    const char *path;          /* for messages, */
    int file;                  /* a regular file, */
    const char *folder;        /* of a directory of perf record --kcore; NULL: none */
    const char *const *images; /* FILE or FILE@ADDRESS, NULL after the last; NULL: none */
};

/* True for a directory that perf record wrote. */
bool perf_data_is_folder(const char *path);

/* The file may be closed afterwards.  NULL: `error` is filled. */
struct perf_data *perf_data_open(const struct perf_input *input, struct spoor_error *error);
/* Fills `capacity` bytes with elements.  SPOOR_OK: all of them; else *size are before the end
 * (SPOOR_END) or the error. */
enum spoor_status perf_data_read(struct perf_data *data, void *to, size_t capacity, size_t *size,
                                 struct spoor_error *error);
void perf_data_close(struct perf_data *data);

#endif

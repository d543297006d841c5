/* SPDX-License-Identifier: MIT */
/*
 * silicon/perf_data.h: a file perf.data as elements (element.h), which a process of its own makes:
 * the libraries that decode AUX buffers see the bytes of a stranger.
 */
#ifndef SPOOR_SILICON_PERF_DATA_H
#define SPOOR_SILICON_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "silicon/perf_code.h"
#include "spoor/error.h"

struct perf_data;

struct perf_input {
    const char *path;          /* for messages, */
    int file;                  /* a regular file, */
    const char *folder;        /* of a directory of perf record --kcore; NULL: none */
    const char *const *images; /* FILE or FILE@ADDRESS, NULL after the last; NULL: none */
    bool raw;                  /* it is a stream of Intel PT, not a perf.data */
};

/* True for the first bytes of a stream of Intel PT, a packet PSB; 16 suffice. */
bool perf_data_is_stream(const void *bytes, size_t size);

/* The same, of a file in memory, in this process: elements go to `put`, which returns false where
 * nobody reads any more.  SPOOR_END: all of it.  For tests, which see what a process of its own
 * hides; `without_coresight`: libopencsd crashes at some damaged packets. */
struct perf_decoding {
    const char *path;
    const void *bytes;
    size_t size;
    const char *const *images;
    bool raw, without_coresight;
    bool (*put)(const void *bytes, size_t size);
};
enum spoor_status perf_data_decode(const struct perf_decoding *decoding, struct spoor_error *error);

/* True for a directory that perf record wrote. */
bool perf_data_is_folder(const char *path);

/* The file may be closed afterwards.  NULL: `error` is filled. */
struct perf_data *perf_data_open(const struct perf_input *input, struct spoor_error *error);
/* Fills `capacity` bytes with elements.  SPOOR_OK: all of them; else *size are before the end
 * (SPOOR_END) or the error. */
enum spoor_status perf_data_read(struct perf_data *data, void *to, size_t capacity, size_t *size,
                                 struct spoor_error *error);
/* The code that a perf.data states was in memory, read in this process.  *code is NULL if the path
 * is no such file. */
enum spoor_status perf_data_code(struct perf_code **code, const char *path,
                                 const char *const *images, struct spoor_error *error);
void perf_data_close(struct perf_data *data);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * source.h: the bytes of a file or of standard input, exactly as they are stored.
 *
 * The buffer of a source can be examined before its bytes are consumed; this is used to detect
 * compressions and the boundary between two members of a compressed file.
 */
#ifndef SPOOR_IO_SOURCE_H
#define SPOOR_IO_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "spoor/reader.h"

/* Waiting for data that another process is still writing. */
struct follow {
    bool on;   /* a file that ends may grow, and available data are not held back */
    int stop;  /* becomes readable when following should end; -1: never */
    int watch; /* inotify of a regular file; -1: none */
};

struct source {
    const char *path; /* as given; must outlive the source */
    int file;
    int wake;          /* becomes readable when a waiting read should be cancelled; -1: never */
    bool waits;        /* not a regular file: reading may block */
    bool is_directory; /* cannot be read itself */
    bool ended;        /* nothing follows the bytes in the buffer */
    bool stopped;      /* ended because following was stopped: more bytes may come later */
    bool hurried;      /* following: return nothing rather than wait, because the caller has pending
                        * data */
    struct follow follow;
    uint8_t *bytes; /* the buffer: at .. end - 1 are not consumed */
    size_t at, end;
    uint64_t begin;          /* a regular file: offset where the source begins */
    uint64_t size;           /* of a regular file that is not followed, else 0 */
    struct timespec written; /* its modification time when it was opened */
    bool is_standard_input;  /* not closed with the source */
    _Atomic uint64_t taken;  /* bytes read from the file, those in the buffer included */
};

/* Opens `path` ("-": standard input), to be followed or not.  After a failure there is nothing to
 * close. */
enum spoor_status source_open(struct source *source, const char *path,
                              const struct spoor_follow *follow, struct spoor_error *error);
void source_close(struct source *source);

/* Fills the buffer with at least `count` bytes, or all that are left.  These functions may fill or
 * return less if the source is hurried. */
enum spoor_status source_look(struct source *source, size_t count, struct spoor_error *error);
/* Fills the buffer with `count` bytes, but for a followed source, `minimum` bytes suffice if no
 * more are available now. */
enum spoor_status source_peek(struct source *source, size_t minimum, size_t count,
                              struct spoor_error *error);
/* True if reading would not block. */
bool source_is_ready(const struct source *source);
/* Consumes up to `capacity` bytes, at least one unless the file has ended (then *size is 0). */
enum spoor_status source_consume(struct source *source, void *to, size_t capacity, size_t *size,
                                 struct spoor_error *error);

/* Of a regular file: read up to `capacity` bytes from `offset` on, counted from the begin of the
 * source; the source does not change, so several threads may call it.  Returns the bytes read;
 * fewer than `capacity`: the file ended (errno is 0), or reading failed (errno). */
size_t source_read_at(const struct source *source, uint64_t offset, void *to, size_t capacity);
/* Of a regular file: continue reading from there. */
enum spoor_status source_seek(struct source *source, uint64_t offset, struct spoor_error *error);

static inline size_t source_left(const struct source *source)
{
    return source->end - source->at;
}
/* Offset in the file of the next byte to consume. */
uint64_t source_offset(const struct source *source);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * source.h: the bytes of a file or of standard input, exactly as they are stored.
 *
 * A source keeps a buffer that can be looked into before its bytes are taken, which is how
 * compressions are recognised and how the seam between two members of a compressed file is found.
 */
#ifndef SPOOR_IO_SOURCE_H
#define SPOOR_IO_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/follow.h"
#include "spoor/reader.h"

struct source {
    const char *path; /* as given; must outlive the source */
    int file;
    int wake;     /* becomes readable when a waiting read should give up; -1: never */
    bool waits;   /* not a regular file: reading may wait for somebody */
    bool ended;   /* nothing follows what is in the buffer */
    bool stopped; /* that is so because following was stopped: there may be more some day */
    bool hurried; /* following: give nothing rather than wait; the caller has something in hand */
    struct follow follow;
    uint8_t *bytes; /* the buffer: at .. end - 1 have not been taken */
    size_t at, end;
    uint64_t begin;         /* a regular file: where in it the source begins */
    uint64_t size;          /* of a regular file that is not followed, else 0 */
    _Atomic uint64_t taken; /* bytes read from the file, those in the buffer included */
};

/* Open `path` ("-": standard input), to be followed or not.  After a failure there is nothing to
 * close. */
enum spoor_status source_open(struct source *source, const char *path,
                              const struct spoor_follow *follow, struct spoor_error *error);
void source_close(struct source *source);

/* Each of these gives less than that, too, where the source is hurried.
 *
 * Have at least `count` bytes in the buffer, or all that are left. */
enum spoor_status source_look(struct source *source, size_t count, struct spoor_error *error);
/* The same, but of a source that is followed, be content with `least` where that is all there is
 * now. */
enum spoor_status source_peek(struct source *source, size_t least, size_t count,
                              struct spoor_error *error);
/* Have at least one byte in the buffer unless the file has ended. */
enum spoor_status source_fill(struct source *source, struct spoor_error *error);
/* Whether reading would not wait. */
bool source_is_ready(const struct source *source);
/* Take up to `room` bytes, at least one unless the file has ended (then *size is 0). */
enum spoor_status source_take(struct source *source, void *to, size_t room, size_t *size,
                              struct spoor_error *error);

/* Of a regular file: read up to `room` bytes from `offset` on, counted from where the source
 * begins; nothing else of the source changes, so several threads may.  The bytes read; less than
 * `room`: the file ended, or reading failed. */
size_t source_read_at(const struct source *source, uint64_t offset, void *to, size_t room);
/* The same: go on reading from there. */
enum spoor_status source_seek(struct source *source, uint64_t offset, struct spoor_error *error);
/* The same: somebody read up to there. */
void source_note(struct source *source, uint64_t offset);

static inline size_t source_left(const struct source *source)
{
    return source->end - source->at;
}
/* Offset in the file of the next byte to be taken. */
uint64_t source_offset(const struct source *source);

#endif

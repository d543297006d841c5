/* SPDX-License-Identifier: MIT */
/*
 * bytes.h: the decompressed bytes of a trace.
 *
 * The one door between files and everything above: whatever the file's compression, and however
 * many members it consists of, bytes come out in order until the end or the first damage.
 */
#ifndef SPOOR_IO_BYTES_H
#define SPOOR_IO_BYTES_H

#include "io/compression.h"
#include "io/source.h"

struct bytes {
    struct source source;
    const struct compression *compression; /* NULL: none */
    const struct inflater *kind;           /* that of the compression, or what it takes instead */
    void *inflater;
    bool inside;                     /* a member has begun and not ended */
    bool entered;                    /* reading began inside it */
    bool partial;                    /* reading did not begin at the beginning of the trace */
    uint64_t end;                    /* offset in the decompressed trace of what comes next */
    uint64_t begin;                  /* that of the member */
    struct gzip_trailers trailers;   /* of members that have ended, for who takes them */
    struct checkpoints *checkpoints; /* to add to; NULL: none are wanted */
};

/* Open a file as the options say and recognise its compression.  After a failure there is nothing
 * to close. */
enum spoor_status bytes_open(struct bytes *bytes, const char *path,
                             const struct spoor_reader_options *options, struct spoor_error *error);
/* The same, but the first byte is the one at `offset` of the decompressed trace; the checkpoint is
 * at that offset or before.  NULL: of a file that is not compressed. */
enum spoor_status bytes_open_at(struct bytes *bytes, const char *path,
                                const struct spoor_reader_options *options,
                                const struct checkpoint *checkpoint, uint64_t offset,
                                struct spoor_error *error);
/* Add checkpoints to the list from now on.  Before the first byte is read. */
void bytes_collect(struct bytes *bytes, struct checkpoints *list);
void bytes_close(struct bytes *bytes);

/* What there is to say of a member that is not what its trailer says. */
enum spoor_status bytes_trailer_mismatch(const struct bytes *bytes,
                                         const struct gzip_trailer *trailer,
                                         struct spoor_error *error);

/* Fill `room` bytes at `to`.  SPOOR_OK: all of them; else *size tells how many came before the end
 * (SPOOR_END) or the error.  Of a source that is followed, SPOOR_OK means all that were there, and,
 * unless in a hurry, at least one. */
enum spoor_status bytes_read(struct bytes *bytes, void *to, size_t room, bool hurried, size_t *size,
                             struct spoor_error *error);

#endif

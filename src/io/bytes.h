/* SPDX-License-Identifier: MIT */
/*
 * bytes.h: the decompressed bytes of a trace.
 *
 * The only interface between files and the modules above: for any compression and any number of
 * members, it delivers bytes in order until the end or the first damage.
 */
#ifndef SPOOR_IO_BYTES_H
#define SPOOR_IO_BYTES_H

#include "io/compression.h"
#include "io/source.h"

struct coresight;
struct perf_data;
struct thread_directory;
struct waveform;

/* The trailers of members that have ended, in the order of the trace. */
struct gzip_trailers {
    struct gzip_trailer *items;
    size_t count, capacity;
};

/* False if memory runs out. */
bool gzip_trailers_add(struct gzip_trailers *trailers, const struct gzip_trailer *trailer);
void gzip_trailers_free(struct gzip_trailers *trailers);

struct bytes {
    struct source source;
    struct thread_directory *directory;    /* the trace is a directory of files; NULL: a file */
    struct coresight *coresight;           /* the trace is a snapshot of CoreSight; NULL: no */
    struct perf_data *perf;                /* the trace is a perf.data; NULL: no */
    const char *const *images;             /* of the options */
    bool stream, raw;                      /* they name a stream of Intel PT; it is one */
    const struct compression *compression; /* NULL: none */
    const struct inflater *kind;           /* that of the compression, or its substitute */
    void *inflater;
    bool inside;                       /* a member has begun and has not ended */
    bool entered;                      /* reading began inside it */
    bool partial;                      /* reading did not begin at the beginning of the trace */
    uint64_t end;                      /* offset in the decompressed trace of the next byte */
    uint64_t begin;                    /* that of the member */
    struct gzip_trailers trailers;     /* of members that have ended, to be checked by the caller */
    struct checkpoints *checkpoints;   /* list to add to; NULL: none */
    struct waveform *waveform;         /* the bytes are text of a waveform; NULL: they are not */
    uint32_t sum, summed;              /* of a waveform's bytes in the gzip member so far */
    bool look;                         /* the first bytes may show that they are a waveform's */
    const struct spoor_format *format; /* that the caller named, for its mapping; may be NULL */
    const char *dialect;               /* the mapping that the caller named; may be NULL */
};

/* Opens a file and detects its compression.  After a failure there is nothing to close. */
enum spoor_status bytes_open(struct bytes *bytes, const char *path,
                             const struct spoor_reader_options *options, struct spoor_error *error);
/* The same, but the first byte is the one at `offset` of the decompressed trace; the checkpoint is
 * at that offset or before.  NULL for an uncompressed file. */
enum spoor_status bytes_open_at(struct bytes *bytes, const char *path,
                                const struct spoor_reader_options *options,
                                const struct checkpoint *checkpoint, uint64_t offset,
                                struct spoor_error *error);
/* Adds checkpoints to the list from now on.  Call it before the first byte is read. */
void bytes_collect(struct bytes *bytes, struct checkpoints *list);
void bytes_close(struct bytes *bytes);

/* Reports a member that does not match its trailer. */
enum spoor_status bytes_trailer_mismatch(const struct bytes *bytes,
                                         const struct gzip_trailer *trailer,
                                         struct spoor_error *error);

/* Fills `capacity` bytes at `to`.  SPOOR_OK: all of them; else *size is the number of bytes before
 * the end (SPOOR_END) or the error.  For a followed source, SPOOR_OK means all available bytes and,
 * unless hurried, at least one. */
enum spoor_status bytes_read(struct bytes *bytes, void *to, size_t capacity, bool hurried,
                             size_t *size, struct spoor_error *error);

#endif

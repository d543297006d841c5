/* SPDX-License-Identifier: MIT */
/*
 * chunk.h: split a trace into chunks that end at record boundaries.
 *
 * A chunk is the text of a batch before it is decoded.  The split positions depend on the bytes of
 * the trace only, never on how a pipe delivered them or on the number of threads.  A followed trace
 * is the exception: the available bytes are split at the last record boundary and not held back.
 */
#ifndef SPOOR_IO_CHUNK_H
#define SPOOR_IO_CHUNK_H

#include "base/text.h"
#include "io/bytes.h"
#include "spoor/batch.h"
#include "spoor/format.h"

enum {
    CHUNK_SIZE = 256 << 10, /* text: fill size of a chunk, which is then split at its last
                             * newline */
    CHUNK_RECORDS = 16384,  /* binary: at most this many records, and at most CHUNK_SIZE bytes */
    DENSE_LINE = 8,         /* text: if lines are shorter than this, chunks are smaller in
                             * proportion, because each line becomes a record of 64 bytes */
    MAX_LINE = 1 << 20,     /* a line with more bytes than this is split into parts */
    CHUNK_ALIGNMENT = 64,   /* bytes: a cache line */
    CHUNK_PADDING = 64,     /* readable zero bytes after a batch's text */
    CHUNK_HEAD = 64 << 10,  /* bytes for the probes of formats */
    CHUNK_SURE = 4096,      /* followed: with this many bytes, probes need not wait for a line */
    DENSE_SAMPLE = 4096,    /* bytes sampled for the length of lines */
    RESERVE_LOOK = 1024,    /* bytes before the end of a range in which a line should end */
};

/* A range of bytes of the trace. */
struct lookahead {
    uint64_t offset;
    size_t size; /* 0: none yet */
    char bytes[RESERVE_LOOK + DENSE_SAMPLE];
};

/* State of the ordered stage; no other thread uses it. */
struct member_check {
    uint32_t sum, size;       /* of the bytes so far of the member in which the next chunk begins */
    bool failed;              /* a member does not match its trailer: the trace ends there */
    struct spoor_error error; /* if so */
};

/* Samples of a large file.  They have one size and are evenly spaced from the first byte to the
 * last, so they have equal weight; the number of bytes read does not depend on the size of the
 * file. */
struct sample_plan {
    unsigned count, next; /* count 0: read everything */
    uint64_t size;        /* of the file */
};

struct container;

struct cutter {
    struct bytes bytes;
    struct sample_plan sample_plan;
    size_t record_size;                /* 0: text */
    size_t header_size;                /* binary: bytes before the first record */
    const struct spoor_stream *stream; /* whose records the chunks have */
    size_t (*length)(const struct spoor_stream *stream, const char *at,
                     size_t size); /* of records of various lengths; else NULL */
    size_t (*last_known)(const char *at, size_t size); /* of struct spoor_format */
    const char *block;                 /* text: a chunk should end before a line that begins so */
    const struct container *container; /* the chunks are those of its blocks; NULL: none */
    struct text pending;               /* bytes read after the last split */
    uint64_t offset;                   /* of the next chunk in the trace */
    bool reserved;              /* ranges were reserved so far; none of their bytes was read here */
    struct lookahead lookahead; /* around the end of the last range */
    bool continues;             /* the next chunk begins inside a line */
    enum spoor_status ended;    /* SPOOR_OK while there may be more bytes; then why not */
    struct spoor_error error;
    struct member_check check;
};

/* Opens a file.  After a failure there is nothing to close. */
enum spoor_status cutter_open(struct cutter *cutter, const char *path,
                              const struct spoor_reader_options *options,
                              struct spoor_error *error);
/* The same, but the first chunk begins at `offset` of the decompressed trace; the checkpoint is at
 * that offset or before.  NULL: of a file that is not compressed. */
enum spoor_status cutter_open_at(struct cutter *cutter, const char *path,
                                 const struct spoor_reader_options *options,
                                 const struct checkpoint *checkpoint, uint64_t offset,
                                 struct spoor_error *error);
void cutter_close(struct cutter *cutter);

/* The first CHUNK_HEAD bytes, or all of a shorter trace.  Call it before the first chunk.  Damage
 * within them is reported after they are delivered.  For a followed trace, the available bytes, at
 * least a line; each further call waits for more; SPOOR_END if it was stopped before the first
 * byte. */
enum spoor_status cutter_head(struct cutter *cutter, struct spoor_head *head,
                              struct spoor_error *error);

/* True if a further call would return the same head. */
bool cutter_head_is_full(const struct cutter *cutter);

/* The next chunk is not the first: a container learns what lies before it. */
void cutter_enter(const struct cutter *cutter);

/* Fills an empty batch with the next chunk: text, offset, continues, unfinished, last, gap. Returns
 * SPOOR_END or an error after the last one. */
enum spoor_status cutter_next(struct cutter *cutter, struct spoor_batch *batch,
                              struct spoor_error *error);

/* Called by the same thread afterwards, also if it returned no chunk: the trailers of the members
 * that have ended since.  SPOOR_OK or SPOOR_ENOMEM. */
enum spoor_status cutter_trailers(struct cutter *cutter, struct gzip_trailers *trailers,
                                  struct spoor_error *error);
/* Called by the ordered stage with the result of the next chunk: check the members that end in it.
 * If one is damaged, the batch is truncated after it, as the last one, and *again is set: it must
 * be decoded again.  Returns `status`, or the reason why the trace ended before. */
enum spoor_status cutter_check(struct cutter *cutter, enum spoor_status status,
                               const struct gzip_trailers *trailers, struct spoor_batch *batch,
                               bool *again, struct spoor_error *error);

/* The same in two steps, of which only the first must be serialised.  The first step splits; for an
 * uncompressed file it can do so without reading the bytes: it reserves the range, and the second
 * step reads it. */
struct reserved_range {
    size_t size; /* 0: nothing to do */
};
enum spoor_status cutter_reserve(struct cutter *cutter, struct spoor_batch *batch,
                                 struct reserved_range *range, struct spoor_error *error);
enum spoor_status cutter_load(const struct cutter *cutter, const struct reserved_range *range,
                              struct spoor_batch *batch, struct spoor_error *error);

/* Plans the samples of a regular file of `size` bytes; one that has no more bytes than the samples
 * is read in full. */
struct sample_plan sample_plan_of(int file, uint64_t size, unsigned samples);
/* The layout of records in a binary file; record_size 0: text, records are lines. */
struct sample_shape {
    size_t record_size, header_size;
};
/* Fills an empty batch, with capacity for SPOOR_SAMPLE_SIZE bytes and a record, with the next
 * sample: text, offset, unfinished, last, gap.  SPOOR_END after the last one. */
enum spoor_status sample_next(struct sample_plan *plan, int file, struct sample_shape shape,
                              struct spoor_batch *batch, struct spoor_error *error);

#endif

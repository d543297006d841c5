/* SPDX-License-Identifier: MIT */
/*
 * chunk.h: cutting a trace into chunks that end where a record ends.
 *
 * A chunk is the text of a batch before it is decoded.  Where the cuts lie depends on the bytes of
 * the trace alone, never on how a pipe delivered them or on the number of threads.  Only where a
 * trace is followed they do: what is there is cut at its last record end and not held back.
 */
#ifndef SPOOR_IO_CHUNK_H
#define SPOOR_IO_CHUNK_H

#include "base/text.h"
#include "io/bytes.h"
#include "io/sample.h"
#include "spoor/batch.h"
#include "spoor/format.h"

enum {
    CHUNK_SIZE = 256 << 10, /* text: what a chunk is filled to, and then cut at its last newline */
    CHUNK_RECORDS = 16384,  /* binary: at most so many records, and at most CHUNK_SIZE bytes */
    DENSE_LINE = 8,         /* text: where lines are shorter than this, chunks are as much smaller,
                               for each line becomes a record of 64 bytes */
    LINE_MOST = 1 << 20,    /* a line with more bytes than this is cut into pieces */
    CHUNK_ALIGNMENT = 64,   /* bytes: a line of the cache */
    CHUNK_PADDING = 64,     /* readable zero bytes behind a batch's text */
    CHUNK_HEAD = 64 << 10,  /* what probes of formats see */
    CHUNK_SURE = 4096,      /* followed: with so many bytes, probes need not wait for a line */
    DENSE_SAMPLE = 4096,    /* bytes that tell how long lines are */
    RESERVE_LOOK = 1024,    /* bytes before the end of a range in which a line should end */
};

/* Some bytes of the trace, wherever they are. */
struct lookahead {
    uint64_t offset;
    size_t size; /* 0: none yet */
    char bytes[RESERVE_LOOK + DENSE_SAMPLE];
};

/* Of who takes the chunks in their order; nobody else looks at it. */
struct checking {
    uint32_t sum, size; /* of the bytes so far of the member that the next chunk begins in */
    bool failed;        /* a member is not what its trailer says: nothing follows it, because of */
    struct spoor_error error;
};

struct cutter {
    struct bytes bytes;
    struct sampling sampling;
    size_t record_size;                            /* 0: text */
    size_t header_size;                            /* binary: bytes before the first record */
    size_t (*length)(const char *at, size_t size); /* of records of various lengths; else NULL */
    struct text pending;                           /* read, but behind the last cut */
    uint64_t offset;                               /* of the next chunk in the trace */
    bool reserved; /* so far, pieces were reserved: none of their bytes was read here */
    struct lookahead lookahead; /* around the end of the last range */
    bool continues;             /* the next chunk begins inside a line */
    enum spoor_status ended;    /* SPOOR_OK while there may be more bytes; then why not */
    struct spoor_error error;
    struct checking checking;
};

/* Open a file as the options say.  After a failure there is nothing to close. */
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

/* The first CHUNK_HEAD bytes, or all there are.  Must come before the first chunk.  Damage within
 * them is reported after they have been handed out.  Of a trace that is followed, those that are
 * there, at least a line; each further call waits for more; SPOOR_END where it was stopped before
 * there was anything. */
enum spoor_status cutter_head(struct cutter *cutter, struct spoor_head *head,
                              struct spoor_error *error);

/* Whether a further call would give the same head. */
bool cutter_head_is_full(const struct cutter *cutter);

/* Fill an empty batch with the next chunk: text, offset, continues, unfinished, last, gap.  Returns
 * SPOOR_END or an error behind the last one. */
enum spoor_status cutter_next(struct cutter *cutter, struct spoor_batch *batch,
                              struct spoor_error *error);

/* By who called it, also where it gave no chunk: the trailers of the members that have ended since.
 * SPOOR_OK or SPOOR_ENOMEM. */
enum spoor_status cutter_trailers(struct cutter *cutter, struct gzip_trailers *trailers,
                                  struct spoor_error *error);
/* By who takes the chunks in their order, with what came of the next one: check the members that
 * end in it.  Where one is damaged the batch is cut behind it, as the last one, and *again is set:
 * what was decoded of it before must be decoded again.  Gives `status`, or why the trace has ended
 * before. */
enum spoor_status cutter_check(struct cutter *cutter, enum spoor_status status,
                               const struct gzip_trailers *trailers, struct spoor_batch *batch,
                               bool *again, struct spoor_error *error);

/* The same in two steps, of which only the first must be done by one thread after the other.  It
 * cuts; where it can without reading what it cuts, of a plain file, it leaves that to the second
 * and reserves the bytes. */
struct reserved_range {
    size_t size; /* 0: there is nothing left to do */
};
enum spoor_status cutter_reserve(struct cutter *cutter, struct spoor_batch *batch,
                                 struct reserved_range *range, struct spoor_error *error);
enum spoor_status cutter_load(const struct cutter *cutter, const struct reserved_range *range,
                              struct spoor_batch *batch, struct spoor_error *error);

#endif

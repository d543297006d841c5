/* SPDX-License-Identifier: MIT */
/*
 * reader.h: from a path to batches of records.
 *
 * A reader opens a file or standard input, sees through its compression (by content, never by
 * name), finds its format, and hands out batches in order.  Memory is bounded whatever the size of
 * the trace.  With more than one thread, decompression and decoding run beside the caller; the
 * batches are the same in content and order for any number of threads.
 */
#ifndef SPOOR_READER_H
#define SPOOR_READER_H

#include "batch.h"
#include "format.h"
#include "view.h"

struct spoor_reader;

/* What a trace does not say of itself. */
struct spoor_decode_options {
    const char *dialect; /* read this dialect of the format and no other; NULL: all of them.  Its
                          * names: spoor_format_dialect() */
    bool implicit_thumb; /* an instruction that states no instruction set is Thumb */
    enum spoor_isa isa;  /* whose opcodes they are; UNKNOWN: letters and opcodes tell */
};

/* Wait at the end of a file for more, as somebody is writing it, and hand out whole records as soon
 * as they are there, of a pipe too.  Ends where a pipe ends, where `stop` says so, and, with
 * SPOOR_EINPUT, where a file is cut short or removed.  Opening waits for the first 10 bytes, which
 * tell a compression, and for as many as it takes to find the format.  When stopped, what is behind
 * the last whole record is left away: its rest may be yet to come. */
struct spoor_follow {
    int stop; /* a file descriptor that becomes readable when following should end; -1: none */
};

struct spoor_reader_options {
    const struct spoor_format *format; /* NULL: detect by content */
    unsigned threads; /* 0 or 1: none beside the caller's; else at most so many (and 32) read,
                         decompress and decode, the caller's among them while it waits for a
                         batch.  Of an xz file whose blocks state their sizes and are small (xz -T),
                         as many again inflate, in at most 44 MiB together */
    struct spoor_decode_options decode;
    const struct spoor_follow *follow; /* NULL: the trace ends where it ends now */
    unsigned samples; /* 0: all of the trace; else, of one larger than so many samples (at least 2,
                         at most 65,536) of SPOOR_SAMPLE_SIZE, only these: its beginning, its end
                         and between them evenly.  Needs a plain regular file, which is not
                         followed.  What comes behind a gap says so: see spoor_batch */
};
enum { SPOOR_SAMPLE_SIZE = 64 << 10 };

/* Open `path` ("-": standard input).  On SPOOR_OK the caller owns *reader.  SPOOR_END: following
 * was stopped before there was anything.  An empty trace has no format to detect and is
 * SPOOR_EINPUT; where the format is named it has no batches. */
enum spoor_status spoor_reader_open(struct spoor_reader **reader, const char *path,
                                    const struct spoor_reader_options *options,
                                    struct spoor_error *error);

/* The next batch: SPOOR_OK with *batch set (valid until the next call), SPOOR_END, or an error.
 * Everything that could be read before an error has been handed out before it is reported. */
enum spoor_status spoor_reader_next(struct spoor_reader *reader, const struct spoor_batch **batch,
                                    struct spoor_error *error);

/* ---- views: what a simulator eats, without the records ---- */

/* The references of a part of the trace, in order. */
struct spoor_reference_block {
    const struct spoor_reference *items;
    size_t count;
    const struct spoor_batch *source; /* where they come from: its place and count, its faults and
                                       * the text they quote.  Formats that can, decode without
                                       * making records: do not look at `records` */
};
/* The next block, as spoor_references_add() gives it of the next batch: SPOOR_OK with *block filled
 * (what it points at is valid until the next call), SPOOR_END, or an error.  `options` (NULL: as
 * its zeros say) are those of the first call.  A reader hands out batches, references or branches,
 * whichever it is asked for first; then anything else is SPOOR_EUSAGE. */
enum spoor_status spoor_reader_next_references(struct spoor_reader *reader,
                                               const struct spoor_reference_options *options,
                                               struct spoor_reference_block *block,
                                               struct spoor_error *error);

/* The branches that a part of the trace tells of, as spoor_branches_add() gives them. */
struct spoor_branch_block {
    const struct spoor_branch *items;
    size_t count;
    uint64_t instructions, unresolved; /* so far: as in struct spoor_branches */
    const struct spoor_batch *source;  /* as above; NULL in the last block, which has what was
                                        * waiting for its successor when the trace ended */
};
enum spoor_status spoor_reader_next_branches(struct spoor_reader *reader,
                                             struct spoor_branch_block *block,
                                             struct spoor_error *error);

/* The next batch, as spoor_reader_next() gives it, but for spoor_info_feed() alone: formats that
 * can, count without making records, and but for the first batch and for what faults have found,
 * the text need not be there any more. */
enum spoor_status spoor_reader_next_to_count(struct spoor_reader *reader,
                                             const struct spoor_batch **batch,
                                             struct spoor_error *error);

const struct spoor_stream *spoor_reader_stream(const struct spoor_reader *reader);
/* How the format was detected; NULL where it was named. */
const struct spoor_ranking *spoor_reader_ranking(const struct spoor_reader *reader);
/* Name of the compression that was seen: "none", "gzip", "zstd", "xz", "bzip2", "lz4". */
const char *spoor_reader_compression(const struct spoor_reader *reader);
/* Bytes taken from the file so far, and its size (0 where unknown or growing): for progress. */
void spoor_reader_progress(const struct spoor_reader *reader, uint64_t *done, uint64_t *size);

void spoor_reader_close(struct spoor_reader *reader);

#endif

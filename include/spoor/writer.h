/* SPDX-License-Identifier: MIT */
/*
 * writer.h: from batches of records to bytes.
 *
 * An output is a file or standard output, compressed by suffix (.gz .zst .xz .bz2 .lz4).  A writer
 * puts records into it in a format; a printer puts what the format's own reference tool would
 * print.
 */
#ifndef SPOOR_WRITER_H
#define SPOOR_WRITER_H

#include "batch.h"
#include "format.h"

struct spoor_output;

/* Open `path` for writing; NULL or "-" is standard output.  On SPOOR_OK the caller owns *output. */
enum spoor_status spoor_output_open(struct spoor_output **output, const char *path,
                                    struct spoor_error *error);
/* With more than one thread, compress and write beside the caller.  What is written is the same.
 * Call it before the first bytes are put; it does nothing where the output is not compressed. */
void spoor_output_use_threads(struct spoor_output *output, unsigned threads);
/* Append bytes; of a compressed output, a failure may be of those put before.  A closed pipe is
 * SPOOR_EOUTPUT with system_error EPIPE. */
enum spoor_status spoor_output_put(struct spoor_output *output, const void *bytes, size_t size,
                                   struct spoor_error *error);
/* Write what waits to be written, so that others can read it; of a compressed output, what the
 * compressor has given so far. */
enum spoor_status spoor_output_flush(struct spoor_output *output, struct spoor_error *error);
/* Push everything out and report what failed; then release.  Always call it, even after an error.
 */
enum spoor_status spoor_output_close(struct spoor_output *output, struct spoor_error *error);

/* Whether writing to `output` would overwrite `input`: both are the same regular file, under
 * whatever names (NULL or "-": standard output and input).  Ask before spoor_output_open(), which
 * empties the file. */
bool spoor_output_is_input(const char *output, const char *input);

struct spoor_writer;

enum spoor_writer_style {
    SPOOR_WRITE_TRACE, /* the format itself: what a reader of the format reads */
    SPOOR_WRITE_PRINT, /* what the format's reference tool prints (binary formats as text) */
};

struct spoor_writer_options {
    enum spoor_writer_style style;
    bool time_hex; /* BYU 12-byte, print: the time as %08lx (a course's variant) */
};

/* A writer that appends to `output`, which it does not own. */
enum spoor_status spoor_writer_open(struct spoor_writer **writer, const struct spoor_format *format,
                                    const struct spoor_writer_options *options,
                                    struct spoor_output *output, struct spoor_error *error);
/* Write records from .. to - 1 of `batch`.  What the format cannot carry is left out and counted.
 */
enum spoor_status spoor_writer_put(struct spoor_writer *writer, const struct spoor_batch *batch,
                                   size_t from, size_t to, struct spoor_error *error);
/* What is put from now on is of another trace.  Call it where the reader of the trace before has
 * been closed: the stream of the next one may lie where its stream lay. */
void spoor_writer_seam(struct spoor_writer *writer);
/* Hand all records that were put to the output, and flush that. */
enum spoor_status spoor_writer_flush(struct spoor_writer *writer, struct spoor_error *error);
/* Records that could not be written at all so far. */
uint64_t spoor_writer_skipped(const struct spoor_writer *writer);
enum spoor_status spoor_writer_close(struct spoor_writer *writer, struct spoor_error *error);

#endif

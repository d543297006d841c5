/* SPDX-License-Identifier: MIT */
/*
 * writer.h: from batches of records to bytes.
 *
 * An output is a file or standard output, compressed by suffix (.gz .zst .xz .bz2 .lz4).  A writer
 * writes records to it in a format, or prints them as the format's own reference tool does.
 *
 *     spoor_output_open(&output, "run.din.zst", &error);
 *     spoor_writer_open(&writer, spoor_format_find("din"), NULL, output, &error);
 *     for each batch, in order: spoor_writer_put(writer, batch, 0, batch->count, &error);
 *     spoor_writer_close(writer, &error);
 *     spoor_output_close(output, &error);      or spoor_output_discard(output), if a call failed
 *
 * A file is whole or not there: it gets its name when it is closed, and only if every write
 * succeeded.  Until then, and after a failure, a signal or a crash, a file that had that name
 * before is as it was.  Pipes, terminals, devices and /dev/stdout are written directly.
 */
#ifndef SPOOR_WRITER_H
#define SPOOR_WRITER_H

#include "batch.h"
#include "format.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_output;

/* Opens `path` for writing; NULL or "-": standard output.  On SPOOR_OK the caller owns *output. */
enum spoor_status spoor_output_open(struct spoor_output **output, const char *path,
                                    struct spoor_error *error);
/* The same, but writes the file directly: what was written stays, whatever happens. */
enum spoor_status spoor_output_open_in_place(struct spoor_output **output, const char *path,
                                             struct spoor_error *error);
/* The name under which the file lies until it is closed, where it needs one; NULL: it has none.  A
 * program that a signal ends removes it. */
const char *spoor_output_temporary(const struct spoor_output *output);
/* With more than one thread, compresses and writes in parallel with the caller.  The bytes are the
 * same.  Call it before the first put; it has no effect on an uncompressed output. */
void spoor_output_use_threads(struct spoor_output *output, unsigned threads);
/* For a terminal, before the first bytes: writes control characters and bytes that are no UTF-8 as
 * \xNN, so that no trace commands the terminal; tabs and line ends stay.  Not for an output that
 * is compressed. */
void spoor_output_make_visible(struct spoor_output *output);
/* Appends bytes.  For a compressed output, a failure may concern bytes of an earlier call.  A
 * closed pipe is SPOOR_EOUTPUT with system_error EPIPE. */
enum spoor_status spoor_output_put(struct spoor_output *output, const void *bytes, size_t size,
                                   struct spoor_error *error);
/* Writes all buffered bytes, so that other processes can read them; for a compressed output, all
 * that the compressor has produced so far. */
enum spoor_status spoor_output_flush(struct spoor_output *output, struct spoor_error *error);
/* Writes everything, reports any failure and frees the output.  Every output ends with a call of
 * this function or of spoor_output_discard(), also after an error.  After a failed write the file
 * does not appear. */
enum spoor_status spoor_output_close(struct spoor_output *output, struct spoor_error *error);
/* The same where the content is not whole: the file does not appear.  False: it was written
 * directly (in place, to a pipe, to standard output), and so was the rest now. */
bool spoor_output_discard(struct spoor_output *output);

/* True if writing to `output` would overwrite `input`: both are the same regular file, under any
 * names (NULL or "-": standard output and input).  Call it before spoor_output_open(). */
bool spoor_output_is_input(const char *output, const char *input);

struct spoor_writer;

enum spoor_writer_style {
    SPOOR_WRITE_TRACE, /* the format itself, as readers of the format expect it */
    SPOOR_WRITE_PRINT, /* the text that the format's reference tool prints (binary formats as
                        * text) */
};

/* The effort to make Parquet files small.  Other formats have one level. */
enum spoor_level { SPOOR_LEVEL_DEFAULT, SPOOR_LEVEL_SMALL };

struct spoor_writer_options {
    size_t struct_size; /* sizeof this struct */
    enum spoor_writer_style style;
    bool time_hex; /* BYU 12-byte, print: the time as %08lx (a course's variant) */
    const struct spoor_format *content; /* .spoor: the format of the records; NULL: that of the
                                         * first batch's stream */
    enum spoor_level level;             /* Parquet */
    const char *description; /* .spoor: lines "key=value", each with its newline; NULL: none.  Used
                              * until the writer is closed */
    unsigned threads; /* Parquet: encode on so many threads, with the caller's; the bytes are the
                       * same.  0: 1 */
    uint64_t source_bytes; /* .spoor: at least so many bytes are read, compressed or not, of which
                            * all records are put.  From 32 MiB on, the first segments have few
                            * templates too, so that they are entered as fast as others.  0: not
                            * known */
    bool mixes_security; /* .spoor: the records are of several traces, some of which state security
                          * (spoor_stream.states_security): the file does not state it, so that
                          * no address becomes Secure */
    const char
        *encoder; /* n-trace, e-trace, of records of other formats: how they are encoded,
                   * "KEY=N,KEY=N" of the keys that the format's page has; NULL: as it says */
};

/* A writer of `format` that appends to `output`, which it does not own.  On SPOOR_OK the caller
 * owns *writer; the output must outlive it.  SPOOR_EUSAGE: the format is only read. */
enum spoor_status spoor_writer_open(struct spoor_writer **writer, const struct spoor_format *format,
                                    const struct spoor_writer_options *options,
                                    struct spoor_output *output, struct spoor_error *error);
/* Writes records from .. to - 1 of `batch`.  Records that the format cannot represent are left out
 * and counted: see spoor_writer_skipped(). */
enum spoor_status spoor_writer_put(struct spoor_writer *writer, const struct spoor_batch *batch,
                                   size_t from, size_t to, struct spoor_error *error);
/* Records put from now on belong to another trace.  Call it after the reader of the previous trace
 * was closed: the stream of the next trace may have the same address. */
void spoor_writer_seam(struct spoor_writer *writer);
/* .spoor: adds lines "key=value", each with its newline, to the description, which lies at the end
 * of the file.  Other formats have no place for them, and ignore them. */
enum spoor_status spoor_writer_describe(struct spoor_writer *writer, const char *lines,
                                        struct spoor_error *error);
/* Writes all records put so far to the output, and flushes it. */
enum spoor_status spoor_writer_flush(struct spoor_writer *writer, struct spoor_error *error);
/* Number of records left out so far; an encoder of packets (n-trace, e-trace) knows all of them
 * after spoor_writer_end(). */
uint64_t spoor_writer_skipped(const struct spoor_writer *writer);

/* Where an encoder of packets (n-trace, e-trace) says something else than the records. */
struct spoor_writer_note {
    bool lost;         /* records were left out, which spoor_writer_skipped() counts, too; false:
                        * packets state what the records do not, since these packets cannot leave it
                        * out */
    const char *field; /* of records: "cpu" (lost), "mode", "context", "time", "value", "address" */
    const char *value; /* that packets state, "M", "0"; NULL: lost */
    const char *remedy; /* what avoids it; NULL: nothing does */
    uint64_t records;   /* that were left out, or packets: the records of the written trace */
};
/* The notes, and their number; the writer's, until it is closed.  Final after spoor_writer_end().
 */
const struct spoor_writer_note *spoor_writer_notes(const struct spoor_writer *writer,
                                                   size_t *count);
/* Writes what the format has at its end (the index of a .spoor file, the footer of Parquet) to the
 * output.  After it only the counts are asked for, and spoor_writer_close() is called. */
enum spoor_status spoor_writer_end(struct spoor_writer *writer, struct spoor_error *error);
/* Does what spoor_writer_end() does, if that was not called, and frees the writer, also after an
 * error.  The output stays open: close it next. */
enum spoor_status spoor_writer_close(struct spoor_writer *writer, struct spoor_error *error);

#ifdef __cplusplus
}
#endif

#endif

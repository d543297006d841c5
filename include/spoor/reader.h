/* SPDX-License-Identifier: MIT */
/*
 * reader.h: from a path to batches of records.
 *
 * A reader opens a file or standard input, detects and undoes its compression (by content, never by
 * name), detects its format, and returns batches in order.  Memory is bounded for any size of the
 * trace.  With more than one thread, decompression and decoding run in parallel with the caller;
 * the batches are the same in content and order for any number of threads.  spoor.h has an example.
 */
#ifndef SPOOR_READER_H
#define SPOOR_READER_H

#include "batch.h"
#include "format.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_reader;

/* Where the registers and accesses of an instruction are in the file. */
enum spoor_effects {
    SPOOR_EFFECTS_DETECT,     /* find it: in the first 64 KiB, by the registers that opcodes write;
                               * where     these show nothing, by the dialect */
    SPOOR_EFFECTS_AFTER,      /* after it */
    SPOOR_EFFECTS_FIRST,      /* before it, as RTL prints them: the reader puts them after it */
    SPOOR_EFFECTS_AS_WRITTEN, /* find it, but leave the records in the order of the file */
};

/* Properties of a trace that the trace itself does not state.  A part of spoor_reader_options. */
struct spoor_decode_options {
    const char *dialect; /* read only this dialect of the format; NULL: all dialects.
                          * An error lists the names */
    bool implicit_thumb; /* an instruction that states no instruction set is Thumb */
    enum spoor_isa isa;  /* instruction set of the opcodes; UNKNOWN: letters and opcodes decide */
    enum spoor_effects effects;
    const char *const
        *images; /* FILE or FILE@ADDRESS, as spoor_images_add() takes them, NULL after
                  * the last: code along which the packets of a trace unit are followed (perf.data);
                  * a file that is neither ELF nor symbols is the memory at its address.  It must
                  * live as long as the reader.  NULL: none */
};

/* Follow a trace that another process is writing: wait at the end of the file for more, and return
 * whole records, of files and pipes, as soon as they are complete.  Following ends at the end of a
 * pipe, when `stop` becomes readable, or, with SPOOR_EINPUT, if the file is truncated or removed.
 * Opening waits for the first 10 bytes, which identify the compression, and for as many as
 * detecting the format takes.  After a stop, bytes after the last whole record are not returned:
 * the rest of that record may not be written yet. */
struct spoor_follow {
    int stop; /* following ends when this file descriptor becomes readable; -1: none */
};

struct spoor_reader_options {
    size_t struct_size;                /* sizeof this struct */
    const struct spoor_format *format; /* NULL: detect by content */
    unsigned threads; /* 0 or 1: only the caller's thread; else at most this many (maximum 32) read,
                         decompress and decode, among them the caller's while it waits for a batch.
                         For an xz file whose blocks state their sizes and are small (xz -T), the
                         same number of threads again inflates blocks, in at most 44 MiB together */
    uint64_t memory;  /* bytes that a decompressor's window may take; 0: 128 MiB.  A file that needs
                       * a  larger window (zstd --long=31: 2 GiB) is refused */
    struct spoor_decode_options decode;
    const struct spoor_follow *follow;   /* NULL: read to the present end of the trace */
    const struct spoor_locator *locator; /* answers the fields `function`, `source`, ...; NULL: they
                                            are absent */
    unsigned samples; /* 0: read the whole trace; else read this many samples (2 to 65,536) of
                       * SPOOR_SAMPLE_SIZE: the beginning, the end and evenly spaced ones between.
                       * A trace that is not larger than its samples is read whole.  Needs an
                       * uncompressed regular file, not followed.  A batch after a gap is marked:
                       * see spoor_batch */
    const struct spoor_program *program; /* not NULL: fills in what records lack.  Instructions get
        opcode, size and disassembly, fetches become instructions with them, branches get type and
        target.  In a trace of branches, the instructions between two branches, and that of each
        branch, become records before it; in a trace of blocks (QEMU), the instructions of a block
        after its first one become records before the next block.  Where the program does not show
        them, a NOTE COMMENT states why: see spoor_reader_expanded().  A record whose size or
        instruction set differs from the program's stays as it is.  Records are numbered as they
        are returned.  A trace of accesses alone (pinatrace) is SPOOR_EUSAGE */
};
enum { SPOOR_SAMPLE_SIZE = 64 << 10 };

/* Opens `path` ("-": standard input).  On SPOOR_OK the caller owns *reader.  SPOOR_END: following
 * was stopped before the first bytes came.  An empty trace is SPOOR_EINPUT, because it has no
 * format to detect; if the caller names the format, it is a trace without batches. */
enum spoor_status spoor_reader_open(struct spoor_reader **reader, const char *path,
                                    const struct spoor_reader_options *options,
                                    struct spoor_error *error);

/* The next batch: SPOOR_OK with *batch set (valid until the next call), SPOOR_END, or an error.
 * Everything readable before an error is returned before the error is reported. */
enum spoor_status spoor_reader_next(struct spoor_reader *reader, const struct spoor_batch **batch,
                                    struct spoor_error *error);

/* ---- views: the input of simulators, without records ---- */

/* The references of consecutive records of the trace, in order. */
struct spoor_reference_block {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    const struct spoor_reference *items;
    size_t count;
    const struct spoor_batch *source; /* the batch that they come from: its position and count, its
                                       * faults and the text that they quote.  Do not use its
                                       * `records`: a format with a projection does not fill them */
};
/* The next block: the references that spoor_references_add() makes of the next batch.  SPOOR_OK
 * with *block filled (valid until the next call), SPOOR_END, or an error.  The first call's
 * `options` apply (NULL: all zero).  A reader returns batches, references or branches: the first
 * call decides, and a call for another kind is SPOOR_EUSAGE. */
enum spoor_status spoor_reader_next_references(struct spoor_reader *reader,
                                               const struct spoor_reference_options *options,
                                               struct spoor_reference_block *block,
                                               struct spoor_error *error);

/* The branches of consecutive records of the trace, as spoor_branches_add() makes them. */
struct spoor_branch_block {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    const struct spoor_branch *items;
    size_t count;
    uint64_t instructions, unresolved; /* so far; see struct spoor_branches */
    const uint64_t *cpu_instructions;  /* so far, by the name of a cpu, */
    size_t cpu_capacity;               /* ... of as many names; of others there are none */
    const struct spoor_batch *source;  /* as above; NULL in the last block, which holds the branches
                                        * that still waited for their next instruction when the
                                        * trace ended */
};
enum spoor_status spoor_reader_next_branches(struct spoor_reader *reader,
                                             struct spoor_branch_block *block,
                                             struct spoor_error *error);

/* The next batch, as spoor_reader_next() returns it, but only for spoor_info_feed().  A format with
 * a projection counts without making records.  Except for the first batch and for the bytes that
 * faults refer to, the text may be gone. */
enum spoor_status spoor_reader_next_to_count(struct spoor_reader *reader,
                                             const struct spoor_batch **batch,
                                             struct spoor_error *error);

/* Hands the memory of what was returned last over to the caller, who frees *kept (empty before)
 * with spoor_batch_free(): the batch, which moves to *kept; or the array of references or branches
 * of a block.  All pointers into it stay valid, as names of the stream do until the reader is
 * closed.  No copy is made: the reader goes on with other memory.  SPOOR_EUSAGE: nothing was
 * returned since, or batches to be counted. */
enum spoor_status spoor_reader_keep(struct spoor_reader *reader, struct spoor_batch *kept,
                                    struct spoor_error *error);

/* What the batches of the trace share: its format, names and spellings.  It lives as long as the
 * reader. */
const struct spoor_stream *spoor_reader_stream(const struct spoor_reader *reader);
/* Returns how the format was detected; NULL if the caller named it. */
const struct spoor_ranking *spoor_reader_ranking(const struct spoor_reader *reader);
/* Name of the detected compression: "none", "gzip", "zstd", "xz", "bzip2", "lz4". */
const char *spoor_reader_compression(const struct spoor_reader *reader);
/* The kind of waveform that the trace is sampled from: "vcd", "fst", "ghw"; NULL: it is no
 * waveform, or one that could not be opened. */
const char *spoor_reader_waveform(const struct spoor_reader *reader);
/* How many units of its records' times one unit of the waveform's own is: 10 where that is 10 ns,
 * and records have ns.  0: it is no waveform. */
uint64_t spoor_reader_waveform_step(const struct spoor_reader *reader);

/* Name of the mapping by which the signals of a waveform are read as instructions; NULL: the trace
 * is no waveform, or nothing was read of it.  It is valid until the reader is closed. */
const char *spoor_reader_mapping(const struct spoor_reader *reader);
/* The line of a description that states that effects come before their instructions. */
#define SPOOR_EFFECTS_FIRST_LINE "effects-first=yes"
/* Returns the description that a .spoor file has of itself: lines "key=value"; NULL for a trace of
 * another format.  It lives as long as the reader. */
const char *spoor_reader_description(const struct spoor_reader *reader);
/* What became known of the code between branches (option `program`), so far. */
struct spoor_expansion {
    size_t struct_size;            /* sizeof this struct; 0: as in version 0.1 */
    uint64_t ranges;               /* from one branch or block to the next */
    uint64_t instructions;         /* that became records */
    uint64_t gaps;                 /* ranges of which the program does not show the instructions */
    uint64_t first_from, first_to; /* the first of them: where execution continued or the block
                                    * began, and the branch or the next block */
    const char *first_reason;      /* NULL: there is none */
};
void spoor_reader_expanded(const struct spoor_reader *reader, struct spoor_expansion *expanded);
/* Bytes read from the file so far, and its size (0: unknown or growing), for progress display. */
void spoor_reader_progress(const struct spoor_reader *reader, uint64_t *done, uint64_t *size);

/* Ends the reader's threads and frees it, with all that it returned; NULL is allowed.  A trace need
 * not be read to its end. */
void spoor_reader_close(struct spoor_reader *reader);

/* ---- what a path is, before it is opened ---- */

/* The format of a file that contains a trace of another format, .spoor, by its first bytes;
 * *container is NULL if the file is none.  SPOOR_EINPUT: the file cannot be read. */
enum spoor_status spoor_reader_container(const char *path, const struct spoor_format **container,
                                         struct spoor_error *error);
/* Bytes of such a file up to which its blocks that are passed over are verified: this takes some
 * tenths of a second.  Of a longer file, only those that are read. */
enum { SPOOR_CONTAINER_VERIFIED = 1 << 30 };
/* The name of the compression of a file that begins with these bytes, of which 64 suffice; NULL: it
 * is not compressed. */
const char *spoor_reader_compression_of(const void *bytes, size_t size);
/* True if a directory is one trace: it, or its folder "trace", has files of threads, as drmemtrace
 * writes them, or it is a snapshot of CoreSight, or what `perf record --kcore` wrote. */
bool spoor_reader_is_directory(const char *path);

#ifdef __cplusplus
}
#endif

#endif

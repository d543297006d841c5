/* SPDX-License-Identifier: MIT */
/*
 * compression.h: the interface of a compression.
 *
 * A compression is one file with one constant inflater and one constant deflater, plus its line in
 * the table of compression.c.  An inflater works on one member (gzip), frame (zstd, lz4) or stream
 * (xz, bzip2) at a time; bytes.c handles concatenated ones for all compressions.
 */
#ifndef SPOOR_IO_COMPRESSION_H
#define SPOOR_IO_COMPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "io/checkpoint.h"
#include "spoor/error.h"

struct source;

enum input {
    INPUT_ALL,   /* nothing follows, or not for an unknown time: use the available bytes */
    INPUT_MORE,  /* more is available at once */
    INPUT_LATER, /* more may follow, but not without waiting */
};

/* Input and output; both positions advance. */
struct flow {
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t out_left;
    enum input input;                /* state of the input after `in` */
    uint64_t in_end;                 /* offset in the file of the end of `in` */
    uint64_t out_end;                /* offset in the decompressed trace of the end of `out` */
    struct checkpoints *checkpoints; /* list to add to; NULL: none are collected */
    uint64_t ahead;                  /* with INFLATE_DAMAGE: bytes consumed after it */
};

/* Offsets of the next byte of each half. */
static inline uint64_t flow_place(const struct flow *flow)
{
    return flow->in_end - flow->in_left;
}
static inline uint64_t flow_offset(const struct flow *flow)
{
    return flow->out_end - flow->out_left;
}

/* Updates the positions after a library call. */
static inline void flow_move(struct flow *flow, const uint8_t *in, size_t in_left, uint8_t *out,
                             size_t out_left)
{
    flow->in = in;
    flow->in_left = in_left;
    flow->out = out;
    flow->out_left = out_left;
}

/* The end of a gzip member, whose checksum is computed outside the inflating thread.
 *
 * The checksum is a third of the cost of inflating gzip, and only one thread can inflate.  So the
 * trailer of a member, with its expected checksum, is passed with the chunk in which the member
 * ends, and the ordered stage computes the checksum.
 */
struct gzip_trailer {
    uint64_t end;       /* offset in the decompressed trace after the member */
    uint64_t place;     /* offset in the file after it */
    uint32_t sum, size; /* of its bytes: the checksum, and how many there are, modulo 2^32 */
    bool entered;       /* reading began inside the member: neither can be checked */
};

/* The message for a mismatch. */
#define GZIP_TRAILER_MISMATCH "the checksum or length of the member does not match"

enum inflate_result {
    INFLATE_MORE,   /* needs more input or more output memory */
    INFLATE_END,    /* the member ends here; later bytes are not consumed */
    INFLATE_DAMAGE, /* *what describes the damage */
    INFLATE_MEMORY, /* memory ran out */
    INFLATE_WINDOW, /* the window takes more memory than is allowed */
};

struct inflater {
    /* Ready for a first member, with this many threads if the member allows it; NULL if memory runs
     * out. */
    void *(*open)(unsigned threads);
    /* If it neither consumed input nor produced output, it needs more input. */
    enum inflate_result (*inflate)(void *state, struct flow *flow, const char **what);
    bool (*again)(void *state); /* prepare for the next member; false if memory runs out */
    void (*close)(void *state);
    /* Uses up to so many bytes for a window, more than by default.  NULL: there is no such choice.
     */
    void (*allow_memory)(void *state, uint64_t memory);
    size_t look; /* minimum input bytes per call, unless at the end; 0: no minimum */
    /* It does not check members itself, but returns the expected checksum and size of the member
     * that has just ended, and updates a checksum with further bytes.  NULL: it checks members
     * itself. */
    void (*trailer)(const void *state, struct gzip_trailer *trailer);
    uint32_t (*sum)(uint32_t sum, const void *bytes, size_t size);
    /* Continues inside a member, at a checkpoint that such an inflater has added; called directly
     * after open().  It may read any byte of the source.  False: the checkpoint is invalid, or
     * memory ran out.  NULL: its checkpoints are at the beginning of members only. */
    bool (*enter)(void *state, const struct checkpoint *checkpoint, const struct source *source);
};

/* A block as it was written. */
struct deflated_block {
    uint64_t content;  /* bytes of the trace */
    uint64_t packed;   /* bytes in the file */
    uint64_t unpadded; /* xz: bytes in the file without padding */
};

/* A compression that writes one stream has `deflate`; one that writes independent blocks has the
 * members after it, so that several blocks are written and read in parallel, and can be entered
 * (checkpoint.h). */
struct deflater {
    void *(*open)(void); /* NULL if memory runs out */
    /* Appends the compressed form of some bytes to `out`; `finish`: and ends the member.  False on
     * failure; out->failed then states whether memory ran out. */
    bool (*deflate)(void *state, const void *bytes, size_t size, bool finish, struct text *out);
    void (*close)(void *state);
    size_t block_size; /* bytes of the trace in a block; 0: there are no blocks */
    size_t memory;     /* for compressing one block */
    /* Appends a block and describes it; the data before the first block; and the data after the
     * last one, such as an index of the blocks. */
    bool (*deflate_block)(void *state, const void *bytes, size_t size, struct text *out,
                          struct deflated_block *made);
    bool (*begin)(struct text *out); /* NULL: nothing */
    bool (*end)(const struct deflated_block *blocks, size_t count, struct text *out);
};

enum { DEFLATED_BLOCK_SIZE = 4 << 20 };

struct compression {
    const char *name;    /* "gzip" */
    const char *suffix;  /* ".gz"; NULL: its files are written in another way */
    const char *package; /* Debian package that a build needs to have it */
    const char *member;  /* its name for a block: "member", "frame" */
    enum checkpoint_kind
        inside;   /* the kind of checkpoints inside its members; MEMBER: it has none */
    bool padding; /* zero bytes may follow a block */
    bool (*recognise)(const uint8_t *bytes, size_t size);
    const struct inflater *inflater; /* NULL: not built in */
    /* The inflater for a file that begins with these bytes; NULL: always that one. */
    const struct inflater *(*instead)(const uint8_t *bytes, size_t size);
    const struct deflater *deflater;
};

/* For libraries with non-const pointers to data that they only read. */
static inline void *not_const(const void *bytes)
{
    void *same;
    memcpy(&same, &bytes, sizeof same);
    return same;
}

/* This many bytes suffice to recognise any of them; the smaller number, any that does not begin
 * with skippable data. */
enum { COMPRESSION_LOOK = 4096, MIN_COMPRESSION = 10 };

/* By index from 0; NULL past the end. */
const struct compression *compression_at(size_t index);
/* The compression whose block begins with these bytes; NULL if none does. */
const struct compression *compression_recognise(const uint8_t *bytes, size_t size);
/* The one that has checkpoints of this kind inside its members. */
const struct compression *compression_by_checkpoint(enum checkpoint_kind kind);
/* The compression of the path's suffix; NULL if none. */
const struct compression *compression_by_suffix(const char *path);

extern const struct inflater inflate_gzip, inflate_zstd, inflate_zstf, inflate_xz, inflate_bzip2,
    inflate_lz4, inflate_zip;
extern const struct deflater deflate_gzip, deflate_zstd, deflate_xz, deflate_bzip2, deflate_lz4;

/* gzip_isal.c or gzip_zlib.c: inflates in one call a member that is complete at flow->in, and
 * checks it.  The result for a damaged one does not depend on others. */
extern const struct inflater inflate_gzip_whole;
/* The inflater for a gzip file that begins with these bytes: that of BGZF, if it is such a file. */
const struct inflater *gzip_or_bgzf(const uint8_t *bytes, size_t size);
/* True if these bytes begin a zip archive, whose files are read as one stream. */
bool is_zip(const uint8_t *bytes, size_t size);

/* ---- async_writer.c ----
 *
 * Compress and write in parallel with the caller.
 *
 * The caller's bytes are collected into portions of one size, so the output does not depend on
 * which thread compresses them, or when.  Threads compress the portions while the caller fills the
 * next ones, and write them in order: several threads if the compression has independent blocks,
 * else one thread. */

struct async_writer;

/* Writes compressed bytes; called with one portion after the other. */
typedef enum spoor_status async_writer_sink(void *context, const void *bytes, size_t size,
                                            struct spoor_error *error);

/* `path` is for error messages and must live until the writer is closed.  NULL if memory runs
 * out. */
struct async_writer *async_writer_open(const struct deflater *deflater, const char *path,
                                       async_writer_sink *sink, void *context);
/* Uses up to this many threads in addition to the caller from now on; fewer if their memory would
 * exceed ASYNC_WRITER_MEMORY_MAX, or if the system has no more. */
void async_writer_use_threads(struct async_writer *writer, unsigned threads);
enum { ASYNC_WRITER_MEMORY_MAX = 512 << 20 };
/* These return the first failure, which may concern earlier bytes. */
enum spoor_status async_writer_put(struct async_writer *writer, const void *bytes, size_t size,
                                   struct spoor_error *error);
/* Compresses and writes all whole portions, and for a stream also the last one. */
enum spoor_status async_writer_drain(struct async_writer *writer, struct spoor_error *error);
/* Compresses and writes everything, including the data after the last portion. */
enum spoor_status async_writer_finish(struct async_writer *writer, struct spoor_error *error);
/* Discards everything that has not been drained or finished. */
void async_writer_close(struct async_writer *writer);

#endif

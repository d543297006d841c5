/* SPDX-License-Identifier: MIT */
/*
 * compression.h: what a compression is.
 *
 * A compression is one file with one constant inflater and one constant deflater, plus its line in
 * the table of compression.c.  An inflater works on one member (gzip), frame (zstd, lz4) or stream
 * (xz, bzip2) at a time; that several may follow each other is handled once for all, in bytes.c.
 */
#ifndef SPOOR_IO_COMPRESSION_H
#define SPOOR_IO_COMPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "io/checkpoint.h"
#include "io/gzip_trailer.h"

struct source;

enum input {
    INPUT_ALL,   /* nothing follows, or nobody knows when: make do with what is there */
    INPUT_MORE,  /* more can be had at once */
    INPUT_LATER, /* more may follow, but not without waiting */
};

/* What goes in and where it comes out; both halves move forward as they are used. */
struct flow {
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t out_left;
    enum input input;                /* what follows `in` */
    uint64_t in_end;                 /* offset in the file of the end of `in` */
    uint64_t out_end;                /* offset in the decompressed trace of the end of `out` */
    struct checkpoints *checkpoints; /* to add to; NULL: none are wanted */
    uint64_t ahead;                  /* with INFLATE_DAMAGE: bytes taken of what lies behind it */
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

/* Say where a library has got to. */
static inline void flow_move(struct flow *flow, const uint8_t *in, size_t in_left, uint8_t *out,
                             size_t out_left)
{
    flow->in = in;
    flow->in_left = in_left;
    flow->out = out;
    flow->out_left = out_left;
}

enum inflate_result {
    INFLATE_MORE,   /* wants more input or more room */
    INFLATE_END,    /* the member ends here; what follows it has not been touched */
    INFLATE_DAMAGE, /* *what says what is wrong */
    INFLATE_MEMORY, /* memory ran out */
};

struct inflater {
    void *(*open)(void); /* ready for a first member; NULL without memory */
    /* Where neither input was used nor output made, more input is needed. */
    enum inflate_result (*inflate)(void *state, struct flow *flow, const char **what);
    bool (*again)(void *state); /* make ready for the next member; false without memory */
    void (*close)(void *state);
    /* The same as open(), to inflate on so many threads where the member allows.  NULL: one thread
     * is all there is. */
    void *(*open_wide)(unsigned threads);
    size_t look; /* it needs to see so many bytes of what follows, or all; 0: it does not matter */
    /* It checks no member itself but says of the one that has just ended what the checksum and size
     * should be, and how the sum of some bytes goes on.  NULL: both are left out. */
    void (*trailer)(const void *state, struct gzip_trailer *trailer);
    uint32_t (*sum)(uint32_t sum, const void *bytes, size_t size);
    /* Go on inside a member, at a checkpoint that it or another one like it has added; comes
     * straight after open().  It may look at any byte of the source.  False: what the checkpoint
     * says cannot be, or memory ran out.  NULL: it adds none but where members begin. */
    bool (*enter)(void *state, const struct checkpoint *checkpoint, const struct source *source);
    /* The one to take in its place for a file that begins so; NULL: always itself. */
    const struct inflater *(*instead)(const uint8_t *bytes, size_t size);
};

/* A block as it was written. */
struct deflated_block {
    uint64_t content;  /* bytes of the trace */
    uint64_t packed;   /* bytes in the file */
    uint64_t unpadded; /* xz: the same without padding */
};

/* A compression that writes one stream has `deflate`; one that writes blocks which are independent
 * of each other has what follows it, so that several are made at a time and can be read so, and
 * entered (checkpoint.h). */
struct deflater {
    void *(*open)(void); /* NULL without memory */
    /* Append the compressed form of some bytes to `out`; `finish`: and end the member.  False
     * where it fails; out->failed then tells whether memory was why. */
    bool (*deflate)(void *state, const void *bytes, size_t size, bool finish, struct text *out);
    void (*close)(void *state);
    size_t block_size; /* bytes of the trace in a block; 0: there are no blocks */
    size_t memory;     /* that one takes to be made */
    /* Append a block, and say what it is; what comes before the first one; and what comes after the
     * last, which tells where the blocks are. */
    bool (*deflate_block)(void *state, const void *bytes, size_t size, struct text *out,
                          struct deflated_block *made);
    bool (*begin)(struct text *out); /* NULL: nothing */
    bool (*end)(const struct deflated_block *blocks, size_t count, struct text *out);
};

enum { DEFLATED_BLOCK_SIZE = 4 << 20 };

struct compression {
    const char *name;    /* "gzip" */
    const char *suffix;  /* ".gz" */
    const char *package; /* Debian package that a build needs to have it */
    const char *member;  /* what it calls one of its blocks: "member", "frame" */
    bool padding;        /* zero bytes may stand behind a block */
    bool (*recognise)(const uint8_t *bytes, size_t size);
    const struct inflater *inflater; /* NULL: not built in */
    const struct deflater *deflater;
};

/* For libraries that take what they only read through a pointer that is not const. */
static inline void *not_const(const void *bytes)
{
    void *same;
    memcpy(&same, &bytes, sizeof same);
    return same;
}

/* Looking at this many bytes is enough to recognise any of them, and at the fewer, any that does
 * not begin with what is to be skipped. */
enum { COMPRESSION_LOOK = 4096, COMPRESSION_LEAST = 10 };

/* By index from 0; NULL behind the last. */
const struct compression *compression_at(size_t index);
/* The one whose block begins with these bytes; NULL where none does. */
const struct compression *compression_recognise(const uint8_t *bytes, size_t size);
/* The one that has checkpoints of this kind inside its members. */
const struct compression *compression_by_checkpoint(enum checkpoint_kind kind);
/* The one that the end of the path names; NULL where none does. */
const struct compression *compression_by_suffix(const char *path);

extern const struct inflater inflate_gzip, inflate_zstd, inflate_xz, inflate_bzip2, inflate_lz4;
extern const struct deflater deflate_gzip, deflate_zstd, deflate_xz, deflate_bzip2, deflate_lz4;

#endif

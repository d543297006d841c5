/* SPDX-License-Identifier: MIT */
/*
 * checkpoint.h: places in a compressed trace at which reading can begin.
 *
 * Reading an uncompressed file can begin at any byte.  Reading a compressed one can begin where a
 * member begins (gzip, BGZF), a frame (zstd, lz4), a stream (xz, bzip2) or a block of xz, and
 * inside a gzip member at a block of deflate, where the 32 KiB before are known.  Such places are
 * collected while a trace is read; another reader enters the trace there later.
 *
 *     struct checkpoints list = {.spacing = CHECKPOINT_SPACING};
 *     reader_collect(reader, &list);             before the first batch
 *     ... spoor_reader_next() until SPOOR_END ...
 *     const struct reader_entry entry = {.offset = wanted,
 *                                        .checkpoint = checkpoints_before(&list, wanted)};
 *     reader_open_at(&other, path, &options, &entry, &error);
 *     checkpoints_free(&list);
 *
 * A list can be stored: a checkpoint is its numbers and the bytes of its window.  They do not
 * depend on the number of threads.  A build with zlib cannot enter a block of deflate (`header`),
 * which one with ISA-L can.
 */
#ifndef SPOOR_IO_CHECKPOINT_H
#define SPOOR_IO_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHECKPOINT_SPACING = 4 << 20,     /* a suitable distance: 4 MiB inflate in some 10 ms */
    CHECKPOINT_WINDOW_MAX = 33 << 10, /* bytes of a window as it is stored: no more than that */
};

enum checkpoint_kind {
    CHECKPOINT_MEMBER,     /* a member, frame or stream begins */
    CHECKPOINT_DEFLATE,    /* a block of deflate inside a gzip member */
    CHECKPOINT_XZ_BLOCK,   /* a block inside an xz stream */
    CHECKPOINT_ZSTF_FRAME, /* a frame inside a .zstf file */
};

struct checkpoint {
    uint64_t offset; /* in the decompressed trace: of the first byte read from here */
    uint64_t place;  /* in the file: of the first byte to read, except for `detail` */
    enum checkpoint_kind kind;
    uint32_t detail;      /* DEFLATE: number of high bits (0 to 7) of the byte before `place` that
                           * come first; XZ_BLOCK: number of the check that blocks of the stream
                           * have */
    uint64_t header;      /* DEFLATE: inside a block, bit offset in the file of the header of the
                           * block; 0: a block begins here */
    uint32_t window_size; /* DEFLATE: the bytes before, as raw deflate of `window_size` bytes */
    const uint8_t *window;
};

/* In the order of the trace.  Initialise with zeros and a spacing. */
struct checkpoints {
    uint64_t spacing; /* at most one checkpoint per this many decompressed bytes */
    struct checkpoint *items;
    size_t count, capacity;
    bool failed; /* memory ran out: checkpoints may be missing */
};

/* True if this offset needs a checkpoint: it is the first, or `spacing` bytes after the
 * last. */
bool checkpoints_want(const struct checkpoints *list, uint64_t offset);
/* Appends a checkpoint with a copy of its window. */
void checkpoints_add(struct checkpoints *list, const struct checkpoint *checkpoint);
/* The last one at `offset` or before; NULL if there is none. */
const struct checkpoint *checkpoints_before(const struct checkpoints *list, uint64_t offset);
/* The maximum distance from a checkpoint to the next or to the end of a trace of `size`
 * decompressed bytes: the maximum number of bytes to inflate to reach a byte.  For a trace of one
 * bzip2 or lz4 stream, which cannot be entered, it is the whole size. */
uint64_t checkpoints_longest_way(const struct checkpoints *list, uint64_t size);
void checkpoints_free(struct checkpoints *list);

#endif

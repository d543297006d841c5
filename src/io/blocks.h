/* SPDX-License-Identifier: MIT */
/*
 * blocks.h: blocks of a compressed file that can be inflated independently.
 *
 * The blocks of xz and the members of BGZF are independent of each other.  If a block's header
 * states its size, several blocks are inflated in parallel (block_pool.h); the output keeps their
 * order.  With one thread, and if only inflating a block shows its end, the caller inflates it
 * directly.
 *
 * The output of a damaged block, and the reported position of the damage, do not depend on the
 * thread that inflates it: a decoder is called with the same windows of input and of output,
 * counted from the beginning of the block.
 */
#ifndef SPOOR_IO_BLOCKS_H
#define SPOOR_IO_BLOCKS_H

#include "io/compression.h"

/* Bytes of a window: a decoder gets all of it in one call, unless the block ends before. */
enum { BLOCK_WINDOW = 64 << 10 };

struct block {
    uint64_t packed;             /* its bytes in the file, header included; 0: not stated */
    size_t memory;               /* bytes that a decoder needs for it; 0: negligible */
    uint64_t place;              /* its offset in the file */
    uint32_t check;              /* xz: the type of its check */
    uint64_t unpadded, unpacked; /* xz, after it has ended: its entry in the index */
};

/* The data between blocks. */
enum walk {
    WALK_BLOCK,  /* a block begins here; none of its bytes is consumed */
    WALK_MORE,   /* more bytes are needed */
    WALK_LATER,  /* the data here describe blocks that have not ended yet */
    WALK_END,    /* end of the member or stream, which is consumed */
    WALK_DAMAGE, /* *what describes the damage */
    WALK_MEMORY, /* memory ran out */
};

/* A compression in blocks.  The walker belongs to the reading thread; each inflating thread has its
 * own decoder. */
struct block_kind {
    enum checkpoint_kind checkpoint; /* the kind of checkpoint at the beginning of a block */
    /* State between blocks, from the beginning of a file and of each further member or stream on;
     * all NULL if there is none. */
    void *(*walker_open)(void); /* NULL if memory runs out */
    bool (*walker_again)(void *walker);
    void (*walker_close)(void *walker);
    /* Reading begins at a block inside a member, at such a checkpoint.  False: invalid.  NULL if
     * the checkpoints are members. */
    bool (*walker_enter)(void *walker, const struct checkpoint *checkpoint);
    /* A block has ended; called in order.  INFLATE_END: it is valid. */
    enum inflate_result (*walker_note)(void *walker, const struct block *block, const char **what);
    /* Consumes the data at flow->in before the next block, and describes the block in *block.
     * `only`: all earlier blocks have ended.  If it consumes nothing, it can be called again. */
    enum walk (*walk)(void *walker, struct flow *flow, bool only, struct block *block,
                      const char **what);
    /* The number of these bytes, which follow those of the previous call, that belong to the
     * current block; *ends: the block ends there.  NULL: if a block does not state its packed size,
     * only inflating shows its end. */
    size_t (*measure)(void *walker, const uint8_t *bytes, size_t size, bool *ends);
    void *(*open)(void); /* NULL if memory runs out */
    /* Prepares for this block, which must not move. */
    bool (*begin)(void *decoder, struct block *block);
    enum inflate_result (*inflate)(void *decoder, struct flow *flow, const char **what);
    void (*close)(void *decoder);
};

/* The result of a decoder's call after `used` bytes of the block; `moved`: it consumed or produced
 * bytes.  A decoder that needs more than the whole block would wait for ever. */
static inline enum inflate_result block_result(const struct block *block, uint64_t used, bool moved,
                                               enum inflate_result result, const char **what)
{
    if (result != INFLATE_MORE || moved || !block->packed || used < block->packed) return result;
    *what = "found more data than the header states";
    return INFLATE_DAMAGE;
}

/* A state for the functions below.  With this many threads in addition to the caller's; 1: only the
 * caller's.  NULL if memory runs out. */
void *blocks_open(const struct block_kind *kind, unsigned threads);
/* As those of struct inflater, whose `look` must be a window. */
enum inflate_result blocks_inflate(void *blocks, struct flow *flow, const char **what);
bool blocks_again(void *blocks);
bool blocks_enter(void *blocks, const struct checkpoint *checkpoint, const struct source *source);
void blocks_close(void *blocks);

#endif

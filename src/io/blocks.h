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
    /* State between blocks, at first all zeros; 0: there is none. */
    size_t walker_size;
    /* The beginning of a file, and of each further member or stream; false if memory runs out.
     * NULL: all is zero again. */
    bool (*walker_again)(void *walker);
    void (*walker_close)(void *walker); /* NULL: free() */
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

/* ---- block_pool.c ----
 *
 * Inflate several blocks in parallel, one thread per block.
 *
 * The reader copies the packed bytes of one block after another into windows; a thread inflates
 * each block into output windows, and the reader delivers these, oldest block first.  The thread of
 * the oldest block runs as long as its output is consumed; those of younger blocks buffer their
 * output, and wait when there is too much of it.  So memory is bounded for any stated size of a
 * block, and no block has to be held completely.
 *
 * Only the reader may call these functions. */

enum {
    MAX_BLOCK_POOL_MEMORY = 44 << 20,   /* bytes of all decoders and windows together */
    MAX_BLOCK_POOL_PACKED = 8 << 20,    /* of windows of packed bytes among them */
    MAX_BLOCK_POOL_DECODERS = 26 << 20, /* of decoders: also the maximum for one block */
};

struct block_pool;

/* NULL if memory runs out. */
struct block_pool *block_pool_open(const struct block_kind *kind, void *walker, unsigned threads);
void block_pool_close(struct block_pool *pool);

/* True if there are blocks that have not been dropped. */
bool block_pool_is_busy(const struct block_pool *pool);
/* The oldest of them; there must be one. */
const struct block *block_pool_oldest(struct block_pool *pool);
/* True if the next block can begin: the last one is read completely, and memory is available. */
bool block_pool_can_begin(const struct block_pool *pool);
/* False: the system has no thread. */
bool block_pool_begin(struct block_pool *pool, const struct block *block);
/* Consumes bytes of the current block, up to the memory limit; with INPUT_ALL, they are the last
 * bytes of the input.  Returns whether the block needs more. */
bool block_pool_consume(struct block_pool *pool, struct flow *flow);
/* Delivers output of the oldest block.  INFLATE_MORE: there may be more of it; else its result,
 * once all of it is delivered: then *block describes it. */
enum inflate_result block_pool_give(struct block_pool *pool, struct flow *flow, struct block *block,
                                    const char **what);
/* Drops the oldest block, which has ended. */
void block_pool_drop(struct block_pool *pool);
/* Waits until output can be delivered, a block dropped or, with input, input consumed.  False: the
 * oldest block needs more input. */
bool block_pool_wait(struct block_pool *pool, bool has_input);

#endif

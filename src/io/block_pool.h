/* SPDX-License-Identifier: MIT */
/*
 * block_pool.h: inflate several blocks in parallel, one thread per block.
 *
 * The reader copies the packed bytes of one block after another into windows; a thread inflates
 * each block into output windows, and the reader delivers these, oldest block first.  The thread of
 * the oldest block runs as long as its output is consumed; those of younger blocks buffer their
 * output, and wait when there is too much of it.  So memory is bounded for any stated size of a
 * block, and no block has to be held completely.
 *
 * Only the reader may call these functions.
 */
#ifndef SPOOR_IO_BLOCK_POOL_H
#define SPOOR_IO_BLOCK_POOL_H

#include "io/blocks.h"

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

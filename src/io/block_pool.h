/* SPDX-License-Identifier: MIT */
/*
 * block_pool.h: several blocks inflated at the same time, each by a thread of its own.
 *
 * The reader takes the packed bytes of one block after the other into windows; a thread each makes
 * windows of what is in them, and the reader gives these out, those of the oldest block first.  The
 * thread of the oldest goes on as long as what it makes is taken; those of younger blocks keep what
 * they make, and wait for theirs to be the oldest once there is too much of it.  Thus memory is
 * bounded whatever a block says of its size, and no block need be held whole.
 *
 * All functions are for the reader alone.
 */
#ifndef SPOOR_IO_BLOCK_POOL_H
#define SPOOR_IO_BLOCK_POOL_H

#include "io/blocks.h"

enum {
    BLOCK_POOL_MEMORY_MOST = 44 << 20,   /* bytes of all decoders and windows together */
    BLOCK_POOL_PACKED_MOST = 8 << 20,    /* of windows of packed bytes among them */
    BLOCK_POOL_DECODERS_MOST = 26 << 20, /* of decoders: the most that one block may need */
};

struct block_pool;

/* NULL without memory. */
struct block_pool *block_pool_open(const struct block_kind *kind, void *walker, unsigned threads);
void block_pool_close(struct block_pool *pool);

/* Whether there are blocks that have not been dropped. */
bool block_pool_is_busy(const struct block_pool *pool);
/* The oldest of them; there must be one. */
const struct block *block_pool_oldest(struct block_pool *pool);
/* Whether the next block can begin: all of the last one was taken, and there is room. */
bool block_pool_can_begin(const struct block_pool *pool);
/* False: there is no thread to be had, not even one. */
bool block_pool_begin(struct block_pool *pool, const struct block *block);
/* Take bytes of the block that has begun, as many as there is room for; with INPUT_ALL, they are
 * its last ones.  Whether it wants more than there were. */
bool block_pool_take(struct block_pool *pool, struct flow *flow);
/* Give what was made of the oldest block.  INFLATE_MORE: there may be more of it; or how it ended,
 * once all of it has been given: then *block describes it. */
enum inflate_result block_pool_give(struct block_pool *pool, struct flow *flow, struct block *block,
                                    const char **what);
/* Be done with the oldest, which has ended. */
void block_pool_drop(struct block_pool *pool);
/* Wait until there is something to give or to drop or, with input, room to take it.  False: the
 * oldest block cannot go on without more input. */
bool block_pool_wait(struct block_pool *pool, bool has_input);

#endif

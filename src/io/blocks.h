/* SPDX-License-Identifier: MIT */
/*
 * blocks.h: blocks of a compressed file that can be inflated apart from each other.
 *
 * The blocks of xz and the members of BGZF follow each other, and each depends on nothing outside
 * of itself.  Where a block's header says how many bytes it has, several are inflated at the same
 * time (block_pool.h); what they give comes out in their order all the same.  With one thread, and
 * where only inflating a block tells where it ends, it is inflated here and now (block_serial.h).
 *
 * What is given of a damaged block, and where its damage is found, does not depend on who inflates
 * it: a decoder is called with the same windows of input and of room for output, which are counted
 * from the beginning of the block.
 */
#ifndef SPOOR_IO_BLOCKS_H
#define SPOOR_IO_BLOCKS_H

#include "io/compression.h"

/* Bytes of a window: a decoder gets all of it at once, unless the block ends before. */
enum { BLOCK_WINDOW = 64 << 10 };

struct block {
    uint64_t packed; /* its bytes in the file, header included; 0: its header does not tell */
    size_t memory;   /* bytes that a decoder needs for it; 0: not worth counting */
    uint64_t place;  /* where it begins in the file */
    uint32_t check;  /* xz: what its bytes are checked with */
    uint64_t unpadded, unpacked; /* xz, once it has ended: what the index says of it */
};

/* What stands between blocks. */
enum walk {
    WALK_BLOCK,  /* a block begins here; none of its bytes has been taken */
    WALK_MORE,   /* more has to be seen */
    WALK_LATER,  /* what stands here is about blocks that have not ended yet */
    WALK_END,    /* of the member or stream, which has been taken */
    WALK_DAMAGE, /* *what says what is wrong */
    WALK_MEMORY, /* memory ran out */
};

/* A compression in blocks.  The walker belongs to the thread that reads; each thread that inflates
 * has a decoder of its own. */
struct block_kind {
    enum checkpoint_kind checkpoint; /* what the beginning of a block is */
    /* What has to be known between blocks, from the beginning of a file and of each further member
     * or stream on; all NULL where that is nothing. */
    void *(*walker_open)(void); /* NULL without memory */
    bool (*walker_again)(void *walker);
    void (*walker_close)(void *walker);
    /* What stands next is a block inside a member, at such a checkpoint.  False: it cannot be. NULL
     * where the checkpoints are members. */
    bool (*walker_enter)(void *walker, const struct checkpoint *checkpoint);
    /* A block has ended; the first one first.  INFLATE_END: that is well. */
    enum inflate_result (*walker_note)(void *walker, const struct block *block, const char **what);
    /* Take what stands at flow->in before the next block, which is described in *block.  `only`:
     * all blocks until here have ended.  Where it takes nothing it can be asked again. */
    enum walk (*walk)(void *walker, struct flow *flow, bool only, struct block *block,
                      const char **what);
    /* How many of these bytes, which follow those that it was asked of before, belong to the block
     * that was walked to last; *ends: and that is all of it.  NULL: where a block does not state
     * its packed size, only inflating it tells. */
    size_t (*measure)(void *walker, const uint8_t *bytes, size_t size, bool *ends);
    void *(*open)(void); /* NULL without memory */
    /* What follows is this block; it stays where it is. */
    bool (*begin)(void *decoder, struct block *block);
    enum inflate_result (*inflate)(void *decoder, struct flow *flow, const char **what);
    void (*close)(void *decoder);
};

/* What came of a decoder's call, once `used` bytes of the block went in; `moved`: by it, or
 * something came out.  A decoder that wants more than there is would wait for ever. */
static inline enum inflate_result block_result(const struct block *block, uint64_t used, bool moved,
                                               enum inflate_result result, const char **what)
{
    if (result != INFLATE_MORE || moved || !block->packed || used < block->packed) return result;
    *what = "found more than the header says";
    return INFLATE_DAMAGE;
}

/* A state for the functions below.  With so many threads beside the caller's own, or with 1 only in
 * the caller's.  NULL without memory. */
void *blocks_open(const struct block_kind *kind, unsigned threads);
/* As those of struct inflater, whose `look` must be a window. */
enum inflate_result blocks_inflate(void *blocks, struct flow *flow, const char **what);
bool blocks_again(void *blocks);
bool blocks_enter(void *blocks, const struct checkpoint *checkpoint, const struct source *source);
void blocks_close(void *blocks);

#endif

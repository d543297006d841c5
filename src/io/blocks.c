/* SPDX-License-Identifier: MIT */
/* blocks.c: distribute blocks between a pool of threads and the caller. */
#include "io/blocks.h"

#include <stdlib.h>

#include "io/block_pool.h"
#include "io/block_serial.h"

struct blocks {
    const struct block_kind *kind;
    void *walker;
    unsigned threads;
    struct block_serial serial;
    struct block_pool *pool; /* NULL: not in use */
    bool noted;              /* a checkpoint was added at the beginning of the oldest block in the
                              * pool */
};

void *blocks_open(const struct block_kind *kind, unsigned threads)
{
    struct blocks *blocks = calloc(1, sizeof *blocks);
    if (!blocks) return NULL;
    blocks->kind = blocks->serial.kind = kind;
    blocks->threads = threads;
    if (!kind->walker_open) return blocks;
    blocks->walker = kind->walker_open();
    if (blocks->walker) return blocks;
    free(blocks);
    return NULL;
}

bool blocks_again(void *state)
{
    struct blocks *blocks = state;
    return !blocks->kind->walker_again || blocks->kind->walker_again(blocks->walker);
}

bool blocks_enter(void *state, const struct checkpoint *checkpoint, const struct source *source)
{
    const struct blocks *blocks = state;
    (void)source;
    return blocks->kind->walker_enter && blocks->kind->walker_enter(blocks->walker, checkpoint);
}

void blocks_close(void *state)
{
    struct blocks *blocks = state;
    block_pool_close(blocks->pool);
    block_serial_close(&blocks->serial);
    if (blocks->walker) blocks->kind->walker_close(blocks->walker);
    free(blocks);
}

/* If the caller inflates, it may use the pool's memory limit. */
static bool begin_serially(struct blocks *blocks, const struct block *block)
{
    block_pool_close(blocks->pool);
    blocks->pool = NULL;
    return block_serial_begin(&blocks->serial, block);
}

/* Passes the block to the pool. */
static bool begin_in_pool(struct blocks *blocks, const struct block *block)
{
    if (blocks->threads < 2 || block->memory > MAX_BLOCK_POOL_DECODERS) return false;
    if (block->packed == 0 && !blocks->kind->measure) return false;
    if (!blocks->pool)
        blocks->pool = block_pool_open(blocks->kind, blocks->walker, blocks->threads);
    return blocks->pool && block_pool_begin(blocks->pool, block);
}

/* A block begins at the current position, because everything before it is delivered. */
static void note_checkpoint(const struct blocks *blocks, const struct flow *flow,
                            const struct block *block)
{
    const struct checkpoint checkpoint = {.offset = flow_offset(flow),
                                          .place = block->place,
                                          .kind = blocks->kind->checkpoint,
                                          .detail = block->check};
    if (checkpoints_want(flow->checkpoints, checkpoint.offset))
        checkpoints_add(flow->checkpoints, &checkpoint);
}

static bool is_busy(const struct blocks *blocks)
{
    return blocks->pool && block_pool_is_busy(blocks->pool);
}

/* Parses the bytes between blocks, if possible; a block begins in the pool, or serially when no
 * other block is active. */
static enum walk blocks_walk(struct blocks *blocks, struct flow *flow, const char **what)
{
    struct block block;
    if (blocks->pool && !block_pool_can_begin(blocks->pool)) return WALK_LATER;
    const bool busy = is_busy(blocks);
    enum walk found = blocks->kind->walk(blocks->walker, flow, !busy, &block, what);
    if (found != WALK_BLOCK) return found;
    block.place = flow_place(flow);
    if (begin_in_pool(blocks, &block)) return found;
    if (busy) return WALK_LATER;
    note_checkpoint(blocks, flow, &block);
    return begin_serially(blocks, &block) ? WALK_BLOCK : WALK_MEMORY;
}

/* A block has ended. */
static enum inflate_result blocks_note(struct blocks *blocks, const struct block *block,
                                       const char **what)
{
    if (!blocks->kind->walker_note) return INFLATE_END;
    return blocks->kind->walker_note(blocks->walker, block, what);
}

/* Delivers the pool's output.  INFLATE_END: the oldest block has ended, and was dropped. */
static enum inflate_result blocks_give(struct blocks *blocks, struct flow *flow, const char **what)
{
    struct block block;
    if (!blocks->noted) note_checkpoint(blocks, flow, block_pool_oldest(blocks->pool));
    blocks->noted = true;
    enum inflate_result result = block_pool_give(blocks->pool, flow, &block, what);
    if (result != INFLATE_END) return result;
    result = blocks_note(blocks, &block, what);
    block_pool_drop(blocks->pool);
    blocks->noted = false;
    return result;
}

/* With an active pool: INFLATE_END: call again at once. */
static enum inflate_result inflate_together(struct blocks *blocks, struct flow *flow, bool wants,
                                            const char **what)
{
    const enum inflate_result result = blocks_give(blocks, flow, what);
    if (result != INFLATE_MORE || flow->out_left == 0) return result;
    if (wants && flow->input == INPUT_MORE) return INFLATE_MORE;
    return block_pool_wait(blocks->pool, flow->in_left > 0) ? INFLATE_END : INFLATE_MORE;
}

static enum inflate_result inflate_serially(struct blocks *blocks, struct flow *flow,
                                            const char **what)
{
    const enum inflate_result result = block_serial_inflate(&blocks->serial, flow, what);
    if (result != INFLATE_END) return result;
    return blocks_note(blocks, &blocks->serial.block, what);
}

enum inflate_result blocks_inflate(void *state, struct flow *flow, const char **what)
{
    struct blocks *blocks = state;
    enum inflate_result result;
    do {
        flow->ahead = 0;
        if (blocks->serial.inside) {
            result = inflate_serially(blocks, flow, what);
            continue;
        }
        const bool wants = is_busy(blocks) && block_pool_consume(blocks->pool, flow);
        const enum walk found = blocks_walk(blocks, flow, what);
        if (found == WALK_BLOCK)
            result = INFLATE_END;
        else if (is_busy(blocks))
            result = inflate_together(blocks, flow, wants || found == WALK_MORE, what);
        else {
            /* Between blocks, none of which is being inflated. */
            switch (found) {
            case WALK_END: return INFLATE_END;
            case WALK_DAMAGE: return INFLATE_DAMAGE;
            case WALK_MEMORY: return INFLATE_MEMORY;
            default: return INFLATE_MORE;
            }
        }
    } while (result == INFLATE_END);
    return result;
}

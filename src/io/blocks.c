/* SPDX-License-Identifier: MIT */
/*
 * blocks.c: distribute blocks between a pool of threads and the caller, who inflates one after
 * another.
 */
#include "io/blocks.h"

#include <stdlib.h>

/* ---- inflating in the caller's thread, a window at a time ---- */

struct block_serial {
    const struct block_kind *kind;
    void *decoder; /* NULL: not needed yet */
    struct block block;
    bool inside;         /* a block has begun, and is not delivered completely */
    uint64_t used, made; /* bytes of the block, packed and unpacked */
    uint8_t *kept;       /* a window that holds output beyond the caller's capacity: */
    size_t kept_at, kept_end;
    enum inflate_result result; /* of the block, after the buffered output is delivered */
    const char *what;
};

static size_t block_serial_minimum(uint64_t a, uint64_t b)
{
    return (size_t)(a < b ? a : b);
}

/* Delivers buffered output first. */
static void block_serial_give_kept(struct block_serial *serial, struct flow *flow)
{
    const size_t size = block_serial_minimum(serial->kept_end - serial->kept_at, flow->out_left);
    if (size == 0) return;
    memcpy(flow->out, serial->kept + serial->kept_at, size);
    serial->kept_at += size;
    flow->out += size;
    flow->out_left -= size;
}

/* INFLATE_END: the block has ended; serial->block describes it. */
static enum inflate_result block_serial_inflate(struct block_serial *serial, struct flow *flow,
                                                const char **what)
{
    block_serial_give_kept(serial, flow);
    while (serial->result == INFLATE_MORE && flow->out_left) {
        uint64_t maximum = BLOCK_WINDOW - serial->used % BLOCK_WINDOW;
        if (serial->block.packed)
            maximum = block_serial_minimum(maximum, serial->block.packed - serial->used);
        const size_t in = block_serial_minimum(flow->in_left, maximum);
        if (in < maximum && flow->input != INPUT_ALL) break; /* its window is not complete yet */
        /* Directly into the caller's memory if it has the capacity for a window. */
        const size_t capacity = BLOCK_WINDOW - (size_t)(serial->made % BLOCK_WINDOW);
        const bool keeps = flow->out_left < capacity;
        uint8_t *to = keeps ? serial->kept + (BLOCK_WINDOW - capacity) : flow->out;
        struct flow part = {.in = flow->in, .in_left = in, .out = to, .out_left = capacity};
        serial->result = serial->kind->inflate(serial->decoder, &part, &serial->what);
        const size_t used = in - part.in_left, made = capacity - part.out_left;
        flow->in += used;
        flow->in_left -= used;
        serial->used += used;
        serial->made += made;
        if (keeps) {
            serial->kept_at = BLOCK_WINDOW - capacity;
            serial->kept_end = serial->kept_at + made;
            block_serial_give_kept(serial, flow);
        } else {
            flow->out += made;
            flow->out_left -= made;
        }
        serial->result =
            block_result(&serial->block, serial->used, used || made, serial->result, &serial->what);
        if (!used && !made) break;
    }
    if (serial->kept_at < serial->kept_end || serial->result == INFLATE_MORE) return INFLATE_MORE;
    *what = serial->what;
    serial->inside = serial->result != INFLATE_END;
    return serial->result;
}

/* ---- distributing blocks ---- */

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
    if (kind->walker_size == 0) return blocks;
    blocks->walker = calloc(1, kind->walker_size);
    if (blocks->walker && blocks_again(blocks)) return blocks;
    free(blocks->walker);
    free(blocks);
    return NULL;
}

bool blocks_again(void *state)
{
    const struct blocks *blocks = state;
    if (blocks->kind->walker_again) return blocks->kind->walker_again(blocks->walker);
    if (blocks->walker) memset(blocks->walker, 0, blocks->kind->walker_size);
    return true;
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
    if (blocks->serial.decoder) blocks->serial.kind->close(blocks->serial.decoder);
    free(blocks->serial.kept);
    if (blocks->walker)
        (blocks->kind->walker_close ? blocks->kind->walker_close : free)(blocks->walker);
    free(blocks);
}

/* A block begins at the current position, because everything before it is delivered. */
static void blocks_note_checkpoint(const struct blocks *blocks, const struct flow *flow,
                                   const struct block *block)
{
    const struct checkpoint checkpoint = {.offset = flow_offset(flow),
                                          .place = block->place,
                                          .kind = blocks->kind->checkpoint,
                                          .detail = block->check};
    if (checkpoints_want(flow->checkpoints, checkpoint.offset))
        checkpoints_add(flow->checkpoints, &checkpoint);
}

static bool blocks_are_busy(const struct blocks *blocks)
{
    return blocks->pool && block_pool_is_busy(blocks->pool);
}

/* Parses the bytes between blocks, if possible; a block begins in the pool, or serially when no
 * other block is active. */
static enum walk blocks_walk(struct blocks *blocks, struct flow *flow, const char **what)
{
    struct block block;
    if (blocks->pool && !block_pool_can_begin(blocks->pool)) return WALK_LATER;
    const bool busy = blocks_are_busy(blocks);
    enum walk found = blocks->kind->walk(blocks->walker, flow, !busy, &block, what);
    if (found != WALK_BLOCK) return found;
    block.place = flow_place(flow);
    if (blocks->threads >= 2 && block.memory <= MAX_BLOCK_POOL_DECODERS &&
        (block.packed || blocks->kind->measure)) {
        if (!blocks->pool)
            blocks->pool = block_pool_open(blocks->kind, blocks->walker, blocks->threads);
        if (blocks->pool && block_pool_begin(blocks->pool, &block)) return found;
    }
    if (busy) return WALK_LATER;
    blocks_note_checkpoint(blocks, flow, &block);
    /* If the caller inflates, it may use the pool's memory limit. */
    block_pool_close(blocks->pool);
    blocks->pool = NULL;
    struct block_serial *serial = &blocks->serial;
    if (!serial->decoder) serial->decoder = serial->kind->open();
    if (!serial->kept) serial->kept = malloc(BLOCK_WINDOW);
    serial->block = block;
    serial->used = serial->made = 0;
    serial->kept_at = serial->kept_end = 0;
    serial->result = INFLATE_MORE;
    serial->inside =
        serial->decoder && serial->kept && serial->kind->begin(serial->decoder, &serial->block);
    return serial->inside ? WALK_BLOCK : WALK_MEMORY;
}

/* A block has ended. */
static enum inflate_result blocks_note(struct blocks *blocks, const struct block *block,
                                       const char **what)
{
    if (!blocks->kind->walker_note) return INFLATE_END;
    return blocks->kind->walker_note(blocks->walker, block, what);
}

enum inflate_result blocks_inflate(void *state, struct flow *flow, const char **what)
{
    struct blocks *blocks = state;
    enum inflate_result result;
    do {
        flow->ahead = 0;
        if (blocks->serial.inside) {
            result = block_serial_inflate(&blocks->serial, flow, what);
            if (result == INFLATE_END) result = blocks_note(blocks, &blocks->serial.block, what);
            continue;
        }
        const bool consumes = blocks_are_busy(blocks) && block_pool_consume(blocks->pool, flow);
        const enum walk found = blocks_walk(blocks, flow, what);
        const bool wants = consumes || found == WALK_MORE;
        if (found == WALK_BLOCK) {
            result = INFLATE_END;
        } else if (blocks_are_busy(blocks)) {
            /* Delivers the pool's output; the oldest block is dropped when it has ended. */
            struct block block;
            if (!blocks->noted)
                blocks_note_checkpoint(blocks, flow, block_pool_oldest(blocks->pool));
            blocks->noted = true;
            result = block_pool_give(blocks->pool, flow, &block, what);
            if (result == INFLATE_END) {
                result = blocks_note(blocks, &block, what);
                block_pool_drop(blocks->pool);
                blocks->noted = false;
            }
            if (result != INFLATE_MORE || flow->out_left == 0) continue;
            if (wants && flow->input == INPUT_MORE) return INFLATE_MORE;
            if (block_pool_wait(blocks->pool, flow->in_left > 0)) result = INFLATE_END;
        } else {
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

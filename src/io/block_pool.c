/* SPDX-License-Identifier: MIT */
/*
 * block_pool.c: a ring of blocks between the reader and the threads that inflate them.
 *
 * One lock guards everything except the windows in use by a thread.  A thread with a block waits
 * for packed windows and for free memory, which the reader supplies, or which dropping the previous
 * block releases; the reader waits for the oldest block only.  The oldest block always gets memory
 * for a window, and packed bytes when it has none, so that it progresses regardless of the others.
 */
#include "io/blocks.h"

#include <stdlib.h>

#include "base/worker_pool.h"

enum {
    SLOTS = 64,
    MIN_OLDEST = 4, /* minimum of output windows for the oldest block */
};

/* ---- buffers of one size that pass from thread to thread and are reused ---- */

struct buffer {
    struct buffer *next;  /* in a queue, or among the free ones */
    struct buffer *older; /* in the list of all buffers */
    size_t size;          /* bytes that it holds */
    uint8_t bytes[BLOCK_WINDOW];
};

/* In the order in which they were pushed. */
struct buffer_queue {
    struct buffer *first, *last;
    size_t count;
};

struct buffer_pool {
    struct buffer *free, *all;
};

/* An empty buffer; NULL if memory runs out. */
static struct buffer *buffer_get(struct buffer_pool *buffers)
{
    struct buffer *window = buffers->free;
    if (window) {
        buffers->free = window->next;
    } else {
        window = malloc(sizeof *window);
        if (!window) return NULL;
        window->older = buffers->all;
        buffers->all = window;
    }
    window->next = NULL;
    window->size = 0;
    return window;
}

static void buffer_put_back(struct buffer_pool *buffers, struct buffer *window)
{
    window->next = buffers->free;
    buffers->free = window;
}

static void buffer_push(struct buffer_queue *queue, struct buffer *window)
{
    window->next = NULL;
    if (queue->last)
        queue->last->next = window;
    else
        queue->first = window;
    queue->last = window;
    queue->count++;
}

/* Removes the first buffer; NULL if there is none. */
static struct buffer *buffer_pop(struct buffer_queue *queue)
{
    struct buffer *window = queue->first;
    if (!window) return NULL;
    queue->first = window->next;
    if (!queue->first) queue->last = NULL;
    queue->count--;
    return window;
}

/* ---- the ring ---- */

struct slot {
    struct block block;
    uint64_t begin; /* its position in the consumed bytes */
    uint64_t taken, used;
    struct buffer *filling; /* private to the reader */
    struct buffer_queue packed, made;
    bool whole;    /* no more packed windows follow */
    bool starving; /* its thread waits for a packed window */
    bool ended;
    enum inflate_result result; /* INFLATE_MORE: it is truncated */
    const char *what;
};

struct worker {
    void *decoder;
    size_t memory; /* of the decoder */
};

struct block_pool {
    const struct block_kind *kind;
    void *walker; /* private to the reader */
    struct worker_pool threads;
    pthread_cond_t feed;  /* for threads with a block: windows or memory are available */
    pthread_cond_t ready; /* for the reader */
    struct slot slots[SLOTS];
    uint64_t begun, started, dropped; /* serial numbers of slots */
    struct slot *reading;             /* the block whose bytes are being read; NULL: none */
    uint64_t taken;
    struct buffer_pool buffers;
    size_t packed_count, made_count; /* windows in use */
    size_t decoders;                 /* bytes of the active decoders */
    struct buffer *giving;           /* private to the reader: the window of the oldest block being
                                      * delivered */
    size_t given;                    /* bytes of it */
    bool reader_waits, failed;
    struct worker workers[WORKER_POOL_MAX];
};

static struct slot *block_pool_slot_at(struct block_pool *pool, uint64_t serial)
{
    return &pool->slots[serial % SLOTS];
}

static bool block_pool_is_oldest(struct block_pool *pool, const struct slot *slot)
{
    return slot == block_pool_slot_at(pool, pool->dropped);
}

static void block_pool_wake_reader(struct block_pool *pool)
{
    if (pool->reader_waits) pthread_cond_signal(&pool->ready);
}

/* ---- functions of the threads: the lock is held on entry and on return ---- */

/* The windows in use by a thread. */
struct worker_buffers {
    struct buffer *in, *out;
    struct flow flow;
};

static void block_pool_publish(struct block_pool *pool, struct slot *slot,
                               struct worker_buffers *hand)
{
    struct buffer *window = hand->out;
    if (!window) return;
    window->size = BLOCK_WINDOW - hand->flow.out_left;
    hand->out = NULL;
    if (window->size) {
        buffer_push(&slot->made, window);
        if (block_pool_is_oldest(pool, slot)) block_pool_wake_reader(pool);
    } else {
        buffer_put_back(&pool->buffers, window);
        pool->made_count--;
    }
}

/* Exchange used windows for new ones; false: the thread should stop. */
static bool block_pool_change_windows(struct block_pool *pool, struct slot *slot,
                                      struct worker_buffers *hand)
{
    if (hand->flow.in_left == 0) {
        if (hand->in) {
            buffer_put_back(&pool->buffers, hand->in);
            pool->packed_count--;
            block_pool_wake_reader(pool);
        }
        while (!slot->packed.first && !slot->whole && !pool->threads.stop) {
            slot->starving = true;
            block_pool_wake_reader(pool);
            pthread_cond_wait(&pool->feed, &pool->threads.lock);
        }
        slot->starving = false;
        hand->in = buffer_pop(&slot->packed);
        if (hand->in) {
            hand->flow.in = hand->in->bytes;
            hand->flow.in_left = hand->in->size;
        }
    }
    if (hand->flow.out_left == 0) {
        block_pool_publish(pool, slot, hand);
        while (!pool->threads.stop) {
            const size_t maximum = MAX_BLOCK_POOL_MEMORY - MAX_BLOCK_POOL_PACKED - pool->decoders;
            if (pool->made_count < maximum / sizeof(struct buffer) ||
                (block_pool_is_oldest(pool, slot) && slot->made.count < MIN_OLDEST))
                break;
            pthread_cond_wait(&pool->feed, &pool->threads.lock);
        }
        hand->out = pool->threads.stop ? NULL : buffer_get(&pool->buffers);
        if (hand->out) {
            pool->made_count++;
            hand->flow.out = hand->out->bytes;
            hand->flow.out_left = BLOCK_WINDOW;
        }
    }
    return !pool->threads.stop && hand->out;
}

static bool block_pool_can_start(struct block_pool *pool)
{
    return pool->started < pool->begun &&
           pool->decoders + block_pool_slot_at(pool, pool->started)->block.memory <=
               MAX_BLOCK_POOL_DECODERS;
}

/* Inflates a block.  A thread without one releases its memory. */
static bool block_pool_inflate_next(void *context, unsigned number)
{
    struct block_pool *pool = context;
    struct worker *worker = &pool->workers[number];
    if (!block_pool_can_start(pool)) {
        if (worker->decoder && worker->memory) {
            pool->kind->close(worker->decoder);
            worker->decoder = NULL;
        }
        return false;
    }
    struct slot *slot = block_pool_slot_at(pool, pool->started++);
    pool->decoders += slot->block.memory;
    if (pool->threads.idle && block_pool_can_start(pool)) worker_pool_wake(&pool->threads);
    struct worker_buffers hand = {0};
    pthread_mutex_unlock(&pool->threads.lock);
    if (!worker->decoder) worker->decoder = pool->kind->open();
    worker->memory = slot->block.memory;
    const bool ready = worker->decoder && pool->kind->begin(worker->decoder, &slot->block);
    slot->result = ready ? INFLATE_MORE : INFLATE_MEMORY;
    pthread_mutex_lock(&pool->threads.lock);
    while (slot->result == INFLATE_MORE) {
        if (!block_pool_change_windows(pool, slot, &hand)) {
            slot->result = INFLATE_MEMORY;
            break;
        }
        const size_t in = hand.flow.in_left, out = hand.flow.out_left;
        pthread_mutex_unlock(&pool->threads.lock);
        slot->result = pool->kind->inflate(worker->decoder, &hand.flow, &slot->what);
        const bool moved = in != hand.flow.in_left || out != hand.flow.out_left;
        slot->used += in - hand.flow.in_left;
        slot->result = block_result(&slot->block, slot->used, moved, slot->result, &slot->what);
        pthread_mutex_lock(&pool->threads.lock);
        if (!moved) break;
    }
    block_pool_publish(pool, slot, &hand);
    if (hand.in) {
        buffer_put_back(&pool->buffers, hand.in);
        pool->packed_count--;
    }
    slot->ended = true;
    block_pool_wake_reader(pool);
    pool->decoders -= worker->memory;
    return true;
}

/* ---- functions of the reader ---- */

bool block_pool_is_busy(const struct block_pool *pool)
{
    return pool->dropped < pool->begun;
}

const struct block *block_pool_oldest(struct block_pool *pool)
{
    return &block_pool_slot_at(pool, pool->dropped)->block;
}

bool block_pool_can_begin(const struct block_pool *pool)
{
    return !pool->reading && pool->begun - pool->dropped < SLOTS;
}

bool block_pool_begin(struct block_pool *pool, const struct block *block)
{
    pthread_mutex_lock(&pool->threads.lock);
    struct slot *slot = block_pool_slot_at(pool, pool->begun++);
    *slot = (struct slot){.block = *block, .begin = pool->taken};
    const bool wait = pool->threads.count && !block_pool_can_start(pool);
    const bool found = wait || worker_pool_wake(&pool->threads);
    if (found)
        pool->reading = slot;
    else
        pool->begun--;
    pthread_mutex_unlock(&pool->threads.lock);
    return found;
}

static bool block_pool_may_pack(struct block_pool *pool)
{
    return pool->packed_count < MAX_BLOCK_POOL_PACKED / sizeof(struct buffer) ||
           (block_pool_is_oldest(pool, pool->reading) && !pool->reading->packed.first);
}

bool block_pool_consume(struct block_pool *pool, struct flow *flow)
{
    bool wants = false;
    pthread_mutex_lock(&pool->threads.lock);
    while (pool->reading && !wants) {
        struct slot *slot = pool->reading;
        if (!slot->filling && block_pool_may_pack(pool)) {
            slot->filling = buffer_get(&pool->buffers);
            pool->packed_count += slot->filling != NULL;
            pool->failed |= !slot->filling;
        }
        struct buffer *window = slot->filling;
        if (!window) break; /* memory ran out, or its limit is reached */
        pthread_mutex_unlock(&pool->threads.lock);
        bool whole = false; /* the block ends with these bytes */
        size_t size = BLOCK_WINDOW - window->size;
        if (size > flow->in_left) size = flow->in_left;
        if (slot->block.packed == 0) {
            size = pool->kind->measure(pool->walker, flow->in, size, &whole);
        } else {
            const uint64_t left = slot->block.packed - slot->taken;
            whole = size >= left;
            if (whole) size = (size_t)left;
        }
        if (size) {
            memcpy(window->bytes + window->size, flow->in, size);
            window->size += size;
            flow->in += size;
            flow->in_left -= size;
            slot->taken += size;
            pool->taken += size;
        }
        pthread_mutex_lock(&pool->threads.lock);
        const bool none = flow->in_left == 0;
        const bool last = whole || (none && flow->input == INPUT_ALL);
        if (last || window->size == BLOCK_WINDOW) {
            slot->filling = NULL;
            slot->whole = last;
            buffer_push(&slot->packed, window);
            if (last) pool->reading = NULL;
            if (slot->starving) pthread_cond_broadcast(&pool->feed);
        }
        wants = pool->reading && none;
    }
    pthread_mutex_unlock(&pool->threads.lock);
    return wants;
}

enum inflate_result block_pool_give(struct block_pool *pool, struct flow *flow, struct block *block,
                                    const char **what)
{
    while (flow->out_left) {
        if (!pool->giving || pool->given == pool->giving->size) {
            pthread_mutex_lock(&pool->threads.lock);
            if (pool->giving) {
                buffer_put_back(&pool->buffers, pool->giving);
                pool->made_count--;
                pthread_cond_broadcast(&pool->feed);
            }
            pool->giving = block_pool_is_busy(pool)
                               ? buffer_pop(&block_pool_slot_at(pool, pool->dropped)->made)
                               : NULL;
            pool->given = 0;
            pthread_mutex_unlock(&pool->threads.lock);
            if (!pool->giving) break;
        }
        const struct buffer *window = pool->giving;
        size_t size = window->size - pool->given;
        if (size > flow->out_left) size = flow->out_left;
        memcpy(flow->out, window->bytes + pool->given, size);
        pool->given += size;
        flow->out += size;
        flow->out_left -= size;
    }
    enum inflate_result result = INFLATE_MORE;
    pthread_mutex_lock(&pool->threads.lock);
    const struct slot *slot = block_pool_slot_at(pool, pool->dropped);
    const bool delivered = !slot->made.first && !(pool->giving && pool->given < pool->giving->size);
    if (pool->failed) {
        result = INFLATE_MEMORY;
    } else if (block_pool_is_busy(pool) && slot->ended && delivered) {
        *block = slot->block;
        *what = slot->what;
        flow->ahead = pool->taken - (slot->begin + slot->used);
        result = slot->result;
    }
    pthread_mutex_unlock(&pool->threads.lock);
    return result;
}

void block_pool_drop(struct block_pool *pool)
{
    pthread_mutex_lock(&pool->threads.lock);
    pool->dropped++;
    pthread_cond_broadcast(&pool->feed);
    pthread_mutex_unlock(&pool->threads.lock);
}

bool block_pool_wait(struct block_pool *pool, bool has_input)
{
    bool useful = true;
    pthread_mutex_lock(&pool->threads.lock);
    const struct slot *oldest = block_pool_slot_at(pool, pool->dropped);
    while (!oldest->made.first && !(has_input && pool->reading && block_pool_may_pack(pool))) {
        useful = oldest->ended ? oldest->result != INFLATE_MORE
                               : !(oldest == pool->reading && oldest->starving);
        if (oldest->ended || !useful) break;
        pool->reader_waits = true;
        pthread_cond_wait(&pool->ready, &pool->threads.lock);
        pool->reader_waits = false;
    }
    pthread_mutex_unlock(&pool->threads.lock);
    return useful;
}

struct block_pool *block_pool_open(const struct block_kind *kind, void *walker, unsigned threads)
{
    struct block_pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pool->kind = kind;
    pool->walker = walker;
    worker_pool_open(&pool->threads, block_pool_inflate_next, pool, threads);
    pthread_cond_init(&pool->feed, NULL);
    pthread_cond_init(&pool->ready, NULL);
    return pool;
}

void block_pool_close(struct block_pool *pool)
{
    if (!pool) return;
    worker_pool_stop(&pool->threads);
    pthread_mutex_lock(&pool->threads.lock);
    pthread_cond_broadcast(&pool->feed);
    pthread_mutex_unlock(&pool->threads.lock);
    worker_pool_close(&pool->threads);
    for (unsigned i = 0; i < WORKER_POOL_MAX; i++)
        if (pool->workers[i].decoder) pool->kind->close(pool->workers[i].decoder);
    while (pool->buffers.all) { /* also those that are in use */
        struct buffer *window = pool->buffers.all;
        pool->buffers.all = window->older;
        free(window);
    }
    pthread_cond_destroy(&pool->ready);
    pthread_cond_destroy(&pool->feed);
    free(pool);
}

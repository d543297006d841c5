/* SPDX-License-Identifier: MIT */
/*
 * async_writer.c: a ring of portions between the caller, which fills them, and threads, which
 * compress and write them.  Without threads the caller does their work.
 */
#include "io/compression.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/worker_pool.h"
#include "model/error.h"

enum {
    STREAM_PORTION = 256 << 10,
    SPARE_PORTIONS = 3, /* in addition to one per thread: one being filled, one being written, one
                         * waiting */
    CALLER = WORKER_POOL_MAX, /* its number among the workers */
    PORTIONS = WORKER_POOL_MAX + SPARE_PORTIONS,
};

struct portion {
    struct text in, out;
    struct deflated_block made;
    enum { PORTION_EMPTY, PORTION_FILLED, PORTION_TAKEN, PORTION_DEFLATED } state;
};

struct async_writer {
    const struct deflater *deflater;
    const char *path;
    async_writer_sink *sink;
    void *context;
    struct worker_pool pool;
    pthread_cond_t emptied; /* for the caller: a portion was written */
    struct portion portions[PORTIONS];
    unsigned portion_count;
    uint64_t begun, started, written; /* serial numbers of portions */
    unsigned deflating;
    bool writing;             /* a thread is writing a portion */
    enum spoor_status status; /* of the first failure */
    struct spoor_error error;
    void *states[CALLER + 1];      /* of the deflater: one per worker; for a stream, only the
                                    * first */
    struct deflated_block *blocks; /* those written */
    size_t block_count, block_capacity;
};

static struct portion *async_writer_portion(struct async_writer *writer, uint64_t serial)
{
    return &writer->portions[serial % writer->portion_count];
}

static bool async_writer_has_blocks(const struct async_writer *writer)
{
    return writer->deflater->block_size > 0;
}

/* ---- the work of the threads: the lock is held on entry and on return ---- */

static void async_writer_fail(struct async_writer *writer, enum spoor_status status,
                              const struct spoor_error *error)
{
    if (writer->status != SPOOR_OK) return;
    writer->status = status;
    writer->error = *error;
}

/* The error of a failed deflater. */
static void async_writer_fail_deflating(struct async_writer *writer, const struct text *out)
{
    struct spoor_error error = {0};
    const enum spoor_status status =
        out->failed
            ? error_no_memory_while(&error, writer->path, "writing")
            : spoor_error_set(&error, SPOOR_EOUTPUT, "%s: compressing failed", writer->path);
    async_writer_fail(writer, status, &error);
}

static bool async_writer_can_write(struct async_writer *writer)
{
    return !writer->writing && writer->written < writer->started &&
           async_writer_portion(writer, writer->written)->state == PORTION_DEFLATED;
}

static bool async_writer_can_deflate(const struct async_writer *writer)
{
    return writer->started < writer->begun &&
           (async_writer_has_blocks(writer) || writer->deflating == 0);
}

static bool async_writer_work(void *context, unsigned worker)
{
    struct async_writer *writer = context;
    if (async_writer_can_write(writer)) {
        /* After a failure nothing more is written. */
        struct portion *portion = async_writer_portion(writer, writer->written);
        struct spoor_error error = {0};
        enum spoor_status status = writer->status;
        writer->writing = true;
        pthread_mutex_unlock(&writer->pool.lock);
        if (status == SPOOR_OK && async_writer_has_blocks(writer)) {
            if (array_reserve(&writer->blocks, &writer->block_capacity, writer->block_count + 1))
                writer->blocks[writer->block_count++] = portion->made;
            else
                status = error_no_memory_while(&error, writer->path, "writing");
        }
        if (status == SPOOR_OK && portion->out.size)
            status = writer->sink(writer->context, portion->out.bytes, portion->out.size, &error);
        pthread_mutex_lock(&writer->pool.lock);
        if (status != SPOOR_OK) async_writer_fail(writer, status, &error);
        portion->in.size = portion->out.size = 0;
        portion->state = PORTION_EMPTY;
        writer->written++;
        writer->writing = false;
        pthread_cond_signal(&writer->emptied);
    } else if (async_writer_can_deflate(writer)) {
        struct portion *portion = async_writer_portion(writer, writer->started++);
        const struct deflater *deflater = writer->deflater;
        const bool blocks = async_writer_has_blocks(writer);
        void **state = &writer->states[blocks ? worker : 0];
        bool good = writer->status == SPOOR_OK;
        portion->state = PORTION_TAKEN;
        writer->deflating++;
        pthread_mutex_unlock(&writer->pool.lock);
        if (good && !*state) {
            *state = deflater->open();
            good = *state;
            if (!good) portion->out.failed = true;
        }
        if (good) {
            const void *bytes = portion->in.size ? portion->in.bytes : "";
            portion->made = (struct deflated_block){.content = portion->in.size};
            good = blocks
                       ? deflater->deflate_block(*state, bytes, portion->in.size, &portion->out,
                                                 &portion->made)
                       : deflater->deflate(*state, bytes, portion->in.size, false, &portion->out);
        }
        pthread_mutex_lock(&writer->pool.lock);
        writer->deflating--;
        portion->state = PORTION_DEFLATED;
        if (!good) async_writer_fail_deflating(writer, &portion->out);
    } else
        return false;
    if (writer->pool.idle && (async_writer_can_write(writer) || async_writer_can_deflate(writer)))
        worker_pool_wake(&writer->pool);
    return true;
}

/* ---- the caller ---- */

/* Waits until at most `maximum` portions are unwritten, or processes them. */
static enum spoor_status async_writer_wait(struct async_writer *writer, uint64_t maximum,
                                           struct spoor_error *error)
{
    if (async_writer_can_write(writer) || async_writer_can_deflate(writer))
        worker_pool_wake(&writer->pool);
    while (writer->pool.count == 0 && async_writer_work(writer, CALLER)) continue;
    while (writer->begun - writer->written > maximum)
        pthread_cond_wait(&writer->emptied, &writer->pool.lock);
    if (writer->status != SPOOR_OK && error) *error = writer->error;
    return writer->status;
}

/* Passes on the portion being filled, and gets an empty one. */
static enum spoor_status async_writer_hand_over(struct async_writer *writer,
                                                struct spoor_error *error)
{
    pthread_mutex_lock(&writer->pool.lock);
    async_writer_portion(writer, writer->begun++)->state = PORTION_FILLED;
    const enum spoor_status status = async_writer_wait(writer, writer->portion_count - 1, error);
    pthread_mutex_unlock(&writer->pool.lock);
    return status;
}

enum spoor_status async_writer_put(struct async_writer *writer, const void *bytes, size_t size,
                                   struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    const char *from = bytes;
    const size_t capacity =
        async_writer_has_blocks(writer) ? writer->deflater->block_size : STREAM_PORTION;
    while (size && status == SPOOR_OK) {
        struct portion *portion = async_writer_portion(writer, writer->begun);
        size_t part = capacity - portion->in.size;
        if (part > size) part = size;
        text_put(&portion->in, from, part);
        if (portion->in.failed) return error_no_memory_while(error, writer->path, "writing");
        from += part;
        size -= part;
        if (portion->in.size == capacity) status = async_writer_hand_over(writer, error);
    }
    return status;
}

static enum spoor_status async_writer_write_off(struct async_writer *writer, bool last,
                                                struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    if (last) status = async_writer_hand_over(writer, error);
    if (status != SPOOR_OK) return status;
    pthread_mutex_lock(&writer->pool.lock);
    status = async_writer_wait(writer, 0, error);
    pthread_mutex_unlock(&writer->pool.lock);
    return status;
}

enum spoor_status async_writer_drain(struct async_writer *writer, struct spoor_error *error)
{
    const size_t size = async_writer_portion(writer, writer->begun)->in.size;
    return async_writer_write_off(writer, size > 0 && !async_writer_has_blocks(writer), error);
}

enum spoor_status async_writer_finish(struct async_writer *writer, struct spoor_error *error)
{
    const struct deflater *deflater = writer->deflater;
    const bool empty = async_writer_has_blocks(writer) && writer->begun == 0;
    enum spoor_status status = async_writer_write_off(
        writer, empty || async_writer_portion(writer, writer->begun)->in.size > 0, error);
    if (status != SPOOR_OK) return status;
    struct text *out = &async_writer_portion(writer, writer->begun)->out;
    void **state = &writer->states[0];
    bool good = async_writer_has_blocks(writer) || *state || (*state = deflater->open());
    if (good)
        good = async_writer_has_blocks(writer)
                   ? deflater->end(writer->blocks, writer->block_count, out)
                   : deflater->deflate(*state, "", 0, true, out);
    if (!good) {
        async_writer_fail_deflating(writer, out);
        if (error) *error = writer->error;
        return writer->status;
    }
    return writer->sink(writer->context, out->bytes, out->size, error);
}

void async_writer_use_threads(struct async_writer *writer, unsigned threads)
{
    const size_t memory = writer->deflater->memory;
    if (!async_writer_has_blocks(writer)) threads = threads ? 1 : 0;
    if (threads > WORKER_POOL_MAX) threads = WORKER_POOL_MAX;
    while (threads > 1 && threads * memory > ASYNC_WRITER_MEMORY_MAX) threads--;
    writer->pool.limit = threads;
    writer->portion_count = threads + SPARE_PORTIONS;
}

struct async_writer *async_writer_open(const struct deflater *deflater, const char *path,
                                       async_writer_sink *sink, void *context)
{
    struct async_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->deflater = deflater;
    writer->path = path;
    writer->sink = sink;
    writer->context = context;
    writer->portion_count = 1;
    worker_pool_open(&writer->pool, async_writer_work, writer, 0);
    pthread_cond_init(&writer->emptied, NULL);
    return writer;
}

void async_writer_close(struct async_writer *writer)
{
    if (!writer) return;
    worker_pool_close(&writer->pool);
    for (unsigned i = 0; i <= CALLER; i++)
        if (writer->states[i]) writer->deflater->close(writer->states[i]);
    for (unsigned i = 0; i < PORTIONS; i++) {
        text_free(&writer->portions[i].in);
        text_free(&writer->portions[i].out);
    }
    free(writer->blocks);
    pthread_cond_destroy(&writer->emptied);
    free(writer);
}

/* SPDX-License-Identifier: MIT */
/* async_writer.c: a ring of portions between the caller, who fills them, and a thread. */
#include "io/async_writer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PORTIONS = 4 };

struct portion {
    size_t size;
    char bytes[ASYNC_PORTION];
};

struct async_writer {
    async_writer_work *work;
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct portion portions[PORTIONS];
    uint64_t begun, done;     /* serial numbers of portions: handed over, and worked off */
    enum spoor_status status; /* of the first work that failed */
    struct spoor_error error;
    bool wants_thread, has_thread, stop;
    pthread_t thread;
};

static struct portion *portion_at(struct async_writer *writer, uint64_t serial)
{
    return &writer->portions[serial % PORTIONS];
}

/* Behind a failure nothing is worked off any more.  The lock is held on entry and on return. */
static void work_off(struct async_writer *writer)
{
    struct portion *portion = portion_at(writer, writer->done);
    if (writer->status == SPOOR_OK && !writer->stop) {
        struct spoor_error error = {0};
        pthread_mutex_unlock(&writer->lock);
        const enum spoor_status status =
            writer->work(writer->context, portion->bytes, portion->size, &error);
        pthread_mutex_lock(&writer->lock);
        writer->status = status;
        writer->error = error;
    }
    portion->size = 0;
    writer->done++;
    pthread_cond_signal(&writer->emptied);
}

static void *run(void *context)
{
    struct async_writer *writer = context;
    pthread_mutex_lock(&writer->lock);
    for (;;) {
        if (writer->done < writer->begun)
            work_off(writer);
        else if (writer->stop)
            break;
        else
            pthread_cond_wait(&writer->filled, &writer->lock);
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

/* Hand the portion over that is being filled, and have room for the next. */
static enum spoor_status hand_over(struct async_writer *writer, struct spoor_error *error)
{
    pthread_mutex_lock(&writer->lock);
    writer->begun++;
    if (writer->wants_thread && !writer->has_thread)
        writer->wants_thread = writer->has_thread =
            pthread_create(&writer->thread, NULL, run, writer) == 0;
    pthread_cond_signal(&writer->filled);
    if (!writer->has_thread) work_off(writer);
    while (writer->begun - writer->done == PORTIONS)
        pthread_cond_wait(&writer->emptied, &writer->lock);
    const enum spoor_status status = writer->status;
    if (status != SPOOR_OK && error) *error = writer->error;
    pthread_mutex_unlock(&writer->lock);
    return status;
}

enum spoor_status async_writer_put(struct async_writer *writer, const void *bytes, size_t size,
                                   struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    const char *from = bytes;
    while (size && status == SPOOR_OK) {
        struct portion *portion = portion_at(writer, writer->begun);
        size_t part = ASYNC_PORTION - portion->size;
        if (part > size) part = size;
        memcpy(portion->bytes + portion->size, from, part);
        portion->size += part;
        from += part;
        size -= part;
        if (portion->size == ASYNC_PORTION) status = hand_over(writer, error);
    }
    return status;
}

enum spoor_status async_writer_drain(struct async_writer *writer, struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    if (portion_at(writer, writer->begun)->size) status = hand_over(writer, error);
    if (status != SPOOR_OK) return status;
    pthread_mutex_lock(&writer->lock);
    while (writer->done < writer->begun) pthread_cond_wait(&writer->emptied, &writer->lock);
    status = writer->status;
    if (status != SPOOR_OK && error) *error = writer->error;
    pthread_mutex_unlock(&writer->lock);
    return status;
}

void async_writer_use_thread(struct async_writer *writer)
{
    writer->wants_thread = true;
}

struct async_writer *async_writer_open(async_writer_work *work, void *context)
{
    struct async_writer *writer = malloc(sizeof *writer);
    if (!writer) return NULL;
    memset(writer, 0, offsetof(struct async_writer, portions));
    memset(&writer->begun, 0, sizeof *writer - offsetof(struct async_writer, begun));
    for (size_t i = 0; i < PORTIONS; i++) writer->portions[i].size = 0;
    writer->work = work;
    writer->context = context;
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->filled, NULL);
    pthread_cond_init(&writer->emptied, NULL);
    return writer;
}

void async_writer_close(struct async_writer *writer)
{
    if (!writer) return;
    pthread_mutex_lock(&writer->lock);
    writer->stop = true;
    pthread_cond_signal(&writer->filled);
    pthread_mutex_unlock(&writer->lock);
    if (writer->has_thread) pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->emptied);
    pthread_cond_destroy(&writer->filled);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
}

/* SPDX-License-Identifier: MIT */
/* record/stream.c: receive blocks of events from the shared memory and return them. */
#include "record/stream.h"

#include <sys/mman.h>
#include <unistd.h>

#include "record/system.h"

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

enum spoor_status stream_open(struct stream *stream, struct spoor_error *error)
{
    *stream = (struct stream){.descriptor = system_unnamed_file("spoor-record", EVENTS_SIZE, true)};
    if (stream->descriptor < 0)
        return spoor_error_system(error, SPOOR_ENOMEM, "memory to share with QEMU");
    void *memory = mmap(NULL, EVENTS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                        stream->descriptor, 0);
    if (memory == MAP_FAILED)
        return spoor_error_system(error, SPOOR_ENOMEM, "memory to share with QEMU");
    stream->events = memory;
    stream->events->version = EVENTS_VERSION;
    return SPOOR_OK;
}

void stream_close(struct stream *stream)
{
    if (stream->events) munmap(stream->events, EVENTS_SIZE);
    if (stream->descriptor >= 0) close(stream->descriptor);
    *stream = (struct stream){.descriptor = -1};
}

/* The blocks that wait.  The program can write to this memory, so every number is checked where it
 * is read, and read once. */
static uint32_t stream_waiting(struct stream *stream)
{
    const uint32_t count = atomic_load(&stream->events->ready_count) - stream->blocks_got;
    if (count > MAX_BLOCKS || (count && !atomic_load(&stream->events->loaded)))
        stream->damaged = true;
    return stream->damaged ? 0 : count;
}

struct block *stream_next(struct stream *stream, int wait)
{
    struct events *events = stream->events;
    if (!stream_waiting(stream) && wait && !stream->damaged && !stream_ended(stream))
        futex_wait(&events->ready_count, stream->blocks_got, (unsigned)wait);
    if (!stream_waiting(stream)) return NULL;
    const uint32_t index = atomic_load(&events->ready[stream->blocks_got++ % MAX_BLOCKS]);
    if (index < MAX_BLOCKS) return &events->blocks[index];
    stream->damaged = true;
    return NULL;
}

void stream_return(struct stream *stream, struct block *block)
{
    struct events *events = stream->events;
    atomic_store(&block->used, 0);
    events->freed[stream->blocks_put++ % MAX_BLOCKS] = (uint32_t)(block - events->blocks);
    atomic_store(&events->freed_count, stream->blocks_put);
    futex_wake(&events->freed_count);
}

bool stream_ended(const struct stream *stream)
{
    return atomic_load(&stream->events->ended) != 0;
}

struct block *stream_left_over(struct stream *stream)
{
    struct events *events = stream->events;
    const uint32_t fresh = stream->damaged ? 0 : atomic_load(&events->fresh);
    while (stream->left_over < fresh && stream->left_over < MAX_BLOCKS) {
        struct block *block = &events->blocks[stream->left_over++];
        if (atomic_load(&block->used)) return block;
    }
    return NULL;
}

void stream_stop(struct stream *stream)
{
    atomic_store(&stream->events->stop, 1);
}

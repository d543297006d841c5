/* SPDX-License-Identifier: MIT */
/*
 * prefetch_stream.c: streams of misses (after Jouppi 1990 and Palacharla and Kessler 1994).  Two
 * misses on adjacent blocks start a stream, up or down; each first use of the block that the stream
 * expects prefetches the next `degree` blocks.  Streams are replaced LRU; the prefetched blocks go
 * into the cache itself.
 */
#include "simulate/cache/cache.h"

enum { STREAMS, WINDOW };
enum { MAX_STREAMS = 256, MAX_WINDOW = 256 };
static const struct spoor_component_key stream_keys[] = {
    {"streams", "streams that are followed", 8, 1, MAX_STREAMS},
    {"window", "blocks that missed last, to which another can be adjacent", 16, 1, MAX_WINDOW},
    {0},
};

struct streams {
    unsigned count, window, block_bits;
    uint32_t degree;
    uint64_t clock;
    uint64_t at; /* number of misses */
    struct stream {
        uint64_t next; /* the block that continues the stream */
        uint64_t step; /* 1 or -1 */
        uint64_t used; /* time of the last use; 0: never */
    } items[MAX_STREAMS];
    uint64_t misses[MAX_WINDOW]; /* blocks that missed, in a ring */
};

static void stream_start(void *state, const struct component_setup *setup)
{
    struct streams *self = state;
    self->count = (unsigned)setup->values[STREAMS];
    self->window = (unsigned)setup->values[WINDOW];
    self->block_bits = setup->block_bits;
    self->degree = setup->degree;
}

static void stream_prefetch(const struct streams *self, uint64_t block, const struct stream *stream,
                            struct prefetches *prefetches)
{
    for (uint32_t i = 1; i <= self->degree; i++)
        prefetch_add(prefetches, (block + i * stream->step) << self->block_bits);
}

static bool stream_missed(const struct streams *self, uint64_t block)
{
    for (unsigned i = 0; i < self->window && i < self->at; i++)
        if (self->misses[i] == block) return true;
    return false;
}

static void stream_observe(void *state, const struct request *request, bool miss, bool first,
                           struct prefetches *prefetches)
{
    struct streams *self = state;
    const uint64_t block = request->address >> self->block_bits;
    if (!first) return;
    self->clock++;
    for (unsigned i = 0; i < self->count; i++) {
        struct stream *stream = &self->items[i];
        if (!stream->used || stream->next != block) continue;
        stream->next += stream->step;
        stream->used = self->clock;
        stream_prefetch(self, block, stream, prefetches);
        return;
    }
    if (!miss) return;
    const bool up = block && stream_missed(self, block - 1), down = stream_missed(self, block + 1);
    if (up || down) {
        struct stream *stream = &self->items[0];
        for (unsigned i = 1; i < self->count; i++)
            if (self->items[i].used < stream->used) stream = &self->items[i];
        const uint64_t step = up ? 1 : UINT64_MAX;
        *stream = (struct stream){block + step, step, self->clock};
        stream_prefetch(self, block, stream, prefetches);
    }
    self->misses[self->at++ % self->window] = block;
}

const struct prefetcher prefetcher_stream = {
    .component = {.about = {SPOOR_PREFETCHER, "stream", "streams of neighbouring misses",
                            "Jouppi 1990; Palacharla, Kessler 1994", stream_keys},
                  .struct_size = sizeof(struct streams),
                  .start = stream_start},
    .observe = stream_observe,
};

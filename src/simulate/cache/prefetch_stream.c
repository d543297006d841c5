/* SPDX-License-Identifier: MIT */
/*
 * prefetch_stream.c: streams of misses (after Jouppi 1990 and Palacharla and Kessler 1994).  Two
 * misses on adjacent blocks start a stream, up or down; each first use of the block that the stream
 * expects prefetches the next `degree` blocks.  There are eight streams, replaced LRU; the
 * prefetched blocks go into the cache itself.
 */
#include "simulate/cache/cache.h"

enum { STREAMS = 8, WINDOW = 16 };

struct streams {
    struct stream {
        uint64_t next; /* the block that continues the stream */
        uint64_t step; /* 1 or -1 */
        uint64_t used; /* time of the last use; 0: never */
    } items[STREAMS];
    uint64_t misses[WINDOW]; /* blocks that missed, latest last, in a ring */
    uint64_t clock;
    uint64_t at; /* number of misses */
};

static void ask(struct cache *cache, const struct request *request, const struct stream *stream)
{
    const uint64_t block = request->address >> cache->block_bits;
    for (uint32_t i = 1; i <= cache->degree; i++)
        cache_prefetch(cache, request, (block + i * stream->step) << cache->block_bits);
}

static bool missed_lately(const struct streams *streams, uint64_t block)
{
    for (unsigned i = 0; i < WINDOW && i < streams->at; i++)
        if (streams->misses[i] == block) return true;
    return false;
}

static struct stream *least_recently_used(struct streams *streams)
{
    struct stream *minimum = &streams->items[0];
    for (unsigned i = 1; i < STREAMS; i++)
        if (streams->items[i].used < minimum->used) minimum = &streams->items[i];
    return minimum;
}

static void observe(struct cache *cache, const struct request *request, bool miss, bool first)
{
    struct streams *streams = cache->prefetcher_state;
    const uint64_t block = request->address >> cache->block_bits;
    if (!first) return;
    streams->clock++;
    for (unsigned i = 0; i < STREAMS; i++) {
        struct stream *stream = &streams->items[i];
        if (!stream->used || stream->next != block) continue;
        stream->next += stream->step;
        stream->used = streams->clock;
        ask(cache, request, stream);
        return;
    }
    if (!miss) return;
    const bool up = block && missed_lately(streams, block - 1),
               down = missed_lately(streams, block + 1);
    if (up || down) {
        struct stream *stream = least_recently_used(streams);
        const uint64_t step = up ? 1 : UINT64_MAX;
        *stream = (struct stream){block + step, step, streams->clock};
        ask(cache, request, stream);
    }
    streams->misses[streams->at++ % WINDOW] = block;
}

const struct prefetcher prefetcher_stream = {
    .name = "stream",
    .title = "streams of neighbouring misses",
    .state_size = sizeof(struct streams),
    .observe = observe,
};

/* SPDX-License-Identifier: MIT */
/* prefetchers.c: the prefetchers of a cache. */
#include "simulate/cache/cache.h"

/*
 * ---- always, miss, tagged ----
 *
 * The next sub-blocks in the order of addresses (Smith, "Cache Memories", 1982): on every read and
 * fetch; on those that miss; or tagged, on the first access to a sub-block, whether it misses or a
 * prefetch had filled it.
 */

struct next {
    bool on_all, on_first; /* else on misses alone */
    unsigned sub_bits;
    uint32_t degree;
};

static void next_start(void *state, const struct component_setup *setup)
{
    struct next *self = state;
    self->sub_bits = setup->sub_bits;
    self->degree = setup->degree;
}

static void next_observe(void *state, const struct request *request, bool miss, bool first,
                         struct spoor_plugin_prefetches *prefetches)
{
    const struct next *self = state;
    if (!miss && !self->on_all && !(first && self->on_first)) return;
    for (uint64_t i = 1; i <= self->degree; i++)
        prefetch_add(prefetches, request->address + (i << self->sub_bits));
}

#define NEXT(NAME, TITLE, ON_ALL, ON_FIRST)                                                    \
    {                                                                                          \
        .component = {.about = {SPOOR_PREFETCHER, NAME, TITLE, "Smith 1982", NULL},            \
                      .struct_size = sizeof(struct next),                                      \
                      .initial = &(const struct next){.on_all = ON_ALL, .on_first = ON_FIRST}, \
                      .start = next_start},                                                    \
        .observe = next_observe,                                                               \
    }
const struct prefetcher prefetcher_always =
    NEXT("always", "next line, on every read and fetch", true, false);
const struct prefetcher prefetcher_miss = NEXT("miss", "next line, on a miss", false, false);
const struct prefetcher prefetcher_tagged =
    NEXT("tagged", "next line, on the first use of a line", false, true);

/*
 * ---- stride ----
 *
 * A reference prediction table (Chen and Baer 1995): entries by pc hold the last address and stride
 * of an instruction; if the stride was the same twice, the addresses `degree` strides ahead are
 * prefetched.  Accesses without a pc are ignored.
 */

enum { ENTRIES };
static const struct spoor_component_key stride_keys[] = {
    {"entries", "instructions whose strides are stored", 256, 1, 1 << 24},
    {0},
};
enum stride_state { INITIAL, TRANSIENT, STEADY, NO_PREDICTION };

struct stride {
    uint64_t count;
    uint32_t degree;
    struct stride_entry {
        uint64_t pc, address, stride;
        uint8_t state; /* enum stride_state */
        bool used;
    } entries[];
};

/* The next state after a right and a wrong prediction. */
static const uint8_t after_right[] = {STEADY, STEADY, STEADY, TRANSIENT};
static const uint8_t after_wrong[] = {TRANSIENT, NO_PREDICTION, INITIAL, NO_PREDICTION};

static const char *stride_size(const struct component_setup *setup, struct component_size *size)
{
    size->tables = setup->values[ENTRIES] * sizeof(struct stride_entry);
    return NULL;
}

static void stride_start(void *state, const struct component_setup *setup)
{
    struct stride *self = state;
    self->count = setup->values[ENTRIES];
    self->degree = setup->degree;
}

static void stride_observe(void *state, const struct request *request, bool miss, bool first,
                           struct spoor_plugin_prefetches *prefetches)
{
    struct stride *self = state;
    (void)miss, (void)first;
    if (!request->has_pc || request->op != SPOOR_REFERENCE_READ) return;
    struct stride_entry *entry = &self->entries[(request->pc ^ request->pc >> 8) % self->count];
    if (!entry->used || entry->pc != request->pc) {
        *entry =
            (struct stride_entry){.pc = request->pc, .address = request->address, .used = true};
        return;
    }
    const uint64_t stride = request->address - entry->address;
    const bool right = stride == entry->stride;
    const bool keeps_stride = right || entry->state == STEADY;
    entry->state = right ? after_right[entry->state] : after_wrong[entry->state];
    if (!keeps_stride) entry->stride = stride;
    entry->address = request->address;
    if (entry->state != STEADY || entry->stride == 0) return;
    for (uint32_t i = 1; i <= self->degree; i++)
        prefetch_add(prefetches, request->address + i * entry->stride);
}

const struct prefetcher prefetcher_stride = {
    .component = {.about = {SPOOR_PREFETCHER, "stride", "by the stride of each load instruction",
                            "Chen, Baer 1995", stride_keys},
                  .struct_size = sizeof(struct stride),
                  .size = stride_size,
                  .start = stride_start},
    .observe = stride_observe,
};

/*
 * ---- stream ----
 *
 * Streams of misses (after Jouppi 1990 and Palacharla and Kessler 1994).  Two misses on adjacent
 * blocks start a stream, up or down; each first use of the block that the stream expects prefetches
 * the next `degree` blocks.  Streams are replaced LRU; the prefetched blocks go into the cache
 * itself.
 */

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
                            struct spoor_plugin_prefetches *prefetches)
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
                           struct spoor_plugin_prefetches *prefetches)
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

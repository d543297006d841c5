/* SPDX-License-Identifier: MIT */
/*
 * decode_ring.c: a ring of slots that several threads fill, the caller's among them.
 *
 * One thread at a time reads a chunk into a slot; then any thread decodes it.  If reading is cheap,
 * as for an uncompressed file, the thread that read a chunk also decodes it, while it is in the
 * cache.  If reading is expensive, as for a compressed file, one thread reads ahead as long as
 * there are slots and the others decode.  The caller removes the slots in serial order; if the next
 * one is not ready, it works as the others do.  (It does not read if that may block on a pipe.)
 *
 * One lock guards all states; the state of a slot determines the thread that owns its content,
 * without the lock.
 */
#include "io/decode_ring.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/wake.h"
#include "base/worker_pool.h"
#include "formats/format.h"
#include "model/batch_own.h"
#include "model/error.h"
#include "model/layout.h"
#include "views/stats.h"

enum {
    SPINS = 50,      /* spins while another thread uses the cutter */
    SPARE_SLOTS = 4, /* in addition to one per thread: one in use by the caller, others waiting */
    LARGE_SPARE_SLOTS = 2, /* where a batch takes megabytes, as a container's does */
};

/* ---- translating a thread's private ids to the stream's ----
 *
 * Every decoding thread interns names in a private table, so it never waits for another thread.
 * With each chunk it passes on its new names, in order of first occurrence.  Chunks are translated
 * in the order of the trace, so those names reach the stream's table in the order in which a single
 * thread would have interned them: the ids do not depend on the number of threads.
 */

/* The names that a chunk added to a private table. */
struct new_names {
    struct spoor_slice *items;
    size_t count, capacity;
};
/* The stream's id for each private id. */
struct name_map {
    spoor_name *ids;
    size_t count, capacity;
    bool changes; /* some id differs */
};
/* Collects the names of the table from id `known` on.  False if memory runs out. */
static bool new_names_collect(struct new_names *names, const struct spoor_names *table,
                              size_t known)
{
    size_t count = spoor_names_count(table) - known;
    names->count = 0;
    if (!array_reserve(&names->items, &names->capacity, count)) return false;
    for (; names->count < count; names->count++) {
        struct spoor_slice *item = &names->items[names->count];
        item->bytes = spoor_names_text(table, (spoor_name)(known + names->count), &item->size);
    }
    return true;
}

/* Initialises an empty private table with the names of the stream's table, under the same ids.
 * False if memory runs out. */
static bool name_map_begin(struct name_map *map, struct spoor_names *own,
                           const struct spoor_names *table)
{
    const size_t count = spoor_names_count(table);
    if (!array_reserve(&map->ids, &map->capacity, count)) return false;
    for (map->count = 0; map->count < count; map->count++) {
        const spoor_name id = (spoor_name)map->count;
        size_t size;
        const char *text = spoor_names_text(table, id, &size);
        if (spoor_names_intern(own, text, size) != id) return false;
        map->ids[id] = id;
    }
    return true;
}

/* Interns new names in the stream's table.  False if it is full (or memory runs out): ids assigned
 * until then stay. */
static bool name_map_extend(struct name_map *map, const struct new_names *names,
                            struct spoor_names *table)
{
    if (!array_reserve(&map->ids, &map->capacity, map->count + names->count)) return false;
    for (size_t i = 0; i < names->count; i++) {
        spoor_name id = spoor_names_intern(table, names->items[i].bytes, names->items[i].size);
        if (id == SPOOR_NAMES_FULL) return false;
        map->changes |= id != map->count;
        map->ids[map->count++] = id;
    }
    return true;
}

/* An id that was never assigned stays unassigned. */
static inline spoor_name name_map_id(const struct name_map *map, spoor_name id)
{
    return id < map->count ? map->ids[id] : SPOOR_NAMES_FULL;
}

/* ---- the ring ---- */

enum slot_state {
    SLOT_FREE,    /* unowned: waits to be read */
    SLOT_READ,    /* unowned: waits to be decoded */
    SLOT_TAKEN,   /* owned by the thread that reads or decodes it */
    SLOT_DECODED, /* owned by the caller */
};

struct slot {
    enum slot_state state;
    enum spoor_status status; /* SPOOR_OK: there is a batch; else the reason why there is none */
    struct spoor_error error;
    struct spoor_batch batch;
    struct reserved_range range;
    struct gzip_trailers trailers;     /* of the members that end in the batch */
    struct worker *worker;             /* the records have its ids; NULL: not decoded */
    struct new_names names, spellings; /* new names of the worker in this chunk */
};

/* A decoding thread: its tables, and the maps with which the caller translates its ids. */
struct worker {
    struct decode_ring *ring;
    struct decoder decoder;
    void *kept;                             /* the decoder's */
    struct spoor_batch memory;              /* for text and records, if it stores them */
    size_t names_known, spellings_known;    /* passed on so far */
    struct name_map name_map, spelling_map; /* owned by the caller */
    unsigned spins;                         /* since its last work */
};

struct decode_ring {
    struct cutter *cutter;
    const struct spoor_stream *stream;
    const struct spoor_decode_options *options;
    const struct projection *projection;
    struct worker_pool pool;
    pthread_cond_t decoded; /* work for the caller */
    struct slot *slots;
    size_t slot_count;
    uint64_t next_read, next_decode, next_out; /* serial numbers of slots */
    struct slot *out;                          /* in use by the caller, freed by the next call */
    bool at_once;                              /* the thread that has read a slot decodes it */
    bool caller_reads;                         /* if it has nothing else to do */
    bool caller_waits;
    bool reading;     /* a thread uses the cutter */
    bool ended;       /* it has nothing more */
    bool direct;      /* a table of the stream is full: only the caller decodes, directly with the
                       * stream's tables */
    struct wake wake; /* ends a wait for input */
    struct worker *workers; /* the first is the caller */
    unsigned worker_count;  /* those with tables; 0: not started yet */
    unsigned threads;       /* requested number, including the caller's */
    void *kept;             /* of the decoder with the stream's tables */
};

static struct slot *decode_ring_slot_at(struct decode_ring *ring, uint64_t serial)
{
    return &ring->slots[serial % ring->slot_count];
}

/* ---- memory for text and records ----
 *
 * Statistics need neither, except for the bytes that faults refer to.  So a thread reuses them for
 * its next chunk, while they are in the cache of its processor.  (If the chunk has to be decoded a
 * second time, it is read again.) */

static void decode_ring_swap_memory(struct spoor_batch *one, struct spoor_batch *other)
{
    const struct spoor_batch kept = *one;
    one->text = other->text;
    batch_own(one)->text_block = batch_own(other)->text_block;
    batch_own(one)->text_capacity = batch_own(other)->text_capacity;
    one->records = other->records;
    one->capacity = other->capacity;
    other->text = kept.text;
    batch_own(other)->text_block = batch_own_of(&kept)->text_block;
    batch_own(other)->text_capacity = batch_own_of(&kept)->text_capacity;
    other->records = kept.records;
    other->capacity = kept.capacity;
}

/* ---- reading and decoding: the lock is held on entry and on return ---- */

static bool decode_ring_can_read(struct decode_ring *ring)
{
    return !ring->reading && !ring->ended &&
           decode_ring_slot_at(ring, ring->next_read)->state == SLOT_FREE;
}

static bool decode_ring_can_decode(struct decode_ring *ring)
{
    return decode_ring_slot_at(ring, ring->next_decode)->state == SLOT_READ;
}

static bool decode_ring_can_hand_out(struct decode_ring *ring)
{
    return decode_ring_slot_at(ring, ring->next_out)->state == SLOT_DECODED;
}

/* Wakes the threads that wait for the present state. */
static void decode_ring_wake(struct decode_ring *ring)
{
    const bool decode = decode_ring_can_decode(ring), read = decode_ring_can_read(ring);
    if (ring->caller_waits &&
        (decode_ring_can_hand_out(ring) || decode || (read && ring->caller_reads)))
        pthread_cond_signal(&ring->decoded);
    if (ring->pool.idle && (decode || read)) worker_pool_wake(&ring->pool);
}

/* Reads the reserved range of the slot and, unless a table of the stream is full, decodes it. */
static void decode_ring_decode_slot(struct worker *worker, struct slot *slot)
{
    struct decode_ring *ring = worker->ring;
    const bool direct = ring->direct;
    ring->next_decode++;
    slot->state = SLOT_TAKEN;
    pthread_mutex_unlock(&ring->pool.lock);
    if (!batch_own(&slot->batch)->text_block)
        decode_ring_swap_memory(&worker->memory, &slot->batch);
    slot->status = cutter_load(ring->cutter, &slot->range, &slot->batch, &slot->error);
    if (!direct && slot->status == SPOOR_OK) {
        format_decode(stream_file_format(ring->stream), &worker->decoder, ring->projection,
                      &slot->batch);
        if (new_names_collect(&slot->names, worker->decoder.names, worker->names_known) &&
            new_names_collect(&slot->spellings, worker->decoder.spellings,
                              worker->spellings_known)) {
            worker->names_known += slot->names.count;
            worker->spellings_known += slot->spellings.count;
            slot->worker = worker;
        }
        const bool again = slot->range.size > 0, quoted = slot->batch.fault_count > 0;
        if (slot->batch.projected && ring->projection->kind == PROJECT_STATS && again && !quoted &&
            !batch_own(&worker->memory)->text_block)
            decode_ring_swap_memory(&worker->memory, &slot->batch);
    }
    pthread_mutex_lock(&ring->pool.lock);
    slot->state = SLOT_DECODED;
    decode_ring_wake(ring);
}

/* Do one piece of work; false if there is none. */
static bool decode_ring_work(struct worker *worker, bool reads)
{
    struct decode_ring *ring = worker->ring;
    if (!reads || !decode_ring_can_read(ring)) {
        if (!decode_ring_can_decode(ring)) return false;
        decode_ring_decode_slot(worker, decode_ring_slot_at(ring, ring->next_decode));
        return true;
    }
    struct slot *slot = decode_ring_slot_at(ring, ring->next_read++);
    slot->state = SLOT_TAKEN;
    ring->reading = true;
    pthread_mutex_unlock(&ring->pool.lock);
    spoor_batch_clear(&slot->batch);
    slot->worker = NULL;
    slot->status = cutter_reserve(ring->cutter, &slot->batch, &slot->range, &slot->error);
    if (cutter_trailers(ring->cutter, &slot->trailers, &slot->error) != SPOOR_OK)
        slot->status = SPOOR_ENOMEM;
    pthread_mutex_lock(&ring->pool.lock);
    ring->reading = false;
    ring->ended = slot->status != SPOOR_OK;
    slot->state = ring->ended ? SLOT_DECODED : ring->at_once ? SLOT_TAKEN : SLOT_READ;
    decode_ring_wake(ring);
    if (slot->state == SLOT_TAKEN) decode_ring_decode_slot(worker, slot);
    return true;
}

/* A thread's work; the caller is worker 0. */
static bool decode_ring_work_in_pool(void *context, unsigned number)
{
    struct decode_ring *ring = context;
    struct worker *worker = &ring->workers[number + 1];
    const bool worked = decode_ring_work(worker, true);
    if (!worked && ring->at_once && ring->reading && worker->spins++ < SPINS) {
        /* Tries again at once: splitting takes less time than going to sleep. */
        pthread_mutex_unlock(&ring->pool.lock);
        sched_yield();
        pthread_mutex_lock(&ring->pool.lock);
        return true;
    }
    worker->spins = 0;
    return worked;
}

/* ---- the caller ---- */

/* Decodes with the stream's own tables, as a single thread does. */
static void decode_ring_decode_directly(struct decode_ring *ring, struct spoor_batch *batch)
{
    batch->count = batch->spill_count = batch->fault_count = batch->arena_size = 0;
    batch->out_of_memory = false;
    const struct decoder decoder = {.names = ring->stream->names,
                                    .spellings = ring->stream->spellings,
                                    .options = ring->options,
                                    .state = &ring->kept};
    format_decode(stream_file_format(ring->stream), &decoder, ring->projection, batch);
}

/* Checks the compressed members in the batch; a truncated batch is decoded directly. */
static enum spoor_status decode_ring_check(struct decode_ring *ring, struct slot *slot,
                                           enum spoor_status status, struct spoor_error *error)
{
    bool again;
    status = cutter_check(ring->cutter, status, &slot->trailers, &slot->batch, &again, error);
    if (again) slot->worker = NULL;
    return status;
}

/* Gives the batch's records the stream's ids.  Once a table of the stream is full, a private table
 * may still accept names that the stream cannot: from there on only direct decoding gives the same
 * result as a single thread. */
static enum spoor_status decode_ring_translate(struct decode_ring *ring, struct slot *slot)
{
    const struct spoor_stream *stream = ring->stream;
    struct worker *worker = slot->worker;
    struct spoor_batch *batch = &slot->batch;
    enum spoor_status status = SPOOR_OK;
    if (!ring->direct && worker) {
        const struct name_map *names = &worker->name_map, *spellings = &worker->spelling_map;
        if (name_map_extend(&worker->name_map, &slot->names, stream->names) &&
            name_map_extend(&worker->spelling_map, &slot->spellings, stream->spellings)) {
            if (batch->out_of_memory) return SPOOR_OK; /* reported by the reader: no view */
            if (!batch->projected) {
                for (size_t i = 0; spellings->changes && i < batch->count; i++)
                    batch->records[i].spelling = name_map_id(spellings, batch->records[i].spelling);
                for (size_t i = 0; names->changes && i < batch->count; i++) {
                    struct spoor_record *record = &batch->records[i];
                    record->cpu = name_map_id(names, record->cpu);
                    const uint8_t *offset = record_layouts[record->kind].names;
                    for (; *offset; offset++) {
                        spoor_name *name = layout_name(record, *offset);
                        *name = name_map_id(names, *name);
                    }
                }
            } else if (ring->projection->kind == PROJECT_STATS) {
                /* Statistics translate their ids when they are read: valid as long as the maps. */
                struct stats *stats = batch_own(batch)->view;
                stats->cpu_ids = names->changes ? names->ids : NULL;
                stats->spelling_ids = spellings->changes ? spellings->ids : NULL;
            }
            return SPOOR_OK;
        }
        pthread_mutex_lock(&ring->pool.lock);
        ring->direct = true;
        pthread_mutex_unlock(&ring->pool.lock);
    }
    if (!batch_own(batch)->text_block) /* the thread reuses it */
        status = cutter_load(ring->cutter, &slot->range, batch, &slot->error);
    if (status == SPOOR_OK) decode_ring_decode_directly(ring, batch);
    return status;
}

/* ---- starting and stopping ---- */

static void decode_ring_free_worker(struct worker *worker)
{
    spoor_names_free(worker->decoder.names);
    spoor_names_free(worker->decoder.spellings);
    free(worker->kept);
    spoor_batch_free(&worker->memory);
    free(worker->name_map.ids);
    free(worker->spelling_map.ids);
}

/* Adds a worker with the stream's names, so that few of its ids differ. */
static bool decode_ring_add_worker(struct decode_ring *ring)
{
    const struct spoor_stream *stream = ring->stream;
    struct worker *worker = &ring->workers[ring->worker_count];
    worker->ring = ring;
    worker->decoder = (struct decoder){.names = spoor_names_new(),
                                       .spellings = spoor_names_new(),
                                       .options = ring->options,
                                       .state = &worker->kept};
    worker->names_known = spoor_names_count(stream->names);
    worker->spellings_known = spoor_names_count(stream->spellings);
    if (worker->decoder.names && worker->decoder.spellings &&
        name_map_begin(&worker->name_map, worker->decoder.names, stream->names) &&
        name_map_begin(&worker->spelling_map, worker->decoder.spellings, stream->spellings)) {
        ring->worker_count++;
        return true;
    }
    decode_ring_free_worker(worker);
    return false;
}

enum spoor_status decode_ring_next(struct decode_ring *ring, struct spoor_batch **batch,
                                   struct spoor_error *error)
{
    if (!ring->out) {
        /* The first batch is decoded before threads start: a short trace needs none, and the
         * threads of a long one begin with most of its names. */
        struct slot *first = ring->out = decode_ring_slot_at(ring, 0);
        first->state = SLOT_DECODED;
        ring->next_read = ring->next_decode = ring->next_out = 1;
        *batch = &first->batch;
        enum spoor_status status = cutter_next(ring->cutter, &first->batch, error);
        if (cutter_trailers(ring->cutter, &first->trailers, error) != SPOOR_OK) return SPOOR_ENOMEM;
        status = decode_ring_check(ring, first, status, error);
        if (status == SPOOR_OK) decode_ring_decode_directly(ring, &first->batch);
        return status;
    }
    if (!ring->workers) {
        /* Starts as many threads as the system allows; the caller can work alone.  The caller
         * continues with the decoder state of the first batch, whose ids are the stream's. */
        ring->workers = calloc(ring->threads, sizeof *ring->workers);
        if (!ring->workers || !decode_ring_add_worker(ring))
            return error_no_memory_while(error, ring->stream->path, "reading");
        ring->workers[0].kept = ring->kept;
        ring->kept = NULL;
        ring->cutter->bytes.source.wake = ring->wake.file;
        while (ring->worker_count < ring->threads && decode_ring_add_worker(ring)) continue;
        pthread_mutex_lock(&ring->pool.lock);
        ring->pool.limit = ring->worker_count - 1;
        worker_pool_start(&ring->pool);
        if (ring->pool.count == 0) ring->caller_reads = true;
        pthread_mutex_unlock(&ring->pool.lock);
    }
    pthread_mutex_lock(&ring->pool.lock);
    ring->out->state = SLOT_FREE;
    /* Waiting threads are woken when several slots are free. */
    if (ring->next_read - ring->next_out <= ring->slot_count / 2) decode_ring_wake(ring);
    while (!decode_ring_can_hand_out(
        ring)) { /* decoding comes before reading, if reading is expensive */
        const bool reads = ring->caller_reads && !decode_ring_can_decode(ring);
        if (decode_ring_work(&ring->workers[0], reads)) continue;
        ring->caller_waits = true;
        pthread_cond_wait(&ring->decoded, &ring->pool.lock);
        ring->caller_waits = false;
    }
    struct slot *slot = ring->out = decode_ring_slot_at(ring, ring->next_out++);
    pthread_mutex_unlock(&ring->pool.lock);
    enum spoor_status status = decode_ring_check(ring, slot, slot->status, &slot->error);
    if (status == SPOOR_OK) status = decode_ring_translate(ring, slot);
    if (status != SPOOR_OK) *error = slot->error;
    *batch = &slot->batch;
    return status;
}

struct decode_ring *decode_ring_start(struct cutter *cutter, const struct spoor_stream *stream,
                                      const struct spoor_decode_options *options,
                                      const struct projection *projection, unsigned threads)
{
    struct decode_ring *ring = calloc(1, sizeof *ring);
    if (!ring) return NULL;
    const struct source *source = &cutter->bytes.source;
    ring->cutter = cutter;
    ring->stream = stream;
    ring->options = options;
    ring->projection = projection;
    ring->at_once = !source->waits && !source->follow.on && !cutter->bytes.compression;
    ring->caller_reads = !source->waits && !source->follow.on;
    ring->threads = threads < WORKER_POOL_MAX ? threads : WORKER_POOL_MAX;
    ring->slot_count =
        ring->threads + (stream_file_format(stream)->container ? LARGE_SPARE_SLOTS : SPARE_SLOTS);
    ring->slots = calloc(ring->slot_count, sizeof *ring->slots);
    for (size_t i = 0; ring->slots && i < ring->slot_count; i++)
        ring->slots[i].batch.stream = stream;
    const bool wakes = wake_open(&ring->wake);
    worker_pool_open(&ring->pool, decode_ring_work_in_pool, ring, 0);
    pthread_cond_init(&ring->decoded, NULL);
    if (ring->slots && wakes) return ring;
    decode_ring_stop(ring);
    return NULL;
}

void decode_ring_stop(struct decode_ring *ring)
{
    if (!ring) return;
    worker_pool_stop(&ring->pool);
    wake_now(&ring->wake);
    worker_pool_close(&ring->pool);
    for (unsigned i = 0; i < ring->worker_count; i++) decode_ring_free_worker(&ring->workers[i]);
    for (size_t i = 0; ring->slots && i < ring->slot_count; i++) {
        struct slot *slot = &ring->slots[i];
        spoor_batch_free(&slot->batch);
        gzip_trailers_free(&slot->trailers);
        free(slot->names.items);
        free(slot->spellings.items);
    }
    free(ring->workers);
    free(ring->kept);
    free(ring->slots);
    pthread_cond_destroy(&ring->decoded);
    ring->cutter->bytes.source.wake = -1;
    wake_close(&ring->wake);
    free(ring);
}

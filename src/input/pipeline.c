/* SPDX-License-Identifier: MIT */
/*
 * pipeline.c: a ring of slots between one reading thread, several decoding ones and the caller.
 *
 * Slots are filled, decoded and handed out in serial order.  A decoding thread takes the oldest
 * slot that is filled; several may be decoded at once and end in any order, but the caller waits
 * for the oldest.  All states are guarded by one lock; what a slot holds belongs to whoever its
 * state says, without it.
 */
#include "input/pipeline.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "formats/format.h"
#include "input/translate.h"

enum {
    DECODERS_MOST = 32,
    SPARE_SLOTS = 3, /* beside one per decoder: one being read, one handed out, one waiting */
};

enum slot_state {
    SLOT_FREE,    /* the reading thread's */
    SLOT_FILLED,  /* nobody's: waits for a decoding thread */
    SLOT_TAKEN,   /* a decoding thread's */
    SLOT_DECODED, /* the caller's */
};

struct slot {
    enum slot_state state;
    enum spoor_status status; /* SPOOR_OK: there is a batch; else why there is none */
    struct spoor_error error;
    struct spoor_batch batch;
    struct worker *worker;             /* whose ids the records have; NULL: not decoded */
    struct new_names names, spellings; /* that were new to the worker in this chunk */
};

/* A decoding thread: its tables, and how the caller reads its ids. */
struct worker {
    pthread_t thread;
    struct pipeline *pipeline;
    struct decoder decoder;
    size_t names_known, spellings_known;    /* passed on so far */
    struct name_map name_map, spelling_map; /* the caller's */
};

struct pipeline {
    struct cutter *cutter;
    const struct spoor_stream *stream;
    const struct spoor_decode_options *options;
    pthread_mutex_t lock;
    pthread_cond_t freed, filled, decoded;
    struct slot *slots;
    size_t slot_count;
    uint64_t next_decode, next_out; /* serial numbers of slots */
    struct slot *out;               /* handed out, to be freed by the next call */
    bool stop;
    bool direct; /* a table of the stream is full: only the caller decodes, straight into it */
    int wake;    /* eventfd that ends a wait for input */
    pthread_t reader;
    bool reading; /* the reading thread has been made */
    struct worker *workers;
    unsigned worker_count;
};

static struct slot *slot_at(struct pipeline *pipeline, uint64_t serial)
{
    return &pipeline->slots[serial % pipeline->slot_count];
}

/* ---- the reading thread ---- */

/* The slot of that serial number once it is free; NULL when it is time to stop. */
static struct slot *wait_free(struct pipeline *pipeline, uint64_t serial)
{
    struct slot *slot = slot_at(pipeline, serial);
    pthread_mutex_lock(&pipeline->lock);
    while (slot->state != SLOT_FREE && !pipeline->stop)
        pthread_cond_wait(&pipeline->freed, &pipeline->lock);
    bool stop = pipeline->stop;
    pthread_mutex_unlock(&pipeline->lock);
    return stop ? NULL : slot;
}

static void pass_on(struct pipeline *pipeline, struct slot *slot, enum slot_state state)
{
    pthread_mutex_lock(&pipeline->lock);
    slot->state = state;
    pthread_cond_signal(state == SLOT_FILLED ? &pipeline->filled : &pipeline->decoded);
    pthread_mutex_unlock(&pipeline->lock);
}

static void *read_chunks(void *context)
{
    struct pipeline *pipeline = context;
    struct slot *slot;
    for (uint64_t serial = 0; (slot = wait_free(pipeline, serial)); serial++) {
        spoor_batch_clear(&slot->batch);
        slot->worker = NULL;
        slot->status = cutter_next(pipeline->cutter, &slot->batch, &slot->error);
        pass_on(pipeline, slot, slot->status == SPOOR_OK ? SLOT_FILLED : SLOT_DECODED);
        if (slot->status != SPOOR_OK) break;
    }
    return NULL;
}

/* ---- decoding threads ---- */

/* The oldest slot that waits for decoding; NULL when it is time to stop. */
static struct slot *wait_filled(struct pipeline *pipeline, bool *direct)
{
    struct slot *slot = NULL;
    pthread_mutex_lock(&pipeline->lock);
    while (!pipeline->stop && slot_at(pipeline, pipeline->next_decode)->state != SLOT_FILLED)
        pthread_cond_wait(&pipeline->filled, &pipeline->lock);
    if (!pipeline->stop) {
        slot = slot_at(pipeline, pipeline->next_decode++);
        slot->state = SLOT_TAKEN;
    }
    *direct = pipeline->direct;
    pthread_mutex_unlock(&pipeline->lock);
    return slot;
}

static void decode_slot(struct worker *worker, struct slot *slot)
{
    worker->pipeline->stream->format->decode(&worker->decoder, &slot->batch);
    if (!new_names_collect(&slot->names, worker->decoder.names, worker->names_known)) return;
    if (!new_names_collect(&slot->spellings, worker->decoder.spellings, worker->spellings_known))
        return;
    worker->names_known += slot->names.count;
    worker->spellings_known += slot->spellings.count;
    slot->worker = worker;
}

static void *decode_chunks(void *context)
{
    struct worker *worker = context;
    struct slot *slot;
    bool direct;
    while ((slot = wait_filled(worker->pipeline, &direct))) {
        if (!direct) decode_slot(worker, slot);
        pass_on(worker->pipeline, slot, SLOT_DECODED);
    }
    return NULL;
}

/* ---- the caller ---- */

/* Decode with the stream's own tables, as a single thread does. */
static void decode_directly(struct pipeline *pipeline, struct spoor_batch *batch)
{
    batch->count = batch->spill_count = batch->fault_count = batch->arena_size = 0;
    batch->out_of_memory = false;
    struct decoder decoder = {pipeline->stream->names, pipeline->stream->spellings,
                              pipeline->options};
    pipeline->stream->format->decode(&decoder, batch);
}

static bool extend_maps(const struct spoor_stream *stream, const struct slot *slot)
{
    struct worker *worker = slot->worker;
    return name_map_extend(&worker->name_map, &slot->names, stream->names) &&
           name_map_extend(&worker->spelling_map, &slot->spellings, stream->spellings);
}

/* Give the batch's records the stream's ids.  Once a table of the stream is full, a private one
 * may have room for names that the stream has not: from there on only decoding directly gives what
 * a single thread would. */
static void translate(struct pipeline *pipeline, struct slot *slot)
{
    if (!pipeline->direct && slot->worker) {
        if (extend_maps(pipeline->stream, slot)) {
            translate_records(&slot->batch, &slot->worker->name_map, &slot->worker->spelling_map);
            return;
        }
        pthread_mutex_lock(&pipeline->lock);
        pipeline->direct = true;
        pthread_mutex_unlock(&pipeline->lock);
    }
    decode_directly(pipeline, &slot->batch);
}

/* Give the last slot back and wait for the next. */
static struct slot *wait_decoded(struct pipeline *pipeline)
{
    struct slot *slot = slot_at(pipeline, pipeline->next_out);
    pthread_mutex_lock(&pipeline->lock);
    if (pipeline->out) {
        pipeline->out->state = SLOT_FREE;
        pthread_cond_signal(&pipeline->freed);
    }
    while (slot->state != SLOT_DECODED) pthread_cond_wait(&pipeline->decoded, &pipeline->lock);
    pthread_mutex_unlock(&pipeline->lock);
    pipeline->out = slot;
    pipeline->next_out++;
    return slot;
}

enum spoor_status pipeline_next(struct pipeline *pipeline, struct spoor_batch **batch,
                                struct spoor_error *error)
{
    struct slot *slot = wait_decoded(pipeline);
    if (slot->status != SPOOR_OK) {
        *error = slot->error;
        return slot->status;
    }
    translate(pipeline, slot);
    *batch = &slot->batch;
    return SPOOR_OK;
}

/* ---- starting and stopping ---- */

static bool start_worker(struct pipeline *pipeline)
{
    struct worker *worker = &pipeline->workers[pipeline->worker_count];
    worker->pipeline = pipeline;
    worker->names_known = worker->spellings_known = 1; /* id 0 needs no passing on */
    worker->decoder = (struct decoder){spoor_names_new(), spoor_names_new(), pipeline->options};
    if (worker->decoder.names && worker->decoder.spellings &&
        pthread_create(&worker->thread, NULL, decode_chunks, worker) == 0) {
        pipeline->worker_count++;
        return true;
    }
    spoor_names_free(worker->decoder.names);
    spoor_names_free(worker->decoder.spellings);
    return false;
}

static bool start_threads(struct pipeline *pipeline, unsigned decoders)
{
    pipeline->slots = calloc(pipeline->slot_count, sizeof *pipeline->slots);
    pipeline->workers = calloc(decoders, sizeof *pipeline->workers);
    if (!pipeline->slots || !pipeline->workers) return false;
    for (size_t i = 0; i < pipeline->slot_count; i++)
        pipeline->slots[i].batch.stream = pipeline->stream;
    while (pipeline->worker_count < decoders && start_worker(pipeline)) continue;
    if (pipeline->worker_count == 0) return false;
    pipeline->cutter->bytes.source.wake = pipeline->wake;
    pipeline->reading = pthread_create(&pipeline->reader, NULL, read_chunks, pipeline) == 0;
    return pipeline->reading;
}

struct pipeline *pipeline_start(struct cutter *cutter, const struct spoor_stream *stream,
                                const struct spoor_decode_options *options, unsigned threads)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline) return NULL;
    unsigned decoders = threads > 2 ? threads - 1 : 1;
    if (decoders > DECODERS_MOST) decoders = DECODERS_MOST;
    pipeline->cutter = cutter;
    pipeline->stream = stream;
    pipeline->options = options;
    pipeline->slot_count = decoders + SPARE_SLOTS;
    pipeline->wake = eventfd(0, EFD_CLOEXEC);
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->freed, NULL);
    pthread_cond_init(&pipeline->filled, NULL);
    pthread_cond_init(&pipeline->decoded, NULL);
    if (pipeline->wake >= 0 && start_threads(pipeline, decoders)) return pipeline;
    pipeline_stop(pipeline);
    return NULL;
}

static void join_threads(struct pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->stop = true;
    pthread_cond_broadcast(&pipeline->freed);
    pthread_cond_broadcast(&pipeline->filled);
    pthread_mutex_unlock(&pipeline->lock);
    if (pipeline->wake >= 0) eventfd_write(pipeline->wake, 1);
    if (pipeline->reading) pthread_join(pipeline->reader, NULL);
    for (unsigned i = 0; i < pipeline->worker_count; i++)
        pthread_join(pipeline->workers[i].thread, NULL);
}

static void free_worker(struct worker *worker)
{
    spoor_names_free(worker->decoder.names);
    spoor_names_free(worker->decoder.spellings);
    name_map_free(&worker->name_map);
    name_map_free(&worker->spelling_map);
}

static void free_slot(struct slot *slot)
{
    spoor_batch_free(&slot->batch);
    new_names_free(&slot->names);
    new_names_free(&slot->spellings);
}

void pipeline_stop(struct pipeline *pipeline)
{
    if (!pipeline) return;
    join_threads(pipeline);
    for (unsigned i = 0; i < pipeline->worker_count; i++) free_worker(&pipeline->workers[i]);
    for (size_t i = 0; pipeline->slots && i < pipeline->slot_count; i++)
        free_slot(&pipeline->slots[i]);
    free(pipeline->workers);
    free(pipeline->slots);
    pthread_cond_destroy(&pipeline->decoded);
    pthread_cond_destroy(&pipeline->filled);
    pthread_cond_destroy(&pipeline->freed);
    pthread_mutex_destroy(&pipeline->lock);
    pipeline->cutter->bytes.source.wake = -1;
    if (pipeline->wake >= 0) close(pipeline->wake);
    free(pipeline);
}

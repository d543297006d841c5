/* SPDX-License-Identifier: MIT */
/*
 * pipeline.c: a ring of slots that several threads fill, the caller's among them.
 *
 * A slot's chunk is read by one thread at a time and then decoded, by any.  Where reading is little
 * work, as of a plain file, who has read a chunk decodes it too, while it is in the cache.  Where
 * it is much, as of a compressed one, one thread reads on as long as there are slots and others
 * decode. The caller takes the slots out in serial order; where the next one is not ready it works
 * as the others do meanwhile.  (But it does not read where that may wait for the writer of a pipe.)
 *
 * All states are guarded by one lock; what a slot holds belongs to whoever its state says, without
 * it.
 */
#include "io/pipeline.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "formats/format.h"
#include "io/translate.h"

enum {
    SPINS = 50, /* turns of waiting awake for who uses the cutter */
    THREADS_MOST = 32,
    SPARE_SLOTS = 4, /* beside one per thread: one handed out, one that waits */
};

enum slot_state {
    SLOT_FREE,    /* nobody's: waits to be read */
    SLOT_READ,    /* nobody's: waits to be decoded */
    SLOT_TAKEN,   /* a thread's, which reads or decodes it */
    SLOT_DECODED, /* the caller's */
};

struct slot {
    enum slot_state state;
    enum spoor_status status; /* SPOOR_OK: there is a batch; else why there is none */
    struct spoor_error error;
    struct spoor_batch batch;
    struct claim claim;
    struct seals seals;                /* of what ends in the batch */
    struct worker *worker;             /* whose ids the records have; NULL: not decoded */
    struct new_names names, spellings; /* that were new to the worker in this chunk */
};

/* Who decodes: its tables, and how the caller reads its ids. */
struct worker {
    pthread_t thread; /* but the caller's own */
    struct pipeline *pipeline;
    struct decoder decoder;
    void *kept;                             /* the decoder's */
    struct spoor_batch memory;              /* for text and records, where it keeps them */
    size_t names_known, spellings_known;    /* passed on so far */
    struct name_map name_map, spelling_map; /* the caller's */
};

struct pipeline {
    struct cutter *cutter;
    const struct spoor_stream *stream;
    const struct spoor_decode_options *options;
    const struct projection *projection;
    pthread_mutex_t lock;
    pthread_cond_t work, decoded; /* something for a thread to do; the same for the caller */
    struct slot *slots;
    size_t slot_count;
    uint64_t next_read, next_decode, next_out; /* serial numbers of slots */
    struct slot *out;                          /* handed out, to be freed by the next call */
    bool at_once;                              /* who has read a slot decodes it */
    bool caller_reads;                         /* where it has nothing else to do */
    bool caller_waits;
    unsigned idle; /* other threads that wait */
    bool reading;  /* somebody uses the cutter */
    bool ended;    /* it has nothing more */
    bool stop;
    bool direct; /* a table of the stream is full: only the caller decodes, straight into it */
    int wake;    /* eventfd that ends a wait for input */
    struct worker *workers; /* the first is the caller */
    unsigned worker_count;  /* 0: not started yet */
    unsigned threads;       /* wanted, the caller's among them */
    void *kept;             /* of the decoder with the stream's tables */
};

static struct slot *slot_at(struct pipeline *pipeline, uint64_t serial)
{
    return &pipeline->slots[serial % pipeline->slot_count];
}

/* ---- memory for text and records ----
 *
 * Who only wants an account looks at neither, but for what faults have found.  So a thread keeps
 * them for its next chunk, while they are in the cache of its processor.  (Should the chunk have to
 * be decoded a second time, it can be read again.) */

static void swap_memory(struct spoor_batch *one, struct spoor_batch *other)
{
    const struct spoor_batch kept = *one;
    one->text = other->text;
    one->text_block = other->text_block;
    one->text_room = other->text_room;
    one->records = other->records;
    one->room = other->room;
    other->text = kept.text;
    other->text_block = kept.text_block;
    other->text_room = kept.text_room;
    other->records = kept.records;
    other->room = kept.room;
}

static void lend_memory(struct worker *worker, struct slot *slot)
{
    if (!slot->batch.text_block) swap_memory(&worker->memory, &slot->batch);
}

static void keep_memory(struct worker *worker, struct slot *slot)
{
    const bool again = slot->claim.size > 0, quoted = slot->batch.fault_count > 0;
    if (slot->batch.projected && worker->pipeline->projection->kind == PROJECT_ACCOUNT && again &&
        !quoted && !worker->memory.text_block)
        swap_memory(&worker->memory, &slot->batch);
}

static void decode_slot(struct worker *worker, struct slot *slot)
{
    format_decode(worker->pipeline->stream->format, &worker->decoder, worker->pipeline->projection,
                  &slot->batch);
    if (!new_names_collect(&slot->names, worker->decoder.names, worker->names_known)) return;
    if (!new_names_collect(&slot->spellings, worker->decoder.spellings, worker->spellings_known))
        return;
    worker->names_known += slot->names.count;
    worker->spellings_known += slot->spellings.count;
    slot->worker = worker;
}

static void decode_claim(struct worker *worker, struct slot *slot, bool direct)
{
    lend_memory(worker, slot);
    slot->status = cutter_load(worker->pipeline->cutter, &slot->claim, &slot->batch, &slot->error);
    if (direct || slot->status != SPOOR_OK) return;
    decode_slot(worker, slot);
    keep_memory(worker, slot);
}

/* ---- reading and decoding: the lock is held on entry and on return ---- */

static bool can_read(struct pipeline *pipeline)
{
    return !pipeline->reading && !pipeline->ended &&
           slot_at(pipeline, pipeline->next_read)->state == SLOT_FREE;
}

static bool can_decode(struct pipeline *pipeline)
{
    return slot_at(pipeline, pipeline->next_decode)->state == SLOT_READ;
}

static bool can_hand_out(struct pipeline *pipeline)
{
    return slot_at(pipeline, pipeline->next_out)->state == SLOT_DECODED;
}

/* Wake who waits for what is there now. */
static void rouse(struct pipeline *pipeline)
{
    const bool decode = can_decode(pipeline), read = can_read(pipeline);
    if (pipeline->caller_waits &&
        (can_hand_out(pipeline) || decode || (read && pipeline->caller_reads)))
        pthread_cond_signal(&pipeline->decoded);
    if (pipeline->idle && (decode || read)) pthread_cond_signal(&pipeline->work);
}

static void decode_next(struct worker *worker, struct slot *slot)
{
    struct pipeline *pipeline = worker->pipeline;
    const bool direct = pipeline->direct;
    pipeline->next_decode++;
    slot->state = SLOT_TAKEN;
    pthread_mutex_unlock(&pipeline->lock);
    decode_claim(worker, slot, direct);
    pthread_mutex_lock(&pipeline->lock);
    slot->state = SLOT_DECODED;
    rouse(pipeline);
}

static void read_next(struct worker *worker)
{
    struct pipeline *pipeline = worker->pipeline;
    struct slot *slot = slot_at(pipeline, pipeline->next_read++);
    slot->state = SLOT_TAKEN;
    pipeline->reading = true;
    pthread_mutex_unlock(&pipeline->lock);
    spoor_batch_clear(&slot->batch);
    slot->worker = NULL;
    slot->status = cutter_claim(pipeline->cutter, &slot->batch, &slot->claim, &slot->error);
    if (cutter_seals(pipeline->cutter, &slot->seals, &slot->error) != SPOOR_OK)
        slot->status = SPOOR_ENOMEM;
    pthread_mutex_lock(&pipeline->lock);
    pipeline->reading = false;
    pipeline->ended = slot->status != SPOOR_OK;
    slot->state = pipeline->ended ? SLOT_DECODED : pipeline->at_once ? SLOT_TAKEN : SLOT_READ;
    rouse(pipeline);
    if (slot->state == SLOT_TAKEN) decode_next(worker, slot);
}

/* Do what there is to do; false where there is nothing. */
static bool work(struct worker *worker, bool reads)
{
    struct pipeline *pipeline = worker->pipeline;
    if (reads && can_read(pipeline))
        read_next(worker);
    else if (can_decode(pipeline))
        decode_next(worker, slot_at(pipeline, pipeline->next_decode));
    else
        return false;
    return true;
}

/* Whether it is worth trying again at once: cutting takes less time than falling asleep. */
static bool is_short_wait(struct pipeline *pipeline, unsigned *spins)
{
    if (!pipeline->at_once || !pipeline->reading || (*spins)++ >= SPINS) return false;
    pthread_mutex_unlock(&pipeline->lock);
    sched_yield();
    pthread_mutex_lock(&pipeline->lock);
    return true;
}

static void *run_worker(void *context)
{
    struct worker *worker = context;
    struct pipeline *pipeline = worker->pipeline;
    pthread_mutex_lock(&pipeline->lock);
    unsigned spins = 0;
    while (!pipeline->stop) {
        if (work(worker, true)) {
            spins = 0;
            continue;
        }
        if (is_short_wait(pipeline, &spins)) continue;
        spins = 0;
        pipeline->idle++;
        pthread_cond_wait(&pipeline->work, &pipeline->lock);
        pipeline->idle--;
    }
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

/* ---- the caller ---- */

/* Decode with the stream's own tables, as a single thread does. */
static void decode_directly(struct pipeline *pipeline, struct spoor_batch *batch)
{
    batch->count = batch->spill_count = batch->fault_count = batch->arena_size = 0;
    batch->out_of_memory = false;
    const struct decoder decoder = {pipeline->stream->names, pipeline->stream->spellings,
                                    pipeline->options, &pipeline->kept};
    format_decode(pipeline->stream->format, &decoder, pipeline->projection, batch);
}

static bool extend_maps(const struct spoor_stream *stream, const struct slot *slot)
{
    struct worker *worker = slot->worker;
    return name_map_extend(&worker->name_map, &slot->names, stream->names) &&
           name_map_extend(&worker->spelling_map, &slot->spellings, stream->spellings);
}

static void translate_batch(const struct pipeline *pipeline, struct slot *slot)
{
    const struct worker *worker = slot->worker;
    if (slot->batch.out_of_memory) return; /* which the reader says: there may be no view */
    if (!slot->batch.projected)
        translate_records(&slot->batch, &worker->name_map, &worker->spelling_map);
    else if (pipeline->projection->kind == PROJECT_ACCOUNT)
        translate_account(slot->batch.view, &worker->name_map, &worker->spelling_map);
}

/* Check what the batch holds of compressed members; what is cut is to be decoded directly. */
static enum spoor_status check(struct pipeline *pipeline, struct slot *slot,
                               enum spoor_status status, struct spoor_error *error)
{
    bool again;
    status = cutter_check(pipeline->cutter, status, &slot->seals, &slot->batch, &again, error);
    if (again) slot->worker = NULL;
    return status;
}

/* Give the batch's records the stream's ids.  Once a table of the stream is full, a private one
 * may have room for names that the stream has not: from there on only decoding directly gives what
 * a single thread would. */
static enum spoor_status translate(struct pipeline *pipeline, struct slot *slot)
{
    enum spoor_status status = SPOOR_OK;
    if (!pipeline->direct && slot->worker) {
        if (extend_maps(pipeline->stream, slot)) {
            translate_batch(pipeline, slot);
            return SPOOR_OK;
        }
        pthread_mutex_lock(&pipeline->lock);
        pipeline->direct = true;
        pthread_mutex_unlock(&pipeline->lock);
    }
    if (!slot->batch.text_block) /* a thread kept it */
        status = cutter_load(pipeline->cutter, &slot->claim, &slot->batch, &slot->error);
    if (status == SPOOR_OK) decode_directly(pipeline, &slot->batch);
    return status;
}

/* Give a slot back.  Threads that wait for one are woken for several at once. */
static void give_back(struct pipeline *pipeline, struct slot *slot)
{
    slot->state = SLOT_FREE;
    if (pipeline->next_read - pipeline->next_out <= pipeline->slot_count / 2) rouse(pipeline);
}

/* Work until the next slot is decoded: what is to be decoded comes before what is to be read, where
 * that is much work. */
static struct slot *wait_decoded(struct pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    give_back(pipeline, pipeline->out);
    while (!can_hand_out(pipeline)) {
        const bool reads = pipeline->caller_reads && !can_decode(pipeline);
        if (work(&pipeline->workers[0], reads)) continue;
        pipeline->caller_waits = true;
        pthread_cond_wait(&pipeline->decoded, &pipeline->lock);
        pipeline->caller_waits = false;
    }
    struct slot *slot = pipeline->out = slot_at(pipeline, pipeline->next_out++);
    pthread_mutex_unlock(&pipeline->lock);
    return slot;
}

/* ---- starting and stopping ---- */

/* Give the worker the stream's names, so that few ids of its own will differ. */
static bool start_tables(struct worker *worker, const struct spoor_stream *stream)
{
    worker->decoder = (struct decoder){spoor_names_new(), spoor_names_new(),
                                       worker->pipeline->options, &worker->kept};
    worker->names_known = spoor_names_count(stream->names);
    worker->spellings_known = spoor_names_count(stream->spellings);
    return worker->decoder.names && worker->decoder.spellings &&
           name_map_begin(&worker->name_map, worker->decoder.names, stream->names) &&
           name_map_begin(&worker->spelling_map, worker->decoder.spellings, stream->spellings);
}

static void free_worker(struct worker *worker)
{
    spoor_names_free(worker->decoder.names);
    spoor_names_free(worker->decoder.spellings);
    free(worker->kept);
    spoor_batch_free(&worker->memory);
    name_map_free(&worker->name_map);
    name_map_free(&worker->spelling_map);
}

static bool start_worker(struct pipeline *pipeline, unsigned index)
{
    struct worker *worker = &pipeline->workers[index];
    worker->pipeline = pipeline;
    if (start_tables(worker, pipeline->stream) &&
        (index == 0 || pthread_create(&worker->thread, NULL, run_worker, worker) == 0)) {
        pipeline->worker_count++;
        return true;
    }
    free_worker(worker);
    return false;
}

/* Start the threads, as many as there are; the caller can do without any.  It goes on with what the
 * decoder learnt of the first batch: its ids are the stream's. */
static bool start_threads(struct pipeline *pipeline)
{
    pipeline->workers = calloc(pipeline->threads, sizeof *pipeline->workers);
    if (!pipeline->workers || !start_worker(pipeline, 0)) return false;
    pipeline->workers[0].kept = pipeline->kept;
    pipeline->kept = NULL;
    pipeline->cutter->bytes.source.wake = pipeline->wake;
    while (pipeline->worker_count < pipeline->threads &&
           start_worker(pipeline, pipeline->worker_count))
        continue;
    if (pipeline->worker_count == 1) pipeline->caller_reads = true;
    return true;
}

/* The first batch comes before there are threads: a short trace needs none, and those of a long one
 * know most of its names from the beginning. */
static enum spoor_status first_batch(struct pipeline *pipeline, struct spoor_batch **batch,
                                     struct spoor_error *error)
{
    struct slot *slot = pipeline->out = slot_at(pipeline, 0);
    slot->state = SLOT_DECODED;
    pipeline->next_read = pipeline->next_decode = pipeline->next_out = 1;
    *batch = &slot->batch;
    enum spoor_status status = cutter_next(pipeline->cutter, &slot->batch, error);
    if (cutter_seals(pipeline->cutter, &slot->seals, error) != SPOOR_OK) return SPOOR_ENOMEM;
    status = check(pipeline, slot, status, error);
    if (status == SPOOR_OK) decode_directly(pipeline, &slot->batch);
    return status;
}

enum spoor_status pipeline_next(struct pipeline *pipeline, struct spoor_batch **batch,
                                struct spoor_error *error)
{
    if (!pipeline->out) return first_batch(pipeline, batch, error);
    if (!pipeline->workers && !start_threads(pipeline))
        return spoor_error_set(error, SPOOR_ENOMEM, "%s: memory ran out while reading",
                               pipeline->stream->path);
    struct slot *slot = wait_decoded(pipeline);
    enum spoor_status status = check(pipeline, slot, slot->status, &slot->error);
    if (status == SPOOR_OK) status = translate(pipeline, slot);
    if (status != SPOOR_OK) *error = slot->error;
    *batch = &slot->batch;
    return status;
}

struct pipeline *pipeline_start(struct cutter *cutter, const struct spoor_stream *stream,
                                const struct spoor_decode_options *options,
                                const struct projection *projection, unsigned threads)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline) return NULL;
    const struct source *source = &cutter->bytes.source;
    pipeline->cutter = cutter;
    pipeline->stream = stream;
    pipeline->options = options;
    pipeline->projection = projection;
    pipeline->at_once = !source->waits && !source->follow.on && !cutter->bytes.compression;
    pipeline->caller_reads = !source->waits && !source->follow.on;
    pipeline->threads = threads < THREADS_MOST ? threads : THREADS_MOST;
    pipeline->slot_count = pipeline->threads + SPARE_SLOTS;
    pipeline->slots = calloc(pipeline->slot_count, sizeof *pipeline->slots);
    for (size_t i = 0; pipeline->slots && i < pipeline->slot_count; i++)
        pipeline->slots[i].batch.stream = stream;
    pipeline->wake = eventfd(0, EFD_CLOEXEC);
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->work, NULL);
    pthread_cond_init(&pipeline->decoded, NULL);
    if (pipeline->slots && pipeline->wake >= 0) return pipeline;
    pipeline_stop(pipeline);
    return NULL;
}

static void join_threads(struct pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->stop = true;
    pthread_cond_broadcast(&pipeline->work);
    pthread_mutex_unlock(&pipeline->lock);
    if (pipeline->wake >= 0) eventfd_write(pipeline->wake, 1);
    for (unsigned i = 1; i < pipeline->worker_count; i++)
        pthread_join(pipeline->workers[i].thread, NULL);
}

static void free_slot(struct slot *slot)
{
    spoor_batch_free(&slot->batch);
    seals_free(&slot->seals);
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
    free(pipeline->kept);
    free(pipeline->slots);
    pthread_cond_destroy(&pipeline->decoded);
    pthread_cond_destroy(&pipeline->work);
    pthread_mutex_destroy(&pipeline->lock);
    pipeline->cutter->bytes.source.wake = -1;
    if (pipeline->wake >= 0) close(pipeline->wake);
    free(pipeline);
}

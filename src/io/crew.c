/* SPDX-License-Identifier: MIT */
/*
 * crew.c: a ring of pieces between the reader and the threads that inflate them.
 *
 * One lock guards everything but the windows that somebody has in hand.  Who waits for whom: a
 * thread that has a piece waits for packed windows and for room, which the reader, or dropping the
 * piece before, gives; the reader waits for the oldest piece alone.  The oldest always gets room
 * for a window, and packed bytes when it has none, so that it goes on whatever the others hold.
 */
#include "io/crew.h"

#include <pthread.h>
#include <stdlib.h>

#include "io/windows.h"

enum {
    SLOTS = 64,
    THREADS_MOST = 32,
    OLDEST_LEAST = 4, /* windows that the oldest piece may have made in any case */
};

struct slot {
    struct piece piece;
    uint64_t begin; /* where it begins in what has been taken */
    uint64_t taken, used;
    struct window *filling; /* the reader's */
    struct window_queue packed, made;
    bool whole;    /* no more packed windows come */
    bool starving; /* its thread waits for one */
    bool ended;
    enum inflate_result result; /* INFLATE_MORE: it is cut short */
    const char *what;
};

struct worker {
    pthread_t thread;
    struct crew *crew;
    void *decoder;
    size_t memory; /* of the decoder */
};

struct crew {
    const struct piece_kind *kind;
    pthread_mutex_t lock;
    pthread_cond_t work;  /* for threads without a piece: there is one */
    pthread_cond_t feed;  /* for threads with a piece: windows, room */
    pthread_cond_t ready; /* for the reader */
    struct slot slots[SLOTS];
    uint64_t begun, started, dropped; /* serial numbers of slots */
    struct slot *reading;             /* not all of it has been taken; NULL: none */
    uint64_t taken;
    struct window_pool pool;
    size_t packed_count, made_count; /* windows in use */
    size_t decoders;                 /* bytes of those at work */
    struct window *giving;           /* the reader's: of the oldest piece */
    size_t given;                    /* bytes of it */
    bool reader_waits, failed, stop;
    unsigned idle; /* threads without a piece */
    struct worker workers[THREADS_MOST];
    unsigned worker_count, threads;
};

static struct slot *slot_at(struct crew *crew, uint64_t serial)
{
    return &crew->slots[serial % SLOTS];
}

static bool is_oldest(struct crew *crew, const struct slot *slot)
{
    return slot == slot_at(crew, crew->dropped);
}

static void rouse_reader(struct crew *crew)
{
    if (crew->reader_waits) pthread_cond_signal(&crew->ready);
}

/* ---- the threads' side: the lock is held on entry and on return ---- */

/* What a thread has in hand. */
struct bench {
    struct window *in, *out;
    struct flow flow;
};

static void next_packed(struct crew *crew, struct slot *slot, struct bench *bench)
{
    if (bench->in) {
        window_put_back(&crew->pool, bench->in);
        crew->packed_count--;
        rouse_reader(crew);
    }
    while (!slot->packed.first && !slot->whole && !crew->stop) {
        slot->starving = true;
        rouse_reader(crew);
        pthread_cond_wait(&crew->feed, &crew->lock);
    }
    slot->starving = false;
    bench->in = window_pop(&slot->packed);
    if (!bench->in) return;
    bench->flow.in = bench->in->bytes;
    bench->flow.in_left = bench->in->size;
}

static bool has_room(struct crew *crew, const struct slot *slot)
{
    const size_t most = CREW_MEMORY_MOST - CREW_PACKED_MOST - crew->decoders;
    return crew->made_count < most / sizeof(struct window) ||
           (is_oldest(crew, slot) && slot->made.count < OLDEST_LEAST);
}

static void publish(struct crew *crew, struct slot *slot, struct bench *bench)
{
    struct window *window = bench->out;
    if (!window) return;
    window->size = PIECES_WINDOW - bench->flow.out_left;
    bench->out = NULL;
    if (window->size) {
        window_push(&slot->made, window);
        if (is_oldest(crew, slot)) rouse_reader(crew);
    } else {
        window_put_back(&crew->pool, window);
        crew->made_count--;
    }
}

static void next_room(struct crew *crew, struct slot *slot, struct bench *bench)
{
    publish(crew, slot, bench);
    while (!has_room(crew, slot) && !crew->stop) pthread_cond_wait(&crew->feed, &crew->lock);
    bench->out = crew->stop ? NULL : window_take(&crew->pool);
    if (!bench->out) return;
    crew->made_count++;
    bench->flow.out = bench->out->bytes;
    bench->flow.out_left = PIECES_WINDOW;
}

/* Change windows that are used up for new ones; false: there is no use in going on. */
static bool change_windows(struct crew *crew, struct slot *slot, struct bench *bench)
{
    if (bench->flow.in_left == 0) next_packed(crew, slot, bench);
    if (bench->flow.out_left == 0) next_room(crew, slot, bench);
    return !crew->stop && bench->out;
}

/* A decoder that is ready for the piece; may be called without the lock. */
static bool ready_decoder(struct worker *worker, struct slot *slot)
{
    const struct piece_kind *kind = worker->crew->kind;
    if (!worker->decoder) worker->decoder = kind->open();
    worker->memory = slot->piece.memory;
    return worker->decoder && kind->begin(worker->decoder, &slot->piece);
}

/* Call the decoder without the lock; whether anything came of it. */
static bool inflate_window(struct worker *worker, struct slot *slot, struct bench *bench)
{
    struct crew *crew = worker->crew;
    const size_t in = bench->flow.in_left, out = bench->flow.out_left;
    pthread_mutex_unlock(&crew->lock);
    slot->result = crew->kind->inflate(worker->decoder, &bench->flow, &slot->what);
    const bool moved = in != bench->flow.in_left || out != bench->flow.out_left;
    slot->used += in - bench->flow.in_left;
    slot->result = piece_judge(&slot->piece, slot->used, moved, slot->result, &slot->what);
    pthread_mutex_lock(&crew->lock);
    return moved;
}

static void inflate_slot(struct worker *worker, struct slot *slot)
{
    struct crew *crew = worker->crew;
    struct bench bench = {0};
    pthread_mutex_unlock(&crew->lock);
    slot->result = ready_decoder(worker, slot) ? INFLATE_MORE : INFLATE_MEMORY;
    pthread_mutex_lock(&crew->lock);
    while (slot->result == INFLATE_MORE) {
        if (!change_windows(crew, slot, &bench)) {
            slot->result = INFLATE_MEMORY;
            break;
        }
        if (!inflate_window(worker, slot, &bench)) break;
    }
    publish(crew, slot, &bench);
    if (bench.in) {
        window_put_back(&crew->pool, bench.in);
        crew->packed_count--;
    }
    slot->ended = true;
    rouse_reader(crew);
}

static bool can_start(struct crew *crew)
{
    return crew->started < crew->begun &&
           crew->decoders + slot_at(crew, crew->started)->piece.memory <= CREW_DECODERS_MOST;
}

/* Without a piece: hold no memory, and wait for one. */
static void rest(struct worker *worker)
{
    struct crew *crew = worker->crew;
    if (worker->decoder && worker->memory) {
        crew->kind->close(worker->decoder);
        worker->decoder = NULL;
    }
    crew->idle++;
    pthread_cond_wait(&crew->work, &crew->lock);
    crew->idle--;
}

static void *run(void *context)
{
    struct worker *worker = context;
    struct crew *crew = worker->crew;
    pthread_mutex_lock(&crew->lock);
    while (!crew->stop) {
        if (!can_start(crew)) {
            rest(worker);
            continue;
        }
        struct slot *slot = slot_at(crew, crew->started++);
        crew->decoders += slot->piece.memory;
        if (crew->idle && can_start(crew)) pthread_cond_signal(&crew->work);
        inflate_slot(worker, slot);
        crew->decoders -= worker->memory;
    }
    pthread_mutex_unlock(&crew->lock);
    if (worker->decoder) crew->kind->close(worker->decoder);
    return NULL;
}

/* ---- the reader's side ---- */

bool crew_is_busy(const struct crew *crew)
{
    return crew->dropped < crew->begun;
}

bool crew_can_begin(const struct crew *crew)
{
    return !crew->reading && crew->begun - crew->dropped < SLOTS;
}

/* Have a thread for what has begun; there may be as many as are wanted, or at work. */
static bool find_worker(struct crew *crew)
{
    if (crew->idle) pthread_cond_signal(&crew->work);
    if (crew->begun - crew->started <= crew->idle || crew->worker_count == crew->threads)
        return true;
    if (crew->worker_count && !can_start(crew)) return true;
    struct worker *worker = &crew->workers[crew->worker_count];
    *worker = (struct worker){.crew = crew};
    if (pthread_create(&worker->thread, NULL, run, worker) == 0) crew->worker_count++;
    return crew->worker_count > 0;
}

bool crew_begin(struct crew *crew, const struct piece *piece)
{
    pthread_mutex_lock(&crew->lock);
    struct slot *slot = slot_at(crew, crew->begun++);
    *slot = (struct slot){.piece = *piece, .begin = crew->taken};
    const bool found = find_worker(crew);
    if (found)
        crew->reading = slot;
    else
        crew->begun--;
    pthread_mutex_unlock(&crew->lock);
    return found;
}

static bool may_pack(struct crew *crew)
{
    return crew->packed_count < CREW_PACKED_MOST / sizeof(struct window) ||
           (is_oldest(crew, crew->reading) && !crew->reading->packed.first);
}

/* A window to take packed bytes into; NULL: there is no room. */
static struct window *filling(struct crew *crew)
{
    struct slot *slot = crew->reading;
    if (slot->filling || !may_pack(crew)) return slot->filling;
    slot->filling = window_take(&crew->pool);
    if (slot->filling)
        crew->packed_count++;
    else
        crew->failed = true;
    return slot->filling;
}

/* Take what fits into the window; without the lock. */
static void fill(struct crew *crew, struct window *window, struct flow *flow)
{
    struct slot *slot = crew->reading;
    size_t size = PIECES_WINDOW - window->size;
    if (size > flow->in_left) size = flow->in_left;
    if (size > slot->piece.packed - slot->taken) size = (size_t)(slot->piece.packed - slot->taken);
    if (size == 0) return;
    memcpy(window->bytes + window->size, flow->in, size);
    window->size += size;
    flow->in += size;
    flow->in_left -= size;
    slot->taken += size;
    crew->taken += size;
}

/* Pass the window on if it is full, or the last one. */
static void pass_on(struct crew *crew, struct window *window, bool last)
{
    struct slot *slot = crew->reading;
    if (!last && window->size < PIECES_WINDOW) return;
    slot->filling = NULL;
    slot->whole = last;
    window_push(&slot->packed, window);
    if (last) crew->reading = NULL;
    if (slot->starving) pthread_cond_broadcast(&crew->feed);
}

bool crew_take(struct crew *crew, struct flow *flow)
{
    bool wants = false;
    pthread_mutex_lock(&crew->lock);
    while (crew->reading && !wants) {
        struct window *window = filling(crew);
        if (!window) break;
        pthread_mutex_unlock(&crew->lock);
        fill(crew, window, flow);
        pthread_mutex_lock(&crew->lock);
        const bool whole = crew->reading->taken == crew->reading->piece.packed;
        const bool none = flow->in_left == 0;
        pass_on(crew, window, whole || (none && flow->input == INPUT_ALL));
        wants = crew->reading && none;
    }
    pthread_mutex_unlock(&crew->lock);
    return wants;
}

/* The next window to be given; false: there is none. */
static bool next_given(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    if (crew->giving) {
        window_put_back(&crew->pool, crew->giving);
        crew->made_count--;
        pthread_cond_broadcast(&crew->feed);
    }
    crew->giving = crew_is_busy(crew) ? window_pop(&slot_at(crew, crew->dropped)->made) : NULL;
    crew->given = 0;
    pthread_mutex_unlock(&crew->lock);
    return crew->giving;
}

static bool give_window(struct crew *crew, struct flow *flow)
{
    const struct window *window = crew->giving;
    if ((!window || crew->given == window->size) && !next_given(crew)) return false;
    window = crew->giving;
    size_t size = window->size - crew->given;
    if (size > flow->out_left) size = flow->out_left;
    memcpy(flow->out, window->bytes + crew->given, size);
    crew->given += size;
    flow->out += size;
    flow->out_left -= size;
    return true;
}

/* How the oldest ended, if it has and all of it was given. */
static enum inflate_result oldest_result(struct crew *crew, struct flow *flow, struct piece *piece,
                                         const char **what)
{
    const struct slot *slot = slot_at(crew, crew->dropped);
    if (crew->failed) return INFLATE_MEMORY;
    if (!crew_is_busy(crew) || !slot->ended || slot->made.first) return INFLATE_MORE;
    if (crew->giving && crew->given < crew->giving->size) return INFLATE_MORE;
    *piece = slot->piece;
    *what = slot->what;
    flow->ahead = crew->taken - (slot->begin + slot->used);
    return slot->result;
}

enum inflate_result crew_give(struct crew *crew, struct flow *flow, struct piece *piece,
                              const char **what)
{
    while (flow->out_left && give_window(crew, flow)) continue;
    pthread_mutex_lock(&crew->lock);
    enum inflate_result result = oldest_result(crew, flow, piece, what);
    pthread_mutex_unlock(&crew->lock);
    return result;
}

void crew_drop(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->dropped++;
    pthread_cond_broadcast(&crew->feed);
    pthread_mutex_unlock(&crew->lock);
}

bool crew_wait(struct crew *crew, bool has_input)
{
    bool useful = true;
    pthread_mutex_lock(&crew->lock);
    const struct slot *oldest = slot_at(crew, crew->dropped);
    while (!oldest->made.first && !(has_input && crew->reading && may_pack(crew))) {
        useful = oldest->ended ? oldest->result != INFLATE_MORE
                               : !(oldest == crew->reading && oldest->starving);
        if (oldest->ended || !useful) break;
        crew->reader_waits = true;
        pthread_cond_wait(&crew->ready, &crew->lock);
        crew->reader_waits = false;
    }
    pthread_mutex_unlock(&crew->lock);
    return useful;
}

struct crew *crew_open(const struct piece_kind *kind, unsigned threads)
{
    struct crew *crew = calloc(1, sizeof *crew);
    if (!crew) return NULL;
    crew->kind = kind;
    crew->threads = threads < THREADS_MOST ? threads : THREADS_MOST;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->work, NULL);
    pthread_cond_init(&crew->feed, NULL);
    pthread_cond_init(&crew->ready, NULL);
    return crew;
}

void crew_close(struct crew *crew)
{
    if (!crew) return;
    pthread_mutex_lock(&crew->lock);
    crew->stop = true;
    pthread_cond_broadcast(&crew->work);
    pthread_cond_broadcast(&crew->feed);
    pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->worker_count; i++) pthread_join(crew->workers[i].thread, NULL);
    window_free_all(&crew->pool);
    pthread_cond_destroy(&crew->ready);
    pthread_cond_destroy(&crew->feed);
    pthread_cond_destroy(&crew->work);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

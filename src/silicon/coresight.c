/* SPDX-License-Identifier: MIT */
/*
 * coresight.c: the elements of a snapshot, of processes that decode its parts.
 *
 * Where libopencsd crashes, a process says so and ends; another one goes on with the next buffer.
 */
#include "silicon/coresight.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "model/error.h"
#include "silicon/child.h"
#include "silicon/coresight_decoder.h"
#include "silicon/range.h"
#include "silicon/snapshot.h"

enum {
    PART = 64 << 10,      /* bytes of elements that a process writes at once */
    ROOM = 4 * PART,      /* and that are read; no element is as long */
    PART_SIZE = 32 << 10, /* bytes of a part of a buffer: its numbers of ranges fit a pipe, which a
                           * process fills while those of another are read */
    MOST_WORKERS = 8,
};

/* The elements of a range. */
struct coresight_elements {
    char *bytes;
    size_t size, capacity;
};

/* A part of a buffer. */
struct coresight_part {
    uint64_t buffer;
    uint32_t part;
};

/* A process, and what was read of it. */
struct coresight_worker {
    struct child *child;               /* NULL: none could be started after the last one */
    struct coresight_elements *ranges; /* by number */
    char *in;
    size_t in_at, in_size;
    struct coresight_place from; /* where it began */
    bool delivers;               /* its part is the one that is wanted */
    bool again;                  /* it was started again for that part */
};

struct coresight {
    struct coresight_worker workers[MOST_WORKERS];
    unsigned worker_count;
    struct coresight_part wanted;
    /* To be delivered before the rest of what was read: */
    const char *copy;
    size_t copy_left;
    struct element_branch last; /* after that */
    size_t last_left;
    char *path;
    /* In a process that decodes: */
    const struct coresight_place *from;
    struct coresight_decoder *decoder;
};

/* ---- in a process that decodes ---- */

static enum spoor_status coresight_run(void *context, struct spoor_error *error)
{
    static char part[PART];
    struct coresight *coresight = context;
    size_t size;
    enum spoor_status status =
        coresight_decoder_open(&coresight->decoder, coresight->path, coresight->from, error);
    while (status == SPOOR_OK) {
        status = coresight_decoder_read(coresight->decoder, part, sizeof part, &size, error);
        if (!child_put(part, size)) return SPOOR_OK;
    }
    return status;
}

static bool coresight_crash(void *context, int signal, uint64_t *place)
{
    const struct coresight *coresight = context;
    return coresight->decoder &&
           coresight_decoder_crash(coresight->decoder, signal, child_put, place);
}

/* ---- in this one ---- */

static bool coresight_start(struct coresight *coresight, struct coresight_worker *worker,
                            struct spoor_error *error)
{
    static const struct child_work work = {.run = coresight_run, .crash = coresight_crash};
    child_free(worker->child);
    worker->in_at = worker->in_size = 0;
    worker->delivers = worker->from.worker == 0 && !worker->from.buffer && !worker->from.part;
    coresight->from = &worker->from;
    worker->child = child_start(&work, coresight, coresight->path, error);
    return worker->child;
}

static enum spoor_status coresight_start_at(struct coresight *coresight,
                                            struct coresight_worker *worker, uint64_t buffer,
                                            size_t part, struct spoor_error *error)
{
    worker->from.buffer = (size_t)buffer;
    worker->from.part = part;
    return coresight_start(coresight, worker, error) ? SPOOR_OK : error->status;
}

/* The wanted part is not to come from its process, which passed it: that lies behind a part that is
 * not wanted, at whose end nothing joined. */
static enum spoor_status coresight_ask_again(struct coresight *coresight,
                                             struct coresight_worker *worker,
                                             struct spoor_error *error)
{
    if (worker->again)
        return spoor_error_set(error, SPOOR_EINPUT, "%s: changed while it was read",
                               coresight->path);
    worker->again = true;
    return coresight_start_at(coresight, worker, coresight->wanted.buffer, coresight->wanted.part,
                              error);
}

/* The process has no more bytes.  SPOOR_OK: another one goes on. */
static enum spoor_status coresight_go_on(struct coresight *coresight,
                                         struct coresight_worker *worker, struct spoor_error *error)
{
    enum spoor_status status;
    uint64_t place;
    const enum child_end end = child_how(worker->child, &status, &place, error);
    if (end == CHILD_CRASHED) {
        const uint64_t buffer = place & UINT32_MAX;
        if (!worker->delivers)
            return coresight_start_at(coresight, worker, buffer, (size_t)(place >> 32) + 1, error);
        coresight->wanted = (struct coresight_part){.buffer = buffer + 1};
        return coresight_start_at(coresight, worker, buffer + 1, 0, error);
    }
    if (status == SPOOR_END && coresight->wanted.part)
        return coresight_ask_again(coresight, worker, error);
    return status;
}

/* The number of processes that a snapshot is worth; 0: `error` says what is wrong. */
static unsigned coresight_count_workers(const char *path, unsigned threads, uint64_t part_size,
                                        struct spoor_error *error)
{
    uint64_t parts = 0;
    if (threads < 2) return 1;
    struct snapshot *snapshot = snapshot_open(path, error);
    if (!snapshot) return 0;
    for (size_t i = 0; i < snapshot->buffer_count; i++) {
        struct stat status;
        if (stat(snapshot->buffers[i].path, &status) == 0)
            parts += 1 + (uint64_t)status.st_size / part_size;
    }
    snapshot_close(snapshot);
    const unsigned most = threads < MOST_WORKERS ? threads : MOST_WORKERS;
    return parts < 1 ? 1 : parts < most ? (unsigned)parts : most;
}

struct coresight *coresight_open(const char *path, const struct coresight_options *options,
                                 struct spoor_error *error)
{
    struct coresight *coresight = calloc(1, sizeof *coresight);
    const uint64_t part_size = options->part_size ? options->part_size : PART_SIZE;
    bool good = coresight && (coresight->path = strdup(path)) != NULL;
    if (!good) error_no_memory_while(error, path, "reading");
    good = good && coresight_load(path, error);
    const unsigned count =
        good ? coresight_count_workers(path, options->threads, part_size, error) : 0;
    for (unsigned i = 0; i < count && good; i++) {
        struct coresight_worker *worker = &coresight->workers[i];
        coresight->worker_count = i + 1;
        worker->from =
            (struct coresight_place){.worker = i, .workers = count, .part_size = part_size};
        worker->in = malloc(ROOM);
        worker->ranges = calloc(RANGE_NUMBERS, sizeof *worker->ranges);
        good = worker->in && worker->ranges;
        if (!good) error_no_memory_while(error, path, "reading");
        good = good && coresight_start(coresight, worker, error);
        if (i == 0 && good && child_is_empty(worker->child)) {
            enum spoor_status status;
            uint64_t place;
            child_how(worker->child, &status, &place, error);
            good = false;
        }
    }
    if (good && count) return coresight;
    coresight_close(coresight);
    return NULL;
}

/* Reads a message about a part.  SPOOR_OK: the next one. */
static enum spoor_status coresight_read_part(struct coresight *coresight,
                                             struct coresight_worker *worker,
                                             const struct range_part *message,
                                             struct spoor_error *error)
{
    struct coresight_part *wanted = &coresight->wanted;
    if (message->kind == RANGE_PART_END) {
        if (!worker->delivers) return SPOOR_OK;
        worker->delivers = false;
        *wanted = (struct coresight_part){.buffer = message->buffer + !message->part,
                                          .part = message->part};
        return SPOOR_OK;
    }
    worker->delivers = message->buffer == wanted->buffer && message->part == wanted->part;
    const bool passed = message->buffer > wanted->buffer ||
                        (message->buffer == wanted->buffer && message->part > wanted->part);
    if (passed) return coresight_ask_again(coresight, worker, error);
    worker->again &= !worker->delivers;
    return SPOOR_OK;
}

/* Decodes the next message or element of a process: elements are to be copied.  False: more bytes
 * are needed, or *status is not SPOOR_OK. */
static bool coresight_decode_next(struct coresight *coresight, struct coresight_worker *worker,
                                  enum spoor_status *status, struct spoor_error *error)
{
    const char *at = worker->in + worker->in_at;
    const size_t size = worker->in_size - worker->in_at;
    struct range_define define;
    struct range_again again;
    struct range_part part;
    if (size < sizeof define) return false;
    memcpy(&define, at, sizeof define);
    memcpy(&again, at, sizeof again);
    memcpy(&part, at, sizeof part);
    if (part.kind == RANGE_PART_BEGIN || part.kind == RANGE_PART_END) {
        worker->in_at += sizeof part;
        *status = coresight_read_part(coresight, worker, &part, error);
        return *status == SPOOR_OK;
    }
    if (define.kind == RANGE_DEFINE && define.number < RANGE_NUMBERS && define.size <= RANGE_MOST) {
        struct coresight_elements *range = &worker->ranges[define.number];
        if (size < sizeof define + define.size) return false;
        if (!array_reserve(&range->bytes, &range->capacity, (size_t)define.size)) {
            *status = error_no_memory_while(error, coresight->path, "reading");
            return false;
        }
        memcpy(range->bytes, at + sizeof define, (size_t)define.size);
        range->size = (size_t)define.size;
        worker->in_at += sizeof define + range->size;
        return true;
    }
    if (again.kind == RANGE_AGAIN && again.number < RANGE_NUMBERS) {
        const struct coresight_elements *range = &worker->ranges[again.number];
        worker->in_at += sizeof again;
        if (!worker->delivers) return true;
        coresight->copy = range->bytes;
        coresight->copy_left = range->size;
        if (!(again.flags & ELEMENT_HAS_TARGET) || range->size < sizeof coresight->last)
            return true;
        coresight->copy_left -= sizeof coresight->last;
        memcpy(&coresight->last, range->bytes + coresight->copy_left, sizeof coresight->last);
        coresight->last.target = again.target;
        coresight->last.flags |= ELEMENT_HAS_TARGET;
        coresight->last_left = sizeof coresight->last;
        return true;
    }
    const size_t own = element_size(at, size);
    if (!own) return false;
    const size_t whole = own == SIZE_MAX ? size : own; /* the format says what it is not */
    worker->in_at += whole;
    if (!worker->delivers) return true;
    coresight->copy = at;
    coresight->copy_left = whole;
    return true;
}

/* Delivers what is to be delivered; returns how much it was. */
static size_t coresight_deliver(struct coresight *coresight, char *to, size_t capacity)
{
    const size_t size = coresight->copy_left < capacity ? coresight->copy_left : capacity;
    if (size) { /* else there may be nothing to copy from */
        memcpy(to, coresight->copy, size);
        coresight->copy += size;
    }
    coresight->copy_left -= size;
    const size_t left = coresight->last_left, room = capacity - size;
    const size_t more = left < room ? left : room;
    if (more) memcpy(to + size, (const char *)(&coresight->last + 1) - left, more);
    coresight->last_left -= more;
    return size + more;
}

enum spoor_status coresight_read(struct coresight *coresight, void *to, size_t capacity,
                                 size_t *size, struct spoor_error *error)
{
    for (*size = 0; *size < capacity;) {
        const struct coresight_part *wanted = &coresight->wanted;
        struct coresight_worker *worker =
            &coresight->workers[(wanted->buffer + wanted->part) % coresight->worker_count];
        enum spoor_status status = SPOOR_OK;
        *size += coresight_deliver(coresight, (char *)to + *size, capacity - *size);
        if (*size == capacity) return SPOOR_OK;
        if (coresight_decode_next(coresight, worker, &status, error)) continue;
        if (status != SPOOR_OK) return status;
        if (!worker->child) return SPOOR_END;
        memmove(worker->in, worker->in + worker->in_at, worker->in_size - worker->in_at);
        worker->in_size -= worker->in_at;
        worker->in_at = 0;
        const size_t more =
            child_read(worker->child, worker->in + worker->in_size, ROOM - worker->in_size);
        worker->in_size += more;
        if (more) continue;
        status = coresight_go_on(coresight, worker, error);
        if (status != SPOOR_OK) return status;
    }
    return SPOOR_OK;
}

void coresight_close(struct coresight *coresight)
{
    if (!coresight) return;
    for (unsigned i = 0; i < coresight->worker_count; i++) {
        struct coresight_worker *worker = &coresight->workers[i];
        child_free(worker->child);
        for (size_t k = 0; worker->ranges && k < RANGE_NUMBERS; k++) free(worker->ranges[k].bytes);
        free(worker->ranges);
        free(worker->in);
    }
    free(coresight->path);
    free(coresight);
}

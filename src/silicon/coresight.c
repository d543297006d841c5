/* SPDX-License-Identifier: MIT */
/*
 * coresight.c: the elements of a snapshot, of a process that decodes it.
 *
 * Where libopencsd crashes, that process says so and ends; another one goes on with the next
 * buffer.
 */
#include "silicon/coresight.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/error.h"
#include "silicon/child.h"
#include "silicon/coresight_decoder.h"
#include "silicon/range.h"

enum {
    PART = 64 << 10, /* bytes of elements that the process writes at once */
    ROOM = 4 * PART, /* and that are read; no element is as long */
};

/* The elements of a range. */
struct coresight_elements {
    char *bytes;
    size_t size, capacity;
};

struct coresight {
    struct coresight_elements *ranges; /* by number */
    char *in;                          /* of the process */
    size_t in_at, in_size;
    /* To be delivered before the rest of `in`: */
    const char *copy;
    size_t copy_left;
    struct element_branch last; /* after that */
    size_t last_left;
    char *path;
    size_t buffer; /* where the process began */
    struct child *child;
    struct coresight_decoder *decoder; /* in the process only */
};

/* ---- in the process that decodes ---- */

static enum spoor_status coresight_run(void *context, struct spoor_error *error)
{
    static char part[PART];
    struct coresight *coresight = context;
    size_t size;
    enum spoor_status status =
        coresight_decoder_open(&coresight->decoder, coresight->path, coresight->buffer, error);
    if (status == SPOOR_OK && !coresight_decoder_number_ranges(coresight->decoder))
        status = error_no_memory_while(error, coresight->path, "decoding");
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

static bool coresight_start(struct coresight *coresight, struct spoor_error *error)
{
    static const struct child_work work = {.run = coresight_run, .crash = coresight_crash};
    coresight->child = child_start(&work, coresight, coresight->path, error);
    return coresight->child;
}

/* The process has no more bytes.  SPOOR_OK: another one goes on. */
static enum spoor_status coresight_go_on(struct coresight *coresight, struct spoor_error *error)
{
    enum spoor_status status;
    uint64_t place;
    const enum child_end end = child_how(coresight->child, &status, &place, error);
    if (end != CHILD_CRASHED) return status;
    child_free(coresight->child);
    coresight->in_at = coresight->in_size = 0; /* its numbers are its own */
    coresight->buffer = (size_t)place + 1;
    return coresight_start(coresight, error) ? SPOOR_OK : error->status;
}

struct coresight *coresight_open(const char *path, struct spoor_error *error)
{
    struct coresight *coresight = calloc(1, sizeof *coresight);
    if (coresight) {
        coresight->path = strdup(path);
        coresight->in = malloc(ROOM);
        coresight->ranges = calloc(RANGE_NUMBERS, sizeof *coresight->ranges);
    }
    if (!coresight || !coresight->path || !coresight->in || !coresight->ranges) {
        error_no_memory_while(error, path, "reading");
        coresight_close(coresight);
        return NULL;
    }
    bool good = coresight_load(path, error) && coresight_start(coresight, error);
    if (good && child_is_empty(coresight->child)) {
        enum spoor_status status;
        uint64_t place;
        child_how(coresight->child, &status, &place, error);
        good = false;
    }
    if (good) return coresight;
    coresight_close(coresight);
    return NULL;
}

/* Takes the elements of a range, or what says that they run.  Of other elements, these are to be
 * copied.  False: more bytes are needed, or memory ran out. */
static bool coresight_decode_next(struct coresight *coresight, bool *out_of_memory)
{
    const char *at = coresight->in + coresight->in_at;
    const size_t size = coresight->in_size - coresight->in_at;
    struct range_define define;
    struct range_again again;
    if (size < sizeof define) return false;
    memcpy(&define, at, sizeof define);
    memcpy(&again, at, sizeof again);
    if (define.kind == RANGE_DEFINE && define.number < RANGE_NUMBERS && define.size <= RANGE_MOST) {
        struct coresight_elements *range = &coresight->ranges[define.number];
        if (size < sizeof define + define.size) return false;
        *out_of_memory = !array_reserve(&range->bytes, &range->capacity, (size_t)define.size);
        if (*out_of_memory) return false;
        memcpy(range->bytes, at + sizeof define, (size_t)define.size);
        range->size = (size_t)define.size;
        coresight->in_at += sizeof define + range->size;
        return true;
    }
    if (again.kind == RANGE_AGAIN && again.number < RANGE_NUMBERS) {
        const struct coresight_elements *range = &coresight->ranges[again.number];
        coresight->copy = range->bytes;
        coresight->copy_left = range->size;
        coresight->in_at += sizeof again;
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
    coresight->copy = at;
    coresight->copy_left = own == SIZE_MAX ? size : own; /* the format says what it is not */
    coresight->in_at += coresight->copy_left;
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
        bool out_of_memory = false;
        *size += coresight_deliver(coresight, (char *)to + *size, capacity - *size);
        if (*size == capacity) return SPOOR_OK;
        if (coresight_decode_next(coresight, &out_of_memory)) continue;
        if (out_of_memory) return error_no_memory_while(error, coresight->path, "reading");
        if (!coresight->child) return SPOOR_END; /* none could be started after the last one */
        memmove(coresight->in, coresight->in + coresight->in_at,
                coresight->in_size - coresight->in_at);
        coresight->in_size -= coresight->in_at;
        coresight->in_at = 0;
        const size_t more = child_read(coresight->child, coresight->in + coresight->in_size,
                                       ROOM - coresight->in_size);
        coresight->in_size += more;
        if (more) continue;
        const enum spoor_status status = coresight_go_on(coresight, error);
        if (status != SPOOR_OK) return status;
    }
    return SPOOR_OK;
}

void coresight_close(struct coresight *coresight)
{
    if (!coresight) return;
    child_free(coresight->child);
    for (size_t i = 0; coresight->ranges && i < RANGE_NUMBERS; i++)
        free(coresight->ranges[i].bytes);
    free(coresight->ranges);
    free(coresight->in);
    free(coresight->path);
    free(coresight);
}

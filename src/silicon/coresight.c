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

#include "model/error.h"
#include "silicon/child.h"
#include "silicon/coresight_decoder.h"

enum { PART = 64 << 10 /* bytes of elements that the process writes at once */ };

struct coresight {
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
    coresight->buffer = (size_t)place + 1;
    return coresight_start(coresight, error) ? SPOOR_OK : error->status;
}

struct coresight *coresight_open(const char *path, struct spoor_error *error)
{
    struct coresight *coresight = calloc(1, sizeof *coresight);
    if (coresight) coresight->path = strdup(path);
    if (!coresight || !coresight->path) {
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

enum spoor_status coresight_read(struct coresight *coresight, void *to, size_t capacity,
                                 size_t *size, struct spoor_error *error)
{
    for (*size = 0; *size < capacity;) {
        if (!coresight->child) return SPOOR_END; /* none could be started after the last one */
        const size_t more = child_read(coresight->child, (char *)to + *size, capacity - *size);
        *size += more;
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
    free(coresight->path);
    free(coresight);
}

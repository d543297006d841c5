/* SPDX-License-Identifier: MIT */
/*
 * watch.h: what is made of records while they are written to a container, for its footer.
 *
 * The module that makes the index lies above the writer, so the writer calls it through this.
 */
#ifndef SPOOR_IO_WATCH_H
#define SPOOR_IO_WATCH_H

#include "formats/format.h"
#include "spoor/writer.h"

struct writer_watch {
    void *context;
    /* Records from .. to - 1 of a batch were written. */
    void (*add)(void *context, const struct spoor_batch *batch, size_t from, size_t to);
    /* The records so far complete this segment. */
    void (*segment)(void *context, const struct container_segment *segment);
    /* Before `segment`: passes the next bytes of the index of the trace, if they are many. */
    void (*pass)(void *context, struct text *bytes);
    /* No more come: passes the rest of the index; or nothing, if it passed nothing before. */
    void (*end)(void *context, struct text *bytes);
};

/* Before the first put to a container; `watch` must live until the writer is closed. */
void writer_watch(struct spoor_writer *writer, const struct writer_watch *watch);

#endif

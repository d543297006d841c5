/* SPDX-License-Identifier: MIT */
/* output.h: state that a writer leaves in an output for the next writer, a file in one call, and
 * who watches what is written. */
#ifndef SPOOR_IO_OUTPUT_H
#define SPOOR_IO_OUTPUT_H

#include "formats/format.h"
#include "spoor/writer.h"

/* True if a trace was written to its end and its last line lacks the newline: the next trace must
 * not continue that line. */
bool *output_line_open(struct spoor_output *output);
/* Writes a file whose bytes are all there: it is whole, or as it was before. */
enum spoor_status output_store(const char *path, const void *bytes, size_t size,
                               struct spoor_error *error);

/* ---- writer.c ----
 *
 * What is made of records while they are written to a container, for its footer.  The module that
 * makes the index lies above the writer, so the writer calls it through this. */

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

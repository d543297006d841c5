/* SPDX-License-Identifier: MIT */
/* made_trace.h: for tests: records built by hand, with a stream for their names. */
#ifndef TESTS_MODEL_MADE_H
#define TESTS_MODEL_MADE_H

#include <stdlib.h>
#include <string.h>

#include "formats/format.h"

struct made_trace {
    struct spoor_stream stream;
    struct spoor_batch batch;
};

static inline void made_trace_begin(struct made_trace *made, const struct spoor_format *format)
{
    *made = (struct made_trace){.stream = {.path = "made",
                                           .format = format,
                                           .names = spoor_names_new(),
                                           .spellings = spoor_names_new()}};
    made->batch.stream = &made->stream;
    made->batch.line = 1;
}

static inline struct spoor_record *made_trace_push(struct made_trace *made, enum spoor_kind kind,
                                                   unsigned op, unsigned has)
{
    struct spoor_record *record = spoor_batch_push(&made->batch);
    record->kind = (uint8_t)kind;
    record->op = (uint8_t)op;
    record->has = (uint16_t)has;
    return record;
}

static inline spoor_name made_trace_name(struct made_trace *made, const char *text)
{
    return spoor_names_intern(made->stream.names, text, strlen(text));
}

static inline struct spoor_ref made_trace_text(struct made_trace *made, const char *text)
{
    return spoor_batch_keep(&made->batch, text, strlen(text));
}

static inline void made_trace_end(struct made_trace *made)
{
    spoor_batch_free(&made->batch);
    spoor_names_free(made->stream.names);
    spoor_names_free(made->stream.spellings);
}

#endif

/* SPDX-License-Identifier: MIT */
/* trace.h: for tests: decode bytes in memory to records, and write them back, without src/io. */
#ifndef TESTS_SUPPORT_TRACE_H
#define TESTS_SUPPORT_TRACE_H

#include "formats/format.h"

struct trace {
    struct spoor_stream stream;
    struct spoor_batch batch; /* the whole trace in one batch */
};

/* Decodes all of `bytes`; aborts if memory runs out.  The caller frees the trace. */
void trace_decode(struct trace *trace, const struct spoor_format *format, const void *bytes,
                  size_t size);
/* As trace_decode(), with a reader's `options` (NULL: none). */
void trace_decode_with(struct trace *trace, const struct spoor_format *format, const void *bytes,
                       size_t size, const struct spoor_decode_options *options);
/* Writes the records in `format` (begin, write, end) or as it prints them. */
void trace_encode(const struct trace *trace, const struct spoor_format *format,
                  enum spoor_writer_style style, struct text *out);
void trace_encode_as(const struct trace *trace, const struct spoor_format *format,
                     const struct spoor_writer_options *options, struct text *out);
size_t trace_count(const struct trace *trace, enum spoor_kind kind);
size_t trace_verbatim(const struct trace *trace);
void trace_free(struct trace *trace);

/* The fields of a record that carry information: see field_says(). */
spoor_field_set trace_fields(const struct spoor_batch *batch, size_t index);

#endif

/* SPDX-License-Identifier: MIT */
/* trace.c: decode bytes in memory to records, and write them back. */
#include "support/trace.h"
#include "model/batch_own.h"
#include "query/field_source.h"

#include <stdlib.h>
#include <string.h>

void trace_decode_with(struct trace *trace, const struct spoor_format *format, const void *bytes,
                       size_t size, const struct spoor_decode_options *options)
{
    *trace = (struct trace){
        .stream = {.path = "memory", .names = spoor_names_new(), .spellings = spoor_names_new()}};
    spoor_stream_set_format(&trace->stream, format);
    struct spoor_batch *batch = &trace->batch;
    batch->stream = &trace->stream;
    batch->text = malloc(size + 64); /* as the input guarantees: 64 readable bytes follow */
    if (!batch->text || !trace->stream.names || !trace->stream.spellings) abort();
    memset(batch->text + size, 0, 64);
    if (size) memcpy(batch->text, bytes, size);
    batch->text_size = size;
    batch_own(batch)->text_capacity = size + 64;
    batch->last = true;
    batch->line = format->record_size ? 0 : 1;
    struct decoder decoder = {
        .names = trace->stream.names, .spellings = trace->stream.spellings, .options = options};
    struct carry carry = {0};
    const struct spoor_head head = {bytes, size, true};
    if (format->share && size) trace->stream.container_state = format->share(format, &head);
    format_decode(format, &decoder, NULL, batch);
    if (format->multi_record) batch_number(batch);
    if (format->resolve) format->resolve(&carry, batch);
    if (carry.tables) format->forget(&carry);
    if (batch->out_of_memory) abort();
}

void trace_decode(struct trace *trace, const struct spoor_format *format, const void *bytes,
                  size_t size)
{
    trace_decode_with(trace, format, bytes, size, NULL);
}

void trace_encode(const struct trace *trace, const struct spoor_format *format,
                  enum spoor_writer_style style, struct text *out)
{
    trace_encode_as(trace, format, &(struct spoor_writer_options){.style = style}, out);
}

void trace_encode_as(const struct trace *trace, const struct spoor_format *format,
                     const struct spoor_writer_options *options, struct text *out)
{
    const enum spoor_writer_style style = options->style;
    struct encoder encoder = {.format = format, .options = *options, .whole = true};
    bool print = style == SPOOR_WRITE_PRINT && format->print;
    struct text rest = {0};
    if (format->configure && !print && format->configure(&encoder, NULL) != SPOOR_OK) abort();
    if (format->begin && !print) format->begin(&encoder, &rest);
    (print ? format->print : format->write)(&encoder, &trace->batch, 0, trace->batch.count, &rest);
    if (format->end && !print) format->end(&encoder, &rest);
    if (format->front && !print) format->front(&encoder, out);
    text_put(out, rest.bytes, rest.size);
    if (out->failed || rest.failed) abort();
    text_free(&rest);
}

size_t trace_count(const struct trace *trace, enum spoor_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->batch.count; i++) count += trace->batch.records[i].kind == kind;
    return count;
}

size_t trace_verbatim(const struct trace *trace)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->batch.count; i++)
        count += (trace->batch.records[i].has & SPOOR_IS_VERBATIM) != 0;
    return count;
}

void trace_free(struct trace *trace)
{
    spoor_batch_free(&trace->batch);
    spoor_names_free(trace->stream.names);
    spoor_names_free(trace->stream.spellings);
    free(trace->stream.container_state);
}

spoor_field_set trace_fields(const struct spoor_batch *batch, size_t index)
{
    unsigned kind = batch->records[index].kind;
    spoor_field_set found = 0;
    for (spoor_field_set left = spoor_kind_fields(kind); left; left &= left - 1) {
        const enum spoor_field field = spoor_field_first(left);
        if (field_says(field_source(kind, field), batch, index))
            found |= (spoor_field_set)1 << field;
    }
    return found;
}

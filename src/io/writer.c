/* SPDX-License-Identifier: MIT */
/* writer.c: write records to an output in a format. */
#include "spoor/writer.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/format.h"
#include "io/output.h"
#include "model/batch_own.h"
#include "model/error.h"
#include "model/names.h"
#include "model/options.h"

enum {
    SLICE = 1024,           /* records written at a time */
    TABLE_SLICE = 1 << 16,  /* records of a table, whose columns each need a pass over them */
    FLUSH_SIZE = 256 << 10, /* bytes passed to the output at a time */
};

struct spoor_writer {
    const struct spoor_format *format;
    struct spoor_output *output;
    struct encoder encoder;
    struct text text; /* written, not yet passed to the output */
    bool prints;      /* use the format's print instead of its write */
    FILE *spool;      /* unnamed file; the records after a front that is not known yet; NULL:
                       * none */
    const struct spoor_stream *stream; /* of the last record put */
    uint64_t stream_names;             /* names_serial() of the stream's names */
    uint64_t next;                     /* the ordinal that continues the last record put */
    bool broken;                       /* the records put are not all records of one trace */
    bool ended;                        /* what comes at the end was written */
    const struct writer_watch *watch;  /* NULL: none */
    uint64_t watched;                  /* records that the watch was called for */
    size_t segments;                   /* segments that the watch was called for */
};

enum spoor_status spoor_writer_open(struct spoor_writer **writer, const struct spoor_format *format,
                                    const struct spoor_writer_options *options,
                                    struct spoor_output *output, struct spoor_error *error)
{
    struct spoor_writer_options chosen;
    const enum spoor_status read = options_read(&chosen, sizeof chosen, options, error);
    if (read != SPOOR_OK) return read;
    bool prints = chosen.style == SPOOR_WRITE_PRINT && format->print;
    if (!prints && !format->write)
        return spoor_error_set(error, SPOOR_EUSAGE, "the format %s can be read but not written",
                               format->name);
    if (chosen.level != SPOOR_LEVEL_DEFAULT && !spoor_format_is_table(format))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "the format %s has one level: only parquet has another",
                               format->name);
    struct spoor_writer *opened = calloc(1, sizeof *opened);
    if (!opened) return error_no_memory_while(error, NULL, "writing");
    *opened = (struct spoor_writer){.format = format,
                                    .output = output,
                                    .encoder = {.format = format, .options = chosen},
                                    .prints = prints};
    enum spoor_status status = SPOOR_OK;
    if (format->configure && !prints) {
        status = format->configure(&opened->encoder, error);
        if (status != SPOOR_OK) format->end(&opened->encoder, &opened->text);
    } else if (chosen.encoder && *chosen.encoder) {
        status = spoor_error_set(error, SPOOR_EUSAGE,
                                 "--encoder is of n-trace and e-trace: found the format %s",
                                 format->name);
    }
    if (status != SPOOR_OK) {
        text_free(&opened->text);
        free(opened);
        return status;
    }
    if (format->begin && !prints) format->begin(&opened->encoder, &opened->text);
    const bool spools = format->front && !prints;
    if (spools) opened->spool = tmpfile();
    if (!spools || opened->spool) {
        *writer = opened;
        return SPOOR_OK;
    }
    status = spoor_error_system(error, SPOOR_EOUTPUT, "no temporary file can be made");
    text_free(&opened->text);
    free(opened);
    return status;
}

static enum spoor_status writer_spool_failed(struct spoor_error *error)
{
    return spoor_error_system(error, SPOOR_EOUTPUT, "the temporary file cannot be read or written");
}

/* Passes the text to the output once it has `minimum` bytes. */
static enum spoor_status writer_flush(struct spoor_writer *writer, size_t minimum,
                                      struct spoor_error *error)
{
    struct text *text = &writer->text;
    if (text->failed) return error_no_memory_while(error, NULL, "writing");
    if (text->size < minimum) return SPOOR_OK;
    size_t size = text->size;
    text->size = 0;
    if (!writer->spool) return spoor_output_put(writer->output, text->bytes, size, error);
    if (size == 0) return SPOOR_OK;
    return fwrite(text->bytes, 1, size, writer->spool) == size ? SPOOR_OK
                                                               : writer_spool_failed(error);
}

/* True if records up to `to` end a trace whose last line has no newline. */
static bool writer_leaves_line_open(const struct spoor_batch *batch, size_t to)
{
    bool ends = batch->last && to == batch->count && to > 0;
    return ends && (batch->records[to - 1].has & SPOOR_EOL_NONE);
}

/* ---- watching ---- */

void writer_watch(struct spoor_writer *writer, const struct writer_watch *watch)
{
    if (writer->format->container) writer->watch = watch;
}

/* Records from .. to - 1 were written: calls the watch for them and for the segments that end. */
static void writer_call_watch(struct spoor_writer *writer, const struct spoor_batch *batch,
                              size_t from, size_t to)
{
    const struct writer_watch *watch = writer->watch;
    const struct container *container = writer->format->container;
    struct container_segment segment, after;
    while (watch && container->written(&writer->encoder, writer->segments, &segment)) {
        if (!container->written(&writer->encoder, writer->segments + 1, &after)) {
            /* The last one first gets the part of the index that is complete. */
            watch->pass(watch->context, &writer->encoder.history);
            if (writer->encoder.history.size > 0) {
                container->keep_history(&writer->encoder, &writer->text);
                if (!container->written(&writer->encoder, writer->segments, &segment)) break;
            }
        }
        const uint64_t left = segment.record + segment.records - writer->watched;
        const size_t end = left < to - from ? from + (size_t)left : to;
        if (end > from) watch->add(watch->context, batch, from, end);
        writer->watched += end - from;
        from = end;
        watch->segment(watch->context, &segment);
        writer->segments++;
    }
    if (watch && to > from) watch->add(watch->context, batch, from, to);
    writer->watched += to - from;
}

enum spoor_status spoor_writer_describe(struct spoor_writer *writer, const char *lines,
                                        struct spoor_error *error)
{
    text_puts(&writer->encoder.late, lines);
    if (!writer->encoder.late.failed) return SPOOR_OK;
    return error_no_memory_while(error, NULL, "writing");
}

void spoor_writer_seam(struct spoor_writer *writer)
{
    writer->encoder.seam |= writer->stream != NULL;
}

enum spoor_status spoor_writer_put(struct spoor_writer *writer, const struct spoor_batch *batch,
                                   size_t from, size_t to, struct spoor_error *error)
{
    const struct spoor_format *format = writer->format;
    enum spoor_status status = SPOOR_OK;
    bool *line_open = output_line_open(writer->output);
    /* Whether record `from` directly follows the last one put, or begins the first trace. */
    const bool same =
        !writer->stream || (writer->stream == batch->stream &&
                            writer->stream_names == names_serial(batch->stream->names));
    const bool unread = batch->gap && from == 0;
    writer->encoder.seam |= !same || unread || batch->first + from != writer->next;
    writer->broken |= writer->encoder.seam;
    writer->stream = batch->stream;
    writer->stream_names = names_serial(batch->stream->names);
    writer->next = batch->first + to;
    writer->encoder.whole = !writer->broken && batch->last && to == batch->count;
    /* one family writes the header of another format of its own */
    if (from < to && batch->stream->format->write != format->write && !format->container &&
        spoor_batch_is_header(batch, from))
        from++;
    if (from < to && *line_open) text_put(&writer->text, "\n", 1);
    if (from < to && batch_own_of(batch)->lines && !writer->prints && format->verbatim_copy &&
        format == batch->stream->format) {
        /* Writing would reproduce the batch's own lines.  Much goes to the output straight from
         * the batch. */
        const char *lines = batch_source(batch, from), *end = batch_source(batch, to);
        const size_t size = (size_t)(end - lines);
        writer->encoder.written += to - from;
        if (size < FLUSH_SIZE / 4 || writer->spool) {
            text_put(&writer->text, lines, size);
        } else {
            status = writer_flush(writer, 0, error);
            if (status == SPOOR_OK) status = spoor_output_put(writer->output, lines, size, error);
        }
        writer->encoder.seam = false;
        *line_open = size > 0 && end[-1] != '\n' && writer_leaves_line_open(batch, to);
        return status == SPOOR_OK ? writer_flush(writer, FLUSH_SIZE, error) : status;
    }
    const size_t begin = from, slice = format->table ? TABLE_SLICE : SLICE;
    while (from < to && status == SPOOR_OK) {
        size_t end = to - from > slice ? from + slice : to;
        while (end < to && (batch->records[end].has & SPOOR_CONTINUES)) end++;
        (writer->prints ? format->print : format->write)(&writer->encoder, batch, from, end,
                                                         &writer->text);
        writer->encoder.seam = false;
        /* The last line of the output is open if the last record's was, and was written. */
        bool is_text = writer->prints || format->record_size == 0;
        const struct text *text = &writer->text;
        *line_open = is_text && writer_leaves_line_open(batch, end) && text->size > 0 &&
                     text->bytes[text->size - 1] != '\n';
        from = end;
        /* A segment of a container is passed on at once: a crash costs only the next one. */
        const bool segment = format->container && text->size > 0;
        status = writer_flush(writer, segment ? 1 : FLUSH_SIZE, error);
        if (segment && status == SPOOR_OK) status = spoor_output_flush(writer->output, error);
    }
    if (writer->watch && status == SPOOR_OK) writer_call_watch(writer, batch, begin, to);
    return status;
}

enum spoor_status spoor_writer_flush(struct spoor_writer *writer, struct spoor_error *error)
{
    enum spoor_status status = writer_flush(writer, 0, error);
    if (writer->spool) return status;
    return status == SPOOR_OK ? spoor_output_flush(writer->output, error) : status;
}

uint64_t spoor_writer_skipped(const struct spoor_writer *writer)
{
    return writer->encoder.skipped;
}

const struct spoor_writer_note *spoor_writer_notes(const struct spoor_writer *writer, size_t *count)
{
    *count = writer->encoder.note_count;
    return writer->encoder.notes;
}

enum spoor_status spoor_writer_end(struct spoor_writer *writer, struct spoor_error *error)
{
    writer->ended = true;
    if (writer->watch) {
        /* The end of all records, which ends a segment. */
        const struct spoor_batch nothing = {0};
        writer->format->container->end_segments(&writer->encoder, &writer->text);
        writer_call_watch(writer, &nothing, 0, 0);
        if (writer->watch) writer->watch->end(writer->watch->context, &writer->encoder.history);
    }
    if (writer->format->end && !writer->prints)
        writer->format->end(&writer->encoder, &writer->text);
    enum spoor_status status = writer_flush(writer, 0, error);
    if (writer->spool) {
        writer->format->front(&writer->encoder, &writer->text);
        /* Writes the front, then the stored records. */
        FILE *spool = writer->spool;
        writer->spool = NULL;
        char *bytes = text_reserve(&writer->text, FLUSH_SIZE);
        enum spoor_status copied = writer_flush(writer, 0, error);
        size_t size = 1;
        if (copied == SPOOR_OK && (fflush(spool) != 0 || fseek(spool, 0, SEEK_SET) != 0))
            copied = writer_spool_failed(error);
        while (copied == SPOOR_OK && bytes && size > 0) {
            size = fread(bytes, 1, FLUSH_SIZE, spool);
            if (size) copied = spoor_output_put(writer->output, bytes, size, error);
        }
        if (copied == SPOOR_OK && ferror(spool)) copied = writer_spool_failed(error);
        fclose(spool);
        if (status == SPOOR_OK) status = copied;
    }
    return status;
}

enum spoor_status spoor_writer_close(struct spoor_writer *writer, struct spoor_error *error)
{
    if (!writer) return SPOOR_OK;
    const enum spoor_status status = writer->ended ? SPOOR_OK : spoor_writer_end(writer, error);
    text_free(&writer->encoder.late);
    text_free(&writer->encoder.history);
    text_free(&writer->text);
    free(writer);
    return status;
}

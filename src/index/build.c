/* SPDX-License-Identifier: MIT */
/* build.c: makes the index of a trace, in one reading. */
#include <stdlib.h>

#include "index/builder.h"
#include "index/digest.h"

/* Reads the whole trace.  Where it is damaged, the index states why. */
static enum spoor_status index_build_read(struct builder *builder, struct spoor_reader *reader,
                                          const struct index_options *options,
                                          struct spoor_error *error)
{
    struct spoor_batch *batch;
    const struct spoor_stream *stream = spoor_reader_stream(reader);
    struct index *index = builder->index;
    struct spoor_error why = {0};
    struct reader_place place;
    enum spoor_status status;
    bool ended = false;
    if (!builder_begin(builder, options->folds)) return SPOOR_ENOMEM;
    builder->segment_bytes = options->segment_bytes ? options->segment_bytes : SEGMENT_BYTES;
    builder->contained = stream->container != NULL;
    builder->is_part = options->change != NULL;
    index->format = stream->format;
    index->checkpoints.spacing = CHECKPOINT_SPACING;
    machine_enter(&index->machine, stream);
    reader_collect(reader, &index->checkpoints);
    const enum spoor_status asked = reader_ask(reader, HANDS_OUT_BATCHES, error);
    if (asked != SPOOR_OK) return asked;
    const bool digests =
        !options->record_by_record && !options->change && reader_digest(reader, digest_batch);
    for (;;) {
        const bool enterable = reader_where(reader, &place, &builder->tables);
        builder_keep_cpu(builder, stream, &place);
        status = ended ? SPOOR_END : reader_next(reader, &batch);
        if (status < SPOOR_OK) why = reader->error;
        if (status != SPOOR_OK || builder->failed) break;
        if (options->change) {
            const enum spoor_status changed = options->change(options->changer, batch, error);
            if (changed < SPOOR_OK) return changed;
            ended = changed == SPOOR_END;
        }
        builder_enter(builder, &place, enterable);
        if (batch->fault_count) builder->segment.flags |= SEGMENT_FAULTS;
        machine_see(&index->machine, batch);
        builder_add_batch(builder, batch, digests ? digest_of(batch) : NULL);
        if (options->progress) options->progress(options->context, reader);
        if (options->stopped && options->stopped(options->context))
            return spoor_error_set(error, SPOOR_EUSAGE, "%s: its indexing was stopped",
                                   reader->path);
    }
    reader_where(reader, &place, NULL);
    builder_end_segment(builder, &place);
    index->records = place.record;
    index->bytes = place.offset;
    index->crowded = spoor_names_count(stream->names) > NAMES_MANY ||
                     spoor_names_count(stream->spellings) > NAMES_MANY ||
                     machine_cpu_count(&index->machine) >= MACHINE_CPUS;
    if (builder_has_failed(builder) || status == SPOOR_ENOMEM) return SPOOR_ENOMEM;
    if (status != SPOOR_END && index->records == 0) {
        *error = why;
        return status;
    }
    if (status != SPOOR_END) index->damage = strdup(why.text);
    const bool done =
        (status == SPOOR_END || index->damage) && calls_end(builder->calls) &&
        folds_end(&builder->folds, builder->calls, index, options->before, &builder->content) &&
        index_finish(index, &builder->tables, &builder->content);
    return done ? SPOOR_OK : SPOOR_ENOMEM;
}

struct index *index_new(void)
{
    struct index *index = calloc(1, sizeof *index);
    if (!index) return NULL;
    index->names = spoor_names_new();
    if (index->names && machine_start(&index->machine)) return index;
    index_free(index);
    return NULL;
}

enum spoor_status index_build(struct index **index, const char *path,
                              const struct index_options *options, struct spoor_error *error)
{
    struct builder builder = {.index = index_new()};
    struct spoor_reader *reader = NULL;
    const struct spoor_reader_options reading = {
        .format = options->format,
        .threads = options->threads,
        .memory = options->memory,
        .decode = options->decode,
        .locator = options->locator,
    };
    enum spoor_status status = SPOOR_ENOMEM;
    if (builder.index) status = fingerprint_of(&builder.index->trace, path, error);
    if (status == SPOOR_OK && options->is_kept &&
        !fingerprint_add_whole(&builder.index->trace, path))
        status = spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read", path);
    if (status == SPOOR_OK && options->trace) builder.index->trace = *options->trace;
    if (status == SPOOR_OK) status = spoor_reader_open(&reader, path, &reading, error);
    if (status == SPOOR_OK) {
        builder.index->implicit_thumb = options->decode.implicit_thumb;
        builder.index->isa = options->decode.isa;
        builder.index->effects = options->decode.effects;
        builder.index->effects_first = spoor_reader_stream(reader)->effects_first;
        builder.index->memory = options->memory;
        builder.index->images = options->decode.images;
        if (options->decode.dialect) builder.index->dialect = strdup(options->decode.dialect);
        status = index_build_read(&builder, reader, options, error);
    }
    if (status == SPOOR_ENOMEM)
        spoor_error_set(error, SPOOR_ENOMEM, "%s: out of memory while it was indexed", path);
    spoor_reader_close(reader);
    /* the reader is closed: the list of checkpoints is complete */
    if (status == SPOOR_OK)
        *index = builder.index;
    else
        index_free(builder.index);
    builder_free(&builder);
    return status;
}

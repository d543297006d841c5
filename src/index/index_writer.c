/* SPDX-License-Identifier: MIT */
/* index_writer.c: makes the index of a .spoor file while the file is written. */
#include <stdio.h>
#include <stdlib.h>

#include "index/builder.h"
#include "model/batch_own.h"

enum {
    PASSED_AT_ONCE = 2 << 20, /* bytes of an index that is written while it is made */
    FOLD_MAX = 16 << 20,      /* bytes of its memory while a .spoor file is written */
};

struct spoor_index_writer {
    struct builder builder;
    struct writer_watch watch;
    uint64_t records;
    struct reader_place place;                         /* of the current segment */
    bool digests;                                      /* whole batches come with them */
    struct spoor_batch part;                           /* memory for a part of a batch */
    bool failed;                                       /* memory ran out: the file has no index */
    void (*tell)(void *context, const char *sentence); /* as in struct index_options */
    void *context;
};

static void index_written_add(void *context, const struct spoor_batch *batch, size_t from,
                              size_t to)
{
    struct spoor_index_writer *writing = context;
    struct builder *builder = &writing->builder;
    const bool whole = from == 0 && to == batch->count;
    struct spoor_batch same = *batch, *part = &same;
    if (builder->failed) return;
    struct index *index = writing->builder.index;
    if (!index->format) index->format = batch->stream->format;
    machine_follow(&index->machine, batch->stream);
    index->crowded |= spoor_names_count(batch->stream->names) > NAMES_MANY ||
                      spoor_names_count(batch->stream->spellings) > NAMES_MANY;
    if (!builder->open) builder_begin_segment(builder, &writing->place);
    if (!whole) {
        part = &writing->part;
        builder->failed |= !batch_part(part, batch, from, to);
    }
    if (builder->failed) return;
    part->first = writing->records;
    part->line = 0;
    if (part->fault_count) builder->segment.flags |= SEGMENT_FAULTS;
    machine_see(&builder->index->machine, part);
    builder_add_batch(builder, part, whole && writing->digests ? digest_of(part) : NULL);
    writing->records += to - from;
}

static void index_written_end_segment(void *context, const struct container_segment *segment)
{
    struct spoor_index_writer *writing = context;
    struct builder *builder = &writing->builder;
    writing->place = (struct reader_place){.offset = segment->offset + segment->size,
                                           .record = segment->record + segment->records};
    if (builder->open) {
        builder->segment.place.line = segment->line;
        builder_end_segment(builder, &writing->place);
        /* Memory is bounded: the index does without the sections that would take more. */
        const struct index_fold *fold;
        char sentence[200];
        while ((fold = folds_limit(&writing->builder.folds, FOLD_MAX))) {
            snprintf(
                sentence, sizeof sentence,
                "the index in the file has no %s, which would take more than %d MiB of memory: "
                "a verb that needs them makes an index beside the file",
                fold->name, FOLD_MAX >> 20);
            if (writing->tell) writing->tell(writing->context, sentence);
        }
    }
}

static void index_written_pass(void *context, struct text *bytes)
{
    struct spoor_index_writer *writing = context;
    struct text *content = &writing->builder.content;
    if (content->size < PASSED_AT_ONCE) return;
    text_append(bytes, content);
    writing->builder.index->passed += content->size;
    content->size = 0;
}

/* Leaves out the sections but that of names, which is small, and which each question needs. */
static bool index_written_drop(struct index *index, size_t before, struct text *content)
{
    struct text kept = {0};
    size_t count = 0;
    for (size_t i = 0; i < index->extra_count; i++) {
        struct extra *extra = &index->extras[i];
        if (extra->id != FOLD_NAMES) continue;
        text_put(&kept, content->bytes + (extra->section.offset - index->passed),
                 (size_t)extra->section.size);
        extra->section.offset = index->passed + before;
        index->extras[count++] = *extra;
    }
    index->extra_count = count;
    content->size = before;
    text_append(content, &kept);
    const bool good = !kept.failed && !content->failed;
    text_free(&kept);
    return good;
}

static void index_written_end(void *context, struct text *bytes)
{
    struct spoor_index_writer *writing = context;
    struct builder *builder = &writing->builder;
    struct index *index = builder->index;
    index->records = writing->place.record;
    index->bytes = writing->place.offset;
    index->crowded |= machine_cpu_count(&index->machine) >= MACHINE_CPUS;
    writing->failed = builder_has_failed(builder) || writing->part.out_of_memory;
    if (writing->failed || builder->open || !index->format) return;
    /* The sections of the folds, unless they are large for the file: then a verb that needs one
     * makes it when it is asked. */
    enum { SHARE = 2 };
    const size_t before = builder->content.size;
    writing->failed = !calls_end(builder->calls) ||
                      !folds_end(&builder->folds, builder->calls, index, NULL, &builder->content);
    if (!writing->failed && builder->content.size - before > writing->place.offset / SHARE) {
        writing->failed = !index_written_drop(index, before, &builder->content);
    }
    writing->failed = writing->failed || !index_finish(index, &builder->tables, &builder->content);
    if (writing->failed) return;
    text_free(bytes);
    *bytes = (struct text){
        .bytes = (char *)index->content, .size = index->size, .capacity = index->size};
    index->content = NULL;
}

bool index_writer_failed(const struct spoor_index_writer *writing)
{
    return !writing || writing->failed;
}

struct spoor_index_writer *index_writer_new(const struct index_options *options)
{
    struct spoor_index_writer *writing = calloc(1, sizeof *writing);
    if (!writing) return NULL;
    struct builder *builder = &writing->builder;
    builder->index = index_new();
    writing->watch = (struct writer_watch){writing, index_written_add, index_written_end_segment,
                                           index_written_pass, index_written_end};
    if (!builder_begin(builder, options->folds)) {
        index_writer_free(writing);
        return NULL;
    }
    writing->tell = options->tell;
    writing->context = options->context;
    builder->index->implicit_thumb = options->decode.implicit_thumb;
    builder->index->isa = options->decode.isa;
    return writing;
}

void index_writer_free(struct spoor_index_writer *writing)
{
    if (!writing) return;
    free(writing->part.spills);
    free(writing->part.faults);
    index_free(writing->builder.index);
    builder_free(&writing->builder);
    free(writing);
}

const struct writer_watch *index_writer_watch(const struct spoor_index_writer *writing)
{
    return &writing->watch;
}

void index_writer_reads(struct spoor_index_writer *writing, struct spoor_reader *reader)
{
    writing->digests = reader_digest(reader, digest_batch);
}

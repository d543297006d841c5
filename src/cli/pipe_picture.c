/* SPDX-License-Identifier: MIT */
/* pipe_picture.c: shared by the logs and timelines of `pipe`: their output and their stored
 * micro-ops. */
#include "cli/pipe_picture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sorted.h"
#include "cli/output.h"
#include "cli/pipe_against.h"

enum { WRITE_AT = 1 << 16 };

bool picture_open(struct picture *picture, const struct picture_kind *kind, const char *path,
                  const struct settings *settings, const struct range *range,
                  enum spoor_pipeline_model model, const struct spoor_stream *stream)
{
    *picture = (struct picture){.kind = kind, .model = model, .stream = stream};
    picture->range = range && range->given ? *range : (struct range){true, 0, UINT64_MAX};
    if (output_open(&picture->output, path, settings, &picture->error) != SPOOR_OK) {
        fail(&picture->error);
        return false;
    }
    if (kind->head) text_puts(&picture->text, kind->head);
    return true;
}

static void picture_write_out(struct picture *picture)
{
    struct text *text = &picture->text;
    if (text->failed && !picture->failed) {
        spoor_error_set(&picture->error, SPOOR_ENOMEM, "out of memory");
        picture->failed = true;
    }
    if (!picture->failed && text->size)
        picture->failed =
            spoor_output_put(picture->output, text->bytes, text->size, &picture->error) != SPOOR_OK;
    text->size = 0;
}

void picture_show(struct picture *picture, const struct spoor_pipeline_event *event)
{
    if (!(event->why & SPOOR_WHY_SQUASHED)) {
        picture->micro_ops++;
        picture->last = event->retire;
    }
    if (event->ordinal < picture->range.first || event->ordinal > picture->range.last) return;
    picture->kind->event(picture, event);
    if (picture->text.size >= WRITE_AT) picture_write_out(picture);
}

int picture_close(struct picture *picture, bool whole)
{
    if (picture->kind->end) picture->kind->end(picture);
    picture_write_out(picture);
    struct spoor_error *closing = picture->failed ? NULL : &picture->error;
    const enum spoor_status closed =
        output_close(picture->output, whole && !picture->failed, closing);
    text_free(&picture->text);
    free(picture->kept);
    return picture->failed || closed != SPOOR_OK ? fail(&picture->error) : EXIT_CLEAN;
}

void picture_keep(struct picture *picture, const struct spoor_pipeline_event *event)
{
    if (picture->kind->maximum && picture->kept_count >= picture->kind->maximum) return;
    if (!array_reserve(&picture->kept, &picture->kept_capacity, picture->kept_count + 1)) {
        picture->text.failed = true;
        return;
    }
    struct picture_operation *pictured = &picture->kept[picture->kept_count++];
    *pictured = (struct picture_operation){.operation = *event->operation, .event = *event};
}

static int picture_by_ordinal(const void *a, const void *b)
{
    const struct spoor_pipeline_event *left = &((const struct picture_operation *)a)->event;
    const struct spoor_pipeline_event *right = &((const struct picture_operation *)b)->event;
    if (left->ordinal != right->ordinal) return left->ordinal < right->ordinal ? -1 : 1;
    return left->fetch < right->fetch ? -1 : left->fetch > right->fetch;
}

void picture_sort(struct picture *picture)
{
    if (picture->kept_count)
        qsort(picture->kept, picture->kept_count, sizeof *picture->kept, picture_by_ordinal);
}

bool picture_locate(const struct picture *picture, uint64_t pc, struct spoor_location *located)
{
    const struct spoor_locator *locator = picture->stream->locator;
    *located = (struct spoor_location){0};
    return locator && locator->locate(locator->context, pc, SPOOR_LOCATE_TEXT, located) &&
           (located->function || located->source);
}

const char *picture_name(const struct picture *picture, spoor_name name)
{
    const char *text = spoor_names_text(picture->stream->names, name, NULL);
    return *text ? text : "?";
}

struct pc_text {
    uint64_t pc;
    spoor_name text; /* SPOOR_NO_NAME: it had several */
    bool met;
};

void pc_texts_add(struct pc_texts *texts, const struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count && !texts->failed; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind != SPOOR_INSN || !(record->has & SPOOR_HAS_VA)) continue;
        const char *bytes = spoor_batch_bytes(batch, record->insn.disasm);
        size_t size = record->insn.disasm.size;
        while (size && (bytes[size - 1] == ' ' || bytes[size - 1] == '\t')) size--;
        if (!size) continue;
        if (!texts->names) texts->names = spoor_names_new();
        bool added;
        struct pc_text *text =
            texts->names ? hash_map_add(&texts->map, record->insn.va, sizeof *text, &added) : NULL;
        texts->failed |= !text;
        if (!text) return;
        const spoor_name name = spoor_names_intern(texts->names, bytes, size);
        if (name == SPOOR_NAMES_FULL || (text->met && text->text != name))
            text->text = SPOOR_NO_NAME;
        else
            text->text = name;
        text->met = true;
    }
}

void pc_texts_free(struct pc_texts *texts)
{
    hash_map_free(&texts->map);
    spoor_names_free(texts->names);
}

void picture_put_words(const struct picture *picture, const struct spoor_operation *operation,
                       char words[PICTURE_WORDS])
{
    const struct pc_text *text = NULL;
    if (!operation->macro && !operation->micro && picture->texts && picture->texts->names)
        text = hash_map_find(&picture->texts->map, operation->pc, sizeof *text);
    if (!text || !text->text) {
        snprintf(words, PICTURE_WORDS, "%s %s", picture_name(picture, operation->macro),
                 picture_name(picture, operation->micro));
        return;
    }
    snprintf(words, PICTURE_WORDS, "%s", spoor_names_text(picture->texts->names, text->text, NULL));
    for (char *at = words; *at; at++) /* it is to be one line */
        if ((unsigned char)*at < ' ') *at = ' ';
}

const struct log_pair *picture_log_pair(const struct picture *picture, uint64_t ordinal)
{
    const struct log_pairs *pairs = picture->pairs;
    const size_t low = SORTED_BELOW(pairs->items, pairs->count, ordinal, ordinal);
    return low < pairs->count && pairs->items[low].ordinal == ordinal ? &pairs->items[low] : NULL;
}

int64_t picture_log_shift(const struct picture *picture)
{
    for (size_t i = 0; i < picture->kept_count; i++) {
        const struct spoor_pipeline_event *event = &picture->kept[i].event;
        const struct log_pair *pair = picture_log_pair(picture, event->ordinal);
        if (pair && pair->log.has & 1U << SPOOR_MOMENT_FETCH)
            return (int64_t)(event->fetch - pair->log.time[SPOOR_MOMENT_FETCH]);
        if (pair) return (int64_t)(event->retire - pair->log.time[SPOOR_MOMENT_RETIRE]);
    }
    return 0;
}

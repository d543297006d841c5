/* SPDX-License-Identifier: MIT */
/*
 * merge.c: merge traces by time.
 *
 * Each input has a key, the highest time it has reached.  The input with the lowest key supplies
 * the next record; of equal keys, the first input does.  Inputs are few, so a linear search finds
 * the lowest key, once for each run of records that an input supplies before another's turn.
 */
#include "spoor/merge.h"

#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "model/batch_own.h"
#include "model/error.h"
#include "model/options.h"
#include "spoor/format.h"

enum { MAX_RECORDS = 4096, MAX_BYTES = 1 << 20 }; /* of a merged batch */

struct input {
    const struct spoor_merge_input *source;
    const struct spoor_batch *batch; /* NULL: at its end */
    size_t at;                       /* next record of batch */
    uint64_t key;
    const char *unit; /* unit of its first time stamp, or NULL */
    struct name_maps *maps;
    spoor_name cpu; /* of source->cpu */
};

struct spoor_merge {
    struct spoor_stream stream;
    struct spoor_batch batch;
    struct input *inputs;
    size_t count;
    uint64_t written, lines, left_out;
    uint64_t time;           /* key of the last record written */
    bool resolved;           /* every input but `unsettled` has its next record */
    struct input *unsettled; /* its last record was given; NULL: none */
    bool started;            /* a record was written */
};

enum spoor_status spoor_merge_open(struct spoor_merge **result,
                                   const struct spoor_merge_input *inputs, size_t count,
                                   struct spoor_error *error)
{
    if (count == 0) return spoor_error_set(error, SPOOR_EUSAGE, "no traces to merge");
    const struct spoor_stream *first = inputs[0].stream;
    for (size_t i = 1; i < count; i++) {
        const struct spoor_stream *other = inputs[i].stream;
        if (other->format != first->format)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "%s is %s and %s is %s: convert them to one format first",
                                   first->path, spoor_format_name(first->format), other->path,
                                   spoor_format_name(other->format));
    }
    spoor_field_set fields = 0;
    for (enum spoor_kind kind = 0; kind < SPOOR_KINDS; kind++)
        fields |= spoor_format_fields(first->format, kind);
    if (!(fields & SPOOR_FIELD_BIT(TIME)))
        return spoor_error_set(error, SPOOR_EUSAGE, "%s is %s, whose records have no times",
                               first->path, spoor_format_name(first->format));
    for (size_t i = 0; i < count; i++)
        if (inputs[i].cpu &&
            !(spoor_format_fields(first->format, SPOOR_INSN) & SPOOR_FIELD_BIT(CPU)))
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "%s is %s, whose instructions have no processors to name",
                                   inputs[i].stream->path, spoor_format_name(first->format));
    struct spoor_merge *merge = calloc(1, sizeof *merge);
    if (!merge) return error_no_memory(error);
    merge->inputs = calloc(count, sizeof *merge->inputs);
    merge->stream = (struct spoor_stream){.path = "merged",
                                          .names = spoor_names_new(),
                                          .spellings = spoor_names_new(),
                                          .isa = inputs[0].stream->isa};
    spoor_stream_set_format(&merge->stream, inputs[0].stream->format);
    merge->batch.stream = &merge->stream;
    merge->count = count;
    if (!merge->inputs || !merge->stream.names || !merge->stream.spellings) {
        spoor_merge_close(merge);
        return error_no_memory(error);
    }
    /* an input that states none does not get it from another one */
    merge->stream.states_security = true;
    for (size_t i = 0; i < count; i++)
        merge->stream.states_security &= inputs[i].stream->states_security;
    for (size_t i = 0; i < count; i++) { /* if memory for maps runs out, names are looked up */
        merge->inputs[i].source = &inputs[i];
        merge->inputs[i].maps = calloc(1, sizeof *merge->inputs[i].maps);
        if (inputs[i].cpu)
            merge->inputs[i].cpu =
                spoor_names_intern(merge->stream.names, inputs[i].cpu, strlen(inputs[i].cpu));
    }
    *result = merge;
    return SPOOR_OK;
}

void spoor_merge_close(struct spoor_merge *merge)
{
    if (!merge) return;
    spoor_batch_free(&merge->batch);
    spoor_names_free(merge->stream.names);
    spoor_names_free(merge->stream.spellings);
    for (size_t i = 0; merge->inputs && i < merge->count; i++) free(merge->inputs[i].maps);
    free(merge->inputs);
    free(merge);
}

uint64_t spoor_merge_left_out(const struct spoor_merge *merge)
{
    return merge->left_out;
}

/* ---- one input ---- */

/* Prepares the record at input->at as the next one: fetches its batch, raises the key to its time.
 */
static enum spoor_status merge_resolve(const struct spoor_merge *merge, struct input *input,
                                       struct spoor_error *error)
{
    while (!input->batch || input->at == input->batch->count) {
        input->at = 0;
        enum spoor_status status =
            input->source->next(input->source->context, &input->batch, error);
        if (status == SPOOR_OK) continue;
        input->batch = NULL;
        return status == SPOOR_END ? SPOOR_OK : status;
    }
    const struct spoor_record *record = &input->batch->records[input->at];
    if (!(record->has & SPOOR_HAS_TIME)) return SPOOR_OK;
    if (record->time > input->key) input->key = record->time;
    if (input->unit) return SPOOR_OK;
    /* All inputs must agree on the unit of their first time stamps. */
    input->unit = spoor_record_unit(input->batch, record);
    for (size_t i = 0; i < merge->count; i++) {
        const struct input *other = &merge->inputs[i];
        if (other != input && other->unit && strcmp(other->unit, input->unit) != 0)
            return spoor_error_set(
                error, SPOOR_EUSAGE, "%s counts time in %s, %s in %s: they cannot be merged",
                other->source->stream->path, other->unit, input->source->stream->path, input->unit);
    }
    return SPOOR_OK;
}

/* ---- merging ---- */

/* The input with the lowest key, and the one with the next lowest; NULL: none. */
static struct input *merge_turn(const struct spoor_merge *merge, const struct input **rival)
{
    struct input *lowest = NULL;
    *rival = NULL;
    for (size_t i = 0; i < merge->count; i++) {
        struct input *input = &merge->inputs[i];
        if (!input->batch) continue;
        if (!lowest || input->key < lowest->key) {
            *rival = lowest;
            lowest = input;
        } else if (!*rival || input->key < (*rival)->key) {
            *rival = input;
        }
    }
    return lowest;
}

/* True if `input` still comes before `rival`: at equal keys the order of the inputs decides. */
static bool merge_leads(const struct input *input, const struct input *rival)
{
    if (!input->batch) return false;
    if (!rival || input->key < rival->key) return true;
    return input->key == rival->key && input < rival;
}

/* Moves the input's next record to the output; `alone`: every other input is at its end. */
static enum spoor_status merge_move(struct spoor_merge *merge, struct input *input, bool alone,
                                    struct spoor_error *error)
{
    const struct spoor_batch *batch = input->batch;
    size_t at = input->at++;
    const struct spoor_record *record = &batch->records[at];
    if (record->kind == SPOOR_NOTE && record->op == SPOOR_NOTE_TRAILING && merge->count > 1) {
        merge->left_out++;
        return SPOOR_OK;
    }
    if (input->cpu && record->kind != SPOOR_NOTE && !(record->has & SPOOR_HAS_TIME))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: line %llu states no time, and only a line with a time can name "
                               "a processor: convert the trace first (-t tarmac-fm)",
                               batch->stream->path,
                               (unsigned long long)spoor_batch_line(batch, at));
    enum spoor_status status = batch_append(&merge->batch, batch, at, input->maps, error);
    if (status != SPOOR_OK) return status;
    /* Values of a record that are relative to its neighbours. */
    struct spoor_record *made = &merge->batch.records[merge->batch.count - 1];
    if (input->cpu && made->kind != SPOOR_NOTE) {
        made->cpu = input->cpu;
        made->has = (uint16_t)((made->has & ~SPOOR_IS_VERBATIM) | SPOOR_HAS_CPU);
    }
    if (batch->last && at + 1 == batch->count && !alone) made->has &= (uint16_t)~SPOOR_EOL_NONE;
    if (made->kind == SPOOR_BUS && (made->bus.given & SPOOR_BUS_GIVEN_DELTA) && merge->started) {
        made->bus.delta = input->key - merge->time;
        made->has |= SPOOR_HAS_TIME;
    }
    merge->time = input->key;
    merge->started = true;
    return SPOOR_OK;
}

static bool merge_is_full(const struct spoor_batch *batch)
{
    return batch->count >= MAX_RECORDS || batch->arena_size >= MAX_BYTES;
}

/* Have the next record of every input. */
static enum spoor_status merge_resolve_inputs(struct spoor_merge *merge, struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    if (merge->unsettled) status = merge_resolve(merge, merge->unsettled, error);
    for (size_t i = 0; !merge->resolved && i < merge->count && status == SPOOR_OK; i++)
        status = merge_resolve(merge, &merge->inputs[i], error);
    if (status != SPOOR_OK) return status;
    merge->unsettled = NULL;
    merge->resolved = true;
    return SPOOR_OK;
}

enum spoor_status spoor_merge_next(struct spoor_merge *merge, const struct spoor_batch **batch,
                                   struct spoor_error *error)
{
    enum spoor_status status = merge_resolve_inputs(merge, error);
    if (status != SPOOR_OK) return status;
    spoor_batch_clear(&merge->batch);
    merge->batch.first = merge->written;
    merge->batch.line = spoor_format_record_size(merge->stream.format) ? 0 : merge->lines + 1;
    const struct input *rival;
    struct input *input;
    while (!merge_is_full(&merge->batch) && (input = merge_turn(merge, &rival))) {
        do {
            status = merge_move(merge, input, !rival, error);
            if (status == SPOOR_OK) status = merge_resolve(merge, input, error);
            if (status != SPOOR_OK) return status;
        } while (merge_leads(input, rival) && !merge_is_full(&merge->batch));
    }
    merge->written += merge->batch.count;
    merge->lines +=
        merge->stream.format->multi_record ? batch_number(&merge->batch) : merge->batch.count;
    *batch = &merge->batch;
    return merge->batch.count ? SPOOR_OK : SPOOR_END;
}

/* ---- runs ---- */

enum spoor_status spoor_merge_next_run(struct spoor_merge *merge, struct spoor_merge_run *run,
                                       struct spoor_error *error)
{
    struct spoor_merge_run made = {0};
    const struct input *rival;
    enum spoor_status status = merge_resolve_inputs(merge, error);
    if (status != SPOOR_OK) return status;
    struct input *input = merge_turn(merge, &rival);
    if (!input) return SPOOR_END;
    /* Where the input's records are its lines, a writer copies them: nothing in them changes. */
    const bool lines = !input->cpu && batch_own_of(input->batch)->lines &&
                       input->batch->stream->format->verbatim_copy;
    if (!lines) {
        status = spoor_merge_next(merge, &made.batch, error);
        if (status != SPOOR_OK) return status;
        made.from = 0;
        made.to = made.batch->count;
        struct_fill(run, &made, sizeof made);
        return SPOOR_OK;
    }
    made.batch = input->batch;
    made.from = input->at;
    /* Passes the input's records up to another input's turn, but not those of its next batch. */
    const struct spoor_record *records = input->batch->records;
    const size_t count = input->batch->count;
    size_t at = input->at;
    uint64_t key = input->key;
    const uint64_t last = !rival ? UINT64_MAX : input < rival ? rival->key : rival->key - 1;
    while (++at < count && key <= last) {
        if (!(records[at].has & SPOOR_HAS_TIME)) continue;
        if (!input->unit || records[at].time > last) break;
        if (records[at].time > key) key = records[at].time;
    }
    merge->written += at - input->at;
    merge->lines += at - input->at;
    merge->time = input->key;
    merge->started = true;
    input->at = at;
    input->key = key;
    made.to = input->at;
    struct_fill(run, &made, sizeof made);
    merge->unsettled = input;
    return SPOOR_OK;
}

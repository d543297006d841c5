/* SPDX-License-Identifier: MIT */
/* decode.c: decodes batches of lines, by known layouts and else by the rules. */
#include <stdlib.h>
#include <string.h>

#include "formats/text/layout.h"

enum { ALIGNMENT = 64 /* of the decoder state: a line of the processor's cache */ };

struct decoding {
    const struct text_rules *rules;
    struct text_memory *memory; /* NULL: only by the rules */
    void *state;
    struct record_sink *sink;
    struct text_reading reading;
};

/* ---- lines ---- */

/* Decodes a line by the rules, and learns its layout; returns the beginning of the next one. */
static const char *decode_line(struct decoding *decoding, const char *at)
{
    struct text_reading *reading = &decoding->reading;
    const struct spoor_batch *batch = reading->batch;
    if (!decoding->memory) return decoding->rules->line(reading, decoding->state, at);
    struct text_learning learning = {.line = at,
                                     .first = batch->count,
                                     .spills = batch->spill_count,
                                     .faults = batch->fault_count,
                                     .arena = batch->arena_size};
    reading->learning = &learning;
    const char *next = decoding->rules->line(reading, decoding->state, at);
    text_learn(decoding->memory, decoding->rules, reading, next);
    reading->learning = NULL;
    return next;
}

/* Decodes some lines of known layouts; returns the beginning of the next one. */
static const char *decode_known(struct decoding *decoding, const char *at, const char *end)
{
    struct spoor_batch *batch = decoding->reading.batch;
    struct spoor_record *records = spoor_batch_reserve(batch, CONSUMED_AT_ONCE + TEXT_RECORDS);
    struct text_run run = {.memory = decoding->memory,
                           .batch = batch,
                           .text = batch->text,
                           .at = at,
                           .end = end,
                           .records = records};
    if (!records) return at;
    run.stop = records + CONSUMED_AT_ONCE;
    memcpy(run.mark, decoding->rules->mark, sizeof run.mark);
    text_run(&run);
    batch->count = (size_t)(run.records - batch->records);
    if (run.at > at && decoding->rules->passed) decoding->rules->passed(decoding->state);
    return run.at;
}

/* The line is written back with the mark that is before its first record. */
static void keep_marked_line(struct spoor_batch *batch, const char *end)
{
    const char *line_end = end > batch->text && end[-1] == '\n' ? end - 1 : end;
    if (line_end > batch->text && line_end < end && line_end[-1] == '\r') line_end--;
    const struct spoor_ref line =
        spoor_batch_refer(batch, batch->text, (size_t)(line_end - batch->text));
    struct spoor_record *first = batch->records, *last = first + batch->count - 1;
    if (first->kind == SPOOR_NOTE) {
        first->note.text = line;
        return;
    }
    if (first->has & SPOOR_IS_VERBATIM) {
        for (size_t i = 0; i < batch->spill_count; i++)
            if (batch->spills[i].record == 0 && batch->spills[i].what == SPOOR_SPILL_LINE)
                batch->spills[i].ref = line;
        return;
    }
    const uint16_t has = last->has;
    const size_t spills = batch->spill_count;
    spoor_batch_spill(batch, SPOOR_SPILL_LINE, line);
    last->has = has;
    if (batch->spill_count == spills) return; /* memory ran out */
    memmove(&batch->spills[1], &batch->spills[0], spills * sizeof *batch->spills);
    batch->spills[0] = (struct spoor_spill){0, SPOOR_SPILL_LINE, line};
    first->has |= SPOOR_IS_VERBATIM;
}

/* Decodes the first line of a trace, which some editors and shells begin with a byte order mark. */
static const char *decode_marked_line(struct decoding *decoding, size_t mark)
{
    struct spoor_batch *batch = decoding->reading.batch;
    const char *next =
        decoding->rules->line(&decoding->reading, decoding->state, batch->text + mark);
    if (batch->count) keep_marked_line(batch, next);
    return next;
}

static void decode_lines(struct decoding *decoding)
{
    struct spoor_batch *batch = decoding->reading.batch;
    struct record_sink *sink = decoding->sink;
    const char *at = batch->text, *end = at + batch->text_size;
    const bool begins = batch->offset == 0 && batch->count == 0 && !batch->continues;
    const size_t mark = begins ? line_mark(batch->text, batch->text_size) : 0;
    if (mark) at = decode_marked_line(decoding, mark);
    if (batch->continues && at < end) at = decode_line(decoding, at);
    while (at < end) {
        const size_t before = batch->count;
        if (decoding->memory && decoding->memory->used) at = decode_known(decoding, at, end);
        const bool stopped = batch->count - before >= CONSUMED_AT_ONCE; /* not by a new line */
        if (at < end && !stopped) at = decode_line(decoding, at);
        if (sink && batch->count >= CONSUMED_AT_ONCE) sink->consume(sink, batch);
    }
    if (sink) sink->consume(sink, batch);
}

/* ---- a batch ---- */

static size_t padded(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static char *aligned(void *block)
{
    return (char *)(((uintptr_t)block + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
}

/* The bytes for what is learned of a trace, whose first batch this is: in proportion to a short
 * trace that is all in it.  Lines that need more let the earlier ones be forgotten. */
static uint32_t memory_size(const struct spoor_batch *batch)
{
    enum { LEAST = 64 << 10 };
    if (!batch->last || batch->text_size > TEXT_MEMORY / TEXT_LEARNED) return TEXT_MEMORY;
    const uint32_t size = (uint32_t)batch->text_size * TEXT_LEARNED;
    return size < LEAST ? LEAST : size;
}

/* The decoder's state is zeroed: the state of the rules, then what is known of lines from earlier
 * batches.  A short trace never touches most of it. */
static void decode_batch(struct decoding *decoding, const struct decoder *decoder,
                         struct spoor_batch *batch, bool learns)
{
    const struct text_rules *rules = decoding->rules;
    const size_t state_size = padded(rules->state_size);
    const bool keeps = learns && decoder->state; /* else there are too few lines to learn from */
    const uint32_t learned = memory_size(batch);
    const size_t size = state_size + (keeps ? sizeof(struct text_memory) + learned : 0) + ALIGNMENT;
    void *block = decoder->state ? *decoder->state : NULL;
    const bool begins = !block;
    if (begins) block = calloc(1, size);
    if (!block) {
        batch->out_of_memory = true;
        return;
    }
    decoding->state = aligned(block);
    if (keeps) decoding->memory = (void *)(aligned(block) + state_size);
    decoding->reading = (struct text_reading){.decoder = decoder, .batch = batch, .rules = rules};
    if (begins && keeps) decoding->memory->size = learned;
    if (begins && rules->begin) rules->begin(decoding->state, rules, decoder);
    if (rules->begin_batch) rules->begin_batch(decoding->state, &decoding->reading);
    decode_lines(decoding);
    if (rules->end_batch) rules->end_batch(decoding->state);
    if (decoder->state)
        *decoder->state = block;
    else
        free(block);
}

void text_decode(const struct text_rules *rules, const struct decoder *decoder,
                 struct spoor_batch *batch, struct record_sink *sink)
{
    struct decoding decoding = {.rules = rules, .sink = sink};
    decode_batch(&decoding, decoder, batch, true);
}

void text_decode_plain(const struct text_rules *rules, const struct decoder *decoder,
                       struct spoor_batch *batch)
{
    struct decoding decoding = {.rules = rules};
    decode_batch(&decoding, decoder, batch, false);
}

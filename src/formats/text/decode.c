/* SPDX-License-Identifier: MIT */
/* decode.c: decodes batches of lines, by known layouts and else by the rules. */
#include <stdlib.h>
#include <string.h>

#include "formats/text/layout.h"

enum {
    ALIGNMENT = 64, /* of the decoder's state: a line of the processor's cache */
    LEAST_MEMORY = 64 << 10,
};

/* Decodes some lines of known layouts; returns the beginning of the next one. */
static const char *text_decode_known(const struct text_rules *rules, struct text_memory *memory,
                                     struct spoor_batch *batch, const char *at, const char *end)
{
    struct spoor_record *records = spoor_batch_reserve(batch, CONSUMED_AT_ONCE + TEXT_RECORDS);
    if (!records) return at;
    struct text_run run = {.memory = memory,
                           .rules = rules,
                           .batch = batch,
                           .text = batch->text,
                           .at = at,
                           .end = end,
                           .records = records,
                           .stop = records + CONSUMED_AT_ONCE};
    text_run(&run);
    batch->count = (size_t)(run.records - batch->records);
    return run.at;
}

/* Some editors and shells begin a trace with a byte order mark: the first line is written back with
 * it. */
static void text_keep_mark(struct spoor_batch *batch, const char *end)
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

/* The bytes for what is learned of a trace, whose first batch this is: in proportion to a short
 * trace that is all in it.  Lines that need more let the earlier ones be forgotten. */
static uint32_t text_memory_size(const struct spoor_batch *batch)
{
    if (!batch->last || batch->text_size > TEXT_MEMORY / TEXT_LEARNED) return TEXT_MEMORY;
    const uint32_t size = (uint32_t)batch->text_size * TEXT_LEARNED;
    return size < LEAST_MEMORY ? LEAST_MEMORY : size;
}

void text_decode(const struct text_rules *rules, const struct decoder *decoder,
                 struct spoor_batch *batch, struct record_sink *sink)
{
    /* The decoder's state is zeroed: the state of the rules, then what is known of lines from
     * earlier batches, of which a short trace touches little. */
    const bool keeps = decoder->state; /* else there are too few lines to learn from */
    const size_t state_size = (rules->state_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const uint32_t learned = text_memory_size(batch);
    void *block = keeps ? *decoder->state : NULL;
    const bool begins = !block;
    const size_t begun = batch->count;
    if (begins)
        block =
            calloc(1, ALIGNMENT + state_size + (keeps ? sizeof(struct text_memory) + learned : 0));
    if (!block) {
        batch->out_of_memory = true;
        return;
    }
    char *state = (char *)(((uintptr_t)block + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
    struct text_memory *memory = keeps ? (void *)(state + state_size) : NULL;
    struct text_reader reading = {.decoder = decoder, .batch = batch, .rules = rules};
    if (begins && keeps) memory->size = learned;
    if (begins && rules->begin) rules->begin(state, rules, decoder);
    if (rules->begin_batch) rules->begin_batch(state, &reading);

    const char *at = batch->text, *end = at + batch->text_size;
    const bool first = batch->offset == 0 && batch->count == 0 && !batch->continues;
    const size_t mark = first ? line_mark(batch->text, batch->text_size) : 0;
    if (mark) {
        at = rules->line(&reading, state, at + mark);
        if (batch->count) text_keep_mark(batch, at);
    }
    bool rest = batch->continues; /* of a line of the batch before: only the rules know it */
    for (; at < end; rest = false) {
        const char *line = at;
        const size_t before = batch->count;
        if (memory && memory->used && !rest) at = text_decode_known(rules, memory, batch, at, end);
        if (at > line && rules->passed) rules->passed(state);
        const bool stopped = batch->count - before >= CONSUMED_AT_ONCE; /* not by a new line */
        if (at < end && !stopped) {
            struct text_facts learning = {.line = at,
                                          .first = batch->count,
                                          .spills = batch->spill_count,
                                          .faults = batch->fault_count,
                                          .arena = batch->arena_size};
            if (memory) reading.learning = &learning;
            at = rules->line(&reading, state, at);
            if (memory) text_learn(memory, rules, &reading, at);
        }
        if (sink && batch->count >= CONSUMED_AT_ONCE) {
            if (rules->settle) rules->settle(state, batch, 0);
            sink->consume(sink, batch);
        }
    }
    if (rules->settle) rules->settle(state, batch, sink ? 0 : begun);
    if (sink) sink->consume(sink, batch);

    if (rules->end_batch) rules->end_batch(state);
    if (keeps)
        *decoder->state = block;
    else
        free(block);
}

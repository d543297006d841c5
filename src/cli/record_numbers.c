/* SPDX-License-Identifier: MIT */
/* record_numbers.c: instruction numbers and processors of a part of a trace. */
#include "cli/record_numbers.h"

static bool record_numbers_states(const struct spoor_record *record)
{
    return record->kind == SPOOR_FLOW && (record->has & SPOOR_HAS_INDEX);
}

void record_numbers_begin(struct record_numbers *numbers, const struct spoor_stream *stream,
                          uint64_t first)
{
    const uint32_t instructions =
        1u << SPOOR_INSN | 1u << SPOOR_UOP | 1u << SPOOR_MEM | 1u << SPOOR_BUS;
    *numbers = (struct record_numbers){.applies = (stream->kinds >> SPOOR_FLOW & 1) &&
                                                  !(stream->kinds & instructions),
                                       .own = true,
                                       .after = 1,
                                       .headless = stream->cpu_is_of_insn && first > 0,
                                       .first = first};
}

bool record_numbers_passes(const struct record_numbers *numbers,
                           struct spoor_skipper_options *options)
{
    enum { LOOK = 4096 }; /* records before, which show what the numbers mean */
    if (!numbers->applies) return true;
    if (options->records.given)
        options->records.first -= options->records.first < LOOK ? options->records.first : LOOK;
    return options->records.given && !options->time.given && !options->cpu && !options->where;
}

/* The number of the last branch before a record of the batch. */
static uint64_t record_numbers_before(const struct record_numbers *numbers,
                                      const struct spoor_batch *batch, size_t from)
{
    while (from-- > 0)
        if (record_numbers_states(&batch->records[from])) return batch->records[from].flow.index;
    return numbers->before;
}

/* The instructions that follow the last selected branch, which lies before this record. */
static void record_numbers_note_following(struct record_numbers *numbers,
                                          const struct spoor_batch *batch, size_t from)
{
    while (from < batch->count && !record_numbers_states(&batch->records[from])) from++;
    numbers->unfollowed = from == batch->count;
    if (from < batch->count) numbers->after = batch->records[from].flow.index - numbers->read;
}

void record_numbers_read(struct record_numbers *numbers, const struct spoor_batch *batch)
{
    if (!numbers->applies) return;
    numbers->before = numbers->last;
    numbers->last = record_numbers_before(numbers, batch, batch->count);
    if (numbers->own) {
        /* Whether the records state the instructions before them. */
        uint64_t before = numbers->before;
        for (size_t i = 0; i < batch->count; i++) {
            if (!record_numbers_states(&batch->records[i])) continue;
            const struct spoor_flow *flow = &batch->records[i].flow;
            if (before && flow->number != flow->index - before) numbers->own = false;
            before = flow->index;
        }
    }
    if (numbers->unfollowed) record_numbers_note_following(numbers, batch, 0);
}

uint64_t record_numbers_left_out(const struct record_numbers *numbers,
                                 const struct spoor_batch *batch, size_t from, size_t to)
{
    if (!numbers->applies) return 0;
    const uint64_t before = record_numbers_before(numbers, batch, from);
    const bool follows = before == numbers->read;
    for (size_t i = from; i < to && !follows && !numbers->own; i++)
        if (record_numbers_states(&batch->records[i]))
            return batch->records[i].flow.index - (numbers->index + numbers->after);
    return before - numbers->index;
}

void record_numbers_run(struct record_numbers *numbers, const struct spoor_batch *batch,
                        size_t from, size_t to, struct spoor_record *records)
{
    if (numbers->headless) {
        /* the first instruction, if it is there, names the processor of what follows */
        size_t i = numbers->first > batch->first ? (size_t)(numbers->first - batch->first) : 0;
        for (; i < to && batch->records[i].kind != SPOOR_INSN; i++) {
            if (i < from) continue;
            records[i - from].has &= (uint16_t)~SPOOR_HAS_CPU;
            records[i - from].cpu = SPOOR_NO_NAME;
        }
        numbers->headless = i >= to;
        if (numbers->headless) numbers->first = batch->first + to;
    }
    if (!numbers->applies) return;
    const uint64_t left_out = record_numbers_left_out(numbers, batch, from, to);
    bool any = false;
    for (size_t i = 0; i < to - from; i++) {
        if (!record_numbers_states(&records[i])) continue;
        any = true;
        numbers->read = records[i].flow.index;
        numbers->index = records[i].flow.index -= left_out;
    }
    if (any) record_numbers_note_following(numbers, batch, to);
}

/* SPDX-License-Identifier: MIT */
/* numbering.c: instruction numbers and processors of a part of a trace. */
#include "cli/numbering.h"

static bool numbering_states(const struct spoor_record *record)
{
    return record->kind == SPOOR_FLOW && (record->has & SPOOR_HAS_INDEX);
}

void numbering_begin(struct numbering *numbering, const struct spoor_stream *stream, uint64_t first)
{
    const uint32_t instructions =
        1u << SPOOR_INSN | 1u << SPOOR_UOP | 1u << SPOOR_MEM | 1u << SPOOR_BUS;
    *numbering = (struct numbering){.applies = (stream->kinds >> SPOOR_FLOW & 1) &&
                                               !(stream->kinds & instructions),
                                    .own = true,
                                    .after = 1,
                                    .headless = stream->cpu_is_of_insn && first > 0,
                                    .first = first};
}

bool numbering_changes(const struct numbering *numbering)
{
    return numbering->applies || numbering->headless;
}

bool numbering_passes(const struct numbering *numbering, struct spoor_skipper_options *options)
{
    enum { LOOK = 4096 }; /* records before, which show what the numbers mean */
    if (!numbering->applies) return true;
    if (options->records.given)
        options->records.first -= options->records.first < LOOK ? options->records.first : LOOK;
    return options->records.given && !options->time.given && !options->cpu && !options->where;
}

/* The number of the last branch before a record of the batch. */
static uint64_t numbering_before(const struct numbering *numbering, const struct spoor_batch *batch,
                                 size_t from)
{
    while (from-- > 0)
        if (numbering_states(&batch->records[from])) return batch->records[from].flow.index;
    return numbering->before;
}

/* The instructions that follow the last selected branch, which lies before this record. */
static void numbering_note_following(struct numbering *numbering, const struct spoor_batch *batch,
                                     size_t from)
{
    while (from < batch->count && !numbering_states(&batch->records[from])) from++;
    numbering->unfollowed = from == batch->count;
    if (from < batch->count) numbering->after = batch->records[from].flow.index - numbering->read;
}

void numbering_read(struct numbering *numbering, const struct spoor_batch *batch)
{
    if (!numbering->applies) return;
    numbering->before = numbering->last;
    numbering->last = numbering_before(numbering, batch, batch->count);
    if (numbering->own) {
        /* Whether the records state the instructions before them. */
        uint64_t before = numbering->before;
        for (size_t i = 0; i < batch->count; i++) {
            if (!numbering_states(&batch->records[i])) continue;
            const struct spoor_flow *flow = &batch->records[i].flow;
            if (before && flow->number != flow->index - before) numbering->own = false;
            before = flow->index;
        }
    }
    if (numbering->unfollowed) numbering_note_following(numbering, batch, 0);
}

uint64_t numbering_left_out(const struct numbering *numbering, const struct spoor_batch *batch,
                            size_t from, size_t to)
{
    if (!numbering->applies) return 0;
    const uint64_t before = numbering_before(numbering, batch, from);
    const bool follows = before == numbering->read;
    for (size_t i = from; i < to && !follows && !numbering->own; i++)
        if (numbering_states(&batch->records[i]))
            return batch->records[i].flow.index - (numbering->index + numbering->after);
    return before - numbering->index;
}

/* Takes the processor from records before the first instruction of the part, selected or not. */
static void numbering_drop_cpus(struct numbering *numbering, const struct spoor_batch *batch,
                                size_t from, size_t to, struct spoor_record *records)
{
    size_t i = numbering->first > batch->first ? (size_t)(numbering->first - batch->first) : 0;
    for (; i < to; i++) {
        if (batch->records[i].kind == SPOOR_INSN) {
            numbering->headless = false;
            return;
        }
        if (i < from) continue;
        records[i - from].has &= (uint16_t)~SPOOR_HAS_CPU;
        records[i - from].cpu = SPOOR_NO_NAME;
    }
    numbering->first = batch->first + to;
}

void numbering_run(struct numbering *numbering, const struct spoor_batch *batch, size_t from,
                   size_t to, struct spoor_record *records)
{
    if (numbering->headless) numbering_drop_cpus(numbering, batch, from, to, records);
    if (!numbering->applies) return;
    const uint64_t left_out = numbering_left_out(numbering, batch, from, to);
    bool any = false;
    for (size_t i = 0; i < to - from; i++) {
        if (!numbering_states(&records[i])) continue;
        any = true;
        numbering->read = records[i].flow.index;
        numbering->index = records[i].flow.index -= left_out;
    }
    if (any) numbering_note_following(numbering, batch, to);
}

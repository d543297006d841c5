/* SPDX-License-Identifier: MIT */
/*
 * log_chart.c: collects the stages of instructions from the log of a pipeline.
 *
 * A stage lasts until the next one begins in its lane, until the log ends it, or until the
 * instruction leaves the pipeline.  Instructions without an end are in flight when the log ends.
 */
#include "html/log_chart.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "html/machine_stages.h"

/* Where an instruction is among those drawn. */
struct chart_number {
    uint64_t number;
    size_t index;
};

bool log_chart_is_log(const struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->records[i].kind == SPOOR_EVENT && batch->records[i].op == SPOOR_EVENT_STAGE)
            return true;
    return false;
}

bool log_chart_open(struct log_chart *chart, uint64_t from, uint64_t to, size_t maximum)
{
    *chart = (struct log_chart){.from = from,
                                .to = to,
                                .maximum = maximum,
                                .names = spoor_names_new(),
                                .lanes = spoor_names_new()};
    /* the first lane, of which logs do not state the name */
    return chart->names && chart->lanes && spoor_names_intern(chart->lanes, "0", 1) == 1;
}

/* ---- instructions ---- */

/* The instruction with a number, made if it is new; NULL: it is not drawn. */
static struct drawn *log_chart_drawn(struct log_chart *chart, uint64_t number)
{
    bool added;
    if (number < chart->from || number > chart->to) return NULL;
    struct chart_number *known = hash_map_find(&chart->numbers, number, sizeof *known);
    if (known) return &chart->drawn[known->index];
    chart->more |= chart->count >= chart->maximum;
    if (chart->count >= chart->maximum) return NULL;
    known = hash_map_add(&chart->numbers, number, sizeof *known, &added);
    if (!known || !array_reserve(&chart->drawn, &chart->capacity, chart->count + 1)) {
        chart->failed = true;
        return NULL;
    }
    known->index = chart->count;
    chart->drawn[chart->count] =
        (struct drawn){.number = number, .record = chart->record, .begin = UINT64_MAX};
    return &chart->drawn[chart->count++];
}

static void log_chart_meet_time(struct log_chart *chart, struct drawn *drawn, uint64_t time)
{
    if (drawn && time < drawn->begin) drawn->begin = time;
    if (drawn && time > drawn->end) drawn->end = time;
    if (!chart->any || time < chart->first) chart->first = time;
    if (!chart->any || time > chart->last) chart->last = time;
    chart->any = true;
}

static void log_chart_set_label(struct log_chart *chart, struct drawn *drawn, const char *bytes,
                                size_t size)
{
    while (size && *bytes == ' ') bytes++, size--;
    if (!size || drawn->label) return;
    drawn->label = strndup(bytes, size);
    chart->failed |= !drawn->label;
}

/* Adds a line to what else the log says of an instruction. */
static void log_chart_add_note(struct log_chart *chart, struct drawn *drawn, const char *bytes,
                               size_t size)
{
    enum { LONGEST_NOTES = 1000 };
    const size_t before = drawn->notes ? strlen(drawn->notes) : 0;
    if (!size || before + size > LONGEST_NOTES) return;
    char *notes = realloc(drawn->notes, before + size + 2);
    if (!notes) {
        chart->failed = true;
        return;
    }
    if (before) notes[before] = '\n';
    memcpy(notes + before + (before != 0), bytes, size);
    notes[before + (before != 0) + size] = '\0';
    drawn->notes = notes;
}

static void log_chart_set_pc(struct drawn *drawn, uint64_t pc)
{
    drawn->pc = pc;
    drawn->has_pc = true;
}

/* ---- stages ---- */

static unsigned log_chart_number(struct log_chart *chart, struct spoor_names *names,
                                 const struct spoor_batch *batch, spoor_name name)
{
    size_t size;
    const char *text = spoor_names_text(batch->stream->names, name, &size);
    const spoor_name number = spoor_names_intern(names, size ? text : "0", size ? size : 1);
    chart->failed |= number == SPOOR_NAMES_FULL;
    return number;
}

/* Ends the open stage of a lane; `name` 0: whatever it is. */
static void log_chart_end_stage(struct drawn *drawn, unsigned lane, unsigned name, uint64_t time)
{
    for (size_t i = drawn->count; i-- > 0;) {
        struct drawn_stage *stage = &drawn->stages[i];
        if (stage->lane != lane || (name && stage->name != name)) continue;
        if (stage->end == UINT64_MAX) stage->end = time > stage->begin ? time : stage->begin;
        return;
    }
}

static void log_chart_add_event(struct log_chart *chart, const struct spoor_batch *batch,
                                const struct spoor_record *record)
{
    const struct spoor_event *event = &record->event;
    if (record->op < SPOOR_EVENT_STAGE || record->op > SPOOR_EVENT_DEPENDENCE ||
        !(record->has & SPOOR_HAS_EXTRA) || (record->has & SPOOR_CONTINUES))
        return;
    struct drawn *drawn = log_chart_drawn(chart, event->value1);
    const bool timed = record->has & SPOOR_HAS_TIME;
    if (record->op == SPOOR_EVENT_STAGE && timed) log_chart_meet_time(chart, drawn, record->time);
    if (!drawn) return;
    const bool staged = record->op == SPOOR_EVENT_STAGE || record->op == SPOOR_EVENT_STAGE_END;
    const unsigned lane = staged ? log_chart_number(chart, chart->lanes, batch, event->mode) : 0;
    const unsigned name = staged ? log_chart_number(chart, chart->names, batch, event->name) : 0;
    switch (record->op) {
    case SPOOR_EVENT_STAGE:
        if (record->has & SPOOR_HAS_VA) log_chart_set_pc(drawn, event->value);
        log_chart_set_label(chart, drawn, spoor_batch_bytes(batch, event->text), event->text.size);
        if (!timed) break;
        log_chart_end_stage(drawn, lane, 0, record->time);
        if (!array_reserve(&drawn->stages, &drawn->capacity, drawn->count + 1)) {
            chart->failed = true;
            break;
        }
        drawn->stages[drawn->count++] = (struct drawn_stage){name, lane, record->time, UINT64_MAX};
        break;
    case SPOOR_EVENT_STAGE_END:
        if (timed) log_chart_end_stage(drawn, lane, name, record->time);
        break;
    case SPOOR_EVENT_LABEL:
        if (event->number) {
            log_chart_add_note(chart, drawn, spoor_batch_bytes(batch, event->text),
                               event->text.size);
            break;
        }
        if (record->has & SPOOR_HAS_VA) log_chart_set_pc(drawn, event->value);
        log_chart_set_label(chart, drawn, spoor_batch_bytes(batch, event->text), event->text.size);
        break;
    case SPOOR_EVENT_DEPENDENCE:
        if (!array_reserve(&drawn->producers, &drawn->producer_capacity, drawn->producer_count + 1))
            chart->failed = true;
        else
            drawn->producers[drawn->producer_count++] = event->value;
        break;
    default: break;
    }
}

/* Cycles in which nothing retires: `extra` of them, the first at the time `value`. */
static void log_chart_add_stall(struct log_chart *chart, const struct spoor_batch *batch,
                                const struct spoor_record *record)
{
    const struct spoor_event *event = &record->event;
    size_t size;
    const char *mode = spoor_names_text(batch->stream->names, event->mode, &size);
    if (!mode || strcmp(mode, CHART_STALL_LANE) != 0 || !(record->has & SPOOR_HAS_EXTRA) ||
        !(record->has & SPOOR_HAS_TIME))
        return;
    const spoor_name lane = spoor_names_intern(chart->lanes, CHART_STALL_LANE, size);
    const unsigned name = log_chart_number(chart, chart->names, batch, event->name);
    const size_t before = chart->lost_count;
    if (lane == SPOOR_NAMES_FULL || chart->failed ||
        !array_reserve(&chart->stalls, &chart->stall_capacity, chart->stall_count + 1) ||
        (name >= before && !array_reserve(&chart->lost, &chart->lost_capacity, name + 1))) {
        chart->failed = true;
        return;
    }
    for (; chart->lost_count <= name; chart->lost_count++) chart->lost[chart->lost_count] = 0;
    chart->stall_lane = lane;
    chart->lost[name] += event->value1;
    log_chart_meet_time(chart, NULL, record->time);
    const uint64_t from = record->has & SPOOR_HAS_VA ? event->value : record->time;
    chart->stalls[chart->stall_count++] =
        (struct chart_stall){record->cpu, name, from, record->time + 1};
}

/* What nothing retired for before this instruction did, which is drawn or not. */
static void log_chart_end_stalls(struct log_chart *chart, struct drawn *drawn, spoor_name cpu)
{
    size_t kept = 0;
    for (size_t i = 0; i < chart->stall_count; i++) {
        const struct chart_stall *one = &chart->stalls[i];
        if (one->cpu != cpu) {
            chart->stalls[kept++] = *one;
        } else if (drawn && array_reserve(&drawn->stages, &drawn->capacity, drawn->count + 1)) {
            drawn->stages[drawn->count++] =
                (struct drawn_stage){one->name, chart->stall_lane, one->begin, one->end};
        } else {
            chart->failed |= drawn != NULL;
        }
    }
    chart->stall_count = kept;
}

void log_chart_add_record(struct log_chart *chart, const struct spoor_batch *batch, size_t index,
                          uint64_t number)
{
    const struct spoor_record *record = &batch->records[index];
    chart->record = number;
    if (record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_STAGE &&
        strcmp(spoor_record_unit(batch, record), "cycle") == 0)
        chart->ticks = 1;
    if (record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_STATE && record->event.mode)
        log_chart_add_stall(chart, batch, record);
    else if (record->kind == SPOOR_EVENT)
        log_chart_add_event(chart, batch, record);
    if (record->kind == SPOOR_EVENT || !spoor_record_ends_stages(batch, index)) return;
    /* the instruction leaves the pipeline */
    const bool squashed = record->op == SPOOR_INSN_SQUASHED;
    struct drawn *drawn =
        record->has & SPOOR_HAS_INDEX ? log_chart_drawn(chart, record->insn.index) : NULL;
    if (record->has & SPOOR_HAS_INDEX) {
        const uint64_t ended = record->insn.index;
        if (!(chart->retired + chart->squashed) || ended < chart->lowest) chart->lowest = ended;
        if (ended > chart->highest) chart->highest = ended;
    }
    if (!squashed) {
        log_chart_end_stalls(chart, drawn, record->cpu);
        if (!chart->base || record->time != chart->base_time || record->cpu != chart->base_cpu)
            chart->base++;
        chart->base_time = record->time;
        chart->base_cpu = record->cpu;
    }
    chart->retired += !squashed;
    chart->squashed += squashed;
    if (record->has & SPOOR_HAS_TIME) log_chart_meet_time(chart, drawn, record->time);
    if (!drawn) return;
    drawn->ended = true;
    drawn->squashed = squashed;
    drawn->last = number;
    if (record->has & SPOOR_HAS_VA) log_chart_set_pc(drawn, record->insn.va);
    log_chart_set_label(chart, drawn, spoor_batch_bytes(batch, record->insn.disasm),
                        record->insn.disasm.size);
}

void log_chart_add(struct log_chart *chart, const struct spoor_batch *batch)
{
    for (size_t i = 0; i < batch->count && !chart->failed; i++)
        log_chart_add_record(chart, batch, i, batch->first + i);
}

/* ---- the end of the log ---- */

static int log_chart_by_number(const void *a, const void *b)
{
    const struct drawn *left = a, *right = b;
    return left->number < right->number ? -1 : left->number > right->number;
}

void log_chart_end(struct log_chart *chart)
{
    if (!chart->ticks) {
        size_t count = 0, found = 0;
        for (size_t i = 0; i < chart->count; i++) count += chart->drawn[i].count;
        uint64_t *all = malloc((count + 1) * sizeof *all), ticks = 1;
        chart->failed |= !all;
        for (size_t i = 0; i < chart->count && all; i++)
            for (size_t at = 0; at < chart->drawn[i].count; at++) {
                const struct drawn_stage *stage = &chart->drawn[i].stages[at];
                if (stage->end != UINT64_MAX && stage->end > stage->begin &&
                    stage->lane != chart->stall_lane)
                    all[found++] = stage->end - stage->begin;
            }
        if (all) ticks = spoor_stages_cycle(all, found);
        free(all);
        chart->ticks = ticks ? ticks : 1;
    }
    if (chart->count) qsort(chart->drawn, chart->count, sizeof *chart->drawn, log_chart_by_number);
    for (size_t i = 0; i < chart->count; i++) {
        /* Counts the times of an instruction in cycles. */
        struct drawn *drawn = &chart->drawn[i];
        const uint64_t last = drawn->ended ? drawn->end : chart->last;
        if (drawn->begin == UINT64_MAX) drawn->begin = drawn->end = chart->first;
        drawn->begin = drawn->begin / chart->ticks;
        drawn->end = last / chart->ticks;
        for (size_t j = 0; j < drawn->count; j++) {
            struct drawn_stage *stage = &drawn->stages[j];
            if (stage->end == UINT64_MAX) stage->end = last > stage->begin ? last : stage->begin;
            const bool is_stall = chart->stall_lane && stage->lane == chart->stall_lane;
            stage->begin = stage->begin / chart->ticks;
            stage->end = is_stall ? (stage->end - 1) / chart->ticks + 1 : stage->end / chart->ticks;
        }
    }
}

uint64_t log_chart_cycles(const struct log_chart *chart)
{
    uint64_t cycles = chart->base;
    if (!chart->stall_lane) return chart->any ? (chart->last - chart->first) / chart->ticks + 1 : 0;
    for (size_t i = 0; i < chart->lost_count; i++) cycles += chart->lost[i];
    return cycles;
}

void log_chart_close(struct log_chart *chart)
{
    free(chart->stalls);
    free(chart->lost);
    for (size_t i = 0; i < chart->count; i++) {
        free(chart->drawn[i].label);
        free(chart->drawn[i].notes);
        free(chart->drawn[i].stages);
        free(chart->drawn[i].producers);
    }
    free(chart->drawn);
    hash_map_free(&chart->numbers);
    spoor_names_free(chart->names);
    spoor_names_free(chart->lanes);
}

unsigned log_chart_color(unsigned stage)
{
    static const uint8_t colors[] = {0, 1, 2, 3, 4, 5, 13, 14, 15, 16, 8, 9, 10, 11, 6, 12};
    return colors[stage % sizeof colors];
}

void log_chart_put_stages(const struct log_chart *chart, struct text *out)
{
    json_begin(out, "stages", '[');
    for (unsigned i = 1; i < spoor_names_count(chart->names); i++)
        stage_put(out, spoor_names_text(chart->names, (spoor_name)i, NULL), log_chart_color(i - 1));
    json_end(out, ']');
}

void log_chart_put_row(const struct drawn *drawn, const char *words, struct text *out)
{
    json_begin(out, NULL, '{');
    json_number(out, "number", drawn->number);
    json_number(out, "record", drawn->record);
    if (drawn->has_pc) json_hex(out, "pc", drawn->pc);
    if (words) json_text(out, "text", words);
    if (drawn->notes) json_text(out, "notes", drawn->notes);
    json_number(out, "begin", drawn->begin);
    json_number(out, "end", drawn->end);
    if (drawn->squashed) json_bool(out, "squashed", true);
    if (!drawn->ended) json_bool(out, "open", true); /* when the log, or what was read, ends */
    json_begin(out, "stages", '[');
    for (size_t i = 0; i < drawn->count; i++) {
        const struct drawn_stage *stage = &drawn->stages[i];
        json_number(out, NULL, stage->name - 1);
        json_number(out, NULL, stage->lane - 1);
        json_number(out, NULL, stage->begin);
        json_number(out, NULL, stage->end);
    }
    json_end(out, ']');
    if (drawn->producer_count) json_begin(out, "waits", '[');
    for (size_t i = 0; i < drawn->producer_count; i++) json_number(out, NULL, drawn->producers[i]);
    if (drawn->producer_count) json_end(out, ']');
    json_end(out, '}');
}

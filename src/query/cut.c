/* SPDX-License-Identifier: MIT */
/*
 * cut.c: select the records of a slice of a trace.
 *
 * Each record of a batch gets one byte, selected or not; runs are built from these.
 */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/bus.h"
#include "model/cpu_name.h"
#include "model/options.h"
#include "spoor/cut.h"

enum choice {
    CHOICE_OUT,
    CHOICE_IN,
    CHOICE_OF_ANOTHER, /* left out as one of another cpu than the selected one */
};

struct spoor_cut {
    struct spoor_cut_options options;
    uint8_t *chosen; /* enum choice, by record of the batch fed last, unless numbers choose alone */
    size_t begin, end; /* of the batch fed last, if numbers choose alone: the chosen records */
    size_t count, capacity;
    bool *inside; /* by cpu: its last instruction lies in the range of pcs */
    size_t cpus;
    spoor_name cpu;      /* named last */
    bool is_cpu;         /* the cpu named last is the selected one */
    spoor_name insn_cpu; /* of the last instruction */
    spoor_name named;    /* in the trace, up to the last record that was masked */
    spoor_name shown;    /* the same, in the selected records */
    bool timed;          /* a time stamp was seen */
    uint64_t next;       /* ordinal after the records fed */
    uint64_t selected;
};

enum spoor_status spoor_cut_new(struct spoor_cut **cut, const struct spoor_cut_options *options,
                                struct spoor_error *error)
{
    struct spoor_cut_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_cut *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->options = own;
    *cut = made;
    return SPOOR_OK;
}

void spoor_cut_free(struct spoor_cut *cut)
{
    if (!cut) return;
    free(cut->chosen);
    free(cut->inside);
    free(cut);
}

static bool cut_in_span(const struct spoor_span *span, uint64_t value)
{
    return value >= span->first && value <= span->last;
}

/* ---- cpu ---- */

static bool cut_on_cpu(struct spoor_cut *cut, const struct spoor_batch *batch,
                       const struct spoor_record *record)
{
    if (record->kind == SPOOR_BUS && (record->bus.given & SPOOR_BUS_GIVEN_AGENT))
        return cpu_is_named(bus_agent_name(record->bus.agent), cut->options.cpu);
    if ((record->has & SPOOR_HAS_CPU) && record->cpu != cut->cpu) {
        const char *name = spoor_names_text(batch->stream->names, record->cpu, NULL);
        cut->cpu = record->cpu;
        cut->is_cpu = cpu_is_named(name, cut->options.cpu);
    }
    return cut->is_cpu;
}

/* ---- pc ---- */

static bool cut_at_pc(struct spoor_cut *cut, const struct spoor_record *record)
{
    uint64_t pc = 0;
    bool has_pc = record->has & SPOOR_HAS_VA; /* it is itself an instruction */
    if (record->kind == SPOOR_NOTE) return false;
    switch (record->kind) {
    case SPOOR_UOP:
        pc = record->uop.pc;
        has_pc = true;
        break;
    case SPOOR_INSN: pc = record->insn.va; break;
    case SPOOR_FLOW: pc = record->flow.va; break;
    case SPOOR_MEM:
        pc = record->mem.va;
        has_pc &= record->op == SPOOR_MEM_FETCH;
        break;
    default: has_pc = false;
    }
    if (has_pc) {
        cut->insn_cpu = record->cpu;
        return cut->inside[record->cpu] = cut_in_span(&cut->options.pc, pc);
    }
    return cut->inside[(record->has & SPOOR_HAS_CPU) ? record->cpu : cut->insn_cpu];
}

/* ---- one record, one batch ---- */

/* True if the numbers of records choose alone. */
static bool cut_is_by_number(const struct spoor_cut_options *options)
{
    return options->records.given && !options->time.given && !options->cpu && !options->pc.given &&
           !options->where;
}

static size_t cut_index_in(const struct spoor_batch *batch, uint64_t record)
{
    const uint64_t index = record > batch->first ? record - batch->first : 0;
    return index < batch->count ? (size_t)index : batch->count;
}

enum spoor_status spoor_cut_feed(struct spoor_cut *cut, const struct spoor_batch *batch,
                                 struct spoor_error *error)
{
    const bool by_number = cut_is_by_number(&cut->options);
    if ((!by_number && !array_reserve_zeroed(&cut->chosen, &cut->capacity, batch->count)) ||
        !array_reserve_zeroed(&cut->inside, &cut->cpus, spoor_names_count(batch->stream->names)))
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory while cutting %s",
                               batch->stream->path);
    if (by_number) {
        const struct spoor_span *records = &cut->options.records;
        cut->begin = cut_index_in(batch, records->first);
        cut->end =
            records->last < UINT64_MAX ? cut_index_in(batch, records->last + 1) : batch->count;
        if (cut->begin >= cut->end) cut->begin = cut->end = 0;
        cut->selected += cut->end - cut->begin;
    }
    for (size_t i = 0; i < batch->count && !by_number; i++) {
        /* Every test runs on every record, because those of cpu and pc keep state. */
        const struct spoor_cut_options *options = &cut->options;
        const struct spoor_record *record = &batch->records[i];
        bool chosen = true, own = true;
        if (record->has & SPOOR_HAS_TIME) cut->timed = true;
        if (options->time.given) chosen &= cut->timed && cut_in_span(&options->time, record->time);
        if (options->cpu) own = cut_on_cpu(cut, batch, record);
        if (options->pc.given) chosen &= cut_at_pc(cut, record);
        if (options->records.given) chosen &= cut_in_span(&options->records, batch->first + i);
        chosen = own && chosen && (!options->where || spoor_select_match(options->where, batch, i));
        cut->chosen[i] = chosen ? CHOICE_IN : own ? CHOICE_OUT : CHOICE_OF_ANOTHER;
        cut->selected += chosen;
    }
    cut->count = batch->count;
    cut->next = batch->first + batch->count;
    return spoor_select_status(cut->options.where, error);
}

void spoor_cut_skip(struct spoor_cut *cut, struct spoor_names *names, const char *cpu, bool timed)
{
    cut->timed = timed;
    if (!cpu) return;
    cut->named = spoor_names_intern(names, cpu, strlen(cpu));
    if (!cut->options.cpu) return;
    cut->cpu = cut->named;
    cut->is_cpu = cpu_is_named(cpu, cut->options.cpu);
}

bool spoor_cut_run(const struct spoor_cut *cut, size_t *from, size_t *to)
{
    size_t at = *to;
    if (cut_is_by_number(&cut->options)) {
        const bool more = at < cut->end;
        *from = !more ? cut->count : at > cut->begin ? at : cut->begin;
        *to = more ? cut->end : cut->count;
        return more;
    }
    while (at < cut->count && cut->chosen[at] != CHOICE_IN) at++;
    *from = at;
    while (at < cut->count && cut->chosen[at] == CHOICE_IN) at++;
    *to = at;
    return *from < *to;
}

/* What is missing where a record is left out. */
static struct spoor_left_out cut_missing(const struct spoor_record *record, spoor_name cpu,
                                         bool state)
{
    const struct spoor_insn *insn = &record->insn;
    struct spoor_left_out left_out = {.cpu = cpu, .missing = SPOOR_MISSING_NOTHING};
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_NOTE: return left_out;
    case SPOOR_INSN:
        left_out.is_insn = record->op < SPOOR_INSN_AGAIN;
        if (left_out.is_insn && (record->has & SPOOR_HAS_INDEX)) {
            left_out.iset = insn->iset;
            left_out.opcode_size = insn->opcode_size;
            left_out.opcode = (uint32_t)insn->opcode;
            left_out.index = insn->index;
            left_out.pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa;
        }
        left_out.missing = SPOOR_MISSING_FLOW;
        break;
    case SPOOR_UOP:
    case SPOOR_FLOW:
        left_out.is_several = true;
        left_out.missing = SPOOR_MISSING_FLOW;
        break;
    default: break;
    }
    if (state) left_out.missing = SPOOR_MISSING_STATE;
    return left_out;
}

void spoor_cut_mask(struct spoor_cut *cut, const struct spoor_batch *batch,
                    struct spoor_record *records, bool state)
{
    enum { KEPT = SPOOR_HAS_TIME | SPOOR_CONTINUES };
    const bool by_number = cut_is_by_number(&cut->options);
    for (size_t i = 0; i < batch->count; i++) {
        struct spoor_record record = batch->records[i];
        const bool chosen =
            by_number ? i >= cut->begin && i < cut->end : cut->chosen[i] == CHOICE_IN;
        const bool own = by_number || cut->chosen[i] != CHOICE_OF_ANOTHER;
        const bool names = record.has & SPOOR_HAS_CPU;
        if (names) cut->named = record.cpu;
        if (!chosen) {
            struct spoor_left_out left_out = cut_missing(&record, cut->named, state);
            if (!own) left_out.missing = SPOOR_MISSING_NOTHING;
            record = (struct spoor_record){.time = record.time,
                                           .kind = SPOOR_NOTE,
                                           .op = SPOOR_NOTE_LEFT_OUT,
                                           .has = record.has & KEPT,
                                           .left_out = left_out};
        } else if (names || cut->shown != cut->named) {
            record.has |= SPOOR_HAS_CPU;
            record.cpu = cut->shown = cut->named;
        }
        records[i] = record;
    }
}

bool spoor_cut_done(const struct spoor_cut *cut)
{
    return cut->options.records.given && cut->next > cut->options.records.last;
}

uint64_t spoor_cut_selected(const struct spoor_cut *cut)
{
    return cut->selected;
}

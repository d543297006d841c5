/* SPDX-License-Identifier: MIT */
/* explorer.c: decodes segments on demand, and visits their records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "explore/activity_section.h"
#include "explore/internal.h"
#include "isa/code_bytes.h"
#include "isa/riscv_zc.h"
#include "model/error.h"
#include "model/names.h"

enum spoor_status explorer_no_memory(const struct explorer *explorer, struct spoor_error *error)
{
    return error_no_memory_while(error, explorer->reader ? explorer->reader->path : "trace", NULL);
}

enum spoor_status explorer_no_state(const struct explorer *explorer, bool damaged,
                                    struct spoor_error *error)
{
    if (!damaged) return explorer_no_memory(explorer, error);
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: found damage in the registers and calls of the index, expected "
                           "those of an index of this version: delete it",
                           explorer->index->path ? explorer->index->path : "index");
}

enum spoor_status explorer_open(struct explorer **explorer, const char *path,
                                const struct index *index, struct spoor_error *error)
{
    const struct spoor_reader_options options = {
        .format = index->format,
        .threads = 1,
        .memory = index->memory,
        .locator = index->locator.locate ? &index->locator : NULL,
        .decode = {.dialect = index->dialect,
                   .images = index->images,
                   .implicit_thumb = index->implicit_thumb,
                   .isa = index->isa,
                   .effects = index->effects_first ? SPOOR_EFFECTS_FIRST : SPOOR_EFFECTS_AFTER}};
    struct explorer *opened = calloc(1, sizeof *opened);
    if (!opened) return error_no_memory_while(error, path, NULL);
    opened->index = index;
    enum spoor_status status = SPOOR_ENOMEM;
    if (machine_start(&opened->machine) &&
        activity_copy_names(opened->machine.registers, index->machine.registers) &&
        activity_copy_names(opened->machine.cpus, index->machine.cpus))
        status = spoor_reader_open(&opened->reader, path, &options, error);
    if (status != SPOOR_OK) {
        if (status == SPOOR_ENOMEM) explorer_no_memory(opened, error);
        explorer_close(opened);
        return status;
    }
    opened->machine.isa = index->machine.isa;
    opened->machine.isa_known = true;
    machine_enter(&opened->machine, spoor_reader_stream(opened->reader));
    *explorer = opened;
    return SPOOR_OK;
}

void explorer_close(struct explorer *explorer)
{
    if (!explorer) return;
    for (size_t i = 0; i < KEPT_SEGMENTS; i++) {
        struct segment_batches *decoded = &explorer->kept[i];
        for (size_t j = 0; j < decoded->capacity; j++) spoor_batch_free(&decoded->batches[j]);
        free(decoded->batches);
        free(decoded->places);
        *decoded = (struct segment_batches){0};
    }
    free(explorer->hosted);
    for (size_t i = 0; i < OPCODE_WRITES; i++) free(explorer->opcode_writes[i].writes);
    free(explorer->touched);
    machine_free(&explorer->machine);
    spoor_reader_close(explorer->reader);
    free(explorer);
}

const struct machine *explorer_machine(const struct explorer *explorer)
{
    return &explorer->machine;
}

struct spoor_error *explorer_error(struct spoor_explorer *explorer, struct spoor_error *error)
{
    return error ? error : &explorer_of(explorer)->unread;
}

/* ---- decoding ---- */

/* The cut of the selection that the index is of, at the beginning of a segment. */
static enum spoor_status explorer_cut(struct explorer *explorer, size_t segment, const char *cpu,
                                      struct spoor_cut **cut, struct spoor_error *error)
{
    const struct index *index = explorer->index;
    const enum spoor_status status = spoor_cut_new(cut, index->selection, error);
    bool timed = false;
    for (size_t i = 0; i < segment; i++) timed |= index->segments[i].flags & SEGMENT_TIMED;
    if (status == SPOOR_OK)
        spoor_cut_skip(*cut, explorer->reader->stream.names, *cpu ? cpu : NULL, timed);
    return status;
}

/* Returns the decoded segment; NULL with the error. */
static const struct segment_batches *explorer_decode(struct explorer *explorer, size_t segment,
                                                     struct spoor_error *error)
{
    explorer->clock++;
    for (size_t i = 0; i < KEPT_SEGMENTS; i++)
        if (explorer->kept[i].used && explorer->kept[i].segment == segment) {
            explorer->kept[i].used = explorer->clock;
            return &explorer->kept[i];
        }
    if (explorer->goes_on && !explorer->goes_on(explorer->context, segment)) {
        spoor_error_set(error, SPOOR_EUSAGE, "the query was stopped");
        return NULL;
    }
    /* the least recently used one is replaced; the memory of its batches is reused */
    struct segment_batches *decoded = &explorer->kept[0];
    for (size_t i = 1; i < KEPT_SEGMENTS; i++)
        if (explorer->kept[i].used < decoded->used) decoded = &explorer->kept[i];
    decoded->count = 0;
    free(decoded->places);
    decoded->places = NULL;
    decoded->segment = segment;
    decoded->used = 0;
    /* the last instruction of each processor before the segment, from the open calls */
    bool damaged;
    struct calls *calls = index_calls(explorer->index, segment, &damaged);
    decoded->place_count = machine_cpu_count(&explorer->index->machine);
    if (calls) decoded->places = calloc(decoded->place_count, sizeof *decoded->places);
    if (!decoded->places) {
        explorer_no_state(explorer, damaged, error);
        calls_free(calls);
        return NULL;
    }
    for (unsigned i = 0; i < decoded->place_count; i++) decoded->places[i] = *calls_place(calls, i);
    calls_free(calls);
    const struct segment *of = &explorer->index->segments[segment];
    const uint64_t end = of->place.record + of->records;
    struct reader_place place = of->place;
    size_t size;
    const char *cpu = spoor_names_text(explorer->index->names, place.carry.cpu, &size);
    struct spoor_names *names = explorer->reader->stream.names;
    place.carry.cpu = spoor_names_intern(names, cpu, size);
    enum spoor_status status =
        names_out_of_memory(names)
            ? explorer_no_memory(explorer, error)
            : reader_enter(explorer->reader, &place, &explorer->index->checkpoints, error);
    struct spoor_cut *cut = NULL;
    if (status == SPOOR_OK && explorer->index->selection)
        status = explorer_cut(explorer, segment, cpu, &cut, error);
    for (uint64_t at = of->place.record; status == SPOOR_OK && at < end;) {
        const struct spoor_batch *next;
        status = spoor_reader_next(explorer->reader, &next, error);
        if (status != SPOOR_OK) break;
        at = next->first + next->count;
        if (!array_reserve_zeroed(&decoded->batches, &decoded->capacity, decoded->count + 1)) {
            status = explorer_no_memory(explorer, error);
            break;
        }
        /* the reader fills an empty batch next, in place of the one that is kept */
        struct spoor_batch *batch = &explorer->reader->batch;
        struct spoor_batch *kept = &decoded->batches[decoded->count++], empty = *kept;
        *kept = *batch;
        *batch = empty;
        batch->stream = kept->stream;
        if (cut) status = spoor_cut_feed(cut, kept, error);
        if (cut && status == SPOOR_OK) spoor_cut_mask(cut, kept, kept->records, true);
    }
    spoor_cut_free(cut);
    if (status == SPOOR_END)
        spoor_error_set(error, SPOOR_EINPUT,
                        "%s: ends before record %llu, which was there when it was indexed",
                        explorer->reader->path, (unsigned long long)end);
    if (status != SPOOR_OK) return NULL;
    decoded->used = explorer->clock;
    return decoded;
}

enum spoor_status explorer_segment(struct explorer *explorer, size_t segment,
                                   const struct spoor_batch **batches, size_t *count,
                                   struct spoor_error *error)
{
    const struct segment_batches *decoded = explorer_decode(explorer, segment, error);
    if (!decoded) return error->status;
    *batches = decoded->batches;
    *count = decoded->count;
    return SPOOR_OK;
}

bool explorer_has_gaps(const struct explorer *explorer)
{
    const struct index *index = explorer->index;
    for (size_t i = 0; i < index->count; i++)
        if (index->segments[i].flags & SEGMENT_GAP) return true;
    return false;
}

/* ---- visiting ---- */

enum spoor_status explorer_visit_segment(struct explorer *explorer, size_t segment, uint64_t from,
                                         uint64_t to, visit_function *function, void *context,
                                         struct spoor_error *error)
{
    static const struct call_place nowhere;
    const struct segment_batches *decoded = explorer_decode(explorer, segment, error);
    if (!decoded) return error->status;
    struct call_place *places = malloc(decoded->place_count * sizeof *places);
    if (!places) return explorer_no_memory(explorer, error);
    memcpy(places, decoded->places, decoded->place_count * sizeof *places);
    explorer->machine.cpu = explorer->index->segments[segment].cpu;
    bool goes_on = true;
    for (size_t i = 0; i < decoded->count && goes_on; i++) {
        const struct spoor_batch *batch = &decoded->batches[i];
        for (size_t j = 0; j < batch->count && goes_on; j++) {
            const struct spoor_record *record = &batch->records[j];
            const uint64_t number = batch->first + j;
            if (number >= to) {
                goes_on = false;
                break;
            }
            const unsigned cpu = machine_cpu(&explorer->machine, record);
            struct call_place *place = cpu < decoded->place_count ? &places[cpu] : NULL;
            if (place && record->kind == SPOOR_UOP)
                *place = (struct call_place){
                    .known = true, .record = number, .time = record->time, .pc = record->uop.pc};
            /* an instruction of its own, which its effects follow */
            if (place && record->kind == SPOOR_INSN && record->op < SPOOR_INSN_AGAIN)
                *place = (struct call_place){.known = true,
                                             .record = number,
                                             .time = record->time,
                                             .pc = (record->has & SPOOR_HAS_VA) ? record->insn.va
                                                                                : record->insn.pa,
                                             .bits = (uint32_t)record->insn.opcode,
                                             .size = record->insn.opcode_size,
                                             .iset = record->insn.iset,
                                             .has_bits = record->has & SPOOR_HAS_DATA,
                                             .skipped = record->op == SPOOR_INSN_SKIPPED};
            if (number < from) continue;
            const struct explorer_visit visited = {batch, j, number, cpu, place ? place : &nowhere};
            goes_on = function(context, &visited);
        }
    }
    free(places);
    return goes_on ? SPOOR_OK : SPOOR_END;
}

enum spoor_status explorer_visit(struct explorer *explorer, uint64_t from, uint64_t to,
                                 visit_function *function, void *context, struct spoor_error *error)
{
    const struct index *index = explorer->index;
    enum spoor_status status = SPOOR_OK;
    if (index->count == 0 || from >= to) return SPOOR_OK;
    for (size_t i = index_segment_of(index, from); i < index->count && status == SPOOR_OK; i++) {
        if (index->segments[i].place.record >= to) break;
        status = explorer_visit_segment(explorer, i, from, to, function, context, error);
    }
    return status == SPOOR_END ? SPOOR_OK : status;
}

/* ---- records by an expression ---- */

struct record_selection {
    const struct spoor_select *select;
    bool selects;
    struct call_place place;
};

static bool explorer_select_record(void *context, const struct explorer_visit *visited)
{
    struct record_selection *selection = context;
    selection->selects = spoor_select_match(selection->select, visited->batch, visited->index);
    selection->place = *visited->place;
    return false;
}

enum spoor_status explorer_selects(struct explorer *explorer, const struct spoor_select *select,
                                   uint64_t record, bool *selects, struct spoor_error *error)
{
    struct record_selection selection = {.select = select};
    enum spoor_status status =
        explorer_visit(explorer, record, record + 1, explorer_select_record, &selection, error);
    const struct call_place place = selection.place;
    if (status == SPOOR_OK && !selection.selects && place.known && place.record != record)
        status = explorer_visit(explorer, place.record, place.record + 1, explorer_select_record,
                                &selection, error);
    *selects = selection.selects;
    return status == SPOOR_OK ? spoor_select_status(select, error) : status;
}

/* ---- times ---- */

bool explorer_timed(struct explorer *explorer, uint64_t record)
{
    const struct index *index = explorer->index;
    if (!explorer->knows_times) {
        size_t i = 0;
        const struct segment_batches *decoded = NULL;
        while (i < index->count && !(index->segments[i].flags & SEGMENT_TIMED)) i++;
        if (i < index->count) decoded = explorer_decode(explorer, i, &explorer->unread);
        if (i < index->count && !decoded) return false;
        explorer->timed_from = UINT64_MAX;
        for (i = 0; decoded && i < decoded->count && explorer->timed_from == UINT64_MAX; i++) {
            const struct spoor_batch *batch = &decoded->batches[i];
            size_t at = 0;
            while (at < batch->count && !(batch->records[at].has & SPOOR_HAS_TIME)) at++;
            if (at < batch->count) explorer->timed_from = batch->first + at;
        }
        explorer->knows_times = true;
    }
    return record != UINT64_MAX && record >= explorer->timed_from;
}

/* ---- instructions ---- */

/* Writes the text of an instruction of which the trace prints the opcode alone. */
static void explorer_disassemble(const struct explorer *explorer, const struct spoor_batch *batch,
                                 size_t index, char *text, size_t capacity)
{
    const struct spoor_record *record = &batch->records[index];
    const struct spoor_insn *insn = &record->insn;
    const uint64_t pc = (record->has & SPOOR_HAS_VA) ? insn->va : insn->pa;
    if (!explorer->disassemble || !(record->has & SPOOR_HAS_DATA) || !insn->opcode_size) return;
    if (explorer->machine.isa == ISA_RISCV && riscv_zc_shares(insn->opcode, insn->opcode_size)) {
        riscv_zc_text(pc, insn->opcode, riscv_zc_of(batch, index), text, capacity);
        return;
    }
    uint8_t bytes[8];
    const struct spoor_code_bytes code = {
        pc, bytes, code_bytes(insn->opcode, insn->opcode_size, insn->iset, bytes),
        code_of_opcode(explorer->machine.isa, insn->iset, insn->opcode_size)};
    if (!explorer->disassemble(explorer->disassembler, &code, text, capacity)) text[0] = '\0';
}

enum spoor_status spoor_explorer_text(struct spoor_explorer *shown, uint64_t record, char *text,
                                      size_t capacity, struct spoor_error *error)
{
    enum { LONGEST = 127 };
    struct explorer *explorer = explorer_of(shown);
    error = explorer_error(shown, error);
    if (capacity) text[0] = '\0';
    if (explorer->index->count == 0) return SPOOR_OK;
    const struct segment_batches *decoded =
        explorer_decode(explorer, index_segment_of(explorer->index, record), error);
    if (!decoded) return error->status;
    size_t n = 0;
    while (n < decoded->count && record - decoded->batches[n].first >= decoded->batches[n].count)
        n++;
    if (n == decoded->count || !capacity) return SPOOR_OK;
    const struct spoor_batch *batch = &decoded->batches[n];
    const struct spoor_record *of = &batch->records[record - batch->first];
    if (capacity > LONGEST + 1) capacity = LONGEST + 1;
    if (of->kind == SPOOR_UOP) {
        const struct spoor_names *names = batch->stream->names;
        snprintf(text, capacity, "%s %s", spoor_names_text(names, of->uop.macro, NULL),
                 spoor_names_text(names, of->uop.micro, NULL));
    }
    if (of->kind != SPOOR_INSN) return SPOOR_OK;
    if (!of->insn.disasm.size) {
        explorer_disassemble(explorer, batch, (size_t)(record - batch->first), text, capacity);
        return SPOOR_OK;
    }
    const char *line = spoor_batch_bytes(batch, of->insn.disasm);
    size_t used = 0;
    bool blank = true; /* the columns are those of the trace */
    for (size_t i = 0; i < of->insn.disasm.size && used + 1 < capacity; i++) {
        const bool is_blank = line[i] == ' ' || line[i] == '\t';
        if (!is_blank || !blank) text[used++] = is_blank ? ' ' : line[i];
        blank = is_blank;
    }
    while (used && text[used - 1] == ' ') used--;
    text[used] = '\0';
    return SPOOR_OK;
}

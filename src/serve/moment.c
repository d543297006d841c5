/* SPDX-License-Identifier: MIT */
/* moment.c: the machine after a row: registers with their last writers, memory, open calls, source
 * lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/scan.h"
#include "explore/register_list.h"
#include "serve/internal.h"

enum { LARGEST_MEMORY = 4096, FRAMES = 200, SOURCE_LINES = 200 };

/* ---- the traces ---- */

static void give_trace(struct question *question, const struct explored *trace)
{
    struct text *out = question->out;
    const struct machine *machine = explorer_machine(trace->explorer);
    json_begin(out, NULL, '{');
    json_text(out, "name", trace->name);
    json_text(out, "format", spoor_format_name(trace->index->format));
    json_number(out, "records", trace->index->records);
    json_number(out, "bytes", trace->index->bytes);
    json_text(out, "unit", trace->timeline.unit);
    json_bool(out, "calls", trace->timeline.present);
    json_begin(out, "cpus", '[');
    for (unsigned i = 0; i < machine_cpu_count(machine); i++)
        json_text(out, NULL, machine_cpu_name(machine, i));
    json_end(out, ']');
    json_text(out, "damage", trace->index->damage);
    json_end(out, '}');
}

void ask_traces(struct question *question)
{
    struct text *out = question->out;
    json_text(out, "version", SPOOR_VERSION);
    json_bool(out, "images", question->site->options->images != NULL);
    json_begin(out, "traces", '[');
    for (size_t i = 0; i < question->site->count; i++)
        give_trace(question, &question->site->traces[i]);
    json_end(out, ']');
}

/* ---- state ---- */

static void give_registers(struct question *question, const struct registers *registers,
                           unsigned cpu, const struct call_place *place)
{
    struct text *out = question->out;
    size_t count;
    struct listed_register *list =
        register_list(explorer_machine(question->trace->explorer), cpu, registers, NULL, &count);
    out->failed |= !list;
    json_begin(out, "registers", '[');
    for (size_t i = 0; list && i < count; i++) {
        const struct cell *cell = list[i].cell;
        struct text value = {0};
        cell_text(cell, 0, 0, &value);
        json_begin(out, NULL, '{');
        json_text(out, "name", list[i].name);
        json_bytes(out, "value", value.bytes ? value.bytes : "", value.size);
        if (cell->written) json_number(out, "writer", cell->writer);
        if (cell->written && place->known && cell->writer >= place->record)
            json_bool(out, "changed", true);
        json_end(out, '}');
        out->failed |= value.failed;
        text_free(&value);
    }
    json_end(out, ']');
    free(list);
}

static void give_cpu(struct question *question, const struct registers *registers,
                     const struct calls *calls, unsigned cpu)
{
    const struct machine *machine = explorer_machine(question->trace->explorer);
    const struct call_place *place = calls_place(calls, cpu);
    struct instruction instruction = {.text = ""};
    struct spoor_error error = {0};
    struct text *out = question->out;
    json_begin(out, NULL, '{');
    json_number(out, "cpu", cpu);
    json_text(out, "name", machine_cpu_name(machine, cpu));
    if (place->known) {
        json_hex(out, "pc", place->pc);
        json_number(out, "record", place->record);
        json_located(question, place->pc);
        const enum spoor_status status =
            explorer_instruction(question->trace->explorer, place->record, &instruction, &error);
        if (status == SPOOR_OK) json_text(out, "text", instruction.text);
        if (status < SPOOR_OK) {
            refuse_error(question, status, &error);
            return;
        }
    }
    json_number(out, "depth", calls_stack(calls, cpu)->count);
    give_registers(question, registers, cpu, place);
    json_end(out, '}');
}

static bool note_row(void *context, const struct visited *visited)
{
    struct question *question = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const char *unit = spoor_record_unit(visited->batch, record);
    const uint64_t line = spoor_batch_line(visited->batch, visited->index);
    json_number(question->out, "record", visited->record);
    json_number(question->out, "cpu", visited->cpu);
    if (line) json_number(question->out, "line", line);
    if (unit && unit[0]) {
        json_time(question->out, "time", record->time);
        json_text(question->out, "unit", unit);
    }
    return false;
}

void ask_state(struct question *question)
{
    struct explorer *explorer = question->trace->explorer;
    struct spoor_error error = {0};
    struct registers registers = {0};
    struct calls *calls = NULL;
    uint64_t moment;
    unsigned cpu = 0, end = machine_cpu_count(explorer_machine(explorer));
    bool one;
    if (!question_moment(question, &moment) || !parameter_cpu(question, &cpu, &one)) return;
    if (one) end = cpu + 1;
    enum spoor_status status = explorer_registers(explorer, moment, &registers, &error);
    if (status == SPOOR_OK) status = explorer_calls(explorer, moment, &calls, &error);
    if (status == SPOOR_OK && moment)
        status = explorer_visit(explorer, moment - 1, moment, note_row, question, &error);
    if (status == SPOOR_OK) {
        json_begin(question->out, "cpus", '[');
        for (; cpu < end && !question->refused; cpu++) give_cpu(question, &registers, calls, cpu);
        if (!question->refused) json_end(question->out, ']');
    } else {
        refuse_error(question, status, &error);
    }
    registers_free(&registers);
    calls_free(calls);
}

/* ---- memory ---- */

/* The range "address", "size", "physical"; false: refused. */
static bool parse_range(struct question *question, uint64_t largest, uint64_t *address,
                        uint64_t *size, bool *physical)
{
    const char *space = parameter(question, "physical");
    *size = 1;
    *physical = space && strcmp(space, "1") == 0;
    if (!parameter_address(question, address) || !parameter_number(question, "size", largest, size))
        return false;
    if (*size == 0) *size = 1;
    if (*address > UINT64_MAX - *size) *size = UINT64_MAX - *address + 1;
    return true;
}

/* Runs of bytes with one writer: [offset, bytes, record]. */
static void give_writers(struct text *out, const struct spoor_byte *bytes, uint64_t size)
{
    json_begin(out, "writers", '[');
    for (uint64_t at = 0; at < size;) {
        uint64_t end = at + 1;
        while (end < size && bytes[end].has_writer == bytes[at].has_writer &&
               bytes[end].writer == bytes[at].writer)
            end++;
        if (bytes[at].has_writer) {
            json_begin(out, NULL, '[');
            json_number(out, NULL, at);
            json_number(out, NULL, end - at);
            json_number(out, NULL, bytes[at].writer);
            json_end(out, ']');
        }
        at = end;
    }
    json_end(out, ']');
}

static void give_memory(struct text *out, const struct spoor_byte *bytes, uint64_t size)
{
    struct text hex = {0};
    for (uint64_t i = 0; i < size; i++)
        if (bytes[i].known != SPOOR_BYTE_UNKNOWN)
            text_printf(&hex, "%02x", bytes[i].value);
        else
            text_puts(&hex, "..");
    out->failed |= hex.failed;
    json_bytes(out, "bytes", hex.bytes ? hex.bytes : "", hex.size);
    text_free(&hex);
    give_writers(out, bytes, size);
}

void ask_memory(struct question *question)
{
    uint64_t address, size, moment;
    bool physical;
    struct spoor_error error = {0};
    struct explorer *explorer = question->trace->explorer;
    if (!question_moment(question, &moment) ||
        !parse_range(question, LARGEST_MEMORY, &address, &size, &physical))
        return;
    struct spoor_byte *bytes = calloc(size, sizeof *bytes);
    enum spoor_status status = bytes ? SPOOR_OK : SPOOR_ENOMEM;
    if (!bytes) spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
    for (uint64_t at = 0; status == SPOOR_OK && at < size;) {
        const struct memory_place place =
            explorer_place(explorer, address + at, size - at, physical,
                           physical ? SPACE_PHYSICAL_MEMORY : SPACE_VIRTUAL_MEMORY, moment);
        status = explorer_memory(explorer, &place, moment, bytes + at, &error);
        at += place.size;
    }
    if (status == SPOOR_OK) {
        json_hex(question->out, "address", address);
        give_memory(question->out, bytes, size);
    } else {
        refuse_error(question, status, &error);
    }
    free(bytes);
}

/* ---- the last or next write ---- */

/* "register" and "cpu", or a range; false: refused. */
static bool parse_subject(struct question *question, uint64_t moment, struct subject *subject)
{
    const char *name = parameter(question, "register");
    uint64_t address, size;
    bool physical;
    *subject = (struct subject){.is_memory = !name};
    if (name) {
        subject->part = machine_find_register(explorer_machine(question->trace->explorer), name);
        if (!subject->part.name) {
            refuse(question, 404, "the trace has no register '%.40s'", name);
            return false;
        }
        bool given;
        return parameter_cpu(question, &subject->cpu, &given);
    }
    if (!parse_range(question, LARGEST_MEMORY, &address, &size, &physical)) return false;
    subject->place =
        explorer_place(question->trace->explorer, address, size, physical,
                       physical ? SPACE_PHYSICAL_MEMORY : SPACE_VIRTUAL_MEMORY, moment);
    return true;
}

void ask_writer(struct question *question)
{
    struct explorer *explorer = question->trace->explorer;
    struct spoor_error error = {0};
    struct subject subject;
    struct touch touch;
    uint64_t moment;
    const bool next = parameter(question, "next") != NULL;
    if (!question_moment(question, &moment) || !parse_subject(question, moment, &subject)) return;
    const enum spoor_status status =
        next ? explorer_next_write(explorer, &subject, moment, &touch, &error)
             : explorer_last_write(explorer, &subject, moment, &touch, &error);
    if (status == SPOOR_END) {
        json_null(question->out, "record");
        return;
    }
    if (status != SPOOR_OK) {
        refuse_error(question, status, &error);
        return;
    }
    json_number(question->out, "record", touch.record);
    json_number(question->out, "cpu", touch.cpu);
    json_text(question->out, "value", touch.valued ? touch.value : NULL);
    if (touch.place.known) json_hex(question->out, "pc", touch.place.pc);
}

/* ---- calls ---- */

static struct calls *calls_of(struct question *question, uint64_t moment)
{
    struct calls *calls = NULL;
    struct spoor_error error = {0};
    const enum spoor_status status =
        explorer_calls(question->trace->explorer, moment, &calls, &error);
    if (status == SPOOR_OK) return calls;
    refuse_error(question, status, &error);
    return NULL;
}

void ask_stack(struct question *question)
{
    uint64_t moment;
    unsigned cpu;
    bool given;
    struct text *out = question->out;
    if (!question_moment(question, &moment) || !parameter_cpu(question, &cpu, &given)) return;
    struct calls *calls = calls_of(question, moment);
    if (!calls) return;
    const struct call_stack *stack = calls_stack(calls, cpu);
    json_number(out, "depth", stack->count);
    json_begin(out, "frames", '[');
    for (size_t i = stack->count; i-- > 0 && stack->count - i <= FRAMES;) {
        const struct call_frame *frame = &stack->frames[i];
        json_begin(out, NULL, '{');
        json_hex(out, "pc", frame->function);
        json_hex(out, "from", frame->from);
        json_number(out, "record", frame->record);
        json_bool(out, "exception", frame->kind == CALL_EXCEPTION);
        json_located(question, frame->function);
        json_end(out, '}');
    }
    json_end(out, ']');
    calls_free(calls);
}

/* Finds in the events of segments where the call ends that is open at a record. */
static bool find_end(struct question *question, unsigned cpu, size_t depth, uint64_t from,
                     uint64_t *end)
{
    const struct index *index = question->trace->index;
    *end = index->records;
    for (size_t i = index_segment_of(index, from); i < index->count; i++) {
        const struct call_events *events = question_events(question, i);
        if (!events) return false;
        for (size_t j = 0; j < events->count; j++) {
            const struct call_event *event = &events->items[j];
            if (event->cpu != cpu || event->arrival <= from || event->depth >= depth ||
                event->kind != EVENT_RETURN)
                continue;
            *end = event->arrival;
            return true;
        }
    }
    return true;
}

/* The record at which a frame's function begins; the one after the call if none is known. */
static uint64_t arrival_of(struct question *question, const struct call_frame *frame, unsigned cpu)
{
    const struct index *index = question->trace->index;
    const size_t segment = index_segment_of(index, frame->record);
    for (size_t i = segment; i <= segment + 1 && i < index->count; i++) {
        const struct call_events *events = question_events(question, i);
        for (size_t j = 0; events && j < events->count; j++)
            if (events->items[j].cpu == cpu && events->items[j].record == frame->record &&
                events->items[j].kind != EVENT_RETURN && events->items[j].arrival > frame->record)
                return events->items[j].arrival;
    }
    return frame->record + 1;
}

/* The records of the innermost call that is open: what folding it hides. */
void ask_call(struct question *question)
{
    uint64_t moment, end, begin;
    unsigned cpu;
    bool given;
    if (!question_moment(question, &moment) || !parameter_cpu(question, &cpu, &given)) return;
    struct calls *calls = calls_of(question, moment);
    if (!calls) return;
    const struct call_stack *stack = calls_stack(calls, cpu);
    const size_t depth = stack->count;
    const struct call_frame frame = depth ? stack->frames[depth - 1] : (struct call_frame){0};
    calls_free(calls);
    if (!depth) {
        refuse(question, 404, "no call is open here");
        return;
    }
    const struct timeline *timeline = &question->trace->timeline;
    const struct span_row *row =
        depth < TIMELINE_DEEPEST ? timeline_row(timeline, cpu, (unsigned)depth) : NULL;
    const struct span *span = row ? timeline_at(timeline, row, moment - 1) : NULL;
    if (span && span->begin > frame.record) {
        begin = span->begin;
        end = span->end;
    } else {
        begin = arrival_of(question, &frame, cpu);
        if (!find_end(question, cpu, depth, moment - 1, &end)) return;
    }
    json_number(question->out, "call", frame.record);
    json_number(question->out, "from", begin);
    json_number(question->out, "to", end);
    json_number(question->out, "depth", depth);
    json_hex(question->out, "pc", frame.function);
    json_located(question, frame.function);
}

/* ---- places ---- */

/* A moment as browse and state name it: the record of the row before it. */
void ask_place(struct question *question)
{
    const char *words = parameter(question, "words");
    struct spoor_moment query = {.kind = SPOOR_MOMENT_END};
    struct spoor_images *images = question->site->options->images;
    struct spoor_error error = {0};
    uint64_t moment, address;
    char named[32];
    if (words && images && strncmp(words, "pc:", 3) == 0 &&
        spoor_images_find(images, words + 3, 0, &address)) {
        snprintf(named, sizeof named, "pc:%" PRIx64, address);
        words = named;
    }
    if (!words || !spoor_moment_parse(words, &query)) {
        refuse(question, 400,
               "found '%.40s', expected a time, record:N, line:N, pc:ADDR[#K] or end",
               words ? words : "");
        return;
    }
    const enum spoor_status status =
        explorer_moment(question->trace->explorer, &query, &moment, &error);
    if (status == SPOOR_OK)
        json_number(question->out, "record", moment ? moment - 1 : 0);
    else
        refuse_error(question, status, &error);
}

/* ---- source ---- */

static void give_lines(struct question *question, const char *file, uint32_t line)
{
    struct spoor_images *images = question->site->options->images;
    const uint32_t first = line > SOURCE_LINES / 2 ? line - SOURCE_LINES / 2 : 1;
    json_text(question->out, "file", file);
    json_number(question->out, "line", line);
    json_number(question->out, "first", first);
    json_begin(question->out, "lines", '[');
    for (uint32_t at = first; at < first + SOURCE_LINES; at++) {
        const char *text = spoor_images_source_line(images, file, at);
        if (!text) break;
        json_text(question->out, NULL, text);
    }
    json_end(question->out, ']');
}

void ask_source(struct question *question)
{
    struct spoor_images *images = question->site->options->images;
    const char *words = parameter(question, "pc");
    struct spoor_place place;
    uint64_t pc;
    if (!words || !scan_all_address(words, &pc)) {
        refuse(question, 400, "pc: found '%.40s', expected an address", words ? words : "");
        return;
    }
    if (!images || !spoor_images_resolve(images, pc, &place)) {
        json_null(question->out, "file");
        return;
    }
    json_located(question, pc);
    json_begin(question->out, "inlined", '[');
    for (size_t i = 0; i < place.inlined_count; i++)
        json_text(question->out, NULL, place.inlined[i].function);
    json_end(question->out, ']');
    if (place.file && place.line)
        give_lines(question, place.file, place.line);
    else
        json_null(question->out, "file");
}

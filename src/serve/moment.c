/* SPDX-License-Identifier: MIT */
/* moment.c: the machine after a row: registers with their last writers, memory, open calls, source
 * lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/scan.h"
#include "serve/internal.h"

enum { LARGEST_MEMORY = 4096, FRAMES = 200, SOURCE_LINES = 200 };

/* ---- the traces ---- */

void ask_traces(struct question *question)
{
    struct text *out = question->out;
    json_text(out, "version", SPOOR_VERSION);
    json_bool(out, "images", question->site->options->images != NULL);
    json_bool(out, "big_endian", question->site->options->big_endian);
    json_begin(out, "traces", '[');
    for (size_t i = 0; i < question->site->count; i++) {
        const struct serve_trace *trace = &question->site->traces[i];
        json_begin(out, NULL, '{');
        json_text(out, "name", trace->name);
        json_text(out, "format", spoor_format_name(spoor_index_format(trace->index)));
        json_number(out, "records", spoor_index_records(trace->index));
        json_number(out, "bytes", spoor_index_bytes(trace->index));
        char unit[16];
        const bool ran = spoor_index_ran(trace->index, unit);
        json_text(out, "time_unit", unit);
        json_bool(out, "calls", ran);
        json_begin(out, "cpus", '[');
        for (unsigned cpu = 0; cpu < spoor_explorer_cpu_count(trace->explorer); cpu++)
            json_text(out, NULL, spoor_explorer_cpu_name(trace->explorer, cpu));
        json_end(out, ']');
        json_text(out, "damage", spoor_index_damage(trace->index));
        json_end(out, '}');
    }
    json_end(out, ']');
}

/* ---- state ---- */

static void moment_give_cpu(struct question *question, const struct spoor_state *state,
                            unsigned cpu)
{
    struct spoor_explorer *explorer = question->trace->explorer;
    struct spoor_last_instruction last = {.struct_size = sizeof last};
    struct spoor_error error = {0};
    struct text *out = question->out;
    char words[128];
    const bool known = spoor_state_last(state, cpu, &last);
    json_begin(out, NULL, '{');
    json_number(out, "cpu", cpu);
    json_text(out, "name", spoor_explorer_cpu_name(explorer, cpu));
    if (known) {
        json_hex(out, "pc", last.pc);
        json_number(out, "record", last.record);
        json_located(question, last.pc);
        const enum spoor_status status =
            spoor_explorer_text(explorer, last.record, words, sizeof words, &error);
        if (status == SPOOR_OK) json_text(out, "text", words);
        if (status < SPOOR_OK) {
            refuse_error(question, status, &error);
            return;
        }
    }
    json_number(out, "depth", spoor_state_depth(state, cpu));
    struct spoor_register *list;
    size_t count;
    out->failed |= spoor_state_registers(state, NULL, cpu, &list, &count, NULL) != SPOOR_OK;
    json_begin(out, "registers", '[');
    for (size_t i = 0; i < count; i++) {
        json_begin(out, NULL, '{');
        json_text(out, "name", list[i].name);
        json_text(out, "value", list[i].value);
        if (list[i].written) json_number(out, "writer", list[i].writer);
        if (known && list[i].written && list[i].writer >= last.record)
            json_bool(out, "changed", true);
        json_end(out, '}');
    }
    json_end(out, ']');
    free(list);
    json_end(out, '}');
}

static bool moment_note_row(void *context, const struct spoor_record_visit *visited)
{
    struct question *question = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const char *unit = spoor_record_unit(visited->batch, record);
    const uint64_t line = spoor_batch_line(visited->batch, visited->index);
    json_number(question->out, "record", visited->record);
    json_number(question->out, "cpu", visited->cpu);
    if (line) json_number(question->out, "line", line);
    if (unit && unit[0] && spoor_explorer_timed(question->trace->explorer, visited->record)) {
        json_time(question->out, "time", record->time);
        json_text(question->out, "time_unit", unit);
    }
    return false;
}

/* The state at a moment, which the caller frees; NULL: refused. */
static struct spoor_state *moment_state(struct question *question, uint64_t moment)
{
    struct spoor_state *state;
    struct spoor_error error = {0};
    const enum spoor_status status =
        spoor_explorer_state(question->trace->explorer, moment, &state, &error);
    if (status != SPOOR_OK) refuse_error(question, status, &error);
    return state;
}

void ask_state(struct question *question)
{
    struct spoor_explorer *explorer = question->trace->explorer;
    struct spoor_error error = {0};
    uint64_t moment;
    unsigned cpu = 0, end = spoor_explorer_cpu_count(explorer);
    bool one;
    if (!question_moment(question, &moment) || !parameter_cpu(question, &cpu, &one)) return;
    if (one) end = cpu + 1;
    struct spoor_state *state = moment_state(question, moment);
    if (!state) return;
    enum spoor_status status = SPOOR_OK;
    if (moment)
        status =
            spoor_explorer_visit(explorer, moment - 1, moment, moment_note_row, question, &error);
    if (status == SPOOR_OK) {
        json_begin(question->out, "cpus", '[');
        for (; cpu < end && !question->refused; cpu++) moment_give_cpu(question, state, cpu);
        if (!question->refused) json_end(question->out, ']');
    } else {
        refuse_error(question, status, &error);
    }
    spoor_state_free(state);
}

/* ---- memory ---- */

/* The range "address", "size", "physical"; false: refused. */
static bool moment_parse_range(struct question *question, uint64_t largest,
                               struct spoor_range *range)
{
    const char *space = parameter(question, "physical");
    *range = (struct spoor_range){.size = 1, .physical = space && strcmp(space, "1") == 0};
    if (!parameter_address(question, &range->address) ||
        !parameter_number(question, "size", largest, &range->size))
        return false;
    if (range->size == 0) range->size = 1;
    if (range->address > UINT64_MAX - range->size) range->size = UINT64_MAX - range->address + 1;
    return true;
}

void ask_memory(struct question *question)
{
    struct spoor_range range;
    uint64_t moment;
    struct spoor_error error = {0};
    if (!question_moment(question, &moment) ||
        !moment_parse_range(question, LARGEST_MEMORY, &range))
        return;
    struct spoor_byte *bytes = calloc(range.size, sizeof *bytes);
    const enum spoor_status status =
        bytes ? spoor_explorer_memory(question->trace->explorer, &range, moment, bytes, &error)
              : spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
    if (bytes && status == SPOOR_OK) {
        json_hex(question->out, "address", range.address);
        struct text *out = question->out;
        uint64_t size = range.size;
        struct text hex = {0};
        for (uint64_t i = 0; i < size; i++)
            if (bytes[i].known != SPOOR_BYTE_UNKNOWN)
                text_printf(&hex, "%02x", bytes[i].value);
            else
                text_puts(&hex, "..");
        out->failed |= hex.failed;
        json_bytes(out, "bytes", hex.bytes ? hex.bytes : "", hex.size);
        text_free(&hex);
        /* Runs of bytes with one writer: [offset, bytes, record]. */
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
    } else {
        refuse_error(question, status, &error);
    }
    free(bytes);
}

/* ---- the last or next write ---- */

void ask_writer(struct question *question)
{
    struct spoor_explorer *explorer = question->trace->explorer;
    struct spoor_error error = {0};
    struct spoor_subject subject;
    struct spoor_touch touch = {.struct_size = sizeof touch};
    uint64_t moment;
    const bool next = parameter(question, "next") != NULL;
    /* "register" and "cpu", or a range */
    const char *name = parameter(question, "register");
    struct spoor_range range;
    unsigned cpu = 0;
    bool given;
    if (!question_moment(question, &moment)) return;
    if (!name && (!moment_parse_range(question, LARGEST_MEMORY, &range) ||
                  !question_place(question, &range, moment, &subject)))
        return;
    if (name && !parameter_cpu(question, &cpu, &given)) return;
    if (name && (spoor_explorer_subject(explorer, name, cpu, moment, &subject, NULL) != SPOOR_OK ||
                 !subject.name)) {
        refuse(question, 404, "the trace has no register '%.40s'", name);
        return;
    }
    const enum spoor_status status =
        next ? spoor_explorer_next_write(explorer, &subject, moment, &touch, &error)
             : spoor_explorer_last_write(explorer, &subject, moment, &touch, &error);
    if (status == SPOOR_END) {
        json_text(question->out, "record", NULL);
        return;
    }
    if (status != SPOOR_OK) {
        refuse_error(question, status, &error);
        return;
    }
    json_number(question->out, "record", touch.record);
    json_number(question->out, "cpu", touch.cpu);
    json_text(question->out, "value", touch.value);
    if (touch.has_instruction) json_hex(question->out, "pc", touch.pc);
}

/* ---- calls ---- */

void ask_stack(struct question *question)
{
    uint64_t moment;
    unsigned cpu;
    bool given;
    struct text *out = question->out;
    struct spoor_frame frame = {.struct_size = sizeof frame};
    if (!question_moment(question, &moment) || !parameter_cpu(question, &cpu, &given)) return;
    struct spoor_state *state = moment_state(question, moment);
    if (!state) return;
    const size_t depth = spoor_state_depth(state, cpu);
    json_number(out, "depth", depth);
    json_begin(out, "frames", '[');
    for (size_t i = depth; i-- > 0 && depth - i <= FRAMES;) {
        spoor_state_frame(state, cpu, i, &frame);
        json_begin(out, NULL, '{');
        if (frame.known) json_hex(out, "pc", frame.function);
        if (!frame.nowhere) json_hex(out, "from", frame.from);
        json_number(out, "record", frame.record);
        json_bool(out, "exception", frame.kind == SPOOR_CALL_EXCEPTION);
        if (frame.known) json_located(question, frame.function);
        json_end(out, '}');
    }
    json_end(out, ']');
    spoor_state_free(state);
}

/* Finds in the events of segments where the call ends that is open at a record. */
static bool moment_find_end(struct question *question, unsigned cpu, size_t depth, uint64_t from,
                            uint64_t *end)
{
    const struct spoor_index *index = question->trace->index;
    const size_t count = spoor_index_segment_count(index);
    *end = spoor_index_records(index);
    for (size_t i = spoor_index_segment_of(index, from); i < count; i++) {
        const struct spoor_call_events *events = question_events(question, i);
        if (!events) return false;
        for (size_t j = 0; j < events->count; j++) {
            const struct spoor_call_event *event = &events->events[j];
            if (event->cpu != cpu || event->arrival <= from || event->depth >= depth ||
                event->kind != SPOOR_CALL_EVENT_RETURN)
                continue;
            *end = event->arrival;
            return true;
        }
    }
    return true;
}

/* The records of the innermost call that is open: what folding it hides. */
void ask_call(struct question *question)
{
    uint64_t moment, end, begin;
    unsigned cpu;
    bool given;
    if (!question_moment(question, &moment) || !parameter_cpu(question, &cpu, &given)) return;
    struct spoor_frame frame = {0};
    struct spoor_state *state = moment_state(question, moment);
    if (!state) return;
    const size_t depth = spoor_state_depth(state, cpu);
    spoor_state_frame(state, cpu, depth - 1, &frame);
    spoor_state_free(state);
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
        /* The record at which the frame's function begins; the one after the call if none is
         * known. */
        const struct spoor_index *index = question->trace->index;
        const size_t first = spoor_index_segment_of(index, frame.record);
        begin = 0;
        for (size_t i = first; i <= first + 1 && i < spoor_index_segment_count(index) && !begin;
             i++) {
            const struct spoor_call_events *events = question_events(question, i);
            for (size_t j = 0; events && j < events->count && !begin; j++) {
                const struct spoor_call_event *event = &events->events[j];
                if (event->cpu == cpu && event->record == frame.record &&
                    event->kind != SPOOR_CALL_EVENT_RETURN && event->arrival > frame.record)
                    begin = event->arrival;
            }
        }
        if (!begin) begin = frame.record + 1;
        if (!moment_find_end(question, cpu, depth, moment - 1, &end)) return;
    }
    json_number(question->out, "call", frame.record);
    json_number(question->out, "from", begin);
    json_number(question->out, "to", end);
    json_number(question->out, "depth", depth);
    if (!frame.known) return;
    json_hex(question->out, "pc", frame.function);
    json_located(question, frame.function);
}

/* ---- places ---- */

/* A moment as browse and state name it: the record of the row before it. */
void ask_place(struct question *question)
{
    const char *words = parameter(question, "words");
    struct spoor_error error = {0};
    uint64_t moment;
    const enum spoor_status status =
        spoor_explorer_moment(question->trace->explorer, words ? words : "", &moment, &error);
    if (status == SPOOR_OK)
        json_number(question->out, "record", moment ? moment - 1 : 0);
    else
        refuse_error(question, status, &error);
}

/* ---- source ---- */

void ask_source(struct question *question)
{
    struct spoor_images *images = question->site->options->images;
    const char *words = parameter(question, "pc");
    struct spoor_place place = {.struct_size = sizeof place};
    uint64_t pc;
    if (!words || !scan_all_address(words, &pc)) {
        refuse(question, 400, "pc: found '%.40s', expected an address", words ? words : "");
        return;
    }
    if (!images || !spoor_images_resolve(images, pc, &place)) {
        json_text(question->out, "file", NULL);
        return;
    }
    json_located(question, pc);
    json_begin(question->out, "inlined", '[');
    for (size_t i = 0; i < place.inlined_count; i++)
        json_text(question->out, NULL, place.inlined[i].function);
    json_end(question->out, ']');
    if (!place.file || !place.line) {
        json_text(question->out, "file", NULL);
        return;
    }
    const uint32_t first = place.line > SOURCE_LINES / 2 ? place.line - SOURCE_LINES / 2 : 1;
    json_text(question->out, "file", place.file);
    json_number(question->out, "line", place.line);
    json_number(question->out, "first", first);
    json_begin(question->out, "lines", '[');
    for (uint32_t at = first; at < first + SOURCE_LINES; at++) {
        const char *text = spoor_images_source_line(images, place.file, at);
        if (!text) break;
        json_text(question->out, NULL, text);
    }
    json_end(question->out, ']');
}

/* SPDX-License-Identifier: MIT */
/*
 * rows.c: the rows of a trace from a place on, forwards or backwards.
 *
 * A row is a line of a text trace, or a record of a binary one.  Rows can be left out: those of a
 * folded call (`fold`), those deeper than some calls (`depth`), those of other processors (`cpu`),
 * and those that an expression does not accept (`where`).  A question that takes long stops after
 * ROWS_MILLISECONDS with `next`, the place to go on from.
 */
#include <stdlib.h>

#include "base/scan.h"
#include "serve/internal.h"
#include "spoor/field.h"

enum { ROWS_MILLISECONDS = 150, ROWS = 200, FOLDS = 64, LONGEST_TEXT = 200 };

struct row_fact {
    uint64_t record, count, pc, time;
    uint32_t depth;
    unsigned cpu;
    bool begins, timed; /* begins: an instruction, at `pc` */
    uint8_t kind;
};
struct row_fold {
    uint64_t from, to;
};
struct row_search {
    struct question *question;
    struct spoor_select *where; /* NULL: all */
    const char *text;           /* a part of the row's line; NULL: any */
    struct spoor_skipper_options selection;
    struct row_fold folds[FOLDS];
    size_t fold_count;
    unsigned cpu;
    bool by_cpu, back;
    bool parts;     /* the answer has the fields of each record */
    uint64_t depth; /* the deepest that is shown */
    size_t limit;
    struct row_fact facts[ROWS]; /* forwards in order; backwards a ring */
    size_t count, first;         /* first: of the ring */
    uint64_t next;               /* the place to go on from */
    /* while records are visited: */
    const struct spoor_call_events *events;
    size_t event;
    uint32_t *depths;
    const struct spoor_batch *batch;
    size_t place;
    struct row_fact row; /* the one that is being read */
    bool in_row, accepted;
    enum spoor_status status; /* of reading the lines of rows */
    struct spoor_error error;
};

/* ---- parameters ---- */

static bool rows_parse(struct row_search *search)
{
    struct question *question = search->question;
    struct spoor_error error = {0};
    const char *where = parameter(question, "where"), *folds = parameter(question, "fold");
    uint64_t limit = 50;
    search->depth = UINT64_MAX;
    search->text = parameter(question, "text");
    search->parts = parameter(question, "parts") != NULL;
    if (!parameter_number(question, "count", ROWS, &limit) ||
        !parameter_number(question, "depth", UINT32_MAX, &search->depth) ||
        !parameter_cpu(question, &search->cpu, &search->by_cpu) ||
        (search->depth < TIMELINE_DEEPEST && !question_has_timeline(question)))
        return false;
    struct scan scan = {folds, folds ? folds + strlen(folds) : NULL};
    while (folds && *folds) {
        struct row_fold *row_fold = &search->folds[search->fold_count];
        if (search->fold_count == FOLDS || !scan_decimal(&scan, &row_fold->from) ||
            !scan_char(&scan, '-') || !scan_decimal(&scan, &row_fold->to) ||
            row_fold->to <= row_fold->from) {
            refuse(question, 400, "fold: expected at most %d ranges of records FROM-TO", FOLDS);
            return false;
        }
        search->fold_count++;
        if (!scan_char(&scan, ',')) break;
    }
    search->limit = limit ? (size_t)limit : 1;
    if (where && *where && spoor_select_compile(&search->where, where, &error) != SPOOR_OK) {
        refuse(question, 400, "%s", error.text);
        return false;
    }
    search->selection = (struct spoor_skipper_options){.struct_size = sizeof search->selection,
                                                       .where = search->where};
    return true;
}

/* ---- visiting ---- */

static const struct row_fold *rows_fold_at(const struct row_search *search, uint64_t record)
{
    for (size_t i = 0; i < search->fold_count; i++)
        if (record >= search->folds[i].from && record < search->folds[i].to)
            return &search->folds[i];
    return NULL;
}

/* False: no row of a segment is accepted, which its digest or its text shows. */
static bool rows_may_be_in(const struct row_search *search, size_t number)
{
    const struct serve_trace *trace = search->question->trace;
    struct spoor_segment segment = {.struct_size = sizeof segment};
    if (search->where && !spoor_index_may_select(trace->index, number, &search->selection))
        return false;
    if (!search->text || spoor_listing_stream(trace->listing)->container ||
        spoor_format_record_size(spoor_index_format(trace->index)) ||
        !spoor_index_segment(trace->index, number, &segment))
        return true;
    /* True if a segment has the text in its bytes; and where they cannot be read: who reads its
     * rows says why. */
    struct spoor_listing *listing = search->question->trace->listing;
    const size_t size = strlen(search->text);
    struct spoor_listing_row row = {.struct_size = sizeof row};
    for (uint64_t at = segment.offset; at < segment.offset + segment.bytes;) {
        if (spoor_listing_at(listing, at, &row, NULL) != SPOOR_OK) return true;
        if (memmem(row.batch->text, row.batch->text_size, search->text, size)) return true;
        const uint64_t end = row.batch->offset + row.batch->text_size;
        if (end <= at) return true;
        at = end;
    }
    return false;
}

static bool rows_are_full(const struct row_search *search)
{
    return !search->back && search->count == search->limit;
}

/* Ends the row that was being read. */
static void rows_end_row(struct row_search *search)
{
    if (!search->in_row) return;
    search->in_row = false;
    search->next = search->row.record + search->row.count;
    if (!search->accepted || (search->by_cpu && search->row.cpu != search->cpu) ||
        search->row.depth > search->depth || rows_fold_at(search, search->row.record))
        return;
    if (search->text) { /* which the line of the row must have */
        struct spoor_listing *listing = search->question->trace->listing;
        struct spoor_listing_row row = {.struct_size = sizeof row};
        size_t size;
        search->status = spoor_listing_of_record(listing, search->row.record, &row, &search->error);
        if (search->status != SPOOR_OK) return;
        const char *text = spoor_listing_text(listing, &row, &size);
        search->question->out->failed |= !text;
        if (!text || !memmem(text, size, search->text, strlen(search->text))) return;
    }
    size_t at = search->count;
    if (search->count < search->limit)
        search->count++;
    else
        at = search->first++ % search->limit;
    search->facts[at] = search->row;
}

static bool rows_visit(void *context, const struct spoor_record_visit *visited)
{
    struct row_search *search = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const size_t place = spoor_batch_place(visited->batch, visited->index);
    if (visited->batch != search->batch || place != search->place) {
        rows_end_row(search);
        if (rows_are_full(search) || search->status < SPOOR_OK) return false;
        /* The calls that are open at the record on its processor. */
        const struct spoor_call_events *events = search->events;
        for (; search->event < events->count &&
               events->events[search->event].arrival <= visited->record;
             search->event++) {
            const struct spoor_call_event *event = &events->events[search->event];
            if (event->cpu < events->cpu_count) search->depths[event->cpu] = event->depth;
        }
        const unsigned cpu = visited->cpu;
        search->batch = visited->batch;
        search->place = place;
        search->in_row = true;
        search->accepted = !search->where;
        search->row = (struct row_fact){.record = visited->record,
                                        .cpu = cpu,
                                        .depth = cpu < events->cpu_count ? search->depths[cpu] : 0,
                                        .time = record->time,
                                        .timed = record->has & SPOOR_HAS_TIME,
                                        .kind = record->kind};
    }
    search->row.count++;
    if (visited->has_instruction && visited->instruction == visited->record) {
        search->row.begins = true;
        search->row.pc = visited->pc;
    }
    search->accepted =
        search->accepted || spoor_select_match(search->where, visited->batch, visited->index);
    return true;
}

/* Visits the rows of a segment; false: refused. */
static bool rows_visit_segment(struct row_search *search, size_t segment, uint64_t from,
                               uint64_t to)
{
    struct question *question = search->question;
    struct spoor_error error = {0};
    search->events = question_events(question, segment);
    if (!search->events) return false;
    search->depths = calloc(search->events->cpu_count + 1, sizeof *search->depths);
    enum spoor_status status = SPOOR_ENOMEM;
    if (search->depths) {
        memcpy(search->depths, search->events->depths,
               search->events->cpu_count * sizeof *search->depths);
        search->event = 0;
        search->batch = NULL;
        search->in_row = false;
        status =
            spoor_explorer_visit(question->trace->explorer, from, to, rows_visit, search, &error);
        if (status == SPOOR_OK) status = spoor_select_status(search->where, &error);
        rows_end_row(search);
    }
    free(search->depths);
    search->depths = NULL;
    if (status >= SPOOR_OK && search->status < SPOOR_OK) {
        status = search->status;
        error = search->error;
    }
    if (status < SPOOR_OK) refuse_error(question, status, &error);
    return status >= SPOOR_OK;
}

/* The record up to which all is hidden, by a fold or by a long call that is too deep; `record`
 * itself if it may be shown. */
static uint64_t rows_hidden_up_to(const struct row_search *search, uint64_t record, bool back)
{
    const struct timeline *timeline = &search->question->trace->timeline;
    const struct row_fold *row_fold = rows_fold_at(search, record);
    const bool one = spoor_explorer_cpu_count(search->question->trace->explorer) == 1;
    if (row_fold) return back ? (row_fold->from ? row_fold->from - 1 : 0) : row_fold->to;
    if (search->depth >= TIMELINE_DEEPEST || !(one || search->by_cpu)) return record;
    const struct span_row *row =
        timeline_row(timeline, one ? 0 : search->cpu, (unsigned)search->depth + 1);
    const struct span *span = row ? timeline_at(timeline, row, record) : NULL;
    if (!span) return record;
    return back ? (span->begin ? span->begin - 1 : 0) : span->end;
}

static void rows_reverse(struct row_fact *facts, size_t from, size_t to)
{
    for (; from + 1 < to; from++, to--) {
        const struct row_fact fact = facts[from];
        facts[from] = facts[to - 1];
        facts[to - 1] = fact;
    }
}

/* The rows before `to`: segment by segment, each read forwards. */
static void rows_find_backwards(struct row_search *search, uint64_t to, struct row_fact *all,
                                size_t *count)
{
    const struct spoor_index *index = search->question->trace->index;
    struct spoor_segment segment = {.struct_size = sizeof segment};
    const uint64_t end = clock_milliseconds() + ROWS_MILLISECONDS;
    const size_t limit = search->limit;
    while (to > 0 && *count < limit && clock_milliseconds() < end) {
        const uint64_t shown = rows_hidden_up_to(search, to - 1, true);
        if (shown < to - 1) {
            to = shown + 1;
            continue;
        }
        const size_t number = spoor_index_segment_of(index, to - 1);
        spoor_index_segment(index, number, &segment);
        search->limit = limit - *count;
        search->count = search->first = 0;
        if (rows_may_be_in(search, number) && !rows_visit_segment(search, number, segment.from, to))
            return;
        /* Puts the rows of the ring in order. */
        const size_t first = search->limit ? search->first % search->limit : 0;
        rows_reverse(search->facts, 0, first);
        rows_reverse(search->facts, first, search->count);
        rows_reverse(search->facts, 0, search->count);
        search->first = 0;
        const bool full = search->count == search->limit;
        *count += search->count;
        memcpy(all + limit - *count, search->facts, search->count * sizeof *all);
        to = full ? all[limit - *count].record : segment.from;
    }
    search->next = to;
}

/* ---- the fields of a row ---- */

static void rows_give_value(struct text *out, const char *key, const struct spoor_value *value)
{
    struct text digits = {0};
    const struct spoor_slice *text = &value->text;
    switch (value->type) {
    case SPOOR_VALUE_ABSENT: return;
    case SPOOR_VALUE_TEXT: json_bytes(out, key, text->bytes, text->size); return;
    case SPOOR_VALUE_BOOL: json_bool(out, key, value->number != 0); return;
    case SPOOR_VALUE_UNSIGNED: json_number(out, key, value->number); return;
    case SPOOR_VALUE_SIGNED: text_printf(&digits, "%lld", (long long)value->signed_number); break;
    case SPOOR_VALUE_HEX: text_printf(&digits, "0x%llx", (unsigned long long)value->number); break;
    case SPOOR_VALUE_BYTES: /* the lowest comes first */
        text_puts(&digits, "0x");
        for (size_t i = text->size; i-- > 0;) text_printf(&digits, "%02x", (uint8_t)text->bytes[i]);
        break;
    }
    for (size_t i = 0; value->unknown && i < 32 && i + 2 < digits.size; i++)
        if (value->unknown >> i & 1 && !digits.failed) digits.bytes[digits.size - 1 - i] = '?';
    out->failed |= digits.failed;
    json_bytes(out, key, digits.bytes ? digits.bytes : "", digits.size);
    text_free(&digits);
}

/* What the records of a row state: each its kind, and those of some fields that it has. */
static void rows_give_parts(struct text *out, const struct spoor_listing_row *row)
{
    enum { PARTS = 16 };
    static const enum spoor_field fields[] = {
        SPOOR_FIELD_KIND,  SPOOR_FIELD_OP,     SPOOR_FIELD_DISASM,  SPOOR_FIELD_OPCODE,
        SPOOR_FIELD_MACRO, SPOOR_FIELD_MICRO,  SPOOR_FIELD_REG,     SPOOR_FIELD_VALUE,
        SPOOR_FIELD_PC,    SPOOR_FIELD_TARGET, SPOOR_FIELD_ADDRESS, SPOOR_FIELD_PA,
        SPOOR_FIELD_SIZE,  SPOOR_FIELD_DATA,   SPOOR_FIELD_EVENT};
    json_begin(out, "parts", '[');
    for (size_t i = 0; i < row->count && i < PARTS; i++) {
        json_begin(out, NULL, '{');
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            const struct spoor_value value = spoor_field_get(row->batch, row->index + i, fields[k]);
            rows_give_value(out, spoor_field_name(fields[k]), &value);
        }
        json_end(out, '}');
    }
    json_end(out, ']');
}

/* ---- the answer ---- */

static void rows_give_row(struct row_search *search, const struct row_fact *fact)
{
    struct question *question = search->question;
    struct text *out = question->out;
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    json_begin(out, NULL, '{');
    json_number(out, "record", fact->record);
    json_number(out, "count", fact->count);
    json_number(out, "cpu", fact->cpu);
    json_number(out, "depth", fact->depth);
    if (fact->timed) json_time(out, "time", fact->time);
    if (fact->begins) {
        struct spoor_place place = {.struct_size = sizeof place};
        json_hex(out, "pc", fact->pc);
        if (question->site->options->images &&
            spoor_images_function(question->site->options->images, fact->pc, &place)) {
            if (place.offset == 0) json_text(out, "function", place.function);
            if (search->parts && place.function) {
                json_text(out, "symbol", place.function);
                json_number(out, "offset", place.offset);
            }
        }
    }
    const enum spoor_status status =
        spoor_listing_of_record(question->trace->listing, fact->record, &row, &error);
    if (status < SPOOR_OK) {
        refuse_error(question, status, &error);
        return;
    }
    if (status == SPOOR_OK) {
        size_t size;
        const char *text = spoor_listing_text(question->trace->listing, &row, &size);
        if (row.line) json_number(out, "line", row.line);
        if (search->parts) rows_give_parts(out, &row);
        json_bytes(out, "text", text ? text : "", size > LONGEST_TEXT ? LONGEST_TEXT : size);
        out->failed |= !text;
    }
    json_end(out, '}');
}

/* The rows from the one that has a record on, or before it. */
static void rows_answer(struct row_search *search, uint64_t at, struct row_fact *all)
{
    struct question *question = search->question;
    struct text *out = question->out;
    const uint64_t records = spoor_index_records(question->trace->index);
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    if (at && at < records) {
        const enum spoor_status status =
            spoor_listing_of_record(question->trace->listing, at, &row, &error);
        if (status == SPOOR_OK) at = row.record;
        if (status < SPOOR_OK) refuse_error(question, status, &error);
        if (status < SPOOR_OK) return;
    }
    const struct row_fact *facts = search->facts;
    size_t count = 0;
    if (search->back) {
        const size_t limit = search->limit;
        rows_find_backwards(search, at < records ? at : records, all, &count);
        facts = all + limit - count;
    } else {
        const struct spoor_index *index = question->trace->index;
        struct spoor_segment segment = {.struct_size = sizeof segment};
        const uint64_t end = clock_milliseconds() + ROWS_MILLISECONDS;
        while (at < records && !rows_are_full(search) && clock_milliseconds() < end) {
            const uint64_t shown = rows_hidden_up_to(search, at, false);
            if (shown > at) {
                at = shown;
                continue;
            }
            const size_t number = spoor_index_segment_of(index, at);
            spoor_index_segment(index, number, &segment);
            if (rows_may_be_in(search, number) &&
                !rows_visit_segment(search, number, at, segment.end))
                return;
            at = rows_are_full(search) ? search->next : segment.end;
        }
        search->next = at;
        count = search->count;
    }
    if (question->refused) return;
    json_begin(out, "rows", '[');
    for (size_t i = 0; i < count && !question->refused; i++) rows_give_row(search, &facts[i]);
    if (question->refused) return;
    json_end(out, ']');
    json_number(out, "next", search->next);
    json_bool(out, "end", search->back ? search->next == 0 : search->next >= records);
}

void ask_rows(struct question *question)
{
    struct row_search *search = calloc(1, sizeof *search);
    struct row_fact *all = calloc(ROWS, sizeof *all);
    uint64_t at = 0, before = 0;
    if (!search || !all) {
        refuse(question, 500, "out of memory");
    } else {
        search->question = question;
        search->back = parameter(question, "before") != NULL;
        if (rows_parse(search) && parameter_number(question, "at", UINT64_MAX, &at) &&
            parameter_number(question, "before", UINT64_MAX, &before))
            rows_answer(search, search->back ? before : at, all);
        spoor_select_free(search->where);
    }
    free(search);
    free(all);
}

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

enum { ROWS_MILLISECONDS = 150, ROWS = 200, FOLDS = 64, LONGEST_TEXT = 200 };

struct row_fact {
    uint64_t record, count, pc, time;
    uint32_t depth;
    unsigned cpu;
    bool begins, timed; /* begins: an instruction, at `pc` */
    uint8_t kind;
};
struct folded {
    uint64_t from, to;
};
struct finding {
    struct question *question;
    struct spoor_select *where; /* NULL: all */
    const char *text;           /* a part of the row's line; NULL: any */
    struct spoor_skipper_options selection;
    struct folded folds[FOLDS];
    size_t fold_count;
    unsigned cpu;
    bool by_cpu, back;
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

static bool parse_folds(struct finding *finding)
{
    const char *words = parameter(finding->question, "fold");
    if (!words || !*words) return true;
    struct scan scan = {words, words + strlen(words)};
    do {
        struct folded *folded = &finding->folds[finding->fold_count];
        if (finding->fold_count == FOLDS || !scan_decimal(&scan, &folded->from) ||
            !scan_char(&scan, '-') || !scan_decimal(&scan, &folded->to) ||
            folded->to <= folded->from) {
            refuse(finding->question, 400, "fold: expected at most %d ranges of records FROM-TO",
                   FOLDS);
            return false;
        }
        finding->fold_count++;
    } while (scan_char(&scan, ','));
    return true;
}

static bool serve_rows_parse(struct finding *finding)
{
    struct question *question = finding->question;
    struct spoor_error error = {0};
    const char *where = parameter(question, "where");
    uint64_t limit = 50;
    finding->depth = UINT64_MAX;
    finding->text = parameter(question, "text");
    if (!parameter_number(question, "count", ROWS, &limit) ||
        !parameter_number(question, "depth", UINT32_MAX, &finding->depth) ||
        !parameter_cpu(question, &finding->cpu, &finding->by_cpu) || !parse_folds(finding))
        return false;
    finding->limit = limit ? (size_t)limit : 1;
    if (where && *where && spoor_select_compile(&finding->where, where, &error) != SPOOR_OK) {
        refuse(question, 400, "%s", error.text);
        return false;
    }
    finding->selection = (struct spoor_skipper_options){.struct_size = sizeof finding->selection,
                                                        .where = finding->where};
    return true;
}

/* ---- visiting ---- */

static const struct folded *folded_at(const struct finding *finding, uint64_t record)
{
    for (size_t i = 0; i < finding->fold_count; i++)
        if (record >= finding->folds[i].from && record < finding->folds[i].to)
            return &finding->folds[i];
    return NULL;
}

/* True if the line of the row has the text. */
static bool has_text(struct finding *finding)
{
    struct spoor_listing *listing = finding->question->trace->listing;
    struct spoor_listing_row row;
    size_t size;
    if (!finding->text) return true;
    finding->status = spoor_listing_of_record(listing, finding->row.record, &row, &finding->error);
    if (finding->status != SPOOR_OK) return false;
    const char *text = spoor_listing_text(listing, &row, &size);
    finding->question->out->failed |= !text;
    return text && memmem(text, size, finding->text, strlen(finding->text)) != NULL;
}

/* False: no row of a segment is accepted, which its digest or its text shows. */
static bool may_have_rows(const struct finding *finding, size_t number)
{
    const struct explored *trace = finding->question->trace;
    struct spoor_segment segment;
    if (finding->where && !spoor_index_may_select(trace->index, number, &finding->selection))
        return false;
    if (!finding->text || spoor_listing_stream(trace->listing)->container ||
        spoor_format_record_size(spoor_index_format(trace->index)) ||
        !spoor_index_segment(trace->index, number, &segment))
        return true;
    /* True if a segment has the text in its bytes; and where they cannot be read: who reads its
     * rows says why. */
    struct spoor_listing *listing = finding->question->trace->listing;
    const size_t size = strlen(finding->text);
    struct spoor_listing_row row;
    for (uint64_t at = segment.offset; at < segment.offset + segment.bytes;) {
        if (spoor_listing_at(listing, at, &row, NULL) != SPOOR_OK) return true;
        if (memmem(row.batch->text, row.batch->text_size, finding->text, size)) return true;
        const uint64_t end = row.batch->offset + row.batch->text_size;
        if (end <= at) return true;
        at = end;
    }
    return false;
}

static bool serve_rows_is_full(const struct finding *finding)
{
    return !finding->back && finding->count == finding->limit;
}

/* Ends the row that was being read. */
static void end_row(struct finding *finding)
{
    if (!finding->in_row) return;
    finding->in_row = false;
    finding->next = finding->row.record + finding->row.count;
    if (!finding->accepted || (finding->by_cpu && finding->row.cpu != finding->cpu) ||
        finding->row.depth > finding->depth || folded_at(finding, finding->row.record) ||
        !has_text(finding))
        return;
    size_t at = finding->count;
    if (finding->count < finding->limit)
        finding->count++;
    else
        at = finding->first++ % finding->limit;
    finding->facts[at] = finding->row;
}

/* The calls that are open at a record of a processor. */
static uint32_t depth_at(struct finding *finding, uint64_t record, unsigned cpu)
{
    const struct spoor_call_events *events = finding->events;
    for (; finding->event < events->count && events->events[finding->event].arrival <= record;
         finding->event++) {
        const struct spoor_call_event *event = &events->events[finding->event];
        if (event->cpu < events->cpu_count) finding->depths[event->cpu] = event->depth;
    }
    return cpu < events->cpu_count ? finding->depths[cpu] : 0;
}

static bool serve_rows_visit(void *context, const struct spoor_visited *visited)
{
    struct finding *finding = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const size_t place = spoor_batch_place(visited->batch, visited->index);
    if (visited->batch != finding->batch || place != finding->place) {
        end_row(finding);
        if (serve_rows_is_full(finding) || finding->status < SPOOR_OK) return false;
        finding->batch = visited->batch;
        finding->place = place;
        finding->in_row = true;
        finding->accepted = !finding->where;
        finding->row = (struct row_fact){.record = visited->record,
                                         .cpu = visited->cpu,
                                         .depth = depth_at(finding, visited->record, visited->cpu),
                                         .time = record->time,
                                         .timed = record->has & SPOOR_HAS_TIME,
                                         .kind = record->kind};
    }
    finding->row.count++;
    if (visited->has_instruction && visited->instruction == visited->record) {
        finding->row.begins = true;
        finding->row.pc = visited->pc;
    }
    finding->accepted =
        finding->accepted || spoor_select_match(finding->where, visited->batch, visited->index);
    return true;
}

/* Visits the rows of a segment; false: refused. */
static bool visit_segment(struct finding *finding, size_t segment, uint64_t from, uint64_t to)
{
    struct question *question = finding->question;
    struct spoor_error error = {0};
    finding->events = question_events(question, segment);
    if (!finding->events) return false;
    finding->depths = calloc(finding->events->cpu_count + 1, sizeof *finding->depths);
    enum spoor_status status = SPOOR_ENOMEM;
    if (finding->depths) {
        memcpy(finding->depths, finding->events->depths,
               finding->events->cpu_count * sizeof *finding->depths);
        finding->event = 0;
        finding->batch = NULL;
        finding->in_row = false;
        status = spoor_explorer_visit(question->trace->explorer, from, to, serve_rows_visit,
                                      finding, &error);
        if (status == SPOOR_OK) status = spoor_select_status(finding->where, &error);
        end_row(finding);
    }
    free(finding->depths);
    finding->depths = NULL;
    if (status >= SPOOR_OK && finding->status < SPOOR_OK) {
        status = finding->status;
        error = finding->error;
    }
    if (status < SPOOR_OK) refuse_error(question, status, &error);
    return status >= SPOOR_OK;
}

/* The record up to which all is hidden, by a fold or by a long call that is too deep; `record`
 * itself if it may be shown. */
static uint64_t hidden_up_to(const struct finding *finding, uint64_t record, bool back)
{
    const struct timeline *timeline = &finding->question->trace->timeline;
    const struct folded *folded = folded_at(finding, record);
    const bool one = spoor_explorer_cpu_count(finding->question->trace->explorer) == 1;
    if (folded) return back ? (folded->from ? folded->from - 1 : 0) : folded->to;
    if (finding->depth >= TIMELINE_DEEPEST || !(one || finding->by_cpu)) return record;
    const struct span_row *row =
        timeline_row(timeline, one ? 0 : finding->cpu, (unsigned)finding->depth + 1);
    const struct span *span = row ? timeline_at(timeline, row, record) : NULL;
    if (!span) return record;
    return back ? (span->begin ? span->begin - 1 : 0) : span->end;
}

static void find_forwards(struct finding *finding, uint64_t from)
{
    const struct spoor_index *index = finding->question->trace->index;
    struct spoor_segment segment;
    const uint64_t end = clock_milliseconds() + ROWS_MILLISECONDS;
    while (from < spoor_index_records(index) && !serve_rows_is_full(finding) &&
           clock_milliseconds() < end) {
        const uint64_t shown = hidden_up_to(finding, from, false);
        if (shown > from) {
            from = shown;
            continue;
        }
        const size_t number = spoor_index_segment_of(index, from);
        spoor_index_segment(index, number, &segment);
        if (may_have_rows(finding, number) && !visit_segment(finding, number, from, segment.end))
            return;
        from = serve_rows_is_full(finding) ? finding->next : segment.end;
    }
    finding->next = from;
}

static void serve_rows_reverse(struct row_fact *facts, size_t from, size_t to)
{
    for (; from + 1 < to; from++, to--) {
        const struct row_fact fact = facts[from];
        facts[from] = facts[to - 1];
        facts[to - 1] = fact;
    }
}

/* The rows before `to`: segment by segment, each read forwards. */
static void find_backwards(struct finding *finding, uint64_t to, struct row_fact *all,
                           size_t *count)
{
    const struct spoor_index *index = finding->question->trace->index;
    struct spoor_segment segment;
    const uint64_t end = clock_milliseconds() + ROWS_MILLISECONDS;
    const size_t limit = finding->limit;
    while (to > 0 && *count < limit && clock_milliseconds() < end) {
        const uint64_t shown = hidden_up_to(finding, to - 1, true);
        if (shown < to - 1) {
            to = shown + 1;
            continue;
        }
        const size_t number = spoor_index_segment_of(index, to - 1);
        spoor_index_segment(index, number, &segment);
        finding->limit = limit - *count;
        finding->count = finding->first = 0;
        if (may_have_rows(finding, number) && !visit_segment(finding, number, segment.from, to))
            return;
        /* Puts the rows of the ring in order. */
        const size_t first = finding->limit ? finding->first % finding->limit : 0;
        serve_rows_reverse(finding->facts, 0, first);
        serve_rows_reverse(finding->facts, first, finding->count);
        serve_rows_reverse(finding->facts, 0, finding->count);
        finding->first = 0;
        const bool full = finding->count == finding->limit;
        *count += finding->count;
        memcpy(all + limit - *count, finding->facts, finding->count * sizeof *all);
        to = full ? all[limit - *count].record : segment.from;
    }
    finding->next = to;
}

/* ---- the answer ---- */

static void serve_rows_give_row(struct finding *finding, const struct row_fact *fact)
{
    struct question *question = finding->question;
    struct text *out = question->out;
    struct spoor_error error = {0};
    struct spoor_listing_row row;
    json_begin(out, NULL, '{');
    json_number(out, "record", fact->record);
    json_number(out, "count", fact->count);
    json_number(out, "cpu", fact->cpu);
    json_number(out, "depth", fact->depth);
    if (fact->timed) json_time(out, "time", fact->time);
    if (fact->begins) {
        struct spoor_place place;
        json_hex(out, "pc", fact->pc);
        if (question->site->options->images &&
            spoor_images_function(question->site->options->images, fact->pc, &place) &&
            place.offset == 0)
            json_text(out, "function", place.function);
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
        json_bytes(out, "text", text ? text : "", size > LONGEST_TEXT ? LONGEST_TEXT : size);
        out->failed |= !text;
    }
    json_end(out, '}');
}

static void give_rows(struct finding *finding, const struct row_fact *facts, size_t count)
{
    struct text *out = finding->question->out;
    if (finding->question->refused) return;
    json_begin(out, "rows", '[');
    for (size_t i = 0; i < count && !finding->question->refused; i++)
        serve_rows_give_row(finding, &facts[i]);
    if (finding->question->refused) return;
    json_end(out, ']');
    json_number(out, "next", finding->next);
    json_bool(out, "end",
              finding->back
                  ? finding->next == 0
                  : finding->next >= spoor_index_records(finding->question->trace->index));
}

/* The first record of the row that has the record. */
static bool row_begin(struct question *question, uint64_t *record)
{
    struct spoor_error error = {0};
    struct spoor_listing_row row;
    if (*record == 0 || *record >= spoor_index_records(question->trace->index)) return true;
    const enum spoor_status status =
        spoor_listing_of_record(question->trace->listing, *record, &row, &error);
    if (status == SPOOR_OK) *record = row.record;
    if (status < SPOOR_OK) refuse_error(question, status, &error);
    return status >= SPOOR_OK;
}

void ask_rows(struct question *question)
{
    struct finding *finding = calloc(1, sizeof *finding);
    struct row_fact *all = calloc(ROWS, sizeof *all);
    uint64_t at = 0, before = 0;
    if (!finding || !all) {
        refuse(question, 500, "out of memory");
    } else {
        finding->question = question;
        finding->back = parameter(question, "before") != NULL;
        if (serve_rows_parse(finding) && parameter_number(question, "at", UINT64_MAX, &at) &&
            parameter_number(question, "before", UINT64_MAX, &before) &&
            row_begin(question, finding->back ? &before : &at)) {
            size_t count = 0;
            const size_t limit = finding->limit;
            if (finding->back)
                find_backwards(finding,
                               before < spoor_index_records(question->trace->index)
                                   ? before
                                   : spoor_index_records(question->trace->index),
                               all, &count);
            else
                find_forwards(finding, at);
            give_rows(finding, finding->back ? all + limit - count : finding->facts,
                      finding->back ? count : finding->count);
        }
        spoor_select_free(finding->where);
    }
    free(finding);
    free(all);
}

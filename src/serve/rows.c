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
    struct index_selection selection;
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
    const struct call_events *events;
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

static bool parse(struct finding *finding)
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
    finding->selection.where = finding->where;
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
    struct listing *listing = finding->question->trace->listing;
    struct text text = {0};
    struct row row;
    if (!finding->text) return true;
    finding->status = listing_of_record(listing, finding->row.record, &row, &finding->error);
    if (finding->status != SPOOR_OK) return false;
    if (row.text) return memmem(row.text, row.size, finding->text, strlen(finding->text)) != NULL;
    listing_text(listing, &row, &text);
    const bool found =
        text.size && memmem(text.bytes, text.size, finding->text, strlen(finding->text)) != NULL;
    finding->question->out->failed |= text.failed;
    text_free(&text);
    return found;
}

/* False: no row of a segment is accepted, which its digest or its text shows. */
static bool may_have_rows(struct finding *finding, size_t segment)
{
    const struct explored *trace = finding->question->trace;
    struct spoor_error error = {0};
    const struct spoor_batch *batches;
    size_t count;
    if (finding->where && !index_selects(trace->index, segment, &finding->selection)) return false;
    if (!finding->text || spoor_format_record_size(trace->index->format) ||
        explorer_segment(trace->explorer, segment, &batches, &count, &error) != SPOOR_OK)
        return true;
    for (size_t i = 0; i < count; i++)
        if (memmem(batches[i].text, batches[i].text_size, finding->text, strlen(finding->text)))
            return true;
    return false;
}

static bool is_full(const struct finding *finding)
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
    const struct call_events *events = finding->events;
    for (; finding->event < events->count && events->items[finding->event].arrival <= record;
         finding->event++) {
        const struct call_event *event = &events->items[finding->event];
        if (event->cpu < events->cpu_count) finding->depths[event->cpu] = event->depth;
    }
    return cpu < events->cpu_count ? finding->depths[cpu] : 0;
}

static bool visit(void *context, const struct visited *visited)
{
    struct finding *finding = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const size_t place = spoor_batch_place(visited->batch, visited->index);
    if (visited->batch != finding->batch || place != finding->place) {
        end_row(finding);
        if (is_full(finding) || finding->status < SPOOR_OK) return false;
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
    if (visited->place->known && visited->place->record == visited->record) {
        finding->row.begins = true;
        finding->row.pc = visited->place->pc;
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
        status = explorer_visit_segment(question->trace->explorer, segment, from, to, visit,
                                        finding, &error);
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
    const bool one = machine_cpu_count(explorer_machine(finding->question->trace->explorer)) == 1;
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
    const struct index *index = finding->question->trace->index;
    const uint64_t end = clock_milliseconds() + ROWS_MILLISECONDS;
    while (from < index->records && !is_full(finding) && clock_milliseconds() < end) {
        const uint64_t shown = hidden_up_to(finding, from, false);
        if (shown > from) {
            from = shown;
            continue;
        }
        const size_t segment = index_segment_of(index, from);
        const uint64_t after =
            index->segments[segment].place.record + index->segments[segment].records;
        if (may_have_rows(finding, segment) && !visit_segment(finding, segment, from, after))
            return;
        from = is_full(finding) ? finding->next : after;
    }
    finding->next = from;
}

static void reverse(struct row_fact *facts, size_t from, size_t to)
{
    for (; from + 1 < to; from++, to--) {
        const struct row_fact fact = facts[from];
        facts[from] = facts[to - 1];
        facts[to - 1] = fact;
    }
}

/* Puts the rows of the ring in order. */
static void unroll(struct finding *finding)
{
    const size_t first = finding->limit ? finding->first % finding->limit : 0;
    reverse(finding->facts, 0, first);
    reverse(finding->facts, first, finding->count);
    reverse(finding->facts, 0, finding->count);
    finding->first = 0;
}

/* The rows before `to`: segment by segment, each read forwards. */
static void find_backwards(struct finding *finding, uint64_t to, struct row_fact *all,
                           size_t *count)
{
    const struct index *index = finding->question->trace->index;
    const uint64_t end = clock_milliseconds() + ROWS_MILLISECONDS;
    const size_t limit = finding->limit;
    while (to > 0 && *count < limit && clock_milliseconds() < end) {
        const uint64_t shown = hidden_up_to(finding, to - 1, true);
        if (shown < to - 1) {
            to = shown + 1;
            continue;
        }
        const size_t segment = index_segment_of(index, to - 1);
        const uint64_t before = index->segments[segment].place.record;
        finding->limit = limit - *count;
        finding->count = finding->first = 0;
        if (may_have_rows(finding, segment) && !visit_segment(finding, segment, before, to)) return;
        unroll(finding);
        const bool full = finding->count == finding->limit;
        *count += finding->count;
        memcpy(all + limit - *count, finding->facts, finding->count * sizeof *all);
        to = full ? all[limit - *count].record : before;
    }
    finding->next = to;
}

/* ---- the answer ---- */

static void give_row(struct finding *finding, const struct row_fact *fact)
{
    struct question *question = finding->question;
    struct text *out = question->out, text = {0};
    struct spoor_error error = {0};
    struct row row;
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
        listing_of_record(question->trace->listing, fact->record, &row, &error);
    if (status < SPOOR_OK) {
        refuse_error(question, status, &error);
        return;
    }
    if (status == SPOOR_OK) {
        listing_text(question->trace->listing, &row, &text);
        if (row.line) json_number(out, "line", row.line);
        json_bytes(out, "text", text.bytes ? text.bytes : "",
                   text.size > LONGEST_TEXT ? LONGEST_TEXT : text.size);
        out->failed |= text.failed;
    }
    text_free(&text);
    json_end(out, '}');
}

static void give_rows(struct finding *finding, const struct row_fact *facts, size_t count)
{
    struct text *out = finding->question->out;
    if (finding->question->refused) return;
    json_begin(out, "rows", '[');
    for (size_t i = 0; i < count && !finding->question->refused; i++) give_row(finding, &facts[i]);
    if (finding->question->refused) return;
    json_end(out, ']');
    json_number(out, "next", finding->next);
    json_bool(out, "end",
              finding->back ? finding->next == 0
                            : finding->next >= finding->question->trace->index->records);
}

/* The first record of the row that has the record. */
static bool row_begin(struct question *question, uint64_t *record)
{
    struct spoor_error error = {0};
    struct row row;
    if (*record == 0 || *record >= question->trace->index->records) return true;
    const enum spoor_status status =
        listing_of_record(question->trace->listing, *record, &row, &error);
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
        if (parse(finding) && parameter_number(question, "at", UINT64_MAX, &at) &&
            parameter_number(question, "before", UINT64_MAX, &before) &&
            row_begin(question, finding->back ? &before : &at)) {
            size_t count = 0;
            const size_t limit = finding->limit;
            if (finding->back)
                find_backwards(finding,
                               before < question->trace->index->records
                                   ? before
                                   : question->trace->index->records,
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

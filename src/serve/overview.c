/* SPDX-License-Identifier: MIT */
/*
 * overview.c: what the first screen shows: the hot functions and lines, the stacks of a flame graph
 * and the exceptions; and what the survey of the trace has found so far.
 */
#include "serve/overview.h"

#include <stdlib.h>

#include "base/array.h"
#include "serve/internal.h"

enum {
    HOT_FUNCTIONS = 60,
    HOT_LINES = 20,
    COUNTED_ADDRESSES = 1 << 17, /* lines of a larger program are not counted: 330 bytes for each */
    COUNTED_FUNCTIONS = 2000,    /* the hottest, whose instructions are counted by line */
    CPU_ROWS = 64,
    STACKS = 1500,
    STACK_BYTES = 1 << 16,
    EXCEPTION_ROWS = 100,
    FIRST_RECORDS = 4096, /* by which it is seen what the trace states */
};

/* ---- what the trace states ---- */

static bool overview_note(void *context, const struct spoor_record_visit *visited)
{
    stated_add(context, &visited->batch->records[visited->index]);
    return true;
}

/* By the first records, and the kinds of all.  False: refused. */
static bool overview_find_stated(struct question *question, struct stated *stated)
{
    const struct spoor_index *index = question->trace->index;
    const uint64_t records = spoor_index_records(index);
    struct spoor_segment segment = {.struct_size = sizeof segment};
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    *stated = (struct stated){.executed = false};
    for (size_t i = 0; spoor_index_segment(index, i, &segment); i++)
        stated->executed |= (segment.kinds & (1U << SPOOR_INSN | 1U << SPOOR_UOP)) != 0;
    if (records)
        status = spoor_explorer_visit(question->trace->explorer, 0,
                                      records < FIRST_RECORDS ? records : FIRST_RECORDS,
                                      overview_note, stated, &error);
    if (status < SPOOR_OK) refuse_error(question, status, &error);
    return status >= SPOOR_OK;
}

/* ---- functions, and their stacks ---- */

struct hot_stack {
    const char *words;
    size_t size;
    uint64_t count;
};

static int overview_more(const void *left, const void *right)
{
    const struct hot_stack *a = left, *b = right;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return a->words < b->words ? -1 : a->words > b->words; /* in the order of the text */
}

/* The stacks that ran most, ["outermost;...;innermost", count]; functions are addresses. */
static void overview_put_stacks(struct text *out, const struct spoor_profile *profile)
{
    struct hot_stack *stacks = NULL;
    size_t size, count = 0, capacity = 0, bytes = 0;
    char *folded = spoor_profile_hottest_to_folded(profile, STACKS, &size);
    bool good = folded != NULL;
    for (const char *at = folded; good && *at;) {
        const char *end = strchr(at, '\n'), *space = end ? end : at + strlen(at);
        const char *next = end ? end + 1 : space;
        while (space > at && *space != ' ') space--;
        good = array_reserve(&stacks, &capacity, count + 1);
        if (good)
            stacks[count++] =
                (struct hot_stack){at, (size_t)(space - at), strtoull(space, NULL, 10)};
        at = next;
    }
    out->failed |= !good;
    if (count) qsort(stacks, count, sizeof *stacks, overview_more);
    json_begin(out, "stacks", '[');
    for (size_t i = 0; i < count && bytes < STACK_BYTES; i++) {
        bytes += stacks[i].size;
        json_begin(out, NULL, '[');
        json_bytes(out, NULL, stacks[i].words, stacks[i].size);
        json_number(out, NULL, stacks[i].count);
        json_end(out, ']');
    }
    json_end(out, ']');
    free(stacks);
    free(folded);
}

static void overview_put_profile(struct text *out, const struct overview *overview)
{
    size_t count;
    const struct spoor_profile_row *rows = spoor_profile_rows(overview->profile, &count);
    const struct spoor_profile_totals totals = spoor_profile_totals(overview->profile);
    json_number(out, "instructions", totals.instructions);
    json_time(out, "time", totals.time);
    json_number(out, "calls", totals.calls);
    json_number(out, "cpus", totals.cpus);
    if (totals.cpus > 1) {
        struct spoor_profile_cpu cpus[CPU_ROWS];
        const size_t found = spoor_profile_cpus(overview->profile, cpus, CPU_ROWS);
        json_begin(out, "cpu_rows", '[');
        for (size_t i = 0; i < found && i < CPU_ROWS; i++) {
            json_begin(out, NULL, '{');
            json_text(out, "cpu", cpus[i].name);
            json_number(out, "instructions", cpus[i].instructions);
            json_time(out, "time", cpus[i].time);
            json_number(out, "calls", cpus[i].calls);
            json_number(out, "exceptions", cpus[i].exceptions);
            json_end(out, '}');
        }
        json_end(out, ']');
    }
    json_number(out, "function_count", count);
    json_begin(out, "functions", '[');
    for (size_t i = 0; i < count && i < HOT_FUNCTIONS; i++) {
        json_begin(out, NULL, '{');
        json_hex(out, "pc", rows[i].address);
        json_number(out, "calls", rows[i].calls);
        json_number(out, "inclusive", rows[i].inclusive);
        json_number(out, "exclusive", rows[i].exclusive);
        json_bool(out, "exception", rows[i].exception);
        json_place(out, overview->images, rows[i].address);
        json_end(out, '}');
    }
    json_end(out, ']');
    overview_put_stacks(out, overview->profile);
    /* the names of all functions that stacks may have */
    json_begin(out, "names", '{');
    for (size_t i = 0; i < count && i < STACKS; i++)
        json_function(out, overview->images, rows[i].address);
    json_end(out, '}');
}

/* ---- lines ---- */

struct hot_line {
    const char *file;   /* NULL: an instruction, whose line is not known */
    uint64_t pc, count; /* pc: of its hottest instruction, which ran `highest` times */
    uint64_t highest;
    uint32_t line;
};

static int overview_by_place(const void *left, const void *right)
{
    const struct hot_line *a = left, *b = right;
    const int order = strcmp(a->file, b->file);
    if (order) return order;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static int overview_by_count(const void *left, const void *right)
{
    const struct hot_line *a = left, *b = right;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/* Keeps the hottest of instructions without a line, which nothing is added to. */
static void overview_keep(struct hot_line best[HOT_LINES], size_t *count,
                          const struct hot_line *one)
{
    size_t at = *count;
    while (at > 0 && overview_by_count(one, &best[at - 1]) < 0) at--;
    if (at == HOT_LINES) return;
    if (*count < HOT_LINES) ++*count;
    memmove(best + at + 1, best + at, (*count - at - 1) * sizeof *best);
    best[at] = *one;
}

/* Adds up the instructions of each line; returns how many lines there are. */
static size_t overview_merge_lines(struct hot_line *lines, size_t count)
{
    size_t kept = 0;
    if (count) qsort(lines, count, sizeof *lines, overview_by_place);
    for (size_t i = 0; i < count; i++) {
        struct hot_line *into = kept ? &lines[kept - 1] : NULL;
        if (!into || strcmp(into->file, lines[i].file) != 0 || into->line != lines[i].line) {
            lines[kept++] = lines[i];
            continue;
        }
        into->count += lines[i].count;
        if (lines[i].highest > into->highest) {
            into->highest = lines[i].highest;
            into->pc = lines[i].pc;
        }
    }
    if (kept) qsort(lines, kept, sizeof *lines, overview_by_count);
    return kept;
}

static void overview_put_lines(struct text *out, const struct overview *overview)
{
    struct spoor_annotate *annotate = overview->annotate;
    struct spoor_annotated_function function;
    struct hot_line *lines = NULL, best[HOT_LINES];
    size_t count = 0, capacity = 0, kept = 0;
    uint64_t all = 0;
    for (size_t n = 0; n < COUNTED_FUNCTIONS && spoor_annotate_function(annotate, n, &function);
         n++) {
        size_t size;
        const struct spoor_annotated_line *rows = spoor_annotate_lines(annotate, n, &size);
        all = function.all_count;
        for (size_t i = 0; i < size && !out->failed; i++) {
            const struct hot_line one = {rows[i].file, rows[i].pc, rows[i].count, rows[i].count,
                                         rows[i].line};
            if (!one.count) continue;
            if (one.file)
                out->failed |= !array_reserve(&lines, &capacity, count + 1);
            else
                overview_keep(best, &kept, &one);
            if (one.file && !out->failed) lines[count++] = one;
        }
    }
    count = overview_merge_lines(lines, count);
    for (size_t i = 0; i < count && i < HOT_LINES; i++) overview_keep(best, &kept, &lines[i]);
    /* why there is no line of the source */
    const bool beyond = !spoor_annotate_function(annotate, 0, &function);
    const bool has_images = overview->images && spoor_images_count(overview->images);
    if (!count) json_text(out, "lines_lack", beyond ? "counts" : has_images ? "debug" : "image");
    json_number(out, "counted", all);
    json_begin(out, "lines", '[');
    for (size_t i = 0; i < kept; i++) {
        const struct hot_line *line = &best[i];
        struct spoor_images *images = overview->images;
        const char *source =
            line->file && images ? spoor_images_source_line(images, line->file, line->line) : NULL;
        json_begin(out, NULL, '{');
        json_hex(out, "pc", line->pc);
        json_number(out, "count", line->count);
        json_number(out, "executions", line->highest);
        json_place(out, images, line->pc);
        if (source) json_text(out, "text", source);
        json_end(out, '}');
    }
    json_end(out, ']');
    free(lines);
}

/* ---- exceptions ---- */

/* `stated`: there would be some, so that none is a fact. */
static void overview_put_exceptions(struct text *out, const struct overview *overview, bool stated)
{
    const struct spoor_exceptions *exceptions = overview->exceptions;
    size_t count, kind_count = 0;
    const struct spoor_exception *list = spoor_exceptions_list(exceptions, &count);
    struct spoor_exception_kind *kinds = spoor_exceptions_kinds(exceptions, &kind_count);
    const uint64_t omitted = spoor_exceptions_omitted(exceptions);
    const struct spoor_exceptions_gaps gaps = spoor_exceptions_gaps(exceptions);
    if (gaps.count) {
        json_begin(out, "gaps", '{');
        json_number(out, "count", gaps.count);
        json_number(out, "uncounted", gaps.uncounted);
        json_number(out, "instructions", gaps.instructions);
        json_end(out, '}');
    }
    out->failed |= !kinds;
    if (count || stated) json_number(out, "exception_count", count + omitted);
    if (omitted) json_number(out, "exceptions_listed", count);
    json_begin(out, "exception_kinds", '[');
    for (size_t i = 0; kinds && i < kind_count && i < EXCEPTION_ROWS; i++) {
        json_begin(out, NULL, '{');
        json_text(out, "cause", kinds[i].cause);
        if (kinds[i].numbered) json_number(out, "number", kinds[i].number);
        json_number(out, "count", kinds[i].count);
        json_number(out, "returned", kinds[i].returned);
        /* of the first one of the kind */
        for (size_t j = 0; j < count; j++)
            if (strcmp(list[j].cause, kinds[i].cause) == 0 &&
                list[j].numbered == kinds[i].numbered && list[j].number == kinds[i].number &&
                list[j].handler == kinds[i].handler) {
                json_number(out, "record", list[j].record);
                break;
            }
        if (kinds[i].begun) {
            json_hex(out, "pc", kinds[i].handler);
            json_place(out, overview->images, kinds[i].handler);
        }
        json_end(out, '}');
    }
    json_end(out, ']');
    uint64_t faults = 0;
    json_begin(out, "faults", '[');
    for (size_t i = 0; i < count; i++) {
        if (!list[i].fault[0] || ++faults > EXCEPTION_ROWS) continue;
        json_begin(out, NULL, '{');
        json_number(out, "record", list[i].record);
        json_text(out, "fault", list[i].fault);
        if (!list[i].nowhere) {
            json_hex(out, "pc", list[i].from);
            json_place(out, overview->images, list[i].from);
        }
        json_end(out, '}');
    }
    json_end(out, ']');
    json_number(out, "fault_count", faults);
    free(kinds);
}

/* ---- all ---- */

enum spoor_status overview_open(struct overview *overview, struct spoor_images *images,
                                const struct spoor_profile_options *profiling,
                                struct spoor_error *error)
{
    const struct spoor_annotate_options annotating = {
        .struct_size = sizeof annotating, .images = images, .maximum = COUNTED_ADDRESSES};
    const struct spoor_exceptions_options excepting = {.struct_size = sizeof excepting};
    *overview = (struct overview){.images = images};
    enum spoor_status status = spoor_profile_new(&overview->profile, profiling, error);
    if (status == SPOOR_OK) status = spoor_annotate_new(&overview->annotate, &annotating, error);
    if (status == SPOOR_OK) status = spoor_exceptions_new(&overview->exceptions, &excepting, error);
    return status;
}

enum spoor_status overview_feed(struct overview *overview, const struct spoor_batch *batch,
                                struct spoor_error *error)
{
    enum spoor_status status = spoor_profile_feed(overview->profile, batch, error);
    if (status == SPOOR_OK) status = spoor_annotate_feed(overview->annotate, batch, error);
    if (status == SPOOR_OK) status = spoor_exceptions_feed(overview->exceptions, batch, error);
    return status;
}

enum spoor_status overview_end(struct overview *overview, struct spoor_error *error)
{
    enum spoor_status status = spoor_profile_end(overview->profile, error);
    if (status == SPOOR_OK && overview->annotate)
        status = spoor_annotate_end(overview->annotate, error);
    if (status == SPOOR_OK) status = spoor_exceptions_end(overview->exceptions, error);
    return status;
}

void overview_put(struct text *out, const struct overview *overview, const struct stated *stated,
                  const struct spoor_format *format)
{
    json_text(out, "unit", stated_unit(stated));
    if (!overview->profile) return;
    overview_put_profile(out, overview);
    /* without an instruction, nothing is told of exceptions */
    if (!spoor_profile_totals(overview->profile).instructions) return;
    if (overview->annotate)
        overview_put_lines(out, overview);
    else
        json_text(out, "lines_lack", "index");
    overview_put_exceptions(out, overview, stated_has_exceptions(stated, format));
}

void overview_close(struct overview *overview)
{
    spoor_profile_free(overview->profile);
    spoor_annotate_free(overview->annotate);
    spoor_exceptions_free(overview->exceptions);
}

void ask_overview(struct question *question)
{
    const struct spoor_index *index = question->trace->index;
    const struct spoor_profile_options profiling = {.struct_size = sizeof profiling};
    struct overview overview = {.images = question->site->options->images};
    struct stated stated;
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    if (!overview_find_stated(question, &stated)) return;
    if (spoor_index_has_calls(index, NULL)) {
        status = overview_open(&overview, overview.images, &profiling, &error);
        if (status == SPOOR_OK) status = spoor_profile_use_index(overview.profile, index, &error);
        if (status == SPOOR_OK &&
            spoor_annotate_use_index(overview.annotate, index, &error) != SPOOR_OK) {
            spoor_annotate_free(overview.annotate); /* the index keeps no counts: no lines */
            overview.annotate = NULL;
        }
        if (status == SPOOR_OK)
            status = spoor_exceptions_use_index(overview.exceptions, index, &error);
        if (status == SPOOR_OK) status = overview_end(&overview, &error);
    }
    if (status == SPOOR_OK)
        overview_put(question->out, &overview, &stated, spoor_index_format(index));
    else
        refuse_error(question, status, &error);
    overview_close(&overview);
}

/* What the survey has found; the first question starts it. */
void ask_survey(struct question *question)
{
    struct serve_trace *trace = question->trace;
    struct text *out = question->out;
    struct spoor_error error = {0};
    const struct spoor_error *failed;
    const char *found;
    bool ended;
    if (!trace->survey) {
        const struct site_options *options = question->site->options;
        const enum spoor_status status =
            survey_start(&trace->survey, trace->path, &options->reading, options->images, &error);
        if (status != SPOOR_OK) {
            refuse_error(question, status, &error);
            return;
        }
    }
    json_number(out, "read", survey_read(trace->survey, &ended, &found, &failed));
    json_bool(out, "ended", ended);
    if (failed) json_text(out, "error", failed->text);
    if (found) {
        text_puts(out, ",\"found\":");
        text_puts(out, found);
    }
}

/* SPDX-License-Identifier: MIT */
/* exceptions.c: the verb `exceptions`: what was interrupted, why, and for how long. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/activity_input.h"
#include "cli/narrow.h"
#include "cli/selection.h"
#include "cli/shade.h"
#include "spoor/exceptions.h"

struct exceptions_settings {
    struct settings common;
    const char *where, *cpu;
    uint64_t limit, top;
    bool list, no_index;
};

enum { USUAL_ROWS = 20, DEEPEST = 4 /* indentation grows up to there */ };
#define AT(field) offsetof(struct exceptions_settings, field)
static const struct option options[] = {
    OPT_FLAG(0, "all", AT(list), "print every exception with its stack"),
    OPT(0, "top", COUNT, "N", AT(top), "without --all: print the last N (default: 20)"),
    OPT(0, "limit", COUNT, "N", AT(limit), "keep the first N exceptions (default: 100000)"),
    OPT(0, "where", TEXT, "EXPR", AT(where),
        "only those whose handler's first instruction fits an expression over fields"),
    OPT(0, "cpu", TEXT, "NAME", AT(cpu), "only exceptions of one cpu"),
    NO_INDEX_OPTION(AT(no_index)),
    IMAGE_OPTIONS,
    OPTION_END,
};

struct reading {
    const struct exceptions_settings *settings;
    struct activity_input input;
    struct spoor_exceptions *exceptions;
};

/* ---- text ---- */

static void put_place(const struct reading *reading, uint64_t pc, struct text *text)
{
    struct spoor_place place;
    struct spoor_images *images = reading->input.located.images;
    if (!images || !spoor_images_function(images, pc, &place) || !place.function)
        text_printf(text, "0x%" PRIx64, pc);
    else if (place.offset)
        text_printf(text, "%s+0x%" PRIx64, place.function, place.offset);
    else
        text_puts(text, place.function);
}

/* The place, as much of it as fits on the line, and `tail` after it. */
static void put_place_before(const struct reading *reading, uint64_t pc, size_t line,
                             const char *tail, struct text *text)
{
    const size_t name = text->size;
    put_place(reading, pc, text);
    narrow_name(text, line, name, strlen(tail), narrow_columns(&reading->settings->common));
    text_puts(text, tail);
}

static void put_cause(const char *cause, bool numbered, uint64_t number, struct text *text)
{
    struct text words = {0};
    text_puts(&words, cause);
    if (numbered) text_printf(&words, " %" PRIu64, number);
    text_printf(text, "%-28.*s", (int)words.size, words.bytes ? words.bytes : "");
    text->failed |= words.failed;
    text_free(&words);
}

static void put_mean(const struct spoor_exception_range *range, bool known, struct text *text)
{
    if (known && range->count)
        text_printf(text, " %9.1f", (double)range->sum / (double)range->count);
    else
        text_printf(text, " %9s", "-");
}

static void put_range(const struct spoor_exception_range *range, struct text *text)
{
    if (range->count)
        text_printf(text, " %7" PRIu64 " %7" PRIu64 " %7" PRIu64, range->minimum, range->median,
                    range->maximum);
    else
        text_printf(text, " %7s %7s %7s", "-", "-", "-");
}

/* How long each cause takes to begin, and what its handler takes itself. */
static void put_ranges(const struct spoor_exception_kind *kinds, size_t count, struct text *text)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) any |= kinds[i].latency.count || kinds[i].own_time.count;
    if (!any) return;
    text_printf(text, "\n%-28s  %-23s  %s\n%-28s  %7s %7s %7s  %7s %7s %7s\n", "",
                "latency, from the event", "own time, nested excluded", "cause", "min", "median",
                "max", "min", "median", "max");
    for (size_t i = 0; i < count; i++) {
        put_cause(kinds[i].cause, kinds[i].numbered, kinds[i].number, text);
        text_puts(text, " ");
        put_range(&kinds[i].latency, text);
        text_puts(text, " ");
        put_range(&kinds[i].own_time, text);
        text_puts(text, "\n");
    }
}

static void put_kinds(const struct reading *reading, struct text *text)
{
    size_t count;
    struct spoor_exception_kind *kinds = spoor_exceptions_kinds(reading->exceptions, &count);
    const bool timed = spoor_exceptions_unit(reading->exceptions)[0];
    text->failed |= !kinds;
    if (kinds && count)
        text_printf(text, "\n%8s  %-28s %9s %9s %9s  handler\n", "count", "cause", "latency",
                    "duration", "insns");
    for (size_t i = 0; kinds && i < count; i++) {
        const struct spoor_exception_kind *kind = &kinds[i];
        const size_t begin = text->size;
        text_printf(text, "%8s  ", COUNT(kind->count));
        put_cause(kind->cause, kind->numbered, kind->number, text);
        put_mean(&kind->latency, timed, text);
        put_mean(&kind->duration, timed, text);
        put_mean(&kind->instructions, true, text);
        text_puts(text, "  ");
        char tail[32] = "";
        if (kind->nesting) snprintf(tail, sizeof tail, "  nests to %u", kind->nesting + 1);
        if (kind->begun) {
            put_place_before(reading, kind->handler, begin, tail, text);
            located_put_source(reading->input.located.images, kind->handler, begin, text);
        } else {
            text_puts(text, "-");
        }
        text_puts(text, "\n");
    }
    if (kinds && count && timed) put_ranges(kinds, count, text);
    free(kinds);
}

static void put_exception(const struct reading *reading, const struct spoor_exception *exception,
                          struct text *text)
{
    const char *unit = spoor_exceptions_unit(reading->exceptions);
    const struct exceptions_settings *settings = reading->settings;
    struct spoor_images *images = reading->input.located.images;
    size_t begin = text->size;
    text_printf(text, "%12" PRIu64 "  ", unit[0] ? exception->enter_time : exception->record);
    for (unsigned i = 0; i < exception->nesting && i < DEEPEST; i++) text_puts(text, "  ");
    if (exception->nesting > DEEPEST) text_printf(text, "[%u] ", exception->nesting);
    put_cause(exception->cause, exception->numbered, exception->number, text);
    text_puts(text, "  at ");
    char tail[48] = "  never returned";
    if (exception->returned)
        snprintf(tail, sizeof tail, "  %" PRIu64 " insns", exception->instructions);
    else if (exception->cut)
        snprintf(tail, sizeof tail, "  cut by a gap");
    else if (!exception->begun)
        snprintf(tail, sizeof tail, "  handler not in the trace");
    if (exception->nowhere) {
        text_printf(text, "a place that is not in the trace%s", tail);
    } else {
        put_place_before(reading, exception->from, begin, tail, text);
        located_put_source(images, exception->from, begin, text);
    }
    if (exception->entry == SPOOR_ENTRY_CHAINED) text_puts(text, "  tail-chained");
    if (exception->entry == SPOOR_ENTRY_LATE) text_puts(text, "  late");
    text_puts(text, exception->inferred ? "  inferred\n" : "\n");
    if (exception->fault[0]) text_printf(text, "%14s(%s)\n", "", exception->fault);
    for (size_t i = 0; settings->list && i < exception->stack_count; i++) {
        begin = text->size;
        text_printf(text, "%18s#%zu ", "", i);
        put_place_before(reading, exception->stack[i], begin, "", text);
        located_put_source(images, exception->stack[i], begin, text);
        text_puts(text, "\n");
    }
}

static void put_tasks(const struct reading *reading, struct text *text)
{
    size_t count;
    struct spoor_exception_task *tasks = spoor_exceptions_tasks(reading->exceptions, &count);
    const char *unit = spoor_exceptions_unit(reading->exceptions);
    text->failed |= !tasks;
    if (tasks && count)
        text_printf(text, "\n%12s %12s %12s  task, without handlers\n", "resumed", "insns",
                    unit[0] ? unit : "");
    for (size_t i = 0; tasks && i < count; i++) {
        const size_t begin = text->size;
        text_printf(text, "%12s %12s", COUNT(tasks[i].resumed), COUNT(tasks[i].instructions));
        if (unit[0])
            text_printf(text, " %12" PRIu64 "  ", tasks[i].time);
        else
            text_printf(text, " %12s  ", "");
        put_place_before(reading, tasks[i].function, begin, "", text);
        located_put_source(reading->input.located.images, tasks[i].function, begin, text);
        text_puts(text, "\n");
    }
    free(tasks);
}

static void put_gaps(const struct reading *reading, struct text *text)
{
    const struct spoor_exceptions_gaps gaps = spoor_exceptions_gaps(reading->exceptions);
    if (!gaps.count) return;
    text_put_grouped(text, gaps.count);
    text_printf(text, " gap%s: ", gaps.count == 1 ? "" : "s");
    if (gaps.instructions || !gaps.uncounted) {
        text_put_grouped(text, gaps.instructions);
        text_puts(text, gaps.uncounted ? " instructions or more" : " instructions");
    } else {
        text_puts(text, "an unknown number of instructions");
    }
    text_puts(text, " not in the trace\n");
}

static void put_text(const struct reading *reading, struct text *text)
{
    size_t count;
    const struct spoor_exception *list = spoor_exceptions_list(reading->exceptions, &count);
    const uint64_t all = count + spoor_exceptions_omitted(reading->exceptions);
    const char *unit = spoor_exceptions_unit(reading->exceptions);
    const uint64_t top = reading->settings->top ? reading->settings->top : USUAL_ROWS;
    const size_t first = reading->settings->list || count <= top ? 0 : count - (size_t)top;
    const size_t line = text->size;
    text_printf(text, "%s: %s exception%s", reading->input.path, COUNT(all), all == 1 ? "" : "s");
    if (unit[0] && all) text_printf(text, "; mean times in %s", unit);
    narrow_title(text, line, narrow_columns(&reading->settings->common));
    text_puts(text, "\n");
    put_gaps(reading, text);
    put_kinds(reading, text);
    put_tasks(reading, text);
    if (count) text_printf(text, "\n%12s  cause\n", unit[0] ? unit : "record");
    if (first) text_printf(text, "%12s  %s earlier ones: --all prints all\n", "...", COUNT(first));
    for (size_t i = first; i < count; i++) put_exception(reading, &list[i], text);
}

/* ---- reading ---- */

static bool read_exceptions(struct reading *reading)
{
    const struct exceptions_settings *settings = reading->settings;
    struct activity_input *input = &reading->input;
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    if (!activity_start(input, input->where || settings->no_index)) return false;
    const struct spoor_exceptions_options chosen = {
        .images = input->located.images,
        .where = input->where,
        .cpu = settings->cpu,
        .limit = settings->limit,
        .stream = input->stream,
    };
    enum spoor_status status = spoor_exceptions_new(&reading->exceptions, &chosen, &error);
    if (status == SPOOR_OK && input->index)
        status = spoor_exceptions_use_index(reading->exceptions, input->index, &error);
    while (status == SPOOR_OK && activity_next(input, &batch))
        status = spoor_exceptions_feed(reading->exceptions, batch, &error);
    if (status == SPOOR_OK) status = spoor_exceptions_end(reading->exceptions, &error);
    return activity_end(input, status, &error);
}

static int show(const struct reading *reading, bool *shown, struct spoor_result *all)
{
    const struct exceptions_settings *settings = reading->settings;
    int code = EXIT_CLEAN;
    if (prints_data(&settings->common)) {
        struct spoor_result *result =
            all ? spoor_result_object(all, NULL) : spoor_result_new_object();
        spoor_result_text(result, "trace", reading->input.path);
        spoor_result_text(result, "format", reading->input.format);
        spoor_exceptions_report(reading->exceptions, result);
        if (!all) code = show_result(result, result_form_of(&settings->common));
        if (!all) spoor_result_free(result);
        return code;
    }
    struct text text = {0};
    put_text(reading, &text);
    code = show_apart(shown);
    code = worse(code, show_text(&text));
    text_free(&text);
    return code;
}

static int exceptions_of_trace(const void *context, const char *path, bool *shown,
                               struct spoor_result *all)
{
    const struct exceptions_settings *settings = context;
    struct reading reading = {.settings = settings};
    int code = EXIT_CLEAN;
    if (activity_open(&reading.input, &settings->common, path, settings->where) &&
        read_exceptions(&reading)) {
        const uint64_t omitted = spoor_exceptions_omitted(reading.exceptions);
        if (omitted && !settings->common.quiet)
            complain("%s: %llu more exceptions are not kept: --limit chooses", path,
                     (unsigned long long)omitted);
        size_t kept;
        spoor_exceptions_list(reading.exceptions, &kept);
        if (settings->where || settings->cpu) selection_note(kept > 0 || omitted > 0);
        code = show(&reading, shown, all);
    }
    spoor_exceptions_free(reading.exceptions);
    return worse(code, activity_close(&reading.input));
}

static int run(void *chosen)
{
    const struct exceptions_settings *settings = chosen;
    return run_each_trace(&settings->common, exceptions_of_trace, settings);
}

const struct verb verb_exceptions = {
    .name = "exceptions",
    .brief = "exceptions and interrupts: what was interrupted, why, and for how long",
    .operands = "TRACE...",
    .about = "Prints statistics of the exceptions of a trace by cause and number, then the last "
             "ones: when, why, what was interrupted, and how many instructions ran until the "
             "return.",
    .options = options,
    .settings_size = sizeof(struct exceptions_settings),
    .results = true,
    .many = true,
    .follows = true,
    .run = run,
};

/* SPDX-License-Identifier: MIT */
/* exceptions.c: the verb `exceptions`: what was interrupted, why, and for how long. */
#include "spoor/exceptions.h"
#include "cli/activity_input.h"
#include "cli/layout.h"
#include "cli/selection.h"
#include "cli/shade.h"

struct exceptions_settings {
    struct settings common;
    uint64_t top;
    bool list;
};

enum { USUAL_ROWS = 20 };
#define AT(field) offsetof(struct exceptions_settings, field)
static const struct option options[] = {
    OPT_FLAG(0, "all", AT(list), "every exception, with its stack"),
    OPT(0, "top", COUNT, "N", AT(top), "the last (default: 20; with --all, and as data, all)"),
    SELECTION_OPTIONS,
    IMAGE_OPTIONS,
    OPTION_END,
};

/* ---- text ---- */

#define EXCEPTIONS_CAUSE "<{cause}[ {number}]>-28"
static const char EXCEPTIONS_TITLE[] =
    "{trace}: {count:,} exception{count:s}[{?count}; mean times in {time_unit}]";
static const char EXCEPTIONS_GAPS[] =
    "{count:'} gap{count:s}: [{?instructions}{instructions:'} instructions[{?uncounted} or more]|"
    "{?uncounted}an unknown number of instructions|0 instructions] not in the trace\n";
static const char EXCEPTIONS_KIND[] =
    "{count:8,}  " EXCEPTIONS_CAUSE
    " {latency.mean:9.1} {duration.mean:9.1} {instructions.mean:9.1}"
    "  [<{handler@}>~[{?nesting}  nests to {nesting+1}]{handler&}|-]\n";
/* How long each cause takes to begin, and what its handler takes itself. */
static const char EXCEPTIONS_RANGES[] =
    EXCEPTIONS_CAUSE "  {latency.minimum:7} {latency.median:7} {latency.maximum:7}"
                     "  {own_time.minimum:7} {own_time.median:7} {own_time.maximum:7}\n";
static const char EXCEPTIONS_TASK[] =
    "{resumed:12,} {instructions:12,} <[{time}]>12  <{pc@}>~{pc&}\n";
#define EXCEPTIONS_END                                                                    \
    "[{?returned}  {instructions} insns|{?cut}  cut by a gap|{^handler}  never returned|" \
    "  handler not in the trace]"
static const char EXCEPTIONS_ROW[] =
    "<[{time+latency}|{record}]>12  {nesting>4}" EXCEPTIONS_CAUSE "  at "
    "[<{from@}>~" EXCEPTIONS_END "{from&}|a place that is not in the trace" EXCEPTIONS_END "]"
    "[{?entry=tail-chained}  tail-chained|{?entry=late}  late][{?inferred}  inferred]\n"
    "[{?fault}              ({fault})\n]";

struct exceptions_job {
    const struct exceptions_settings *settings;
    struct activity_input input;
    struct spoor_exceptions *exceptions;
};

static void exceptions_put(const struct exceptions_job *job, const struct spoor_result *result,
                           struct text *text)
{
    size_t count;
    const struct spoor_exception *list = spoor_exceptions_list(job->exceptions, &count);
    const struct spoor_result *gaps = spoor_result_member(result, "gaps");
    const struct spoor_result *kinds = spoor_result_member(result, "kinds");
    const struct spoor_result *rows = spoor_result_member(result, "exceptions");
    struct layout layout = layout_of(&job->settings->common, &job->input.located);
    const size_t first = count - spoor_result_count(rows);
    bool ranges = false;
    size_t at = first;
    layout.around = result;
    layout_put_title(&layout, EXCEPTIONS_TITLE, result, text);
    if (gaps) layout_put(&layout, EXCEPTIONS_GAPS, gaps, text);
    layout_put_rows(&layout, "\n   count  <cause>-28   latency  duration     insns  handler\n",
                    EXCEPTIONS_KIND, kinds, text);
    for (const struct spoor_result *kind = spoor_result_first(kinds); kind;
         kind = spoor_result_next(kind))
        ranges |= spoor_result_count(spoor_result_member(kind, "latency")) ||
                  spoor_result_count(spoor_result_member(kind, "own_time"));
    if (ranges)
        layout_put_rows(&layout,
                        "\n<>28  latency, from the event  own time, nested excluded\n"
                        "<cause>-28      min  median     max      min  median     max\n",
                        EXCEPTIONS_RANGES, kinds, text);
    layout_put_rows(&layout,
                    "\n     resumed        insns <[{time_unit}]>12  task, without handlers\n",
                    EXCEPTIONS_TASK, spoor_result_member(result, "tasks"), text);
    if (count) layout_put(&layout, "\n<[{time_unit}|record]>12  cause\n", result, text);
    if (first)
        text_printf(text, "%12s  %s earlier ones%s\n", "...", COUNT(first),
                    job->settings->list ? "" : ": --all prints all");
    for (const struct spoor_result *row = spoor_result_first(rows); row;
         row = spoor_result_next(row), at++) {
        layout_put(&layout, EXCEPTIONS_ROW, row, text);
        if (!list || !job->settings->list) continue;
        for (size_t i = 0; i < list[at].stack_count; i++) {
            struct spoor_result *frame = spoor_result_new_object();
            spoor_result_unsigned(frame, "number", i);
            spoor_result_hex(frame, "pc", list[at].stack[i]);
            layout_put(&layout, "                  #{number} <{pc@}>~{pc&}\n", frame, text);
            spoor_result_free(frame);
        }
    }
}

/* ---- reading ---- */

static int exceptions_trace(const void *context, const char *path, bool *shown,
                            struct spoor_result *all)
{
    const struct exceptions_settings *settings = context;
    struct exceptions_job job = {.settings = settings};
    int code = EXIT_CLEAN;
    struct activity_input *input = &job.input;
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    bool read = false;
    if (activity_open(input, &settings->common, path) && activity_start(input, false)) {
        const bool lists = settings->list || prints_data(&settings->common);
        const struct spoor_exceptions_options chosen = {
            .struct_size = sizeof chosen,
            .images = input->located.images,
            .limit = settings->top > SPOOR_EXCEPTIONS_USUAL_LIMIT ? settings->top : 0,
            .stream = input->stream,
            .last_rows = settings->top ? settings->top
                         : lists       ? 0
                                       : USUAL_ROWS,
        };
        enum spoor_status status = spoor_exceptions_new(&job.exceptions, &chosen, &error);
        if (status == SPOOR_OK && input->index)
            status = spoor_exceptions_use_index(job.exceptions, input->index, &error);
        while (status == SPOOR_OK && activity_next(input, &batch))
            status = spoor_exceptions_feed(job.exceptions, batch, &error);
        if (status == SPOOR_OK) status = spoor_exceptions_end(job.exceptions, &error);
        read = activity_end(input, status, &error);
    }
    if (read) {
        const uint64_t omitted = spoor_exceptions_omitted(job.exceptions);
        if (omitted && !settings->common.quiet)
            complain("%s: %llu exceptions not shown: raise --top", path,
                     (unsigned long long)omitted);
        const struct settings *common = &settings->common;
        struct spoor_result *result =
            all ? spoor_result_object(all, NULL) : spoor_result_new_object();
        struct text text = {0};

        spoor_result_text(result, "trace", path);
        spoor_result_text(result, "format", job.input.format);
        spoor_exceptions_report(job.exceptions, result);
        if (!prints_data(common)) {
            exceptions_put(&job, result, &text);
            text.failed |= !spoor_result_complete(result);
            code = show_apart(shown);
            code = worse(code, show_text(&text));
            text_free(&text);
        } else if (!all) {
            code = show_result(result, result_form_of(common));
        }
        if (!all) spoor_result_free(result);
    }
    spoor_exceptions_free(job.exceptions);
    return worse(code, activity_close(&job.input));
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
    .numbers = true,
    .follows = true,
    .each = exceptions_trace,
};

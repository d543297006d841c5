/* SPDX-License-Identifier: MIT */
/* calls.c: the verb `calls`: the tree of calls of a trace, or the calls of one function. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/scan.h"
#include "cli/activity_input.h"
#include "cli/inquiry.h"
#include "cli/layout.h"
#include "cli/like_ttu.h"
#include "cli/selection.h"
#include "spoor/call_tree.h"

struct calls_settings {
    struct settings common;
    const char *of, *from, *to;
    uint64_t depth, limit;
    bool callers;
    int like;
    /* The answers to --of, and --table, are results; the tree of a trace is streamed, as it may
     * have many calls. */
    bool is_result;
    bool *begun; /* the line of keys, or the beginning of the array, has been printed */
};

#define AT(field) offsetof(struct calls_settings, field)
static const struct option options[] = {
    OPT(0, "of", TEXT, "WHAT", AT(of),
        "the calls of a function, by name or address, with arguments and results"),
    OPT_FLAG(0, "callers", AT(callers), "with --of, as a tree"),
    OPT(0, "depth", NUMBER, "N", AT(depth), "only calls with fewer than N callers"),
    OPT(0, "after", TEXT, "MOMENT", AT(from),
        "only calls open at or after a time, record:N, line:N or pc:ADDR[#K]"),
    OPT(0, "until", TEXT, "MOMENT", AT(to), "only calls entered up to such a moment"),
    OPT(0, "top", COUNT, "N", AT(limit), "the first calls (default: 500000)"),
    SELECTION_OPTIONS,
    LIKE_TTU_OPTION(AT(like)),
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

/* Indentation grows up to there: in a file, and on a screen. */
enum { DEEPEST = 20, DEEPEST_ON_SCREEN = 12 };

struct calls_job {
    const struct calls_settings *settings;
    struct activity_input input;
    struct spoor_call_tree *tree;
    uint64_t of;
    uint64_t from, end; /* records; `end` 0: of the trace */
};

/* ---- from and to ---- */

/* The record that --after or --until names, where it takes no look into the trace. */
static bool calls_parse_record(const char *words, uint64_t *record)
{
    struct spoor_moment query;
    if (!spoor_moment_parse(words, &query) || query.kind != SPOOR_MOMENT_RECORD) return false;
    *record = query.number;
    return true;
}

/* The first record of a moment, or the last: a time, and a line, may have several. */
static bool calls_ask_record(struct inquiry *inquiry, const char *words, bool first,
                             uint64_t *record)
{
    struct spoor_moment query;
    uint64_t moment = 0;
    char earlier[32];
    const bool many = first && spoor_moment_parse(words, &query) &&
                      (query.kind == SPOOR_MOMENT_TIME || query.kind == SPOOR_MOMENT_LINE);
    if (many && query.number > (query.kind == SPOOR_MOMENT_LINE)) {
        snprintf(earlier, sizeof earlier, "%s%llu", query.kind == SPOOR_MOMENT_LINE ? "line:" : "",
                 (unsigned long long)query.number - 1);
        words = earlier;
    } else if (many) {
        *record = 0;
        return true;
    }
    if (!inquiry_moment(inquiry, words, &moment)) return false;
    *record = many || moment == 0 ? moment : moment - 1;
    return true;
}

static bool calls_find_records(struct calls_job *job, int *code)
{
    const struct calls_settings *settings = job->settings;
    uint64_t from = 0, to = UINT64_MAX;
    const bool parsed = (!settings->from || calls_parse_record(settings->from, &from)) &&
                        (!settings->to || calls_parse_record(settings->to, &to));
    if (!parsed) {
        struct inquiry inquiry;
        bool good = true;
        if (!can_be_read_twice(job->input.path)) {
            complain("%s: is a pipe: found --after or --until, expected record:N", job->input.path);
            *code = EXIT_USAGE;
            return false;
        }
        if (!inquiry_open(&inquiry, &settings->common, job->input.path, false)) {
            *code = worse(*code, inquiry.code);
            return false;
        }
        if (settings->from) {
            inquiry.option = "--after";
            good = calls_ask_record(&inquiry, settings->from, true, &from);
        }
        if (good && settings->to) {
            inquiry.option = "--until";
            good = calls_ask_record(&inquiry, settings->to, false, &to);
        }
        *code = worse(*code, inquiry_close(&inquiry));
        if (!good) return false;
    }
    job->from = from;
    job->end = to == UINT64_MAX ? 0 : to + 1;
    return true;
}

/* ---- rows ---- */

/* The unit of the times; NULL: the trace has none. */
static const char *calls_unit(const struct calls_job *job)
{
    const char *unit = spoor_call_tree_unit(job->tree);
    return *unit ? unit : NULL;
}

/* When it was entered and left; a call that is open at the end is not left. */
static void calls_report_ends(const struct calls_job *job, const struct spoor_call *call,
                              struct spoor_result *row)
{
    const bool timed = calls_unit(job), left = call->end != SPOOR_CALL_OPEN;
    spoor_result_unsigned_if(row, "enter_time", timed, call->enter_time);
    spoor_result_unsigned_if(row, "leave_time", timed && left, call->leave_time);
    spoor_result_unsigned(row, "enter_record", call->enter_record);
    spoor_result_unsigned_if(row, "leave_record", left, call->leave_record);
    spoor_result_text(row, "end", spoor_call_end_name(call->end));
    spoor_result_unsigned(row, "instructions", call->instructions);
}

static void calls_report_function(const struct calls_job *job, const struct spoor_call *call,
                                  struct spoor_result *row)
{
    spoor_result_text(row, "function", spoor_call_tree_name(job->tree, call));
    spoor_result_hex_if(row, "pc", call->known, call->function);
}

/* A row of the table of all calls. */
static void calls_report_call(const struct calls_job *job, const struct spoor_call *call,
                              struct spoor_result *row)
{
    spoor_result_text(row, "cpu", spoor_call_tree_cpu(job->tree, call->cpu));
    spoor_result_unsigned(row, "thread", call->thread);
    spoor_result_unsigned(row, "depth", call->depth);
    calls_report_function(job, call, row);
    spoor_result_text(row, "kind", spoor_call_kind_name(call->kind));
    calls_report_ends(job, call, row);
}

/* ---- all calls ---- */

/* The table of all calls or, as text, the tree, a line for each call. */
static void calls_report_tree(const struct calls_job *job, const struct layout *layout,
                              struct spoor_result *result, struct text *text)
{
    size_t count;
    const struct spoor_call *calls = spoor_call_tree_calls(job->tree, &count);
    const uint64_t omitted = spoor_call_tree_omitted(job->tree);
    struct spoor_result *rows = spoor_result_array(result, "calls");
    bool several = false;
    for (size_t i = 0; i < count; i++) {
        several |= calls[i].cpu || calls[i].thread;
        if (!text) calls_report_call(job, &calls[i], spoor_result_object(rows, NULL));
    }
    if (!text) return;
    spoor_result_text(result, "time_unit", calls_unit(job));
    spoor_result_unsigned(result, "count", count);
    spoor_result_unsigned_if(result, "all", omitted, count + omitted);
    layout_put(layout, "", result, text);
    for (size_t i = 0, runs; i < count; i += runs) {
        struct spoor_call call = calls[i];
        struct spoor_result *row = spoor_result_new_object();
        /* calls share a line that are of one function, follow each other directly, and call nothing
         */
        size_t end = i;
        while (end < count && calls[end].parent == call.parent &&
               calls[end].function == call.function && calls[end].kind == call.kind &&
               calls[end].cpu == call.cpu && calls[end].thread == call.thread &&
               calls[end].end == SPOOR_CALL_RETURNED &&
               (end + 1 >= count || calls[end + 1].parent != end))
            end++;
        runs = end > i ? end - i : 1;
        for (size_t j = 1; j < runs; j++) call.instructions += calls[i + j].instructions;
        calls_report_call(job, &call, row);
        spoor_result_unsigned(row, "runs", runs);
        if (several &&
            (i == 0 || call.cpu != calls[i - 1].cpu || call.thread != calls[i - 1].thread))
            layout_put(layout, "cpus", row, text);
        layout_put(layout, "calls", row, text);
        text->failed |= !spoor_result_complete(row);
        spoor_result_free(row);
    }
}

#define CALLS_COLUMNS                                                       \
    "cpu,thread,depth,function,pc,kind,enter_time,leave_time,enter_record," \
    "leave_record,end,instructions"

/* ---- calls of a function ---- */

/* The calls of the function, with arguments and results as wide as their registers, and NULL where
 * they are not known; text: as it is printed. */
static void calls_report_of(const struct calls_job *job, const struct layout *layout,
                            struct spoor_result *result, struct text *text)
{
    size_t count;
    const struct spoor_call *calls = spoor_call_tree_calls(job->tree, &count);
    struct spoor_images *images = job->input.located.images;
    const bool flat = job->settings->common.csv || job->settings->common.table;
    spoor_result_text(result, "function",
                      count ? spoor_call_tree_name(job->tree, &calls[0]) : NULL);
    spoor_result_hex(result, "pc", job->of);
    spoor_result_text(result, "time_unit", calls_unit(job));
    struct spoor_result *rows = spoor_result_array(result, "calls");
    if (text) {
        spoor_result_unsigned(result, "count", count);
        layout_put_heading(layout, "calls of", result, text);
    }
    for (size_t i = 0; i < count; i++) {
        const struct spoor_call *call = &calls[i];
        struct spoor_place place = {.struct_size = sizeof place};
        struct spoor_result *row =
            text ? spoor_result_new_object() : spoor_result_object(rows, NULL);
        spoor_result_text(row, "cpu", spoor_call_tree_cpu(job->tree, call->cpu));
        calls_report_ends(job, call, row);
        spoor_result_hex_if(row, "from", call->kind != SPOOR_CALL_START, call->from);
        if (!text)
            spoor_result_text(row, "caller",
                              images && spoor_images_function(images, call->from, &place)
                                  ? place.function
                                  : NULL);
        struct spoor_call_arguments arguments = {.result = 0};
        spoor_call_tree_arguments(job->tree, call, &arguments);
        struct spoor_result *values = flat ? row : spoor_result_object(row, "arguments");
        for (unsigned j = 0; j <= SPOOR_ARGUMENTS; j++) {
            const bool is_result = j == SPOOR_ARGUMENTS;
            const unsigned bits = arguments.bits[j];
            const char *name = is_result ? "result" : spoor_call_tree_register(job->tree, j);
            char digits[2 + 16 + 1];
            snprintf(digits, sizeof digits, "0x%0*" PRIx64, (int)(bits + 3) / 4,
                     is_result ? arguments.result : arguments.values[j]);
            if (name && (is_result || flat || bits))
                spoor_result_text(is_result ? row : values, name, bits ? digits : NULL);
        }
        if (!text) continue;
        spoor_result_text(row, "kind", spoor_call_kind_name(call->kind));
        spoor_result_text(row, "result_register",
                          spoor_call_tree_register(job->tree, SPOOR_ARGUMENTS));
        layout_put(layout, "calls of", row, text);
        spoor_result_free(row);
    }
}

/* ---- callers ---- */

/* A function that calls what its parent is, in the chains from the asked one outwards. */
struct caller {
    const struct spoor_call *example;
    uint64_t function, calls, instructions;
    size_t parent, first, next; /* + 1; 0: none */
};
struct callers {
    const struct calls_job *job;
    struct caller *items;
    size_t count, capacity;
    const struct layout *layout;
    struct text *text; /* that is printed; NULL: a result is filled in */
};

/* A caller with its own callers: rows of the array `into`, or, if it is an object, a tree. */
static void callers_report(const struct callers *callers, size_t at, size_t depth,
                           struct spoor_result *into)
{
    const struct caller *caller = &callers->items[at - 1];
    const bool flat = spoor_result_type_of(into) == SPOOR_RESULT_ARRAY;
    struct spoor_result *row = flat ? spoor_result_object(into, NULL) : into;
    if (flat) spoor_result_unsigned(row, "depth", depth);
    calls_report_function(callers->job, caller->example, row);
    spoor_result_unsigned(row, "count", caller->calls);
    spoor_result_unsigned(row, "instructions", caller->instructions);
    if (callers->text) layout_put(callers->layout, "callers", row, callers->text);
    struct spoor_result *inner = flat ? into : spoor_result_array(row, "callers");
    for (size_t i = caller->first; i; i = callers->items[i - 1].next)
        callers_report(callers, i, depth + 1, flat ? into : spoor_result_object(inner, NULL));
}

/* The callers of the function, innermost first. */
static void calls_report_callers(const struct calls_job *job, const struct layout *layout,
                                 struct spoor_result *result, struct text *text)
{
    enum { LEVELS = 64 };
    const bool flat = text || job->settings->common.csv;
    struct callers callers = {.job = job, .layout = layout, .text = text};
    size_t count;
    const struct spoor_call *calls = spoor_call_tree_calls(job->tree, &count);
    for (size_t i = 0; i < count; i++) {
        size_t at = 0, level = 0;
        if ((calls[i].function & ~UINT64_C(1)) != (job->of & ~UINT64_C(1))) continue;
        for (uint32_t n = (uint32_t)i; n != SPOOR_NO_CALL && level < LEVELS;
             n = calls[n].parent, level++) {
            const size_t parent = at;
            at = parent ? callers.items[parent - 1].first : callers.count ? 1 : 0;
            for (; at; at = callers.items[at - 1].next)
                if (callers.items[at - 1].function == calls[n].function) break;
            if (!at && !array_reserve(&callers.items, &callers.capacity, callers.count + 1)) {
                spoor_result_fail(result);
                break;
            }
            if (!at) {
                struct caller *made = &callers.items[callers.count++];
                *made = (struct caller){
                    .example = &calls[n], .function = calls[n].function, .parent = parent};
                if (parent) {
                    made->next = callers.items[parent - 1].first;
                    callers.items[parent - 1].first = callers.count;
                }
                at = callers.count;
            }
            callers.items[at - 1].calls++;
            callers.items[at - 1].instructions += calls[i].instructions;
        }
    }
    if (text) layout_put_heading(layout, "callers", result, text);
    struct spoor_result *into =
        flat || !callers.count ? spoor_result_array(result, "callers") : result;
    if (flat) spoor_result_set_columns(into, "depth,function,pc,count,instructions");
    if (callers.count) callers_report(&callers, 1, 0, into);
    free(callers.items);
}

/* ---- printing ---- */

static int calls_show(const struct calls_job *job, bool *shown, struct spoor_result *all)
{
    const struct calls_settings *settings = job->settings;
    const struct settings *common = &settings->common;
    const bool data = prints_data(common), streams = data && !settings->is_result;
    struct layout layout = layout_of(common, &job->input.located);
    struct spoor_result *result = result_of(all);
    struct text text = {0};
    int code = EXIT_CLEAN;
    layout.widths[0] = layout.columns ? DEEPEST_ON_SCREEN : settings->callers ? INT_MAX : DEEPEST;
    spoor_result_text(result, "trace", job->input.path);
    spoor_result_text(result, "format", job->input.format);
    if (streams && common->json) {
        /* several traces are an array, which is printed trace by trace */
        size_t size = 0;
        char *json = spoor_call_tree_to_json(job->tree, &size);
        if (operand_count(common) > 1) text_puts(&text, *settings->begun ? ",\n" : "[\n");
        *settings->begun = true;
        text_puts(&text, "{\"trace\":");
        json_put_string(&text, job->input.path, strlen(job->input.path));
        text_printf(&text, ",\"format\":\"%s\",", job->input.format);
        text.failed |= !json;
        if (json) text_put(&text, json + 1, size - 1);
        free(json);
    } else if (streams) {
        /* A few rows at a time: a trace may have millions. */
        enum { ROWS = 4096 };
        const bool traced = operand_count(&job->settings->common) > 1;
        size_t count, i = 0;
        const struct spoor_call *calls = spoor_call_tree_calls(job->tree, &count);
        do {
            struct spoor_result *rows = spoor_result_new_array();
            spoor_result_set_columns(rows, traced ? "trace," CALLS_COLUMNS : CALLS_COLUMNS);
            for (const size_t end = i + ROWS; i < count && i < end; i++) {
                struct spoor_result *row = spoor_result_object(rows, NULL);
                if (traced) spoor_result_text(row, "trace", job->input.path);
                calls_report_call(job, &calls[i], row);
            }
            char *csv = spoor_result_complete(rows) ? spoor_result_to_csv(rows, NULL) : NULL;
            text.failed |= !csv;
            if (csv) text_puts(&text, *job->settings->begun ? strchr(csv, '\n') + 1 : csv);
            *job->settings->begun = true;
            free(csv);
            spoor_result_free(rows);
        } while (i < count && !text.failed);
    } else if (settings->callers)
        calls_report_callers(job, &layout, result, data ? NULL : &text);
    else if (settings->of)
        calls_report_of(job, &layout, result, data ? NULL : &text);
    else
        calls_report_tree(job, &layout, result, data ? NULL : &text);
    text.failed |= !data && !spoor_result_complete(result);
    if (streams || !data) {
        if (streams)
            showed_form();
        else
            code = show_apart(shown);
        code = worse(code, show_text(&text));
    } else if (!all) {
        const bool rows = settings->callers && common->csv; /* also where there are none */
        code = rows ? show_table(result, "callers", RESULT_CSV)
                    : show_result(result, result_form_of(common));
    }
    if (!all) spoor_result_free(result);
    text_free(&text);
    return code;
}

static int calls_trace(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct calls_settings *settings = context;
    struct calls_job job = {.settings = settings};
    int code = EXIT_CLEAN;
    if (!activity_open(&job.input, &settings->common, path)) return activity_close(&job.input);
    const char *of = settings->of;
    struct activity_input *input = &job.input;
    struct spoor_images *images = input->located.images;
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    const bool registers = of && !settings->callers; /* which the index does not keep */
    bool read = false;
    if (of && !(images && spoor_images_find(images, of, 0, &job.of)) &&
        !scan_all_address(of, &job.of)) {
        complain("--of: found '%s', expected %s an address in hexadecimal", of,
                 images ? "a function of the image or" : "(without an image)");
        code = EXIT_USAGE;
    } else if (settings->like) {
        code =
            like_ttu(settings->of ? TTU_CALLINFO : TTU_CALLTREE, path, &settings->common, job.of);
    } else if (calls_find_records(&job, &code) && activity_start(input, registers)) {
        const struct spoor_call_tree_options chosen = {
            .images = input->located.images,
            .of = job.of,
            .only = registers,
            .arguments = registers,
            .depth = (uint32_t)settings->depth,
            .from = job.from,
            .end = job.end,
            .limit = settings->limit,
            .stream = input->stream,
        };
        enum spoor_status status = spoor_call_tree_new(&job.tree, &chosen, &error);
        if (status == SPOOR_OK && input->index)
            status = spoor_call_tree_use_index(job.tree, input->index, &error);
        while (status == SPOOR_OK && activity_next(input, &batch))
            status = spoor_call_tree_feed(job.tree, batch, &error);
        if (status == SPOOR_OK) status = spoor_call_tree_end(job.tree, &error);
        read = activity_end(input, status, &error);
    }
    if (read) {
        const uint64_t omitted = spoor_call_tree_omitted(job.tree);
        size_t count;
        spoor_call_tree_calls(job.tree, &count);
        if (omitted && !settings->common.quiet)
            complain(
                "%s: %llu calls not shown: raise --top, or choose by --depth, --after and --until",
                path, (unsigned long long)omitted);
        if (!count && !omitted) {
            complain("%s: found no call%s%s%s", path, settings->of ? " of " : "",
                     settings->of ? settings->of : "", selection_words(&settings->common));
            code = worse(code, EXIT_NOTHING);
        }
        if (count || omitted || prints_data(&settings->common))
            code = worse(code, calls_show(&job, shown, all));
    }
    spoor_call_tree_free(job.tree);
    return worse(code, activity_close(&job.input));
}

static int calls_run(void *chosen)
{
    struct calls_settings *settings = chosen;
    const struct settings *common = &settings->common;
    const bool array = common->json && operand_count(common) > 1;
    int code = EXIT_CLEAN;
    bool shown = false, begun = false;
    if (settings->callers && !settings->of) {
        complain("calls --callers: expected --of FUNCTION");
        return EXIT_USAGE;
    }
    if (settings->callers && common->table) {
        complain("calls --callers: a tree has no tables, found --table");
        return EXIT_USAGE;
    }
    settings->begun = &begun;
    settings->is_result = common->table || (settings->of && prints_data(common));
    if (settings->is_result) return run_each_trace(common, calls_trace, settings);
    for (size_t i = 0; i < operand_count(common) && code != EXIT_USAGE; i++)
        code = worse(code, calls_trace(settings, operand(common, i), &shown, NULL));
    if (!array || code == EXIT_USAGE) return code;
    return worse(code, begun ? show_bytes("]\n", 2) : show_bytes("[]\n", 3));
}

const struct verb verb_calls = {
    .name = "calls",
    .brief = "the tree of calls, or all calls of a function with arguments and results",
    .operands = "TRACE...",
    .about = "Finds the calls of a trace and prints who called what, when, and how many "
             "instructions it ran.  Calls that never return and exceptions are in the tree, too.",
    .options = options,
    .settings_size = sizeof(struct calls_settings),
    .results = true,
    .many = true,
    .numbers = true,
    .follows = true,
    .run = calls_run,
};

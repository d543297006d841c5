/* SPDX-License-Identifier: MIT */
/* calls.c: the verb `calls`: the tree of calls of a trace, or the calls of one function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/scan.h"
#include "cli/activity_input.h"
#include "cli/asking.h"
#include "cli/call_text.h"
#include "cli/like_ttu.h"
#include "cli/narrow.h"
#include "spoor/call_tree.h"

struct calls_settings {
    struct settings common;
    const char *of, *where, *cpu, *from, *to;
    uint64_t depth, limit;
    bool callers, no_index;
    int like;
};

#define AT(field) offsetof(struct calls_settings, field)
static const struct option options[] = {
    OPT(0, "of", TEXT, "FUNCTION", AT(of),
        "the calls of one function, by name or address, with arguments and results"),
    OPT_FLAG(0, "callers", AT(callers), "with --of: who calls it, as a tree"),
    OPT(0, "depth", NUMBER, "N", AT(depth), "only calls with fewer than N callers"),
    OPT(0, "from", TEXT, "MOMENT", AT(from),
        "only calls open at or after a time, record:N, line:N or pc:ADDR[#K]"),
    OPT(0, "to", TEXT, "MOMENT", AT(to), "only calls entered up to such a moment"),
    OPT(0, "limit", COUNT, "N", AT(limit), "keep the first N calls (default: 500000)"),
    OPT(0, "where", TEXT, "EXPR", AT(where),
        "only calls whose first instruction matches an expression over fields"),
    OPT(0, "cpu", TEXT, "NAME", AT(cpu), "only calls of one cpu"),
    NO_INDEX_OPTION(AT(no_index)),
    LIKE_TTU_OPTION(AT(like)),
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

struct reading {
    const struct calls_settings *settings;
    struct activity_input input;
    struct spoor_call_tree *tree;
    uint64_t of;
    uint64_t from, end; /* records; `end` 0: of the trace */
};

/* ---- from and to ---- */

/* The record that --from or --to names, where it takes no look into the trace. */
static bool parse_record(const char *words, uint64_t *record)
{
    struct spoor_moment query;
    if (!spoor_moment_parse(words, &query) || query.kind != SPOOR_MOMENT_RECORD) return false;
    *record = query.number;
    return true;
}

/* The first record of a moment, or the last: a time, and a line, may have several. */
static bool ask_record(struct asking *asking, const char *words, bool first, uint64_t *record)
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
    if (!asking_moment(asking, words, &moment)) return false;
    *record = many || moment == 0 ? moment : moment - 1;
    return true;
}

static bool ask_records(struct reading *reading, uint64_t *from, uint64_t *to, int *code)
{
    const struct calls_settings *settings = reading->settings;
    struct asking asking;
    bool good = true;
    if (!can_be_read_twice(reading->input.path)) {
        complain("%s: is a pipe: found --from or --to, expected record:N", reading->input.path);
        *code = EXIT_USAGE;
        return false;
    }
    if (!asking_open(&asking, &settings->common, reading->input.path, NULL, settings->no_index)) {
        *code = worse(*code, asking.code);
        return false;
    }
    if (settings->from) {
        asking.option = "--from";
        good = ask_record(&asking, settings->from, true, from);
    }
    if (good && settings->to) {
        asking.option = "--to";
        good = ask_record(&asking, settings->to, false, to);
    }
    *code = worse(*code, asking_close(&asking));
    return good;
}

static bool find_records(struct reading *reading, int *code)
{
    const struct calls_settings *settings = reading->settings;
    uint64_t from = 0, to = UINT64_MAX;
    const bool parsed = (!settings->from || parse_record(settings->from, &from)) &&
                        (!settings->to || parse_record(settings->to, &to));
    if (!parsed && !ask_records(reading, &from, &to, code)) return false;
    reading->from = from;
    reading->end = to == UINT64_MAX ? 0 : to + 1;
    return true;
}

static bool find_function(struct reading *reading)
{
    const char *words = reading->settings->of;
    if (!words) return true;
    if (reading->input.located.images &&
        spoor_images_find(reading->input.located.images, words, 0, &reading->of))
        return true;
    if (scan_all_address(words, &reading->of)) return true;
    complain("--of: found '%s', expected %s an address in hexadecimal", words,
             reading->input.located.images ? "a function of the image or" : "(without an image)");
    return false;
}

/* The index keeps calls without registers. */
static bool read_calls(struct reading *reading)
{
    const struct calls_settings *settings = reading->settings;
    struct activity_input *input = &reading->input;
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    const bool registers = settings->of && !settings->callers;
    if (!activity_start(input, input->where || settings->no_index || registers)) return false;
    const struct spoor_call_tree_options chosen = {
        .images = input->located.images,
        .where = input->where,
        .cpu = settings->cpu,
        .of = reading->of,
        .only = registers,
        .arguments = registers,
        .depth = (uint32_t)settings->depth,
        .from = reading->from,
        .end = reading->end,
        .limit = settings->limit,
        .stream = input->stream,
    };
    enum spoor_status status = spoor_call_tree_new(&reading->tree, &chosen, &error);
    if (status == SPOOR_OK && input->index)
        status = spoor_call_tree_use_index(reading->tree, input->index, &error);
    while (status == SPOOR_OK && activity_next(input, &batch))
        status = spoor_call_tree_feed(reading->tree, batch, &error);
    if (status == SPOOR_OK) status = spoor_call_tree_end(reading->tree, &error);
    return activity_end(input, status, &error);
}

/* EXIT_NOTHING, after a message, if no call fits. */
static int found_nothing(const struct reading *reading)
{
    size_t count;
    spoor_call_tree_calls(reading->tree, &count);
    if (count || spoor_call_tree_omitted(reading->tree)) return EXIT_CLEAN;
    complain("%s: found no call%s%s", reading->input.path, reading->settings->of ? " of " : "",
             reading->settings->of ? reading->settings->of : "");
    return EXIT_NOTHING;
}

/* ---- printing ---- */

/* What is printed of all traces: the answers to --of, and --table, are results; the tree of a trace
 * is streamed, as it may have many calls. */
struct printing {
    const struct calls_settings *settings;
    bool begun; /* the line of keys, or the beginning of the array, has been printed */
};

static bool is_result(const struct calls_settings *settings)
{
    return settings->common.table || (settings->of && prints_data(&settings->common));
}

static void report_calls(const struct calls_settings *settings, const struct call_table *table,
                         struct spoor_result *result)
{
    if (settings->callers) {
        call_table_report_callers(table, result);
    } else if (settings->of) {
        call_table_report(table, result);
    } else {
        spoor_result_text(result, "trace", table->title);
        spoor_result_text(result, "format", table->format);
        call_table_report_rows(table, result);
    }
}

/* Several traces are an array, which is printed trace by trace. */
static void begin_item(struct printing *printing, struct text *text)
{
    const struct settings *common = &printing->settings->common;
    if (common->json && operand_count(common) > 1) text_puts(text, printing->begun ? ",\n" : "[\n");
    printing->begun = true;
}

static void put_json(const struct call_table *table, struct text *text)
{
    size_t size = 0;
    char *json = spoor_call_tree_to_json(table->tree, &size);
    text_puts(text, "{\"trace\":");
    json_put_string(text, table->title, strlen(table->title));
    text_printf(text, ",\"format\":\"%s\",", table->format);
    text->failed |= !json;
    if (json) text_put(text, json + 1, size - 1);
    free(json);
}

static int stream(const struct call_table *table, struct printing *printing, bool *shown)
{
    const struct calls_settings *settings = printing->settings;
    const bool data = prints_data(&settings->common);
    struct text text = {0};
    if (data) showed_form();
    begin_item(printing, &text);
    if (settings->common.json)
        put_json(table, &text);
    else if (data)
        call_table_put_csv(table, &text);
    else if (settings->callers)
        call_table_put_callers(table, &text);
    else if (settings->of)
        call_table_put_calls(table, &text);
    else
        call_table_put_tree(table, &text);
    int code = data ? EXIT_CLEAN : show_apart(shown);
    code = worse(code, show_text(&text));
    text_free(&text);
    return code;
}

static int show(const struct reading *reading, struct printing *printing, bool *shown,
                struct spoor_result *all)
{
    const struct settings *common = &reading->settings->common;
    const struct call_table table = {
        .tree = reading->tree,
        .title = reading->input.path,
        .format = reading->input.format,
        .images = reading->input.located.images,
        .of = reading->of,
        .flat = common->csv || common->table,
        .traced = operand_count(common) > 1,
        .headless = printing->begun,
        .columns = narrow_columns(common),
    };
    if (!is_result(reading->settings)) return stream(&table, printing, shown);
    struct spoor_result *result = all ? spoor_result_object(all, NULL) : spoor_result_new_object();
    report_calls(reading->settings, &table, result);
    if (all) return EXIT_CLEAN;
    const bool rows = reading->settings->callers && common->csv; /* also where there are none */
    const int code = rows ? show_table(result, "callers", RESULT_CSV)
                          : show_result(result, result_form_of(common));
    spoor_result_free(result);
    return code;
}

static int calls_of_trace(struct printing *printing, const char *path, bool *shown,
                          struct spoor_result *all)
{
    const struct calls_settings *settings = printing->settings;
    struct reading reading = {.settings = settings};
    int code = EXIT_CLEAN;
    if (!activity_open(&reading.input, &settings->common, path, settings->where))
        return activity_close(&reading.input);
    if (!find_function(&reading)) {
        code = EXIT_USAGE;
    } else if (settings->like) {
        code = like_ttu(settings->of ? TTU_CALLINFO : TTU_CALLTREE, path, &settings->common,
                        reading.of);
    } else if (find_records(&reading, &code) && read_calls(&reading)) {
        if (spoor_call_tree_omitted(reading.tree) && !settings->common.quiet)
            complain("%s: %llu more calls are not kept: --limit, --depth, --from and --to choose",
                     path, (unsigned long long)spoor_call_tree_omitted(reading.tree));
        const int nothing = found_nothing(&reading);
        if (nothing == EXIT_CLEAN || prints_data(&settings->common))
            code = worse(code, show(&reading, printing, shown, all));
        code = worse(code, nothing);
    }
    spoor_call_tree_free(reading.tree);
    return worse(code, activity_close(&reading.input));
}

static int result_of_trace(const void *context, const char *path, bool *shown,
                           struct spoor_result *all)
{
    struct printing printing = {.settings = context};
    return calls_of_trace(&printing, path, shown, all);
}

static int run(void *chosen)
{
    const struct calls_settings *settings = chosen;
    const struct settings *common = &settings->common;
    const bool array = common->json && operand_count(common) > 1;
    struct printing printing = {.settings = settings};
    int code = EXIT_CLEAN;
    bool shown = false;
    if (settings->callers && !settings->of) {
        complain("calls --callers: expected --of FUNCTION");
        return EXIT_USAGE;
    }
    if (settings->callers && common->table) {
        complain("calls --callers: a tree has no tables, found --table");
        return EXIT_USAGE;
    }
    if (is_result(settings)) return run_each_trace(common, result_of_trace, settings);
    for (size_t i = 0; i < operand_count(common) && code != EXIT_USAGE; i++)
        code = worse(code, calls_of_trace(&printing, operand(common, i), &shown, NULL));
    if (!array || code == EXIT_USAGE) return code;
    return worse(code, printing.begun ? show_bytes("]\n", 2) : show_bytes("[]\n", 3));
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
    .follows = true,
    .run = run,
};

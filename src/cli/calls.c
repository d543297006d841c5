/* SPDX-License-Identifier: MIT */
/* calls.c: the verb `calls`: the tree of calls of a trace, or the calls of one function. */
#include <stdlib.h>
#include <string.h>

#include "cli/call_text.h"
#include "cli/like_ttu.h"
#include "cli/located.h"
#include "cli/section.h"
#include "explore/call_tree.h"
#include "explore/explorer.h"
#include "spoor/call_tree.h"

struct calls_settings {
    struct settings common;
    const char *of, *where, *cpu, *from, *to;
    uint64_t depth, limit;
    bool callers, csv, no_index;
    int like;
};

#define AT(field) offsetof(struct calls_settings, field)
static const struct option options[] = {
    {0, "of", "FUNCTION", OPTION_TEXT, AT(of),
     "the calls of one function, by name or address, with arguments and results", NULL,
     OPTION_DOUBLE_DASH},
    {0, "callers", NULL, OPTION_FLAG, AT(callers), "with --of: who calls it, as a tree", NULL,
     OPTION_DOUBLE_DASH},
    {0, "depth", "N", OPTION_NUMBER, AT(depth), "only calls with fewer than N callers", NULL,
     OPTION_DOUBLE_DASH},
    {0, "from", "MOMENT", OPTION_TEXT, AT(from),
     "only calls open at or after record:N (from 0) or line:N", NULL, OPTION_DOUBLE_DASH},
    {0, "to", "MOMENT", OPTION_TEXT, AT(to), "only calls entered up to record:N or line:N", NULL,
     OPTION_DOUBLE_DASH},
    {0, "limit", "N", OPTION_NUMBER, AT(limit), "keep the first N calls (default: 500000)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "where", "EXPR", OPTION_TEXT, AT(where),
     "only calls whose first instruction fits an expression over fields", NULL, OPTION_DOUBLE_DASH},
    {0, "cpu", "NAME", OPTION_TEXT, AT(cpu), "of one cpu", NULL, OPTION_DOUBLE_DASH},
    {0, "no-index", NULL, OPTION_FLAG, AT(no_index),
     "read the whole trace, and neither use nor store an index", NULL, OPTION_DOUBLE_DASH},
    {0, "csv", NULL, OPTION_FLAG, AT(csv), "print comma-separated values", NULL,
     OPTION_DOUBLE_DASH},
    LIKE_TTU_OPTION(AT(like)),
    IMAGE_OPTIONS,
    OPTION_END,
};

struct reading {
    const struct calls_settings *settings;
    const char *path;
    struct located located;
    struct spoor_select *where;
    struct spoor_call_tree *tree;
    uint64_t of;
};

/* "record:N", or "line:N" of a trace whose lines are records. */
static bool parse_moment(const char *words, const char *option, uint64_t *record)
{
    struct moment_query query;
    if (!words) return true;
    if (moment_parse(words, &query) &&
        (query.kind == MOMENT_RECORD || (query.kind == MOMENT_LINE && query.number > 0))) {
        *record = query.kind == MOMENT_LINE ? query.number - 1 : query.number;
        return true;
    }
    complain("%s: found '%s', expected record:N or line:N", option, words);
    return false;
}

static bool find_function(struct reading *reading)
{
    const char *words = reading->settings->of;
    char *end;
    if (!words) return true;
    if (reading->located.images &&
        spoor_images_find(reading->located.images, words, 0, &reading->of))
        return true;
    reading->of = strtoull(words, &end, 16);
    if (*words && !*end) return true;
    complain("--of: found '%s', expected %s an address in hexadecimal", words,
             reading->located.images ? "a function of the image or" : "(without an image)");
    return false;
}

static bool make_tree(struct reading *reading, const struct spoor_stream *stream, int *code)
{
    const struct calls_settings *settings = reading->settings;
    struct spoor_error error = {0};
    struct spoor_call_tree_options chosen = {
        .images = reading->located.images,
        .where = reading->where,
        .cpu = settings->cpu,
        .of = reading->of,
        .only = settings->of && !settings->callers,
        .arguments = settings->of && !settings->callers,
        .depth = (uint32_t)settings->depth,
        .limit = settings->limit,
    };
    if (!parse_moment(settings->from, "--from", &chosen.from) ||
        !parse_moment(settings->to, "--to", &chosen.to)) {
        *code = EXIT_USAGE;
        return false;
    }
    if (spoor_call_tree_new(&reading->tree, &chosen, stream, &error) == SPOOR_OK) return true;
    *code = fail(&error);
    return false;
}

static int read_trace(struct reading *reading)
{
    struct trace_input input;
    const struct spoor_batch *batch;
    int code = EXIT_CLEAN;
    if (!input_open_with(
            &input, reading->path, &reading->settings->common,
            (struct spoor_reader_options){.locator = located_locator(&reading->located)}))
        return input.exit_code;
    bool good = make_tree(reading, input.stream, &code);
    const bool made = good;
    while (good && input_next(&input, &batch)) good = spoor_call_tree_feed(reading->tree, batch);
    if (made && !(good && spoor_call_tree_end(reading->tree))) {
        complain("%s: out of memory", reading->path);
        code = EXIT_UNREADABLE;
        spoor_call_tree_free(reading->tree);
        reading->tree = NULL;
    }
    return worse(input_close(&input), code);
}

static bool use_section(void *context, const struct machine *machine, const uint8_t *bytes,
                        size_t size)
{
    struct reading *reading = context;
    return call_tree_use_section(reading->tree, machine, bytes, size) &&
           spoor_call_tree_end(reading->tree);
}

/* The index keeps calls by address, without registers. */
static int read_any(struct reading *reading)
{
    const struct calls_settings *settings = reading->settings;
    int code = EXIT_CLEAN;
    bool used;
    if (reading->located.images || reading->where || (settings->of && !settings->callers) ||
        !section_is_wanted(reading->path, settings->no_index))
        return read_trace(reading);
    if (!make_tree(reading, NULL, &code)) return code;
    code = section_use(reading->path, &settings->common, use_section, reading, &used);
    if (used) return code;
    spoor_call_tree_free(reading->tree);
    reading->tree = NULL;
    return code;
}

static int show(const struct reading *reading, bool *shown)
{
    const struct calls_settings *settings = reading->settings;
    struct text text = {0};
    struct call_table table = {
        .tree = reading->tree, .title = reading->path, .of = reading->of, .flat = settings->csv};
    size_t size = 0;
    char *json = NULL;
    if (settings->common.json && !settings->of) {
        json = spoor_call_tree_to_json(reading->tree, &size);
        const int code = json ? show_bytes(json, size) : EXIT_UNREADABLE;
        free(json);
        return code;
    }
    if (settings->of && !settings->callers && (settings->common.json || settings->csv)) {
        struct spoor_result *result = spoor_result_new_object();
        call_table_report(&table, reading->located.images, result);
        const int code = show_result(result, settings->csv ? RESULT_CSV : RESULT_JSON);
        spoor_result_free(result);
        return code;
    }
    if (settings->callers)
        call_table_put_callers(&table, settings->common.json, &text);
    else if (settings->of)
        call_table_put_calls(&table, reading->located.images, &text);
    else if (settings->csv)
        call_table_put_csv(&table, &text);
    else
        call_table_put_tree(&table, &text);
    const int code = worse(show_apart(shown), show_text(&text));
    text_free(&text);
    return code;
}

static int calls_of_trace(const struct calls_settings *settings, const char *path, bool *shown)
{
    struct reading reading = {.settings = settings, .path = path};
    struct spoor_error error = {0};
    int code = EXIT_USAGE;
    if (!located_open(&reading.located, &settings->common, path)) return reading.located.code;
    if (settings->where &&
        spoor_select_compile(&reading.where, settings->where, &error) != SPOOR_OK)
        complain("--where: %s", error.text);
    else if (!find_function(&reading))
        code = EXIT_USAGE;
    else if (settings->like)
        code = like_ttu(settings->of ? TTU_CALLINFO : TTU_CALLTREE, path, &settings->common,
                        reading.of);
    else
        code = read_any(&reading);
    if (reading.tree) {
        if (spoor_call_tree_omitted(reading.tree) && !settings->common.quiet)
            complain("%s: %llu more calls are not kept: --limit, --depth, --from and --to choose",
                     path, (unsigned long long)spoor_call_tree_omitted(reading.tree));
        code = worse(code, show(&reading, shown));
    }
    spoor_call_tree_free(reading.tree);
    spoor_select_free(reading.where);
    located_close(&reading.located);
    return code;
}

static int run(void *chosen)
{
    const struct calls_settings *settings = chosen;
    int code = EXIT_CLEAN;
    bool shown = false;
    if (settings->callers && !settings->of) {
        complain("calls --callers: expected --of FUNCTION");
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < operand_count(&settings->common) && code != EXIT_USAGE; i++)
        code = worse(code, calls_of_trace(settings, operand(&settings->common, i), &shown));
    return code;
}

const struct verb verb_calls = {
    .name = "calls",
    .brief = "the tree of calls, or all calls of a function with arguments and results",
    .operands = "TRACE...",
    .about = "Finds the calls of a trace and prints who called what, when, and how many "
             "instructions it ran.  Calls that never return and exceptions are in the tree, too.",
    .options = options,
    .settings_size = sizeof(struct calls_settings),
    .run = run,
};

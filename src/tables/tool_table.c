/* SPDX-License-Identifier: MIT */
/*
 * tool_table.c: the reports of tools as functions that return tables:
 *
 *     simulate_cache('l1d:32K,8,64 l2:1M,16,64', trace)   a row for each cache
 *     simulate_branch('gshare:bits=14 tage', trace)       a row for each predictor
 *     hard_branches('tage-sc-l', trace)                   a row for each branch that it mispredicts
 *     profile('function', trace)                          or line, file, address, opcode
 *     exceptions(cpu, trace)                              a row for each exception
 *     exception_kinds(cpu, trace)                         a row for each cause, number and handler
 *     tasks(cpu, trace)                                   a row for each task that handlers switch
 *     diff(other, trace)                                  a row for each difference, at most 1,000
 *
 * The trace is the first one where it is left out; t2 is the second, as its schema is called.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "model/error.h"
#include "result/result_table.h"
#include "spoor/cache.h"
#include "spoor/diff.h"
#include "spoor/exceptions.h"
#include "spoor/prediction.h"
#include "spoor/profile.h"
#include "tables/internal.h"

enum tool {
    SIMULATE_CACHE,
    SIMULATE_BRANCH,
    HARD_BRANCHES,
    PROFILE,
    EXCEPTIONS,
    EXCEPTION_KINDS,
    TASKS,
    DIFF,
    TOOLS
};
enum { MAX_WORDS = 32, ROWS = 1000, COLUMNS_MAX = 128 };

/* The columns are those of the report's rows, which reports.def describes. */
static const struct {
    const char *name, *report, *rows, *argument;
    const char *fallback; /* of the argument; NULL: it is needed */
} tools[TOOLS] = {
    [SIMULATE_CACHE] = {"simulate_cache", "cache", "caches", "levels",
                        "l1i:32K,8,64 l1d:32K,8,64 l2:1M,16,64"},
    [SIMULATE_BRANCH] = {"simulate_branch", "branch", "predictors", "predictors",
                         "bimodal gshare tage-sc-l"},
    [HARD_BRANCHES] = {"hard_branches", "branch", "hardest", "predictor", "tage-sc-l"},
    [PROFILE] = {"profile", "profile", NULL, "by", "function"},
    [EXCEPTIONS] = {"exceptions", "exceptions", "exceptions", "only", ""},
    [EXCEPTION_KINDS] = {"exception_kinds", "exceptions", "kinds", "only", ""},
    [TASKS] = {"tasks", "exceptions", "tasks", "only", ""},
    [DIFF] = {"diff", "diff", "differences", "other", NULL},
};
/* What a profile is by decides which rows it has: its table has the columns of all. */
static const char *const profile_rows[] = {"functions", "lines", "files", "addresses", "opcodes"};
enum { PROFILE_ROWS = sizeof profile_rows / sizeof *profile_rows };

const char *tool_name(int tool)
{
    return tool < TOOLS ? tools[tool].name : NULL;
}

struct tool_columns {
    struct report_column items[COLUMNS_MAX];
    int count;
};

static void tool_list_columns(struct tool_columns *columns, enum tool tool)
{
    const char *const *rows = tools[tool].rows ? &tools[tool].rows : profile_rows;
    const size_t count = tools[tool].rows ? 1 : PROFILE_ROWS;
    struct report_column column;
    columns->count = 0;
    for (size_t row = 0; row < count; row++)
        for (size_t i = 0; report_column(tools[tool].report, rows[row], i, &column); i++) {
            int same = 0;
            while (same < columns->count && strcmp(columns->items[same].name, column.name) != 0)
                same++;
            if (same == columns->count && same < COLUMNS_MAX)
                columns->items[columns->count++] = column;
        }
}

/* ---- the table ---- */

struct tool_cursor {
    struct trace_cursor common; /* the first member */
    struct spoor_result *result;
    const struct spoor_result *row; /* NULL: at the end */
    struct tool_columns columns;
};

static void tool_table_release(sqlite3_vtab_cursor *base)
{
    struct tool_cursor *cursor = (struct tool_cursor *)base;
    spoor_result_free(cursor->result);
    cursor->result = NULL;
    cursor->row = NULL;
    cursor->common.number = 0;
}

static const struct trace_cursors cursors = {sizeof(struct tool_cursor), tool_table_release};

static int tool_table_create(sqlite3 *database, void *options, int count, const char *const *words,
                             sqlite3_vtab **table, char **message)
{
    struct text columns = {0};
    struct tool_columns described;
    int tool = 0;
    while (tool < TOOLS && (count == 0 || strcmp(words[0], tools[tool].name) != 0)) tool++;
    if (tool == TOOLS) return SQLITE_ERROR;
    text_puts(&columns, "CREATE TABLE x(");
    tool_list_columns(&described, (enum tool)tool);
    for (int i = 0; i < described.count; i++) {
        char *name = described.items[i].name;
        for (char *dot; (dot = strchr(name, '.'));) *dot = '_'; /* latency.mean is latency_mean */
        text_printf(&columns, "\"%s\" %s, ", name, described.items[i].is_address ? TABLES_HEX : "");
    }
    text_printf(&columns, "\"%s\" HIDDEN, trace TEXT HIDDEN)", tools[tool].argument);
    text_put(&columns, "", 1);
    const struct trace_table model = {.options = options, .what = tool, .cursors = &cursors};
    const int code = columns.failed
                         ? SQLITE_NOMEM
                         : trace_table_new(database, &model, NULL, columns.bytes, table, message);
    text_free(&columns);
    return code;
}

static int tool_table_choose(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const enum tool tool = (enum tool)((struct trace_table *)base)->what;
    struct tool_columns columns;
    tool_list_columns(&columns, tool);
    bool complete = tools[tool].fallback != NULL;
    const int code = trace_table_choose_arguments(info, columns.count, &complete);
    if (code != SQLITE_OK) return code;
    if (!complete) {
        sqlite3_free(base->zErrMsg);
        base->zErrMsg = sqlite3_mprintf("expected %s(%s)", tools[tool].name, tools[tool].argument);
        return SQLITE_ERROR;
    }
    info->estimatedRows = 100;
    info->estimatedCost = 1e7;
    return SQLITE_OK;
}

/* ---- running ---- */

/* What a tool is run with. */
struct tool_run {
    struct tables_options *options;
    struct spoor_reader *reader;
    const char *words[MAX_WORDS]; /* of the argument */
    size_t count;
    char *copy;
    struct spoor_result *result;
};

/* Called for each batch. */
static enum spoor_status tool_table_goes_on(const struct tool_run *run, struct spoor_error *error)
{
    const struct tables_options *options = run->options;
    if (!options->goes_on || options->goes_on(options->context)) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "interrupted");
}

static enum spoor_status tool_run_cache(const struct tool_run *run, struct spoor_error *error)
{
    const struct spoor_cache_options options = {.classify = true};
    const struct spoor_reference_options how = {.pc_by_order = true};
    struct spoor_reference_block block = {.struct_size = sizeof block};
    struct spoor_cache_system *system = NULL;
    enum spoor_status status = SPOOR_OK;
    struct spoor_cache_level *levels = calloc(run->count + 1, sizeof *levels);
    if (!levels) return error_no_memory(error);
    for (size_t i = 0; i < run->count && status == SPOOR_OK; i++) {
        struct text text = {0}; /* a level without a name is called `cache` */
        if (!strchr(run->words[i], ':')) text_puts(&text, "cache:");
        text_put(&text, run->words[i], strlen(run->words[i]) + 1);
        status = text.failed ? error_no_memory(error)
                             : spoor_cache_level_parse(&levels[i], text.bytes, error);
        text_free(&text);
    }
    if (status == SPOOR_OK)
        status = spoor_cache_system_new(&system, levels, run->count, &options, error);
    if (status == SPOOR_OK && spoor_cache_system_needs_future(system))
        status = spoor_error_set(error, SPOOR_EUSAGE,
                                 "simulate_cache: policy=opt needs the whole trace in advance: "
                                 "expected another policy");
    while (status == SPOOR_OK && (status = tool_table_goes_on(run, error)) == SPOOR_OK &&
           (status = spoor_reader_next_references(run->reader, &how, &block, error)) == SPOOR_OK &&
           (status = spoor_cache_system_feed(system, block.items, block.count, error)) == SPOOR_OK)
        run->options->faults += block.source->fault_count;
    if (status == SPOOR_END) status = spoor_cache_system_end(system, error);
    if (status == SPOOR_OK) status = spoor_cache_system_report(system, 0, false, run->result);
    spoor_cache_system_free(system);
    free(levels);
    return status;
}

static enum spoor_status tool_run_branch(const struct tool_run *run, bool hardest,
                                         struct spoor_error *error)
{
    const struct spoor_prediction_options options = {
        .specs = run->words, .count = run->count, .by_branch = hardest};
    struct spoor_prediction *prediction = NULL;
    struct spoor_branch_block block = {0}, last = {0};
    enum spoor_status status = spoor_prediction_new(&prediction, &options, error);
    if (status != SPOOR_OK) return status;
    while ((status = tool_table_goes_on(run, error)) == SPOOR_OK &&
           (status = spoor_reader_next_branches(run->reader, &block, error)) == SPOOR_OK &&
           (status = spoor_prediction_feed(prediction, block.items, block.count, error)) ==
               SPOOR_OK) {
        run->options->faults += block.source ? block.source->fault_count : 0;
        last = block;
    }
    if (status == SPOOR_END) {
        spoor_prediction_name_cpus(prediction, spoor_reader_stream(run->reader),
                                   last.cpu_instructions, last.cpu_capacity);
        status = spoor_prediction_end(prediction, last.instructions, error);
    }
    if (status == SPOOR_OK)
        status = hardest ? spoor_prediction_report_hardest(prediction, ROWS, run->result)
                         : spoor_prediction_report(prediction, run->result);
    spoor_prediction_free(prediction);
    return status;
}

static enum spoor_status tool_run_profile(const struct tool_run *run, struct spoor_error *error)
{
    static const char *const by[] = {"function", "line", "file", "address", "opcode"};
    struct spoor_profile_options options = {.images = run->options->images,
                                            .stream = spoor_reader_stream(run->reader)};
    const struct spoor_batch *batch;
    struct spoor_profile *profile = NULL;
    size_t which = 0;
    while (which < sizeof by / sizeof *by && strcmp(by[which], run->words[0]) != 0) which++;
    if (which == sizeof by / sizeof *by)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "profile: found '%s', expected function, line, file, address "
                               "or opcode",
                               run->words[0]);
    options.by = (enum spoor_profile_by)which;
    enum spoor_status status = spoor_profile_new(&profile, &options, error);
    if (status != SPOOR_OK) return status;
    while ((status = tool_table_goes_on(run, error)) == SPOOR_OK &&
           (status = spoor_reader_next(run->reader, &batch, error)) == SPOOR_OK &&
           (status = spoor_profile_feed(profile, batch, error)) == SPOOR_OK)
        run->options->faults += batch->fault_count;
    if (status == SPOOR_END) status = spoor_profile_end(profile, error);
    if (status == SPOOR_OK) status = spoor_profile_report(profile, false, run->result);
    spoor_profile_free(profile);
    return status;
}

/* The argument: of one cpu. */
static enum spoor_status tool_run_exceptions(const struct tool_run *run, struct spoor_error *error)
{
    const struct spoor_exceptions_options options = {
        .images = run->options->images,
        .cpu = run->count ? run->words[0] : NULL,
        .limit = UINT64_MAX,
        .stream = spoor_reader_stream(run->reader),
    };
    const struct spoor_batch *batch;
    struct spoor_exceptions *exceptions = NULL;
    enum spoor_status status = spoor_exceptions_new(&exceptions, &options, error);
    if (status != SPOOR_OK) return status;
    while ((status = tool_table_goes_on(run, error)) == SPOOR_OK &&
           (status = spoor_reader_next(run->reader, &batch, error)) == SPOOR_OK &&
           (status = spoor_exceptions_feed(exceptions, batch, error)) == SPOOR_OK)
        run->options->faults += batch->fault_count;
    if (status == SPOOR_END) status = spoor_exceptions_end(exceptions, error);
    if (status == SPOOR_OK) status = spoor_exceptions_report(exceptions, run->result);
    spoor_exceptions_free(exceptions);
    return status;
}

/* A side of a comparison. */
struct side {
    const struct tool_run *run;
    struct spoor_reader *reader;
};

static enum spoor_status tool_next_of_side(void *context, const struct spoor_batch **batch,
                                           struct spoor_error *error)
{
    const struct side *side = context;
    const enum spoor_status status = tool_table_goes_on(side->run, error);
    return status == SPOOR_OK ? spoor_reader_next(side->reader, batch, error) : status;
}

static enum spoor_status tool_run_compare(const struct tool_run *run, struct spoor_error *error)
{
    const struct spoor_diff_options options = {.retained = ROWS};
    const struct spoor_reader_options how = tables_reader_options(run->options);
    const char *path = tables_trace(run->options, run->words[0], error);
    struct spoor_reader *other = NULL;
    struct spoor_diff *diff = NULL;
    if (!path) return SPOOR_EUSAGE;
    enum spoor_status status = spoor_reader_open(&other, path, &how, error);
    if (status == SPOOR_OK) status = spoor_diff_new(&diff, &options, error);
    if (status == SPOOR_OK) {
        struct side sides[2] = {{run, run->reader}, {run, other}};
        const struct spoor_diff_input inputs[2] = {
            {tool_next_of_side, &sides[0], spoor_reader_stream(run->reader)},
            {tool_next_of_side, &sides[1], spoor_reader_stream(other)}};
        status = spoor_diff_run(diff, inputs, error);
    }
    if (status == SPOOR_OK) status = spoor_diff_report(diff, run->result);
    spoor_diff_free(diff);
    spoor_reader_close(other);
    return status;
}

/* The words of the argument; those of a path are not taken apart. */
static enum spoor_status tool_table_split(struct tool_run *run, enum tool tool,
                                          const char *argument, struct spoor_error *error)
{
    run->copy = strdup(argument);
    if (!run->copy) return error_no_memory(error);
    if (tool == DIFF) {
        run->words[run->count++] = run->copy;
        return SPOOR_OK;
    }
    for (char *at = run->copy; *at;) {
        at += strspn(at, " ");
        if (!*at) break;
        if (run->count == MAX_WORDS)
            return spoor_error_set(error, SPOOR_EUSAGE, "%s: expected at most %d", tools[tool].name,
                                   MAX_WORDS);
        run->words[run->count++] = at;
        at += strcspn(at, " ");
        if (*at) *at++ = '\0';
    }
    if (run->count || (tools[tool].fallback && !*tools[tool].fallback)) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "expected %s(%s)", tools[tool].name,
                           tools[tool].argument);
}

static int tool_table_filter(sqlite3_vtab_cursor *base, int plan, const char *unused, int count,
                             sqlite3_value **values)
{
    struct tool_cursor *cursor = (struct tool_cursor *)base;
    struct trace_table *table = (struct trace_table *)base->pVtab;
    const enum tool tool = (enum tool)table->what;
    const struct spoor_reader_options how = tables_reader_options(table->options);
    const char *arguments[2] = {NULL, NULL}; /* of the tool; the trace */
    struct spoor_error error = {0};
    (void)unused;
    for (int place = 0; place < 2; place++) {
        sqlite3_value *value = trace_table_argument(plan, place, count, values);
        if (value) arguments[place] = (const char *)sqlite3_value_text(value);
    }
    if (!arguments[0]) arguments[0] = tools[tool].fallback ? tools[tool].fallback : "";
    tool_table_release(base);
    tool_list_columns(&cursor->columns, tool);
    const char *path = tables_trace(table->options, arguments[1], &error);
    struct tool_run run = {.options = table->options, .result = spoor_result_new_object()};
    cursor->result = run.result;
    enum spoor_status status =
        path ? tool_table_split(&run, tool, arguments[0], &error) : SPOOR_EUSAGE;
    if (status == SPOOR_OK && !run.result) status = error_no_memory(&error);
    if (status == SPOOR_OK) status = spoor_reader_open(&run.reader, path, &how, &error);
    if (status == SPOOR_OK) {
        switch (tool) {
        case SIMULATE_CACHE: status = tool_run_cache(&run, &error); break;
        case SIMULATE_BRANCH:
        case HARD_BRANCHES: status = tool_run_branch(&run, tool == HARD_BRANCHES, &error); break;
        case PROFILE: status = tool_run_profile(&run, &error); break;
        case EXCEPTIONS:
        case EXCEPTION_KINDS:
        case TASKS: status = tool_run_exceptions(&run, &error); break;
        case DIFF: status = tool_run_compare(&run, &error); break;
        case TOOLS: break;
        }
    }
    spoor_reader_close(run.reader);
    free(run.copy);
    if (status == SPOOR_OK && !spoor_result_complete(run.result)) status = error_no_memory(&error);
    if (status != SPOOR_OK) return trace_table_fail(&table->base, status, &error);
    /* The rows: the array of objects of this name, or of what the profile is by. */
    const char *name = tools[tool].rows;
    const struct spoor_result *rows =
        name ? spoor_result_member(cursor->result, name) : cursor->result->first;
    while (!name && rows && !result_is_table(rows)) rows = rows->next;
    cursor->row = rows ? rows->first : NULL;
    cursor->common.ended = !cursor->row;
    return SQLITE_OK;
}

/* ---- rows ---- */

static int tool_table_next(sqlite3_vtab_cursor *base)
{
    struct tool_cursor *cursor = (struct tool_cursor *)base;
    cursor->row = cursor->row->next;
    cursor->common.ended = !cursor->row;
    cursor->common.number++;
    return SQLITE_OK;
}

static int tool_table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    const struct tool_cursor *cursor = (const struct tool_cursor *)base;
    if (number >= cursor->columns.count) return SQLITE_OK; /* an argument */
    /* Of "latency.mean", the member `mean` of the row's object `latency`. */
    const char *path = cursor->columns.items[number].name;
    const struct spoor_result *cell = cursor->row;
    char key[sizeof cursor->columns.items->name];
    for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        cell = spoor_result_member(cell, key);
        if (!cell || cell->type != NODE_OBJECT) return SQLITE_OK;
    }
    cell = spoor_result_member(cell, path);
    if (!cell || cell->type == NODE_NULL) return SQLITE_OK;
    if (result_is_list(cell)) {
        struct text text = {0};
        table_put_cell(&text, cell);
        give_built(context, &text);
    } else if (!result_is_scalar(cell)) {
        return SQLITE_OK;
    } else if (cell->type == NODE_STRING)
        sqlite3_result_text(context, cell->string, (int)cell->size, SQLITE_TRANSIENT);
    else if (cell->type == NODE_REAL)
        sqlite3_result_double(context, cell->real);
    else
        sqlite3_result_int64(context, (sqlite3_int64)cell->number);
    return SQLITE_OK;
}

const sqlite3_module tool_module = {
    .xConnect = tool_table_create,
    .xBestIndex = tool_table_choose,
    .xDisconnect = trace_table_free,
    .xOpen = trace_cursor_open,
    .xClose = trace_cursor_close,
    .xFilter = tool_table_filter,
    .xNext = tool_table_next,
    .xEof = trace_cursor_at_end,
    .xColumn = tool_table_column,
    .xRowid = trace_cursor_row_id,
};

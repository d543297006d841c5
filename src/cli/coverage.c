/* SPDX-License-Identifier: MIT */
/* coverage.c: the verb `coverage`, which counts the parts of a program that ran and lists those
 * that did not. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/indexed.h"
#include "cli/located.h"
#include "cli/output.h"
#include "cli/selecting.h"
#include "cli/shard.h"
#include "cli/skip.h"
#include "spoor/coverage.h"
#include "spoor/index.h"

struct coverage_settings {
    struct settings common;
    int by;
    bool missing, no_index;
    const char *where, *cpu;
    struct spoor_select *select; /* of `where` */
    struct list only;
    const char *lcov;
};

static const struct option options[] = {
    {0, "by", "UNIT", OPTION_CHOICE, offsetof(struct coverage_settings, by),
     "list summary (default), file, function, line, branch, address or cpu",
     "summary|file|function|line|branch|address|cpu", OPTION_DOUBLE_DASH},
    {0, "missing", NULL, OPTION_FLAG, offsetof(struct coverage_settings, missing),
     "list only what never ran, and branches that only went one way", NULL, OPTION_DOUBLE_DASH},
    {0, "only", "PATTERN", OPTION_LIST, offsetof(struct coverage_settings, only),
     "only source files whose name fits this shell pattern (repeatable)", NULL, OPTION_DOUBLE_DASH},
    {0, "lcov", "FILE", OPTION_OUTPUT, offsetof(struct coverage_settings, lcov),
     "write lcov's tracefile, which genhtml reads, to FILE instead (-: to standard output)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "where", "EXPR", OPTION_TEXT, offsetof(struct coverage_settings, where),
     "count only instructions that match an expression over fields", NULL, OPTION_DOUBLE_DASH},
    {0, "cpu", "NAME", OPTION_TEXT, offsetof(struct coverage_settings, cpu), "count one processor",
     NULL, OPTION_DOUBLE_DASH},
    {0, "no-index", NULL, OPTION_FLAG, offsetof(struct coverage_settings, no_index),
     "read the whole trace, and neither use nor store an index", NULL, OPTION_DOUBLE_DASH},
    IMAGE_OPTIONS,
    SHARD_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

static int out_of_memory(void)
{
    complain("out of memory");
    return EXIT_UNREADABLE;
}

/* Counts a trace by its index; *whole becomes false if a part of it is not counted. */
static int add_indexed(struct spoor_coverage *coverage, const struct coverage_settings *settings,
                       const char *path, const struct located *located, bool *whole)
{
    struct indexing indexing;
    struct spoor_index *index;
    int code = EXIT_CLEAN;
    indexing_start(&indexing, &settings->common, false);
    indexing.options.needs = SPOOR_INDEX_COUNTS;
    indexing.file = located->file;
    if (!indexing_open(&indexing, path, &index, &code)) {
        *whole = false;
        return code;
    }
    *whole &= !spoor_index_damage(index);
    if (spoor_coverage_use_index(coverage, index, NULL) != SPOOR_OK ||
        spoor_coverage_end(coverage, located->images, NULL) != SPOOR_OK) {
        code = worse(code, out_of_memory());
        *whole = false;
    }
    spoor_index_close(index);
    return code;
}

/* Counts a trace by reading it. */
static int add_read(struct spoor_coverage *coverage, const struct coverage_settings *settings,
                    const char *path, const struct located *located, bool *whole)
{
    struct trace_input trace_input;
    const struct spoor_batch *batch;
    const struct spoor_reader_options with = located_reading(located);
    if (!input_open_with(&trace_input, path, &settings->common, with)) {
        *whole = false;
        return trace_input.exit_code;
    }
    bool good = true;
    while (good && input_next(&trace_input, &batch))
        good = spoor_coverage_feed(coverage, batch, NULL) == SPOOR_OK;
    good &= spoor_coverage_end(coverage, located->images, NULL) == SPOOR_OK;
    *whole &= good && !trace_input.broken;
    const int code = input_close(&trace_input);
    return good ? code : worse(code, out_of_memory());
}

/* ---- a part of a trace ---- */

/* Records that are read before a part, and after it: the processor of a record that names none, and
 * the outcome of a branch, follow from its neighbours. */
enum { NEIGHBOURS = 1 << 16 };

/* False if the first record may be a branch of an instruction in the batch before: branches are
 * counted by the instructions between them. */
static bool begins_instruction(const struct spoor_batch *batch)
{
    if (batch->count == 0 || batch->records[0].kind == SPOOR_FLOW) return false;
    return batch->records[0].kind != SPOOR_UOP || spoor_uop_of(batch, 0).step == 1;
}

/* Reads a part, whose instructions are those that settings->select matches. */
static int add_part(struct spoor_coverage *coverage, const struct coverage_settings *settings,
                    const char *path, bool *whole)
{
    const struct range *range = &settings->common.selection.records;
    struct settings all = settings->common;
    struct trace_input trace_input;
    const struct spoor_batch *batch;
    const uint64_t first = range->first > NEIGHBOURS ? range->first - NEIGHBOURS : 0;
    const uint64_t last =
        range->last < UINT64_MAX - NEIGHBOURS ? range->last + NEIGHBOURS : UINT64_MAX;
    all.selection.records.given = false; /* neighbours are read, too */
    if (!input_open(&trace_input, path, &all)) {
        *whole = false;
        return trace_input.exit_code;
    }
    input_skip(&trace_input, path, &(struct spoor_skipper_options){.records = {true, first, last}});
    bool good = true, begun = first == 0;
    while (good && input_next(&trace_input, &batch) && batch->first <= last) {
        const uint64_t end = batch->first + batch->count;
        begun |= end > range->first || (end > first && begins_instruction(batch));
        if (begun) good = spoor_coverage_feed(coverage, batch, NULL) == SPOOR_OK;
    }
    *whole &= good && !trace_input.broken;
    const int code = input_close(&trace_input);
    return good ? code : worse(code, out_of_memory());
}

/* Limits the selection to the records of the part; false: an error has been printed. */
static bool select_part(struct coverage_settings *settings, int *code)
{
    const struct range *range = &settings->common.selection.records;
    struct text text = {0};
    struct spoor_error error = {0};
    if (settings->where) text_printf(&text, "(%s) && ", settings->where);
    text_printf(&text, "record >= %" PRIu64, range->first);
    if (range->last < UINT64_MAX) text_printf(&text, " && record <= %" PRIu64, range->last);
    text_put(&text, "", 1);
    spoor_select_free(settings->select);
    settings->select = NULL;
    const enum spoor_status status =
        text.failed ? SPOOR_ENOMEM : spoor_select_compile(&settings->select, text.bytes, &error);
    if (status != SPOOR_OK) *code = text.failed ? out_of_memory() : fail(&error);
    text_free(&text);
    return status == SPOOR_OK;
}

/* Adds one trace; `last` keeps its images, which name the pcs of the result. */
static int add_trace(struct spoor_coverage *coverage, const struct coverage_settings *settings,
                     const char *path, struct located *last, bool *whole)
{
    struct located located;
    if (!located_open_named(&located, &settings->common, path)) {
        *whole = false;
        return located.code;
    }
    const bool reads =
        settings->no_index || settings->where || located.fills || !can_be_read_twice(path);
    int code;
    if (settings->common.selection.records.given && located.images) {
        complain("coverage --shard: lines and functions are counted from whole traces, found an "
                 "image: give --partial-result without --shard");
        *whole = false;
        code = EXIT_USAGE;
    } else if (settings->common.selection.records.given) {
        code = add_part(coverage, settings, path, whole);
    } else {
        code = reads ? add_read(coverage, settings, path, &located, whole)
                     : add_indexed(coverage, settings, path, &located, whole);
    }
    const int before = located_close(last);
    *last = located;
    return worse(before, code);
}

static int write_lcov(const struct spoor_coverage *coverage,
                      const struct coverage_settings *settings, bool whole)
{
    size_t size;
    char *text = spoor_coverage_to_lcov(coverage, &size);
    if (!text) return out_of_memory();
    const int code = output_write(settings->lcov, text, size, whole, &settings->common);
    free(text);
    return code;
}

static int show(const struct spoor_coverage *coverage, const struct coverage_settings *settings,
                struct located *located, bool whole)
{
    if (settings->lcov)
        return write_lcov(coverage, settings,
                          whole && located_is_whole(located) && located_is_same(located));
    struct spoor_result *result = spoor_result_new_object();
    spoor_coverage_report(coverage, (enum spoor_coverage_unit)settings->by, settings->missing,
                          result);
    located_name(located, result, NULL);
    const int code = show_result(result, result_form_of(&settings->common));
    spoor_result_free(result);
    return code;
}

/* Writes the partial result of the only trace. */
static int write_part(struct spoor_coverage *coverage, const struct coverage_settings *settings,
                      bool whole)
{
    struct spoor_result *head = spoor_result_new_object(); /* the report names its traces itself */
    const struct spoor_partial_options part = {.trace = operand(&settings->common, 0),
                                               .head = head};
    struct shard_file file;
    if (shard_begin(&file, &settings->common, &part, whole) == SPOOR_OK)
        file.status = spoor_coverage_save(coverage, (enum spoor_coverage_unit)settings->by,
                                          settings->missing, file.partial, &file.error);
    spoor_result_free(head);
    return shard_end(&file);
}

static int cover(struct spoor_coverage *coverage, const struct coverage_settings *settings)
{
    struct located last = {.images = NULL};
    int code = EXIT_CLEAN;
    bool whole = true;
    for (size_t i = 0; i < operand_count(&settings->common) && code != EXIT_USAGE; i++)
        code = worse(code,
                     add_trace(coverage, settings, operand(&settings->common, i), &last, &whole));
    if (settings->common.selection.records.given && !settings->common.partial_result &&
        code == EXIT_CLEAN && spoor_coverage_end(coverage, NULL, NULL) != SPOOR_OK)
        code = out_of_memory();
    if (settings->common.partial_result && code != EXIT_USAGE &&
        (whole || spoor_coverage_traces(coverage) > 0)) {
        code = worse(code, write_part(coverage, settings, whole));
        return worse(code, located_close(&last));
    }
    if (spoor_coverage_traces(coverage) == 0) { /* none could be opened: nothing to count */
        located_close(&last);
        return code;
    }
    const bool lines = settings->lcov || settings->by == SPOOR_COVERAGE_FILES ||
                       settings->by == SPOOR_COVERAGE_FUNCTIONS ||
                       settings->by == SPOOR_COVERAGE_LINES;
    if (code != EXIT_USAGE && lines && !last.images) {
        complain("coverage: files, functions and lines need an image: give --image FILE");
        code = EXIT_USAGE;
    }
    if (settings->where || settings->cpu) selecting_note(spoor_coverage_instructions(coverage) > 0);
    if (code != EXIT_USAGE) code = worse(code, show(coverage, settings, &last, whole));
    code = worse(code, located_close(&last));
    return code;
}

/* With --shard: the selection of shard_select(), which this verb makes in its own way. */
static bool choose_part(struct coverage_settings *settings, int *code)
{
    if (settings->common.partial_result && settings->lcov) {
        complain("coverage --partial-result: found --lcov: `join` prints results");
        *code = EXIT_USAGE;
        return false;
    }
    return !settings->common.selection.records.given || select_part(settings, code);
}

static int run(void *chosen)
{
    struct coverage_settings *settings = chosen;
    struct spoor_error error = {0};
    if (settings->where &&
        spoor_select_compile(&settings->select, settings->where, &error) != SPOOR_OK) {
        return fail_option("--where", &error);
    }
    int code = EXIT_UNREADABLE;
    if (!shard_select(&settings->common, &code) || !choose_part(settings, &code)) {
        spoor_select_free(settings->select);
        return code;
    }
    const struct spoor_coverage_options counted = {.where = settings->select,
                                                   .cpu = settings->cpu,
                                                   .files = settings->only.items,
                                                   .file_count = settings->only.count};
    struct spoor_coverage *coverage = NULL;
    code = EXIT_UNREADABLE;
    if (spoor_coverage_new(&coverage, &counted, NULL) == SPOOR_OK) {
        code = cover(coverage, settings);
    } else {
        out_of_memory();
    }
    spoor_coverage_free(coverage);
    spoor_select_free(settings->select);
    return code;
}

const struct verb verb_coverage = {
    .name = "coverage",
    .brief = "count which functions, lines, branches and addresses of a program ran",
    .operands = "TRACE...",
    .about = "Counts the instructions that the traces executed, by function and line of the "
             "program (--image, or the load map of `record`).  The counts of several traces of "
             "one program are added, whatever its load address.",
    .options = options,
    .settings_size = sizeof(struct coverage_settings),
    .results = true,
    .many = true,
    .run = run,
};

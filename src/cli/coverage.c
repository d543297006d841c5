/* SPDX-License-Identifier: MIT */
/* coverage.c: the verb `coverage`, which counts the parts of a program that ran and lists those
 * that did not. */
#include <stdlib.h>
#include <string.h>

#include "cli/indexed.h"
#include "cli/located.h"
#include "cli/output.h"
#include "cli/selection.h"
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
    OPT_CHOICE(0, "by", "UNIT", offsetof(struct coverage_settings, by),
               "list summary (default), file, function, line, branch, address or cpu",
               "summary|file|function|line|branch|address|cpu"),
    OPT_FLAG(0, "missing", offsetof(struct coverage_settings, missing),
             "list only what never ran, and branches that only went one way"),
    OPT(0, "only", LIST, "PATTERN", offsetof(struct coverage_settings, only),
        "only source files whose name fits this shell pattern (repeatable)"),
    OPT(0, "lcov", OUTPUT, "FILE", offsetof(struct coverage_settings, lcov),
        "write lcov's tracefile, which genhtml reads, to FILE instead (-: to standard output)"),
    OPT(0, "where", TEXT, "EXPR", offsetof(struct coverage_settings, where),
        "count only instructions that match an expression over fields"),
    OPT(0, "cpu", TEXT, "NAME", offsetof(struct coverage_settings, cpu), "count one processor"),
    NO_INDEX_OPTION(offsetof(struct coverage_settings, no_index)),
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

static int out_of_memory(void)
{
    return complain_for(EXIT_UNREADABLE, "out of memory");
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
    return good ? code : worse(code, selection_fail(settings->select));
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
    const int code = reads ? add_read(coverage, settings, path, &located, whole)
                           : add_indexed(coverage, settings, path, &located, whole);
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

static int cover(struct spoor_coverage *coverage, const struct coverage_settings *settings)
{
    struct located last = {.images = NULL};
    int code = EXIT_CLEAN;
    bool whole = true;
    for (size_t i = 0; i < operand_count(&settings->common) && code != EXIT_USAGE; i++)
        code = worse(code,
                     add_trace(coverage, settings, operand(&settings->common, i), &last, &whole));
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
    if (settings->where || settings->cpu) selection_note(spoor_coverage_instructions(coverage) > 0);
    if (code != EXIT_USAGE) code = worse(code, show(coverage, settings, &last, whole));
    code = worse(code, located_close(&last));
    return code;
}

static int run(void *chosen)
{
    struct coverage_settings *settings = chosen;
    struct spoor_error error = {0};
    if (settings->where &&
        spoor_select_compile(&settings->select, settings->where, &error) != SPOOR_OK) {
        return fail_option("--where", &error);
    }
    const struct spoor_coverage_options counted = {.where = settings->select,
                                                   .cpu = settings->cpu,
                                                   .files = settings->only.items,
                                                   .file_count = settings->only.count};
    struct spoor_coverage *coverage = NULL;
    int code = EXIT_UNREADABLE;
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

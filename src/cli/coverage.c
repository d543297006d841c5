/* SPDX-License-Identifier: MIT */
/* coverage.c: the verb `coverage`: what of a program ran, and what never. */
#include <stdlib.h>

#include "cli/located.h"
#include "cli/output.h"
#include "spoor/coverage.h"

struct coverage_settings {
    struct settings common;
    int by;
    bool missing, csv;
    struct list only;
    const char *lcov;
};

static const struct option options[] = {
    {0, "by", "UNIT", OPTION_CHOICE, offsetof(struct coverage_settings, by),
     "list summary (default), file, function, line, branch or address",
     "summary|file|function|line|branch|address", OPTION_DOUBLE_DASH},
    {0, "missing", NULL, OPTION_FLAG, offsetof(struct coverage_settings, missing),
     "list only what never ran, and branches that only went one way", NULL, OPTION_DOUBLE_DASH},
    {0, "only", "PATTERN", OPTION_LIST, offsetof(struct coverage_settings, only),
     "only source files whose name fits this shell pattern (may be given again)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "lcov", "FILE", OPTION_OUTPUT, offsetof(struct coverage_settings, lcov),
     "write lcov's tracefile, which genhtml reads, to FILE instead (-: to standard output)", NULL,
     OPTION_DOUBLE_DASH},
    {0, "csv", NULL, OPTION_FLAG, offsetof(struct coverage_settings, csv),
     "print comma-separated values", NULL, OPTION_DOUBLE_DASH},
    IMAGE_OPTIONS,
    OPTION_END,
};

static int out_of_memory(void)
{
    complain("memory ran out");
    return EXIT_UNREADABLE;
}

/* Add one trace; `last` keeps its images, which name the pcs of the result. */
static int add_trace(struct spoor_coverage *coverage, const struct coverage_settings *settings,
                     const char *path, struct located *last)
{
    struct located located;
    struct trace_input trace_input;
    const struct spoor_batch *batch;
    if (!located_open(&located, &settings->common, path)) return EXIT_USAGE;
    if (!input_open(&trace_input, path, &settings->common)) {
        located_close(&located);
        return trace_input.exit_code;
    }
    bool good = true;
    while (good && input_next(&trace_input, &batch)) good = spoor_coverage_feed(coverage, batch);
    good &= spoor_coverage_end_trace(coverage, located.images);
    int code = input_close(&trace_input);
    if (!good) code = worse(code, out_of_memory());
    located_close(last);
    *last = located;
    return code;
}

static int write_lcov(const struct spoor_coverage *coverage,
                      const struct coverage_settings *settings)
{
    size_t size;
    char *text = spoor_coverage_to_lcov(coverage, &size);
    if (!text) return out_of_memory();
    const int code = output_write(settings->lcov, text, size, &settings->common);
    free(text);
    return code;
}

static int show(const struct spoor_coverage *coverage, const struct coverage_settings *settings,
                const struct located *located)
{
    if (settings->lcov) return write_lcov(coverage, settings);
    struct spoor_result *result = spoor_result_new_object();
    spoor_coverage_report(coverage, (enum spoor_coverage_unit)settings->by, settings->missing,
                          result);
    located_name(located, result, NULL);
    const int code =
        show_result(result, settings->csv ? RESULT_CSV : result_form_of(&settings->common));
    spoor_result_free(result);
    return code;
}

static int cover(struct spoor_coverage *coverage, const struct coverage_settings *settings)
{
    struct located last = {.images = NULL};
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < settings->only.count; i++)
        spoor_coverage_only(coverage, settings->only.items[i]);
    for (size_t i = 0; i < operand_count(&settings->common) && code != EXIT_USAGE; i++)
        code = worse(code, add_trace(coverage, settings, operand(&settings->common, i), &last));
    const bool lines = settings->lcov || settings->by == SPOOR_COVERAGE_FILES ||
                       settings->by == SPOOR_COVERAGE_FUNCTIONS ||
                       settings->by == SPOOR_COVERAGE_LINES;
    if (code != EXIT_USAGE && lines && !last.images) {
        complain("coverage: files, functions and lines need an image: give --image FILE");
        code = EXIT_USAGE;
    }
    if (code != EXIT_USAGE) code = worse(code, show(coverage, settings, &last));
    located_close(&last);
    return code;
}

static int run(void *chosen)
{
    struct spoor_coverage *coverage = spoor_coverage_new();
    if (!coverage) return out_of_memory();
    const int code = cover(coverage, chosen);
    spoor_coverage_free(coverage);
    return code;
}

const struct verb verb_coverage = {
    .name = "coverage",
    .brief = "what of a program ran, by function, line, branch and address, and what never",
    .operands = "TRACE...",
    .about = "Counts the instructions that the traces executed and joins them with the functions "
             "and lines of the program (--image, or the load map that `record` keeps).  Several "
             "traces of a program join, wherever it was loaded.",
    .options = options,
    .settings_size = sizeof(struct coverage_settings),
    .run = run,
};

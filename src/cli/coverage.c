/* SPDX-License-Identifier: MIT */
/* coverage.c: the verb `coverage`, which counts the parts of a program that ran and lists those
 * that did not. */
#include <stdlib.h>
#include <string.h>

#include "cli/activity_input.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "spoor/coverage.h"

struct coverage_settings {
    struct settings common;
    int by;
    bool missing;
    struct list only;
    const char *lcov, *drcov;
};

static const struct option options[] = {
    OPT_CHOICE(0, "by", "WHAT", offsetof(struct coverage_settings, by),
               "summary (default), file, function, line, branch, address or cpu",
               "summary|file|function|line|branch|address|cpu"),
    OPT_FLAG(0, "missing", offsetof(struct coverage_settings, missing),
             "list only what never ran, and branches that only went one way"),
    OPT(0, "files", LIST, "PATTERN", offsetof(struct coverage_settings, only),
        "only source files whose name fits this shell pattern (repeatable)"),
    OPT(0, "lcov", OUTPUT, "FILE", offsetof(struct coverage_settings, lcov),
        "write lcov's tracefile, which genhtml reads, to FILE instead (-: to standard output)"),
    OPT(0, "drcov", OUTPUT, "FILE", offsetof(struct coverage_settings, drcov),
        "write a log of drcov, which Lighthouse reads, to FILE instead (-: to standard output)"),
    SELECTION_OPTIONS,
    IMAGE_OPTIONS,
    CODE_OPTION,
    OPTION_END,
};

static int coverage_run(void *chosen)
{
    struct coverage_settings *settings = chosen;
    const struct settings *common = &settings->common;
    struct spoor_coverage *coverage = NULL;
    struct spoor_error error = {0};
    if (settings->lcov && settings->drcov)
        return complain_for(EXIT_USAGE, "coverage: found --lcov and --drcov, expected one of them");
    const struct spoor_coverage_options counted = {.files = settings->only.items,
                                                   .file_count = settings->only.count,
                                                   .keeps_modules = settings->drcov != NULL};
    struct image_set last = {.images =
                                 NULL}; /* of the last trace: it names the pcs of the result */
    bool whole = true;                  /* all parts of the traces are counted */
    int code = EXIT_CLEAN;
    if (spoor_coverage_new(&coverage, &counted, NULL) != SPOOR_OK)
        code = complain_for(EXIT_UNREADABLE, "out of memory");
    for (size_t i = 0; coverage && i < operand_count(common) && code != EXIT_USAGE; i++) {
        struct activity_input input;
        const struct spoor_batch *batch;
        enum spoor_status status = SPOOR_OK;
        const bool opened = activity_open(&input, common, operand(common, i));
        input.needs = SPOOR_INDEX_COUNTS;
        if (!opened || !activity_start(&input, false)) {
            whole = false;
            code = worse(code, activity_close(&input));
            continue;
        }
        if (input.index) status = spoor_coverage_use_index(coverage, input.index, &error);
        while (status == SPOOR_OK && activity_next(&input, &batch))
            status = spoor_coverage_feed(coverage, batch, &error);
        if (status == SPOOR_OK) status = spoor_coverage_end(coverage, input.located.images, &error);
        whole &= activity_end(&input, status, &error) && !input.broken;
        code = worse(code, worse(input.code, image_set_close(&last)));
        last = input.located;
    }
    const bool counts = coverage && spoor_coverage_traces(coverage) > 0;
    const bool lines = settings->lcov || settings->by == SPOOR_COVERAGE_FILES ||
                       settings->by == SPOOR_COVERAGE_FUNCTIONS ||
                       settings->by == SPOOR_COVERAGE_LINES;
    if (counts && code != EXIT_USAGE && lines && !last.images)
        code = complain_for(
            EXIT_USAGE, "coverage: files, functions and lines need an image: give --image FILE");
    if (counts && code != EXIT_USAGE && (settings->lcov || settings->drcov)) {
        size_t size = 0;
        const char *output = settings->lcov ? settings->lcov : settings->drcov;
        char *text = settings->lcov ? spoor_coverage_to_lcov(coverage, &size)
                                    : spoor_coverage_to_drcov(coverage, &size);
        whole = whole && image_set_is_whole(&last) && image_set_is_same(&last);
        code = worse(code, text ? output_write(output, text, size, whole, common)
                                : complain_for(EXIT_UNREADABLE, "out of memory"));
        free(text);
    } else if (counts && code != EXIT_USAGE) {
        struct spoor_result *result = spoor_result_new_object();
        spoor_coverage_report(coverage, (enum spoor_coverage_unit)settings->by, settings->missing,
                              result);
        image_set_name(&last, result, NULL);
        code = worse(code, show_result(result, result_form_of(common)));
        spoor_result_free(result);
    }
    const int closed = image_set_close(&last);
    spoor_coverage_free(coverage);
    return counts ? worse(code, closed) : code;
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
    .numbers = true,
    .run = coverage_run,
};

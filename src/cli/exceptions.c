/* SPDX-License-Identifier: MIT */
/* exceptions.c: the verb `exceptions`: what was interrupted, why, and for how long. */
#include "spoor/exceptions.h"
#include "cli/activity_input.h"
#include "cli/layout.h"
#include "cli/selection.h"

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

struct exceptions_job {
    const struct exceptions_settings *settings;
    struct activity_input input;
    struct spoor_exceptions *exceptions;
};

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
        const struct layout layout = layout_of(&settings->common, &input->located);
        struct spoor_result *result = result_of(all);
        spoor_result_text(result, "trace", path);
        spoor_result_text(result, "format", input->format);
        spoor_exceptions_report(job.exceptions, result);
        if (!prints_data(&settings->common)) spoor_result_bool(result, "listed", settings->list);
        code = layout_show(&layout, result, shown, all);
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

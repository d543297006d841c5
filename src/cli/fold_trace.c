/* SPDX-License-Identifier: MIT */
/* fold_trace.c: counts the batches of a trace, and shows the result. */
#include "cli/fold_trace.h"

#include "cli/selection.h"

int fold_trace(const struct settings *settings, const struct trace_fold *fold, const char *path,
               bool *shown, struct spoor_result *all)
{
    const struct spoor_batch *batch;
    struct trace_input trace_input;
    if (!input_open(&trace_input, path, settings)) return trace_input.exit_code;
    struct spoor_result *result = result_of(all);
    bool good = fold->state && result;
    while (good && input_next(&trace_input, &batch)) good = fold->feed(fold->state, batch);
    int code = good ? EXIT_CLEAN : EXIT_UNREADABLE;
    if (!good) complain("out of memory");
    if (good) {
        put_trace(result, &trace_input);
        fold->report(fold->state, trace_input.stream, result);
    }
    code = worse(code, show_one(settings, result, good ? shown : NULL, all));
    return worse(code, input_close(&trace_input));
}

/* SPDX-License-Identifier: MIT */
/* cache_drcachesim.c: the caches of DynamoRIO's simulator. */
#include "cli/cache_drcachesim.h"

#include "cli/selecting.h"
#include "simulate/cache/drcachesim.h"

int cache_like_drcachesim(const struct settings *settings, bool by_cpu, const char *path,
                          bool *shown, struct spoor_result *all)
{
    const struct spoor_batch *batch;
    struct trace_input trace_input;
    if (!input_open(&trace_input, path, settings)) return trace_input.exit_code;
    struct drcachesim *simulator = drcachesim_new(by_cpu);
    struct spoor_result *result = all ? spoor_result_object(all, NULL) : spoor_result_new_object();
    bool good = simulator && result;
    while (good && input_next(&trace_input, &batch)) good = drcachesim_feed(simulator, batch);
    int code = good ? EXIT_CLEAN : EXIT_UNREADABLE;
    if (!good) complain("out of memory");
    if (good) {
        put_trace(result, &trace_input);
        drcachesim_report(simulator, result);
    }
    if (good && !all) {
        code = worse(code, show_apart(shown));
        code = worse(code, show_result(result, result_form_of(settings)));
    }
    if (!all) spoor_result_free(result);
    drcachesim_free(simulator);
    return worse(code, input_close(&trace_input));
}

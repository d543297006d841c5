/* SPDX-License-Identifier: MIT */
/* cache_drcachesim.c: the caches of DynamoRIO's simulator. */
#include "cli/cache_drcachesim.h"

#include "cli/drcachesim.h"
#include "cli/fold_trace.h"

static bool feed(void *simulator, const struct spoor_batch *batch)
{
    return drcachesim_feed(simulator, batch);
}

static void report(const void *simulator, const struct spoor_stream *stream,
                   struct spoor_result *result)
{
    (void)stream;
    drcachesim_report(simulator, result);
}

int cache_like_drcachesim(const struct settings *settings, bool by_cpu, const char *path,
                          bool *shown, struct spoor_result *all)
{
    const struct trace_fold fold = {drcachesim_new(by_cpu), feed, report};
    const int code = fold_trace(settings, &fold, path, shown, all);
    drcachesim_free(fold.state);
    return code;
}

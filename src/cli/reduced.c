/* SPDX-License-Identifier: MIT */
/* reduced.c: caches whose result for the whole trace the history of a sample has (simpoints.h). */
#include "cli/references.h"
#include "cli/simpoints.h"

void reduced_choose(struct settings *settings, const struct spoor_cache_level *levels, size_t count,
                    const struct spoor_cache_options *options)
{
    struct spoor_cache_system *system = NULL;
    if (!settings->simpoints ||
        spoor_cache_system_new(&system, levels, count, options, NULL) != SPOOR_OK)
        return;
    settings->reduced = (int)spoor_reduced_for(system);
    spoor_cache_system_free(system);
}

void reduced_complete(const struct settings *settings, struct spoor_cache_system *system,
                      struct reference_sink *sink)
{
    const struct carried *carried = settings->carried;
    if (!carried || !carried->reduced || !carried->replay) return;
    const struct spoor_access_totals *totals = spoor_replay_totals(carried->replay);
    spoor_cache_system_complete(system, totals);
    sink->fed = 0;
    for (size_t op = 0; op < SPOOR_CACHE_KINDS; op++) sink->fed += totals->references[op];
    sink->counted = sink->fed;
}

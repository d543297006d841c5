/* SPDX-License-Identifier: MIT */
/* profiled.c: reading a trace into a profile. */
#include "cli/profiled.h"

#include "cli/activity_input.h"

bool profiled_check(const struct profiled_settings *settings)
{
    if (settings->caches.count && settings->branch) {
        complain("--cache and --branch count different units: give one of them");
        return false;
    }
    return true;
}

static enum spoor_profile_unit unit_of(const struct profiled_settings *settings)
{
    if (settings->caches.count) return SPOOR_PROFILE_MISSES;
    if (settings->branch) return SPOOR_PROFILE_MISPREDICTIONS;
    return (enum spoor_profile_unit)settings->unit;
}

static enum spoor_status make_cost(struct profiled *profiled,
                                   const struct profiled_settings *settings,
                                   struct spoor_error *error)
{
    if (settings->caches.count)
        return spoor_cost_of_caches(&profiled->cost, settings->caches.items, settings->caches.count,
                                    settings->common.memory, error);
    if (settings->branch) return spoor_cost_of_predictor(&profiled->cost, settings->branch, error);
    return SPOOR_OK;
}

/* A profile that is being read. */
struct profiling {
    struct profiled *profiled;
    const struct profiled_settings *settings;
    enum spoor_profile_by by;
};

static bool begin(void *context, const struct spoor_stream *stream, int *code)
{
    const struct profiling *profiling = context;
    struct profiled *profiled = profiling->profiled;
    struct spoor_error error = {0};
    enum spoor_status status = make_cost(profiled, profiling->settings, &error);
    const struct spoor_profile_options options = {
        .unit = unit_of(profiling->settings),
        .by = profiling->by,
        .images = profiled->located.images,
        .where = profiled->where,
        .cpu = profiling->settings->cpu,
        .cost = profiled->cost,
        .stream = stream,
    };
    if (status == SPOOR_OK) status = spoor_profile_new(&profiled->profile, &options, &error);
    if (status != SPOOR_OK) *code = worse(*code, fail(&error));
    return status == SPOOR_OK;
}

static bool feed(void *context, const struct spoor_batch *batch)
{
    const struct profiling *profiling = context;
    return spoor_profile_feed(profiling->profiled->profile, batch, NULL) == SPOOR_OK;
}

static bool use(void *context, const struct spoor_index *index)
{
    return spoor_profile_use_index(((struct profiling *)context)->profiled->profile, index, NULL) ==
           SPOOR_OK;
}

static bool end(void *context)
{
    const struct profiling *profiling = context;
    return spoor_profile_end(profiling->profiled->profile, NULL) == SPOOR_OK;
}

/* Reads a trace, unless its index keeps what is counted: instructions and time by function. */
static bool read_trace(struct profiled *profiled, const struct profiled_settings *settings,
                       enum spoor_profile_by by, const char *path)
{
    struct profiling profiling = {profiled, settings, by};
    const struct activity_report report = {.context = &profiling,
                                           .begin = begin,
                                           .feed = feed,
                                           .use = use,
                                           .end = end,
                                           .broken = &profiled->broken,
                                           .where = profiled->where,
                                           .format = &profiled->format};
    const enum spoor_profile_unit unit = unit_of(settings);
    const bool kept = by == SPOOR_PROFILE_FUNCTIONS && !profiled->where && !settings->no_index &&
                      (unit == SPOOR_PROFILE_INSTRUCTIONS || unit == SPOOR_PROFILE_TIME);
    return activity_input(&report, path, &settings->common, &profiled->located, !kept,
                          &profiled->code);
}

static bool needs_lines(const struct profiled *profiled, enum spoor_profile_by by)
{
    if (profiled->located.images || (by != SPOOR_PROFILE_LINES && by != SPOOR_PROFILE_FILES))
        return false;
    complain("--by line and --by file need an image: give --image FILE");
    return true;
}

bool profiled_read(struct profiled *profiled, const struct profiled_settings *settings,
                   enum spoor_profile_by by, const char *path)
{
    struct spoor_error error = {0};
    *profiled = (struct profiled){.path = path, .code = EXIT_CLEAN};
    if (!located_open_named(&profiled->located, &settings->common, path)) {
        profiled->code = profiled->located.code;
    } else if (needs_lines(profiled, by)) {
        profiled->code = EXIT_USAGE;
    } else if (settings->where &&
               spoor_select_compile(&profiled->where, settings->where, &error) != SPOOR_OK) {
        profiled->code = fail_option("--where", &error);
    } else if (read_trace(profiled, settings, by, path)) {
        return true;
    }
    profiled_close(profiled);
    return false;
}

int profiled_nothing(const struct profiled *profiled, const char *path)
{
    if (spoor_profile_totals(profiled->profile).instructions) return EXIT_CLEAN;
    complain("%s: found no instruction to count", path);
    return EXIT_NOTHING;
}

int profiled_close(struct profiled *profiled)
{
    spoor_profile_free(profiled->profile);
    spoor_select_free(profiled->where);
    spoor_cost_free(profiled->cost);
    profiled->code = worse(profiled->code, located_close(&profiled->located));
    profiled->profile = NULL;
    profiled->where = NULL;
    profiled->cost = NULL;
    return profiled->code;
}

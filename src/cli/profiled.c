/* SPDX-License-Identifier: MIT */
/* profiled.c: reading a trace into a profile. */
#include "cli/profiled.h"

#include "cli/section.h"
#include "explore/profile.h"

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

static bool prepare(struct profiled *profiled, const struct profiled_settings *settings,
                    enum spoor_profile_by by, const struct spoor_stream *stream)
{
    struct spoor_error error = {0};
    struct spoor_profile_options options = {
        .unit = unit_of(settings),
        .by = by,
        .images = profiled->located.images,
        .where = profiled->where,
        .cpu = settings->cpu,
    };
    enum spoor_status status = SPOOR_OK;
    if (settings->caches.count)
        status = spoor_cost_of_caches(&profiled->cost, settings->caches.items,
                                      settings->caches.count, settings->common.memory, &error);
    else if (settings->branch)
        status = spoor_cost_of_predictor(&profiled->cost, settings->branch, &error);
    options.cost = profiled->cost;
    if (status == SPOOR_OK)
        status = spoor_profile_new(&profiled->profile, &options, stream, &error);
    if (status != SPOOR_OK) profiled->code = fail(&error);
    return status == SPOOR_OK;
}

static bool read_trace(struct profiled *profiled, const struct profiled_settings *settings,
                       enum spoor_profile_by by, const char *path)
{
    struct trace_input input;
    const struct spoor_batch *batch;
    if (!input_open_with(
            &input, path, &settings->common,
            (struct spoor_reader_options){.locator = located_locator(&profiled->located)})) {
        profiled->code = input.exit_code;
        return false;
    }
    bool good = prepare(profiled, settings, by, input.stream);
    const bool prepared = good;
    while (good && input_next(&input, &batch)) good = spoor_profile_feed(profiled->profile, batch);
    if (prepared) {
        good = good && spoor_profile_end(profiled->profile);
        if (!good) complain("%s: out of memory", path);
    }
    profiled->code = worse(input_close(&input), profiled->code);
    if (prepared && !good) profiled->code = worse(profiled->code, EXIT_UNREADABLE);
    return good;
}

static bool use_section(void *context, const struct machine *machine, const uint8_t *bytes,
                        size_t size)
{
    struct profiled *profiled = context;
    return profile_use_section(profiled->profile, machine, bytes, size) &&
           spoor_profile_end(profiled->profile);
}

/* What the index keeps: calls by address, instructions and time. */
static bool is_kept(const struct profiled *profiled, const struct profiled_settings *settings,
                    enum spoor_profile_by by, const char *path)
{
    const enum spoor_profile_unit unit = unit_of(settings);
    return by == SPOOR_PROFILE_FUNCTIONS && !profiled->located.images && !profiled->where &&
           (unit == SPOOR_PROFILE_INSTRUCTIONS || unit == SPOOR_PROFILE_TIME) &&
           section_is_wanted(path, settings->no_index);
}

static bool read_index(struct profiled *profiled, const struct profiled_settings *settings,
                       enum spoor_profile_by by, const char *path)
{
    bool used;
    if (!prepare(profiled, settings, by, NULL)) return false;
    const int code = section_use(path, &settings->common, use_section, profiled, &used);
    profiled->code = worse(profiled->code, code);
    return used;
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
    *profiled = (struct profiled){.code = EXIT_CLEAN};
    if (!located_open(&profiled->located, &settings->common, path)) {
        profiled->code = profiled->located.code;
    } else if (needs_lines(profiled, by)) {
        profiled->code = EXIT_USAGE;
    } else if (settings->where &&
               spoor_select_compile(&profiled->where, settings->where, &error) != SPOOR_OK) {
        complain("--where: %s", error.text);
        profiled->code = EXIT_USAGE;
    } else if (is_kept(profiled, settings, by, path) ? read_index(profiled, settings, by, path)
                                                     : read_trace(profiled, settings, by, path)) {
        return true;
    }
    profiled_close(profiled);
    return false;
}

int profiled_close(struct profiled *profiled)
{
    spoor_profile_free(profiled->profile);
    spoor_select_free(profiled->where);
    spoor_cost_free(profiled->cost);
    located_close(&profiled->located);
    profiled->profile = NULL;
    profiled->where = NULL;
    profiled->cost = NULL;
    return profiled->code;
}

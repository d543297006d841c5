/* SPDX-License-Identifier: MIT */
/* profile_input.c: reading a trace into a profile. */
#include "cli/profile_input.h"

bool profile_input_check(const struct profile_input_settings *settings)
{
    if (settings->caches.count && settings->branch) {
        complain("--cache and --branch count different units: give one of them");
        return false;
    }
    return true;
}

bool profile_input_read(struct profile_input *profiled,
                        const struct profile_input_settings *settings, enum spoor_profile_by by,
                        const char *path)
{
    struct activity_input *input = &profiled->input;
    enum spoor_profile_unit unit;
    if (settings->caches.count)
        unit = SPOOR_PROFILE_MISSES;
    else if (settings->branch)
        unit = SPOOR_PROFILE_MISPREDICTIONS;
    else
        unit = (enum spoor_profile_unit)settings->unit;
    const bool kept = by == SPOOR_PROFILE_FUNCTIONS &&
                      (unit == SPOOR_PROFILE_INSTRUCTIONS || unit == SPOOR_PROFILE_TIME);
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    *profiled = (struct profile_input){.profile = NULL};
    if (!activity_open(input, &settings->common, path)) return false;
    if (!input->located.images && (by == SPOOR_PROFILE_LINES || by == SPOOR_PROFILE_FILES)) {
        input->code =
            complain_for(EXIT_USAGE, "--by line and --by file need an image: give --image FILE");
        return false;
    }
    if (!activity_start(input, !kept)) return false;
    enum spoor_status status;
    if (settings->caches.count)
        status = spoor_cost_of_caches(&profiled->cost, settings->caches.items,
                                      settings->caches.count, settings->common.memory, &error);
    else if (settings->branch)
        status = spoor_cost_of_predictor(&profiled->cost, settings->branch, &error);
    else
        status = SPOOR_OK;
    const struct spoor_profile_options options = {
        .unit = unit,
        .by = by,
        .images = input->located.images,
        .cost = profiled->cost,
        .stream = input->stream,
        .maximum_rows = (size_t)settings->rows,
        .sort = (enum spoor_profile_sort)settings->sort,
    };
    if (status == SPOOR_OK) status = spoor_profile_new(&profiled->profile, &options, &error);
    if (status == SPOOR_OK && input->index)
        status = spoor_profile_use_index(profiled->profile, input->index, &error);
    while (status == SPOOR_OK && activity_next(input, &batch))
        status = spoor_profile_feed(profiled->profile, batch, &error);
    if (status == SPOOR_OK) status = spoor_profile_end(profiled->profile, &error);
    return activity_end(input, status, &error);
}

int profile_input_nothing(const struct profile_input *profiled, const char *path)
{
    if (spoor_profile_totals(profiled->profile).instructions) return EXIT_CLEAN;
    complain("%s: found no instruction to count%s", path,
             selection_words(profiled->input.settings));
    return EXIT_NOTHING;
}

int profile_input_close(struct profile_input *profiled)
{
    spoor_profile_free(profiled->profile);
    spoor_cost_free(profiled->cost);
    return activity_close(&profiled->input);
}

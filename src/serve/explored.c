/* SPDX-License-Identifier: MIT */
/* explored.c: a trace that is served. */
#include <stdlib.h>
#include <string.h>

#include "serve/internal.h"

static const char *after_folders(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* True while the question that has the site's lock has time. */
static bool has_time(void *context, size_t segment)
{
    const struct site *site = context;
    (void)segment;
    return clock_milliseconds() < site->deadline;
}

enum spoor_status explored_open(struct explored *trace, struct site *site, size_t number,
                                struct spoor_error *error)
{
    const struct site_options *options = site->options;
    const struct spoor_explorer_options exploring = {.struct_size = sizeof exploring,
                                                     .images = options->images,
                                                     .big_endian = options->big_endian,
                                                     .goes_on = has_time,
                                                     .context = site};
    const struct spoor_listing_options listing = {.struct_size = sizeof listing,
                                                  .reading = &options->reading};
    trace->path = options->paths[number];
    trace->name = after_folders(trace->path);
    trace->index = options->indexes[number];
    enum spoor_status status =
        spoor_explorer_open(&trace->explorer, trace->path, trace->index, &exploring, error);
    if (status == SPOOR_OK)
        status = spoor_listing_open(&trace->listing, trace->path, &listing, error);
    if (status != SPOOR_OK) return status;
    spoor_listing_use_explorer(trace->listing, trace->explorer);
    return timeline_build(&trace->timeline, trace->index, error);
}

void explored_close(struct explored *trace)
{
    kept_events_free(&trace->events);
    misses_end(trace->misses);
    timeline_free(&trace->timeline);
    spoor_listing_close(trace->listing);
    spoor_explorer_close(trace->explorer);
}

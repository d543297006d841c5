/* SPDX-License-Identifier: MIT */
/* explored.c: a trace that is served. */
#include "serve/internal.h"

static const char *after_folders(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

enum spoor_status explored_open(struct explored *trace, const struct site_options *options,
                                size_t number, struct spoor_error *error)
{
    trace->path = options->paths[number];
    trace->name = after_folders(trace->path);
    trace->index = index_of(options->indexes[number]);
    enum spoor_status status = explorer_open(&trace->explorer, trace->path, trace->index, error);
    if (status != SPOOR_OK) return status;
    explorer_big_endian(trace->explorer, options->big_endian);
    struct spoor_reader_options reading = options->reading;
    reading.struct_size = sizeof reading;
    reading.threads = 1;
    status = listing_open(&trace->listing, trace->path, &reading, error);
    if (status != SPOOR_OK) return status;
    listing_use(trace->listing, trace->explorer);
    if (!timeline_build(&trace->timeline, trace->index))
        return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    return SPOOR_OK;
}

void explored_close(struct explored *trace)
{
    for (size_t i = 0; i < KEPT_CALL_EVENTS; i++) call_events_free(&trace->events[i]);
    misses_end(trace->misses);
    timeline_free(&trace->timeline);
    if (trace->listing) listing_close(trace->listing);
    if (trace->explorer) explorer_close(trace->explorer);
}

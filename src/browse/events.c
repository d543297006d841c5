/* SPDX-License-Identifier: MIT */
/* events.c: segments, and the calls, returns and exceptions in them. */
#include "browse/internal.h"

const struct spoor_call_events *view_events(struct view *view, size_t segment)
{
    struct spoor_error error = {0};
    const struct spoor_call_events *events;
    const enum spoor_status status =
        kept_events_find(&view->events, view->explorer, segment, &events, &error);
    if (heed(view->browser, status, &error) == SPOOR_OK) return events;
    say_error(view->browser, "%s", error.text);
    return NULL;
}

struct spoor_segment view_segment(const struct view *view, size_t number)
{
    struct spoor_segment segment = {.from = 0};
    spoor_index_segment(view->index, number, &segment);
    if (spoor_listing_stream(view->listing)->container) { /* in the units of its rows */
        segment.offset = segment.from;
        segment.bytes = segment.end - segment.from;
    }
    return segment;
}

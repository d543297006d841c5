/* SPDX-License-Identifier: MIT */
/* events.c: segments, and the calls, returns and exceptions in them. */
#include <stdlib.h>

#include "browse/internal.h"

/* ---- those that are kept: the oldest make way for those of another segment ---- */

enum spoor_status kept_events_find(struct kept_events *kept, struct spoor_explorer *explorer,
                                   size_t segment, const struct spoor_call_events **events,
                                   struct spoor_error *error)
{
    size_t at = 0;
    while (at < KEPT_SEGMENTS_MAX &&
           !(kept->items[at].events && kept->items[at].segment == segment))
        at++;
    enum spoor_status status = SPOOR_OK;
    if (at == KEPT_SEGMENTS_MAX) {
        at = kept->next++ % KEPT_SEGMENTS_MAX;
        free(kept->items[at].events);
        kept->items[at].segment = segment;
        status = spoor_explorer_call_events(explorer, segment, &kept->items[at].events, error);
    }
    *events = kept->items[at].events;
    return status;
}

void kept_events_free(struct kept_events *kept)
{
    for (size_t i = 0; i < KEPT_SEGMENTS_MAX; i++) free(kept->items[i].events);
    *kept = (struct kept_events){.next = 0};
}

/* ---- of a view ---- */

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

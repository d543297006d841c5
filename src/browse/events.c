/* SPDX-License-Identifier: MIT */
/* events.c: calls, returns and exceptions of the segments that were asked for last. */
#include "browse/internal.h"

struct call_events *view_events(struct view *view, size_t segment)
{
    struct spoor_error error = {0};
    for (size_t i = 0; i < KEPT_EVENTS; i++)
        if (view->events[i].segment == segment + 1) return &view->events[i];
    struct call_events *events = &view->events[view->next_events];
    view->next_events = (view->next_events + 1) % KEPT_EVENTS;
    if (heed(view->browser, call_events_find(events, view->explorer, segment, &error), &error) ==
        SPOOR_OK)
        return events;
    say_error(view->browser, "%s", error.text);
    return NULL;
}

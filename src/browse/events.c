/* SPDX-License-Identifier: MIT */
/* events.c: segments, and calls, returns and exceptions of those that were asked for last. */
#include <stdlib.h>

#include "browse/internal.h"

const struct spoor_call_events *view_events(struct view *view, size_t segment)
{
    struct spoor_error error = {0};
    for (size_t i = 0; i < KEPT_EVENTS; i++)
        if (view->events[i].events && view->events[i].segment == segment)
            return view->events[i].events;
    struct kept_events *kept = &view->events[view->next_events];
    view->next_events = (view->next_events + 1) % KEPT_EVENTS;
    free(kept->events);
    kept->segment = segment;
    const enum spoor_status status =
        spoor_explorer_call_events(view->explorer, segment, &kept->events, &error);
    if (heed(view->browser, status, &error) == SPOOR_OK) return kept->events;
    say_error(view->browser, "%s", error.text);
    return NULL;
}

void view_forget_events(struct view *view)
{
    for (size_t i = 0; i < KEPT_EVENTS; i++) {
        free(view->events[i].events);
        view->events[i].events = NULL;
    }
}

struct spoor_segment view_segment(const struct view *view, size_t number)
{
    struct spoor_segment segment = {.from = 0};
    spoor_index_segment(view->index, number, &segment);
    return segment;
}

enum spoor_status view_visit_segment(struct view *view, size_t number, spoor_visit *visit,
                                     void *context, struct spoor_error *error)
{
    const struct spoor_segment segment = view_segment(view, number);
    return spoor_explorer_visit(view->explorer, segment.from, segment.end, visit, context, error);
}

/* SPDX-License-Identifier: MIT */
/* events.c: calls, returns and exceptions of segments, and how deep in calls a row is. */
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

void view_put_indent(struct view *view, const struct spoor_listing_row *row, struct text *text)
{
    enum { STEP = 2, DEEPEST = 20 /* indentation grows up to there */ };
    const struct spoor_call_events *events = NULL;
    if (view->explorer && view->index && row->record != SPOOR_ROW_UNKNOWN)
        events = view_events(view, spoor_index_segment_of(view->index, row->record));
    if (!events) return;
    const unsigned count = spoor_explorer_cpu_count(view->explorer);
    unsigned cpu = 0;
    while (cpu < count && !row_is_of(row, spoor_explorer_cpu_name(view->explorer, cpu))) cpu++;
    if (count < 2 || cpu == count) cpu = 0;
    unsigned depth = cpu < events->cpu_count ? events->depths[cpu] : 0;
    for (size_t i = 0; i < events->count && events->events[i].record <= row->record; i++)
        if (events->events[i].cpu == cpu && events->events[i].arrival <= row->record)
            depth = events->events[i].depth;
    text_printf(text, "%*s", STEP * (int)(depth < DEEPEST ? depth : DEEPEST), "");
}

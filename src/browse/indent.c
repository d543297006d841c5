/* SPDX-License-Identifier: MIT */
/* indent.c: how deep in calls a row is. */
#include "browse/internal.h"

enum { STEP = 2, DEEPEST = 20 /* indentation grows up to there */ };

static unsigned indent_cpu_of(const struct view *view, const struct spoor_listing_row *row)
{
    const unsigned count = spoor_explorer_cpu_count(view->explorer);
    for (unsigned i = 0; count > 1 && i < count; i++)
        if (row_is_of(row, spoor_explorer_cpu_name(view->explorer, i))) return i;
    return 0;
}

/* The calls of its processor that are open at the row; 0 where the index does not say. */
static unsigned depth_of(struct view *view, const struct spoor_listing_row *row)
{
    if (!view->explorer || !view->index || row->record == SPOOR_ROW_UNKNOWN) return 0;
    const struct spoor_call_events *events =
        view_events(view, spoor_index_segment_of(view->index, row->record));
    if (!events) return 0;
    const unsigned cpu = indent_cpu_of(view, row);
    unsigned depth = cpu < events->cpu_count ? events->depths[cpu] : 0;
    for (size_t i = 0; i < events->count && events->events[i].record <= row->record; i++)
        if (events->events[i].cpu == cpu && events->events[i].arrival <= row->record)
            depth = events->events[i].depth;
    return depth;
}

void put_indent(struct view *view, const struct spoor_listing_row *row, struct text *text)
{
    const unsigned depth = depth_of(view, row);
    text_printf(text, "%*s", STEP * (int)(depth < DEEPEST ? depth : DEEPEST), "");
}

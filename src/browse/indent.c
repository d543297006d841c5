/* SPDX-License-Identifier: MIT */
/* indent.c: how deep in calls a row is. */
#include "browse/internal.h"

enum { STEP = 2, DEEPEST = 20 /* indentation grows up to there */ };

static unsigned cpu_of(const struct view *view, const struct row *row)
{
    const struct machine *machine = explorer_machine(view->explorer);
    const unsigned count = machine_cpu_count(machine);
    for (unsigned i = 0; count > 1 && i < count; i++)
        if (row_is_of(row, machine_cpu_name(machine, i))) return i;
    return 0;
}

/* The calls of its processor that are open at the row; 0 where the index does not say. */
static unsigned depth_of(struct view *view, const struct row *row)
{
    if (!view->explorer || !view->index || row->record == ROW_UNKNOWN) return 0;
    const struct call_events *events =
        view_events(view, index_segment_of(view->index, row->record));
    if (!events) return 0;
    const unsigned cpu = cpu_of(view, row);
    unsigned depth = cpu < events->cpu_count ? events->depths[cpu] : 0;
    for (size_t i = 0; i < events->count && events->items[i].record <= row->record; i++)
        if (events->items[i].cpu == cpu && events->items[i].arrival <= row->record)
            depth = events->items[i].depth;
    return depth;
}

void put_indent(struct view *view, const struct row *row, struct text *text)
{
    const unsigned depth = depth_of(view, row);
    text_printf(text, "%*s", STEP * (int)(depth < DEEPEST ? depth : DEEPEST), "");
}

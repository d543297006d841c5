/* SPDX-License-Identifier: MIT */
/* draw_trace.c: the rows of a trace in an area of the screen, and how areas are divided. */
#include <inttypes.h>

#include "browse/internal.h"

/* ---- rows ---- */

static enum style draw_trace_style_of(const struct spoor_listing_row *row)
{
    const struct spoor_record *record = &row->batch->records[row->index];
    switch ((enum spoor_kind)record->kind) {
    case SPOOR_INSN:
    case SPOOR_UOP:
    case SPOOR_FLOW: return STYLE_CODE;
    case SPOOR_REG: return STYLE_NAME;
    case SPOOR_MEM:
    case SPOOR_BUS: return STYLE_NUMBER;
    case SPOOR_EVENT: return STYLE_EVENT;
    case SPOOR_NOTE: return STYLE_DIM;
    default: return STYLE_PLAIN;
    }
}

static void draw_row(struct browser *browser, struct view *view, const struct area *area, int y,
                     const struct spoor_listing_row *row)
{
    struct grid *grid = &browser->grid;
    struct text text = {0};
    enum style style = browser->view_count > 1 ? pair_style(view, row) : STYLE_PLAIN;
    if (style == STYLE_PLAIN && !browser->plain) style = draw_trace_style_of(row);
    const struct fold *fold = view_fold_at(view, row->offset);
    uint64_t pc;
    const struct spoor_call_events *events = NULL;
    if (browser->indent && view->explorer && view->index && row->record != SPOOR_ROW_UNKNOWN)
        events = view_events(view, spoor_index_segment_of(view->index, row->record));
    if (events) { /* blanks before a row that is so deep in calls */
        enum { STEP = 2, DEEPEST = 20 /* indentation grows up to there */ };
        const unsigned count = spoor_explorer_cpu_count(view->explorer);
        unsigned cpu = 0;
        while (cpu < count && !row_is_of(row, spoor_explorer_cpu_name(view->explorer, cpu))) cpu++;
        if (count < 2 || cpu == count) cpu = 0;
        unsigned depth = cpu < events->cpu_count ? events->depths[cpu] : 0;
        for (size_t i = 0; i < events->count && events->events[i].record <= row->record; i++)
            if (events->events[i].cpu == cpu && events->events[i].arrival <= row->record)
                depth = events->events[i].depth;
        text_printf(&text, "%*s", STEP * (int)(depth < DEEPEST ? depth : DEEPEST), "");
    }
    size_t size;
    const char *words = browser->columns ? spoor_listing_fields(view->listing, row, &size)
                                         : spoor_listing_text(view->listing, row, &size);
    if (words) text_put(&text, words, size);
    heed_memory(browser, !words);
    int x =
        grid_put(grid, area, 0, y, style, text.bytes ? text.bytes : "", text.size, view->column);
    /* The places where the search matches. */
    size_t begin, end;
    for (size_t from = 0;
         matcher_find(&browser->search, text.bytes, text.size, from, &begin, &end);) {
        /* the columns before it: those of a text that is put nowhere */
        const struct area nowhere = {0, -1, INT32_MAX, 1};
        const int at =
            grid_put(grid, &nowhere, 0, 0, STYLE_PLAIN, text.bytes, begin, 0) - view->column;
        grid_put(grid, area, at > 0 ? at : 0, y, STYLE_MATCH, text.bytes + begin, end - begin,
                 at < 0 ? -at : 0);
        from = end > begin ? end : end + 1;
    }
    heed_memory(browser, text.failed);
    text.size = 0;
    if (browser->names && draw_trace_style_of(row) == STYLE_CODE && row_pc(row, &pc) &&
        put_function(browser, pc, &text)) {
        x = grid_puts(grid, area, x + 2, y, STYLE_NAME, "<");
        x = grid_put(grid, area, x, y, STYLE_NAME, text.bytes, text.size, 0);
        x = grid_puts(grid, area, x, y, STYLE_NAME, ">");
    }
    text.size = 0;
    if (browser->names && row_target(view, row, &pc) && put_function(browser, pc, &text)) {
        x = grid_puts(grid, area, x + 2, y, STYLE_NAME, "-> ");
        x = grid_put(grid, area, x, y, STYLE_NAME, text.bytes, text.size, 0);
    }
    if (fold) grid_printf(grid, area, x + 2, y, STYLE_DIM, "+%" PRIu64 " records", fold->records);
    heed_memory(browser, text.failed);
    text_free(&text);
}

void draw_trace(struct browser *browser, struct view *view, const struct area *area)
{
    struct spoor_error error = {0};
    struct grid *grid = &browser->grid;
    struct spoor_listing_row row = {.struct_size = sizeof row};
    const bool current = view == view_of(browser);
    view->area = *area;
    view_scroll(view, area->height);
    enum spoor_status status = spoor_listing_at(view->listing, view->top, &row, &error);
    int y = 0;
    for (; y < area->height && status == SPOOR_OK; y++) {
        const uint64_t offset = row.offset;
        if (offset == view->cursor) view->cursor_y = y;
        draw_row(browser, view, area, y, &row);
        if (offset == view->cursor && current && browser->focus < 0)
            grid_restyle(grid, area, y, STYLE_CURSOR, true);
        else if (offset == view->cursor)
            grid_restyle(grid, area, y, STYLE_CHANGED, true);
        if (y + 1 < area->height) status = view_step(view, offset, true, &row);
    }
    if (status < SPOOR_OK) say_error(browser, "%s", error.text);
    for (; y < area->height; y++) grid_puts(grid, area, 0, y, STYLE_DIM, "~");
}

void draw_titled(struct browser *browser, struct view *view, const char *title,
                 const struct area *area)
{
    const bool current = view == view_of(browser) && browser->focus < 0;
    const enum style style = current ? STYLE_FOCUS : STYLE_TITLE;
    const struct area rows = {area->x, area->y + 1, area->width, area->height - 1};
    if (area->height < 1) return;
    grid_bar(&browser->grid, area, 0, style);
    grid_puts(&browser->grid, area, 0, 0, style, title);
    draw_trace(browser, view, &rows);
}

/* ---- areas ---- */

void draw_cell(struct browser *browser, const struct area *all, int across, int count, int n,
               struct area *cell)
{
    const int rows = (count + across - 1) / across, row = n / across, column = n % across;
    const int in_row = row + 1 < rows ? across : count - row * across;
    const int from = all->height * row / rows, to = all->height * (row + 1) / rows;
    const int left = all->width * column / in_row, right = all->width * (column + 1) / in_row;
    const bool last = column + 1 == in_row;
    *cell = (struct area){all->x + left, all->y + from, right - left - !last, to - from};
    if (!last) grid_line(&browser->grid, cell->x + cell->width, cell->y, cell->height, true);
}

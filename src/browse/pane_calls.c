/* SPDX-License-Identifier: MIT */
/* pane_calls.c: the calls that are open, and the source line. */
#include <inttypes.h>

#include "browse/internal.h"

/* The function of a call by name, or its address. */
static void calls_put_frame(struct browser *browser, const struct spoor_frame *frame,
                            struct text *text)
{
    if (frame->kind == SPOOR_CALL_EXCEPTION) text_puts(text, "exception ");
    if (!frame->known)
        text_puts(text, "(handler)");
    else if (!put_function(browser, frame->function, text))
        text_printf(text, "%08" PRIx64, frame->function);
}

/* The calls that are open in a pane: `count` of them. */
struct open_calls {
    const struct spoor_state *state;
    unsigned cpu;
    size_t count;
};

/* The n-th of them, 0 is the innermost. */
static struct spoor_frame open_calls_frame(const struct open_calls *open, int n)
{
    struct spoor_frame frame = {.record = 0};
    spoor_state_frame(open->state, open->cpu, open->count - 1 - (size_t)n, &frame);
    return frame;
}

/* ---- open calls ---- */

/* False: they cannot be had. */
static bool calls_here(struct browser *browser, const struct pane *pane, struct open_calls *open)
{
    struct view *view = view_of(browser);
    uint64_t moment;
    if (!pane_moment(browser, pane, &moment)) return false;
    open->cpu = view_here(view)->cpu;
    open->state = view_state(view, moment);
    open->count = open->state ? spoor_state_depth(open->state, open->cpu) : 0;
    return open->state != NULL;
}

void stack_draw(struct browser *browser, struct pane *pane)
{
    struct open_calls open;
    if (!calls_here(browser, pane, &open)) return;
    pane->items = open.count < GRID_MAX * 10 ? (int)open.count : GRID_MAX * 10;
    pane_follow_cursor(pane);
    /* Columns for the names of the calls that are shown. */
    enum { WIDEST = 24 };
    size_t columns = 0;
    for (int y = 0; y < pane->area.height && pane->top + y < pane->items; y++) {
        const struct spoor_frame frame = open_calls_frame(&open, pane->top + y);
        struct text text = {0};
        calls_put_frame(browser, &frame, &text);
        if (text.size > columns) columns = text.size;
        text_free(&text);
    }
    const int names = columns < WIDEST ? (int)columns : WIDEST;
    for (int y = 0; y < pane->area.height && pane->top + y < pane->items; y++) {
        const int item = pane->top + y;
        const struct spoor_frame frame = open_calls_frame(&open, item);
        struct text text = {0};
        text_printf(&text, "#%-2d ", item);
        calls_put_frame(browser, &frame, &text);
        while (text.size < (size_t)names + 4) text_puts(&text, " ");
        if (!frame.nowhere) text_printf(&text, "  from %08" PRIx64, frame.from);
        text_printf(&text, "  record %" PRIu64, frame.record);
        heed_memory(browser, text.failed);
        grid_put(&browser->grid, &pane->area, 0, y, pane_row_style(browser, pane, item),
                 text.bytes ? text.bytes : "", text.size, 0);
        text_free(&text);
    }
    if (!open.count) grid_puts(&browser->grid, &pane->area, 0, 0, STYLE_DIM, "no call is open");
}

/* Return: to the call. */
void stack_enter(struct browser *browser, struct pane *pane)
{
    struct open_calls open;
    if (need_index(browser) && calls_here(browser, pane, &open) &&
        (size_t)pane->cursor < open.count)
        view_go_record(view_of(browser), open_calls_frame(&open, pane->cursor).record, true);
}

/* ---- source ---- */

void source_draw(struct browser *browser, struct pane *pane)
{
    struct view *view = view_of(browser);
    struct spoor_images *images = browser->options.images;
    struct spoor_place place = {.struct_size = sizeof place};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    uint64_t pc;
    const struct here *here = view_here(view);
    const bool has_pc = here->place.known || (view_row(view, &row) && row_pc(&row, &pc));
    if (here->place.known) pc = here->place.pc;
    pane->items = 0;
    if (!has_pc || !images || !spoor_images_resolve(images, pc, &place) || !place.file) {
        grid_puts(&browser->grid, &pane->area, 0, 0, STYLE_DIM, "no source line is known here");
        return;
    }
    const int height = pane->area.height;
    const int64_t first = (int64_t)place.line - height / 2;
    grid_printf(&browser->grid, &pane->area, 0, 0, STYLE_NAME, "%s", place.source);
    for (int y = 1; y < height; y++) {
        const int64_t number = (first < 1 ? 1 : first) + y - 1;
        const char *line = spoor_images_source_line(images, place.file, (uint32_t)number);
        const bool current = number == place.line;
        if (!line && !current) continue;
        grid_printf(&browser->grid, &pane->area, 0, y, current ? STYLE_CHANGED : STYLE_PLAIN,
                    "%s%5d  %s", current ? ">" : " ", (int)number,
                    line ? line : "(the file is not there: --source DIR)");
    }
}

/* SPDX-License-Identifier: MIT */
/* pane_calls.c: the calls that are open, and the source line. */
#include <inttypes.h>

#include "browse/internal.h"

/* The function of a call by name, or its address. */
static void put_frame(struct browser *browser, const struct call_frame *frame, struct text *text)
{
    if (frame->kind == CALL_EXCEPTION) text_puts(text, "exception ");
    if (!put_function(browser, frame->function, text))
        text_printf(text, "%08" PRIx64, frame->function);
}

/* Columns for the names of the calls that are shown. */
static int columns_of_names(struct browser *browser, const struct pane *pane,
                            const struct call_stack *stack)
{
    enum { WIDEST = 24 };
    size_t columns = 0;
    for (int y = 0; y < pane->area.height && pane->top + y < pane->items; y++) {
        struct text text = {0};
        put_frame(browser, &stack->frames[stack->count - 1 - (size_t)(pane->top + y)], &text);
        if (text.size > columns) columns = text.size;
        text_free(&text);
    }
    return columns < WIDEST ? (int)columns : WIDEST;
}

/* ---- open calls ---- */

static struct calls *calls_here(struct browser *browser, const struct pane *pane, unsigned *cpu)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    struct calls *calls = NULL;
    uint64_t moment;
    if (!pane_moment(browser, pane, &moment)) return NULL;
    *cpu = view_here(view)->cpu;
    const enum spoor_status status = explorer_calls(view->explorer, moment, &calls, &error);
    if (heed(browser, status, &error) == SPOOR_OK) return calls;
    say_error(browser, "%s", error.text);
    return NULL;
}

void stack_draw(struct browser *browser, struct pane *pane)
{
    unsigned cpu;
    struct calls *calls = calls_here(browser, pane, &cpu);
    if (!calls) return;
    const struct call_stack *stack = calls_stack(calls, cpu);
    pane->items = stack->count < GRID_MAX * 10 ? (int)stack->count : GRID_MAX * 10;
    pane_follow_cursor(pane);
    const int names = columns_of_names(browser, pane, stack);
    for (int y = 0; y < pane->area.height && pane->top + y < pane->items; y++) {
        const int item = pane->top + y;
        const struct call_frame *frame = &stack->frames[stack->count - 1 - (size_t)item];
        struct text text = {0};
        text_printf(&text, "#%-2d ", item);
        put_frame(browser, frame, &text);
        while (text.size < (size_t)names + 4) text_puts(&text, " ");
        text_printf(&text, "  from %08" PRIx64 "  record %" PRIu64, frame->from, frame->record);
        heed_memory(browser, text.failed);
        grid_put(&browser->grid, &pane->area, 0, y, pane_row_style(browser, pane, item),
                 text.bytes ? text.bytes : "", text.size, 0);
        text_free(&text);
    }
    if (!stack->count) grid_puts(&browser->grid, &pane->area, 0, 0, STYLE_DIM, "no call is open");
    calls_free(calls);
}

/* Return: to the call. */
void stack_enter(struct browser *browser, struct pane *pane)
{
    unsigned cpu;
    if (!need_index(browser)) return;
    struct calls *calls = calls_here(browser, pane, &cpu);
    if (!calls) return;
    const struct call_stack *stack = calls_stack(calls, cpu);
    const size_t item = (size_t)pane->cursor;
    const bool found = item < stack->count;
    const uint64_t record = found ? stack->frames[stack->count - 1 - item].record : 0;
    calls_free(calls);
    if (found) view_go_record(view_of(browser), record, true);
}

/* ---- source ---- */

void source_draw(struct browser *browser, struct pane *pane)
{
    struct view *view = view_of(browser);
    struct spoor_images *images = browser->options.images;
    struct spoor_place place;
    struct row row;
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

/* SPDX-License-Identifier: MIT */
/* show.c: what is known of a place, switches of the screen, and the mouse. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "browse/internal.h"

/* ---- switches ---- */

static void show_turn(struct browser *browser, bool *what, const char *on, const char *off)
{
    *what = !*what;
    say(browser, "%s", *what ? on : off);
}

void toggle(struct browser *browser, const struct command_call *call)
{
    switch (call->command->value) {
    case 'v': show_turn(browser, &browser->columns, "named fields", "lines of the format"); break;
    case 'C': show_turn(browser, &browser->plain, "one colour", "colours by kind of record"); break;
    case 'y':
        if (!browser->options.images)
            say_error(browser, "functions have no names here: start with --image FILE");
        else
            show_turn(browser, &browser->names, "names of functions", "no names of functions");
        break;
    case 'I':
        if (browser->indent || need_index(browser))
            show_turn(browser, &browser->indent, "rows indented by calls", "rows not indented");
        break;
    case '?':
        browser->help = !browser->help;
        browser->help_top = 0;
        break;
    default: break;
    }
    if (call->command->value != 'F') return;
    split_end(browser);
    struct view *view = view_of(browser);
    if (view->explorer && !browser->follow) { /* new rows are not in the index */
        spoor_listing_use_explorer(view->listing, NULL);
        view_forget_state(view);
        spoor_explorer_close(view->explorer);
        spoor_index_close(view->index);
        view->explorer = NULL;
        view->index = NULL;
        view->here.offset = 0;
    }
    show_turn(browser, &browser->follow, "follows the trace", "does not follow the trace any more");
    spoor_listing_grow(view->listing);
    if (browser->follow) view_go(view, UINT64_MAX, true);
}

void show_place(struct browser *browser, const struct command_call *call)
{
    (void)call;
    struct view *view = view_of(browser);
    struct text text = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    uint64_t time, pc;
    const char *unit;
    struct spoor_place place = {.struct_size = sizeof place};
    if (!view_row(view, &row)) return;
    text_printf(&text, "%s", view->name);
    if (!spoor_listing_stream(view->listing)->container) /* its rows have no bytes of their own */
        text_printf(&text, ": offset %" PRIu64 " of %" PRIu64, row.offset,
                    spoor_listing_size(view->listing));
    if (row.line) text_printf(&text, ", line %" PRIu64, row.line);
    if (row.record != SPOOR_ROW_UNKNOWN) text_printf(&text, ", record %" PRIu64, row.record);
    if (view->index) text_printf(&text, " of %" PRIu64, spoor_index_records(view->index));
    if (row_time(&row, &time, &unit)) text_printf(&text, ", time %" PRIu64 " %s", time, unit);
    const struct here *here = view_here(view);
    const bool has_pc = here->place.known || row_pc(&row, &pc);
    if (here->place.known) pc = here->place.pc;
    if (has_pc) text_printf(&text, ", pc 0x%" PRIx64, pc);
    if (has_pc && browser->options.images &&
        spoor_images_resolve(browser->options.images, pc, &place) && place.source)
        text_printf(&text, " %s", place.source);
    say(browser, "%.*s", (int)text.size, text.bytes ? text.bytes : "");
    text_free(&text);
}

void redraw(struct browser *browser, const struct command_call *call)
{
    (void)call;
    browser->redraws = true;
    for (size_t i = 0; i < browser->view_count; i++) view_forget(&browser->views[i]);
}

void quit(struct browser *browser, const struct command_call *call)
{
    (void)call;
    if (browser->help)
        browser->help = false;
    else
        browser->over = true;
}

/* ---- the mouse ---- */

static bool show_is_inside(const struct area *area, int x, int y)
{
    return x >= area->x && x < area->x + area->width && y >= area->y - 1 &&
           y < area->y + area->height;
}

void on_mouse(struct browser *browser, const struct command_call *call)
{
    const struct command command = {.value = call->command->value};
    const struct command_call rows = {.counted = true, .count = 3, .command = &command};
    if (command.value) move_rows(browser, &rows);
    if (command.value || browser->help) return;
    struct spoor_listing_row row = {.struct_size = sizeof row};
    for (int i = 0; i < PANES; i++) {
        struct pane *pane = &browser->panes[i];
        if (!pane->shown || !show_is_inside(&pane->area, browser->click_x, browser->click_y))
            continue;
        browser->focus = i;
        return;
    }
    browser->focus = -1;
    for (size_t i = 0; i < (browser->split ? browser->split : browser->view_count); i++)
        if (show_is_inside(&browser->views[i].area, browser->click_x, browser->click_y))
            browser->view = i;
    struct view *view = view_of(browser);
    const int clicked = browser->click_y - view->area.y;
    if (clicked < 0 || clicked >= view->shown_rows) return;
    view->cursor = view->top;
    for (int y = 0; y < clicked && view_step(view, view->cursor, true, &row) == SPOOR_OK; y++)
        view->cursor = row.offset;
}

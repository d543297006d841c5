/* SPDX-License-Identifier: MIT */
/* pane.c: what all panes need: the moment that one shows, and names of functions. */
#include <inttypes.h>

#include "browse/internal.h"

bool put_function(struct browser *browser, uint64_t pc, struct text *text)
{
    struct spoor_place place = {.struct_size = sizeof place};
    struct spoor_images *images = browser->options.images;
    if (!images || !spoor_images_function(images, pc, &place) || !place.function) return false;
    text_puts(text, place.function);
    if (place.offset) text_printf(text, "+0x%" PRIx64, place.offset);
    return true;
}

bool pane_moment(struct browser *browser, const struct pane *pane, uint64_t *moment)
{
    struct view *view = view_of(browser);
    if (!view->explorer) {
        grid_puts(&browser->grid, &pane->area, 0, 0, STYLE_DIM,
                  browser->options.no_index ? "needs an index" : "waits for the index");
        return false;
    }
    if (pane->locked) {
        *moment = pane->locked - 1;
        return true;
    }
    return view_moment(view, moment);
}

bool pane_compares(struct browser *browser, const struct pane *pane, struct view **view,
                   uint64_t *moment)
{
    *view = view_of(browser);
    if (pane->against) {
        *moment = pane->against - 1;
        return true;
    }
    if (pane->locked || !pair_is_aligned(browser)) return false;
    *view = &browser->views[!browser->view];
    return view_moment(*view, moment);
}

enum style pane_row_style(const struct browser *browser, const struct pane *pane, int item)
{
    const bool focused = browser->focus >= 0 && &browser->panes[browser->focus] == pane;
    return focused && item == pane->cursor ? STYLE_CURSOR : STYLE_PLAIN;
}

void pane_follow_cursor(struct pane *pane)
{
    if (pane->cursor < pane->top) pane->top = pane->cursor;
    if (pane->cursor >= pane->top + pane->area.height)
        pane->top = pane->cursor - pane->area.height + 1;
}

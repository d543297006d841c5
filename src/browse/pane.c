/* SPDX-License-Identifier: MIT */
/* pane.c: what all panes need: the moment that one shows, and names of functions. */
#include <inttypes.h>

#include "browse/internal.h"

bool put_function(struct browser *browser, uint64_t pc, struct text *text)
{
    struct spoor_place place;
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

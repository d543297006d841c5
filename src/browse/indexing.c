/* SPDX-License-Identifier: MIT */
/* indexing.c: waiting for an index where something needs one. */
#include <time.h>

#include "browse/internal.h"

void pause_briefly(void)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    nanosleep(&pause, NULL);
}

bool wait_for_index(struct view *view)
{
    struct background *background = &view->background;
    while (!view->explorer && atomic_load(&background->state) != BACKGROUND_NONE) {
        if (view_adopt(view)) break;
        if (!work_goes_on(view->browser, atomic_load(&background->done),
                          atomic_load(&background->size)))
            return false;
        pause_briefly();
    }
    return view->explorer != NULL;
}

bool need_index(struct browser *browser)
{
    struct view *view = view_of(browser);
    if (view->explorer) return true;
    if (browser->options.no_index) {
        say_error(browser, "this needs an index, which --no-index excludes");
        return false;
    }
    if (browser->options.follow && browser->follow) {
        say_error(browser, "this needs an index: F ends following first");
        return false;
    }
    if (atomic_load(&view->background.state) == BACKGROUND_NONE && !view->background.path)
        background_start(&view->background, view->path, &browser->options.use);
    work_begin(browser, "indexing");
    const bool there = wait_for_index(view);
    if (!there && !browser->stopped && !browser->message[0])
        say_error(browser, "this needs an index, which could not be made");
    work_begin(browser, "searching");
    return there;
}

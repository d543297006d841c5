/* SPDX-License-Identifier: MIT */
/* indexing.c: waiting for an index where something needs one. */
#include <string.h>
#include <time.h>

#include "browse/internal.h"

void pause_briefly(void)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    nanosleep(&pause, NULL);
}

bool adopt_arrivals(struct browser *browser)
{
    struct view *view = &browser->views[0];
    if (!browser->arriving) return false;
    const bool ended = !spool_runs(browser->options.spool); /* before the size is asked for */
    const bool grown = spoor_listing_grow(view->listing);
    if (!ended) {
        if (grown && browser->follow) view_go(view, UINT64_MAX, false);
        return grown;
    }
    browser->arriving = false;
    /* Says why a pipe is not complete. */
    const struct spool *spool = browser->options.spool;
    const int state = atomic_load(&spool->state);
    const unsigned long long megabytes = atomic_load(&spool->copied) / 1000000;
    if (state == SPOOL_FULL)
        say_error(browser, "only the first %llu MB are here: TMPDIR has no space for more",
                  megabytes);
    else if (state == SPOOL_FAILED)
        say_error(browser, "only the first %llu MB are here: %s", megabytes,
                  strerror(spool->system_error));
    view_forget(view);
    if (browser->follow)
        view_go(view, UINT64_MAX, false);
    else if (!browser->options.no_index)
        background_start(&view->background, view->path, &browser->options.indexing);
    return true;
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
    if (browser->options.no_index)
        return say_error(browser, "this needs an index, which --no-index excludes");
    if (browser->options.follow && browser->follow)
        return say_error(browser, "this needs an index: F ends following first");
    if (browser->arriving) work_begin(browser, "reading the pipe");
    while (browser->arriving) {
        if (!work_goes_on(browser, atomic_load(&browser->options.spool->copied), 0)) return false;
        pause_briefly();
        adopt_arrivals(browser);
    }
    if (atomic_load(&view->background.state) == BACKGROUND_NONE && !view->background.path)
        background_start(&view->background, view->path, &browser->options.indexing);
    work_begin(browser, "indexing");
    const bool there = wait_for_index(view);
    if (!there && !browser->stopped && !browser->message[0])
        say_error(browser, "this needs an index, which could not be made");
    work_begin(browser, "searching");
    return there;
}

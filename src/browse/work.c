/* SPDX-License-Identifier: MIT */
/* work.c: messages, long operations that show their progress and can be stopped, and waiting for an
 * index where something needs one. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "browse/internal.h"

struct view *view_of(struct browser *browser)
{
    return &browser->views[browser->view];
}

/* ---- messages and long operations ---- */

static void work_set_message(struct browser *browser, bool is_error, const char *format,
                             va_list arguments)
{
    vsnprintf(browser->message, sizeof browser->message, format, arguments);
    browser->is_error = is_error;
}

void say(struct browser *browser, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    work_set_message(browser, false, format, arguments);
    va_end(arguments);
}

bool say_error(struct browser *browser, const char *format, ...)
{
    va_list arguments;
    if (browser->stopped && browser->message[0]) return false; /* what was stopped is known */
    va_start(arguments, format);
    work_set_message(browser, true, format, arguments);
    va_end(arguments);
    return false;
}

enum spoor_status heed(struct browser *browser, enum spoor_status status,
                       const struct spoor_error *error)
{
    if (status >= SPOOR_OK || browser->failure.status != SPOOR_OK || browser->stopped)
        return status;
    browser->failure = *error;
    browser->failure.status = status;
    return status;
}

void heed_memory(struct browser *browser, bool ran_out)
{
    struct spoor_error error = {0};
    if (ran_out) heed(browser, spoor_error_set(&error, SPOOR_ENOMEM, "out of memory"), &error);
}

static uint64_t work_milliseconds(const struct browser *browser)
{
    return browser->options.clock ? browser->options.clock() : clock_milliseconds();
}

void work_begin(struct browser *browser, const char *doing)
{
    browser->doing = doing;
    browser->stopped = false;
    browser->done = browser->size = 0;
    browser->began = browser->shown = work_milliseconds(browser);
}

static void work_show_progress(struct browser *browser, uint64_t now)
{
    const uint64_t done = browser->done, size = browser->size;
    struct grid *grid = &browser->grid;
    const struct area all = {0, 0, grid->width, grid->height};
    char words[160];
    if (size)
        snprintf(words, sizeof words, "%s %.0f%%, ^C stops", browser->doing,
                 100.0 * (double)done / (double)size);
    else if (done)
        snprintf(words, sizeof words, "%s, %llu MB, ^C stops", browser->doing,
                 (unsigned long long)(done / 1000000));
    else
        snprintf(words, sizeof words, "%s for %llu s, ^C stops", browser->doing,
                 (unsigned long long)((now - browser->began) / 1000));
    grid_bar(grid, &all, grid->height - 1, STYLE_PLAIN);
    grid_puts(grid, &all, 0, grid->height - 1, STYLE_DIM, words);
}

bool work_goes_on(struct browser *browser, uint64_t done, uint64_t size)
{
    enum { EVERY = 50 };
    const uint64_t now = work_milliseconds(browser);
    browser->done = done;
    browser->size = size;
    if (browser->stopped) return false;
    if (now - browser->shown < EVERY) return true;
    browser->shown = now;
    if (now - browser->began >= 4 * EVERY) work_show_progress(browser, now);
    if (!browser->options.goes_on || browser->options.goes_on(browser->options.context))
        return true;
    browser->stopped = true;
    say(browser, "stopped: %s", browser->doing);
    return false;
}

/* ---- waiting for pipes and indexes ---- */

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

/* SPDX-License-Identifier: MIT */
/* work.c: messages, and long operations that show their progress and can be stopped. */
#include <stdarg.h>
#include <stdio.h>

#include "browse/internal.h"

struct view *view_of(struct browser *browser)
{
    return &browser->views[browser->view];
}

/* ---- messages and long operations ---- */

void say(struct browser *browser, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(browser->message, sizeof browser->message, format, arguments);
    browser->is_error = false;
    va_end(arguments);
}

bool say_error(struct browser *browser, const char *format, ...)
{
    va_list arguments;
    if (browser->stopped && browser->message[0]) return false; /* what was stopped is known */
    va_start(arguments, format);
    vsnprintf(browser->message, sizeof browser->message, format, arguments);
    browser->is_error = true;
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

void work_begin(struct browser *browser, const char *doing)
{
    browser->doing = doing;
    browser->stopped = false;
    browser->done = browser->size = 0;
    browser->began = browser->shown = browser->options.clock();
}

bool work_goes_on(struct browser *browser, uint64_t done, uint64_t size)
{
    enum { EVERY = 50 };
    const uint64_t now = browser->options.clock();
    browser->done = done;
    browser->size = size;
    if (browser->stopped) return false;
    if (now - browser->shown < EVERY) return true;
    browser->shown = now;
    if (now - browser->began >= 4 * EVERY) {
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
    if (!browser->options.goes_on || browser->options.goes_on(browser->options.context))
        return true;
    browser->stopped = true;
    say(browser, "stopped: %s", browser->doing);
    return false;
}

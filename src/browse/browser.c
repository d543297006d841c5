/* SPDX-License-Identifier: MIT */
/* browser.c: opens traces, passes keys to commands, and keeps long operations interruptible. */
#include "browse/browser.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "browse/internal.h"

/* ---- opening ---- */

enum spoor_status browser_open(struct browser **browser, const struct browser_options *options,
                               struct spoor_error *error)
{
    struct browser *opened = calloc(1, sizeof *opened);
    enum spoor_status status = SPOOR_OK;
    if (!opened) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    opened->options = *options;
    if (!options->clock) opened->options.clock = clock_milliseconds;
    opened->focus = -1;
    opened->follow = options->follow;
    opened->arriving = options->spool && spool_runs(options->spool);
    opened->doing = "reading";
    opened->view_count = options->path_count;
    for (size_t i = 0; i < opened->view_count && status == SPOOR_OK; i++)
        status = view_open(&opened->views[i], opened, i, error);
    if (status == SPOOR_OK && opened->view_count == 2) {
        opened->alignment = alignment_start(opened->options.paths, &options->reading);
        if (!opened->alignment) status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    }
    if (status != SPOOR_OK) {
        browser_close(opened);
        return status;
    }
    for (int i = 0; i < PANES; i++)
        opened->panes[i] =
            (struct pane){.kind = i < PANE_MEMORY ? (enum pane_kind)i : PANE_MEMORY, .group = 1};
    if (options->hints && !opened->message[0]) say(opened, "? lists the keys, q leaves");
    browser_resize(opened, 80, 24);
    *browser = opened;
    return SPOOR_OK;
}

bool browser_close(struct browser *browser)
{
    if (!browser) return true;
    alignment_end(browser->alignment);
    split_end(browser);
    for (size_t i = 0; i < browser->view_count; i++) view_close(&browser->views[i]);
    matcher_free(&browser->search);
    free(browser->grid.glyphs);
    free(browser);
    return true;
}

bool browser_resize(struct browser *browser, int width, int height)
{
    const bool resized = grid_resize(&browser->grid, width, height);
    heed_memory(browser, !resized);
    return resized;
}

void browser_set_ascii(struct browser *browser, bool ascii)
{
    browser->grid.ascii = ascii;
}

const struct grid *browser_grid(const struct browser *browser)
{
    return &browser->grid;
}

bool browser_redraws(struct browser *browser)
{
    const bool redraws = browser->redraws;
    browser->redraws = false;
    return redraws;
}

bool browser_is_over(const struct browser *browser)
{
    return browser->over;
}

const char *browser_message(const struct browser *browser)
{
    return browser->message;
}

const char *browser_failure(const struct browser *browser)
{
    const struct spoor_error *failure = &browser->failure;
    for (size_t i = 0; i < browser->view_count && failure->status == SPOOR_OK; i++)
        failure = spoor_listing_failure(browser->views[i].listing);
    if (failure->status == SPOOR_OK && browser->alignment)
        failure = alignment_failure(browser->alignment);
    return failure->status == SPOOR_OK ? NULL : failure->text;
}

const struct spoor_index *browser_index(const struct browser *browser, size_t number)
{
    return number < browser->view_count ? browser->views[number].index : NULL;
}

const char *browser_notice(const struct browser *browser, size_t number)
{
    const struct background *background = &browser->views[number].background;
    if (number >= browser->view_count || atomic_load(&background->state) == BACKGROUND_RUNS)
        return NULL;
    return background->notice[0] ? background->notice : NULL;
}

void browser_click(struct browser *browser, int x, int y)
{
    browser->click_x = x;
    browser->click_y = y;
}

bool browser_tick(struct browser *browser)
{
    bool changed = false;
    work_begin(browser, "comparing");
    changed |= adopt_arrivals(browser);
    for (size_t i = 0; i < browser->view_count; i++) {
        struct view *view = &browser->views[i];
        changed |= view_adopt(view);
        changed |= atomic_load(&view->background.state) == BACKGROUND_RUNS; /* its progress */
        if (!browser->follow || !spoor_listing_grow(view->listing)) continue;
        view_go(view, UINT64_MAX, false);
        changed = true;
    }
    return pair_adopt(browser) || changed;
}

void browser_wait(struct browser *browser)
{
    if (browser->options.spool) spool_wait(browser->options.spool, true, NULL, NULL);
    adopt_arrivals(browser);
    work_begin(browser, "indexing");
    for (size_t i = 0; i < browser->view_count; i++) wait_for_index(&browser->views[i]);
    pair_wait(browser);
}

/* ---- keys ---- */

/* Finds the command of the pending keys among the key sequences, "j" or "]c" or "<C-f>"; *more:
 * they begin the keys of one. */
static const struct command *browser_find_command(const struct browser *browser, bool *more)
{
    const size_t count = browser->pending_count;
    *more = false;
    for (const struct command *command = commands; command->name; command++)
        for (const char *at = command->keys; *at;) {
            size_t matched = 0;
            bool same = true;
            while (*at && *at != ' ') {
                const int key = press_parse(&at);
                if (matched < count) same &= key == browser->pending[matched];
                matched++;
            }
            while (*at == ' ') at++;
            if (same && matched == count) return command;
            *more |= same && matched > count;
        }
    return NULL;
}

void browser_press(struct browser *browser, int key)
{
    browser->message[0] = '\0';
    browser->is_error = false;
    work_begin(browser, "searching");
    if (browser->prompt.command || browser->prompt.line) {
        prompt_press(browser, key);
        return;
    }
    if (browser->waiting) { /* for a key */
        struct text name = {0};
        const struct command *command = browser->waiting;
        browser->waiting = NULL;
        if (key != PRESS_ESCAPE) {
            utf8_put(&name, key < PRESS_FIRST_NAMED ? (uint32_t)key : '?');
            text_put(&name, "", 1);
            const struct command_call call = {.argument = name.failed ? NULL : name.bytes,
                                              .command = command};
            command->run(browser, &call);
        }
        text_free(&name);
        browser->counted = false;
        browser->count = 0;
        return;
    }
    bool more;
    const bool digit = key >= '0' && key <= '9' && (key > '0' || browser->counted);
    if (digit && browser->pending_count == 0) {
        browser->counted = true;
        if (browser->count < UINT64_MAX / 20)
            browser->count = browser->count * 10 + (uint64_t)(key - '0');
        return;
    }
    const struct command *command = NULL;
    if (key != PRESS_ESCAPE) {
        browser->pending[browser->pending_count++] = key;
        command = browser_find_command(browser, &more);
        if (!command && more && browser->pending_count < PENDING) return;
    }
    if (!command && key != PRESS_ESCAPE) {
        struct text name = {0};
        for (size_t i = 0; i < browser->pending_count; i++) press_name(browser->pending[i], &name);
        say_error(browser, "%.*s is no key: ? lists the keys", (int)name.size,
                  name.bytes ? name.bytes : "");
        text_free(&name);
    }
    browser->pending_count = 0;
    if (command && command->flags & COMMAND_KEY) {
        browser->waiting = command;
        return;
    }
    const struct command_call call = {
        .count = browser->count, .counted = browser->counted, .command = command};
    if (command && command->argument && !(browser->counted && command->flags & COMMAND_OPTIONAL))
        prompt_open(browser, command, false);
    else if (command)
        command->run(browser, &call);
    browser->counted = false;
    browser->count = 0;
}

bool browser_execute(struct browser *browser, const char *command)
{
    browser->message[0] = '\0';
    browser->is_error = false;
    work_begin(browser, "searching");
    return command_line(browser, command);
}

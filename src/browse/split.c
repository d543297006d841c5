/* SPDX-License-Identifier: MIT */
/*
 * split.c: the processors of one trace beside each other.
 *
 * Each has a view of its own, which shares the rows and the index with the first one.  The others
 * show where they are at the row of the cursor: their last row that is not after it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "browse/internal.h"

enum { NARROWEST = 40 /* columns of a part */ };

/* ---- following ---- */

static void split_follow(struct browser *browser)
{
    const uint64_t offset = view_of(browser)->cursor;
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    for (size_t i = 0; i < browser->split; i++) {
        struct view *view = &browser->views[i];
        if (i == browser->view || view->followed == offset + 1) continue;
        view->followed = offset + 1;
        if (spoor_listing_at(view->listing, offset, &row, &error) == SPOOR_OK &&
            row_is_of(&row, view->cpu)) /* a row of no processor */
            view->cursor = offset;
        else if (view_step(view, offset, false, &row) == SPOOR_OK ||
                 view_step(view, offset, true, &row) == SPOOR_OK)
            view->cursor = row.offset;
    }
}

/* ---- opening and closing ---- */

void split_end(struct browser *browser)
{
    struct view *first = &browser->views[0];
    if (!browser->split) return;
    first->cursor = view_of(browser)->cursor;
    for (size_t i = 1; i < browser->split; i++) view_close(&browser->views[i]);
    browser->split = browser->view = 0;
    first->cpu[0] = '\0';
    first->here.offset = 0;
    view_forget(first);
    view_place(first, 1);
}

void split_cpus(struct browser *browser, const struct command_call *call)
{
    struct view *first = &browser->views[0];
    (void)call;
    if (browser->split) {
        split_end(browser);
        say(browser, "all cpus together");
        return;
    }
    if (browser->view_count > 1) {
        say_error(browser, "two traces are shown: the cpus of one can be split");
        return;
    }
    if (!need_index(browser)) return;
    const unsigned count = spoor_explorer_cpu_count(first->explorer);
    const char **names = calloc(count, sizeof *names);
    if (count < 2 || !names) {
        say_error(browser, names ? "the trace names one cpu" : "out of memory");
        heed_memory(browser, !names);
        free(names);
        return;
    }
    for (unsigned i = 0; i < count; i++) { /* in order, cpu2 before cpu10 */
        const char *name = spoor_explorer_cpu_name(first->explorer, i);
        unsigned at = i;
        for (; at > 0; at--) {
            const size_t size = strlen(name), before = strlen(names[at - 1]);
            if (before < size || (before == size && strcmp(names[at - 1], name) <= 0)) break;
            names[at] = names[at - 1];
        }
        names[at] = name;
    }
    const unsigned shown = count < VIEWS ? count : VIEWS;
    const char *cursor = spoor_explorer_cpu_name(first->explorer, view_here(first)->cpu);
    unsigned current = 0;
    while (current + 1 < count && strcmp(names[current], cursor) != 0) current++;
    /* of more processors: that of the cursor and those after it */
    const unsigned from = shown == count ? 0 : current + shown > count ? count - shown : current;
    for (unsigned i = 0; i < shown; i++) {
        struct view *view = &browser->views[i];
        struct spoor_error error = {0};
        bool copied = true;
        browser->split = i + 1;
        if (i) {
            *view = (struct view){.browser = browser,
                                  .path = first->path,
                                  .name = first->name,
                                  .shared = true,
                                  .listing = first->listing,
                                  .index = first->index,
                                  .explorer = first->explorer,
                                  .cursor = first->cursor,
                                  .top = first->top,
                                  .column = first->column,
                                  .context = first->context};
            memcpy(view->marks, first->marks, sizeof view->marks);
            if (first->filter.words[0])
                copied = matcher_parse(&view->filter, first->filter.words, &error);
        }
        if (!copied) {
            split_end(browser);
            say_error(browser, "out of memory");
            free(names);
            return;
        }
        snprintf(view->cpu, sizeof view->cpu, "%s", names[from + i]);
        view_forget(view);
    }
    free(names);
    browser->view = current - from;
    split_follow(browser);
    say(browser, "%u of %u cpus, w goes to the next", shown, count);
}

void split_copy_filter(struct browser *browser)
{
    const struct view *from = view_of(browser);
    struct spoor_error error = {0};
    for (size_t i = 0; i < browser->split; i++) {
        struct view *view = &browser->views[i];
        if (view == from) continue;
        matcher_free(&view->filter);
        if (from->filter.words[0]) matcher_parse(&view->filter, from->filter.words, &error);
        view->context = from->context;
        view->followed = 0;
        view_forget(view);
    }
}

/* ---- drawing ---- */

void draw_split(struct browser *browser, const struct area *area)
{
    const int count = (int)browser->split;
    int across = area->width / NARROWEST;
    if (across < 1) across = 1;
    if (across > count) across = count;
    split_follow(browser);
    /* the current one first, because the others follow it */
    for (int i = 0; i <= count; i++) {
        const int number = i ? i - 1 : (int)browser->view;
        struct area part;
        if (i && number == (int)browser->view) continue;
        draw_cell(browser, area, across, count, number, &part);
        struct view *view = &browser->views[number];
        /* the cursors of all stand in one row of the screen */
        if (number != (int)browser->view)
            view->top = view_back_by(view, view->cursor, view_of(browser)->cursor_y);
        draw_titled(browser, view, view->cpu[0] ? view->cpu : "all cpus", &part);
    }
}

/* SPDX-License-Identifier: MIT */
/* search.c: commands that search for rows, and that show only some of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "browse/internal.h"

/* Goes to the next visible row that matches. */
static void search_seek(struct browser *browser, bool forwards)
{
    struct view *view = view_of(browser);
    struct spoor_listing_row row = {.struct_size = sizeof row};
    work_begin(browser, "searching");
    if (!view_row(view, &row)) return;
    uint64_t from = forwards ? row.end : row.offset;
    for (;;) {
        const enum spoor_status status = matcher_seek(view, &browser->search, from, forwards, &row);
        if (status != SPOOR_OK) {
            if (!browser->stopped)
                say_error(browser, "%s: no %s row matches", browser->search.words,
                          forwards ? "later" : "earlier");
            return;
        }
        const uint64_t found = row.offset, end = row.end, before = view->cursor;
        view_go(view, found, true);
        if (view->cursor == found) return;
        view->cursor = before; /* it is hidden */
        from = forwards ? end : found;
    }
}

/* Says which of how many matches the row is, in a trace of so few rows that all can be looked at:
 * however it is stored. */
static void search_tell(struct browser *browser)
{
    enum { QUICK = 20000 /* rows */ };
    struct view *view = view_of(browser);
    const bool hides = matcher_is_given(&view->filter) || view->cpu[0] || view->fold_count;
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    enum spoor_status status;
    uint64_t count = 0, number = 0, from = 0;
    if (browser->message[0] || hides) return;
    for (unsigned i = 0; (status = spoor_listing_at(view->listing, from, &row, &error)) == SPOOR_OK;
         i++) {
        if (i == QUICK) return;
        if (matcher_matches(view, &browser->search, &row)) {
            count++;
            if (row.offset == view->cursor) number = count;
        }
        from = row.end;
    }
    if (number && status == SPOOR_END)
        say(browser, "match %llu of %llu", (unsigned long long)number, (unsigned long long)count);
}

void search_for(struct browser *browser, const struct command_call *call)
{
    struct spoor_error error = {0};
    if (call->argument[0] && !matcher_parse(&browser->search, call->argument, &error)) {
        say_error(browser, "%s", error.text);
        return;
    }
    browser->backwards = call->command->value < 0;
    if (matcher_is_given(&browser->search))
        search_seek(browser, !browser->backwards);
    else
        say_error(browser, "nothing has been searched for yet");
    search_tell(browser);
}

void search_again(struct browser *browser, const struct command_call *call)
{
    const bool forwards = (call->command->value > 0) != browser->backwards;
    uint64_t count = call->counted && call->count ? call->count : 1;
    if (!matcher_is_given(&browser->search)) {
        say_error(browser, "nothing has been searched for yet: / searches");
        return;
    }
    for (; count > 0 && !browser->message[0]; count--) search_seek(browser, forwards);
    search_tell(browser);
}

/* ---- what is shown ---- */

static void search_changed_rows(struct view *view)
{
    view_forget(view);
    split_copy_filter(view->browser);
    work_begin(view->browser, "searching");
    view_go(view, view->cursor, false);
    view_place(view, 1);
}

void filter_rows(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    const char *words = call->argument ? call->argument : "";
    struct spoor_listing_row row = {.struct_size = sizeof row};
    struct matcher filter = {0};
    if (!words[0]) {
        matcher_free(&view->filter);
        say(browser, "all rows are shown");
    } else if (!matcher_parse(&filter, words, &error)) {
        say_error(browser, "%s", error.text);
        return;
    } else {
        work_begin(browser, "searching");
        const bool found = matcher_seek(view, &filter, view->cursor, true, &row) == SPOOR_OK ||
                           (!browser->stopped &&
                            matcher_seek(view, &filter, view->cursor, false, &row) == SPOOR_OK);
        const bool failed = matcher_failed(&filter, &error); /* and was said */
        matcher_free(&filter);
        if (failed) return;
        if (!found) {
            if (!browser->stopped) say_error(browser, "%s: no row matches", words);
            return;
        }
        matcher_parse(&view->filter, words, &error);
        if (call->counted) view->context = (unsigned)(call->count < 1000 ? call->count : 1000);
    }
    search_changed_rows(view);
}

void set_context(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    uint64_t rows = call->count;
    if (call->argument && !scan_all_number(call->argument, &rows)) rows = 0;
    view->context = (unsigned)(rows < 1000 ? rows : 1000);
    say(browser, "%u row%s of context", view->context, view->context == 1 ? "" : "s");
    search_changed_rows(view);
}

/* ---- processors ---- */

void choose_cpu(struct browser *browser, const struct command_call *call)
{
    struct view *view;
    split_end(browser);
    view = view_of(browser);
    if (call->argument && call->argument[0]) {
        if (strcmp(call->argument, "all") == 0)
            view->cpu[0] = '\0';
        else
            snprintf(view->cpu, sizeof view->cpu, "%s", call->argument);
    } else {
        if (!need_index(browser)) return;
        const unsigned count = spoor_explorer_cpu_count(view->explorer);
        unsigned next = 0;
        for (unsigned i = 0; i < count && view->cpu[0]; i++)
            if (strcmp(spoor_explorer_cpu_name(view->explorer, i), view->cpu) == 0) next = i + 1;
        snprintf(view->cpu, sizeof view->cpu, "%s",
                 next < count ? spoor_explorer_cpu_name(view->explorer, next) : "");
    }
    say(browser, view->cpu[0] ? "only rows of cpu %s" : "rows of all cpus%s", view->cpu);
    search_changed_rows(view);
}

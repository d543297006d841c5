/* SPDX-License-Identifier: MIT */
/* move.c: commands that move the cursor by rows, screens and places. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "browse/internal.h"

static struct pane *move_focused(struct browser *browser)
{
    return browser->focus >= 0 ? &browser->panes[browser->focus] : NULL;
}

/* Moves in the help page or in a pane; false: neither is in front. */
static bool move_elsewhere(struct browser *browser, int64_t by)
{
    int *at = browser->help ? &browser->help_top : NULL;
    int limit = browser->help ? help_rows(browser) - 1 : 0;
    if (!at && move_focused(browser)) {
        at = &move_focused(browser)->cursor;
        limit = move_focused(browser)->items - 1;
    }
    if (!at) return false;
    int64_t to = by < -GRID_MAX * 10 ? 0 : by > GRID_MAX * 10 ? limit : *at + by;
    if (to > limit) to = limit;
    *at = to < 0 ? 0 : (int)to;
    return true;
}

static uint64_t move_repeats(const struct command_call *call)
{
    return call->counted && call->count ? call->count : 1;
}

static void move_by(struct browser *browser, uint64_t rows, bool forwards)
{
    struct view *view = view_of(browser);
    struct spoor_listing_row row = {.struct_size = sizeof row};
    for (; rows > 0; rows--) {
        if (view_step(view, view->cursor, forwards, &row) != SPOOR_OK) return;
        view->cursor = row.offset;
        if (rows % 1024 == 0 &&
            !work_goes_on(browser, row.offset, spoor_listing_size(view->listing)))
            return;
    }
}

void move_rows(struct browser *browser, const struct command_call *call)
{
    const uint64_t rows = move_repeats(call) < INT32_MAX ? move_repeats(call) : INT32_MAX;
    struct pane *pane = move_focused(browser);
    int64_t unit = 1;
    if (pane && !browser->help && pane->kind == PANE_MEMORY && pane->per_line)
        unit = pane->per_line;
    if (!move_elsewhere(browser, call->command->value * (int64_t)rows * unit))
        move_by(browser, rows, call->command->value > 0);
}

/* Pages move the screen, and the cursor with it. */
void move_pages(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    const bool half = call->command->value == 2 || call->command->value == -2,
               forwards = call->command->value > 0;
    const int rows = view->shown_rows > 2 ? view->shown_rows - 1 : 1;
    uint64_t by = move_repeats(call) * (uint64_t)(half ? (rows + 1) / 2 : rows);
    struct spoor_listing_row row = {.struct_size = sizeof row};
    if (by > INT32_MAX) by = INT32_MAX;
    if (move_elsewhere(browser, forwards ? (int64_t)by : -(int64_t)by)) return;
    for (uint64_t i = 0; i < by; i++) {
        if (view_step(view, view->top, forwards, &row) != SPOOR_OK) break;
        view->top = row.offset;
        if (i % 1024 == 1023 &&
            !work_goes_on(browser, row.offset, spoor_listing_size(view->listing)))
            break;
    }
    move_by(browser, by, forwards);
}

/* The end of a trace that can be read only in order: with an index, or by reading it all. */
static void move_to_end(struct browser *browser)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    adopt_arrivals(browser);
    if (!spoor_listing_is_direct(view->listing)) {
        if (browser->options.no_index) {
            work_begin(browser, "reading");
            spoor_listing_at(view->listing, UINT64_MAX - 1, &row, &error);
        } else if (!need_index(browser)) {
            return;
        }
    }
    view_go(view, UINT64_MAX, true);
}

void move_edge(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    if (call->counted) {
        go_line(browser, call);
        return;
    }
    if (move_elsewhere(browser, call->command->value > 0 ? INT64_MAX : INT64_MIN)) return;
    if (call->command->value < 0)
        view_go(view, 0, true);
    else
        move_to_end(browser);
}

void move_columns(struct browser *browser, const struct command_call *call)
{
    const int by = (int)(call->counted && call->count < GRID_MAX ? call->count : 8);
    struct view *view = view_of(browser);
    struct pane *pane = move_focused(browser);
    if (pane && (pane->kind == PANE_MEMORY || pane->kind == PANE_REGISTERS)) {
        move_elsewhere(browser, call->command->value * (call->counted ? by : 1));
        return;
    }
    view->column += call->command->value * by;
    if (view->column < 0) view->column = 0;
    if (view->column > 1 << 20) view->column = 1 << 20;
}

void move_on_screen(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_listing_row row = {.struct_size = sizeof row};
    int rows = call->command->value * (view->shown_rows - 1) / 2;
    view->cursor = view->top;
    for (; rows > 0 && view_step(view, view->cursor, true, &row) == SPOOR_OK; rows--)
        view->cursor = row.offset;
}

void place_row(struct browser *browser, const struct command_call *call)
{
    view_place(view_of(browser), call->command->value);
}

/* ---- places ---- */

/* The number of a call: its count, or its argument as an expression. */
static bool move_number_of(struct browser *browser, const struct command_call *call,
                           bool hexadecimal, uint64_t *number)
{
    struct spoor_error error = {0};
    if (!call->argument) {
        *number = call->count;
        return true;
    }
    if (expression_value(browser, call->argument, hexadecimal, number, NULL, &error)) return true;
    return say_error(browser, "%s", error.text);
}

void go_line(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    uint64_t line;
    if (!move_number_of(browser, call, false, &line)) return;
    if (line == 0) line = 1;
    if (spoor_format_record_size(spoor_listing_stream(view->listing)->format)) {
        if (need_index(browser)) view_go_record(view, line - 1, true);
        return;
    }
    enum spoor_status status = spoor_listing_of_line(view->listing, line, &row, &error);
    if (status == SPOOR_END && !browser->stopped && !view->explorer) {
        if (!browser->options.no_index && !need_index(browser)) return;
        status = spoor_listing_of_line(view->listing, line, &row, &error);
    }
    if (status == SPOOR_OK)
        view_go(view, row.offset, true);
    else if (status == SPOOR_END && !browser->stopped)
        say_error(browser, "there is no line %llu", (unsigned long long)line);
    else if (status < SPOOR_OK)
        say_error(browser, "%s", error.text);
}

void go_record(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    uint64_t record;
    if (!move_number_of(browser, call, false, &record)) return;
    if (spoor_listing_of_record(view->listing, record, &row, &error) == SPOOR_OK)
        view_go(view, row.offset, true);
    else if (need_index(browser))
        view_go_record(view, record, true);
}

void go_time(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    uint64_t time, offset = 0, moment;
    if (!move_number_of(browser, call, false, &time)) return;
    if (!view->explorer && spoor_listing_is_direct(view->listing)) {
        /* Without an index: bisects, because times do not decrease. */
        enum { ROWS = 256 /* of which one may have a time */ };
        uint64_t low = 0, high = spoor_listing_size(view->listing), at = 0;
        struct spoor_listing_row row = {.struct_size = sizeof row};
        const char *unit;
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            if (spoor_listing_at(view->listing, middle, &row, &error) != SPOOR_OK) return;
            const uint64_t begin = row.offset;
            int rows = 0;
            while (rows < ROWS && !row_time(&row, &at, &unit))
                rows = spoor_listing_at(view->listing, row.end, &row, &error) == SPOOR_OK ? rows + 1
                                                                                          : ROWS;
            if (rows < ROWS && at <= time) {
                offset = row.offset;
                low = row.end;
            } else if (rows < ROWS && begin <= low) {
                break;
            } else {
                high = begin;
            }
        }
        view_go(view, offset, true);
        return;
    }
    if (!need_index(browser)) return;
    char words[32];
    snprintf(words, sizeof words, "time:%" PRIu64, time);
    if (spoor_explorer_moment(view->explorer, words, &moment, &error) == SPOOR_OK)
        view_go_record(view, moment ? moment - 1 : 0, true);
    else
        say_error(browser, "%s", error.text);
}

void go_percent(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    uint64_t percent;
    if (!move_number_of(browser, call, false, &percent)) return;
    if (percent > 100) percent = 100;
    if (!spoor_listing_is_direct(view->listing) && !need_index(browser)) return;
    view_go(view, (uint64_t)((double)spoor_listing_size(view->listing) * (double)percent / 100.0),
            true);
}

static bool move_has_prefix(const char *words, const char *prefix)
{
    return strncmp(words, prefix, strlen(prefix)) == 0;
}

void go_moment(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    struct spoor_moment query;
    uint64_t moment;
    const char *words = call->argument;
    struct command_call rest = *call;
    rest.argument = words + strcspn(words, ":") + 1;
    if (strcmp(words, "end") == 0) {
        move_to_end(browser);
    } else if (move_has_prefix(words, "line:")) {
        go_line(browser, &rest);
    } else if (move_has_prefix(words, "record:")) {
        go_record(browser, &rest);
    } else if (move_has_prefix(words, "time:")) {
        go_time(browser, &rest);
    } else if (move_has_prefix(words, "pc:") && strchr(words, '#')) {
        if (!spoor_moment_parse(words, &query)) {
            say_error(browser, "found '%s', expected pc:ADDR#VISIT", words);
        } else if (need_index(browser)) {
            if (spoor_explorer_moment(view->explorer, words, &moment, &error) == SPOOR_OK)
                view_go_record(view, moment ? moment - 1 : 0, true);
            else
                say_error(browser, "%s", error.text);
        }
    } else if (move_has_prefix(words, "pc:")) {
        seek_pc(browser, &rest);
    } else if (words[0] && words[strlen(words) - 1] == '%') {
        char number[32];
        snprintf(number, sizeof number, "%.*s", (int)strlen(words) - 1, words);
        rest.argument = number;
        go_percent(browser, &rest);
    } else {
        go_time(browser, call);
    }
}

/* ---- history and marks ---- */

void go_history(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    if (call->command->value < 0 ? view->history_at == 0
                                 : view->history_at + 1 >= view->history_count) {
        say(browser, call->command->value < 0 ? "this is the first place of the history"
                                              : "this is the last place of the history");
        return;
    }
    if (call->command->value < 0) {
        if (view->history_at == view->history_count) { /* so that one can come back */
            if (view->history_count < HISTORY) view->history_count++;
            view->history[view->history_at] = view->cursor;
        }
        view->history_at--;
    } else {
        view->history_at++;
    }
    view_go(view, view->history[view->history_at], false);
}

/* m sets a mark, ' goes to one. */
void use_mark(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    const unsigned char letter = (unsigned char)(call->argument ? call->argument[0] : 0);
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9') || letter == '\'';
    uint64_t *mark = &view->marks[is_letter ? letter : 0];
    if (!is_letter) {
        say_error(browser, "expected a letter or a digit as the name of a mark");
    } else if (call->command->value == 'm') {
        *mark = view->cursor + 1;
        say(browser, "mark %c is set", letter);
    } else if (letter == '\'') { /* '' goes back */
        static const struct command backwards = {.value = -1};
        const struct command_call back = {.command = &backwards};
        go_history(browser, &back);
    } else if (*mark) {
        view_go(view, *mark - 1, true);
    } else {
        say_error(browser, "mark %c is not set", letter);
    }
}

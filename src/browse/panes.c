/* SPDX-License-Identifier: MIT */
/* panes.c: the commands that open, choose and close panes. */
#include <stdio.h>
#include <string.h>

#include "browse/internal.h"

static struct pane *panes_focused(struct browser *browser, const char *what)
{
    if (browser->focus >= 0) return &browser->panes[browser->focus];
    say_error(browser, "expected the cursor in %s: Tab goes there", what);
    return NULL;
}

void toggle_pane(struct browser *browser, const struct command_call *call)
{
    const int number = call->command->value;
    struct pane *pane = &browser->panes[number];
    if (number == PANE_SOURCE && !browser->options.images && !pane->shown) {
        say_error(browser, "source lines need an image: start with --image FILE");
        return;
    }
    pane->shown = !pane->shown;
    if (!pane->shown && browser->focus == number) browser->focus = -1;
}

void open_memory(struct browser *browser, const struct command_call *call)
{
    struct spoor_error error = {0};
    int number = PANE_MEMORY;
    if (!need_index(browser)) return;
    while (number < PANES && browser->panes[number].shown) number++;
    if (number == PANES) {
        say_error(browser, "%d memory panes are open: x closes one", PANES - PANE_MEMORY);
        return;
    }
    struct pane *pane = &browser->panes[number];
    *pane = (struct pane){.kind = PANE_MEMORY, .group = 1};
    snprintf(pane->words, sizeof pane->words, "%s", call->argument);
    if (!memory_find_address(browser, pane, &error)) {
        say_error(browser, "%s", error.text);
        return;
    }
    pane->shown = true;
}

void next_pane(struct browser *browser, const struct command_call *call)
{
    for (int i = 0; i <= PANES; i++) {
        browser->focus += call->command->value;
        if (browser->focus >= PANES) browser->focus = -1;
        if (browser->focus < -1) browser->focus = PANES - 1;
        if (browser->focus == -1 || browser->panes[browser->focus].shown) return;
    }
}

void close_pane(struct browser *browser, const struct command_call *call)
{
    struct pane *pane = panes_focused(browser, "a pane");
    (void)call;
    if (!pane) return;
    pane->shown = false;
    browser->focus = -1;
}

void set_group(struct browser *browser, const struct command_call *call)
{
    struct pane *pane = panes_focused(browser, "a memory pane");
    if (!pane) return;
    const unsigned group = call->command->value > 0 ? pane->group * 2 : pane->group / 2;
    if (group >= 1 && group <= 8) pane->group = group;
    say(browser, "%u byte%s", pane->group, pane->group == 1 ? "" : "s");
}

/* ]d and [d: in memory they go to bytes. */
void seek_difference(struct browser *browser, const struct command_call *call)
{
    const int value = call->command->value;
    struct pane *pane = browser->focus >= 0 ? &browser->panes[browser->focus] : NULL;
    if (pane && pane->kind == PANE_MEMORY && (value == 1 || value == -1))
        memory_seek_difference(browser, pane, value > 0);
    else
        pair_seek_difference(browser, call);
}

void hold_address(struct browser *browser, const struct command_call *call)
{
    struct pane *pane = panes_focused(browser, "a memory pane");
    (void)call;
    if (!pane) return;
    if (pane->kind != PANE_MEMORY || !pane->follows) {
        say_error(browser, "expected memory at an expression with a register, which moves along");
        return;
    }
    pane->held = !pane->held;
    say(browser, pane->held ? "the address stays" : "the address follows %s", pane->words);
}

void pane_option(struct browser *browser, const struct command_call *call)
{
    struct pane *pane = &browser->panes[PANE_REGISTERS];
    if (!pane->shown) {
        say_error(browser, "the registers are not shown: r shows them");
        return;
    }
    const bool symbols = call->command->value == 'a';
    bool *option = symbols ? &pane->symbolic : &pane->wide;
    *option = !*option;
    if (symbols)
        say(browser, *option ? "values as symbols" : "values as numbers");
    else
        say(browser, *option ? "registers of all widths" : "registers of at most 64 bits");
}

void lock_pane(struct browser *browser, const struct command_call *call)
{
    struct pane *pane = panes_focused(browser, "the registers or in memory");
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    struct spoor_moment query;
    uint64_t moment = 0;
    if (!pane) return;
    const bool against = call->command->value == 'd';
    uint64_t *which = against ? &pane->against : &pane->locked;
    if (*which) {
        *which = 0;
        say(browser, against ? "no comparison" : "the pane follows the cursor");
        return;
    }
    if (!need_index(browser)) return;
    const bool at_cursor = !call->argument || !call->argument[0];
    if (at_cursor && !view_moment(view, &moment)) return;
    if (!at_cursor && !spoor_moment_parse(call->argument, &query)) {
        say_error(browser, "found '%s', expected a time, record:N, line:N, pc:ADDR or end",
                  call->argument);
        return;
    }
    if (!at_cursor &&
        spoor_explorer_moment(view->explorer, call->argument, &moment, &error) != SPOOR_OK) {
        say_error(browser, "%s", error.text);
        return;
    }
    *which = moment + 1;
}

/* SPDX-License-Identifier: MIT */
/* subject.c: the register or memory under the cursor, and who wrote it. */
#include <inttypes.h>
#include <stdio.h>

#include "browse/internal.h"

/* The registers and memory that a row itself reads or writes. */
struct row_subject {
    struct spoor_explorer *explorer;
    struct spoor_subject *subject;
    bool found;
};

static bool subject_note(void *context, const struct spoor_record_visit *visited)
{
    struct row_subject *search = context;
    search->found = spoor_explorer_subject_of(search->explorer, visited, search->subject);
    return !search->found;
}

bool subject_here(struct browser *browser, struct spoor_subject *subject)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    *subject = (struct spoor_subject){0};
    if (!need_index(browser)) return false;
    if (browser->focus >= 0) {
        struct pane *pane = &browser->panes[browser->focus];
        if (pane_types[pane->kind].subject &&
            pane_types[pane->kind].subject(browser, pane, subject))
            return true;
        return say_error(browser, "expected the cursor on a register or on a byte of memory");
    }
    const struct here *here = view_here(view);
    struct row_subject search = {.explorer = view->explorer, .subject = subject};
    if (here->known)
        spoor_explorer_visit(view->explorer, here->record, here->last + 1, subject_note, &search,
                             &error);
    if (!search.found)
        say_error(browser, "this row names no register and no memory: expected one that does, or "
                           "the cursor in a pane (Tab)");
    return search.found;
}

void subject_name(struct browser *browser, const struct spoor_subject *subject, struct text *name)
{
    char words[64];
    if (spoor_explorer_register(view_of(browser)->explorer, subject->name, words, sizeof words))
        text_puts(name, words);
    else
        text_printf(name, "%s%" PRIx64 "+%" PRIu64, subject->has_address ? "" : "pa:",
                    subject->has_address ? subject->address : subject->physical, subject->size);
}

/* Return: to the last write of what is under the cursor. */
void enter_row(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    struct spoor_subject subject;
    struct spoor_touch touch = {.struct_size = sizeof touch};
    struct text name = {0};
    uint64_t moment = 0;
    (void)call;
    if (browser->focus >= 0) {
        struct pane *pane = &browser->panes[browser->focus];
        if (pane_types[pane->kind].enter) {
            pane_types[pane->kind].enter(browser, pane);
            return;
        }
        if (!need_index(browser) || !pane_moment(browser, pane, &moment)) return;
    }
    if (!subject_here(browser, &subject)) return;
    if (browser->focus < 0) moment = view_here(view)->record;
    const enum spoor_status status =
        spoor_explorer_last_write(view->explorer, &subject, moment, &touch, &error);
    subject_name(browser, &subject, &name);
    const int size = (int)name.size;
    if (status == SPOOR_OK && view_go_record(view, touch.record, true))
        say(browser, "%.*s was written here%s%s", size, name.bytes, touch.value ? ": " : "",
            touch.value ? touch.value : "");
    else if (status == SPOOR_END)
        say_error(browser, "nothing writes %.*s before this place", size, name.bytes);
    else if (status < SPOOR_OK)
        say_error(browser, "%s", error.text);
    text_free(&name);
}

/* SPDX-License-Identifier: MIT */
/* subject.c: the register or memory under the cursor, and who wrote it. */
#include <inttypes.h>
#include <stdio.h>

#include "browse/internal.h"

/* The registers and memory that a row itself reads or writes. */
struct finding {
    struct explorer *explorer;
    struct subject *subject;
    bool found;
};

static bool find_subject(void *context, const struct visited *visited)
{
    struct finding *finding = context;
    struct subject *subject = finding->subject;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const struct machine *machine = explorer_machine(finding->explorer);
    struct access access;
    char name[64];
    size_t size;
    subject->cpu = visited->cpu;
    if (record->kind == SPOOR_REG) {
        const char *text = spoor_names_text(visited->batch->stream->names, record->reg.name, &size);
        snprintf(name, sizeof name, "%.*s", (int)size, text);
        subject->part = machine_find_register(machine, name);
        finding->found = subject->part.name != 0;
    } else if (machine_access(machine, visited->batch, visited->index, &access)) {
        subject->is_memory = true;
        subject->place = explorer_place(finding->explorer, access.has_va ? access.va : access.pa,
                                        access.size, !access.has_va, access.space, visited->record);
        finding->found = true;
    } else if (record->kind == SPOOR_UOP && record->uop.dest >= 0) {
        snprintf(name, sizeof name, "r%d", record->uop.dest);
        subject->part = machine_find_register(machine, name);
        finding->found = subject->part.name != 0;
    }
    return !finding->found;
}

bool subject_here(struct browser *browser, struct subject *subject)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    *subject = (struct subject){0};
    if (!need_index(browser)) return false;
    if (browser->focus >= 0) {
        struct pane *pane = &browser->panes[browser->focus];
        if (pane_types[pane->kind].subject &&
            pane_types[pane->kind].subject(browser, pane, subject))
            return true;
        say_error(browser, "expected the cursor on a register or on a byte of memory");
        return false;
    }
    const struct here *here = view_here(view);
    struct finding finding = {.explorer = view->explorer, .subject = subject};
    if (here->known)
        explorer_visit(view->explorer, here->record, here->last + 1, find_subject, &finding,
                       &error);
    if (!finding.found)
        say_error(browser, "this row names no register and no memory: expected one that does, or "
                           "the cursor in a pane (Tab)");
    return finding.found;
}

void subject_name(struct browser *browser, const struct subject *subject, struct text *name)
{
    const struct machine *machine = explorer_machine(view_of(browser)->explorer);
    char capacity[MACHINE_NAME_SIZE];
    if (!subject->is_memory)
        text_puts(name, machine_register_name(machine, subject->part.name, capacity));
    else
        text_printf(name, "%s%" PRIx64 "+%" PRIu64, subject->place.has_va ? "" : "pa:",
                    subject->place.has_va ? subject->place.va : subject->place.pa,
                    subject->place.size);
}

/* Return: to the last write of what is under the cursor. */
void enter_row(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    struct subject subject;
    struct touch touch;
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
        explorer_last_write(view->explorer, &subject, moment, &touch, &error);
    subject_name(browser, &subject, &name);
    const int size = (int)name.size;
    if (status == SPOOR_OK && view_go_record(view, touch.record, true))
        say(browser, "%.*s was written here%s%s", size, name.bytes, touch.valued ? ": " : "",
            touch.valued ? touch.value : "");
    else if (status == SPOOR_END)
        say_error(browser, "nothing writes %.*s before this place", size, name.bytes);
    else if (status < SPOOR_OK)
        say_error(browser, "%s", error.text);
    text_free(&name);
}

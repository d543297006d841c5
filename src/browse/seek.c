/* SPDX-License-Identifier: MIT */
/*
 * seek.c: commands that go to the next or previous call, instruction or function.
 *
 * A search goes from segment to segment, asks the index which ones can have what is searched for,
 * and shows its progress.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "browse/seek.h"

static bool is_beyond(const struct seeking *seeking, uint64_t record)
{
    return seeking->forwards ? record > seeking->from : record < seeking->from;
}

void seeking_note(struct seeking *seeking, uint64_t record)
{
    if (!is_beyond(seeking, record)) return;
    if (seeking->found == UINT64_MAX ||
        (seeking->forwards ? record < seeking->found : record > seeking->found))
        seeking->found = record;
}

bool seek(struct seeking *seeking, const char *what)
{
    struct view *view = seeking->view;
    const size_t count = spoor_index_segment_count(view->index);
    seeking->found = UINT64_MAX;
    if (count == 0) return false;
    size_t segment = spoor_index_segment_of(view->index, seeking->from);
    /* what begins at the end of a segment may be noticed in the next one */
    if (!seeking->forwards && segment + 1 < count) segment++;
    for (size_t i = 0; i < count && seeking->found == UINT64_MAX; i++) {
        if (!seeking->may || seeking->may(seeking, segment))
            if (!seeking->find(seeking, segment))
                return say_error(view->browser, "%s", seeking->error.text);
        if (!work_goes_on(view->browser, segment, count)) return false;
        if (seeking->forwards ? segment + 1 == count : segment == 0) break;
        segment += seeking->forwards ? 1 : SIZE_MAX;
    }
    if (seeking->found == UINT64_MAX)
        say_error(view->browser, "there is no %s %s", seeking->forwards ? "later" : "earlier",
                  what);
    return seeking->found != UINT64_MAX;
}

void seek_and_go(struct browser *browser, const struct command_call *call, struct seeking *seeking,
                 const char *what)
{
    uint64_t count = call->counted && call->count ? call->count : 1;
    uint64_t record = UINT64_MAX;
    seeking->view = view_of(browser);
    work_begin(browser, "searching");
    for (; count > 0 && seek(seeking, what); count--) seeking->from = record = seeking->found;
    if (record != UINT64_MAX) view_go_record(seeking->view, record, true);
}

bool begin_seeking(struct browser *browser, struct seeking *seeking, int direction)
{
    if (!need_index(browser)) return false;
    const struct here *here = view_here(view_of(browser));
    seeking->forwards = direction > 0;
    seeking->from = direction > 0 ? here->last : here->record;
    return here->known;
}

/* ---- calls, returns, exceptions ---- */

static bool browse_seek_find_event(struct seeking *seeking, size_t segment)
{
    const struct spoor_call_events *events = view_events(seeking->view, segment);
    for (size_t i = 0; events && i < events->count; i++)
        if (events->events[i].kind == seeking->kind)
            seeking_note(seeking, events->events[i].record);
    return events != NULL;
}

void seek_call(struct browser *browser, const struct command_call *call)
{
    static const char *const names[] = {"call", "return", "exception"};
    const int value = call->command->value, kind = (value > 0 ? value : -value) - 1;
    struct seeking seeking = {.find = browse_seek_find_event,
                              .kind = (enum spoor_call_event_kind)kind};
    if (begin_seeking(browser, &seeking, value)) seek_and_go(browser, call, &seeking, names[kind]);
}

/* ---- instructions at an address ---- */

static bool browse_seek_note_pc(void *context, const struct spoor_visited *visited)
{
    struct seeking *seeking = context;
    if (!visited->has_instruction || visited->instruction != visited->record) return true;
    if (visited->pc >= seeking->low && visited->pc <= seeking->high)
        seeking_note(seeking, visited->record);
    return true;
}

static bool browse_seek_find_pc(struct seeking *seeking, size_t segment)
{
    return spoor_explorer_visit_segment(seeking->view->explorer, segment, 0, UINT64_MAX,
                                        browse_seek_note_pc, seeking, &seeking->error) == SPOOR_OK;
}

static bool may_execute(struct seeking *seeking, size_t segment)
{
    return spoor_index_may_execute(seeking->view->index, segment, seeking->low, seeking->high);
}

static bool pc_here(struct browser *browser, uint64_t *pc)
{
    struct view *view = view_of(browser);
    const struct here *here = view_here(view);
    struct spoor_listing_row row;
    if (here->place.known) {
        *pc = here->place.pc;
        return true;
    }
    if (view_row(view, &row) && row_pc(&row, pc)) return true;
    return say_error(browser, "there is no instruction here");
}

void seek_pc(struct browser *browser, const struct command_call *call)
{
    struct seeking seeking = {.find = browse_seek_find_pc, .may = may_execute};
    if (!begin_seeking(browser, &seeking, call->command->value) || !pc_here(browser, &seeking.low))
        return;
    seeking.high = seeking.low;
    seek_and_go(browser, call, &seeking, "execution of this pc");
}

void go_pc(struct browser *browser, const struct command_call *call)
{
    struct spoor_error error = {0};
    struct seeking seeking = {.find = browse_seek_find_pc, .may = may_execute};
    const int direction = call->command ? call->command->value : 1;
    if (!begin_seeking(browser, &seeking, direction ? direction : 1)) return;
    if (!expression_value(browser, call->argument, true, &seeking.low, NULL, &error)) {
        say_error(browser, "%s", error.text);
        return;
    }
    if (spoor_explorer_isa(view_of(browser)->explorer) == SPOOR_ISA_AARCH32)
        seeking.low &= ~UINT64_C(1); /* the address of a T32 function is odd */
    seeking.high = seeking.low;
    seek_and_go(browser, call, &seeking, "execution of that pc");
}

/* The function at the cursor: by an image, or where the innermost call arrived. */
static bool function_here(struct browser *browser, struct seeking *seeking)
{
    struct view *view = view_of(browser);
    struct spoor_images *images = browser->options.images;
    struct spoor_place place;
    struct spoor_frame frame;
    uint64_t pc = 0;
    if (!pc_here(browser, &pc)) return false;
    if (images && spoor_images_function(images, pc, &place) && place.function && place.size) {
        seeking->low = place.start;
        seeking->high = place.start + place.size - 1;
        return true;
    }
    const struct spoor_state *state = view_state(view, view_here(view)->last + 1);
    if (!state) return false;
    const unsigned cpu = view_here(view)->cpu;
    const bool found = spoor_state_frame(state, cpu, spoor_state_depth(state, cpu) - 1, &frame);
    if (found) seeking->low = seeking->high = frame.function;
    if (!found) say_error(browser, "no call is open here, and no image names the function");
    return found;
}

void seek_function(struct browser *browser, const struct command_call *call)
{
    struct seeking seeking = {.find = browse_seek_find_pc, .may = may_execute};
    if (!begin_seeking(browser, &seeking, call->command->value) ||
        !function_here(browser, &seeking))
        return;
    seeking.high = seeking.low; /* its first instruction */
    seek_and_go(browser, call, &seeking, "call of this function");
}

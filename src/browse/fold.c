/* SPDX-License-Identifier: MIT */
/* fold.c: hiding the rows of calls. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "browse/internal.h"

/* Finds the first instruction of a processor after a record. */
struct arrival {
    unsigned cpu;
    uint64_t record; /* UINT64_MAX: not found */
};

static bool fold_find_arrival(void *context, const struct spoor_record_visit *visited)
{
    struct arrival *arrival = context;
    if (visited->cpu != arrival->cpu || !visited->has_instruction ||
        visited->instruction != visited->record)
        return true;
    arrival->record = visited->record;
    return false;
}

/* The record at which the call of depth `depth` (1: the outermost) has ended, searched from
 * `from`; the number of records of the trace if it does not end.  False: stopped. */
static bool fold_find_end(struct view *view, unsigned cpu, size_t depth, uint64_t from,
                          uint64_t *end)
{
    const struct spoor_index *index = view->index;
    const size_t segments = spoor_index_segment_count(index);
    *end = spoor_index_records(index);
    for (size_t i = spoor_index_segment_of(index, from); i < segments; i++) {
        const struct spoor_call_events *events = view_events(view, i);
        if (!events || !work_goes_on(view->browser, i, segments)) return false;
        for (size_t j = 0; j < events->count; j++) {
            const struct spoor_call_event *event = &events->events[j];
            if (event->cpu != cpu || event->arrival <= from || event->depth >= depth) continue;
            if (event->kind != SPOOR_CALL_EVENT_RETURN) continue;
            *end = event->arrival;
            return true;
        }
    }
    return true;
}

static bool fold_offset_of(struct view *view, uint64_t record, uint64_t *offset)
{
    struct spoor_error error = {0};
    struct spoor_listing_row row = {.struct_size = sizeof row};
    if (record >= spoor_index_records(view->index)) {
        *offset = spoor_listing_size(view->listing);
        return true;
    }
    if (spoor_listing_of_record(view->listing, record, &row, &error) != SPOOR_OK) return false;
    *offset = row.offset;
    return true;
}

/* Hides the rows from the arrival up to the return. */
static bool fold_add(struct view *view, unsigned cpu, size_t depth, uint64_t call, uint64_t arrival,
                     uint64_t end)
{
    struct fold fold = {
        .records = end - arrival, .number = cpu, .depth = depth, .arrival = arrival};
    if (end <= arrival || !fold_offset_of(view, call, &fold.call) ||
        !fold_offset_of(view, arrival, &fold.from) || !fold_offset_of(view, end, &fold.to) ||
        fold.from <= fold.call)
        return false;
    if (view_fold_at(view, fold.call)) return true;
    if (spoor_explorer_cpu_count(view->explorer) > 1)
        snprintf(fold.cpu, sizeof fold.cpu, "%s", spoor_explorer_cpu_name(view->explorer, cpu));
    if (!array_reserve(&view->folds, &view->fold_capacity, view->fold_count + 1)) {
        heed_memory(view->browser, true);
        return false;
    }
    view->folds[view->fold_count++] = fold;
    return true;
}

/* The call that the cursor is in: its frame, and how deep it is. */
static bool fold_frame(struct browser *browser, struct spoor_frame *frame, size_t *depth)
{
    struct view *view = view_of(browser);
    if (!need_index(browser)) return false;
    const struct here *here = view_here(view);
    const struct spoor_state *state = here->known ? view_state(view, here->last + 1) : NULL;
    if (!state) return false;
    *depth = spoor_state_depth(state, here->cpu);
    if (*depth) spoor_state_frame(state, here->cpu, *depth - 1, frame);
    return true;
}

void fold_call(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_frame frame = {.struct_size = sizeof frame};
    size_t depth;
    uint64_t end;
    (void)call;
    work_begin(browser, "folding");
    if (!fold_frame(browser, &frame, &depth)) return;
    if (depth == 0) {
        say_error(browser, "no call is open here");
        return;
    }
    const unsigned cpu = view_here(view)->cpu;
    struct spoor_error error = {0};
    struct arrival arrival = {cpu, UINT64_MAX};
    heed(browser,
         spoor_explorer_visit(view->explorer, frame.record + 1, UINT64_MAX, fold_find_arrival,
                              &arrival, &error),
         &error);
    if (arrival.record == UINT64_MAX ||
        !fold_find_end(view, cpu, depth, view_here(view)->last, &end) ||
        !fold_add(view, cpu, depth, frame.record, arrival.record, end))
        return;
    view_forget(view);
    view_go_record(view, frame.record, false);
}

/* Folds the calls that are made at this depth, from segment to segment. */
static size_t fold_children(struct view *view, unsigned cpu, size_t depth, uint64_t from,
                            uint64_t end)
{
    enum { MANY = 4096 };
    const struct spoor_index *index = view->index;
    const size_t segments = spoor_index_segment_count(index);
    struct spoor_call_event open = {0};
    bool is_open = false;
    size_t count = 0;
    for (size_t i = spoor_index_segment_of(index, from); i < segments && count < MANY; i++) {
        if (view_segment(view, i).from > end) break;
        if (!work_goes_on(view->browser, i, segments)) break;
        for (size_t j = 0;; j++) { /* folding may replace the events */
            const struct spoor_call_events *events = view_events(view, i);
            if (!events || j >= events->count) break;
            const struct spoor_call_event event = events->events[j];
            if (event.cpu != cpu || event.arrival <= from || event.arrival > end) continue;
            if (event.kind != SPOOR_CALL_EVENT_RETURN && event.depth == depth + 1) {
                open = event;
                is_open = true;
            } else if (is_open && event.kind == SPOOR_CALL_EVENT_RETURN && event.depth <= depth) {
                count += fold_add(view, cpu, depth + 1, open.record, open.arrival, event.arrival);
                is_open = false;
            }
        }
    }
    return count;
}

void fold_inside(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct spoor_frame frame = {0};
    size_t depth;
    uint64_t end, from = 0;
    (void)call;
    work_begin(browser, "folding");
    if (!fold_frame(browser, &frame, &depth)) return;
    const unsigned cpu = view_here(view)->cpu;
    if (depth) from = frame.record;
    end = spoor_index_records(view->index);
    if (depth && !fold_find_end(view, cpu, depth, view_here(view)->last, &end)) return;
    const size_t count = fold_children(view, cpu, depth, from, end);
    if (browser->stopped) return;
    view_forget(view);
    view_go(view, view->cursor, false);
    say(browser, "%zu call%s folded", count, count == 1 ? " is" : "s are");
}

void unfold(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    const bool all = call->command->value != 0;
    size_t kept = 0;
    const size_t count = view->fold_count;
    for (size_t i = 0; i < count; i++)
        if (!all && view->folds[i].call != view->cursor) view->folds[kept++] = view->folds[i];
    view->fold_count = kept;
    view_forget(view);
    if (count == kept)
        say_error(browser, "no call is folded here");
    else
        say(browser, "%zu call%s unfolded", count - kept, count - kept == 1 ? " is" : "s are");
}

/* Opens calls by one level: the calls that they make are folded. */
void unfold_level(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    size_t count = 0, inner = 0;
    (void)call;
    work_begin(browser, "folding");
    if (!need_index(browser)) return;
    /* Marks the fold under the cursor; if there is none, all that no other hides. */
    const struct fold *here = view_fold_at(view, view->cursor);
    for (size_t i = 0; i < view->fold_count; i++) {
        struct fold *fold = &view->folds[i];
        fold->opening = !here || fold == here;
        for (size_t j = 0; j < view->fold_count && !here; j++)
            if (fold->call >= view->folds[j].from && fold->call < view->folds[j].to)
                fold->opening = false;
    }
    for (size_t i = 0; i < view->fold_count && !browser->stopped;) {
        const struct fold fold = view->folds[i];
        if (!fold.opening) {
            i++;
            continue;
        }
        memmove(view->folds + i, view->folds + i + 1,
                (--view->fold_count - i) * sizeof *view->folds);
        count++;
        inner += fold_children(view, fold.number, fold.depth, fold.arrival,
                               fold.arrival + fold.records - 1);
    }
    view_forget(view);
    if (count)
        say(browser, "%zu call%s unfolded, %zu inside folded", count, count == 1 ? " is" : "s are",
            inner);
    else
        say_error(browser, "no call is folded here");
}

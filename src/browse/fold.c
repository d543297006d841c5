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

static bool find_arrival(void *context, const struct visited *visited)
{
    struct arrival *arrival = context;
    const struct call_place *place = visited->place;
    if (visited->cpu != arrival->cpu || !place->known || place->record != visited->record)
        return true;
    arrival->record = visited->record;
    return false;
}

/* The record at which the call of depth `depth` (1: the outermost) has ended, searched from
 * `from`; the number of records of the trace if it does not end.  False: stopped. */
static bool find_end(struct view *view, unsigned cpu, size_t depth, uint64_t from, uint64_t *end)
{
    const struct index *index = view->index;
    *end = index->records;
    for (size_t i = index_segment_of(index, from); i < index->count; i++) {
        const struct call_events *events = view_events(view, i);
        if (!events || !work_goes_on(view->browser, i, index->count)) return false;
        for (size_t j = 0; j < events->count; j++) {
            const struct call_event *event = &events->items[j];
            if (event->cpu != cpu || event->arrival <= from || event->depth >= depth) continue;
            if (event->kind != EVENT_RETURN) continue;
            *end = event->arrival;
            return true;
        }
    }
    return true;
}

static bool offset_of(struct view *view, uint64_t record, uint64_t *offset)
{
    struct spoor_error error = {0};
    struct row row;
    if (record >= view->index->records) {
        *offset = listing_size(view->listing);
        return true;
    }
    if (listing_of_record(view->listing, record, &row, &error) != SPOOR_OK) return false;
    *offset = row.offset;
    return true;
}

/* Hides the rows from the arrival up to the return. */
static bool add_fold(struct view *view, unsigned cpu, size_t depth, uint64_t call, uint64_t arrival,
                     uint64_t end)
{
    struct fold fold = {
        .records = end - arrival, .number = cpu, .depth = depth, .arrival = arrival};
    const struct machine *machine = explorer_machine(view->explorer);
    if (end <= arrival || !offset_of(view, call, &fold.call) ||
        !offset_of(view, arrival, &fold.from) || !offset_of(view, end, &fold.to) ||
        fold.from <= fold.call)
        return false;
    if (view_fold_at(view, fold.call)) return true;
    if (machine_cpu_count(machine) > 1)
        snprintf(fold.cpu, sizeof fold.cpu, "%s", machine_cpu_name(machine, cpu));
    if (!array_reserve(&view->folds, &view->fold_capacity, view->fold_count + 1)) {
        heed_memory(view->browser, true);
        return false;
    }
    view->folds[view->fold_count++] = fold;
    return true;
}

/* The call that the cursor is in: its frame, and how deep it is. */
static bool frame_here(struct browser *browser, struct call_frame *frame, size_t *depth)
{
    struct view *view = view_of(browser);
    struct spoor_error error = {0};
    struct calls *calls;
    if (!need_index(browser)) return false;
    const struct here *here = view_here(view);
    if (!here->known ||
        heed(browser, explorer_calls(view->explorer, here->last + 1, &calls, &error), &error) !=
            SPOOR_OK)
        return false;
    const struct call_stack *stack = calls_stack(calls, here->cpu);
    *depth = stack->count;
    if (stack->count) *frame = stack->frames[stack->count - 1];
    calls_free(calls);
    return true;
}

static uint64_t arrival_after(struct view *view, unsigned cpu, uint64_t record)
{
    struct spoor_error error = {0};
    struct arrival arrival = {cpu, UINT64_MAX};
    heed(view->browser,
         explorer_visit(view->explorer, record + 1, UINT64_MAX, find_arrival, &arrival, &error),
         &error);
    return arrival.record;
}

void fold_call(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct call_frame frame;
    size_t depth;
    uint64_t end;
    (void)call;
    work_begin(browser, "folding");
    if (!frame_here(browser, &frame, &depth)) return;
    if (depth == 0) {
        say_error(browser, "no call is open here");
        return;
    }
    const unsigned cpu = view_here(view)->cpu;
    const uint64_t arrival = arrival_after(view, cpu, frame.record);
    if (arrival == UINT64_MAX || !find_end(view, cpu, depth, view_here(view)->last, &end) ||
        !add_fold(view, cpu, depth, frame.record, arrival, end))
        return;
    view_forget(view);
    view_go_record(view, frame.record, false);
}

/* Folds the calls that are made at this depth, from segment to segment. */
static size_t fold_children(struct view *view, unsigned cpu, size_t depth, uint64_t from,
                            uint64_t end)
{
    enum { MANY = 4096 };
    const struct index *index = view->index;
    struct call_event open = {0};
    bool is_open = false;
    size_t count = 0;
    for (size_t i = index_segment_of(index, from); i < index->count && count < MANY; i++) {
        if (index->segments[i].place.record > end) break;
        if (!work_goes_on(view->browser, i, index->count)) break;
        for (size_t j = 0;; j++) { /* folding may replace the events */
            const struct call_events *events = view_events(view, i);
            if (!events || j >= events->count) break;
            const struct call_event event = events->items[j];
            if (event.cpu != cpu || event.arrival <= from || event.arrival > end) continue;
            if (event.kind != EVENT_RETURN && event.depth == depth + 1) {
                open = event;
                is_open = true;
            } else if (is_open && event.kind == EVENT_RETURN && event.depth <= depth) {
                count += add_fold(view, cpu, depth + 1, open.record, open.arrival, event.arrival);
                is_open = false;
            }
        }
    }
    return count;
}

void fold_inside(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    struct call_frame frame = {0};
    size_t depth;
    uint64_t end, from = 0;
    (void)call;
    work_begin(browser, "folding");
    if (!frame_here(browser, &frame, &depth)) return;
    const unsigned cpu = view_here(view)->cpu;
    if (depth) from = frame.record;
    end = view->index->records;
    if (depth && !find_end(view, cpu, depth, view_here(view)->last, &end)) return;
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

/* Marks the fold under the cursor; if there is none, all that no other hides. */
static void mark_opening(struct view *view)
{
    const struct fold *here = view_fold_at(view, view->cursor);
    for (size_t i = 0; i < view->fold_count; i++) {
        struct fold *fold = &view->folds[i];
        fold->opening = !here || fold == here;
        for (size_t j = 0; j < view->fold_count && !here; j++)
            if (fold->call >= view->folds[j].from && fold->call < view->folds[j].to)
                fold->opening = false;
    }
}

/* Opens calls by one level: the calls that they make are folded. */
void unfold_level(struct browser *browser, const struct command_call *call)
{
    struct view *view = view_of(browser);
    size_t count = 0, inner = 0;
    (void)call;
    work_begin(browser, "folding");
    if (!need_index(browser)) return;
    mark_opening(view);
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

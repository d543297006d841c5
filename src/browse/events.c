/* SPDX-License-Identifier: MIT */
/* events.c: calls, returns and exceptions of a segment, by the rule of effects/calls.h. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "browse/internal.h"

/* Watches the open calls of each processor while records are added. */
struct watching {
    struct view *view;
    struct machine *machine;
    struct calls *calls;
    struct call_events *events;
    bool failed;
};

static void add_event(struct watching *watching, const struct call_event *event)
{
    struct call_events *events = watching->events;
    if (!array_reserve(&events->items, &events->capacity, events->count + 1)) {
        watching->failed = true;
        return;
    }
    events->items[events->count++] = *event;
}

static bool watch(void *context, const struct visited *visited)
{
    struct watching *watching = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const struct call_stack *stack = calls_stack(watching->calls, visited->cpu);
    const size_t before = stack->count;
    const uint64_t top = before ? stack->frames[before - 1].record : UINT64_MAX;
    const struct call_place last = *calls_place(watching->calls, visited->cpu);
    struct call_event event = {
        .record = visited->record, .arrival = visited->record, .cpu = (uint16_t)visited->cpu};
    if (record->kind == SPOOR_EVENT) {
        event.kind = EVENT_EXCEPTION;
        event.depth = (uint32_t)before;
        add_event(watching, &event);
    }
    if (!calls_add(watching->calls, watching->machine, visited->batch, visited->index,
                   visited->cpu)) {
        watching->failed = true;
        return false;
    }
    stack = calls_stack(watching->calls, visited->cpu);
    const struct call_frame *frame = stack->count ? &stack->frames[stack->count - 1] : NULL;
    event.depth = (uint32_t)stack->count;
    if (stack->count < before) {
        event.kind = EVENT_RETURN;
        event.record = last.known ? last.record : visited->record;
        add_event(watching, &event);
    } else if (frame && (stack->count > before || frame->record != top)) {
        event.kind = frame->kind == CALL_EXCEPTION ? EVENT_EXCEPTION : EVENT_CALL;
        event.record = frame->record;
        add_event(watching, &event);
    }
    return !watching->failed;
}

/* Fills in the events of a segment; false: they cannot be had. */
static bool find_events(struct view *view, size_t segment, struct call_events *events)
{
    struct spoor_error error = {0};
    struct machine machine;
    struct watching watching = {.view = view, .machine = &machine, .events = events};
    const struct machine *shared = explorer_machine(view->explorer);
    const struct spoor_batch *batches;
    size_t count;
    if (heed(view->browser, explorer_segment(view->explorer, segment, &batches, &count, &error),
             &error) != SPOOR_OK) {
        say_error(view->browser, "%s", error.text);
        return false;
    }
    if (!machine_start(&machine)) {
        heed_memory(view->browser, true);
        return false;
    }
    machine.isa = shared->isa;
    machine.isa_known = true;
    if (count) machine_enter(&machine, batches[0].stream);
    watching.calls = index_calls(view->index, segment);
    enum spoor_status status = SPOOR_ENOMEM;
    if (watching.calls) {
        calls_enter(watching.calls);
        status = explorer_visit_segment(view->explorer, segment, 0, UINT64_MAX, watch, &watching,
                                        &error);
    }
    heed_memory(view->browser, !watching.calls || watching.failed);
    heed(view->browser, status, &error);
    calls_free(watching.calls);
    machine_free(&machine);
    return status >= SPOOR_OK && !watching.failed;
}

struct call_events *view_events(struct view *view, size_t segment)
{
    for (size_t i = 0; i < KEPT_EVENTS; i++)
        if (view->events[i].segment == segment + 1) return &view->events[i];
    struct call_events *events = &view->events[view->next_events];
    view->next_events = (view->next_events + 1) % KEPT_EVENTS;
    events->segment = 0;
    events->count = 0;
    if (!find_events(view, segment, events)) return NULL;
    events->segment = segment + 1;
    return events;
}

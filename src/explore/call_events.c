/* SPDX-License-Identifier: MIT */
/* call_events.c: finds the calls, returns and exceptions of a segment. */
#include "explore/call_events.h"

#include <stdlib.h>

#include "base/array.h"

/* Watches the open calls of each processor while records are added. */
struct watching {
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

static bool note_depths(struct call_events *events, const struct watching *watching,
                        const struct machine *machine)
{
    const unsigned count = machine_cpu_count(machine);
    if (!array_reserve(&events->depths, &events->cpu_capacity, count)) return false;
    events->cpu_count = count;
    for (unsigned i = 0; i < count; i++)
        events->depths[i] = (uint32_t)calls_stack(watching->calls, i)->count;
    return true;
}

static enum spoor_status no_memory(struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
}

enum spoor_status call_events_find(struct call_events *events, struct explorer *explorer,
                                   size_t segment, struct spoor_error *error)
{
    struct machine machine;
    struct watching watching = {.machine = &machine, .events = events};
    const struct machine *shared = explorer_machine(explorer);
    const struct spoor_batch *batches;
    size_t count;
    events->segment = 0;
    events->count = 0;
    enum spoor_status status = explorer_segment(explorer, segment, &batches, &count, error);
    if (status != SPOOR_OK) return status;
    if (!machine_start(&machine)) return no_memory(error);
    machine.isa = shared->isa;
    machine.isa_known = true;
    if (count) machine_enter(&machine, batches[0].stream);
    watching.calls = index_calls(explorer_index(explorer), segment);
    if (watching.calls && note_depths(events, &watching, shared)) {
        status = explorer_visit_segment(explorer, segment, 0, UINT64_MAX, watch, &watching, error);
        if (status == SPOOR_END) status = SPOOR_OK;
    } else {
        watching.failed = true;
    }
    if (watching.failed) status = no_memory(error);
    calls_free(watching.calls);
    machine_free(&machine);
    if (status == SPOOR_OK) events->segment = segment + 1;
    return status;
}

void call_events_free(struct call_events *events)
{
    free(events->items);
    free(events->depths);
    *events = (struct call_events){0};
}

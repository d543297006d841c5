/* SPDX-License-Identifier: MIT */
/* call_events.c: finds the calls, returns and exceptions of a segment, by the rule of
 * effects/calls.h. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "explore/internal.h"
#include "model/options.h"

/* Watches the open calls of each processor while records are added. */
struct call_watch {
    struct machine *machine;
    struct calls *calls;
    struct spoor_call_event *items;
    size_t count, capacity;
    bool failed;
};

static void call_events_add_event(struct call_watch *watch, const struct spoor_call_event *event)
{
    if (!array_reserve(&watch->items, &watch->capacity, watch->count + 1)) {
        watch->failed = true;
        return;
    }
    watch->items[watch->count++] = *event;
}

static bool call_events_watch(void *context, const struct explorer_visit *visited)
{
    struct call_watch *watch = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const struct call_stack *stack = calls_stack(watch->calls, visited->cpu);
    const size_t before = stack->count;
    const uint64_t top = before ? stack->frames[before - 1].record : UINT64_MAX;
    const struct call_place last = *calls_place(watch->calls, visited->cpu);
    struct spoor_call_event event = {
        .record = visited->record, .arrival = visited->record, .cpu = (uint16_t)visited->cpu};
    if (record->kind == SPOOR_EVENT) {
        event.kind = SPOOR_CALL_EVENT_EXCEPTION;
        event.depth = (uint32_t)before;
        call_events_add_event(watch, &event);
    }
    if (!calls_add(watch->calls, watch->machine, visited->batch, visited->index, visited->cpu)) {
        watch->failed = true;
        return false;
    }
    stack = calls_stack(watch->calls, visited->cpu);
    const struct call_frame *frame = stack->count ? &stack->frames[stack->count - 1] : NULL;
    event.depth = (uint32_t)stack->count;
    if (stack->count < before) {
        event.kind = SPOOR_CALL_EVENT_RETURN;
        event.record = last.known ? last.record : visited->record;
        call_events_add_event(watch, &event);
    } else if (frame && (stack->count > before || frame->record != top)) {
        event.kind =
            frame->kind == CALL_EXCEPTION ? SPOOR_CALL_EVENT_EXCEPTION : SPOOR_CALL_EVENT_CALL;
        event.record = frame->record;
        call_events_add_event(watch, &event);
    }
    return !watch->failed;
}

enum spoor_status spoor_explorer_call_events(struct spoor_explorer *shown, size_t segment,
                                             struct spoor_call_events **events,
                                             struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    struct machine machine;
    struct call_watch watch = {.machine = &machine};
    const struct spoor_batch *batches;
    size_t count;
    uint32_t *depths = NULL;
    error = explorer_error(shown, error);
    *events = NULL;
    if (segment >= explorer->index->count)
        return spoor_error_set(error, SPOOR_EUSAGE, "found segment %zu, expected one of %zu",
                               segment, explorer->index->count);
    enum spoor_status status = explorer_segment(explorer, segment, &batches, &count, error);
    if (status != SPOOR_OK) return status;
    if (!machine_start(&machine)) return memory_status(false, error);
    const unsigned cpus = machine_cpu_count(&explorer->machine);
    /* the machine and the calls as they are before the segment */
    machine.isa = explorer->machine.isa;
    machine.isa_known = true;
    if (count) machine_enter(&machine, batches->stream);
    bool damaged;
    watch.calls = index_calls(explorer->index, segment, &damaged);
    status = watch.calls ? SPOOR_OK : explorer_no_state(explorer, damaged, error);
    if (status == SPOOR_OK) depths = malloc((cpus + 1) * sizeof *depths);
    if (status == SPOOR_OK && !depths) watch.failed = true;
    for (unsigned i = 0; depths && i < cpus; i++) /* the open calls of each processor */
        depths[i] = (uint32_t)calls_stack(watch.calls, i)->count;
    if (status == SPOOR_OK && depths)
        status = explorer_visit_segment(explorer, segment, 0, UINT64_MAX, call_events_watch, &watch,
                                        error);
    if (depths && !watch.failed && status >= SPOOR_OK) {
        /* the events and the depths before them as one block */
        const size_t bytes = watch.count * sizeof *watch.items;
        struct spoor_call_events *packed = malloc(sizeof *packed + bytes + cpus * sizeof *depths);
        watch.failed = !packed;
        if (packed) {
            struct spoor_call_event *items = (struct spoor_call_event *)(packed + 1);
            uint32_t *before = (uint32_t *)(items + watch.count);
            if (bytes) memcpy(items, watch.items, bytes);
            memcpy(before, depths, cpus * sizeof *depths);
            *packed = (struct spoor_call_events){items, watch.count, before, cpus};
            *events = packed;
        }
    }
    if (watch.failed) status = memory_status(false, error);
    free(depths);
    free(watch.items);
    calls_free(watch.calls);
    machine_free(&machine);
    return status < SPOOR_OK ? status : SPOOR_OK;
}

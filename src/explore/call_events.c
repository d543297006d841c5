/* SPDX-License-Identifier: MIT */
/* call_events.c: finds the calls, returns and exceptions of a segment, by the rule of
 * effects/calls.h. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "explore/internal.h"
#include "model/options.h"

/* Watches the open calls of each processor while records are added. */
struct watching {
    struct machine *machine;
    struct calls *calls;
    struct spoor_call_event *items;
    size_t count, capacity;
    bool failed;
};

static void add_event(struct watching *watching, const struct spoor_call_event *event)
{
    if (!array_reserve(&watching->items, &watching->capacity, watching->count + 1)) {
        watching->failed = true;
        return;
    }
    watching->items[watching->count++] = *event;
}

static bool watch(void *context, const struct visited *visited)
{
    struct watching *watching = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const struct call_stack *stack = calls_stack(watching->calls, visited->cpu);
    const size_t before = stack->count;
    const uint64_t top = before ? stack->frames[before - 1].record : UINT64_MAX;
    const struct call_place last = *calls_place(watching->calls, visited->cpu);
    struct spoor_call_event event = {
        .record = visited->record, .arrival = visited->record, .cpu = (uint16_t)visited->cpu};
    if (record->kind == SPOOR_EVENT) {
        event.kind = SPOOR_CALL_EVENT_EXCEPTION;
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
        event.kind = SPOOR_CALL_EVENT_RETURN;
        event.record = last.known ? last.record : visited->record;
        add_event(watching, &event);
    } else if (frame && (stack->count > before || frame->record != top)) {
        event.kind =
            frame->kind == CALL_EXCEPTION ? SPOOR_CALL_EVENT_EXCEPTION : SPOOR_CALL_EVENT_CALL;
        event.record = frame->record;
        add_event(watching, &event);
    }
    return !watching->failed;
}

/* The events and the depths before them as one block; NULL: memory ran out. */
static struct spoor_call_events *pack(const struct watching *watching, const uint32_t *depths,
                                      size_t cpus)
{
    const size_t size = watching->count * sizeof *watching->items;
    struct spoor_call_events *packed = malloc(sizeof *packed + size + cpus * sizeof *depths);
    if (!packed) return NULL;
    struct spoor_call_event *events = (struct spoor_call_event *)(packed + 1);
    uint32_t *own = (uint32_t *)(events + watching->count);
    if (size) memcpy(events, watching->items, size);
    memcpy(own, depths, cpus * sizeof *depths);
    *packed = (struct spoor_call_events){events, watching->count, own, cpus};
    return packed;
}

/* Makes the machine and the calls as they are before a segment. */
static enum spoor_status begin(struct watching *watching, struct explorer *explorer, size_t segment,
                               const struct spoor_batch *first, struct spoor_error *error)
{
    watching->machine->isa = explorer->machine.isa;
    watching->machine->isa_known = true;
    if (first) machine_enter(watching->machine, first->stream);
    bool damaged;
    watching->calls = index_calls(explorer->index, segment, &damaged);
    return watching->calls ? SPOOR_OK : explorer_no_state(explorer, damaged, error);
}

/* The open calls of each processor; NULL: memory ran out. */
static uint32_t *depths_of(const struct calls *calls, unsigned count)
{
    uint32_t *depths = malloc((count + 1) * sizeof *depths);
    for (unsigned i = 0; depths && i < count; i++)
        depths[i] = (uint32_t)calls_stack(calls, i)->count;
    return depths;
}

enum spoor_status spoor_explorer_call_events(struct spoor_explorer *shown, size_t segment,
                                             struct spoor_call_events **events,
                                             struct spoor_error *error)
{
    struct explorer *explorer = explorer_of(shown);
    struct machine machine;
    struct watching watching = {.machine = &machine};
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
    status = begin(&watching, explorer, segment, count ? batches : NULL, error);
    if (status == SPOOR_OK && !(depths = depths_of(watching.calls, cpus))) watching.failed = true;
    if (status == SPOOR_OK && depths)
        status = explorer_visit_segment(explorer, segment, 0, UINT64_MAX, watch, &watching, error);
    if (depths && !watching.failed && status >= SPOOR_OK) {
        *events = pack(&watching, depths, cpus);
        watching.failed = !*events;
    }
    if (watching.failed) status = memory_status(false, error);
    free(depths);
    free(watching.items);
    calls_free(watching.calls);
    machine_free(&machine);
    return status < SPOOR_OK ? status : SPOOR_OK;
}

/* SPDX-License-Identifier: MIT */
/* timeline.c: collects the executions of functions, and merges those that a pixel cannot show. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "base/sorted.h"
#include "serve/internal.h"

struct open_span {
    uint64_t begin;
    uint32_t function;
    bool exception;
};
/* The open calls of a thread of a processor. */
struct open_stack {
    uint64_t key; /* processor and thread */
    struct open_span *items;
    size_t count, capacity;
};
struct known_function {
    uint64_t address; /* the key */
    uint32_t number;
};
struct timeline_builder {
    struct timeline *timeline;
    struct hash_map stacks, functions;
    uint32_t *current; /* the thread of each processor */
    size_t cpu_capacity;
    bool failed;
};

/* ---- events ---- */

static struct open_stack *timeline_stack(struct timeline_builder *builder, unsigned cpu)
{
    bool added;
    if (!array_reserve_zeroed(&builder->current, &builder->cpu_capacity, cpu + (size_t)1)) {
        builder->failed = true;
        return NULL;
    }
    const uint64_t key = (uint64_t)cpu << 32 | builder->current[cpu];
    struct open_stack *stack = hash_map_add(&builder->stacks, key, sizeof *stack, &added);
    if (!stack) builder->failed = true;
    return stack;
}

static void timeline_push(struct timeline_builder *builder, struct open_stack *stack,
                          const struct spoor_calls_event *event)
{
    struct timeline *timeline = builder->timeline;
    bool added = false;
    struct known_function *known =
        hash_map_add(&builder->functions, event->function, sizeof *known, &added);
    if (!known || !array_reserve(&stack->items, &stack->capacity, stack->count + 1) ||
        (added && !array_reserve(&timeline->functions, &timeline->function_capacity,
                                 timeline->function_count + 1))) {
        builder->failed = true;
        return;
    }
    if (added) {
        known->number = (uint32_t)timeline->function_count;
        timeline->functions[timeline->function_count++] = event->function;
    }
    stack->items[stack->count++] = (struct open_span){
        event->at.record, known->number, event->what == SPOOR_CALLS_ENTER && event->exception};
}

/* Ends the innermost `count` spans, which stay open in the stack. */
static void timeline_end_spans(struct timeline_builder *builder, const struct open_stack *stack,
                               size_t count, unsigned cpu, uint64_t record)
{
    struct timeline *timeline = builder->timeline;
    for (size_t i = stack->count - count; i < stack->count && i < TIMELINE_DEEPEST; i++) {
        const struct open_span *open = &stack->items[i];
        if (record <= open->begin || record - open->begin < timeline->shortest) continue;
        /* A full timeline drops its shorter spans, so that at least half of it is free. */
        const bool full = timeline->count == TIMELINE_SPANS;
        while (full && timeline->count > TIMELINE_SPANS / 2) {
            size_t kept = 0;
            timeline->shortest = timeline->shortest ? 2 * timeline->shortest : 2;
            for (size_t k = 0; k < timeline->count; k++)
                if (timeline->spans[k].end - timeline->spans[k].begin >= timeline->shortest)
                    timeline->spans[kept++] = timeline->spans[k];
            timeline->count = kept;
        }
        if (!array_reserve(&timeline->spans, &timeline->capacity, timeline->count + 1)) {
            builder->failed = true;
            return;
        }
        timeline->spans[timeline->count++] = (struct span){.begin = open->begin,
                                                           .end = record,
                                                           .function = open->function,
                                                           .cpu = (uint16_t)cpu,
                                                           .depth = (uint8_t)i,
                                                           .exception = open->exception};
    }
}

static void timeline_add_event(void *context, const struct spoor_calls_event *event)
{
    struct timeline_builder *builder = context;
    const unsigned cpu = event->cpu;
    struct open_stack *stack = timeline_stack(builder, cpu);
    if (!stack || builder->failed) return;
    switch ((enum spoor_calls_what)event->what) {
    case SPOOR_CALLS_BEGIN:
        if (!stack->count) timeline_push(builder, stack, event);
        break;
    case SPOOR_CALLS_ENTER: timeline_push(builder, stack, event); break;
    case SPOOR_CALLS_LEAVE:
        if (stack->count < 2) break;
        timeline_end_spans(builder, stack, 1, cpu, event->at.record);
        stack->count--;
        break;
    case SPOOR_CALLS_SWITCH:
        timeline_end_spans(builder, stack, stack->count, cpu, event->at.record);
        builder->current[cpu] = event->thread;
        stack = timeline_stack(builder, cpu);
        if (!stack) break;
        for (size_t i = 0; i < stack->count; i++) stack->items[i].begin = event->at.record;
        if (!stack->count) timeline_push(builder, stack, event);
        break;
    case SPOOR_CALLS_END:
        timeline_end_spans(builder, stack, stack->count, cpu, event->at.record + 1);
        break;
    }
}

/* ---- rows ---- */

static size_t timeline_key(const struct span *span)
{
    return (size_t)span->cpu * TIMELINE_DEEPEST + span->depth;
}

/* Puts the spans in the order of processors and depths.  Those of one processor and depth do not
 * overlap, so they are in order already.  False: memory ran out. */
static bool timeline_sort(struct timeline *timeline)
{
    size_t keys = 0;
    for (size_t i = 0; i < timeline->count; i++)
        if (timeline_key(&timeline->spans[i]) >= keys) keys = timeline_key(&timeline->spans[i]) + 1;
    size_t *places = calloc(keys + 1, sizeof *places);
    struct span *sorted = malloc((timeline->count + 1) * sizeof *sorted);
    const bool good = places && sorted;
    if (good) {
        for (size_t i = 0; i < timeline->count; i++)
            places[timeline_key(&timeline->spans[i]) + 1]++;
        for (size_t i = 0; i < keys; i++) places[i + 1] += places[i];
        for (size_t i = 0; i < timeline->count; i++)
            sorted[places[timeline_key(&timeline->spans[i])]++] = timeline->spans[i];
        free(timeline->spans);
        timeline->spans = sorted;
    } else {
        free(sorted);
    }
    free(places);
    return good;
}

enum spoor_status timeline_build(struct timeline *timeline, const struct spoor_index *index,
                                 struct spoor_error *error)
{
    struct timeline_builder builder = {.timeline = timeline};
    const struct spoor_calls_options options = {
        .struct_size = sizeof options, .event = timeline_add_event, .context = &builder};
    struct spoor_calls *calls;
    if (timeline->built || !spoor_index_has_calls(index, NULL)) return SPOOR_OK;
    enum spoor_status status = spoor_calls_new(&calls, &options, error);
    if (status != SPOOR_OK) return status;
    status = spoor_calls_use_index(calls, index, error);
    if (status == SPOOR_OK) status = spoor_calls_end(calls, error);
    spoor_calls_free(calls);
    builder.failed |= !timeline_sort(timeline);
    for (size_t i = 0; i < timeline->count && !builder.failed; i++) {
        const struct span *span = &timeline->spans[i];
        if (i && span[-1].cpu == span->cpu && span[-1].depth == span->depth)
            timeline->rows[timeline->row_count - 1].count++;
        else if (array_reserve(&timeline->rows, &timeline->row_capacity, timeline->row_count + 1))
            timeline->rows[timeline->row_count++] = (struct span_row){i, 1, span->cpu, span->depth};
        else
            builder.failed = true;
    }
    if (status == SPOOR_OK && builder.failed)
        status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    for (struct open_stack *stack = NULL;
         (stack = hash_map_next(&builder.stacks, stack, sizeof *stack)) != NULL;)
        free(stack->items);
    hash_map_free(&builder.stacks);
    hash_map_free(&builder.functions);
    free(builder.current);
    if (status != SPOOR_OK) timeline_free(timeline); /* a part would be taken for the whole */
    timeline->built = status == SPOOR_OK;
    return status;
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->spans);
    free(timeline->rows);
    free(timeline->functions);
    *timeline = (struct timeline){.shortest = 0};
}

/* ---- queries ---- */

const struct span_row *timeline_row(const struct timeline *timeline, unsigned cpu, unsigned depth)
{
    for (size_t i = 0; i < timeline->row_count; i++)
        if (timeline->rows[i].cpu == cpu && timeline->rows[i].depth == depth)
            return &timeline->rows[i];
    return NULL;
}

/* The first span of a row that ends after the record; its number in the row. */
static size_t timeline_first_after(const struct timeline *timeline, const struct span_row *row,
                                   uint64_t record)
{
    return SORTED_UP_TO(timeline->spans + row->first, row->count, end, record);
}

const struct span *timeline_at(const struct timeline *timeline, const struct span_row *row,
                               uint64_t record)
{
    const size_t at = timeline_first_after(timeline, row, record);
    if (at == row->count) return NULL;
    const struct span *span = &timeline->spans[row->first + at];
    return span->begin <= record ? span : NULL;
}

bool timeline_next(const struct timeline *timeline, const struct span_row *row, uint64_t *from,
                   uint64_t to, uint64_t pixel, struct mark *mark)
{
    size_t at = timeline_first_after(timeline, row, *from);
    const struct span *spans = timeline->spans + row->first;
    if (at == row->count || spans[at].begin >= to) return false;
    *mark = (struct mark){spans[at].begin, spans[at].end, &spans[at]};
    while (mark->end - mark->begin < pixel || !mark->span) { /* those that end within a pixel */
        const size_t next = timeline_first_after(timeline, row, mark->end + pixel);
        if (next <= at + 1 || mark->end >= to) break;
        at = next - 1;
        mark->end = spans[at].end;
        mark->span = NULL;
    }
    *from = mark->end;
    return true;
}

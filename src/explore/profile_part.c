/* SPDX-License-Identifier: MIT */
/* profile_part.c: the events of activity in a part of a trace, packed. */
#include "explore/profile_part.h"

#include <stdio.h>
#include <stdlib.h>

#include "effects/activity.h"
#include "explore/activity_section.h"
#include "explore/profile_events.h"

/* Records before a part from which its first instructions are known: the micro-ops of the one that
 * is not complete, the index of the last branch. */
enum { BEFORE = 4096 };

struct profile_part {
    struct profile_part_options options;
    struct machine machine;
    struct activity *activity;
    struct event_packer events;
    char unit[16];
    bool begun; /* the first record has come */
    bool failed;
};

static size_t segment_of(const struct profile_part_options *options)
{
    return index_segment_of(options->index, options->first > BEFORE ? options->first - BEFORE : 0);
}

uint64_t profile_part_begin(const struct profile_part_options *options)
{
    if (options->index->count == 0) return 0;
    return options->index->segments[segment_of(options)].place.record;
}

static void keep_event(void *context, const struct activity_event *event)
{
    struct profile_part *part = context;
    if (part->begun) part->failed |= !event_packer_add(&part->events, event);
}

static bool is_counted(void *context, const struct spoor_batch *batch, size_t index)
{
    const struct profile_part *part = context;
    return spoor_select_match(part->options.where, batch, index);
}

/* The processors and the open calls before the records that are fed. */
static bool begin(struct profile_part *part)
{
    const struct index *index = part->options.index;
    const struct activity_listener listener = {
        .context = part, .event = keep_event, .counts = part->options.where ? is_counted : NULL};
    if (!machine_start(&part->machine) || !activity_copy_machine(&part->machine, &index->machine))
        return false;
    part->activity = activity_new(&listener, &part->machine);
    if (!part->activity || index->count == 0) return part->activity != NULL;
    const size_t segment = segment_of(&part->options);
    part->machine.cpu = index->segments[segment].cpu;
    struct calls *calls = index_calls(index, segment);
    return calls && activity_continue(part->activity, calls, machine_cpu_count(&index->machine));
}

struct profile_part *profile_part_new(const struct profile_part_options *options)
{
    struct profile_part *part = calloc(1, sizeof *part);
    if (!part) return NULL;
    part->options = *options;
    if (begin(part)) return part;
    profile_part_free(part);
    return NULL;
}

void profile_part_free(struct profile_part *part)
{
    if (!part) return;
    activity_free(part->activity);
    machine_free(&part->machine);
    event_packer_free(&part->events);
    free(part);
}

/* The state between the records before the part and those in it. */
static void begin_events(struct profile_part *part)
{
    part->begun = true;
    part->failed |=
        !event_packer_begin(&part->events, part->activity, machine_cpu_count(&part->machine));
}

bool profile_part_feed(struct profile_part *part, const struct spoor_batch *batch)
{
    struct machine *machine = &part->machine;
    if (machine->stream != batch->stream) machine_enter(machine, batch->stream);
    machine_see(machine, batch);
    if (!part->unit[0] && batch->count)
        snprintf(part->unit, sizeof part->unit, "%s",
                 spoor_record_unit(batch, &batch->records[batch->count - 1]));
    for (size_t i = 0; i < batch->count && batch->first + i <= part->options.last; i++) {
        if (batch->first + i == part->options.first) begin_events(part);
        if (!activity_add(part->activity, batch, i, machine_cpu(machine, &batch->records[i])))
            return false;
    }
    return !part->failed;
}

bool profile_part_end(struct profile_part *part)
{
    if (!part->begun) begin_events(part);
    if (part->options.last == UINT64_MAX) activity_stop(part->activity);
    part->failed |=
        !event_packer_end(&part->events, part->activity, machine_cpu_count(&part->machine));
    return !part->failed && !machine_out_of_memory(&part->machine);
}

void profile_part_pack(const struct profile_part *part, const struct profile_part_report *report,
                       struct text *bytes)
{
    const unsigned cpus = machine_cpu_count(&part->machine);
    text_varint(bytes, report->unit);
    text_varint(bytes, report->edges);
    text_optional(bytes, report->cpu);
    text_optional(bytes, part->unit);
    text_varint(bytes, cpus);
    const size_t names = spoor_names_count(part->machine.cpus);
    text_varint(bytes, names - 1);
    for (size_t i = 1; i < names; i++) {
        size_t size;
        const char *name = spoor_names_text(part->machine.cpus, (spoor_name)i, &size);
        text_sized(bytes, name, size);
    }
    event_packer_put(&part->events, bytes);
}

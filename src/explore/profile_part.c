/* SPDX-License-Identifier: MIT */
/* profile_part.c: the events of activity in a part of a trace, packed. */
#include "explore/profile_part.h"

#include <stdlib.h>

#include "effects/activity.h"
#include "explore/activity_section.h"
#include "explore/profile_events.h"
#include "formats/time_unit.h"
#include "index/index.h"
#include "model/options.h"

/* Records before a part from which its first instructions are known: the micro-ops of the one that
 * is not complete, the index of the last branch. */
enum { BEFORE = 4096 };

struct spoor_profile_part {
    struct spoor_profile_part_options options;
    uint64_t last; /* record; UINT64_MAX: to the end */
    struct machine machine;
    struct activity *activity;
    struct event_packer events;
    char unit[TIME_UNIT_SIZE];
    bool begun; /* the first record has come */
    bool failed;
};

static size_t segment_of(const struct spoor_profile_part *part)
{
    const uint64_t first = part->options.first;
    return index_segment_of(index_seen(part->options.index), first > BEFORE ? first - BEFORE : 0);
}

uint64_t spoor_profile_part_begin(const struct spoor_profile_part *part)
{
    const struct index *index = index_seen(part->options.index);
    return index->count ? index->segments[segment_of(part)].place.record : 0;
}

static void keep_event(void *context, const struct activity_event *event)
{
    struct spoor_profile_part *part = context;
    if (part->begun) part->failed |= !event_packer_add(&part->events, event);
}

static bool is_counted(void *context, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_profile_part *part = context;
    return spoor_select_match(part->options.where, batch, index);
}

/* The processors and the open calls before the records that are fed. */
static bool begin(struct spoor_profile_part *part)
{
    const struct index *index = index_seen(part->options.index);
    const struct activity_listener listener = {
        .context = part, .event = keep_event, .counts = part->options.where ? is_counted : NULL};
    if (!machine_start(&part->machine) || !activity_copy_machine(&part->machine, &index->machine))
        return false;
    part->activity = activity_new(&listener, &part->machine);
    if (!part->activity || index->count == 0) return part->activity != NULL;
    const size_t segment = segment_of(part);
    part->machine.cpu = index->segments[segment].cpu;
    struct calls *calls = index_calls(index, segment);
    return calls && activity_continue(part->activity, calls, machine_cpu_count(&index->machine));
}

enum spoor_status spoor_profile_part_new(struct spoor_profile_part **part,
                                         const struct spoor_profile_part_options *options,
                                         struct spoor_error *error)
{
    struct spoor_profile_part_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    if (!own.index)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found no index, expected that of the trace of the part");
    if (own.unit >= SPOOR_PROFILE_MISSES)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "simulated caches and predictors begin with the trace, found a part "
                               "of a profile of misses or mispredictions");
    struct spoor_profile_part *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->options = own;
    made->last = own.records ? own.first + own.records - 1 : UINT64_MAX;
    if (!begin(made)) {
        spoor_profile_part_free(made);
        return memory_status(false, error);
    }
    *part = made;
    return SPOOR_OK;
}

void spoor_profile_part_free(struct spoor_profile_part *part)
{
    if (!part) return;
    activity_free(part->activity);
    machine_free(&part->machine);
    event_packer_free(&part->events);
    free(part);
}

/* The state between the records before the part and those in it. */
static void begin_events(struct spoor_profile_part *part)
{
    part->begun = true;
    part->failed |=
        !event_packer_begin(&part->events, part->activity, machine_cpu_count(&part->machine));
}

enum spoor_status spoor_profile_part_feed(struct spoor_profile_part *part,
                                          const struct spoor_batch *batch,
                                          struct spoor_error *error)
{
    struct machine *machine = &part->machine;
    machine_follow(machine, batch->stream);
    machine_see(machine, batch);
    time_unit_find(part->unit, batch);
    for (size_t i = 0; i < batch->count && batch->first + i <= part->last; i++) {
        if (batch->first + i == part->options.first) begin_events(part);
        if (!activity_add(part->activity, batch, i, machine_cpu(machine, &batch->records[i])))
            part->failed = true;
    }
    return memory_status(!part->failed, error);
}

enum spoor_status spoor_profile_part_end(struct spoor_profile_part *part, struct spoor_error *error)
{
    if (!part->begun) begin_events(part);
    if (part->last == UINT64_MAX) activity_stop(part->activity);
    part->failed |=
        !event_packer_end(&part->events, part->activity, machine_cpu_count(&part->machine));
    return memory_status(!part->failed && !machine_out_of_memory(&part->machine), error);
}

void profile_part_pack(const struct spoor_profile_part *part, struct text *bytes)
{
    const struct spoor_profile_part_options *options = &part->options;
    const unsigned cpus = machine_cpu_count(&part->machine);
    text_varint(bytes, options->unit);
    text_varint(bytes, options->edges);
    text_optional(bytes, options->cpu);
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

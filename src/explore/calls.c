/* SPDX-License-Identifier: MIT */
/* calls.c: calls as they happen, for users of the library, from activity. */
#include "spoor/calls.h"

#include <stdlib.h>

#include "explore/activity_section.h"
#include "explore/index_use.h"
#include "formats/time_unit.h"
#include "model/options.h"

struct spoor_calls {
    struct spoor_calls_options options;
    struct machine machine;
    struct activity *activity;
    char unit[TIME_UNIT_SIZE];
    bool replayed;
};

static void calls_tell_event(void *context, const struct activity_event *event)
{
    const struct spoor_calls *calls = context;
    struct spoor_calls_event found = {
        .at = {event->at.record, event->at.time, event->at.pc, event->line, event->thumb},
        .before = {event->last.record, event->last.time, event->last.pc, event->last_line,
                   event->last_thumb},
        .function = event->function,
        .from = event->from,
        .instructions = event->instructions,
        .thread = event->thread,
        .cpu = (uint16_t)event->cpu,
        .outermost = event->outermost || event->what == ACTIVITY_GAP,
    };
    switch ((enum activity_what)event->what) {
    case ACTIVITY_START: found.what = SPOOR_CALLS_BEGIN; break;
    case ACTIVITY_ENTER: found.what = SPOOR_CALLS_ENTER; break;
    case ACTIVITY_LEAVE:
    case ACTIVITY_GAP: found.what = SPOOR_CALLS_LEAVE; break;
    case ACTIVITY_SWITCH: found.what = SPOOR_CALLS_SWITCH; break;
    case ACTIVITY_STOP: found.what = SPOOR_CALLS_END; break;
    default: return; /* users get no such event */
    }
    const bool leaves = event->what == ACTIVITY_LEAVE;
    found.exception = (leaves || event->what == ACTIVITY_ENTER) && event->kind == CALL_EXCEPTION;
    found.returned = leaves && event->end == CALL_RETURNED;
    calls->options.event(calls->options.context, &found);
}

static void calls_tell_instruction(void *context, unsigned cpu, const struct spoor_batch *batch,
                                   size_t index, uint64_t pc)
{
    const struct spoor_calls *calls = context;
    calls->options.instruction(calls->options.context, cpu, batch, index, pc);
}

enum spoor_status spoor_calls_new(struct spoor_calls **calls,
                                  const struct spoor_calls_options *options,
                                  struct spoor_error *error)
{
    struct spoor_calls_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    if (!own.event)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "calls: found no function, expected one that is called at events");
    struct spoor_calls *made = calloc(1, sizeof *made);
    const struct activity_listener listener = {
        .context = made,
        .event = calls_tell_event,
        .instruction = own.instruction ? calls_tell_instruction : NULL,
        .lines = own.lines,
    };
    if (made && machine_start(&made->machine))
        made->activity = activity_new(&listener, &made->machine);
    if (!made || !made->activity) {
        spoor_calls_free(made);
        return memory_status(false, error);
    }
    made->options = own;
    *calls = made;
    return SPOOR_OK;
}

void spoor_calls_free(struct spoor_calls *calls)
{
    if (!calls) return;
    activity_free(calls->activity);
    machine_free(&calls->machine);
    free(calls);
}

enum spoor_status spoor_calls_feed(struct spoor_calls *calls, const struct spoor_batch *batch,
                                   struct spoor_error *error)
{
    machine_follow(&calls->machine, batch->stream);
    time_unit_find(calls->unit, batch);
    return memory_status(activity_feed(calls->activity, &calls->machine, batch), error);
}

enum spoor_status spoor_calls_use_index(struct spoor_calls *calls, const struct spoor_index *index,
                                        struct spoor_error *error)
{
    struct calls_section found;
    if (calls->options.instruction || calls->options.lines)
        return index_use_not_kept("instructions one by one, nor lines", error);
    const enum spoor_status status = index_use_calls(index, NULL, &found, error);
    if (status != SPOOR_OK) return status;
    calls->replayed = true;
    return memory_status(
        activity_replay(&found, &calls->machine, calls->unit, calls_tell_event, calls), error);
}

enum spoor_status spoor_calls_end(struct spoor_calls *calls, struct spoor_error *error)
{
    const bool stopped = calls->replayed || activity_stop(calls->activity);
    return memory_status(stopped && !machine_out_of_memory(&calls->machine), error);
}

const char *spoor_calls_unit(const struct spoor_calls *calls)
{
    return calls->unit;
}

const char *spoor_calls_cpu(const struct spoor_calls *calls, unsigned cpu)
{
    return machine_cpu_name(&calls->machine, cpu);
}

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

static struct spoor_calls_moment calls_tell_moment(const struct call_moment *moment, uint64_t line,
                                                   bool thumb)
{
    return (struct spoor_calls_moment){moment->record, moment->time, moment->pc, line, thumb};
}

/* False: users get no such event. */
static bool calls_tell_what(uint8_t what, uint8_t *public)
{
    switch ((enum activity_what)what) {
    case ACTIVITY_START: *public = SPOOR_CALLS_BEGIN; return true;
    case ACTIVITY_ENTER: *public = SPOOR_CALLS_ENTER; return true;
    case ACTIVITY_LEAVE:
    case ACTIVITY_GAP: *public = SPOOR_CALLS_LEAVE; return true;
    case ACTIVITY_SWITCH: *public = SPOOR_CALLS_SWITCH; return true;
    case ACTIVITY_STOP: *public = SPOOR_CALLS_END; return true;
    case ACTIVITY_GO: /* only with symbols */
    case ACTIVITY_CAUSE: break;
    }
    return false;
}

static void calls_tell_event(void *context, const struct activity_event *event)
{
    const struct spoor_calls *calls = context;
    struct spoor_calls_event found = {
        .at = calls_tell_moment(&event->at, event->line, event->thumb),
        .before = calls_tell_moment(&event->last, event->last_line, event->last_thumb),
        .function = event->function,
        .from = event->from,
        .instructions = event->instructions,
        .thread = event->thread,
        .cpu = (uint16_t)event->cpu,
        .outermost = event->outermost || event->what == ACTIVITY_GAP,
    };
    if (!calls_tell_what(event->what, &found.what)) return;
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

bool calls_keep_all(const struct spoor_calls *calls)
{
    return !calls->options.instruction && !calls->options.lines;
}

bool calls_use_section(struct spoor_calls *calls, const struct machine *machine,
                       const uint8_t *bytes, size_t size)
{
    calls->replayed = true;
    return activity_copy_machine(&calls->machine, machine) &&
           activity_replay(bytes, size, calls->unit, calls_tell_event, calls);
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

/* SPDX-License-Identifier: MIT */
/* exceptions.c: a list of exceptions, from activity: each with the functions that were open. */
#include "explore/exceptions.h"

#include <stdlib.h>

#include "base/array.h"
#include "effects/machine.h"
#include "explore/index_use.h"
#include "model/names.h"
#include "model/options.h"
#include "query/where_status.h"

static const char *exceptions_interned(struct spoor_exceptions *exceptions, const char *text)
{
    const spoor_name name = spoor_names_intern(exceptions->causes, text, strlen(text));
    exceptions->failed |= names_out_of_memory(exceptions->causes);
    return name == SPOOR_NAMES_FULL ? "unknown" : spoor_names_text(exceptions->causes, name, NULL);
}

static void exceptions_open_function(struct spoor_exceptions *exceptions,
                                     struct exception_thread *thread,
                                     const struct activity_event *event)
{
    const bool handles = event->what == ACTIVITY_ENTER && event->kind == CALL_EXCEPTION;
    if (!array_reserve(&thread->open, &thread->capacity, thread->count + 1)) {
        exceptions->failed = true;
        return;
    }
    if (!thread->begun && !handles) {
        thread->begun = true;
        thread->function = event->function;
    }
    const uint32_t outer = thread->count ? thread->open[thread->count - 1].handlers : 0;
    const struct activity_cause *cause = event->cause;
    uint32_t number = 0; /* of the exception, + 1; 0: it is not kept */
    const bool selected = handles && (!exceptions->options.where || !exceptions->batch ||
                                      spoor_select_match(exceptions->options.where,
                                                         exceptions->batch, exceptions->index));
    if (selected && exceptions->count >= exceptions->options.limit) {
        exceptions->omitted++;
    } else if (selected &&
               !array_reserve(&exceptions->items, &exceptions->capacity, exceptions->count + 1)) {
        exceptions->failed = true;
    } else if (selected) {
        char text[CAUSE_SIZE];
        struct spoor_exception *exception = &exceptions->items[exceptions->count];
        *exception = (struct spoor_exception){
            .handler = event->function,
            .from = event->from,
            .record = event->at.record,
            .time = cause && cause->known ? cause->time : event->last.time,
            .enter_time = event->at.time,
            .cpu = (uint16_t)event->cpu,
            .numbered = cause && cause->known && cause->numbered,
            .begun = !cause || cause->begun,
            .nowhere = cause && cause->nowhere,
            .nesting = outer < UINT8_MAX ? (uint8_t)outer : UINT8_MAX,
            .fault = cause && cause->fault[0] ? exceptions_interned(exceptions, cause->fault) : ""};
        if (exception->numbered) exception->number = cause->number;
        cause_of_entry(&exceptions->machine, event, text, &exception->inferred);
        exception->cause = exceptions_interned(exceptions, text[0] ? text : "unknown");
        if (cause && cause->chained) exception->entry = SPOOR_ENTRY_CHAINED;
        if (cause && cause->late) exception->entry = SPOOR_ENTRY_LATE;
        for (size_t i = thread->count; i > 0 && exception->stack_count < SPOOR_EXCEPTION_STACK; i--)
            exception->stack[exception->stack_count++] = thread->open[i - 1].function;
        number = (uint32_t)++exceptions->count;
    }
    thread->open[thread->count++] = (struct open_function){event->function, event->instructions,
                                                           number, outer + handles, handles};
}

/* The innermost exception that is open and kept; NULL: none. */
static struct spoor_exception *exceptions_innermost(const struct spoor_exceptions *exceptions,
                                                    const struct exception_thread *thread)
{
    size_t i = thread->count;
    if (i == 0 || !thread->open[i - 1].handlers) return NULL;
    while (!thread->open[i - 1].handles) i--;
    if (!thread->open[i - 1].exception) return NULL;
    return &exceptions->items[thread->open[i - 1].exception - 1];
}

/* What ran since the last event belongs to the innermost exception, up to the event of another one,
 * or to the task. */
static void exceptions_count_own(struct spoor_exceptions *exceptions, struct exception_cpu *cpu,
                                 const struct activity_event *event)
{
    const bool taken = event->what == ACTIVITY_ENTER && event->cause && event->cause->known;
    const bool lost = event->what == ACTIVITY_GAP || event->end == CALL_LOST;
    const uint64_t time = taken ? event->cause->time : lost ? event->last.time : event->at.time;
    struct exception_thread *thread =
        cpu->thread < cpu->thread_count ? &cpu->threads[cpu->thread] : NULL;
    struct spoor_exception *exception = thread ? exceptions_innermost(exceptions, thread) : NULL;
    const uint64_t ran = event->instructions - cpu->counted;
    if (thread && !(thread->count && thread->open[thread->count - 1].handlers)) {
        thread->instructions += ran;
        if (time > cpu->counted_time && ran) thread->time += time - cpu->counted_time;
    }
    if (exception) {
        exception->own_instructions += ran;
        /* an event may have interrupted its entry */
        if (ran && exception->handler) exception->begun = true;
        if (time > cpu->counted_time) exception->own_time += time - cpu->counted_time;
    }
    cpu->counted = event->instructions;
    cpu->counted_time = event->at.time;
}

static void exceptions_finish(struct spoor_exceptions *exceptions, const struct open_function *open,
                              const struct activity_event *event, bool returned)
{
    if (!open->exception) return;
    struct spoor_exception *exception = &exceptions->items[open->exception - 1];
    exception->instructions = event->instructions - open->instructions;
    exception->returned = returned;
    exception->cut = event->what == ACTIVITY_GAP || event->end == CALL_LOST;
    exception->leave_record = event->at.record;
    exception->leave_time = event->at.time;
}

static void exceptions_event(void *context, const struct activity_event *event)
{
    struct spoor_exceptions *exceptions = context;
    if (!machine_cpu_is(&exceptions->machine, event->cpu, exceptions->options.cpu)) return;
    if (!array_reserve_zeroed(&exceptions->cpus, &exceptions->cpu_count, event->cpu + (size_t)1)) {
        exceptions->failed = true;
        return;
    }
    struct exception_cpu *cpu = &exceptions->cpus[event->cpu];
    exceptions_count_own(exceptions, cpu, event);
    if (event->what == ACTIVITY_SWITCH || event->what == ACTIVITY_START)
        cpu->thread = event->thread;
    if (!array_reserve_zeroed(&cpu->threads, &cpu->thread_count, cpu->thread + (size_t)1)) {
        exceptions->failed = true;
        return;
    }
    struct exception_thread *thread = &cpu->threads[cpu->thread];
    switch ((enum activity_what)event->what) {
    case ACTIVITY_START:
    case ACTIVITY_ENTER: exceptions_open_function(exceptions, thread, event); break;
    case ACTIVITY_LEAVE:
        /* the outermost function stays, unless no instruction came before a handler */
        if (thread->count >
            (event->outermost || (thread->count && thread->open[0].handles) ? 0 : 1)) {
            exceptions_finish(exceptions, &thread->open[--thread->count], event,
                              event->end == CALL_RETURNED);
            struct spoor_exception *outer = exceptions_innermost(exceptions, thread);
            if (event->end == CALL_LOST || !outer || outer->begun) break;
            outer->record = event->at.record; /* it was entered before, and begins now */
            outer->enter_time = event->at.time;
        }
        break;
    case ACTIVITY_GO: /* the function that jumped is gone */
        if (thread->count && !thread->open[thread->count - 1].handles)
            thread->open[thread->count - 1].function = event->function;
        break;
    case ACTIVITY_SWITCH:
        cpu->has_tasks = true;
        thread->resumed++;
        if (thread->count == 0) exceptions_open_function(exceptions, thread, event);
        break;
    case ACTIVITY_CAUSE: { /* the handler has read why it runs: more than the vector says */
        char text[CAUSE_SIZE];
        struct spoor_exception *exception = exceptions_innermost(exceptions, thread);
        if (!exception) break;
        cause_of_syndrome(event, text, &exception->number, &exception->numbered);
        exception->inferred = false;
        if (text[0] && (strcmp(exception->cause, "unknown") == 0 ||
                        strcmp(exception->cause, "synchronous exception") == 0))
            exception->cause = exceptions_interned(exceptions, text);
        break;
    }
    case ACTIVITY_GAP: /* whatever is open of the processor ends */
        exceptions->gaps.count++;
        exceptions->gaps.uncounted += !event->value;
        exceptions->gaps.instructions += event->value;
        for (size_t i = 0; i < cpu->thread_count; i++)
            while (cpu->threads[i].count) {
                const size_t last = --cpu->threads[i].count;
                exceptions_finish(exceptions, &cpu->threads[i].open[last], event, false);
            }
        /* Whether the task before a gap goes on after it is not known.  The calls number their
         * stacks anew where there were several; the only one keeps its number. */
        thread = &cpu->threads[0];
        if (cpu->has_tasks || !thread->begun) break;
        if (!array_reserve(&cpu->before_gaps, &cpu->before_capacity, cpu->before_count + 1)) {
            exceptions->failed = true;
            break;
        }
        cpu->before_gaps[cpu->before_count++] = *thread;
        *thread = (struct exception_thread){.open = thread->open, .capacity = thread->capacity};
        break;
    case ACTIVITY_STOP:
        for (size_t i = 0; i < cpu->thread_count; i++)
            for (size_t j = 0; j < cpu->threads[i].count; j++)
                exceptions_finish(exceptions, &cpu->threads[i].open[j], event, false);
        break;
    }
}

/* ---- interface ---- */

enum spoor_status spoor_exceptions_new(struct spoor_exceptions **exceptions,
                                       const struct spoor_exceptions_options *options,
                                       struct spoor_error *error)
{
    struct spoor_exceptions_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_exceptions *made = calloc(1, sizeof *made);
    const struct activity_listener listener = {.context = made, .event = exceptions_event};
    if (made && (made->causes = spoor_names_new()) && machine_start(&made->machine))
        made->activity = activity_new(&listener, &made->machine);
    if (!made || !made->activity) {
        spoor_exceptions_free(made);
        return memory_status(false, error);
    }
    made->options = own;
    if (!made->options.limit) made->options.limit = SPOOR_EXCEPTIONS_USUAL_LIMIT;
    made->functions.images = own.images;
    if (own.images) activity_name(made->activity, functions_find, &made->functions);
    if (own.stream) machine_enter(&made->machine, own.stream);
    *exceptions = made;
    return SPOOR_OK;
}

void spoor_exceptions_free(struct spoor_exceptions *exceptions)
{
    if (!exceptions) return;
    activity_free(exceptions->activity);
    machine_free(&exceptions->machine);
    for (size_t i = 0; i < exceptions->cpu_count; i++) {
        for (size_t j = 0; j < exceptions->cpus[i].thread_count; j++)
            free(exceptions->cpus[i].threads[j].open);
        free(exceptions->cpus[i].threads);
        free(exceptions->cpus[i].before_gaps);
    }
    free(exceptions->cpus);
    if (exceptions->causes) spoor_names_free(exceptions->causes);
    free(exceptions->items);
    free(exceptions);
}

enum spoor_status spoor_exceptions_feed(struct spoor_exceptions *exceptions,
                                        const struct spoor_batch *batch, struct spoor_error *error)
{
    struct machine *machine = &exceptions->machine;
    machine_follow(machine, batch->stream);
    machine_see(machine, batch);
    exceptions->batch = batch;
    time_unit_find(exceptions->unit, batch);
    for (size_t i = 0; i < batch->count; i++) {
        exceptions->index = i;
        if (!activity_add(exceptions->activity, batch, i,
                          machine_cpu(&exceptions->machine, &batch->records[i])))
            return memory_status(false, error);
    }
    return where_status(!exceptions->failed, exceptions->options.where, error);
}

enum spoor_status spoor_exceptions_use_index(struct spoor_exceptions *exceptions,
                                             const struct spoor_index *index,
                                             struct spoor_error *error)
{
    struct calls_section found;
    if (exceptions->options.where) return index_use_not_kept("instructions of handlers", error);
    const enum spoor_status status =
        index_use_calls(index, exceptions->options.images, &found, error);
    if (status != SPOOR_OK) return status;
    const bool good = activity_replay(&found, &exceptions->machine, exceptions->unit,
                                      exceptions_event, exceptions);
    return memory_status(good && !exceptions->failed, error);
}

enum spoor_status spoor_exceptions_end(struct spoor_exceptions *exceptions,
                                       struct spoor_error *error)
{
    exceptions->batch = NULL;
    exceptions->failed |= !activity_stop(exceptions->activity);
    return memory_status(!exceptions->failed && !machine_out_of_memory(&exceptions->machine),
                         error);
}

const struct spoor_exception *spoor_exceptions_list(const struct spoor_exceptions *exceptions,
                                                    size_t *count)
{
    *count = exceptions->count;
    return exceptions->items;
}

struct exception_task *exceptions_tasks(const struct spoor_exceptions *exceptions, size_t *count)
{
    size_t all = 0;
    *count = 0;
    for (size_t i = 0; i < exceptions->cpu_count; i++)
        all += exceptions->cpus[i].before_count + exceptions->cpus[i].thread_count;
    struct exception_task *tasks = malloc((all + 1) * sizeof *tasks);
    for (size_t i = 0; tasks && i < exceptions->cpu_count; i++) {
        const struct exception_cpu *cpu = &exceptions->cpus[i];
        const size_t before = *count;
        const size_t gaps = cpu->has_tasks ? cpu->before_count : 0;
        for (size_t j = 0; j < gaps + cpu->thread_count; j++) {
            const size_t thread = j < gaps ? 0 : j - gaps;
            const struct exception_thread *task =
                j < gaps ? &cpu->before_gaps[j] : &cpu->threads[thread];
            if (j >= gaps && !task->begun) continue;
            tasks[(*count)++] = (struct exception_task){.function = task->function,
                                                        .resumed = task->resumed,
                                                        .instructions = task->instructions,
                                                        .time = task->time,
                                                        .thread = (uint32_t)thread,
                                                        .cpu = (uint16_t)i};
        }
        if (*count == before + 1) *count = before;
    }
    return tasks;
}

uint64_t spoor_exceptions_omitted(const struct spoor_exceptions *exceptions)
{
    return exceptions->omitted;
}

struct spoor_exceptions_gaps spoor_exceptions_gaps(const struct spoor_exceptions *exceptions)
{
    return exceptions->gaps;
}

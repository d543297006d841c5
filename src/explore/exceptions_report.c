/* SPDX-License-Identifier: MIT */
/* exceptions_report.c: statistics of exceptions by cause, and all of them as a result tree. */
#include <stdlib.h>

#include "base/sorted.h"
#include "explore/exceptions.h"

#include "model/options.h"

static int exceptions_compare_kinds(const void *left, const void *right)
{
    const struct spoor_exception_kind *a = left, *b = right;
    const int order = strcmp(a->cause, b->cause);
    if (order) return order;
    if (a->numbered != b->numbered) return a->numbered - b->numbered;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    if (a->begun != b->begun) return a->begun - b->begun;
    return a->handler < b->handler ? -1 : a->handler > b->handler;
}

static int exceptions_compare_counts(const void *left, const void *right)
{
    const struct spoor_exception_kind *a = left, *b = right;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return exceptions_compare_kinds(left, right);
}

/* ---- values of several exceptions ---- */

enum exception_value { LATENCY, DURATION, OWN_TIME, INSTRUCTIONS, OWN_INSTRUCTIONS };

/* The values that these exceptions have; `values` has room for all. */
static struct spoor_exception_range exceptions_range(const struct spoor_exception *const *some,
                                                     size_t count, enum exception_value what,
                                                     uint64_t *values)
{
    struct spoor_exception_range range = {0};
    for (size_t i = 0; i < count; i++) {
        const struct spoor_exception *exception = some[i];
        const uint64_t entered = exception->enter_time;
        uint64_t value = 0; /* of a time: they may go backwards */
        if (what == LATENCY ? !exception->begun : !exception->returned) continue;
        switch (what) {
        case LATENCY: value = entered < exception->time ? 0 : entered - exception->time; break;
        case DURATION:
            value = exception->leave_time < entered ? 0 : exception->leave_time - entered;
            break;
        case OWN_TIME: value = exception->own_time; break;
        case INSTRUCTIONS: value = exception->instructions; break;
        case OWN_INSTRUCTIONS: value = exception->own_instructions; break;
        }
        values[range.count++] = value;
        range.sum += value;
    }
    if (!range.count) return range;
    qsort(values, range.count, sizeof *values, sorted_order);
    const uint64_t low = values[(range.count - 1) / 2], high = values[range.count / 2];
    range.minimum = values[0];
    range.median = low + (high - low) / 2;
    range.maximum = values[range.count - 1];
    return range;
}

/* ---- kinds ---- */

static struct spoor_exception_kind exception_kind(const struct spoor_exception *exception)
{
    return (struct spoor_exception_kind){.cause = exception->cause,
                                         .number = exception->number,
                                         .handler = exception->handler,
                                         .numbered = exception->numbered,
                                         .begun = exception->begun};
}

static int exceptions_compare(const void *left, const void *right)
{
    const struct spoor_exception *const *a = left, *const *b = right;
    const struct spoor_exception_kind one = exception_kind(*a), other = exception_kind(*b);
    return exceptions_compare_kinds(&one, &other);
}

struct spoor_exception_kind *spoor_exceptions_kinds(const struct spoor_exceptions *exceptions,
                                                    size_t *count)
{
    const size_t all = exceptions->count;
    struct spoor_exception_kind *kinds = malloc((all + 1) * sizeof *kinds);
    const struct spoor_exception **sorted = malloc((all + 1) * sizeof *sorted);
    uint64_t *values = malloc((all + 1) * sizeof *values);
    *count = 0;
    if (!kinds || !sorted || !values) {
        free(kinds);
        kinds = NULL;
    }
    for (size_t i = 0; kinds && i < all; i++) sorted[i] = &exceptions->items[i];
    if (kinds && all) qsort(sorted, all, sizeof *sorted, exceptions_compare);
    for (size_t i = 0, end; kinds && i < all; i = end) {
        for (end = i + 1; end < all && exceptions_compare(&sorted[i], &sorted[end]) == 0;) end++;
        const struct spoor_exception *const *some = &sorted[i];
        const size_t same = end - i;
        struct spoor_exception_kind kind = exception_kind(some[0]);
        kind.count = same;
        for (size_t j = 0; j < same; j++) {
            kind.returned += some[j]->returned;
            if (some[j]->nesting > kind.nesting) kind.nesting = some[j]->nesting;
        }
        kind.latency = exceptions_range(some, same, LATENCY, values);
        kind.duration = exceptions_range(some, same, DURATION, values);
        kind.own_time = exceptions_range(some, same, OWN_TIME, values);
        kind.instructions = exceptions_range(some, same, INSTRUCTIONS, values);
        kind.own_instructions = exceptions_range(some, same, OWN_INSTRUCTIONS, values);
        kinds[(*count)++] = kind;
    }
    if (*count) qsort(kinds, *count, sizeof *kinds, exceptions_compare_counts);
    free(sorted);
    free(values);
    return kinds;
}

/* ---- result tree ---- */

static const char *exceptions_function(const struct spoor_exceptions *exceptions, uint64_t address)
{
    struct spoor_place place = {.struct_size = sizeof place};
    if (!exceptions->options.images ||
        !spoor_images_function(exceptions->options.images, address, &place))
        return NULL;
    return place.function;
}

/* `known`: the trace has its unit. */
static void exceptions_put_range(struct spoor_result *into, const char *key,
                                 const struct spoor_exception_range *values, bool known)
{
    if (!known || !values->count) {
        spoor_result_null(into, key);
        return;
    }
    struct spoor_result *range = spoor_result_object(into, key);
    spoor_result_unsigned(range, "minimum", values->minimum);
    spoor_result_unsigned(range, "median", values->median);
    spoor_result_real(range, "mean", (double)values->sum / (double)values->count, 1);
    spoor_result_unsigned(range, "maximum", values->maximum);
}

static const char *const entry_names[] = {[SPOOR_ENTRY_DIRECT] = "direct",
                                          [SPOOR_ENTRY_CHAINED] = "tail-chained",
                                          [SPOOR_ENTRY_LATE] = "late"};

static void exceptions_put_exception(const struct spoor_exceptions *exceptions,
                                     const struct spoor_exception *exception,
                                     struct spoor_result *list)
{
    const bool timed = exceptions->unit[0];
    struct spoor_result *entry = spoor_result_object(list, NULL);
    const char *cpu = machine_cpu_name(&exceptions->machine, exception->cpu);
    spoor_result_text(entry, "cpu", cpu[0] ? cpu : NULL);
    spoor_result_unsigned(entry, "record", exception->record);
    spoor_result_text(entry, "cause", exception->cause);
    spoor_result_unsigned_if(entry, "number", exception->numbered, exception->number);
    spoor_result_hex_if(entry, "from", !exception->nowhere, exception->from);
    spoor_result_text(entry, "interrupted",
                      exception->nowhere ? NULL : exceptions_function(exceptions, exception->from));
    spoor_result_hex_if(entry, "handler", exception->begun, exception->handler);
    spoor_result_text(entry, "function",
                      exception->begun ? exceptions_function(exceptions, exception->handler)
                                       : NULL);
    spoor_result_text(entry, "entry", entry_names[exception->entry]);
    spoor_result_unsigned(entry, "nesting", exception->nesting);
    if (timed) {
        spoor_result_unsigned(entry, "time", exception->time);
        spoor_result_signed(entry, "latency", (int64_t)(exception->enter_time - exception->time));
    }
    if (timed && exception->returned)
        spoor_result_signed(entry, "duration",
                            (int64_t)(exception->leave_time - exception->enter_time));
    else
        spoor_result_null(entry, "duration");
    spoor_result_unsigned_if(entry, "own_time", timed && exception->returned, exception->own_time);
    spoor_result_unsigned(entry, "instructions", exception->instructions);
    spoor_result_unsigned(entry, "own_instructions", exception->own_instructions);
    spoor_result_bool(entry, "returned", exception->returned);
    spoor_result_bool(entry, "cut", exception->cut);
    spoor_result_bool(entry, "inferred", exception->inferred);
    spoor_result_text(entry, "fault", exception->fault);
    struct spoor_result *stack = spoor_result_array(entry, "stack");
    for (size_t i = 0; i < exception->stack_count; i++) {
        const char *name = exceptions_function(exceptions, exception->stack[i]);
        if (name)
            spoor_result_text(stack, NULL, name);
        else
            spoor_result_hex(stack, NULL, exception->stack[i]);
    }
}

enum spoor_status spoor_exceptions_report(const struct spoor_exceptions *exceptions,
                                          struct spoor_result *result)
{
    size_t count;
    struct spoor_exception_kind *kinds = spoor_exceptions_kinds(exceptions, &count);
    spoor_result_text(result, "time_unit", exceptions->unit[0] ? exceptions->unit : NULL);
    spoor_result_unsigned(result, "count", exceptions->count + exceptions->omitted);
    spoor_result_unsigned(result, "omitted", exceptions->omitted);
    if (exceptions->gaps.count) {
        struct spoor_result *gaps = spoor_result_object(result, "gaps");
        spoor_result_unsigned(gaps, "count", exceptions->gaps.count);
        spoor_result_unsigned(gaps, "uncounted", exceptions->gaps.uncounted);
        spoor_result_unsigned(gaps, "instructions", exceptions->gaps.instructions);
    }
    struct spoor_result *list = spoor_result_array(result, "exceptions");
    const size_t last = exceptions->options.last_rows, all = exceptions->count;
    for (size_t i = last && last < all ? all - last : 0; i < all; i++)
        exceptions_put_exception(exceptions, &exceptions->items[i], list);
    struct spoor_result *array = spoor_result_array(result, "kinds");
    for (size_t i = 0; i < count; i++) {
        const struct spoor_exception_kind *kind = &kinds[i];
        const bool timed = exceptions->unit[0];
        struct spoor_result *entry = spoor_result_object(array, NULL);
        spoor_result_text(entry, "cause", kind->cause);
        spoor_result_unsigned_if(entry, "number", kind->numbered, kind->number);
        spoor_result_hex_if(entry, "handler", kind->begun, kind->handler);
        spoor_result_text(entry, "function",
                          kind->begun ? exceptions_function(exceptions, kind->handler) : NULL);
        spoor_result_unsigned(entry, "count", kind->count);
        spoor_result_unsigned(entry, "returned", kind->returned);
        spoor_result_unsigned(entry, "nesting", kind->nesting);
        exceptions_put_range(entry, "latency", &kind->latency, timed);
        exceptions_put_range(entry, "duration", &kind->duration, timed);
        exceptions_put_range(entry, "own_time", &kind->own_time, timed);
        exceptions_put_range(entry, "instructions", &kind->instructions, true);
        exceptions_put_range(entry, "own_instructions", &kind->own_instructions, true);
    }
    free(kinds);
    struct exception_task *tasks = exceptions_tasks(exceptions, &count);
    struct spoor_result *rows = spoor_result_array(result, "tasks");
    for (size_t i = 0; tasks && i < count; i++) {
        const struct exception_task *task = &tasks[i];
        struct spoor_result *entry = spoor_result_object(rows, NULL);
        const char *cpu = machine_cpu_name(&exceptions->machine, task->cpu);
        spoor_result_text(entry, "cpu", cpu[0] ? cpu : NULL);
        spoor_result_unsigned(entry, "thread", task->thread);
        spoor_result_hex(entry, "pc", task->function);
        spoor_result_text(entry, "function", exceptions_function(exceptions, task->function));
        spoor_result_unsigned(entry, "resumed", task->resumed);
        spoor_result_unsigned(entry, "instructions", task->instructions);
        spoor_result_unsigned_if(entry, "time", exceptions->unit[0], task->time);
    }
    free(tasks);
    return tasks ? result_status(result) : SPOOR_ENOMEM;
}

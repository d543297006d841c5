/* SPDX-License-Identifier: MIT */
/* exceptions_report.c: statistics of exceptions by cause, and all of them as a result tree. */
#include <stdlib.h>

#include "explore/exceptions.h"

#include "model/options.h"

static int compare_kinds(const void *left, const void *right)
{
    const struct spoor_exception_kind *a = left, *b = right;
    const int order = strcmp(a->cause, b->cause);
    if (order) return order;
    if (a->numbered != b->numbered) return a->numbered - b->numbered;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    if (a->begun != b->begun) return a->begun - b->begun;
    return a->handler < b->handler ? -1 : a->handler > b->handler;
}

static int compare_counts(const void *left, const void *right)
{
    const struct spoor_exception_kind *a = left, *b = right;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return compare_kinds(left, right);
}

/* Joins least, greatest and sum. */
static void join(uint64_t to[3], const uint64_t from[3], bool first)
{
    if (first || from[0] < to[0]) to[0] = from[0];
    if (first || from[1] > to[1]) to[1] = from[1];
    to[2] = first ? from[2] : to[2] + from[2];
}

static void set_all(uint64_t values[3], uint64_t value)
{
    values[0] = values[1] = values[2] = value;
}

static struct spoor_exception_kind kind_of(const struct spoor_exception *exception)
{
    struct spoor_exception_kind kind = {
        .cause = exception->cause,
        .number = exception->number,
        .handler = exception->handler,
        .numbered = exception->numbered,
        .begun = exception->begun,
        .count = 1,
        .returned = exception->returned,
        .nesting = exception->nesting,
    };
    const bool forwards = exception->enter_time >= exception->time;
    set_all(kind.latency, forwards ? exception->enter_time - exception->time : 0);
    if (!exception->returned) return kind;
    const bool later = exception->leave_time >= exception->enter_time;
    set_all(kind.duration, later ? exception->leave_time - exception->enter_time : 0);
    set_all(kind.instructions, exception->instructions);
    return kind;
}

static void join_kind(struct spoor_exception_kind *to, const struct spoor_exception_kind *from)
{
    join(to->latency, from->latency, false);
    if (from->returned) {
        join(to->duration, from->duration, to->returned == 0);
        join(to->instructions, from->instructions, to->returned == 0);
    }
    to->count += from->count;
    to->returned += from->returned;
    if (from->nesting > to->nesting) to->nesting = from->nesting;
}

struct spoor_exception_kind *spoor_exceptions_kinds(const struct spoor_exceptions *exceptions,
                                                    size_t *count)
{
    struct spoor_exception_kind *kinds = malloc((exceptions->count + 1) * sizeof *kinds);
    *count = 0;
    if (!kinds) return NULL;
    for (size_t i = 0; i < exceptions->count; i++) kinds[i] = kind_of(&exceptions->items[i]);
    if (exceptions->count) qsort(kinds, exceptions->count, sizeof *kinds, compare_kinds);
    for (size_t i = 0; i < exceptions->count; i++) {
        if (*count && compare_kinds(&kinds[*count - 1], &kinds[i]) == 0)
            join_kind(&kinds[*count - 1], &kinds[i]);
        else
            kinds[(*count)++] = kinds[i];
    }
    if (*count) qsort(kinds, *count, sizeof *kinds, compare_counts);
    return kinds;
}

/* ---- result tree ---- */

static const char *name_of(const struct spoor_exceptions *exceptions, uint64_t address)
{
    struct spoor_place place;
    if (!exceptions->options.images ||
        !spoor_images_function(exceptions->options.images, address, &place))
        return NULL;
    return place.function;
}

static void put_number(bool numbered, uint64_t number, struct spoor_result *into)
{
    if (numbered)
        spoor_result_unsigned(into, "number", number);
    else
        spoor_result_null(into, "number");
}

static void put_range(struct spoor_result *into, const char *key, const uint64_t values[3],
                      uint64_t count)
{
    if (!count) {
        spoor_result_null(into, key);
        return;
    }
    struct spoor_result *range = spoor_result_object(into, key);
    spoor_result_unsigned(range, "minimum", values[0]);
    spoor_result_real(range, "mean", (double)values[2] / (double)count, 1);
    spoor_result_unsigned(range, "maximum", values[1]);
}

static void put_kind(const struct spoor_exceptions *exceptions,
                     const struct spoor_exception_kind *kind, struct spoor_result *kinds)
{
    const bool timed = exceptions->unit[0];
    struct spoor_result *entry = spoor_result_object(kinds, NULL);
    spoor_result_text(entry, "cause", kind->cause);
    put_number(kind->numbered, kind->number, entry);
    if (kind->begun)
        spoor_result_hex(entry, "handler", kind->handler);
    else
        spoor_result_null(entry, "handler");
    spoor_result_text(entry, "function", kind->begun ? name_of(exceptions, kind->handler) : NULL);
    spoor_result_unsigned(entry, "count", kind->count);
    spoor_result_unsigned(entry, "returned", kind->returned);
    spoor_result_unsigned(entry, "nesting", kind->nesting);
    put_range(entry, "latency", kind->latency, timed && kind->begun ? kind->count : 0);
    put_range(entry, "duration", kind->duration, timed ? kind->returned : 0);
    put_range(entry, "instructions", kind->instructions, kind->returned);
}

static void put_exception(const struct spoor_exceptions *exceptions,
                          const struct spoor_exception *exception, struct spoor_result *list)
{
    const bool timed = exceptions->unit[0];
    struct spoor_result *entry = spoor_result_object(list, NULL);
    spoor_result_text(entry, "cpu", machine_cpu_name(&exceptions->machine, exception->cpu));
    spoor_result_unsigned(entry, "record", exception->record);
    spoor_result_text(entry, "cause", exception->cause);
    put_number(exception->numbered, exception->number, entry);
    spoor_result_hex(entry, "from", exception->from);
    spoor_result_text(entry, "interrupted", name_of(exceptions, exception->from));
    if (exception->begun)
        spoor_result_hex(entry, "handler", exception->handler);
    else
        spoor_result_null(entry, "handler");
    spoor_result_text(entry, "function",
                      exception->begun ? name_of(exceptions, exception->handler) : NULL);
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
    spoor_result_unsigned(entry, "instructions", exception->instructions);
    spoor_result_bool(entry, "returned", exception->returned);
    spoor_result_bool(entry, "inferred", exception->inferred);
    spoor_result_text(entry, "fault", exception->fault);
    struct spoor_result *stack = spoor_result_array(entry, "stack");
    for (size_t i = 0; i < exception->stack_count; i++) {
        const char *name = name_of(exceptions, exception->stack[i]);
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
    spoor_result_text(result, "unit", exceptions->unit);
    spoor_result_unsigned(result, "count", exceptions->count + exceptions->omitted);
    spoor_result_unsigned(result, "omitted", exceptions->omitted);
    struct spoor_result *list = spoor_result_array(result, "exceptions");
    for (size_t i = 0; i < exceptions->count; i++)
        put_exception(exceptions, &exceptions->items[i], list);
    struct spoor_result *array = spoor_result_array(result, "kinds");
    for (size_t i = 0; i < count; i++) put_kind(exceptions, &kinds[i], array);
    free(kinds);
    return result_status(result);
}

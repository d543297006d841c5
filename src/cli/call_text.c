/* SPDX-License-Identifier: MIT */
/* call_text.c: lines of calls, for a terminal of 80 columns. */
#include "cli/call_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/located.h"
#include "cli/narrow.h"
#include "cli/shade.h"

/* Indentation grows up to there: in a file, and on a screen. */
enum { DEEPEST = 20, DEEPEST_ON_SCREEN = 12 };

/* What stands after a call in text, by how it ended. */
static const char *const ends[] = {"  never returned", "", "  left", "  cut by a gap"};

static bool is_timed(const struct call_table *table)
{
    return spoor_call_tree_unit(table->tree)[0];
}

static uint64_t enter_of(const struct call_table *table, const struct spoor_call *call)
{
    return is_timed(table) ? call->enter_time : call->enter_record;
}

static uint64_t leave_of(const struct call_table *table, const struct spoor_call *call)
{
    return is_timed(table) ? call->leave_time : call->leave_record;
}

static void put_name(const struct call_table *table, const struct spoor_call *call,
                     struct text *text)
{
    const char *name = spoor_call_tree_name(table->tree, call);
    if (name)
        text_puts(text, name);
    else if (call->known)
        text_printf(text, "0x%" PRIx64, call->function);
    else
        text_puts(text, "(handler)");
}

/* The name, as much of it as fits on the line with `tail` columns after it. */
static void put_name_before(const struct call_table *table, const struct spoor_call *call,
                            size_t line, size_t tail, struct text *text)
{
    const size_t name = text->size;
    put_name(table, call, text);
    narrow_name(text, line, name, tail, table->columns);
}

/* ---- the tree ---- */

/* True if a call has calls of its own that are kept. */
static bool is_leaf(const struct spoor_call *calls, size_t count, size_t i)
{
    return i + 1 >= count || calls[i + 1].parent != i;
}

/* The number of calls, from this one on, that share its line. */
static size_t run_of(const struct spoor_call *calls, size_t count, size_t first)
{
    size_t end = first + 1;
    const struct spoor_call *call = &calls[first];
    if (!is_leaf(calls, count, first) || call->end != SPOOR_CALL_RETURNED) return 1;
    while (end < count && calls[end].parent == call->parent &&
           calls[end].function == call->function && calls[end].kind == call->kind &&
           calls[end].cpu == call->cpu && calls[end].thread == call->thread &&
           calls[end].end == SPOOR_CALL_RETURNED && is_leaf(calls, count, end))
        end++;
    return end - first;
}

static void put_line(const struct call_table *table, const struct spoor_call *calls, size_t runs,
                     struct text *text)
{
    static const char *const kinds[] = {"", " (exception)", " (jump)", ""};
    const struct spoor_call *call = calls;
    const size_t begin = text->size;
    const unsigned deepest = table->columns ? DEEPEST_ON_SCREEN : DEEPEST;
    uint64_t instructions = 0;
    char tail[64];
    for (size_t i = 0; i < runs; i++) instructions += calls[i].instructions;
    const unsigned depth = call->depth < deepest ? call->depth : deepest;
    text_printf(text, "%12" PRIu64 " %12s  %*s", enter_of(table, call), COUNT(instructions),
                (int)(2 * depth), "");
    if (call->depth > deepest) text_printf(text, "[%u] ", call->depth);
    int size = snprintf(tail, sizeof tail, "%s%s", kinds[call->kind], ends[call->end]);
    if (runs > 1) size += snprintf(tail + size, sizeof tail - (size_t)size, "  x%s", COUNT(runs));
    put_name_before(table, call, begin, (size_t)size, text);
    text_puts(text, tail);
    located_put_source(table->images, call->function, begin, text);
    text_puts(text, "\n");
}

static void put_heading(const struct call_table *table, const struct spoor_call *call,
                        struct text *text)
{
    const char *cpu = spoor_call_tree_cpu(table->tree, call->cpu);
    text_printf(text, "%s%s", cpu[0] >= '0' && cpu[0] <= '9' ? "cpu " : "", cpu[0] ? cpu : "cpu");
    if (call->thread) text_printf(text, ", stack of calls %u", call->thread + 1);
    text_puts(text, "\n");
}

void call_table_put_tree(const struct call_table *table, struct text *text)
{
    size_t count;
    const struct spoor_call *calls = spoor_call_tree_calls(table->tree, &count);
    const char *unit = spoor_call_tree_unit(table->tree);
    bool several = false;
    for (size_t i = 0; i < count; i++) several |= calls[i].cpu || calls[i].thread;
    const size_t line = text->size;
    text_printf(text, "%s: %s call%s", table->title, COUNT(count), count == 1 ? "" : "s");
    if (spoor_call_tree_omitted(table->tree))
        text_printf(text, " of %s", COUNT(count + spoor_call_tree_omitted(table->tree)));
    narrow_title(text, line, table->columns);
    text_printf(text, "\n\n%12s %12s  function\n", unit[0] ? unit : "record", "instructions");
    for (size_t i = 0; i < count;) {
        const size_t runs = run_of(calls, count, i);
        if (several &&
            (i == 0 || calls[i].cpu != calls[i - 1].cpu || calls[i].thread != calls[i - 1].thread))
            put_heading(table, &calls[i], text);
        put_line(table, &calls[i], runs, text);
        i += runs;
    }
}

/* When it was entered and left; a call that is open at the end is not left. */
static void report_ends(const struct call_table *table, const struct spoor_call *call,
                        struct spoor_result *row)
{
    const bool timed = is_timed(table), left = call->end != SPOOR_CALL_OPEN;
    spoor_result_unsigned_if(row, "enter_time", timed, call->enter_time);
    spoor_result_unsigned_if(row, "leave_time", timed && left, call->leave_time);
    spoor_result_unsigned(row, "enter_record", call->enter_record);
    spoor_result_unsigned_if(row, "leave_record", left, call->leave_record);
    spoor_result_text(row, "end", spoor_call_end_name(call->end));
    spoor_result_unsigned(row, "instructions", call->instructions);
}

static void report_function(const struct call_table *table, const struct spoor_call *call,
                            struct spoor_result *row)
{
    spoor_result_text(row, "function", spoor_call_tree_name(table->tree, call));
    spoor_result_hex_if(row, "pc", call->known, call->function);
}

/* The calls from `first` to before `end`. */
static void report_rows(const struct call_table *table, size_t first, size_t end, bool traced,
                        struct spoor_result *rows)
{
    size_t count;
    const struct spoor_call *calls = spoor_call_tree_calls(table->tree, &count);
    for (size_t i = first; i < end && i < count; i++) {
        const struct spoor_call *call = &calls[i];
        struct spoor_result *row = spoor_result_object(rows, NULL);
        if (traced) spoor_result_text(row, "trace", table->title);
        spoor_result_text(row, "cpu", spoor_call_tree_cpu(table->tree, call->cpu));
        spoor_result_unsigned(row, "thread", call->thread);
        spoor_result_unsigned(row, "depth", call->depth);
        report_function(table, call, row);
        spoor_result_text(row, "kind", spoor_call_kind_name(call->kind));
        report_ends(table, call, row);
    }
}

#define COLUMNS                                                             \
    "cpu,thread,depth,function,pc,kind,enter_time,leave_time,enter_record," \
    "leave_record,end,instructions"

/* A few rows at a time: a trace may have millions. */
void call_table_put_csv(const struct call_table *table, struct text *text)
{
    enum { ROWS = 4096 };
    size_t count;
    spoor_call_tree_calls(table->tree, &count);
    for (size_t first = 0; (first == 0 || first < count) && !text->failed; first += ROWS) {
        struct spoor_result *rows = spoor_result_new_array();
        spoor_result_set_columns(rows, table->traced ? "trace," COLUMNS : COLUMNS);
        report_rows(table, first, first + ROWS, table->traced, rows);
        char *csv = spoor_result_complete(rows) ? spoor_result_to_csv(rows, NULL) : NULL;
        text->failed |= !csv;
        if (csv) text_puts(text, first || table->headless ? strchr(csv, '\n') + 1 : csv);
        free(csv);
        spoor_result_free(rows);
    }
}

void call_table_report_rows(const struct call_table *table, struct spoor_result *result)
{
    report_rows(table, 0, SIZE_MAX, false, spoor_result_array(result, "calls"));
}

/* ---- calls of a function ---- */

static void call_put_values(const struct call_table *table, const struct spoor_call *call,
                            struct text *text)
{
    struct spoor_call_arguments arguments;
    bool any = false;
    if (!spoor_call_tree_arguments(table->tree, call, &arguments)) return;
    for (unsigned i = 0; i < 4; i++) { /* the rest in JSON */
        if (!arguments.bits[i]) continue;
        text_printf(text, "%s%s=0x%" PRIx64, any ? " " : "              ",
                    spoor_call_tree_register(table->tree, i), arguments.values[i]);
        any = true;
    }
    const bool returned = arguments.bits[SPOOR_ARGUMENTS] > 0;
    if (returned)
        text_printf(text, "%s-> %s=0x%" PRIx64, any ? " " : "              ",
                    spoor_call_tree_register(table->tree, SPOOR_ARGUMENTS), arguments.result);
    if (any || returned) text_puts(text, "\n");
}

static void put_place(struct spoor_images *images, uint64_t pc, struct text *text)
{
    struct spoor_place place;
    if (images && spoor_images_function(images, pc, &place) && place.function)
        text_printf(text, "%s+0x%" PRIx64, place.function, place.offset);
    else
        text_printf(text, "0x%" PRIx64, pc);
}

void call_table_put_calls(const struct call_table *table, struct text *text)
{
    size_t count;
    const struct spoor_call *calls = spoor_call_tree_calls(table->tree, &count);
    const char *unit = spoor_call_tree_unit(table->tree);
    if (count)
        put_name(table, &calls[0], text);
    else
        text_printf(text, "0x%" PRIx64, table->of);
    text_printf(text, ": %s call%s\n\n%12s %12s %12s  from\n", COUNT(count), count == 1 ? "" : "s",
                unit[0] ? unit : "record", "to", "instructions");
    for (size_t i = 0; i < count; i++) {
        const struct spoor_call *call = &calls[i];
        const bool called = call->kind == SPOOR_CALL_PLAIN || call->kind == SPOOR_CALL_EXCEPTION;
        const size_t begin = text->size;
        text_printf(text, "%12" PRIu64 " ", enter_of(table, call));
        if (call->end == SPOOR_CALL_OPEN)
            text_printf(text, "%12s", "");
        else
            text_printf(text, "%12" PRIu64, leave_of(table, call));
        text_printf(text, " %12s  ", COUNT(call->instructions));
        const size_t name = text->size;
        if (called)
            put_place(table->images, call->from, text);
        else
            text_puts(text, call->kind == SPOOR_CALL_JUMP ? "(a jump)" : "(the start)");
        narrow_name(text, begin, name, strlen(ends[call->end]), table->columns);
        text_puts(text, ends[call->end]);
        if (called) located_put_source(table->images, call->from, begin, text);
        text_puts(text, "\n");
        call_put_values(table, call, text);
    }
}

/* Adds the value of a register, as wide as it is; NULL where it is not known. */
static void report_register(struct spoor_result *in, const char *key, unsigned bits, uint64_t value)
{
    char digits[2 + 16 + 1];
    snprintf(digits, sizeof digits, "0x%0*" PRIx64, (int)(bits + 3) / 4, value);
    spoor_result_text(in, key, bits ? digits : NULL);
}

static void report_values(const struct call_table *table, const struct spoor_call *call,
                          struct spoor_result *entry)
{
    struct spoor_call_arguments arguments = {.result = 0};
    spoor_call_tree_arguments(table->tree, call, &arguments);
    struct spoor_result *values = table->flat ? entry : spoor_result_object(entry, "arguments");
    for (unsigned i = 0; i < SPOOR_ARGUMENTS; i++) {
        const char *name = spoor_call_tree_register(table->tree, i);
        if (name && (table->flat || arguments.bits[i]))
            report_register(values, name, arguments.bits[i], arguments.values[i]);
    }
    report_register(entry, "result", arguments.bits[SPOOR_ARGUMENTS], arguments.result);
}

void call_table_report(const struct call_table *table, struct spoor_result *result)
{
    size_t count;
    const struct spoor_call *calls = spoor_call_tree_calls(table->tree, &count);
    spoor_result_text(result, "trace", table->title);
    spoor_result_text(result, "format", table->format);
    spoor_result_text(result, "function",
                      count ? spoor_call_tree_name(table->tree, &calls[0]) : NULL);
    spoor_result_hex(result, "pc", table->of);
    spoor_result_text(result, "time_unit",
                      is_timed(table) ? spoor_call_tree_unit(table->tree) : NULL);
    struct spoor_result *rows = spoor_result_array(result, "calls");
    for (size_t i = 0; i < count; i++) {
        const struct spoor_call *call = &calls[i];
        struct spoor_place place;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "cpu", spoor_call_tree_cpu(table->tree, call->cpu));
        report_ends(table, call, row);
        spoor_result_hex_if(row, "from", call->kind != SPOOR_CALL_START, call->from);
        spoor_result_text(row, "caller",
                          table->images && spoor_images_function(table->images, call->from, &place)
                              ? place.function
                              : NULL);
        report_values(table, call, row);
    }
}

/* ---- callers ---- */

/* A function that calls what its parent is, in the chains from the asked one outwards. */
struct caller {
    const struct spoor_call *example;
    uint64_t function, calls, instructions;
    size_t parent, first, next; /* + 1; 0: none */
};
struct callers {
    struct caller *items;
    size_t count, capacity;
};

static size_t find_caller(struct callers *callers, size_t parent, const struct spoor_call *call)
{
    size_t at = parent ? callers->items[parent - 1].first : callers->count ? 1 : 0;
    for (; at; at = callers->items[at - 1].next)
        if (callers->items[at - 1].function == call->function) return at;
    if (!array_reserve(&callers->items, &callers->capacity, callers->count + 1)) return 0;
    struct caller *made = &callers->items[callers->count++];
    *made = (struct caller){.example = call, .function = call->function, .parent = parent};
    if (parent) {
        made->next = callers->items[parent - 1].first;
        callers->items[parent - 1].first = callers->count;
    }
    return callers->count;
}

static bool collect(const struct call_table *table, struct callers *callers)
{
    enum { LEVELS = 64 };
    size_t count;
    const struct spoor_call *calls = spoor_call_tree_calls(table->tree, &count);
    for (size_t i = 0; i < count; i++) {
        size_t at = 0, level = 0;
        if ((calls[i].function & ~UINT64_C(1)) != (table->of & ~UINT64_C(1))) continue;
        for (uint32_t n = (uint32_t)i; n != SPOOR_NO_CALL && level < LEVELS;
             n = calls[n].parent, level++) {
            at = find_caller(callers, at, &calls[n]);
            if (!at) return false;
            callers->items[at - 1].calls++;
            callers->items[at - 1].instructions += calls[i].instructions;
        }
    }
    return true;
}

static void put_caller(const struct call_table *table, const struct callers *callers, size_t at,
                       size_t depth, struct text *text)
{
    const struct caller *caller = &callers->items[at - 1];
    const size_t begin = text->size;
    text_printf(
        text, "%12" PRIu64 " %12" PRIu64 "  %*s", caller->calls, caller->instructions,
        (int)(2 * (table->columns && depth > DEEPEST_ON_SCREEN ? DEEPEST_ON_SCREEN : depth)), "");
    put_name_before(table, caller->example, begin, 0, text);
    located_put_source(table->images, caller->function, begin, text);
    text_puts(text, "\n");
    for (size_t i = caller->first; i; i = callers->items[i - 1].next)
        put_caller(table, callers, i, depth + 1, text);
}

/* A caller with its own callers: rows of the array `into`, or, if it is an object, a tree. */
static void report_caller(const struct call_table *table, const struct callers *callers, size_t at,
                          size_t depth, struct spoor_result *into)
{
    const struct caller *caller = &callers->items[at - 1];
    struct spoor_result *row = table->flat ? spoor_result_object(into, NULL) : into;
    if (table->flat) spoor_result_unsigned(row, "depth", depth);
    report_function(table, caller->example, row);
    spoor_result_unsigned(row, "count", caller->calls);
    spoor_result_unsigned(row, "instructions", caller->instructions);
    struct spoor_result *inner = table->flat ? into : spoor_result_array(row, "callers");
    for (size_t i = caller->first; i; i = callers->items[i - 1].next)
        report_caller(table, callers, i, depth + 1,
                      table->flat ? into : spoor_result_object(inner, NULL));
}

void call_table_report_callers(const struct call_table *table, struct spoor_result *result)
{
    struct callers callers = {0};
    if (!collect(table, &callers)) spoor_result_fail(result);
    spoor_result_text(result, "trace", table->title);
    spoor_result_text(result, "format", table->format);
    struct spoor_result *into =
        table->flat || !callers.count ? spoor_result_array(result, "callers") : result;
    if (table->flat) spoor_result_set_columns(into, "depth,function,pc,count,instructions");
    if (callers.count) report_caller(table, &callers, 1, 0, into);
    free(callers.items);
}

void call_table_put_callers(const struct call_table *table, struct text *text)
{
    struct callers callers = {0};
    text->failed |= !collect(table, &callers);
    text_printf(text, "%12s %12s  function, and below it who called it\n", "calls", "instructions");
    if (callers.count) put_caller(table, &callers, 1, 0, text);
    free(callers.items);
}

/* SPDX-License-Identifier: MIT */
/* call_text.c: lines of calls, for a terminal of 80 columns. */
#include "cli/call_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/csv.h"
#include "base/json.h"
#include "cli/located.h"
#include "cli/narrow.h"
#include "cli/shade.h"

/* Indentation grows up to there: in a file, and on a screen. */
enum { DEEPEST = 20, DEEPEST_ON_SCREEN = 12 };

/* In data. */
static const char *const kind_names[] = {"call", "exception", "jump", "start"};

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
    else
        text_printf(text, "0x%" PRIx64, call->function);
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
    static const char *const ends[] = {"  never returned", "", "  left", "  cut by a gap"};
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

/* The beginning of the line of keys; false: another trace has printed it. */
static bool put_csv_head(const struct call_table *table, struct text *text)
{
    if (table->traced && !table->headless) text_puts(text, "trace,");
    return !table->headless;
}

static void put_csv_trace(const struct call_table *table, struct text *text)
{
    if (!table->traced) return;
    csv_put_string(text, table->title, strlen(table->title));
    text_puts(text, ",");
}

static void put_csv_name(const struct call_table *table, const struct spoor_call *call,
                         struct text *text)
{
    const char *name = spoor_call_tree_name(table->tree, call);
    if (name) csv_put_string(text, name, strlen(name));
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

void call_table_put_csv(const struct call_table *table, struct text *text)
{
    size_t count;
    const struct spoor_call *calls = spoor_call_tree_calls(table->tree, &count);
    if (put_csv_head(table, text))
        text_puts(text, "cpu,thread,depth,function,pc,kind,enter_time,leave_time,enter_record,"
                        "leave_record,end,instructions\n");
    for (size_t i = 0; i < count; i++) {
        const struct spoor_call *call = &calls[i];
        const bool open = call->end == SPOOR_CALL_OPEN;
        put_csv_trace(table, text);
        text_printf(text, "%s,%u,%u,", spoor_call_tree_cpu(table->tree, call->cpu), call->thread,
                    call->depth);
        put_csv_name(table, call, text);
        text_printf(text, ",0x%" PRIx64 ",%s,", call->function, kind_names[call->kind]);
        if (is_timed(table)) text_printf(text, "%" PRIu64, call->enter_time);
        text_puts(text, ",");
        if (is_timed(table) && !open) text_printf(text, "%" PRIu64, call->leave_time);
        text_printf(text, ",%" PRIu64 ",", call->enter_record);
        if (!open) text_printf(text, "%" PRIu64, call->leave_record);
        text_printf(text, ",%s,%" PRIu64 "\n", spoor_call_end_name(call->end), call->instructions);
    }
}

void call_table_report_rows(const struct call_table *table, struct spoor_result *result)
{
    size_t count;
    const struct spoor_call *calls = spoor_call_tree_calls(table->tree, &count);
    struct spoor_result *rows = spoor_result_array(result, "calls");
    for (size_t i = 0; i < count; i++) {
        const struct spoor_call *call = &calls[i];
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "cpu", spoor_call_tree_cpu(table->tree, call->cpu));
        spoor_result_unsigned(row, "thread", call->thread);
        spoor_result_unsigned(row, "depth", call->depth);
        spoor_result_text(row, "function", spoor_call_tree_name(table->tree, call));
        spoor_result_hex(row, "pc", call->function);
        spoor_result_text(row, "kind", kind_names[call->kind]);
        report_ends(table, call, row);
    }
}

/* ---- calls of a function ---- */

static void put_values(const struct call_table *table, const struct spoor_call *call,
                       struct text *text)
{
    struct spoor_call_arguments arguments;
    bool any = false;
    if (!spoor_call_tree_arguments(table->tree, call, &arguments)) return;
    for (unsigned i = 0; i < 4; i++) { /* the rest in JSON */
        if (!(arguments.known >> i & 1)) continue;
        text_printf(text, "%s%s=0x%" PRIx64, any ? " " : "              ",
                    spoor_call_tree_register(table->tree, i), arguments.values[i]);
        any = true;
    }
    if (arguments.result_known)
        text_printf(text, "%s-> %s=0x%" PRIx64, any ? " " : "              ",
                    spoor_call_tree_register(table->tree, SPOOR_ARGUMENTS), arguments.result);
    if (any || arguments.result_known) text_puts(text, "\n");
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
    static const char *const ends[] = {"  never returned", "", "  left", "  cut by a gap"};
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
        put_values(table, call, text);
    }
}

static void report_values(const struct call_table *table, const struct spoor_call *call,
                          struct spoor_result *entry)
{
    struct spoor_call_arguments arguments = {.known = 0};
    spoor_call_tree_arguments(table->tree, call, &arguments);
    struct spoor_result *values = table->flat ? entry : spoor_result_object(entry, "arguments");
    for (unsigned i = 0; i < SPOOR_ARGUMENTS; i++) {
        const char *name = spoor_call_tree_register(table->tree, i);
        if (arguments.known >> i & 1)
            spoor_result_hex(values, name, arguments.values[i]);
        else if (table->flat && name)
            spoor_result_null(values, name);
    }
    spoor_result_hex_if(entry, "result", arguments.result_known, arguments.result);
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
        spoor_result_hex(row, "from", call->from);
        spoor_result_text(row, "caller",
                          table->images && spoor_images_function(table->images, call->from, &place)
                              ? place.function
                              : NULL);
        report_values(table, call, row);
    }
}

/* The beginning of the JSON of a trace, which is written piece by piece. */
void call_table_put_trace(const struct call_table *table, struct text *text)
{
    text_puts(text, "{\"trace\":");
    json_put_string(text, table->title, strlen(table->title));
    text_printf(text, ",\"format\":\"%s\",", table->format);
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

static void put_caller_json(const struct call_table *table, const struct callers *callers,
                            size_t at, struct text *text)
{
    const struct caller *caller = &callers->items[at - 1];
    const char *name = spoor_call_tree_name(table->tree, caller->example);
    if (at > 1) text_puts(text, "{");
    text_printf(text, "\"pc\":\"0x%" PRIx64 "\"", caller->function);
    if (name) {
        text_puts(text, ",\"function\":");
        json_put_string(text, name, strlen(name));
    }
    text_printf(text, ",\"count\":%" PRIu64 ",\"instructions\":%" PRIu64 ",\"callers\":[",
                caller->calls, caller->instructions);
    for (size_t i = caller->first; i; i = callers->items[i - 1].next) {
        put_caller_json(table, callers, i, text);
        if (callers->items[i - 1].next) text_puts(text, ",\n");
    }
    text_puts(text, "]}");
}

static void put_caller_csv(const struct call_table *table, const struct callers *callers, size_t at,
                           size_t depth, struct text *text)
{
    const struct caller *caller = &callers->items[at - 1];
    put_csv_trace(table, text);
    text_printf(text, "%zu,", depth);
    put_csv_name(table, caller->example, text);
    text_printf(text, ",0x%" PRIx64 ",%" PRIu64 ",%" PRIu64 "\n", caller->function, caller->calls,
                caller->instructions);
    for (size_t i = caller->first; i; i = callers->items[i - 1].next)
        put_caller_csv(table, callers, i, depth + 1, text);
}

void call_table_put_callers(const struct call_table *table, enum result_form form,
                            struct text *text)
{
    struct callers callers = {0};
    text->failed |= !collect(table, &callers);
    if (form == RESULT_CSV) {
        if (put_csv_head(table, text)) text_puts(text, "depth,function,pc,count,instructions\n");
        if (callers.count) put_caller_csv(table, &callers, 1, 0, text);
    } else if (form == RESULT_JSON) {
        call_table_put_trace(table, text);
        if (callers.count)
            put_caller_json(table, &callers, 1, text);
        else
            text_puts(text, "\"callers\":[]}");
        text_puts(text, "\n");
    } else {
        text_printf(text, "%12s %12s  function, and below it who called it\n", "calls",
                    "instructions");
        if (callers.count) put_caller(table, &callers, 1, 0, text);
    }
    free(callers.items);
}

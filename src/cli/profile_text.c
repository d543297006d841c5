/* SPDX-License-Identifier: MIT */
/* profile_text.c: tables of functions: the totals first, then a line for each, with bars. */
#include "cli/profile_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/portable.h"
#include "cli/located.h"
#include "cli/narrow.h"
#include "cli/shade.h"

enum { BAR = 8 };

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

/* Columns that the largest of a column takes, at minimum those of its title. */
static int width_of(uint64_t largest, const char *title)
{
    const int digits = (int)strlen(COUNT(largest)), minimum = (int)strlen(title);
    return digits > minimum ? digits : minimum;
}

static void put_bar(const struct profile_table *table, double value, double all, struct text *text)
{
    struct text bar = {0};
    size_t cells = 0;
    chart_bar(&table->chart, &bar, value, all, BAR);
    text_puts(text, " ");
    if (bar.bytes) text_put(text, bar.bytes, bar.size);
    for (size_t i = 0; bar.bytes && i < bar.size; i++) cells += (bar.bytes[i] & 0xC0) != 0x80;
    for (; cells < BAR; cells++) text_puts(text, " ");
    text->failed |= bar.failed;
    text_free(&bar);
}

static void put_whole_name(const struct profile_table *table, const struct spoor_profile_row *row,
                           struct text *text)
{
    if (table->by == SPOOR_PROFILE_LINES && row->source)
        text_printf(text, "%s%s%s", row->source, row->name ? "  " : "", row->name ? row->name : "");
    else if (table->by == SPOOR_PROFILE_ADDRESSES)
        text_printf(text, "0x%" PRIx64 "%s%s%s%s", row->address, row->name ? "  " : "",
                    row->name ? row->name : "", row->source ? "  " : "",
                    row->source ? row->source : "");
    else if (row->name)
        text_puts(text, row->name);
    else if (row->located)
        text_printf(text, "0x%" PRIx64, row->address);
    else
        text_puts(text, "(unknown)");
    if (row->exception) text_puts(text, " (exception)");
}

/* The name, as much of it as fits on the line that begins at byte `line`. */
static void put_name(const struct profile_table *table, const struct spoor_profile_row *row,
                     size_t line, struct text *text)
{
    const size_t name = text->size;
    put_whole_name(table, row, text);
    narrow_name(text, line, name, 0, table->columns);
}

/* The source line, where the line of text has columns left for it. */
static void put_source(const struct profile_table *table, const struct spoor_profile_row *row,
                       size_t line, struct text *text)
{
    if (table->by == SPOOR_PROFILE_FUNCTIONS) put_source_within(row->source, line, text);
}

/* ---- order ---- */

static const char *name_of(const struct spoor_profile_row *row)
{
    return row->name ? row->name : "";
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct spoor_profile_row *a = *(const struct spoor_profile_row *const *)left;
    const struct spoor_profile_row *b = *(const struct spoor_profile_row *const *)right;
    uint64_t one = 0, other = 0;
    switch (*(const enum profile_sort *)context) {
    case SORT_INCLUSIVE: one = a->inclusive, other = b->inclusive; break;
    case SORT_CALLS: one = a->calls, other = b->calls; break;
    case SORT_NAME: {
        const int order = strcmp(name_of(a), name_of(b));
        if (order) return order;
        one = b->address, other = a->address;
        break;
    }
    default: break;
    }
    if (one != other) return one < other ? 1 : -1;
    return a < b ? -1 : a > b; /* by exclusive */
}

static const struct spoor_profile_row **sorted(const struct profile_table *table, size_t *count)
{
    const struct spoor_profile_row *rows = spoor_profile_rows(table->profile, count);
    const struct spoor_profile_row **order = malloc((*count + 1) * sizeof *order);
    enum profile_sort sort = table->sort;
    if (!order) return NULL;
    for (size_t i = 0; i < *count; i++) order[i] = &rows[i];
    if (sort != SORT_EXCLUSIVE) sort_items(order, *count, sizeof *order, compare_rows, &sort);
    return order;
}

/* ---- the table ---- */

/* The names of the rows, singular and plural. */
static const char *const things[][2] = {{"function", "functions"},
                                        {"line", "lines"},
                                        {"file", "files"},
                                        {"address", "addresses"},
                                        {"opcode", "opcodes"}};

static void put_totals(const struct profile_table *table, size_t rows, struct text *text)
{
    const struct spoor_profile_totals totals = spoor_profile_totals(table->profile);
    const size_t line = text->size;
    text_printf(text, "%s: %s %s in %s %s", table->title, COUNT(totals.amount), totals.unit,
                COUNT(rows), things[table->by][rows != 1]);
    if (table->by == SPOOR_PROFILE_FUNCTIONS) {
        text_printf(text, ", %s call%s", COUNT(totals.calls), totals.calls == 1 ? "" : "s");
        if (totals.unreturned) text_printf(text, " (%s never returned)", COUNT(totals.unreturned));
        if (totals.exceptions)
            text_printf(text, ", %s exception%s", COUNT(totals.exceptions),
                        totals.exceptions == 1 ? "" : "s");
    }
    if (totals.cpus > 1) text_printf(text, ", %zu cpus", totals.cpus);
    narrow_title(text, line, table->columns);
    text_puts(text, "\n");
    if (totals.lost)
        text_printf(text,
                    "%s call%s too deep, or with too many kinds of callers: counted in a "
                    "call of the\nsame function further out, or without callers\n",
                    COUNT(totals.lost), totals.lost == 1 ? " is" : "s are");
    text_puts(text, "\n");
}

static void put_row(const struct profile_table *table, const struct spoor_profile_row *row,
                    const int widths[3], uint64_t all, struct text *text)
{
    const size_t line = text->size;
    const enum shade heat = shade_of_percent(percent(row->exclusive, all));
    shade_begin(text, heat);
    text_printf(text, "%*s %5.1f%%", widths[0], COUNT(row->exclusive),
                percent(row->exclusive, all));
    put_bar(table, (double)row->exclusive, (double)all, text);
    shade_end(text, heat);
    text_printf(text, "  %*s %5.1f%%  %*s  ", widths[1], COUNT(row->inclusive),
                percent(row->inclusive, all), widths[2], COUNT(row->calls));
    put_name(table, row, line, text);
    put_source(table, row, line, text);
    text_puts(text, "\n");
}

void profile_put_table(const struct profile_table *table, struct text *text)
{
    size_t count;
    const struct spoor_profile_row **rows = sorted(table, &count);
    const struct spoor_profile_totals totals = spoor_profile_totals(table->profile);
    const bool functions = table->by == SPOOR_PROFILE_FUNCTIONS;
    uint64_t calls = 0, inclusive = 0;
    if (!rows) {
        text->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (rows[i]->calls > calls) calls = rows[i]->calls;
        if (rows[i]->inclusive > inclusive) inclusive = rows[i]->inclusive;
    }
    const int widths[] = {width_of(count ? inclusive : 0, "exclusive"),
                          width_of(inclusive, "inclusive"),
                          width_of(calls, functions ? "calls" : "executions")};
    put_totals(table, count, text);
    text_printf(text, "%*s %*s  %*s         %*s  %s\n", widths[0], "exclusive", BAR + 7, "",
                widths[1], "inclusive", widths[2], functions ? "calls" : "executions",
                things[table->by][0]);
    for (size_t i = 0; i < count && i < table->top; i++)
        put_row(table, rows[i], widths, totals.amount, text);
    if (count > table->top)
        text_printf(text, "%s more: --all lists them\n", COUNT(count - (size_t)table->top));
    free(rows);
}

/* ---- one function ---- */

static void put_edges(const struct profile_table *table, size_t row, bool callers,
                      struct text *text)
{
    size_t count, rows;
    const struct spoor_profile_edge *edges = spoor_profile_edges(table->profile, &count);
    const struct spoor_profile_row *all = spoor_profile_rows(table->profile, &rows);
    const uint64_t total = spoor_profile_totals(table->profile).amount;
    bool any = false;
    text_printf(text, "\n%s\n", callers ? "called by" : "calls");
    for (size_t i = 0; i < count; i++) {
        if ((callers ? edges[i].callee : edges[i].caller) != row) continue;
        const struct spoor_profile_row *other = &all[callers ? edges[i].caller : edges[i].callee];
        const size_t line = text->size;
        any = true;
        text_printf(text, "%12s %5.1f%%", COUNT(edges[i].inclusive),
                    percent(edges[i].inclusive, total));
        put_bar(table, (double)edges[i].inclusive, (double)total, text);
        text_printf(text, "  %10s  ", COUNT(edges[i].calls));
        put_name(table, other, line, text);
        put_source(table, other, line, text);
        text_puts(text, "\n");
    }
    if (!any) text_puts(text, callers ? "  none in the trace\n" : "  nothing\n");
}

void profile_put_function(const struct profile_table *table, const struct spoor_profile_row *row,
                          struct text *text)
{
    size_t count;
    const size_t number = (size_t)(row - spoor_profile_rows(table->profile, &count));
    const struct spoor_profile_totals totals = spoor_profile_totals(table->profile);
    put_whole_name(table, row, text);
    if (table->by == SPOOR_PROFILE_FUNCTIONS && row->name)
        text_printf(text, "  0x%" PRIx64, row->address);
    if (table->by == SPOOR_PROFILE_FUNCTIONS && row->source) text_printf(text, "  %s", row->source);
    text_printf(text, "\n%12s %s (%.1f%%) with what it calls\n%12s %s (%.1f%%) itself\n%12s %s%s",
                COUNT(row->inclusive), totals.unit, percent(row->inclusive, totals.amount),
                COUNT(row->exclusive), totals.unit, percent(row->exclusive, totals.amount),
                COUNT(row->calls), table->by == SPOOR_PROFILE_FUNCTIONS ? "call" : "instruction",
                row->calls == 1 ? "" : "s");
    if (row->unreturned) text_printf(text, ", %s never returned", COUNT(row->unreturned));
    text_puts(text, "\n");
    put_edges(table, number, true, text);
    put_edges(table, number, false, text);
}

/* ---- two profiles ---- */

static uint64_t exclusive_of(const struct spoor_profile_row *row)
{
    return row ? row->exclusive : 0;
}

static const char *sign_of(int64_t number)
{
    return number < 0 ? "-" : "+";
}

static uint64_t magnitude(int64_t number)
{
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

void profile_put_changes(const struct profile_table *table, const struct spoor_profile *before,
                         const struct spoor_profile_change *changes, size_t count,
                         struct text *text)
{
    const struct spoor_profile_totals old = spoor_profile_totals(before);
    const struct spoor_profile_totals now = spoor_profile_totals(table->profile);
    const int64_t growth = (int64_t)(now.amount - old.amount);
    size_t same = 0, shown = 0;
    text_printf(text, "%s %s before, %s after: %s%s (%+.1f%%)\n\n", COUNT(old.amount), old.unit,
                COUNT(now.amount), sign_of(growth), COUNT(magnitude(growth)),
                old.amount ? 100.0 * (double)growth / (double)old.amount : 0.0);
    text_printf(text, "%12s %12s %12s %8s %10s  %s\n", "change", "before", "after", "",
                table->by == SPOOR_PROFILE_FUNCTIONS ? "calls" : "executions",
                things[table->by][0]);
    for (size_t i = 0; i < count; i++) {
        const struct spoor_profile_change *change = &changes[i];
        const uint64_t was = exclusive_of(change->before);
        if (!change->exclusive && !change->calls) {
            same++;
            continue;
        }
        if (shown++ >= table->top) continue;
        const size_t line = text->size;
        const enum shade shade = change->exclusive > 0 ? SHADE_ERROR : SHADE_GOOD;
        char words[COUNT_WORDS + 1];
        snprintf(words, sizeof words, "%s%s", sign_of(change->exclusive),
                 COUNT(magnitude(change->exclusive)));
        if (change->exclusive) shade_begin(text, shade);
        text_printf(text, "%12s", words);
        if (change->exclusive) shade_end(text, shade);
        text_printf(text, " %12s %12s", COUNT(was), COUNT(exclusive_of(change->after)));
        if (was && change->after)
            text_printf(text, " %+7.1f%%", 100.0 * (double)change->exclusive / (double)was);
        else
            text_printf(text, " %8s", change->before ? "gone" : "new");
        text_printf(text, " %+10" PRId64 "  ", change->calls);
        put_name(table, change->after ? change->after : change->before, line, text);
        text_puts(text, "\n");
    }
    if (shown > table->top)
        text_printf(text, "%s more: --all lists them\n", COUNT(shown - (size_t)table->top));
    if (same) text_printf(text, "%zu %s the same\n", same, same == 1 ? "row is" : "rows are");
}

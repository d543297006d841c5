/* SPDX-License-Identifier: MIT */
/*
 * coverage.c: counts executed instructions, and combines the counts with the lines and functions of
 * images.
 *
 * While a trace is read, a table counts each pc.  At its end the counts are added to the lines,
 * functions and branches of the images.  These are sorted arrays, so equal entries of several
 * traces are combined.
 */
#include "explore/coverage.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "model/options.h"
#include "query/where_status.h"

enum spoor_status spoor_coverage_new(struct spoor_coverage **coverage,
                                     const struct spoor_coverage_options *options,
                                     struct spoor_error *error)
{
    struct spoor_coverage_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_coverage *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->options = own;
    *coverage = made;
    return SPOOR_OK;
}

void spoor_coverage_free(struct spoor_coverage *coverage)
{
    if (!coverage) return;
    if (coverage->started) machine_free(&coverage->machine);
    pc_counts_free(&coverage->counts);
    free(coverage->cpus.items);
    free(coverage->addresses.items);
    free(coverage->lines.items);
    free(coverage->functions.items);
    free(coverage->parts.items);
    free(coverage->branches.items);
    strings_free(&coverage->strings);
    free(coverage);
}

static bool coverage_is_wanted(const struct spoor_coverage *coverage, const char *file)
{
    for (size_t i = 0; i < coverage->options.file_count; i++)
        if (file && fnmatch(coverage->options.files[i], file, 0) == 0) return true;
    return coverage->options.file_count == 0;
}

/* ---- counting ---- */

enum spoor_status spoor_coverage_feed(struct spoor_coverage *coverage,
                                      const struct spoor_batch *batch, struct spoor_error *error)
{
    struct machine *machine = &coverage->machine;
    if (!coverage->started && !machine_start(machine)) return memory_status(false, error);
    coverage->started = true;
    coverage->names = machine;
    machine_follow(machine, batch->stream);
    machine_see(machine, batch);
    const struct spoor_select *where = coverage->options.where;
    return where_status(pc_counts_add(&coverage->counts, machine, batch, where), where, error);
}

bool coverage_use_section(struct spoor_coverage *coverage, const struct machine *machine,
                          const uint8_t *bytes, size_t size)
{
    coverage->names = machine;
    return pc_counts_unpack(&coverage->counts, bytes, size);
}

/* ---- arrays ---- */

static void *coverage_add_row(struct spoor_coverage *coverage, struct rows_of *rows, size_t size)
{
    if (!array_grow(&rows->items, &rows->capacity, rows->count + 1, size)) {
        coverage->failed = true;
        return NULL;
    }
    return (char *)rows->items + rows->count++ * size;
}

static int coverage_compare_texts(const char *a, const char *b)
{
    return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int coverage_compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int coverage_compare_addresses(const void *left, const void *right)
{
    const struct executed *a = left, *b = right;
    return coverage_compare_numbers(a->pc, b->pc);
}

static int coverage_compare_lines(const void *left, const void *right)
{
    const struct covered_line *a = left, *b = right;
    const int order = coverage_compare_texts(a->file, b->file);
    return order ? order : coverage_compare_numbers(a->line, b->line);
}

static int coverage_compare_functions(const void *left, const void *right)
{
    const struct covered_function *a = left, *b = right;
    int order = coverage_compare_texts(a->file, b->file);
    if (!order) order = coverage_compare_numbers(a->line, b->line);
    return order ? order : coverage_compare_texts(a->name, b->name);
}

static int coverage_compare_parts(const void *left, const void *right)
{
    const struct covered_part *a = left, *b = right;
    int order = coverage_compare_texts(a->file, b->file);
    if (!order) order = coverage_compare_numbers(a->line, b->line);
    if (!order) order = coverage_compare_texts(a->name, b->name);
    return order ? order : coverage_compare_numbers(a->offset, b->offset);
}

static int coverage_compare_branches(const void *left, const void *right)
{
    const struct covered_branch *a = left, *b = right;
    int order = coverage_compare_texts(a->file, b->file);
    if (!order) order = coverage_compare_numbers(a->line, b->line);
    return order ? order : coverage_compare_numbers(a->ordinal, b->ordinal);
}

static uint64_t coverage_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

typedef int row_order(const void *, const void *);
typedef void row_join(void *into, const void *row);

static void coverage_join_addresses(void *into, const void *row)
{
    struct executed *to = into;
    const struct executed *from = row;
    to->count += from->count;
    to->taken += from->taken;
    to->not_taken += from->not_taken;
    to->branch |= from->branch;
    if (!to->size) to->size = from->size;
}

static void coverage_add_lines(void *into, const void *row)
{
    ((struct covered_line *)into)->count += ((const struct covered_line *)row)->count;
}

static void coverage_keep_larger_line(void *into, const void *row)
{
    struct covered_line *to = into;
    to->count = coverage_larger(to->count, ((const struct covered_line *)row)->count);
}

static void coverage_join_functions(void *into, const void *row)
{
    struct covered_function *to = into;
    const struct covered_function *from = row;
    to->count += from->count;
}

static void coverage_join_parts(void *into, const void *row)
{
    struct covered_part *to = into;
    if (!to->size) to->size = ((const struct covered_part *)row)->size;
}

static void coverage_join_branches(void *into, const void *row)
{
    struct covered_branch *to = into;
    const struct covered_branch *from = row;
    to->taken += from->taken;
    to->not_taken += from->not_taken;
}

/* Sorts the rows from `first` on and combines equal ones. */
static void coverage_fold_rows(struct rows_of *rows, size_t first, size_t size, row_order *order,
                               row_join *join)
{
    char *items = rows->items;
    if (rows->count <= first) return;
    qsort(items + first * size, rows->count - first, size, order);
    size_t kept = first;
    for (size_t i = first + 1; i < rows->count; i++) {
        char *last = items + kept * size, *row = items + i * size;
        if (order(last, row) == 0)
            join(last, row);
        else if (++kept != i)
            memcpy(last + size, row, size);
    }
    rows->count = kept + 1;
}

/* ---- from addresses to lines ---- */

struct trace_coverage {
    struct spoor_coverage *coverage;
    const struct executed *executed; /* instructions of the current trace, sorted by address */
    size_t count;
};

/* Returns the index of the first instruction at or after an address. */
static size_t coverage_first_at(const struct trace_coverage *trace, uint64_t address)
{
    return SORTED_BELOW(trace->executed, trace->count, pc, address);
}

static const char *coverage_intern(struct spoor_coverage *coverage, const char *text)
{
    const char *interned = text ? strings_interned(&coverage->strings, text) : NULL;
    coverage->failed |= text && !interned;
    return interned;
}

static bool coverage_join_line(void *context, const struct spoor_line *line)
{
    const struct trace_coverage *trace = context;
    struct spoor_coverage *coverage = trace->coverage;
    if (!coverage_is_wanted(coverage, line->file)) return true;
    struct covered_line *row = coverage_add_row(coverage, &coverage->lines, sizeof *row);
    if (!row) return false;
    *row = (struct covered_line){coverage_intern(coverage, line->file), line->line, 0};
    for (size_t i = coverage_first_at(trace, line->address);
         i < trace->count && trace->executed[i].pc < line->end; i++)
        row->count = coverage_larger(row->count, trace->executed[i].count);
    return true;
}

static void coverage_add_parts(const struct trace_coverage *trace,
                               const struct covered_function *function, uint64_t start,
                               uint64_t size)
{
    struct spoor_coverage *coverage = trace->coverage;
    for (size_t i = coverage_first_at(trace, start);
         i < trace->count && trace->executed[i].pc - start < size; i++) {
        struct covered_part *part = coverage_add_row(coverage, &coverage->parts, sizeof *part);
        if (!part) return;
        *part = (struct covered_part){.file = function->file,
                                      .name = function->name,
                                      .line = function->line,
                                      .size = trace->executed[i].size,
                                      .offset = trace->executed[i].pc - start};
    }
}

static void coverage_join_all_functions(const struct trace_coverage *trace,
                                        struct spoor_images *images)
{
    struct spoor_coverage *coverage = trace->coverage;
    struct spoor_place place;
    for (size_t n = 0; spoor_images_nth_function(images, n, &place) && !coverage->failed; n++) {
        const uint64_t start = place.start, size = place.size;
        const char *name = place.function;
        spoor_images_resolve(images, start, &place);
        if (!coverage_is_wanted(coverage, place.file)) continue;
        struct covered_function *row =
            coverage_add_row(coverage, &coverage->functions, sizeof *row);
        if (!row) return;
        const size_t at = coverage_first_at(trace, start);
        *row = (struct covered_function){.file = coverage_intern(coverage, place.file),
                                         .name = coverage_intern(coverage, name),
                                         .line = place.line};
        row->size = size;
        coverage_add_parts(trace, row, start, size);
        if (at < trace->count && trace->executed[at].pc == start)
            row->count = trace->executed[at].count;
        else if (at < trace->count && trace->executed[at].pc - start < size)
            row->count = 1; /* entered elsewhere, as a part is that the compiler moved away */
    }
}

static void coverage_join_all_branches(const struct trace_coverage *trace,
                                       struct spoor_images *images)
{
    struct spoor_coverage *coverage = trace->coverage;
    const size_t first = coverage->branches.count;
    for (size_t i = 0; i < trace->count && !coverage->failed; i++) {
        const struct executed *executed = &trace->executed[i];
        struct spoor_place place;
        if (!executed->branch || !spoor_images_resolve(images, executed->pc, &place)) continue;
        if (!place.file || !place.line || !coverage_is_wanted(coverage, place.file)) continue;
        struct covered_branch *row = coverage_add_row(coverage, &coverage->branches, sizeof *row);
        if (!row) return;
        *row = (struct covered_branch){coverage_intern(coverage, place.file), place.line,
                                       (uint32_t)i, executed->taken, executed->not_taken};
    }
    /* number the branches of each line in the order of their addresses */
    struct covered_branch *rows = coverage->branches.items;
    const size_t count = coverage->branches.count;
    if (count == first) return;
    qsort(rows + first, count - first, sizeof *rows, coverage_compare_branches);
    for (size_t i = first; i < count; i++) {
        const bool same =
            i > first && rows[i].file == rows[i - 1].file && rows[i].line == rows[i - 1].line;
        rows[i].ordinal = same ? rows[i - 1].ordinal + 1 : 0;
    }
}

static void coverage_join_images(const struct trace_coverage *trace, struct spoor_images *images)
{
    struct spoor_coverage *coverage = trace->coverage;
    const size_t first = coverage->lines.count;
    spoor_images_each_line(images, coverage_join_line, (void *)(uintptr_t)trace);
    coverage_fold_rows(&coverage->lines, first, sizeof(struct covered_line), coverage_compare_lines,
                       coverage_keep_larger_line);
    coverage_fold_rows(&coverage->lines, 0, sizeof(struct covered_line), coverage_compare_lines,
                       coverage_add_lines);
    coverage_join_all_functions(trace, images);
    coverage_fold_rows(&coverage->functions, 0, sizeof(struct covered_function),
                       coverage_compare_functions, coverage_join_functions);
    coverage_fold_rows(&coverage->parts, 0, sizeof(struct covered_part), coverage_compare_parts,
                       coverage_join_parts);
    coverage_join_all_branches(trace, images);
    coverage_fold_rows(&coverage->branches, 0, sizeof(struct covered_branch),
                       coverage_compare_branches, coverage_join_branches);
}

/* ---- the end of a trace ---- */

static int coverage_compare_cpus(const void *left, const void *right)
{
    const struct covered_cpu *a = left, *b = right;
    return coverage_compare_texts(a->name, b->name);
}

static void coverage_join_cpus(void *into, const void *row)
{
    struct covered_cpu *to = into;
    const struct covered_cpu *from = row;
    to->instructions += from->instructions;
    if (from->addresses > to->addresses) to->addresses = from->addresses;
}

static void coverage_add_cpus(struct spoor_coverage *coverage)
{
    for (unsigned i = 0; coverage->names && i < coverage->counts.count; i++) {
        const struct pc_table *table = &coverage->counts.cpus[i];
        struct covered_cpu *row = coverage_add_row(coverage, &coverage->cpus, sizeof *row);
        if (!row) return;
        *row = (struct covered_cpu){
            .name = coverage_intern(coverage, machine_cpu_name(coverage->names, i)),
            .addresses = table->count};
        for (size_t at = 0; at < table->count; at++) row->instructions += table->items[at].count;
    }
    coverage_fold_rows(&coverage->cpus, 0, sizeof(struct covered_cpu), coverage_compare_cpus,
                       coverage_join_cpus);
}

enum spoor_status spoor_coverage_end(struct spoor_coverage *coverage, struct spoor_images *images,
                                     struct spoor_error *error)
{
    bool good = true;
    if (coverage->names == &coverage->machine)
        good = pc_counts_end(&coverage->counts, &coverage->machine);
    size_t count;
    const unsigned cpu = pc_counts_chosen_cpu(coverage->names, coverage->options.cpu);
    struct pc_count *rows = pc_counts_sorted(&coverage->counts, cpu, &count);
    struct executed *executed = calloc(count + 1, sizeof *executed);
    coverage->failed |= !executed || coverage->counts.failed;
    for (size_t i = 0; i < count && executed; i++) {
        executed[i] = (struct executed){rows[i].pc,        rows[i].count, rows[i].taken,
                                        rows[i].not_taken, rows[i].size,  rows[i].branch};
        coverage->instructions += rows[i].count;
        struct executed *row = coverage_add_row(coverage, &coverage->addresses, sizeof *row);
        if (row) *row = executed[i];
    }
    if (images && executed)
        coverage_join_images(&(struct trace_coverage){coverage, executed, count}, images);
    coverage_fold_rows(&coverage->addresses, 0, sizeof *executed, coverage_compare_addresses,
                       coverage_join_addresses);
    free(executed);
    free(rows);
    coverage_add_cpus(coverage);
    pc_counts_free(&coverage->counts);
    if (coverage->started) machine_free(&coverage->machine);
    coverage->started = false;
    coverage->names = NULL;
    coverage->traces++;
    return memory_status(good && !coverage->failed, error);
}

uint64_t spoor_coverage_traces(const struct spoor_coverage *coverage)
{
    return coverage->traces + (coverage->names != NULL);
}

uint64_t spoor_coverage_instructions(const struct spoor_coverage *coverage)
{
    return coverage->instructions;
}

/* SPDX-License-Identifier: MIT */
/*
 * coverage.c: counts executed instructions, and combines the counts with the lines and functions of
 * images.
 *
 * While a trace is read, a table counts each pc.  At its end the counts are added to the lines,
 * functions and branches of the images.  These are sorted arrays, so equal entries of several
 * traces are combined.
 */
#include "spoor/coverage.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "base/text.h"
#include "explore/index_use.h"
#include "image/images.h"
#include "model/options.h"
#include "query/where_status.h"

/* A row of each list: what is not of its kind is zero.  Rows that are equal up to `number` are
 * combined. */
struct coverage_entry {
    const char *file, *name; /* interned; NULL: unknown.  Of a processor: its name */
    uint32_t line;
    bool branch;     /* of an address: a conditional branch */
    uint64_t number; /* address; of a part: its offset in the function, wherever that is loaded; of
                      * a branch: its index among those of the line, by address */
    uint64_t count, taken, not_taken;
    uint64_t size; /* bytes of a function, or of an instruction, 0: not stated; of a processor: its
                    * distinct addresses */
};

struct covered_rows {
    struct coverage_entry *items;
    size_t count, capacity;
};

struct spoor_coverage {
    struct strings strings; /* file and function names, interned: equal names are one string */
    struct spoor_coverage_options options;
    bool failed; /* memory ran out */
    /* the current trace */
    struct machine machine;
    const struct machine *names; /* of its processors: NULL before its first batch */
    bool started;                /* `machine` is to be freed */
    struct pc_counts counts;
    /* all traces */
    uint64_t traces, instructions;
    /* parts: the executed instructions of functions */
    struct covered_rows addresses, lines, functions, parts, branches, cpus;
    /* with `keeps_modules`.  file: the path of an image, NULL: it is the 4 GiB from `line` times
     * 4 GiB on; number, size: of a module, its first address and its bytes; of a block, its offset
     * in the module, and the bytes of the instruction */
    struct covered_rows modules, blocks;
};

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
    free(coverage->modules.items);
    free(coverage->blocks.items);
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
    return where_status(pc_counts_add(&coverage->counts, machine, batch, where, NULL), where,
                        error);
}

enum spoor_status spoor_coverage_use_index(struct spoor_coverage *coverage,
                                           const struct spoor_index *index,
                                           struct spoor_error *error)
{
    if (coverage->options.where) return index_use_not_kept("instructions one by one", error);
    return index_use_counts(index, &coverage->counts, &coverage->names, error);
}

/* ---- arrays ---- */

static struct coverage_entry *coverage_add_row(struct spoor_coverage *coverage,
                                               struct covered_rows *rows, struct coverage_entry row)
{
    if (!array_reserve(&rows->items, &rows->capacity, rows->count + 1)) {
        coverage->failed = true;
        return NULL;
    }
    rows->items[rows->count] = row;
    return &rows->items[rows->count++];
}

static int coverage_order(const void *left, const void *right)
{
    const struct coverage_entry *a = left, *b = right;
    if (a->file != b->file) {
        const int order = !a->file ? -1 : !b->file ? 1 : strcmp(a->file, b->file);
        if (order) return order;
    }
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    if (a->name != b->name) {
        const int order = !a->name ? -1 : !b->name ? 1 : strcmp(a->name, b->name);
        if (order) return order;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Sorts the rows from `first` on and combines equal ones; `largest`: their largest count is kept,
 * not the sum. */
static void coverage_fold_rows(struct covered_rows *rows, size_t first, bool largest)
{
    struct coverage_entry *items = rows->items;
    if (rows->count <= first) return;
    qsort(items + first, rows->count - first, sizeof *items, coverage_order);
    size_t kept = first;
    for (size_t i = first + 1; i < rows->count; i++) {
        struct coverage_entry *last = &items[kept];
        const struct coverage_entry *row = &items[i];
        if (coverage_order(last, row) != 0) {
            items[++kept] = *row;
            continue;
        }
        if (!largest)
            last->count += row->count;
        else if (row->count > last->count)
            last->count = row->count;
        last->taken += row->taken;
        last->not_taken += row->not_taken;
        last->branch |= row->branch;
        if (!last->size) last->size = row->size;
    }
    rows->count = kept + 1;
}

/* ---- from addresses to lines ---- */

struct trace_coverage {
    struct spoor_coverage *coverage;
    const struct pc_count *executed; /* instructions of the current trace, sorted by address */
    size_t count;
};

static const char *coverage_intern(struct spoor_coverage *coverage, const char *text)
{
    const char *interned = text ? strings_interned(&coverage->strings, text) : NULL;
    coverage->failed |= text && !interned;
    return interned;
}

static bool coverage_join_line(void *context, const struct line_row *line)
{
    const struct trace_coverage *trace = context;
    struct spoor_coverage *coverage = trace->coverage;
    if (!coverage_is_wanted(coverage, line->file)) return true;
    struct coverage_entry row = {.file = coverage_intern(coverage, line->file), .line = line->line};
    for (size_t i = SORTED_BELOW(trace->executed, trace->count, pc, line->address);
         i < trace->count && trace->executed[i].pc < line->end; i++)
        if (trace->executed[i].count > row.count) row.count = trace->executed[i].count;
    return coverage_add_row(coverage, &coverage->lines, row);
}

static void coverage_join_functions(const struct trace_coverage *trace, struct spoor_images *images)
{
    struct spoor_coverage *coverage = trace->coverage;
    struct spoor_place place = {.struct_size = sizeof place};
    for (size_t n = 0; spoor_images_nth_function(images, n, &place) && !coverage->failed; n++) {
        const uint64_t start = place.start, size = place.size;
        const char *name = place.function;
        spoor_images_resolve(images, start, &place);
        if (!coverage_is_wanted(coverage, place.file)) continue;
        struct coverage_entry row = {.file = coverage_intern(coverage, place.file),
                                     .name = coverage_intern(coverage, name),
                                     .line = place.line};
        const size_t first = SORTED_BELOW(trace->executed, trace->count, pc, start);
        size_t at = first;
        for (; at < trace->count && trace->executed[at].pc - start < size; at++) {
            struct coverage_entry part = row;
            part.size = trace->executed[at].size;
            part.number = trace->executed[at].pc - start;
            coverage_add_row(coverage, &coverage->parts, part);
        }
        row.size = size;
        if (first < trace->count && trace->executed[first].pc == start)
            row.count = trace->executed[first].count;
        else if (at > first)
            row.count = 1; /* entered elsewhere, as a part is that the compiler moved away */
        coverage_add_row(coverage, &coverage->functions, row);
    }
}

static void coverage_join_branches(const struct trace_coverage *trace, struct spoor_images *images)
{
    struct spoor_coverage *coverage = trace->coverage;
    const size_t first = coverage->branches.count;
    for (size_t i = 0; i < trace->count && !coverage->failed; i++) {
        const struct pc_count *executed = &trace->executed[i];
        struct spoor_place place = {.struct_size = sizeof place};
        if (!executed->branch || !spoor_images_resolve(images, executed->pc, &place)) continue;
        if (!place.file || !place.line || !coverage_is_wanted(coverage, place.file)) continue;
        coverage_add_row(coverage, &coverage->branches,
                         (struct coverage_entry){.file = coverage_intern(coverage, place.file),
                                                 .line = place.line,
                                                 .number = i,
                                                 .taken = executed->taken,
                                                 .not_taken = executed->not_taken});
    }
    /* number the branches of each line in the order of their addresses */
    struct coverage_entry *rows = coverage->branches.items;
    const size_t count = coverage->branches.count;
    if (count == first) return;
    qsort(rows + first, count - first, sizeof *rows, coverage_order);
    for (size_t i = first; i < count; i++) {
        const bool same =
            i > first && rows[i].file == rows[i - 1].file && rows[i].line == rows[i - 1].line;
        rows[i].number = same ? rows[i - 1].number + 1 : 0;
    }
}

/* ---- from addresses to modules ---- */

static void coverage_join_modules(const struct trace_coverage *trace, struct spoor_images *images)
{
    struct spoor_coverage *coverage = trace->coverage;
    enum { REGION_SHIFT = 32 };
    for (size_t i = 0; i < trace->count && !coverage->failed; i++) {
        const struct pc_count *executed = &trace->executed[i];
        struct image_module found;
        const uint32_t region = (uint32_t)(executed->pc >> REGION_SHIFT);
        struct coverage_entry module = {.line = region,
                                        .number = executed->pc >> REGION_SHIFT << REGION_SHIFT,
                                        .size = UINT64_C(1) << REGION_SHIFT};
        if (images && images_find_module(images, executed->pc, &found)) {
            module = (struct coverage_entry){.file = coverage_intern(coverage, found.path),
                                             .number = found.begin,
                                             .size = found.end - found.begin};
        }
        const struct coverage_entry block = {.file = module.file,
                                             .line = module.line,
                                             .number = executed->pc - module.number,
                                             .count = executed->count,
                                             .size = executed->size};
        struct covered_rows *modules = &coverage->modules;
        size_t n = modules->count; /* the last ones are the likely ones */
        while (n > 0 && (modules->items[n - 1].file != module.file ||
                         modules->items[n - 1].line != module.line))
            n--;
        if (n == 0) coverage_add_row(coverage, modules, module);
        coverage_add_row(coverage, &coverage->blocks, block);
    }
}

/* ---- the end of a trace ---- */

enum spoor_status spoor_coverage_end(struct spoor_coverage *coverage, struct spoor_images *images,
                                     struct spoor_error *error)
{
    bool good = true;
    if (coverage->names == &coverage->machine)
        good = pc_counts_end(&coverage->counts, &coverage->machine);
    size_t count;
    const unsigned cpu = pc_counts_chosen_cpu(coverage->names, coverage->options.cpu);
    struct pc_count *rows = pc_counts_sorted(&coverage->counts, cpu, &count);
    coverage->failed |= coverage->counts.failed;
    for (size_t i = 0; rows && i < count; i++) {
        coverage->instructions += rows[i].count;
        coverage_add_row(coverage, &coverage->addresses,
                         (struct coverage_entry){.number = rows[i].pc,
                                                 .count = rows[i].count,
                                                 .taken = rows[i].taken,
                                                 .not_taken = rows[i].not_taken,
                                                 .size = rows[i].size,
                                                 .branch = rows[i].branch});
    }
    if (images) {
        const struct trace_coverage trace = {coverage, rows, count};
        const size_t first = coverage->lines.count;
        images_each_line(images, coverage_join_line, (void *)(uintptr_t)&trace);
        coverage_fold_rows(&coverage->lines, first, true);
        coverage_fold_rows(&coverage->lines, 0, false);
        coverage_join_functions(&trace, images);
        coverage_fold_rows(&coverage->functions, 0, false);
        coverage_fold_rows(&coverage->parts, 0, false);
        coverage_join_branches(&trace, images);
        coverage_fold_rows(&coverage->branches, 0, false);
    }
    coverage_fold_rows(&coverage->addresses, 0, false);
    if (rows && coverage->options.keeps_modules) {
        const struct trace_coverage trace = {coverage, rows, count};
        coverage_join_modules(&trace, images);
        coverage_fold_rows(&coverage->blocks, 0, false);
    }
    free(rows);
    struct covered_rows *cpus = &coverage->cpus;
    for (unsigned i = 0; coverage->names && i < coverage->counts.count; i++) {
        const struct pc_table *table = &coverage->counts.cpus[i];
        const char *name = coverage_intern(coverage, machine_cpu_name(coverage->names, i));
        size_t n = 0;
        while (n < cpus->count && cpus->items[n].name != name) n++;
        if (n == cpus->count &&
            !coverage_add_row(coverage, cpus, (struct coverage_entry){.name = name}))
            break;
        struct coverage_entry *row = &cpus->items[n];
        if (table->count > row->size) row->size = table->count;
        for (size_t at = 0; at < table->count; at++) row->count += table->items[at].count;
    }
    if (cpus->count) qsort(cpus->items, cpus->count, sizeof *cpus->items, coverage_order);
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

/* ---- as a result tree, and as the tracefile of lcov ---- */

struct tally {
    uint64_t all, hit;
};

static void tally_count(struct tally *tally, bool hit)
{
    tally->all++;
    tally->hit += hit;
}

/* The rows of a unit; `missing`: only what was not executed. */
static void coverage_put_rows(const struct spoor_coverage *coverage, enum spoor_coverage_unit unit,
                              bool missing, struct spoor_result *result)
{
    const struct {
        const char *key;
        const struct covered_rows *rows;
    } lists[] = {[SPOOR_COVERAGE_FILES] = {"files", &coverage->lines},
                 [SPOOR_COVERAGE_FUNCTIONS] = {"functions", &coverage->functions},
                 [SPOOR_COVERAGE_LINES] = {"lines", &coverage->lines},
                 [SPOOR_COVERAGE_BRANCHES] = {"branches", &coverage->addresses},
                 [SPOOR_COVERAGE_ADDRESSES] = {"addresses", &coverage->addresses},
                 [SPOOR_COVERAGE_CPUS] = {"cpus", &coverage->cpus}};
    const struct covered_rows *rows = lists[unit].rows, *parts = &coverage->parts;
    if (!rows) return; /* of a summary */
    struct spoor_result *array = spoor_result_array(result, lists[unit].key);
    struct tally file = {0, 0};
    size_t part = 0; /* they are in the order of the functions */
    for (size_t i = 0; i < rows->count; i++) {
        const struct coverage_entry *at = &rows->items[i];
        uint64_t bytes = 0;
        bool left_out = missing && at->count;
        if (unit == SPOOR_COVERAGE_FILES) {
            tally_count(&file, at->count);
            if (i + 1 < rows->count && at[1].file == at->file) continue;
            left_out = missing && file.hit;
        } else if (unit == SPOOR_COVERAGE_BRANCHES) {
            left_out = !at->branch || (missing && at->taken && at->not_taken);
        } else if (unit == SPOOR_COVERAGE_FUNCTIONS) {
            for (; part < parts->count && parts->items[part].name == at->name &&
                   parts->items[part].file == at->file && parts->items[part].line == at->line;
                 part++)
                bytes += parts->items[part].size;
        } else if (unit != SPOOR_COVERAGE_LINES) {
            left_out = false;
        }
        struct spoor_result *row = left_out ? NULL : spoor_result_object(array, NULL);
        switch (left_out ? SPOOR_COVERAGE_SUMMARY : unit) {
        case SPOOR_COVERAGE_SUMMARY: break;
        case SPOOR_COVERAGE_FILES:
            spoor_result_text(row, "file", at->file);
            spoor_result_unsigned(row, "lines", file.all);
            spoor_result_unsigned(row, "executed", file.hit);
            spoor_result_real(row, "executed_ratio", (double)file.hit / (double)file.all, 4);
            break;
        case SPOOR_COVERAGE_FUNCTIONS:
            spoor_result_text(row, "function", at->name);
            spoor_result_text(row, "file", at->file);
            spoor_result_unsigned_if(row, "line", at->line, at->line);
            spoor_result_unsigned(row, "count", at->count);
            spoor_result_unsigned(row, "bytes", at->size);
            spoor_result_unsigned(row, "executed", bytes < at->size ? bytes : at->size);
            break;
        case SPOOR_COVERAGE_LINES:
            spoor_result_text(row, "file", at->file);
            spoor_result_unsigned(row, "line", at->line);
            spoor_result_unsigned(row, "count", at->count);
            break;
        case SPOOR_COVERAGE_BRANCHES:
            spoor_result_hex(row, "pc", at->number);
            spoor_result_unsigned(row, "taken", at->taken);
            spoor_result_unsigned(row, "not_taken", at->not_taken);
            break;
        case SPOOR_COVERAGE_ADDRESSES:
            spoor_result_hex(row, "pc", at->number);
            spoor_result_unsigned_if(row, "size", at->size, at->size);
            spoor_result_unsigned(row, "count", at->count);
            break;
        case SPOOR_COVERAGE_CPUS:
            spoor_result_text(row, "cpu", *at->name ? at->name : NULL);
            spoor_result_unsigned(row, "instructions", at->count);
            spoor_result_unsigned(row, "unique_instructions", at->size);
            break;
        }
        file = (struct tally){0, 0};
    }
}

enum spoor_status spoor_coverage_report(const struct spoor_coverage *coverage,
                                        enum spoor_coverage_unit unit, bool missing,
                                        struct spoor_result *result)
{
    /* what the counts below lack, where they are 0 for no other reason */
    struct spoor_result *list = spoor_result_array(result, "missing");
    if (!coverage->functions.count)
        spoor_result_text(list, NULL, "functions: no image of the program names them");
    if (!coverage->lines.count)
        spoor_result_text(list, NULL, "lines: no image of the program has their numbers");
    spoor_result_unsigned(result, "traces", coverage->traces);
    spoor_result_unsigned(result, "instructions", coverage->instructions);
    spoor_result_unsigned(result, "unique_instructions", coverage->addresses.count);
    const struct covered_rows *lists[] = {&coverage->functions, &coverage->lines,
                                          &coverage->addresses};
    static const char *const keys[] = {"function_coverage", "line_coverage", "branch_ways"};
    for (size_t n = 0; n < 3; n++) {
        struct tally tally = {0, 0};
        for (size_t i = 0; i < lists[n]->count; i++) {
            const struct coverage_entry *at = &lists[n]->items[i];
            if (n < 2) tally_count(&tally, at->count);
            if (!at->branch) continue; /* the ways of branches that never ran are unknown */
            tally_count(&tally, at->taken);
            tally_count(&tally, at->not_taken);
        }
        struct spoor_result *object = spoor_result_object(result, keys[n]);
        spoor_result_unsigned(object, "all", tally.all);
        spoor_result_unsigned(object, "executed", tally.hit);
        if (tally.all)
            spoor_result_real(object, "executed_ratio", (double)tally.hit / (double)tally.all, 4);
    }
    coverage_put_rows(coverage, unit, missing, result);
    return result_status(result);
}

char *spoor_coverage_to_lcov(const struct spoor_coverage *coverage, size_t *size)
{
    const struct coverage_entry *lines = coverage->lines.items,
                                *functions = coverage->functions.items,
                                *branches = coverage->branches.items;
    const size_t function_count = coverage->functions.count;
    size_t line = 0, function = 0, branch = 0; /* in the arrays, all in the order of files */
    struct text text = {0};
    while (line < coverage->lines.count) {
        const char *file = lines[line].file;
        struct tally tally = {0, 0};
        text_printf(&text, "TN:\nSF:%s\n", file);
        while (function < function_count &&
               (!functions[function].file || strcmp(functions[function].file, file) < 0))
            function++;
        for (size_t i = function; i < function_count && functions[i].file == file; i++)
            if (functions[i].line)
                text_printf(&text, "FN:%u,%s\n", functions[i].line, functions[i].name);
        for (; function < function_count && functions[function].file == file; function++) {
            const struct coverage_entry *at = &functions[function];
            if (!at->line) continue;
            tally_count(&tally, at->count);
            text_printf(&text, "FNDA:%" PRIu64 ",%s\n", at->count, at->name);
        }
        text_printf(&text, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", tally.all, tally.hit);
        tally = (struct tally){0, 0};
        while (branch < coverage->branches.count && strcmp(branches[branch].file, file) < 0)
            branch++;
        for (; branch < coverage->branches.count && branches[branch].file == file; branch++) {
            const struct coverage_entry *at = &branches[branch];
            const unsigned number = (unsigned)at->number;
            tally_count(&tally, at->taken);
            tally_count(&tally, at->not_taken);
            text_printf(&text, "BRDA:%u,%u,0,%" PRIu64 "\nBRDA:%u,%u,1,%" PRIu64 "\n", at->line,
                        number, at->taken, at->line, number, at->not_taken);
        }
        if (tally.all)
            text_printf(&text, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", tally.all, tally.hit);
        tally = (struct tally){0, 0};
        for (; line < coverage->lines.count && lines[line].file == file; line++) {
            tally_count(&tally, lines[line].count);
            text_printf(&text, "DA:%u,%" PRIu64 "\n", lines[line].line, lines[line].count);
        }
        text_printf(&text, "LF:%" PRIu64 "\nLH:%" PRIu64 "\n", tally.all, tally.hit);
        text_puts(&text, "end_of_record\n");
    }
    return text_hand_out(&text, size);
}

/* ---- as a log of drcov ---- */

char *spoor_coverage_to_drcov(const struct spoor_coverage *coverage, size_t *size)
{
    const struct covered_rows *modules = &coverage->modules, *blocks = &coverage->blocks;
    struct text text = {0};
    text_printf(&text,
                "DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\n"
                "Module Table: version 2, count %zu\nColumns: id, base, end, entry, path\n",
                modules->count);
    for (size_t i = 0; i < modules->count; i++) {
        const struct coverage_entry *module = &modules->items[i];
        const uint64_t end = module->number + module->size;
        text_printf(&text, "%3zu, 0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016x, ", i, module->number,
                    end < module->number ? UINT64_MAX : end, 0);
        if (module->file)
            text_printf(&text, "%s\n", module->file);
        else
            text_printf(&text, "unknown-0x%" PRIx64 "\n", module->number);
    }
    text_printf(&text, "BB Table: %zu bbs\n", blocks->count);
    for (size_t i = 0; i < blocks->count; i++) {
        const struct coverage_entry *block = &blocks->items[i];
        size_t n = 0;
        while (modules->items[n].file != block->file || modules->items[n].line != block->line) n++;
        /* of an instruction whose size is not stated, its first byte ran */
        const uint32_t start = (uint32_t)block->number;
        const uint16_t bytes = block->size ? (uint16_t)block->size : 1, id = (uint16_t)n;
        text_put(&text, (const char *)&start, sizeof start);
        text_put(&text, (const char *)&bytes, sizeof bytes);
        text_put(&text, (const char *)&id, sizeof id);
    }
    return text_hand_out(&text, size);
}

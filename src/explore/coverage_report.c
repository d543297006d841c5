/* SPDX-License-Identifier: MIT */
/* coverage_report.c: writes coverage as a result tree and as lcov's tracefile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explore/coverage.h"
#include "model/options.h"

/* ---- totals ---- */

struct tally {
    uint64_t all, hit;
};

static void coverage_put_tally(struct spoor_result *result, const char *key, struct tally tally)
{
    struct spoor_result *object = spoor_result_object(result, key);
    spoor_result_unsigned(object, "all", tally.all);
    spoor_result_unsigned(object, "executed", tally.hit);
    if (tally.all)
        spoor_result_real(object, "executed_ratio", (double)tally.hit / (double)tally.all, 4);
}

static void tally_count(struct tally *tally, bool hit)
{
    tally->all++;
    tally->hit += hit;
}

/* ---- rows ---- */

static void coverage_put_files(const struct spoor_coverage *coverage, bool missing,
                               struct spoor_result *result)
{
    struct spoor_result *array = spoor_result_array(result, "files");
    const struct covered_line *lines = coverage->lines.items;
    for (size_t i = 0; i < coverage->lines.count;) {
        struct tally tally = {0, 0};
        const char *file = lines[i].file;
        for (; i < coverage->lines.count && lines[i].file == file; i++)
            tally_count(&tally, lines[i].count);
        if (missing && tally.hit) continue;
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "file", file);
        spoor_result_unsigned(row, "lines", tally.all);
        spoor_result_unsigned(row, "executed", tally.hit);
        spoor_result_real(row, "executed_ratio", (double)tally.hit / (double)tally.all, 4);
    }
}

/* Returns the executed bytes of a function.  The parts are in the order of the functions. */
static uint64_t coverage_executed_bytes(const struct spoor_coverage *coverage,
                                        const struct covered_function *function, size_t *at)
{
    const struct covered_part *parts = coverage->parts.items;
    uint64_t bytes = 0;
    for (; *at < coverage->parts.count; ++*at) {
        const struct covered_part *part = &parts[*at];
        if (part->name != function->name || part->file != function->file ||
            part->line != function->line)
            break;
        bytes += part->size;
    }
    return bytes < function->size ? bytes : function->size;
}

static void coverage_put_functions(const struct spoor_coverage *coverage, bool missing,
                                   struct spoor_result *result)
{
    struct spoor_result *array = spoor_result_array(result, "functions");
    const struct covered_function *functions = coverage->functions.items;
    size_t part = 0;
    for (size_t i = 0; i < coverage->functions.count; i++) {
        const struct covered_function *function = &functions[i];
        const uint64_t bytes = coverage_executed_bytes(coverage, function, &part);
        if (missing && function->count) continue;
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "function", function->name);
        spoor_result_text(row, "file", function->file);
        spoor_result_unsigned_if(row, "line", function->line, function->line);
        spoor_result_unsigned(row, "count", function->count);
        spoor_result_unsigned(row, "bytes", function->size);
        spoor_result_unsigned(row, "executed", bytes);
    }
}

static void coverage_put_lines(const struct spoor_coverage *coverage, bool missing,
                               struct spoor_result *result)
{
    struct spoor_result *array = spoor_result_array(result, "lines");
    const struct covered_line *lines = coverage->lines.items;
    for (size_t i = 0; i < coverage->lines.count; i++) {
        if (missing && lines[i].count) continue;
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "file", lines[i].file);
        spoor_result_unsigned(row, "line", lines[i].line);
        spoor_result_unsigned(row, "count", lines[i].count);
    }
}

static void coverage_put_branches(const struct spoor_coverage *coverage, bool missing,
                                  struct spoor_result *result)
{
    struct spoor_result *array = spoor_result_array(result, "branches");
    const struct executed *addresses = coverage->addresses.items;
    for (size_t i = 0; i < coverage->addresses.count; i++) {
        const struct executed *at = &addresses[i];
        if (!at->branch || (missing && at->taken && at->not_taken)) continue;
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_hex(row, "pc", at->pc);
        spoor_result_unsigned(row, "taken", at->taken);
        spoor_result_unsigned(row, "not_taken", at->not_taken);
    }
}

static void coverage_put_addresses(const struct spoor_coverage *coverage,
                                   struct spoor_result *result)
{
    struct spoor_result *array = spoor_result_array(result, "addresses");
    const struct executed *addresses = coverage->addresses.items;
    for (size_t i = 0; i < coverage->addresses.count; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_hex(row, "pc", addresses[i].pc);
        spoor_result_unsigned_if(row, "size", addresses[i].size, addresses[i].size);
        spoor_result_unsigned(row, "count", addresses[i].count);
    }
}

static void coverage_put_cpus(const struct spoor_coverage *coverage, struct spoor_result *result)
{
    struct spoor_result *array = spoor_result_array(result, "cpus");
    const struct covered_cpu *cpus = coverage->cpus.items;
    for (size_t i = 0; i < coverage->cpus.count; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "cpu", *cpus[i].name ? cpus[i].name : NULL);
        spoor_result_unsigned(row, "instructions", cpus[i].instructions);
        spoor_result_unsigned(row, "unique_instructions", cpus[i].addresses);
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
    const struct covered_function *functions = coverage->functions.items;
    const struct covered_line *lines = coverage->lines.items;
    const struct executed *addresses = coverage->addresses.items;
    struct tally of_functions = {0, 0}, of_lines = {0, 0}, of_ways = {0, 0};
    for (size_t i = 0; i < coverage->functions.count; i++)
        tally_count(&of_functions, functions[i].count);
    for (size_t i = 0; i < coverage->lines.count; i++) tally_count(&of_lines, lines[i].count);
    for (size_t i = 0; i < coverage->addresses.count; i++) {
        if (!addresses[i].branch) continue; /* the ways of branches that never ran are unknown */
        tally_count(&of_ways, addresses[i].taken);
        tally_count(&of_ways, addresses[i].not_taken);
    }
    coverage_put_tally(result, "function_coverage", of_functions);
    coverage_put_tally(result, "line_coverage", of_lines);
    coverage_put_tally(result, "branch_ways", of_ways);
    switch (unit) {
    case SPOOR_COVERAGE_SUMMARY: break;
    case SPOOR_COVERAGE_FILES: coverage_put_files(coverage, missing, result); break;
    case SPOOR_COVERAGE_FUNCTIONS: coverage_put_functions(coverage, missing, result); break;
    case SPOOR_COVERAGE_LINES: coverage_put_lines(coverage, missing, result); break;
    case SPOOR_COVERAGE_BRANCHES: coverage_put_branches(coverage, missing, result); break;
    case SPOOR_COVERAGE_ADDRESSES: coverage_put_addresses(coverage, result); break;
    case SPOOR_COVERAGE_CPUS: coverage_put_cpus(coverage, result); break;
    }
    return result_status(result);
}

/* ---- lcov ---- */

/* The current positions in the three arrays, which are all in the order of files. */
struct cursor {
    size_t line, function, branch;
};

static void coverage_put_lcov_functions(const struct spoor_coverage *coverage, const char *file,
                                        struct cursor *cursor, struct text *text)
{
    const struct covered_function *functions = coverage->functions.items;
    const size_t count = coverage->functions.count;
    while (cursor->function < count && (!functions[cursor->function].file ||
                                        strcmp(functions[cursor->function].file, file) < 0))
        cursor->function++;
    const size_t first = cursor->function;
    struct tally tally = {0, 0};
    for (size_t i = first; i < count && functions[i].file == file; i++)
        if (functions[i].line)
            text_printf(text, "FN:%u,%s\n", functions[i].line, functions[i].name);
    for (; cursor->function < count && functions[cursor->function].file == file;
         cursor->function++) {
        const struct covered_function *function = &functions[cursor->function];
        if (!function->line) continue;
        tally_count(&tally, function->count);
        text_printf(text, "FNDA:%" PRIu64 ",%s\n", function->count, function->name);
    }
    text_printf(text, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", tally.all, tally.hit);
}

static void coverage_put_lcov_lines(const struct spoor_coverage *coverage, const char *file,
                                    struct cursor *cursor, struct text *text)
{
    const struct covered_line *lines = coverage->lines.items;
    struct tally tally = {0, 0};
    for (; cursor->line < coverage->lines.count && lines[cursor->line].file == file;
         cursor->line++) {
        tally_count(&tally, lines[cursor->line].count);
        text_printf(text, "DA:%u,%" PRIu64 "\n", lines[cursor->line].line,
                    lines[cursor->line].count);
    }
    text_printf(text, "LF:%" PRIu64 "\nLH:%" PRIu64 "\n", tally.all, tally.hit);
}

char *spoor_coverage_to_lcov(const struct spoor_coverage *coverage, size_t *size)
{
    const struct covered_line *lines = coverage->lines.items;
    struct text text = {0};
    struct cursor cursor = {0, 0, 0};
    while (cursor.line < coverage->lines.count) {
        const char *file = lines[cursor.line].file;
        text_printf(&text, "TN:\nSF:%s\n", file);
        coverage_put_lcov_functions(coverage, file, &cursor, &text);
        const struct covered_branch *branches = coverage->branches.items;
        const size_t count = coverage->branches.count;
        struct tally tally = {0, 0};
        while (cursor.branch < count && strcmp(branches[cursor.branch].file, file) < 0)
            cursor.branch++;
        for (; cursor.branch < count && branches[cursor.branch].file == file; cursor.branch++) {
            const struct covered_branch *branch = &branches[cursor.branch];
            tally_count(&tally, branch->taken);
            tally_count(&tally, branch->not_taken);
            text_printf(&text, "BRDA:%u,%u,0,%" PRIu64 "\nBRDA:%u,%u,1,%" PRIu64 "\n", branch->line,
                        branch->ordinal, branch->taken, branch->line, branch->ordinal,
                        branch->not_taken);
        }
        if (tally.all)
            text_printf(&text, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", tally.all, tally.hit);
        coverage_put_lcov_lines(coverage, file, &cursor, &text);
        text_puts(&text, "end_of_record\n");
    }
    return text_hand_out(&text, size);
}

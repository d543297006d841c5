/* SPDX-License-Identifier: MIT */
/* coverage_report.c: writes coverage as a result tree and as lcov's tracefile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explore/coverage.h"
#include "model/options.h"

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
    struct spoor_result *array = spoor_result_array(result, lists[unit].key);
    struct tally file = {0, 0};
    size_t part = 0; /* they are in the order of the functions */
    for (size_t i = 0; i < rows->count; i++) {
        const struct covered *at = &rows->items[i];
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

/* ---- rows ---- */

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
            const struct covered *at = &lists[n]->items[i];
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
    if (unit != SPOOR_COVERAGE_SUMMARY) coverage_put_rows(coverage, unit, missing, result);
    return result_status(result);
}

/* ---- lcov ---- */

char *spoor_coverage_to_lcov(const struct spoor_coverage *coverage, size_t *size)
{
    const struct covered *lines = coverage->lines.items, *functions = coverage->functions.items,
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
            const struct covered *at = &functions[function];
            if (!at->line) continue;
            tally_count(&tally, at->count);
            text_printf(&text, "FNDA:%" PRIu64 ",%s\n", at->count, at->name);
        }
        text_printf(&text, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", tally.all, tally.hit);
        tally = (struct tally){0, 0};
        while (branch < coverage->branches.count && strcmp(branches[branch].file, file) < 0)
            branch++;
        for (; branch < coverage->branches.count && branches[branch].file == file; branch++) {
            const struct covered *at = &branches[branch];
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

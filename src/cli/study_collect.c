/* SPDX-License-Identifier: MIT */
/* study_collect.c: one table from the files of the cells. */
#include "cli/study.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spoor/combine.h"

/* ---- the state ---- */

void study_count(const struct study *study, const struct cells *cells, struct spoor_result *result)
{
    enum { STATES = CELL_UNREAD + 1 };
    uint64_t(*counts)[STATES] = calloc(study->run_count + 1, sizeof *counts);
    if (!counts) {
        spoor_result_fail(result);
        return;
    }
    uint64_t *all = counts[study->run_count];
    for (size_t i = 0; i < cells->count; i++) {
        const enum cell_state state = cell_state(study, &cells->items[i]);
        counts[cells->items[i].run][state]++;
        all[state]++;
    }
    if (all[CELL_UNREAD]) spoor_result_fail(result);
    spoor_result_unsigned(result, "cells", cells->count);
    spoor_result_unsigned(result, "done", all[CELL_DONE]);
    spoor_result_unsigned(result, "failed", all[CELL_HAS_FAILED]);
    spoor_result_unsigned(result, "missing", all[CELL_MISSING]);
    struct spoor_result *runs = spoor_result_array(result, "runs");
    for (size_t i = 0; i < study->run_count; i++) {
        struct spoor_result *row = spoor_result_object(runs, NULL);
        spoor_result_text(row, "run", study->runs[i].name);
        spoor_result_text(row, "verb", study->runs[i].verb);
        spoor_result_unsigned(row, "done", counts[i][CELL_DONE]);
        spoor_result_unsigned(row, "failed", counts[i][CELL_HAS_FAILED]);
        spoor_result_unsigned(row, "missing", counts[i][CELL_MISSING]);
    }
    free(counts);
}

bool study_is_complete(const struct study *study, const struct cells *cells)
{
    size_t done = 0, failed = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const enum cell_state state = cell_state(study, &cells->items[i]);
        done += state == CELL_DONE;
        failed += state == CELL_HAS_FAILED;
    }
    if (done == cells->count) return true;
    return complain("sweep: %zu of %zu cells have no result, and are left out: %zu failed, %zu are "
                    "missing",
                    cells->count - done, cells->count, failed, cells->count - done - failed);
}

/* ---- rows ---- */

void study_put_scalars(struct spoor_result *row, const struct spoor_result *from,
                       const char *prefix)
{
    for (const struct spoor_result *at = spoor_result_first(from); at; at = spoor_result_next(at)) {
        char key[128];
        const char *own = spoor_result_key(at);
        snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", own ? own : "");
        const bool known = !*prefix && (strcmp(key, "trace") == 0 || strcmp(key, "run") == 0);
        if (spoor_result_type_of(at) == SPOOR_RESULT_OBJECT)
            study_put_scalars(row, at, key);
        else if (spoor_result_type_of(at) != SPOOR_RESULT_ARRAY && !known)
            spoor_result_copy(row, key, at);
    }
}

static bool collect_is_scalar(const struct spoor_result *value)
{
    const enum spoor_result_type type = spoor_result_type_of(value);
    return type != SPOOR_RESULT_OBJECT && type != SPOOR_RESULT_ARRAY;
}

/* True if the CPI stack of a result adds up to its CPI, or it has none; else a message has been
 * printed, about `what`. */
static bool collect_stack_adds_up(const struct spoor_result *found, const char *what)
{
    const double tolerance = 1e-6; /* of a number that may have been printed with six decimals */
    const struct spoor_result *cpi = spoor_result_member(found, "cpi");
    const struct spoor_result *stack = spoor_result_member(found, "cpi_stack");
    double sum = 0;
    if (!cpi || !stack) return true;
    size_t parts = 0;
    for (const struct spoor_result *at = spoor_result_first(stack); at; at = spoor_result_next(at))
        if (collect_is_scalar(at)) {
            sum += spoor_result_number(at);
            parts++;
        }
    const double wanted = spoor_result_number(cpi);
    const double error = sum > wanted ? sum - wanted : wanted - sum;
    if (error <= tolerance * (1 + (double)parts + wanted)) return true;
    return complain("sweep: %s: the parts of cpi_stack add up to %.6f, expected cpi, %.6f", what,
                    sum, wanted);
}

/* Adds the row of a result, or those of a table of it: the run, the trace, unless it is a mean of
 * all, the values of the grid, and the single values. */
static void collect_put_rows(const struct study *study, const struct study_cell *cell, bool is_mean,
                             const struct spoor_result *found, const char *table,
                             struct spoor_result *rows)
{
    const struct study_run *run = &study->runs[cell->run];
    const struct study_trace *trace = &study->traces[cell->trace];
    struct spoor_result *part = table ? spoor_result_table(found, table) : NULL;
    const struct spoor_result *at = part ? spoor_result_first(part) : table ? NULL : found;
    for (; at; at = table ? spoor_result_next(at) : NULL) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "run", run->name);
        if (!is_mean) spoor_result_text(row, "trace", trace->path);
        if (!is_mean) spoor_result_real(row, "weight", trace->weight, 4);
        sweep_put(&run->grid, cell->combination, row);
        study_put_scalars(row, at, "");
        /* members of the result that stand beside the columns of each row of a table */
        static const char *const names[] = {"instructions", "references"};
        for (size_t i = 0; table && i < sizeof names / sizeof *names; i++) {
            const struct spoor_result *total = spoor_result_member(found, names[i]);
            if (total && collect_is_scalar(total) && !spoor_result_member(row, names[i]))
                spoor_result_copy(row, names[i], total);
        }
    }
    spoor_result_free(part);
}

/* The table whose rows have what a study is made for, where that is no single value. */
static const char *collect_table_of(const struct study_run *run)
{
    static const char *const tables[][2] = {{"cache", "caches"}, {"branch", "predictors"}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(run->verb, tables[i][0]) == 0) return tables[i][1];
    return NULL;
}

/* As collect_put_rows(); a result that lacks the table of its verb (cache --curve) gives its single
 * values. */
static void collect_put_cell(const struct study *study, const struct study_cell *cell, bool is_mean,
                             const struct spoor_result *found, const char *table,
                             struct spoor_result *rows)
{
    const char *own = table ? table : collect_table_of(&study->runs[cell->run]);
    struct spoor_result *part = own && !table ? spoor_result_table(found, own) : NULL;
    const bool has_own = part && spoor_result_count(part);
    spoor_result_free(part);
    collect_put_rows(study, cell, is_mean, found, table ? table : has_own ? own : NULL, rows);
}

/* ---- weighted means ---- */

struct spoor_result *study_result(const struct study *study, const struct study_cell *cell)
{
    struct text path = {0};
    cell_path(study, cell, CELL_RESULT, &path);
    struct spoor_result *found = path.failed ? NULL : result_of_file(path.bytes);
    if (path.failed)
        complain("out of memory");
    else if (!found && errno)
        complain("sweep: %s: cannot be read: %s", path.bytes, strerror(errno));
    else if (!found)
        complain("sweep: %s: found no result in JSON: delete the file, and run again", path.bytes);
    text_free(&path);
    return found;
}

/* The weighted mean of the cells of a design, one for each trace and `stride` apart, as rows;
 * false: an error has been printed.  A mean over some of the traces would stand for all: it is left
 * out, and *left_out counts it. */
static bool collect_put_mean(const struct study *study, const struct study_cell *cells,
                             size_t stride, const char *table, struct spoor_result *rows,
                             size_t *left_out)
{
    struct spoor_combine_part *parts = calloc(study->trace_count, sizeof *parts);
    struct spoor_result *mean = spoor_result_new_object();
    size_t count = 0;
    bool good = parts && mean, whole = true;
    if (!good) spoor_result_fail(rows);
    while (count < study->trace_count && good && whole) {
        const struct study_cell *cell = &cells[count * stride];
        const enum cell_state state = cell_state(study, cell);
        whole = state == CELL_DONE;
        struct spoor_result *found = whole ? study_result(study, cell) : NULL;
        good = found || (!whole && state != CELL_UNREAD);
        if (found)
            parts[count++] = (struct spoor_combine_part){found, study->traces[cell->trace].weight};
    }
    *left_out += !whole;
    if (good && whole) {
        if (spoor_combine(study->runs[cells->run].verb, parts, count, mean) != SPOOR_OK)
            spoor_result_fail(rows);
        good = collect_stack_adds_up(mean, "a weighted mean");
        collect_put_cell(study, cells, true, mean, table, rows);
    }
    for (size_t i = 0; i < count; i++)
        spoor_result_free((struct spoor_result *)(uintptr_t)parts[i].result);
    spoor_result_free(mean);
    free(parts);
    return good;
}

bool study_collect(const struct study *study, const struct cells *cells, const char *table,
                   struct spoor_result *result)
{
    struct spoor_result *rows = spoor_result_array(result, "rows");
    bool good = true;
    for (size_t i = 0; i < cells->count && good; i++) {
        const struct study_cell *cell = &cells->items[i];
        const enum cell_state state = cell_state(study, cell);
        good = state != CELL_UNREAD;
        if (state != CELL_DONE) continue;
        struct spoor_result *found = study_result(study, cell);
        good = found && collect_stack_adds_up(found, study->traces[cell->trace].path);
        if (found) collect_put_cell(study, cell, false, found, table, rows);
        spoor_result_free(found);
    }
    bool weighted = false;
    for (size_t i = 0; i < study->trace_count; i++) weighted |= study->traces[i].weight != 1;
    if (good && weighted) {
        struct spoor_result *means = spoor_result_array(result, "weighted");
        const struct study_cell *of_run = cells->items;
        size_t left_out = 0;
        for (size_t run = 0; run < study->run_count; run++) {
            const size_t designs = sweep_count(&study->runs[run].grid);
            for (size_t i = 0; i < designs && good; i++)
                good = collect_put_mean(study, &of_run[i], designs, table, means, &left_out);
            of_run += designs * study->trace_count;
        }
        if (left_out)
            complain(
                "sweep: weighted means of %zu designs are left out: cells of theirs are missing",
                left_out);
    }
    return good;
}

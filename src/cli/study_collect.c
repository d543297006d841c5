/* SPDX-License-Identifier: MIT */
/* study_collect.c: one table from the files of the cells. */
#include "cli/study_collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spoor/combine.h"

/* ---- the state ---- */

void study_count(const struct study *study, const struct cells *cells, struct spoor_result *result)
{
    enum { STATES = 3 };
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

/* ---- the results of cells ---- */

struct spoor_result *result_of_file(const char *path)
{
    struct text text = {0};
    FILE *file = fopen(path, "re");
    size_t got = 1;
    if (!file) return NULL;
    while (got > 0 && !text.failed) {
        char *at = text_reserve(&text, 1 << 16);
        got = at ? fread(at, 1, 1 << 16, file) : 0;
        if (at) text_commit(&text, at + got);
    }
    fclose(file);
    struct spoor_result *result =
        text.failed || !text.bytes ? NULL : result_of_json(text.bytes, text.size);
    text_free(&text);
    return result;
}

/* ---- rows ---- */

static void put_scalars(struct spoor_result *row, const struct spoor_result *from,
                        const char *prefix)
{
    for (const struct spoor_result *at = spoor_result_first(from); at; at = spoor_result_next(at)) {
        char key[128];
        const char *own = spoor_result_key(at);
        snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", own ? own : "");
        const bool known = !*prefix && (strcmp(key, "trace") == 0 || strcmp(key, "run") == 0);
        if (spoor_result_type_of(at) == SPOOR_RESULT_OBJECT)
            put_scalars(row, at, key);
        else if (spoor_result_type_of(at) != SPOOR_RESULT_ARRAY && !known)
            spoor_result_copy(row, key, at);
    }
}

void study_put_scalars(struct spoor_result *row, const struct spoor_result *from)
{
    put_scalars(row, from, "");
}

static void begin_row(const struct study *study, const struct study_cell *cell,
                      struct spoor_result *row)
{
    const struct study_run *run = &study->runs[cell->run];
    const struct study_trace *trace = &study->traces[cell->trace];
    spoor_result_text(row, "run", run->name);
    spoor_result_text(row, "trace", trace->path);
    spoor_result_real(row, "weight", trace->weight, 4);
    sweep_put(&run->grid, cell->combination, row);
}

static bool is_scalar(const struct spoor_result *value)
{
    const enum spoor_result_type type = spoor_result_type_of(value);
    return type != SPOOR_RESULT_OBJECT && type != SPOOR_RESULT_ARRAY;
}

/* Members of the result that stand beside the columns of each row of a table. */
static void put_totals(struct spoor_result *row, const struct spoor_result *found)
{
    static const char *const names[] = {"instructions", "references"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct spoor_result *total = spoor_result_member(found, names[i]);
        if (total && is_scalar(total) && !spoor_result_member(row, names[i]))
            spoor_result_copy(row, names[i], total);
    }
}

static void put_rows(const struct study *study, const struct study_cell *cell,
                     const struct spoor_result *found, const char *table, struct spoor_result *rows)
{
    struct spoor_result *part = table ? spoor_result_table(found, table) : NULL;
    if (!table) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        begin_row(study, cell, row);
        put_scalars(row, found, "");
    }
    for (const struct spoor_result *at = part ? spoor_result_first(part) : NULL; at;
         at = spoor_result_next(at)) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        begin_row(study, cell, row);
        put_scalars(row, at, "");
        put_totals(row, found);
    }
    spoor_result_free(part);
}

/* ---- weighted means ---- */

static bool has_weights(const struct study *study)
{
    for (size_t i = 0; i < study->trace_count; i++)
        if (study->traces[i].weight != 1) return true;
    return false;
}

/* True if two rows differ only in their trace and what was counted: same run, design and texts. */
static bool is_same_group(const struct spoor_result *a, const struct spoor_result *b,
                          const struct study_run *run)
{
    for (const struct spoor_result *at = spoor_result_first(a); at; at = spoor_result_next(at)) {
        const char *key = spoor_result_key(at), *text = spoor_result_string(at, NULL);
        const bool trace = strcmp(key, "trace") == 0;
        bool axis = false;
        for (size_t i = 0; i < run->grid.axis_count; i++)
            axis |= strcmp(run->grid.axes[i].name, key) == 0;
        const struct spoor_result *other = spoor_result_member(b, key);
        if (trace || (!text && !axis)) continue;
        if (!other || spoor_result_type_of(other) != spoor_result_type_of(at)) return false;
        if (text ? strcmp(text, spoor_result_string(other, NULL)) != 0
                 : spoor_result_number(at) != spoor_result_number(other))
            return false;
    }
    return true;
}

static const struct study_run *run_of(const struct study *study, const struct spoor_result *row)
{
    const char *name = spoor_result_string(spoor_result_member(row, "run"), NULL);
    for (size_t i = 0; i < study->run_count; i++)
        if (strcmp(study->runs[i].name, name) == 0) return &study->runs[i];
    return study->runs;
}

/* The means over the group of a row, by weight. */
static void put_mean(const struct spoor_result *rows, const struct spoor_result *of,
                     const struct study_run *run, struct spoor_result *to)
{
    struct spoor_combine_part *parts = calloc(spoor_result_count(rows), sizeof *parts);
    size_t count = 0;
    for (const struct spoor_result *row = spoor_result_first(rows); row && parts;
         row = spoor_result_next(row))
        if (is_same_group(of, row, run))
            parts[count++] = (struct spoor_combine_part){
                row, spoor_result_number(spoor_result_member(row, "weight"))};
    if (parts)
        (void)spoor_combine(run->verb, parts, count, to);
    else
        spoor_result_fail(to);
    free(parts);
}

/* A row for each group, in the order of its first. */
static void put_means(const struct study *study, const struct spoor_result *rows,
                      struct spoor_result *result)
{
    struct spoor_result *means = spoor_result_array(result, "weighted");
    for (const struct spoor_result *row = spoor_result_first(rows); row;
         row = spoor_result_next(row)) {
        const struct study_run *run = run_of(study, row);
        const struct spoor_result *before = spoor_result_first(rows);
        while (before != row && !is_same_group(before, row, run))
            before = spoor_result_next(before);
        if (before == row) put_mean(rows, row, run, spoor_result_object(means, NULL));
    }
}

/* ---- all ---- */

struct spoor_result *study_result(const struct study *study, const struct study_cell *cell)
{
    struct text path = {0};
    cell_path(study, cell, CELL_RESULT, &path);
    struct spoor_result *found = path.failed ? NULL : result_of_file(path.bytes);
    if (!found)
        complain("sweep: %s: found no result in JSON: delete the file, and run again",
                 path.failed ? "a cell" : path.bytes);
    text_free(&path);
    return found;
}

bool study_collect(const struct study *study, const struct cells *cells, const char *table,
                   struct spoor_result *result)
{
    struct spoor_result *rows = spoor_result_array(result, "rows");
    bool good = true;
    for (size_t i = 0; i < cells->count && good; i++) {
        const struct study_cell *cell = &cells->items[i];
        if (cell_state(study, cell) != CELL_DONE) continue;
        struct spoor_result *found = study_result(study, cell);
        good = found != NULL;
        if (good) put_rows(study, cell, found, table, rows);
        spoor_result_free(found);
    }
    if (good && has_weights(study)) put_means(study, rows, result);
    return good;
}

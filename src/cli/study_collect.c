/* SPDX-License-Identifier: MIT */
/* study_collect.c: one table from the files of the cells. */
#include "cli/study_collect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "result/result_node.h"
#include "sweep/partial.h"

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

static struct spoor_result *read_result(const char *path)
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

/* Joins the shards that begin at cell `from`; NULL: an error has been printed. */
static struct spoor_result *join_shards(const struct study *study, const struct cells *cells,
                                        size_t from, size_t count)
{
    struct partial *partials = calloc(count + 1, sizeof *partials);
    struct text *paths = calloc(count + 1, sizeof *paths);
    struct spoor_result *result = spoor_result_new_object();
    struct spoor_error error = {0};
    enum spoor_status status = partials && paths && result ? SPOOR_OK : SPOOR_ENOMEM;
    size_t i = 0;
    for (; i < count && status == SPOOR_OK; i++) {
        cell_path(study, &cells->items[from + i], CELL_RESULT, &paths[i]);
        status = partial_read(&partials[i], paths[i].bytes, &error);
    }
    if (status == SPOOR_OK) status = partials_order(partials, count, &error);
    if (status == SPOOR_OK) status = partials_join(partials, count, result, &error);
    while (partials && i-- > 0) partial_free(&partials[i]);
    for (i = 0; paths && i < count; i++) text_free(&paths[i]);
    free(paths);
    free(partials);
    if (status == SPOOR_OK) return result;
    complain("sweep: %s", error.text[0] ? error.text : "out of memory");
    spoor_result_free(result);
    return NULL;
}

/* ---- rows ---- */

/* The single values of a result, those of objects in it with both keys. */
static void put_scalars(struct spoor_result *row, const struct spoor_result *from,
                        const char *prefix)
{
    for (const struct spoor_result *at = from->first; at; at = at->next) {
        char key[128];
        snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", at->key ? at->key : "");
        const bool known = !*prefix && (strcmp(key, "trace") == 0 || strcmp(key, "run") == 0);
        if (at->type == NODE_OBJECT)
            put_scalars(row, at, key);
        else if (result_is_scalar(at) && !known)
            result_copy(row, key, at);
    }
}

static void begin_row(const struct study *study, const struct study_cell *cell,
                      struct spoor_result *row)
{
    const struct study_run *run = &study->runs[cell->run];
    const struct study_trace *trace = &study->traces[cell->trace];
    spoor_result_text(row, "run", run->name);
    spoor_result_text(row, "trace", trace->path);
    if (trace->records) spoor_result_text(row, "records", trace->records);
    spoor_result_real(row, "weight", trace->weight, 4);
    sweep_put(&run->grid, cell->combination, row);
}

static double number_of(const struct spoor_result *node)
{
    if (node->type == NODE_REAL) return node->real;
    return node->type == NODE_SIGNED ? (double)node->signed_number : (double)node->number;
}

static const struct spoor_result *member(const struct spoor_result *row, const char *key)
{
    const struct spoor_result *at = row->first;
    while (at && strcmp(at->key, key) != 0) at = at->next;
    return at;
}

/* Members of the result that stand beside the columns of each row of a table. */
static void put_totals(struct spoor_result *row, const struct spoor_result *found)
{
    static const char *const names[] = {"instructions", "references"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct spoor_result *total = member(found, names[i]);
        if (total && result_is_scalar(total) && !member(row, names[i]))
            result_copy(row, names[i], total);
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
    for (const struct spoor_result *at = part ? part->first : NULL; at; at = at->next) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        begin_row(study, cell, row);
        put_scalars(row, at, "");
        put_totals(row, found);
    }
    spoor_result_free(part);
}

/* ---- ratios ---- */

/* Ratios of counts, which sums and differences of rows compute again. */
static const struct ratio {
    const char *name, *of[3], *to[3];
    double scale;
} ratios[] = {
    {"cpi", {"cycles"}, {"micro_ops"}, 1},
    {"ipc", {"micro_ops"}, {"cycles"}, 1},
    {"macro_ipc", {"macro_ops"}, {"cycles"}, 1},
    {"rate", {"mispredictions"}, {"asked"}, 1},
    {"mpki", {"mispredictions"}, {"instructions"}, 1000},
    {"miss_ratio", {"misses"}, {"fetches", "reads", "writes"}, 1},
};

static bool sum_of(const struct spoor_result *row, const char *const names[3], double *sum)
{
    *sum = 0;
    for (size_t i = 0; i < 3 && names[i]; i++) {
        const struct spoor_result *value = member(row, names[i]);
        if (!value) return false;
        *sum += number_of(value);
    }
    return true;
}

static const struct ratio *ratio_named(const char *name)
{
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        if (strcmp(ratios[i].name, name) == 0) return &ratios[i];
    return NULL;
}

/* Adds those ratios of `from` whose counts `row` has; other ratios have no sum. */
static void put_ratios(struct spoor_result *row, const struct spoor_result *from)
{
    for (const struct spoor_result *at = from->first; at; at = at->next) {
        const struct ratio *ratio = at->type == NODE_REAL ? ratio_named(at->key) : NULL;
        double of, to;
        if (ratio && sum_of(row, ratio->of, &of) && sum_of(row, ratio->to, &to))
            spoor_result_real(row, at->key, to > 0 ? ratio->scale * of / to : 0, 6);
    }
}

/* True if a number describes the design, and is no count. */
static bool is_design(const struct study_run *run, const char *key)
{
    static const char *const prefixes[] = {"config.", "swept.", "storage_bits", "weight"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0) return true;
    for (size_t i = 0; i < run->grid.axis_count; i++)
        if (strcmp(run->grid.axes[i].name, key) == 0) return true;
    return false;
}

/* The rows of a simpoint with its warm-up, without what the warm-up counted. */
static void subtract_rows(const struct study_run *run, const struct spoor_result *with,
                          const struct spoor_result *before, struct spoor_result *rows)
{
    const struct spoor_result *less = before->first;
    for (const struct spoor_result *all = with->first; all; all = all->next) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        for (const struct spoor_result *at = all->first; at; at = at->next) {
            const struct spoor_result *other = less ? member(less, at->key) : NULL;
            if (at->type == NODE_UNSIGNED && !is_design(run, at->key))
                spoor_result_signed(row, at->key,
                                    (int64_t)(at->number - (other ? other->number : 0)));
            else if (at->type != NODE_REAL || is_design(run, at->key))
                result_copy(row, at->key, at);
        }
        put_ratios(row, all);
        if (less) less = less->next;
    }
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
    for (const struct spoor_result *at = a->first; at; at = at->next) {
        const bool trace = strcmp(at->key, "trace") == 0 || strcmp(at->key, "records") == 0;
        bool axis = false;
        for (size_t i = 0; i < run->grid.axis_count; i++)
            axis |= strcmp(run->grid.axes[i].name, at->key) == 0;
        const struct spoor_result *other = member(b, at->key);
        if (trace || (at->type != NODE_STRING && !axis)) continue;
        if (!other || other->type != at->type) return false;
        if (at->type == NODE_STRING ? strcmp(at->string, other->string) != 0
                                    : number_of(at) != number_of(other))
            return false;
    }
    return true;
}

static const struct study_run *run_of(const struct study *study, const struct spoor_result *row)
{
    const struct spoor_result *name = member(row, "run");
    for (size_t i = 0; i < study->run_count; i++)
        if (strcmp(study->runs[i].name, name->string) == 0) return &study->runs[i];
    return study->runs;
}

/* The mean of a key over the group of a row, by weight. */
static double mean_of(const struct spoor_result *rows, const struct spoor_result *of,
                      const char *key, const struct study_run *run)
{
    double sum = 0, weights = 0;
    for (const struct spoor_result *row = rows->first; row; row = row->next) {
        const struct spoor_result *value = member(row, key);
        if (!value || !is_same_group(of, row, run)) continue;
        const double weight = number_of(member(row, "weight"));
        sum += weight * number_of(value);
        weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
}

static void put_mean(const struct spoor_result *rows, const struct spoor_result *of,
                     const struct study_run *run, struct spoor_result *to)
{
    for (const struct spoor_result *at = of->first; at; at = at->next) {
        if (strcmp(at->key, "trace") == 0 || strcmp(at->key, "records") == 0 ||
            strcmp(at->key, "weight") == 0)
            continue;
        if (at->type == NODE_STRING || is_design(run, at->key))
            result_copy(to, at->key, at);
        else if ((at->type == NODE_REAL && !ratio_named(at->key)) || at->type == NODE_UNSIGNED ||
                 at->type == NODE_SIGNED)
            spoor_result_real(to, at->key, mean_of(rows, of, at->key, run), 6);
    }
    put_ratios(to, of);
}

/* A row for each group, in the order of its first. */
static void put_means(const struct study *study, const struct spoor_result *rows,
                      struct spoor_result *result)
{
    struct spoor_result *means = spoor_result_array(result, "weighted");
    for (const struct spoor_result *row = rows->first; row; row = row->next) {
        const struct study_run *run = run_of(study, row);
        const struct spoor_result *before = rows->first;
        while (before != row && !is_same_group(before, row, run)) before = before->next;
        if (before == row) put_mean(rows, row, run, spoor_result_object(means, NULL));
    }
}

/* ---- all ---- */

/* The result of the cells from `at` on that make one: a cell, or its shards; NULL: an error has
 * been printed. */
static struct spoor_result *result_of(const struct study *study, const struct cells *cells,
                                      size_t at)
{
    const struct study_cell *cell = &cells->items[at];
    struct text path = {0};
    if (cell->shard) return join_shards(study, cells, at, (size_t)study->runs[cell->run].shards);
    cell_path(study, cell, CELL_RESULT, &path);
    struct spoor_result *found = path.failed ? NULL : read_result(path.bytes);
    if (!found)
        complain("sweep: %s: found no result in JSON: delete the file, and run again",
                 path.failed ? "a cell" : path.bytes);
    text_free(&path);
    return found;
}

/* Adds the rows of one result, which `before` follows if it has a warm-up. */
static bool collect_one(const struct study *study, const struct cells *cells, size_t at,
                        bool before, const char *table, struct spoor_result *rows)
{
    const struct study_cell *cell = &cells->items[at];
    struct spoor_result *found = result_of(study, cells, at);
    struct spoor_result *less = before ? result_of(study, cells, at + 1) : NULL;
    const bool good = found && (less || !before);
    if (good && !before) put_rows(study, cell, found, table, rows);
    if (good && before) {
        struct spoor_result *with = spoor_result_new_array(), *warm = spoor_result_new_array();
        put_rows(study, cell, found, table, with);
        put_rows(study, cell, less, table, warm);
        if (with && warm)
            subtract_rows(&study->runs[cell->run], with, warm, rows);
        else
            spoor_result_fail(rows);
        spoor_result_free(with);
        spoor_result_free(warm);
    }
    spoor_result_free(found);
    spoor_result_free(less);
    return good;
}

bool study_collect(const struct study *study, const struct cells *cells, const char *table,
                   struct spoor_result *result)
{
    struct spoor_result *rows = spoor_result_array(result, "rows");
    bool good = true;
    for (size_t i = 0, count; i < cells->count && good; i += count) {
        const struct study_cell *cell = &cells->items[i];
        const bool before = i + 1 < cells->count && cell[1].before;
        count = cell->shard ? (size_t)study->runs[cell->run].shards : before ? 2 : 1;
        bool done = true;
        for (size_t k = 0; k < count; k++) done &= cell_state(study, cell + k) == CELL_DONE;
        if (done) good = collect_one(study, cells, i, before, table, rows);
    }
    if (good && has_weights(study)) put_means(study, rows, result);
    return good;
}

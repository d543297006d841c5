/* SPDX-License-Identifier: MIT */
/* study_page.c: the page of a study. */
#include "cli/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "html/page.h"

/* What is drawn, where a run has it. */
static const struct metric {
    const char *key;
    const char *verb; /* of this verb alone; NULL: of any */
} metrics[] = {
    {"cpi", NULL},
    {"miss_ratio", NULL},
    {"mpki", "branch"},
};

static bool study_page_is_of_run(const struct spoor_result *row, const struct study_run *run)
{
    const char *name = spoor_result_string(spoor_result_member(row, "run"), NULL);
    return name && strcmp(name, run->name) == 0;
}

static void study_page_put_member(struct text *out, const struct spoor_result *row, const char *key)
{
    const struct spoor_result *value = spoor_result_member(row, key);
    if (!value) return;
    char *text = spoor_result_to_plain(value);
    text_printf(out, "%s%s", out->size ? ", " : "", text ? text : "");
    out->failed |= !text;
    free(text);
}

/* Adds the words that tell one line of a plot from another: the trace, the records, the other axes,
 * and the name of a cache or predictor, unless the first axis is that. */
static void study_page_put_series(struct text *out, const struct study_run *run,
                                  const struct spoor_result *row, const char *x)
{
    static const char *const names[] = {"records", "name", "spec"};
    const char *trace = spoor_result_string(spoor_result_member(row, "trace"), NULL);
    if (trace) text_puts(out, path_name(trace));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = spoor_result_string(spoor_result_member(row, names[i]), NULL);
        if (!name || !x || strcmp(name, x) != 0) study_page_put_member(out, row, names[i]);
    }
    for (size_t axis = 1; axis < run->grid.axis_count; axis++)
        study_page_put_member(out, row, run->grid.axes[axis].name);
}

/* Draws a metric of a run over the first axis of its grid: a line where its values are numbers,
 * else bars. */
static void study_page_put_plot(struct text *out, const struct study_run *run,
                                const struct spoor_result *rows, const struct metric *metric,
                                unsigned number)
{
    const char *axis = run->grid.axes[0].name;
    struct spoor_result *all = spoor_result_new_object();
    char table[40];
    bool any = false, numeric = true;
    for (const struct spoor_result *row = spoor_result_first(rows); row;
         row = spoor_result_next(row))
        if (study_page_is_of_run(row, run) && spoor_result_member(row, metric->key)) {
            any = true;
            numeric &= !spoor_result_string(spoor_result_member(row, axis), NULL);
        }
    snprintf(table, sizeof table, "%s_%s", numeric ? "points" : "names", metric->key);
    struct spoor_result *points = spoor_result_array(all, table);
    for (const struct spoor_result *row = spoor_result_first(rows); row;
         row = spoor_result_next(row)) {
        const struct spoor_result *value = spoor_result_member(row, metric->key);
        const struct spoor_result *x = spoor_result_member(row, axis);
        if (!value || !study_page_is_of_run(row, run)) continue;
        struct text series = {0};
        struct spoor_result *point = spoor_result_object(points, NULL);
        if (x) spoor_result_copy(spoor_result_object(point, "swept"), axis, x);
        spoor_result_copy(point, metric->key, value);
        study_page_put_series(&series, run, row, x ? spoor_result_string(x, NULL) : NULL);
        if (series.failed)
            spoor_result_fail(points);
        else
            spoor_result_bytes(point, "series", series.bytes ? series.bytes : "", series.size);
        text_free(&series);
    }
    if (any) {
        const struct spoor_plot_options how = {
            .struct_size = sizeof how, .verb = "study", .number = number + 1};
        page_put_plots(out, all, &how);
    }
    spoor_result_free(all);
}

int study_write_page(const struct study *study, const struct spoor_result *result, const char *path,
                     const struct settings *settings)
{
    struct text out = {0};
    const struct spoor_result *rows = spoor_result_member(result, "rows");
    const struct spoor_result *means = spoor_result_member(result, "weighted");
    int code = EXIT_UNREADABLE;
    const char *title = study->path ? study->path : "Study";
    if (!page_is_built(page_files)) return complain_for(EXIT_USAGE, "--html: %s", page_is_missing);
    page_begin(&out, title);
    if (study->notes) page_put_note(&out, study->notes);
    page_put_facts(&out, result, false);
    for (size_t i = 0; i < study->run_count && rows; i++) {
        const struct study_run *run = &study->runs[i];
        enum { METRICS = sizeof metrics / sizeof *metrics };
        char id[32];
        const struct page_section section = {id, run->name};
        struct spoor_result *own = spoor_result_new_array();
        snprintf(id, sizeof id, "run%u", (unsigned)i);
        page_begin_section(&out, &section, run->verb);
        for (unsigned k = 0; k < METRICS && run->grid.axis_count; k++)
            if (!metrics[k].verb || strcmp(metrics[k].verb, run->verb) == 0)
                study_page_put_plot(&out, run, rows, &metrics[k], (unsigned)i * METRICS + k);
        for (const struct spoor_result *row = spoor_result_first(rows); row;
             row = spoor_result_next(row))
            if (study_page_is_of_run(row, run)) spoor_result_copy(own, NULL, row);
        if (!own || !spoor_result_complete(own))
            out.failed = true;
        else
            page_put_table(&out, "Results", own, 0);
        page_end_parts(&out);
        spoor_result_free(own);
    }
    if (means) page_put_table(&out, "Weighted means", means, 0);
    page_end(&out, page_files, title);
    if (out.failed || !spoor_result_complete(result))
        complain("out of memory");
    else
        code = output_write(path, out.bytes, out.size, true, settings);
    text_free(&out);
    return code;
}

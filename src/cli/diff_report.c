/* SPDX-License-Identifier: MIT */
/* diff_report.c: writes the reports of `diff` to their files. */
#include "cli/diff_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/ci_report.h"
#include "cli/output.h"
#include "html/page.h"

static const char page_title[] = "Comparison of traces";

static struct spoor_output *diff_report_create(const char *path, const struct settings *settings,
                                               bool *good)
{
    struct spoor_error error = {0};
    struct spoor_output *output;
    if (!path) return NULL;
    if (output_open(&output, path, settings, &error) == SPOOR_OK) return output;
    fail(&error);
    *good = false;
    return NULL;
}

bool report_begin(struct report *report, const struct settings *settings, const char *junit,
                  const char *markdown, const char *html)
{
    enum { NARROWEST = 60, WIDEST = 400 };
    bool good = true;
    if (!report->width) {
        enum { USUAL = 100, MAXIMUM = 200 };
        const unsigned columns = screen_columns();
        report->width = columns > MAXIMUM ? MAXIMUM : columns ? columns : USUAL;
    }
    if (report->width < NARROWEST) report->width = NARROWEST;
    if (report->width > WIDEST) report->width = WIDEST;
    if (report->data && report->several) report->list = spoor_result_new_array();
    report->junit = diff_report_create(junit, settings, &good);
    report->markdown = diff_report_create(markdown, settings, &good);
    if (html && !page_is_built(page_files)) good = complain("--html: %s", page_is_missing);
    report->html = good ? diff_report_create(html, settings, &good) : NULL;
    if (report->html) page_begin(&report->page, page_title);
    if (!good) report_end(report, false);
    return good;
}

int worse_diff(int a, int b)
{
    static const int order[] = {EXIT_USAGE, EXIT_UNREADABLE, EXIT_LOST, EXIT_NO, EXIT_NOTHING};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i]) return order[i];
    return a > b ? a : b;
}

/* ---- one comparison ---- */

/* True, with a message for each, if waivers accepted no difference. */
static bool diff_report_unused_waivers(const struct diff_answer *compared)
{
    static const char word[] = "waive";
    const struct spoor_result *rule =
        spoor_result_first(spoor_result_member(compared->result, "rules"));
    bool any = false;
    for (; rule; rule = spoor_result_next(rule)) {
        const char *text = spoor_result_string(spoor_result_member(rule, "rule"), NULL);
        if (!text || strncmp(text + strspn(text, " \t"), word, sizeof word - 1) != 0 ||
            spoor_result_whole(spoor_result_member(rule, "uses")))
            continue;
        complain("%s against %s: '%s' accepted no difference: expected one, or no such waiver",
                 diff_answer_path(compared, 0), diff_answer_path(compared, 1), text);
        any = true;
    }
    return any;
}

/* GitHub shows this number of annotations of a step. */
enum { ANNOTATIONS = 10 };

/* Adds a row to the table; false if memory runs out. */
static bool diff_report_add_row(struct report *report, const char *name, const char *verdict,
                                const struct diff_answer *compared)
{
    if (!array_reserve(&report->rows, &report->row_capacity, report->count + (size_t)1))
        return complain("out of memory");
    struct report_row *row = &report->rows[report->count++];
    *row = (struct report_row){.verdict = verdict};
    text_puts(&row->name, name);
    if (!compared) return true;
    const struct spoor_result *moved = spoor_result_member(compared->result, "moved");
    row->compared = diff_answer_count(compared, "compared");
    row->mismatches = diff_answer_count(compared, "mismatches") +
                      spoor_result_whole(spoor_result_member(moved, "order")) +
                      spoor_result_whole(spoor_result_member(moved, "interrupts"));
    row->gaps = diff_answer_count(compared, "gap_count");
    return true;
}

void report_uncompared(struct report *report, const char *left, const char *right, bool missing)
{
    const char *verdict = missing ? "missing" : "unreadable", *path = missing ? left : right;
    struct text name = {0}, body = {0}, annotation = {0};
    text_puts(&name, left);
    if (!missing) text_printf(&name, " %s", right);
    text_put(&name, "", 1);
    text_printf(&body, missing ? "%s has no counterpart in %s" : "%s and %s could not be compared",
                left, right);
    text_put(&body, "", 1);
    body.size -= !body.failed;
    const char *named = name.bytes ? name.bytes : "", *message = body.bytes ? body.bytes : "";
    if (report->junit) junit_put_case(&report->cases, "spoor.diff", named, verdict, &body);
    if (report->annotates && !report->data) {
        github_put(&annotation, "error", path, 0, verdict, message);
        show_text(&annotation);
    }
    if (report->markdown || report->annotates)
        text_printf(&report->sections, "## %s: `%s`\n\n%s\n\n", verdict, named, message);
    if (report->html) {
        page_put_heading(&report->page, verdict);
        page_put_note(&report->page, message);
    }
    diff_report_add_row(report, named, verdict, NULL);
    report->failures++;
    report->cases.failed |= body.failed;
    text_free(&name);
    text_free(&body);
    text_free(&annotation);
}

int report_comparison(struct report *report, const struct spoor_diff *diff,
                      const struct suggestion *suggestion, const char *left, const char *right)
{
    struct spoor_result *root =
        report->list ? spoor_result_object(report->list, NULL) : spoor_result_new_object();
    const struct diff_answer compared = {diff, root, report->located};
    static const char *const sides[] = {"none", "left", "right", "both"};
    char option[64];
    if (spoor_diff_report(diff, root) != SPOOR_OK) spoor_result_fail(root);
    if (report->is_part) spoor_result_bool(root, "part", true);
    struct spoor_result *options = spoor_result_array(root, "suggested");
    for (int i = 0; i < SPOOR_TOLERANCES; i++) {
        if (!(suggestion->tolerances >> i & 1)) continue;
        snprintf(option, sizeof option, "--tolerate %s",
                 spoor_tolerance_name((enum spoor_tolerance)i));
        spoor_result_text(options, NULL, option);
    }
    for (unsigned i = 0; i < suggestion->ignored_count; i++) {
        snprintf(option, sizeof option, "--ignore %s", suggestion->ignored[i]);
        spoor_result_text(options, NULL, option);
    }
    if (suggestion->leads) {
        snprintf(option, sizeof option, "--effects-first %s", sides[suggestion->leads & 3]);
        spoor_result_text(options, NULL, option);
    }
    if (suggestion->window) {
        snprintf(option, sizeof option, "--window %u", suggestion->window);
        spoor_result_text(options, NULL, option);
    }
    if (suggestion->nearly)
        spoor_result_text(root, "suggested_effects_first", sides[suggestion->nearly & 3]);
    image_set_name(&report->located[0], root, "left");
    image_set_name(&report->located[1], root, "right");
    image_set_name(&report->located[0], root, "left_unit");
    image_set_name(&report->located[1], root, "right_unit");
    int code = EXIT_UNREADABLE;
    if (root && spoor_result_complete(root)) {
        if (report->list) {
            code = EXIT_CLEAN;
        } else if (report->data) {
            code = show_result(root, report->form);
        } else {
            const struct diff_page form = {report->width, screen_columns() ? report->width : 0,
                                           report->color};
            struct text text = {0};
            if (report->count && !report->github) text_puts(&text, "\n");
            if (report->several && !report->github)
                text_printf(&text, "%s against %s\n", left, right);
            if (!report->github) diff_as_text(&compared, &form, &text);
            if (report->annotates) diff_as_github(&compared, ANNOTATIONS, &text);
            code = show_text(&text);
            text_free(&text);
        }
        if (report->strict_waivers && diff_report_unused_waivers(&compared))
            code = worse_diff(code, EXIT_NO);
        if (report->junit) diff_as_junit(&compared, &report->cases);
        if (report->markdown || report->annotates) diff_as_markdown(&compared, &report->sections);
        if (!diff_report_add_row(report, right, spoor_verdict_name(spoor_diff_verdict(diff)),
                                 &compared))
            code = EXIT_UNREADABLE;
        if (report->html) {
            struct text names = {0};
            text_printf(&names, "%s (left) and %s (right)", left, right);
            text_put(&names, "", 1);
            report->page.failed |= names.failed;
            if (!names.failed) page_put_heading(&report->page, names.bytes);
            page_put_result(&report->page, "diff", root);
            text_free(&names);
        }
    } else {
        complain("out of memory");
        report->cases.failed = report->sections.failed = report->page.failed = true;
    }
    report->failures += spoor_diff_verdict(diff) != SPOOR_VERDICT_EQUAL;
    if (!report->list) spoor_result_free(root);
    return code;
}

/* ---- several comparisons ---- */

/* The table of all comparisons, as text or Markdown. */
static void diff_report_put_table(const struct report *report, bool markdown, struct text *text)
{
    unsigned equal = 0;
    for (unsigned i = 0; i < report->count; i++)
        equal += strcmp(report->rows[i].verdict, "equal") == 0;
    text_printf(text, "%s%u pairs: %u equal, %u not\n%s", markdown ? "## " : "", report->count,
                equal, report->count - equal, markdown ? "\n" : "");
    text_puts(text, markdown ? "| verdict | compared | differences | gaps | trace |\n"
                               "|---|---:|---:|---:|---|\n"
                             : "  verdict              compared  differences       gaps  trace\n");
    for (unsigned i = 0; i < report->count; i++) {
        const struct report_row *row = &report->rows[i];
        text_printf(text,
                    markdown ? "| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | `%.*s` |\n"
                             : "  %-17s %11" PRIu64 " %12" PRIu64 " %10" PRIu64 "  %.*s\n",
                    row->verdict, row->compared, row->mismatches, row->gaps, (int)row->name.size,
                    row->name.bytes);
    }
    text_puts(text, "\n");
}

/* ---- files ---- */

static int diff_report_close_file(struct spoor_output *output, const struct text *text, bool whole)
{
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    if (!output) return EXIT_CLEAN;
    if (text->failed)
        status = spoor_error_set(&error, SPOOR_ENOMEM, "out of memory while writing a report");
    else
        status = spoor_output_put(output, text->bytes, text->size, &error);
    const bool put = status == SPOOR_OK;
    if (output_close(output, whole && put, put ? &error : NULL) != SPOOR_OK || !put)
        return fail(&error);
    return EXIT_CLEAN;
}

int report_end(struct report *report, bool whole)
{
    struct text table = {0}, summary = {0};
    int code = EXIT_CLEAN;
    if (report->several && !report->data && !report->github) {
        text_puts(&table, "\n");
        diff_report_put_table(report, false, &table);
        code = show_text(&table);
    }
    if (report->annotates && report->count) {
        if (report->several) diff_report_put_table(report, true, &summary);
        text_append(&summary, &report->sections);
        if (!github_summarise(&summary)) code = EXIT_UNREADABLE;
    }
    text_free(&table);
    text_free(&summary);
    if (report->list && (whole || report->count))
        code = worse_diff(code, show_result(report->list, report->form));
    for (unsigned i = 0; i < report->count; i++) text_free(&report->rows[i].name);
    free(report->rows);
    spoor_result_free(report->list);
    if (report->junit) {
        struct text file = {.failed = report->cases.failed};
        junit_put_file(&file, "spoor diff", report->count, report->failures, &report->cases);
        code = worse_diff(code, diff_report_close_file(report->junit, &file, whole));
        text_free(&file);
    }
    code = worse_diff(code, diff_report_close_file(report->markdown, &report->sections, whole));
    if (report->html) page_end(&report->page, page_files, page_title);
    code = worse_diff(code, diff_report_close_file(report->html, &report->page, whole));
    text_free(&report->page);
    text_free(&report->cases);
    text_free(&report->sections);
    return code;
}

/* SPDX-License-Identifier: MIT */
/* diff_report.c: writes the reports of `diff` to their files. */
#include "cli/diff_report.h"

#include "cli/ci_report.h"
#include "cli/output.h"
#include "compare/compare.h"
#include "plot/page.h"

static struct spoor_output *create(const char *path, const struct settings *settings, bool *good)
{
    struct spoor_error error = {0};
    struct spoor_output *output;
    if (!path) return NULL;
    if (output_open(&output, path, settings, &error) == SPOOR_OK) return output;
    fail(&error);
    *good = false;
    return NULL;
}

/* The width of both sides next to each other, where --width states none. */
static unsigned usual_width(void)
{
    enum { USUAL = 100, MAXIMUM = 200 };
    const unsigned columns = screen_columns();
    return columns > MAXIMUM ? MAXIMUM : columns ? columns : USUAL;
}

bool report_begin(struct report *report, const struct settings *settings, const char *junit,
                  const char *markdown, const char *html)
{
    enum { NARROWEST = 60, WIDEST = 400 };
    bool good = true;
    if (!report->width) report->width = usual_width();
    if (report->width < NARROWEST) report->width = NARROWEST;
    if (report->width > WIDEST) report->width = WIDEST;
    if (report->data && report->several) report->list = spoor_result_new_array();
    report->junit = create(junit, settings, &good);
    report->markdown = create(markdown, settings, &good);
    report->html = create(html, settings, &good);
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

static void put_result(struct report *report, const struct spoor_diff *diff,
                       struct spoor_result *root)
{
    spoor_diff_report(diff, root);
    located_name(&report->located[0], root, "left");
    located_name(&report->located[1], root, "right");
}

static void put_html(struct report *report, const struct spoor_diff *diff)
{
    struct spoor_result *root = spoor_result_new_object();
    put_result(report, diff, root);
    if (!report->page.size) page_begin(&report->page, "Comparison of traces");
    if (spoor_result_complete(root)) page_put_diff(&report->page, root);
    report->page.failed |= !spoor_result_complete(root);
    spoor_result_free(root);
}

static int show_data(struct report *report, const struct spoor_diff *diff)
{
    struct spoor_result *root =
        report->list ? spoor_result_object(report->list, NULL) : spoor_result_new_object();
    put_result(report, diff, root);
    if (report->list) return EXIT_CLEAN;
    int code = show_result(root, report->form);
    spoor_result_free(root);
    return code;
}

/* True, with a message for each, if waivers accepted no difference. */
static bool has_unused_waivers(const struct spoor_diff *diff)
{
    bool any = false;
    for (size_t i = 0; i < diff->rule_count; i++) {
        const struct rule *rule = &diff->rules[i];
        if (rule->kind != RULE_WAIVE || rule->uses) continue;
        complain("%s against %s: '%s' accepted no difference: expected one, or no such waiver",
                 diff->paths[0], diff->paths[1], rule->text);
        any = true;
    }
    return any;
}

int report_comparison(struct report *report, const struct spoor_diff *diff, const char *left,
                      const char *right)
{
    const struct diff_page form = {report->width, screen_columns() ? report->width : 0,
                                   report->color};
    int code = EXIT_CLEAN;
    struct text text = {0};
    if (report->data) {
        code = show_data(report, diff);
    } else {
        if (report->count && !report->github) text_puts(&text, "\n");
        if (report->several && !report->github) text_printf(&text, "%s against %s\n", left, right);
        if (report->github)
            diff_as_github(diff, &text);
        else
            diff_as_text(diff, report->located, &form, &text);
        code = show_text(&text);
    }
    if (report->strict_waivers && has_unused_waivers(diff)) code = worse_diff(code, EXIT_NO);
    report->count++;
    report->failures += spoor_diff_verdict(diff) != SPOOR_VERDICT_EQUAL;
    if (report->junit) diff_as_junit(diff, report->located, &report->cases);
    if (report->markdown) diff_as_markdown(diff, report->located, &report->sections);
    if (report->html) put_html(report, diff);
    text_free(&text);
    return code;
}

static int close_file(struct spoor_output *output, const struct text *text, bool whole)
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

static int close_junit(struct report *report, bool whole)
{
    struct text file = {.failed = report->cases.failed};
    junit_put_file(&file, "spoor diff", report->count, report->failures, &report->cases);
    const int code = close_file(report->junit, &file, whole);
    text_free(&file);
    return code;
}

int report_end(struct report *report, bool whole)
{
    int code = EXIT_CLEAN;
    if (report->list && (whole || report->count)) code = show_result(report->list, report->form);
    spoor_result_free(report->list);
    if (report->junit) code = worse_diff(code, close_junit(report, whole));
    code = worse_diff(code, close_file(report->markdown, &report->sections, whole));
    if (report->html) page_end(&report->page);
    code = worse_diff(code, close_file(report->html, &report->page, whole));
    text_free(&report->page);
    text_free(&report->cases);
    text_free(&report->sections);
    return code;
}

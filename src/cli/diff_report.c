/* SPDX-License-Identifier: MIT */
/* diff_report.c: where the reports of `diff` go. */
#include "cli/diff_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static FILE *create(const char *path, bool *good)
{
    if (!path) return NULL;
    FILE *file = fopen(path, "w");
    if (file) return file;
    complain("%s: %s", path, strerror(errno));
    *good = false;
    return NULL;
}

static unsigned terminal_width(void)
{
    enum { MINIMUM = 100, MAXIMUM = 200 };
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < MINIMUM) return MINIMUM;
    return size.ws_col > MAXIMUM ? MAXIMUM : size.ws_col;
}

bool report_begin(struct report *report, const char *junit, const char *markdown)
{
    enum { NARROWEST = 60, WIDEST = 400 };
    bool good = true;
    if (!report->width) report->width = terminal_width();
    if (report->width < NARROWEST) report->width = NARROWEST;
    if (report->width > WIDEST) report->width = WIDEST;
    if (report->json && report->several) report->list = spoor_result_new_array();
    report->junit = create(junit, &good);
    report->markdown = create(markdown, &good);
    return good;
}

int worse_diff(int a, int b)
{
    static const int order[] = {EXIT_USAGE, EXIT_UNREADABLE, EXIT_LOST, EXIT_NO, EXIT_NOTHING};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i]) return order[i];
    return a > b ? a : b;
}

static int show_json(struct report *report, const struct spoor_diff *diff)
{
    struct spoor_result *root =
        report->list ? spoor_result_object(report->list, NULL) : spoor_result_new_object();
    spoor_diff_report(diff, root);
    located_name(&report->located[0], root, "left");
    located_name(&report->located[1], root, "right");
    if (report->list) return EXIT_CLEAN;
    int code = show_result(root, RESULT_JSON);
    spoor_result_free(root);
    return code;
}

int report_comparison(struct report *report, const struct spoor_diff *diff, const char *left,
                      const char *right)
{
    int code = EXIT_CLEAN;
    struct text text = {0};
    if (report->json) {
        code = show_json(report, diff);
    } else {
        if (report->count) text_puts(&text, "\n");
        if (report->several) text_printf(&text, "%s against %s\n", left, right);
        diff_as_text(diff, report->located, report->width, report->color, &text);
        code = show_bytes(text.bytes, text.size);
    }
    report->count++;
    report->failures += spoor_diff_verdict(diff) != SPOOR_VERDICT_EQUAL;
    if (report->junit) diff_as_junit(diff, report->located, &report->cases);
    if (report->markdown) {
        text.size = 0;
        diff_as_markdown(diff, report->located, &text);
        fwrite(text.bytes, 1, text.size, report->markdown);
    }
    text_free(&text);
    return code;
}

static int close_file(FILE *file)
{
    if (!file) return EXIT_CLEAN;
    bool bad = ferror(file);
    if (fclose(file) == 0 && !bad) return EXIT_CLEAN;
    complain("a report could not be written: %s", strerror(errno));
    return EXIT_UNREADABLE;
}

int report_end(struct report *report)
{
    int code = EXIT_CLEAN;
    if (report->list) code = show_result(report->list, RESULT_JSON);
    spoor_result_free(report->list);
    if (report->junit) {
        fprintf(report->junit,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<testsuite name=\"spoor diff\" tests=\"%u\" failures=\"%u\">\n%.*s</testsuite>\n",
                report->count, report->failures, (int)report->cases.size,
                report->cases.bytes ? report->cases.bytes : "");
    }
    text_free(&report->cases);
    int closed = close_file(report->junit);
    int other = close_file(report->markdown);
    return worse_diff(code, worse_diff(closed, other));
}

/* SPDX-License-Identifier: MIT */
/* report.c: the verb `report`: what one wants to know first about traces, as one HTML page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/located.h"
#include "cli/output.h"
#include "cli/report_trace.h"
#include "cli/selection.h"
#include "html/page.h"

enum {
    MAX_TRACES = 8,
    FLAME_HEIGHT = 420,
    LARGEST_FLAMES = 3 << 20, /* bytes of all flame graphs: a page stays below 5 MB */
};

struct report_settings {
    struct settings common;
    const char *output, *title;
};

#define AT(field) offsetof(struct report_settings, field)
static const struct option options[] = {
    OPT('o', "output", OUTPUT, "FILE", AT(output), "write to FILE instead of standard output"),
    OPT(0, "title", TEXT, "WORDS", AT(title), "title of the page"),
    IMAGE_OPTIONS,
    SELECTION_OPTIONS,
    OPTION_END,
};

struct report {
    const struct report_settings *settings;
    struct text out;
    struct spoor_result *parts[REPORT_PARTS]; /* arrays, an object for each trace */
    struct report_trace traces[MAX_TRACES];
    size_t count;
};

static const struct page_section sections[] = {
    {"trace", "What it is"},  {"mix", "Instruction mix"}, {"functions", "Functions"},
    {"memory", "Memory"},     {"branches", "Branches"},   {"pipeline", "Pipeline"},
    {"findings", "Findings"},
};

static const struct page_section *report_section(const char *id)
{
    size_t at = 0;
    while (strcmp(sections[at].id, id) != 0) at++;
    return &sections[at];
}

/* ---- pieces ---- */

/* Plots of a verb, of all traces, up to a NULL; returns how many could be drawn. */
static size_t report_put_plots(struct report *report, enum report_part part, const char *verb,
                               const char *const *only)
{
    size_t count = 0;
    for (size_t i = 0; only[i]; i++) {
        const struct spoor_plot_options chosen = {
            .struct_size = sizeof chosen, .verb = verb, .table = only[i]};
        count += page_put_plots(&report->out, report->parts[part], &chosen);
    }
    return count;
}

static void report_begin_plots(struct report *report)
{
    text_puts(&report->out, "<div class=\"plots\">\n");
}

static void report_end_plots(struct report *report)
{
    text_puts(&report->out, "</div>\n");
}

/* The name of a trace over what is its own, if there are several. */
static void report_put_heading(struct report *report, const struct report_trace *trace)
{
    const char *name =
        spoor_result_string(spoor_result_member(trace->parts[REPORT_INFO], "trace"), NULL);
    if (report->count > 1 && name) page_put_heading(&report->out, name);
}

/* A table of each trace; true if one has it. */
static bool report_put_tables(struct report *report, enum report_part part, const char *key,
                              const char *caption)
{
    bool any = false;
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_result *table = spoor_result_member(report->traces[i].parts[part], key);
        if (!table || !spoor_result_count(table)) continue;
        report_put_heading(report, &report->traces[i]);
        page_put_table(&report->out, caption, table, REPORT_ROWS);
        const struct spoor_result *left_out =
            spoor_result_member(report->traces[i].parts[part], "rows_left_out");
        if (left_out)
            text_printf(&report->out, "<p class=\"quiet\">The first %d of %" PRIu64 ".</p>\n",
                        REPORT_ROWS, REPORT_ROWS + spoor_result_whole(left_out));
        any = true;
    }
    return any;
}

static void report_put_facts(struct report *report, enum report_part part)
{
    for (size_t i = 0; i < report->count; i++) {
        report_put_heading(report, &report->traces[i]);
        page_put_facts(&report->out, report->traces[i].parts[part], part == REPORT_INFO);
    }
}

static void report_put_mix(struct report *report)
{
    static const char *const plots_of_mix[] = {"classes", "opcodes",   "branch_distances",
                                               "strides", "registers", NULL};
    page_begin_section(&report->out, report_section("mix"), NULL);
    report_begin_plots(report);
    const size_t count = report_put_plots(report, REPORT_MIX, "mix", plots_of_mix);
    report_end_plots(report);
    if (!count) page_put_note(&report->out, "The trace states no instructions.");
    page_end_section(&report->out);
}

static void report_put_functions(struct report *report)
{
    page_begin_section(&report->out, report_section("functions"),
                       "Instructions that each function ran itself (exclusive), and with all that "
                       "it called (inclusive).  Without an image, functions are addresses that "
                       "were called.");
    size_t size = 0;
    if (!report_put_tables(report, REPORT_PROFILE, "functions", "Functions"))
        page_put_note(&report->out, "The trace states no instructions.");
    for (size_t i = 0; i < report->count; i++) {
        const struct report_trace *trace = &report->traces[i];
        size += trace->flame_size;
        if (!trace->flame) continue;
        report_put_heading(report, trace);
        const struct spoor_result *lost =
            spoor_result_member(trace->parts[REPORT_PROFILE], "lost_contexts");
        if (lost)
            text_printf(
                &report->out,
                "<p class=\"quiet\">Calls that are too deep, or with too many kinds of callers, "
                "and counted in a call of the same function further out, or without callers: "
                "%" PRIu64 ".</p>\n",
                spoor_result_whole(lost));
        if (size <= LARGEST_FLAMES)
            page_put_frame(&report->out, "Flame graph", trace->flame, trace->flame_size,
                           FLAME_HEIGHT);
        else
            page_put_note(&report->out,
                          "The flame graph is too large for this page: see spoor flame --svg.");
    }
    page_end_section(&report->out);
}

static void report_put_memory(struct report *report)
{
    static const char *const plots_of_cache[] = {"curve", "reuse", NULL};
    static const char *const plots_of_mix[] = {"working_set", NULL};
    page_begin_section(&report->out, report_section("memory"),
                       "Regions by time, the misses of a fully associative LRU cache of any size, "
                       "and how many other blocks lie between two accesses of a block.");
    report_begin_plots(report);
    size_t count = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_plot_options chosen = {.struct_size = sizeof chosen,
                                                  .verb = "mix",
                                                  .table = "memory_map",
                                                  .number = (unsigned)i + 1};
        count += page_put_plots(&report->out, report->traces[i].parts[REPORT_MIX], &chosen);
    }
    count += report_put_plots(report, REPORT_CACHE, "cache", plots_of_cache);
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_result *all =
            spoor_result_member(report->traces[i].parts[REPORT_CACHE], "missing");
        for (const struct spoor_result *at = all ? spoor_result_first(all) : NULL; at;
             at = spoor_result_next(at))
            page_put_note(&report->out, spoor_result_string(at, NULL));
    }
    count += report_put_plots(report, REPORT_MIX, "mix", plots_of_mix);
    report_end_plots(report);
    if (!count) page_put_note(&report->out, "The trace states no memory references.");
    page_end_section(&report->out);
}

static void report_put_branches(struct report *report)
{
    static const char *const plots_of_branch[] = {"predictors", "over_time", NULL};
    page_begin_section(&report->out, report_section("branches"),
                       "Three predictors on the conditional branches, and the branches that the "
                       "first mispredicts most often (wrong 1 to wrong 3: mispredictions of "
                       "bimodal, gshare and tage-sc-l).");
    report_begin_plots(report);
    const size_t count = report_put_plots(report, REPORT_BRANCH, "branch", plots_of_branch);
    report_end_plots(report);
    report_put_tables(report, REPORT_BRANCH, "hardest", "Hardest branches");
    for (size_t i = 0; i < report->count; i++) {
        const struct report_trace *trace = &report->traces[i];
        const struct spoor_result *left_out =
            spoor_result_member(trace->parts[REPORT_BRANCH], "branches_left_out");
        if (left_out)
            text_printf(&report->out,
                        "<p class=\"quiet\">Without %" PRIu64
                        " executions of branches that came after the first 262,144.</p>\n",
                        spoor_result_whole(left_out));
    }
    if (!count) page_put_note(&report->out, "The trace states no branches.");
    page_end_section(&report->out);
}

static void report_put_pipeline(struct report *report)
{
    static const char *const plots_of_pipe[] = {"cpi_stack", "windows", NULL};
    page_begin_section(&report->out, report_section("pipeline"),
                       "The trace on an out-of-order machine (the preset general of spoor pipe), "
                       "and the parallelism that windows of micro-ops have.");
    report_begin_plots(report);
    const size_t count = report_put_plots(report, REPORT_PIPE, "pipe", plots_of_pipe);
    report_end_plots(report);
    if (count)
        report_put_facts(report, REPORT_PIPE);
    else
        page_put_note(&report->out, "The trace states no instructions to simulate.");
    page_end_section(&report->out);
}

static void report_put_page(struct report *report)
{
    struct text title = {0}, script = {0};
    const char *name = spoor_result_string(
        spoor_result_member(report->traces[0].parts[REPORT_INFO], "trace"), NULL);
    const char *path = name ? name : "trace";
    const char *slash = strrchr(path, '/');
    if (report->settings->title)
        text_puts(&title, report->settings->title);
    else
        text_printf(&title, "%s", slash && slash[1] ? slash + 1 : path);
    if (report->count > 1 && !report->settings->title)
        text_printf(&title, " and %zu more", report->count - 1);
    text_put(&title, "", 1);
    /* the script of the flame graphs, which is the same in each, if there is one */
    static const char begin[] = "<script><![CDATA[", end[] = "]]></script>";
    const char *flame = NULL;
    for (size_t i = 0; i < report->count && !flame; i++) flame = report->traces[i].flame;
    const char *from = flame ? strstr(flame, begin) : NULL;
    const char *to = from ? strstr(from, end) : NULL;
    if (to) text_put(&script, from + sizeof begin - 1, (size_t)(to - from) - sizeof begin + 1);
    text_put(&script, "", 1);
    report->out.failed |= title.failed || script.failed;
    if (report->out.failed) {
        text_free(&title);
        text_free(&script);
        return;
    }
    page_begin_styled(&report->out, title.bytes, "", script.bytes);
    page_put_contents(&report->out, sections, sizeof sections / sizeof *sections);
    static const char *const plots_of_info[] = {"kinds", NULL};
    page_begin_section(&report->out, report_section("trace"), NULL);
    report_put_facts(report, REPORT_INFO);
    report_begin_plots(report);
    report_put_plots(report, REPORT_INFO, "info", plots_of_info);
    report_end_plots(report);
    page_end_section(&report->out);
    report_put_mix(report);
    report_put_functions(report);
    report_put_memory(report);
    report_put_branches(report);
    report_put_pipeline(report);
    page_begin_section(&report->out, report_section("findings"),
                       "What contradicts the rules of the trace's format or the machine's own "
                       "logic (spoor check): the first 20 findings of each rule.");
    if (!report_put_tables(report, REPORT_CHECK, "findings", "Findings"))
        page_put_note(&report->out, "None.");
    page_end_section(&report->out);
    page_end(&report->out);
    text_free(&title);
    text_free(&script);
}

/* ---- running ---- */

static int report_run(void *chosen)
{
    const struct report_settings *settings = chosen;
    struct report report = {.settings = settings};
    if (operand_count(&settings->common) > MAX_TRACES) {
        complain("report: found %zu traces, expected at most %d", operand_count(&settings->common),
                 MAX_TRACES);
        return EXIT_USAGE;
    }
    if (!settings->output && shows_on_terminal()) {
        complain("report: it writes a page: expected -o FILE, or output that is no terminal");
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < REPORT_PARTS; i++) report.parts[i] = spoor_result_new_array();
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < operand_count(&settings->common) && code != EXIT_USAGE; i++) {
        struct report_trace *trace = &report.traces[report.count];
        const char *path = operand(&settings->common, i);
        code = worse(code, report_trace_read(trace, path, &settings->common, report.parts));
        if (trace->parts[REPORT_INFO]) report.count++;
    }
    if (report.count && code != EXIT_USAGE) {
        bool good = true;
        for (size_t i = 0; i < REPORT_PARTS; i++) good &= spoor_result_complete(report.parts[i]);
        if (good) report_put_page(&report);
        code = good && !report.out.failed
                   ? worse(code, output_write(settings->output ? settings->output : "-",
                                              report.out.bytes, report.out.size,
                                              code != EXIT_UNREADABLE, &settings->common))
                   : complain_for(EXIT_UNREADABLE, "out of memory while writing the report");
    }
    for (size_t i = 0; i < report.count; i++) free(report.traces[i].flame);
    for (size_t i = 0; i < REPORT_PARTS; i++) spoor_result_free(report.parts[i]);
    text_free(&report.out);
    return code;
}

const struct verb verb_report = {
    .name = "report",
    .brief = "what to know first about traces, as one HTML page",
    .operands = "[TRACE...]",
    .about = "Reads each trace once and writes a page that needs nothing from elsewhere: what the "
             "trace is, its instruction mix, functions with a flame graph, memory over time, "
             "miss-ratio curves and reuse distances, branches that are hard to predict, the cycles "
             "of a pipeline, and the findings of check.  Tables sort, and plots answer to the "
             "pointer.",
    .options = options,
    .settings_size = sizeof(struct report_settings),
    .many = true,
    .run = report_run,
};

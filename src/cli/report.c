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

static const struct page_section *section_of(const char *id)
{
    size_t at = 0;
    while (strcmp(sections[at].id, id) != 0) at++;
    return &sections[at];
}

/* ---- pieces ---- */

/* Plots of a verb, of all traces, up to a NULL; returns how many could be drawn. */
static size_t put_plots(struct report *report, enum report_part part, const char *verb,
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

static void begin_plots(struct report *report)
{
    text_puts(&report->out, "<div class=\"plots\">\n");
}

static void end_plots(struct report *report)
{
    text_puts(&report->out, "</div>\n");
}

/* The name of a trace over what is its own, if there are several. */
static void put_trace_heading(struct report *report, const struct report_trace *trace)
{
    const char *name =
        spoor_result_string(spoor_result_member(trace->parts[REPORT_INFO], "trace"), NULL);
    if (report->count > 1 && name) page_put_heading(&report->out, name);
}

/* The rows that the result does not have. */
static void report_put_left_out(struct report *report, const struct spoor_result *result)
{
    const struct spoor_result *rows = spoor_result_member(result, "rows_left_out");
    if (!rows) return;
    const uint64_t count = spoor_result_whole(rows);
    text_printf(&report->out, "<p class=\"quiet\">The first %d of %" PRIu64 ".</p>\n", REPORT_ROWS,
                REPORT_ROWS + count);
}

/* A table of each trace; true if one has it. */
static bool put_tables(struct report *report, enum report_part part, const char *key,
                       const char *caption)
{
    bool any = false;
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_result *table = spoor_result_member(report->traces[i].parts[part], key);
        if (!table || !spoor_result_count(table)) continue;
        put_trace_heading(report, &report->traces[i]);
        page_put_table(&report->out, caption, table, REPORT_ROWS);
        report_put_left_out(report, report->traces[i].parts[part]);
        any = true;
    }
    return any;
}

static void put_facts(struct report *report, enum report_part part)
{
    for (size_t i = 0; i < report->count; i++) {
        put_trace_heading(report, &report->traces[i]);
        page_put_facts(&report->out, report->traces[i].parts[part], part == REPORT_INFO);
    }
}

/* ---- sections ---- */

static void put_trace_section(struct report *report)
{
    static const char *const plots_of_info[] = {"kinds", NULL};
    page_begin_section(&report->out, section_of("trace"), NULL);
    put_facts(report, REPORT_INFO);
    begin_plots(report);
    put_plots(report, REPORT_INFO, "info", plots_of_info);
    end_plots(report);
    page_end_section(&report->out);
}

static void put_mix_section(struct report *report)
{
    static const char *const plots_of_mix[] = {"classes", "opcodes",   "branch_distances",
                                               "strides", "registers", NULL};
    page_begin_section(&report->out, section_of("mix"), NULL);
    begin_plots(report);
    const size_t count = put_plots(report, REPORT_MIX, "mix", plots_of_mix);
    end_plots(report);
    if (!count) page_put_note(&report->out, "The trace states no instructions.");
    page_end_section(&report->out);
}

static void put_lost_contexts(struct report *report, const struct report_trace *trace)
{
    const struct spoor_result *lost =
        spoor_result_member(trace->parts[REPORT_PROFILE], "lost_contexts");
    if (lost)
        text_printf(
            &report->out,
            "<p class=\"quiet\">Calls that are too deep, or with too many kinds of callers, "
            "and counted in a call of the same function further out, or without callers: "
            "%" PRIu64 ".</p>\n",
            spoor_result_whole(lost));
}

static void put_function_section(struct report *report)
{
    page_begin_section(&report->out, section_of("functions"),
                       "Instructions that each function ran itself (exclusive), and with all that "
                       "it called (inclusive).  Without an image, functions are addresses that "
                       "were called.");
    size_t size = 0;
    if (!put_tables(report, REPORT_PROFILE, "functions", "Functions"))
        page_put_note(&report->out, "The trace states no instructions.");
    for (size_t i = 0; i < report->count; i++) {
        const struct report_trace *trace = &report->traces[i];
        size += trace->flame_size;
        if (!trace->flame) continue;
        put_trace_heading(report, trace);
        put_lost_contexts(report, trace);
        if (size <= LARGEST_FLAMES)
            page_put_frame(&report->out, "Flame graph", trace->flame, trace->flame_size,
                           FLAME_HEIGHT);
        else
            page_put_note(&report->out,
                          "The flame graph is too large for this page: see spoor flame --svg.");
    }
    page_end_section(&report->out);
}

/* What the traces lack for a part, as its result says. */
static void report_put_missing(struct report *report, enum report_part part)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_result *all =
            spoor_result_member(report->traces[i].parts[part], "missing");
        for (const struct spoor_result *at = all ? spoor_result_first(all) : NULL; at;
             at = spoor_result_next(at))
            page_put_note(&report->out, spoor_result_string(at, NULL));
    }
}

static void put_memory_section(struct report *report)
{
    static const char *const plots_of_cache[] = {"curve", "reuse", NULL};
    static const char *const plots_of_mix[] = {"working_set", NULL};
    page_begin_section(&report->out, section_of("memory"),
                       "Regions by time, the misses of a fully associative LRU cache of any size, "
                       "and how many other blocks lie between two accesses of a block.");
    begin_plots(report);
    size_t count = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_plot_options chosen = {.struct_size = sizeof chosen,
                                                  .verb = "mix",
                                                  .table = "memory_map",
                                                  .number = (unsigned)i + 1};
        count += page_put_plots(&report->out, report->traces[i].parts[REPORT_MIX], &chosen);
    }
    count += put_plots(report, REPORT_CACHE, "cache", plots_of_cache);
    report_put_missing(report, REPORT_CACHE);
    count += put_plots(report, REPORT_MIX, "mix", plots_of_mix);
    end_plots(report);
    if (!count) page_put_note(&report->out, "The trace states no memory references.");
    page_end_section(&report->out);
}

static void put_branches_left_out(struct report *report, const struct report_trace *trace)
{
    const struct spoor_result *left_out =
        spoor_result_member(trace->parts[REPORT_BRANCH], "branches_left_out");
    if (left_out)
        text_printf(&report->out,
                    "<p class=\"quiet\">Without %" PRIu64
                    " executions of branches that came after the first 262,144.</p>\n",
                    spoor_result_whole(left_out));
}

static void put_branch_section(struct report *report)
{
    static const char *const plots_of_branch[] = {"predictors", "over_time", NULL};
    page_begin_section(&report->out, section_of("branches"),
                       "Three predictors on the conditional branches, and the branches that the "
                       "first mispredicts most often (wrong 1 to wrong 3: mispredictions of "
                       "bimodal, gshare and tage-sc-l).");
    begin_plots(report);
    const size_t count = put_plots(report, REPORT_BRANCH, "branch", plots_of_branch);
    end_plots(report);
    put_tables(report, REPORT_BRANCH, "hardest", "Hardest branches");
    for (size_t i = 0; i < report->count; i++) put_branches_left_out(report, &report->traces[i]);
    if (!count) page_put_note(&report->out, "The trace states no branches.");
    page_end_section(&report->out);
}

static void put_pipeline_section(struct report *report)
{
    static const char *const plots_of_pipe[] = {"cpi_stack", "windows", NULL};
    page_begin_section(&report->out, section_of("pipeline"),
                       "The trace on an out-of-order machine (the preset general of spoor pipe), "
                       "and the parallelism that windows of micro-ops have.");
    begin_plots(report);
    const size_t count = put_plots(report, REPORT_PIPE, "pipe", plots_of_pipe);
    end_plots(report);
    if (count)
        put_facts(report, REPORT_PIPE);
    else
        page_put_note(&report->out, "The trace states no instructions to simulate.");
    page_end_section(&report->out);
}

static void put_finding_section(struct report *report)
{
    page_begin_section(&report->out, section_of("findings"),
                       "What contradicts the rules of the trace's format or the machine's own "
                       "logic (spoor check): the first 20 findings of each rule.");
    if (!put_tables(report, REPORT_CHECK, "findings", "Findings"))
        page_put_note(&report->out, "None.");
    page_end_section(&report->out);
}

/* Appends the script of the flame graphs, which is the same in each, if there is one. */
static void put_flame_script(const struct report *report, struct text *out)
{
    static const char begin[] = "<script><![CDATA[", end[] = "]]></script>";
    const char *flame = NULL;
    for (size_t i = 0; i < report->count && !flame; i++) flame = report->traces[i].flame;
    const char *from = flame ? strstr(flame, begin) : NULL;
    const char *to = from ? strstr(from, end) : NULL;
    if (to) text_put(out, from + sizeof begin - 1, (size_t)(to - from) - sizeof begin + 1);
    text_put(out, "", 1);
}

static void put_page(struct report *report)
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
    put_flame_script(report, &script);
    report->out.failed |= title.failed || script.failed;
    if (report->out.failed) {
        text_free(&title);
        text_free(&script);
        return;
    }
    page_begin_styled(&report->out, title.bytes, "", script.bytes);
    page_put_contents(&report->out, sections, sizeof sections / sizeof *sections);
    put_trace_section(report);
    put_mix_section(report);
    put_function_section(report);
    put_memory_section(report);
    put_branch_section(report);
    put_pipeline_section(report);
    put_finding_section(report);
    page_end(&report->out);
    text_free(&title);
    text_free(&script);
}

/* ---- running ---- */

static int read_traces(struct report *report)
{
    const struct settings *settings = &report->settings->common;
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < operand_count(settings) && code != EXIT_USAGE; i++) {
        struct report_trace *trace = &report->traces[report->count];
        code = worse(code, report_trace_read(trace, operand(settings, i), settings, report->parts));
        if (trace->parts[REPORT_INFO]) report->count++;
    }
    return code;
}

static int write_page(struct report *report, int code)
{
    bool good = true;
    for (size_t i = 0; i < REPORT_PARTS; i++) good &= spoor_result_complete(report->parts[i]);
    if (good) put_page(report);
    if (!good || report->out.failed) {
        complain("out of memory while writing the report");
        return EXIT_UNREADABLE;
    }
    const char *path = report->settings->output ? report->settings->output : "-";
    return worse(code, output_write(path, report->out.bytes, report->out.size,
                                    code != EXIT_UNREADABLE, &report->settings->common));
}

static int run(void *chosen)
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
    int code = read_traces(&report);
    if (report.count && code != EXIT_USAGE) code = write_page(&report, code);
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
    .run = run,
};

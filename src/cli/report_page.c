/* SPDX-License-Identifier: MIT */
/* report_page.c: the page of `report`: an overview first, then what the trace has. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/report.h"
#include "html/page.h"
#include "spoor/plot.h"

enum section {
    SECTION_OVERVIEW,
    SECTION_FINDINGS,
    SECTION_FUNCTIONS,
    SECTION_PIPELINE,
    SECTION_BRANCHES,
    SECTION_MEMORY,
    SECTION_MIX,
    SECTION_TRACE,
    SECTIONS
};
static const struct page_section sections[SECTIONS] = {
    [SECTION_OVERVIEW] = {"overview", "Overview"},
    [SECTION_FINDINGS] = {"findings", "Findings"},
    [SECTION_FUNCTIONS] = {"functions", "Functions"},
    [SECTION_PIPELINE] = {"pipeline", "Pipeline"},
    [SECTION_BRANCHES] = {"branches", "Branches"},
    [SECTION_MEMORY] = {"memory", "Memory"},
    [SECTION_MIX] = {"mix", "Instruction mix"},
    [SECTION_TRACE] = {"trace", "About this file"},
};

/* ---- values ---- */

static const struct spoor_result *report_value(const struct report_trace *trace,
                                               enum report_part part, const char *key)
{
    return spoor_result_member(trace->parts[part], key);
}

static uint64_t report_number(const struct report_trace *trace, enum report_part part,
                              const char *key)
{
    const struct spoor_result *value = report_value(trace, part, key);
    return value ? spoor_result_whole(value) : 0;
}

static size_t report_rows(const struct report_trace *trace, enum report_part part, const char *key)
{
    const struct spoor_result *table = report_value(trace, part, key);
    return table ? spoor_result_count(table) : 0;
}

static bool report_any(const struct report *report, enum report_part part, const char *key)
{
    for (size_t i = 0; i < report->count; i++)
        if (report_rows(&report->traces[i], part, key)) return true;
    return false;
}

/* False: the only function is where the trace begins, so that nothing is known of functions. */
static bool report_knows_functions(const struct report_trace *trace)
{
    const size_t functions = report_rows(trace, REPORT_PROFILE, "functions");
    return functions > 1 || (functions && report_number(trace, REPORT_PROFILE, "calls") >
                                              report_number(trace, REPORT_PROFILE, "cpus"));
}

static bool report_has_logs(const struct report *report)
{
    return report_any(report, REPORT_LOG, "stages");
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

/* The name of a trace over what is its own, if there are several. */
static void report_put_heading(struct report *report, const struct report_trace *trace)
{
    if (report->count > 1) page_put_heading(&report->out, trace->path);
}

/* A note with a number between two words. */
static void report_put_number(struct report *report, const char *before, uint64_t number,
                              const char *after)
{
    char words[240];
    snprintf(words, sizeof words, "%s %" PRIu64 "%s", before, number, after);
    page_put_note(&report->out, words);
}

/* A table of each trace; true if one has it. */
static bool report_put_tables(struct report *report, enum report_part part, const char *key,
                              const char *caption)
{
    bool any = false;
    for (size_t i = 0; i < report->count; i++) {
        const struct report_trace *trace = &report->traces[i];
        if (!report_rows(trace, part, key)) continue;
        report_put_heading(report, trace);
        page_put_table(&report->out, caption, report_value(trace, part, key), REPORT_ROWS);
        const struct spoor_result *left_out = report_value(trace, part, "rows_left_out");
        if (left_out)
            report_put_number(report, "There are", spoor_result_whole(left_out), " more rows.");
        any = true;
    }
    return any;
}

static void report_put_facts(struct report *report, enum report_part part)
{
    for (size_t i = 0; i < report->count; i++) {
        if (!report->traces[i].parts[part]) continue;
        report_put_heading(report, &report->traces[i]);
        page_put_facts(&report->out, report->traces[i].parts[part], part == REPORT_INFO);
    }
}

/* ---- the overview ---- */

/* The first finding that is more than a note. */
static void report_add_worst(char *words, size_t capacity, const struct report_trace *trace)
{
    const struct spoor_result *findings = report_value(trace, REPORT_CHECK, "findings");
    for (const struct spoor_result *row = findings ? spoor_result_first(findings) : NULL; row;
         row = spoor_result_next(row)) {
        const char *severity = spoor_result_string(spoor_result_member(row, "severity"), NULL);
        if (!severity || strcmp(severity, "note") == 0) continue;
        const size_t used = strlen(words);
        snprintf(words + used, capacity - used, "  %s, record %" PRIu64 ": found %s, expected %s.",
                 spoor_result_string(spoor_result_member(row, "rule"), NULL),
                 spoor_result_whole(spoor_result_member(row, "record")),
                 spoor_result_string(spoor_result_member(row, "found"), NULL),
                 spoor_result_string(spoor_result_member(row, "expected"), NULL));
        return;
    }
}

/* What the first screen of the explorer shows (web/src/overview.ts). */
static void report_put_trace(struct text *out, const struct report_trace *trace)
{
    json_begin(out, NULL, '{');
    text_puts(out, "\"trace\":");
    text_append(out, &trace->overview);
    json_text(out, "name", path_name(trace->path));
    json_text(out, "format", spoor_result_string(report_value(trace, REPORT_INFO, "format"), NULL));
    json_number(out, "records", report_number(trace, REPORT_INFO, "records"));
    const struct spoor_result *time = report_value(trace, REPORT_INFO, "time");
    const struct spoor_result *first = spoor_result_member(time, "first");
    const struct spoor_result *last = spoor_result_member(time, "last");
    const char *unit = spoor_result_string(spoor_result_member(time, "time_unit"), NULL);
    json_text(out, "time_unit", unit ? unit : "");
    if (first && last && unit && *unit)
        json_time(out, "span", spoor_result_whole(last) - spoor_result_whole(first));
    if (trace->is_part) json_text(out, "damage", trace->damage);
    text_puts(out, "}}");
}

static void report_put_overview(struct report *report)
{
    struct text *out = &report->out;
    static const char *const stack[] = {"cpi_stack", NULL};
    page_begin_section(out, &sections[SECTION_OVERVIEW], NULL);
    for (size_t i = 0; i < report->count; i++) {
        const struct report_trace *trace = &report->traces[i];
        char words[2 * sizeof trace->damage];
        report_put_heading(report, trace);
        snprintf(words, sizeof words, "%s", trace->damage);
        if (trace->parts[REPORT_INFO]) report_add_worst(words, sizeof words, trace);
        if (trace->damage[0]) page_put_warning(out, words);
        if (trace->parts[REPORT_INFO]) report_put_trace(out, trace);
    }
    report_put_plots(report, REPORT_PIPE, "pipe", stack);
    for (size_t i = 0; i < report->count; i++) { /* what the trace does not have */
        const struct spoor_result *missing =
            report_value(&report->traces[i], REPORT_MIX, "missing");
        struct text words = {0};
        if (!missing || !spoor_result_count(missing)) continue;
        for (const struct spoor_result *at = spoor_result_first(missing); at;
             at = spoor_result_next(at))
            text_printf(&words, "%s%s", words.size ? "; " : "Not stated by the trace: ",
                        spoor_result_string(at, NULL));
        text_put(&words, ".", 2);
        out->failed |= words.failed;
        if (!words.failed) page_put_note(out, words.bytes);
        text_free(&words);
    }
    page_end_parts(out);
}

/* ---- sections ---- */

static void report_put_functions(struct report *report)
{
    page_begin_section(&report->out, &sections[SECTION_FUNCTIONS],
                       "Instructions that each function ran itself (exclusive), and with all that "
                       "it called (inclusive).  Without an image, functions are addresses that "
                       "were called.");
    report_put_tables(report, REPORT_PROFILE, "functions", "Functions");
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_result *lost =
            report_value(&report->traces[i], REPORT_PROFILE, "lost_contexts");
        if (lost)
            report_put_number(report,
                              "Calls that are too deep, or with too many kinds of callers, and "
                              "counted in a call of the same function further out, or without "
                              "callers:",
                              spoor_result_whole(lost), ".");
    }
    page_end_parts(&report->out);
}

static void report_put_memory(struct report *report)
{
    static const char *const plots_of_cache[] = {"curve", "reuse", NULL};
    static const char *const plots_of_mix[] = {"working_set", NULL};
    page_begin_section(&report->out, &sections[SECTION_MEMORY],
                       "Regions by time, the misses of a fully associative LRU cache of any size, "
                       "and how many other blocks lie between two accesses of a block.");
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_plot_options chosen = {.struct_size = sizeof chosen,
                                                  .verb = "mix",
                                                  .table = "memory_map",
                                                  .number = (unsigned)i + 1};
        if (report->traces[i].parts[REPORT_MIX])
            page_put_plots(&report->out, report->traces[i].parts[REPORT_MIX], &chosen);
    }
    report_put_plots(report, REPORT_CACHE, "cache", plots_of_cache);
    report_put_plots(report, REPORT_MIX, "mix", plots_of_mix);
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_result *all = report_value(&report->traces[i], REPORT_CACHE, "missing");
        for (const struct spoor_result *at = all ? spoor_result_first(all) : NULL; at;
             at = spoor_result_next(at))
            page_put_note(&report->out, spoor_result_string(at, NULL));
    }
    page_end_parts(&report->out);
}

static void report_put_branches(struct report *report)
{
    static const char *const plots_of_branch[] = {"predictors", "over_time", NULL};
    page_begin_section(&report->out, &sections[SECTION_BRANCHES],
                       "Three predictors on the conditional branches, and the branches that the "
                       "first mispredicts most often (wrong 1 to wrong 3: mispredictions of "
                       "tage-sc-l, gshare and bimodal).");
    report_put_plots(report, REPORT_BRANCH, "branch", plots_of_branch);
    report_put_tables(report, REPORT_BRANCH, "hardest", "Hardest branches");
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_result *left_out =
            report_value(&report->traces[i], REPORT_BRANCH, "branches_left_out");
        if (left_out)
            report_put_number(report, "Without", spoor_result_whole(left_out),
                              " executions of branches that came after the first 262,144.");
    }
    page_end_parts(&report->out);
}

/* The pipeline that a log states; else one that is simulated. */
static void report_put_pipeline(struct report *report)
{
    struct text *out = &report->out;
    static const char *const plots_of_pipe[] = {"windows", NULL};
    const bool logs = report_has_logs(report);
    page_begin_section(out, &sections[SECTION_PIPELINE],
                       logs ? "What the log states: how long instructions were in each stage, and "
                              "the first of them."
                            : "The trace on an out-of-order machine (the preset general of spoor "
                              "pipe), and the parallelism that windows of micro-ops have.");
    if (logs) report_put_tables(report, REPORT_LOG, "stages", "Cycles in each stage");
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_result *of = report_value(&report->traces[i], REPORT_LOG, "stages_of");
        if (of)
            report_put_number(report, "The cycles are those of the first", spoor_result_whole(of),
                              " instructions.");
    }
    for (size_t i = 0; i < report->count && logs; i++) {
        const struct spoor_plot_options chosen = {.struct_size = sizeof chosen,
                                                  .verb = "report",
                                                  .table = "log",
                                                  .number = (unsigned)i + 1};
        if (report->traces[i].parts[REPORT_LOG])
            page_put_plots(out, report->traces[i].parts[REPORT_LOG], &chosen);
    }
    report_put_plots(report, REPORT_PIPE, "pipe", plots_of_pipe);
    if (!logs) report_put_facts(report, REPORT_PIPE);
    page_end_parts(out);
}

static void report_put_mix(struct report *report)
{
    static const char *const plots_of_mix[] = {"classes", "opcodes",   "branch_distances",
                                               "strides", "registers", NULL};
    page_begin_section(&report->out, &sections[SECTION_MIX], NULL);
    report_put_plots(report, REPORT_MIX, "mix", plots_of_mix);
    page_end_parts(&report->out);
}

static void report_put_about(struct report *report)
{
    static const char *const plots_of_info[] = {"kinds", NULL};
    page_begin_section(&report->out, &sections[SECTION_TRACE], NULL);
    page_begin_fold(&report->out, "Format, records, addresses and times");
    report_put_facts(report, REPORT_INFO);
    report_put_plots(report, REPORT_INFO, "info", plots_of_info);
    page_end_parts(&report->out);
    page_end_parts(&report->out);
}

static void report_put_findings(struct report *report)
{
    page_begin_section(&report->out, &sections[SECTION_FINDINGS],
                       "What contradicts the rules of the trace's format or the machine's own "
                       "logic (spoor check): the first 20 findings of each rule.");
    report_put_tables(report, REPORT_CHECK, "findings", "Findings");
    page_end_parts(&report->out);
}

/* ---- the page ---- */

/* True if a trace has something for the section. */
static bool report_has(const struct report *report, enum section section)
{
    switch (section) {
    case SECTION_FINDINGS: return report_any(report, REPORT_CHECK, "findings");
    case SECTION_FUNCTIONS:
        for (size_t i = 0; i < report->count; i++)
            if (report_knows_functions(&report->traces[i])) return true;
        return false;
    case SECTION_BRANCHES: return report_any(report, REPORT_BRANCH, "predictors");
    case SECTION_MEMORY: return report_any(report, REPORT_CACHE, "curve");
    case SECTION_MIX:
        return report_any(report, REPORT_MIX, "opcodes") ||
               report_any(report, REPORT_MIX, "classes");
    case SECTION_PIPELINE:
        return report_has_logs(report) || report_any(report, REPORT_PIPE, "cpi_stack");
    default: return true;
    }
}

void report_put_page(struct report *report)
{
    static void (*const put[SECTIONS])(struct report *) = {
        [SECTION_OVERVIEW] = report_put_overview,
        [SECTION_FINDINGS] = report_put_findings,
        [SECTION_FUNCTIONS] = report_put_functions,
        [SECTION_PIPELINE] = report_put_pipeline,
        [SECTION_BRANCHES] = report_put_branches,
        [SECTION_MEMORY] = report_put_memory,
        [SECTION_MIX] = report_put_mix,
        [SECTION_TRACE] = report_put_about,
    };
    struct text *out = &report->out, title = {0};
    if (report->title)
        text_puts(&title, report->title);
    else
        text_printf(&title, "%s", path_name(report->traces[0].path));
    if (report->count > 1 && !report->title)
        text_printf(&title, " and %zu more", report->count - 1);
    text_put(&title, "", 1);
    out->failed |= title.failed;
    if (!out->failed) {
        page_begin(out, title.bytes);
        for (int i = 0; i < SECTIONS; i++) {
            enum section section = (enum section)i;
            /* of a log of a pipeline that comes first */
            if (report_has_logs(report) && section == SECTION_FUNCTIONS)
                section = SECTION_PIPELINE;
            else if (report_has_logs(report) && section == SECTION_PIPELINE)
                section = SECTION_FUNCTIONS;
            if (report_has(report, section)) put[section](report);
        }
        page_end(out, page_files, title.bytes);
    }
    text_free(&title);
}

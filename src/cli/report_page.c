/* SPDX-License-Identifier: MIT */
/* report_page.c: the page of `report`: an overview first, then what the trace has. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "html/page.h"
#include "spoor/plot.h"

enum {
    LARGEST_FLAMES = 3 << 20, /* bytes of all flame graphs: a page stays below 5 MB */
    HOT_FUNCTIONS = 5,        /* of the overview */
    USUAL_CACHE = 32 << 10,   /* bytes */
};

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

static const char style[] =
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:10px;"
    "margin:14px 0}.card{background:var(--card);border:1px solid var(--line);border-radius:6px;"
    "padding:8px 12px;break-inside:avoid}.card b{display:block;font-size:23px;line-height:1.25;"
    "overflow-wrap:anywhere}.card span{color:var(--quiet);font-size:13px;display:block}"
    ".bad{border-left:4px solid #d1242f}.fine{border-left:4px solid #2f8132}"
    ".lead{font-size:18px;margin:10px 0}.hot td{vertical-align:middle}"
    ".hot i{display:block;height:12px;border-radius:2px;background:#4c7fc4;min-width:1px}"
    ".hot td.bar{width:45%}.hot{width:100%}"
    ".warn{background:var(--card);border:1px solid #d1242f;border-left:6px solid #d1242f;"
    "border-radius:6px;padding:8px 12px;margin:10px 0}"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));"
    "gap:16px;align-items:start}.pair .plots{grid-template-columns:1fr;margin:0}";

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

/* Instructions of any trace that has some. */
static uint64_t report_instructions(const struct report_trace *trace)
{
    const uint64_t count = report_number(trace, REPORT_MIX, "instructions");
    return count ? count : report_number(trace, REPORT_MIX, "macro_ops");
}

/* NULL is a number that is not known. */
static const struct spoor_result *report_known(const struct spoor_result *value)
{
    return value && spoor_result_type_of(value) != SPOOR_RESULT_NULL ? value : NULL;
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

static const char plots_begin[] = "<div class=\"plots\">\n", plots_end[] = "</div>\n";

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
    const char *name = spoor_result_string(report_value(trace, REPORT_INFO, "trace"), NULL);
    if (report->count > 1 && name) page_put_heading(&report->out, name);
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

/* ---- the overview ---- */

static void report_put_count(struct text *out, uint64_t count, const char *one, const char *many)
{
    if (count)
        text_put_grouped(out, count);
    else
        text_puts(out, "no");
    text_printf(out, " %s", count == 1 ? one : many);
}

static uint64_t report_findings(const struct report_trace *trace)
{
    uint64_t count = 0;
    const struct spoor_result *counts = report_value(trace, REPORT_CHECK, "counts");
    for (const struct spoor_result *at = counts ? spoor_result_first(counts) : NULL; at;
         at = spoor_result_next(at))
        count += spoor_result_whole(at);
    return count;
}

/* The function, or where it begins. */
static void report_put_function(struct text *out, const struct spoor_result *row)
{
    const struct spoor_result *name = spoor_result_member(row, "function");
    const char *words = name ? spoor_result_string(name, NULL) : NULL;
    if (!words || !*words) name = spoor_result_member(row, "pc");
    if (name)
        page_put_scalar(out, name);
    else
        text_puts(out, "?");
}

static double report_share(const struct report_trace *trace, const struct spoor_result *row)
{
    const struct spoor_result *own = spoor_result_member(row, "exclusive");
    const uint64_t total = report_number(trace, REPORT_PROFILE, "total");
    return own && total ? 100.0 * (double)spoor_result_whole(own) / (double)total : 0;
}

/* "20,617 instructions in 9 functions; partition ran 62.4 % of them.  No exceptions, no findings."
 */
static void report_put_sentence(struct report *report, const struct report_trace *trace)
{
    struct text *out = &report->out;
    const uint64_t instructions = report_instructions(trace);
    const uint64_t log = report_number(trace, REPORT_LOG, "retired");
    const uint64_t rows = report_rows(trace, REPORT_PROFILE, "functions");
    const uint64_t left_out = report_number(trace, REPORT_PROFILE, "rows_left_out");
    text_puts(out, "<p class=\"lead\">");
    if (log) {
        text_put_grouped(out, log);
        text_puts(out, log == 1 ? " instruction retired in " : " instructions retired in ");
        text_put_grouped(out, report_number(trace, REPORT_LOG, "cycles"));
        text_puts(out, " cycles of the pipeline that the log states, ");
        const uint64_t squashed = report_number(trace, REPORT_LOG, "squashed");
        if (squashed)
            report_put_count(out, squashed, "was", "were");
        else
            text_puts(out, "none was");
        text_puts(out, " squashed");
    } else if (instructions) {
        text_put_grouped(out, instructions);
        text_puts(out, instructions == 1 ? " instruction" : " instructions");
    } else {
        report_put_count(out, report_number(trace, REPORT_INFO, "records"), "record", "records");
    }
    const struct spoor_result *table = report_value(trace, REPORT_PROFILE, "functions");
    const struct spoor_result *first = table ? spoor_result_first(table) : NULL;
    if (first && !log && report_knows_functions(trace)) {
        text_puts(out, " in ");
        report_put_count(out, rows + left_out, "function", "functions");
        text_puts(out, "; <b>");
        report_put_function(out, first);
        text_printf(out, "</b> %s %.1f&nbsp;%% of ", instructions ? "ran" : "has",
                    report_share(trace, first));
        if (instructions) {
            text_puts(out, "them");
        } else {
            const char *unit = stated_unit(&trace->stated);
            text_puts(out, "the ");
            text_put_grouped(out, report_number(trace, REPORT_PROFILE, "total"));
            text_printf(out, " %s%s", unit, strcmp(unit, "branch") == 0 ? "es" : "s");
        }
    }
    text_puts(out, ".</p>\n");
}

/* The first finding that is more than a note. */
static void report_put_worst(struct text *out, const struct report_trace *trace)
{
    const struct spoor_result *findings = report_value(trace, REPORT_CHECK, "findings");
    for (const struct spoor_result *row = findings ? spoor_result_first(findings) : NULL; row;
         row = spoor_result_next(row)) {
        const char *severity = spoor_result_string(spoor_result_member(row, "severity"), NULL);
        if (!severity || strcmp(severity, "note") == 0) continue;
        text_puts(out, " ");
        page_put_scalar(out, spoor_result_member(row, "rule"));
        text_puts(out, ", record ");
        page_put_scalar(out, spoor_result_member(row, "record"));
        text_puts(out, ": found ");
        page_put_scalar(out, spoor_result_member(row, "found"));
        text_puts(out, ", expected ");
        page_put_scalar(out, spoor_result_member(row, "expected"));
        text_puts(out, ".");
        return;
    }
}

static void report_begin_card(struct text *out, const char *kind)
{
    text_printf(out, "<div class=\"card%s%s\"><b>", *kind ? " " : "", kind);
}

static void report_end_card(struct text *out, const char *what)
{
    text_puts(out, "</b><span>");
    text_puts_xml(out, what);
    text_puts(out, "</span></div>\n");
}

/* The row of a table whose `key` is this number, or the last one before it; NULL: none. */
static const struct spoor_result *report_row_up_to(const struct spoor_result *table,
                                                   const char *key, uint64_t number)
{
    const struct spoor_result *found = NULL;
    for (const struct spoor_result *row = table ? spoor_result_first(table) : NULL; row;
         row = spoor_result_next(row)) {
        const struct spoor_result *value = spoor_result_member(row, key);
        if (value && spoor_result_whole(value) <= number) found = row;
    }
    return found;
}

static void report_put_cards(struct report *report, const struct report_trace *trace)
{
    struct text *out = &report->out;
    const uint64_t findings = report_findings(trace);
    const bool is_log = report_rows(trace, REPORT_LOG, "stages") != 0;
    const struct spoor_result *value;
    text_puts(out, "<div class=\"cards\">\n");
    const uint64_t instructions = report_instructions(trace);
    report_begin_card(out, "");
    text_put_grouped(out,
                     instructions ? instructions : report_number(trace, REPORT_INFO, "records"));
    report_end_card(out, instructions ? "instructions" : "records");
    value = report_known(report_value(trace, is_log ? REPORT_LOG : REPORT_PIPE, "ipc"));
    if (value) {
        report_begin_card(out, "");
        text_printf(out, "%.2f", spoor_result_number(value));
        report_end_card(out, is_log ? "instructions a cycle, by the log"
                                    : "micro-ops a cycle, simulated (general)");
    }
    const struct spoor_result *best = NULL, *predictors;
    predictors = report_value(trace, REPORT_BRANCH, "predictors");
    for (const struct spoor_result *row = predictors ? spoor_result_first(predictors) : NULL; row;
         row = spoor_result_next(row))
        best = row;
    if (best && (value = report_known(spoor_result_member(best, "mpki")))) {
        report_begin_card(out, "");
        text_printf(out, "%.2f", spoor_result_number(value));
        report_end_card(out, "mispredictions in 1,000 instructions (tage-sc-l)");
    }
    const struct spoor_result *curve =
        report_row_up_to(report_value(trace, REPORT_CACHE, "curve"), "size", USUAL_CACHE);
    if (curve && (value = report_known(spoor_result_member(curve, "miss_ratio")))) {
        report_begin_card(out, "");
        text_printf(out, "%.2f&nbsp;%%", 100 * spoor_result_number(value));
        report_end_card(out, report_rows(trace, REPORT_CACHE, "missing")
                                 ? "of all accesses miss 32 KiB (LRU), one cache of all cpus"
                                 : "of all accesses miss 32 KiB (LRU)");
    }
    const uint64_t exceptions = report_number(trace, REPORT_PROFILE, "exceptions");
    if (exceptions ||
        (trace->states_exceptions && report_rows(trace, REPORT_PROFILE, "functions"))) {
        report_begin_card(out, "");
        text_put_grouped(out, exceptions);
        report_end_card(out, "exceptions");
    }
    report_begin_card(out, findings ? "bad" : trace->is_part ? "" : "fine");
    text_put_grouped(out, findings);
    report_end_card(out, trace->is_part ? "findings of check, in the part that was read"
                                        : "findings of check");
    text_puts(out, "</div>\n");
}

static void report_put_hot(struct report *report, const struct report_trace *trace)
{
    struct text *out = &report->out;
    const struct spoor_result *table = report_value(trace, REPORT_PROFILE, "functions");
    if (!table || spoor_result_count(table) < 2) return;
    text_puts(out, "<div class=\"wide\"><table class=\"hot\">\n<caption>What each function ran "
                   "itself</caption>\n<tbody>\n");
    size_t count = 0;
    for (const struct spoor_result *row = spoor_result_first(table); row && count < HOT_FUNCTIONS;
         row = spoor_result_next(row), count++) {
        const double share = report_share(trace, row);
        text_puts(out, "<tr><th scope=\"row\">");
        report_put_function(out, row);
        text_printf(
            out,
            "</th><td class=\"n\">%.1f&nbsp;%%</td><td class=\"bar\"><i style=\"width:%.1f%%\">"
            "</i></td></tr>\n",
            share, share);
    }
    text_puts(out, "</tbody>\n</table></div>\n");
}

static void report_put_overview(struct report *report)
{
    struct text *out = &report->out;
    static const char *const stack[] = {"cpi_stack", NULL};
    page_begin_section(out, &sections[SECTION_OVERVIEW], NULL);
    for (size_t i = 0; i < report->count; i++) {
        const struct report_trace *trace = &report->traces[i];
        report_put_heading(report, trace);
        if (trace->damage[0]) {
            text_puts(out, "<p class=\"warn\" role=\"alert\">");
            text_puts_xml(out, trace->damage);
            report_put_worst(out, trace);
            text_puts(out, "</p>\n");
        }
        report_put_sentence(report, trace);
        report_put_cards(report, trace);
        if (report->count > 1) report_put_hot(report, trace);
    }
    text_puts(out, "<div class=\"pair\">\n");
    if (report->count == 1) report_put_hot(report, &report->traces[0]);
    text_puts(out, plots_begin);
    report_put_plots(report, REPORT_PIPE, "pipe", stack);
    text_puts(out, plots_end);
    text_puts(out, "</div>\n");
    for (size_t i = 0; i < report->count; i++) { /* what the trace does not have */
        const struct spoor_result *missing =
            report_value(&report->traces[i], REPORT_MIX, "missing");
        if (!missing || !spoor_result_count(missing)) continue;
        const char *comma = "";
        text_puts(out, "<p class=\"quiet\">Not stated by the trace: ");
        for (const struct spoor_result *at = spoor_result_first(missing); at;
             at = spoor_result_next(at), comma = "; ") {
            text_puts(out, comma);
            page_put_scalar(out, at);
        }
        text_puts(out, ".</p>\n");
    }
    page_end_section(out);
}

/* ---- sections ---- */

static void report_put_functions(struct report *report)
{
    page_begin_section(&report->out, &sections[SECTION_FUNCTIONS],
                       "Instructions that each function ran itself (exclusive), and with all that "
                       "it called (inclusive).  Without an image, functions are addresses that "
                       "were called.");
    size_t size = 0;
    report_put_tables(report, REPORT_PROFILE, "functions", "Functions");
    for (size_t i = 0; i < report->count; i++) {
        const struct report_trace *trace = &report->traces[i];
        size += trace->flame_size;
        if (!trace->flame) continue;
        report_put_heading(report, trace);
        const struct spoor_result *lost = report_value(trace, REPORT_PROFILE, "lost_contexts");
        if (lost)
            text_printf(
                &report->out,
                "<p class=\"quiet\">Calls that are too deep, or with too many kinds of callers, "
                "and counted in a call of the same function further out, or without callers: "
                "%" PRIu64 ".</p>\n",
                spoor_result_whole(lost));
        if (size <= LARGEST_FLAMES)
            page_put_frame(&report->out, "Flame graph", trace->flame, trace->flame_size);
        else
            page_put_note(&report->out,
                          "The flame graph is too large for this page: see spoor profile --svg.");
    }
    page_end_section(&report->out);
}

static void report_put_memory(struct report *report)
{
    static const char *const plots_of_cache[] = {"curve", "reuse", NULL};
    static const char *const plots_of_mix[] = {"working_set", NULL};
    page_begin_section(&report->out, &sections[SECTION_MEMORY],
                       "Regions by time, the misses of a fully associative LRU cache of any size, "
                       "and how many other blocks lie between two accesses of a block.");
    text_puts(&report->out, plots_begin);
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_plot_options chosen = {.struct_size = sizeof chosen,
                                                  .verb = "mix",
                                                  .table = "memory_map",
                                                  .number = (unsigned)i + 1};
        page_put_plots(&report->out, report->traces[i].parts[REPORT_MIX], &chosen);
    }
    report_put_plots(report, REPORT_CACHE, "cache", plots_of_cache);
    report_put_plots(report, REPORT_MIX, "mix", plots_of_mix);
    text_puts(&report->out, plots_end);
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_result *all = report_value(&report->traces[i], REPORT_CACHE, "missing");
        for (const struct spoor_result *at = all ? spoor_result_first(all) : NULL; at;
             at = spoor_result_next(at))
            page_put_note(&report->out, spoor_result_string(at, NULL));
    }
    page_end_section(&report->out);
}

static void report_put_branches(struct report *report)
{
    static const char *const plots_of_branch[] = {"predictors", "over_time", NULL};
    page_begin_section(&report->out, &sections[SECTION_BRANCHES],
                       "Three predictors on the conditional branches, and the branches that the "
                       "first mispredicts most often (wrong 1 to wrong 3: mispredictions of "
                       "bimodal, gshare and tage-sc-l).");
    text_puts(&report->out, plots_begin);
    report_put_plots(report, REPORT_BRANCH, "branch", plots_of_branch);
    text_puts(&report->out, plots_end);
    report_put_tables(report, REPORT_BRANCH, "hardest", "Hardest branches");
    for (size_t i = 0; i < report->count; i++) {
        const struct spoor_result *left_out =
            report_value(&report->traces[i], REPORT_BRANCH, "branches_left_out");
        if (left_out)
            text_printf(&report->out,
                        "<p class=\"quiet\">Without %" PRIu64
                        " executions of branches that came after the first 262,144.</p>\n",
                        spoor_result_whole(left_out));
    }
    page_end_section(&report->out);
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
            text_printf(out,
                        "<p class=\"quiet\">The cycles are those of the first %" PRIu64
                        " instructions.</p>\n",
                        spoor_result_whole(of));
    }
    text_puts(out, plots_begin);
    for (size_t i = 0; i < report->count && logs; i++) {
        const struct spoor_plot_options chosen = {.struct_size = sizeof chosen,
                                                  .verb = "report",
                                                  .table = "log",
                                                  .number = (unsigned)i + 1};
        page_put_plots(out, report->traces[i].parts[REPORT_LOG], &chosen);
    }
    report_put_plots(report, REPORT_PIPE, "pipe", plots_of_pipe);
    text_puts(out, plots_end);
    if (!logs) report_put_facts(report, REPORT_PIPE);
    page_end_section(out);
}

static void report_put_mix(struct report *report)
{
    static const char *const plots_of_mix[] = {"classes", "opcodes",   "branch_distances",
                                               "strides", "registers", NULL};
    page_begin_section(&report->out, &sections[SECTION_MIX], NULL);
    text_puts(&report->out, plots_begin);
    report_put_plots(report, REPORT_MIX, "mix", plots_of_mix);
    text_puts(&report->out, plots_end);
    page_end_section(&report->out);
}

static void report_put_about(struct report *report)
{
    static const char *const plots_of_info[] = {"kinds", NULL};
    page_begin_section(&report->out, &sections[SECTION_TRACE], NULL);
    text_puts(&report->out, "<details>\n<summary>Format, records, addresses and times</summary>\n");
    report_put_facts(report, REPORT_INFO);
    text_puts(&report->out, plots_begin);
    report_put_plots(report, REPORT_INFO, "info", plots_of_info);
    text_puts(&report->out, plots_end);
    text_puts(&report->out, "</details>\n");
    page_end_section(&report->out);
}

static void report_put_findings(struct report *report)
{
    page_begin_section(&report->out, &sections[SECTION_FINDINGS],
                       "What contradicts the rules of the trace's format or the machine's own "
                       "logic (spoor check): the first 20 findings of each rule.");
    report_put_tables(report, REPORT_CHECK, "findings", "Findings");
    page_end_section(&report->out);
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
    struct text title = {0}, script = {0};
    const char *name =
        spoor_result_string(report_value(&report->traces[0], REPORT_INFO, "trace"), NULL);
    const char *path = name ? name : "trace";
    const char *slash = strrchr(path, '/');
    if (report->title)
        text_puts(&title, report->title);
    else
        text_printf(&title, "%s", slash && slash[1] ? slash + 1 : path);
    if (report->count > 1 && !report->title)
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
    if (!report->out.failed) {
        struct page_section there[SECTIONS];
        enum section order[SECTIONS];
        size_t count = 0;
        for (int i = 0; i < SECTIONS; i++) {
            enum section section = (enum section)i;
            /* of a log of a pipeline that comes first */
            if (report_has_logs(report) && section == SECTION_FUNCTIONS)
                section = SECTION_PIPELINE;
            else if (report_has_logs(report) && section == SECTION_PIPELINE)
                section = SECTION_FUNCTIONS;
            if (!report_has(report, section)) continue;
            order[count] = section;
            there[count++] = sections[section];
        }
        page_begin_styled(&report->out, title.bytes, style, script.bytes);
        page_put_contents(&report->out, there, count);
        for (size_t i = 0; i < count; i++) put[order[i]](report);
        page_end(&report->out);
    }
    text_free(&title);
    text_free(&script);
}

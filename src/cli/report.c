/* SPDX-License-Identifier: MIT */
/* report.c: the verb `report`: what one wants to know first about traces, as one HTML page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/image_set.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "html/memory_map.h"
#include "html/page.h"
#include "spoor/check.h"
#include "spoor/curve.h"
#include "spoor/info.h"
#include "spoor/mix.h"
#include "spoor/pipeline.h"
#include "spoor/prediction.h"
#include "spoor/profile.h"

/* ---- report trace ---- */

/* Results as those of the verbs of these names. */
enum report_part {
    REPORT_INFO,
    REPORT_MIX,
    REPORT_PROFILE,
    REPORT_CACHE,
    REPORT_BRANCH,
    REPORT_PIPE,
    REPORT_CHECK,
    REPORT_PARTS
};

enum { REPORT_ROWS = 40 }; /* of a table, at most */

struct report_trace {
    struct spoor_result *parts[REPORT_PARTS]; /* members of the arrays that were given */
    char *flame;                              /* a picture; NULL: there are no functions */
    size_t flame_size;
};

enum { HARDEST = 20, FINDINGS = 20 };

struct tools {
    struct trace_input trace_input;
    struct image_set located;
    struct spoor_info *info;
    struct spoor_mix *mix;
    struct spoor_check *check;
    struct spoor_profile *profile;
    struct spoor_curve *curve;
    struct spoor_prediction *prediction;
    struct spoor_pipeline *pipeline;
    struct memory_map map;
    struct spoor_references references;
    struct spoor_branches branches;
    struct spoor_result *findings; /* of check */
    uint64_t reference_count, branch_count;
    struct spoor_error error;
};

static void report_trace_put_finding(void *context, const struct spoor_finding *finding)
{
    static const char *const severities[] = {"note", "warning", "error"};
    struct spoor_result *row = spoor_result_object(((struct tools *)context)->findings, NULL);
    spoor_result_text(row, "rule", finding->rule->name);
    spoor_result_text(row, "severity", severities[finding->rule->severity]);
    spoor_result_unsigned(row, "record", finding->record);
    if (finding->line) spoor_result_unsigned(row, "line", finding->line);
    spoor_result_text(row, "found", finding->found);
    spoor_result_text(row, "expected", finding->expected);
}

/* ---- beginning ---- */

/* ---- reading ---- */

static enum spoor_status report_trace_feed_branches(struct tools *tools)
{
    struct spoor_branches *branches = &tools->branches;
    tools->branch_count += branches->count;
    const enum spoor_status status =
        spoor_prediction_feed(tools->prediction, branches->items, branches->count, &tools->error);
    branches->count = 0;
    return status;
}

/* ---- results ---- */

/* A part for which memory ran out is none. */
static void report_trace_heed(enum spoor_status status, struct spoor_result *part)
{
    if (status != SPOOR_OK) spoor_result_fail(part);
}

/* Results of what the trace has none of stay without tables. */
static void report_trace_report(struct tools *tools, struct report_trace *trace)
{
    struct spoor_result *const *parts = trace->parts;
    struct spoor_result *result = parts[REPORT_INFO];
    const struct spoor_stream *stream = tools->trace_input.stream;
    spoor_result_text(result, "title", spoor_format_title(stream->format));
    spoor_result_text(result, "compression", spoor_reader_compression(tools->trace_input.reader));
    report_trace_heed(spoor_info_report(tools->info, result), result);
    report_trace_heed(spoor_mix_report(tools->mix, parts[REPORT_MIX], NULL, NULL),
                      parts[REPORT_MIX]);
    memory_map_report(&tools->map, parts[REPORT_MIX]);
    report_trace_heed(spoor_profile_report(tools->profile, false, parts[REPORT_PROFILE]),
                      parts[REPORT_PROFILE]);
    if (tools->reference_count)
        report_trace_heed(spoor_curve_report(tools->curve, parts[REPORT_CACHE]),
                          parts[REPORT_CACHE]);
    if (tools->branch_count) {
        result = parts[REPORT_BRANCH];
        report_trace_heed(spoor_prediction_report(tools->prediction, result), result);
        report_trace_heed(spoor_prediction_report_hardest(tools->prediction, HARDEST, result),
                          result);
        report_trace_heed(spoor_prediction_report_windows(tools->prediction, result), result);
        image_set_name(&tools->located, result, NULL);
    }
    if (spoor_pipeline_micro_ops(tools->pipeline, 0)) {
        result = parts[REPORT_PIPE];
        report_trace_heed(spoor_pipeline_report(tools->pipeline, 0, result), result);
        report_trace_heed(spoor_pipeline_report_trace(tools->pipeline, result), result);
    }
    spoor_result_copy(parts[REPORT_CHECK], "findings", tools->findings);
    struct spoor_result *counts = spoor_result_object(parts[REPORT_CHECK], "counts");
    for (size_t i = 0; i < spoor_rule_count(); i++) {
        const uint64_t count = spoor_check_count(tools->check, (int)i);
        if (count) spoor_result_unsigned(counts, spoor_rule_at(i)->name, count);
    }
}

static enum spoor_status report_trace_read_all(struct tools *tools, const struct settings *settings)
{
    const struct spoor_batch *batch;
    struct spoor_error *error = &tools->error;
    const struct spoor_info_options info = {.struct_size = sizeof info,
                                            .stream = tools->trace_input.stream};
    const struct spoor_check_options check = {.struct_size = sizeof check,
                                              .sink = report_trace_put_finding,
                                              .context = tools,
                                              .maximum = FINDINGS};
    const struct spoor_profile_options profile = {.struct_size = sizeof profile,
                                                  .images = tools->located.images,
                                                  .maximum_rows = REPORT_ROWS,
                                                  .stream = tools->trace_input.stream};
    const struct spoor_curve_options curve = {.struct_size = sizeof curve};
    enum spoor_status status = spoor_info_new(&tools->info, &info, error);
    if (status == SPOOR_OK) status = spoor_mix_new(&tools->mix, NULL, error);
    if (status == SPOOR_OK) status = spoor_check_new(&tools->check, &check, error);
    if (status == SPOOR_OK) status = spoor_profile_new(&tools->profile, &profile, error);
    if (status == SPOOR_OK) status = spoor_curve_new(&tools->curve, &curve, error);
    if (status == SPOOR_OK) {
        static const char *const predictors[] = {"bimodal", "gshare", "tage-sc-l"};
        const struct spoor_prediction_options options = {
            .struct_size = sizeof options,
            .specs = predictors,
            .count = sizeof predictors / sizeof *predictors,
            .defaults = spoor_predictor_preset("textbook"),
            .by_branch = true,
            .memory = settings->memory,
        };
        status = spoor_prediction_new(&tools->prediction, &options, &tools->error);
    }
    struct spoor_pipeline_config config;
    const struct spoor_pipeline_options pipeline = {
        .struct_size = sizeof pipeline, .limits = true, .memory = settings->memory};
    spoor_pipeline_preset("general", &config);
    if (status == SPOOR_OK) status = spoor_pipeline_new(&tools->pipeline, &pipeline, error);
    if (status == SPOOR_OK) status = spoor_pipeline_add(tools->pipeline, &config, error);
    while (status == SPOOR_OK && input_next(&tools->trace_input, &batch)) {
        status = spoor_info_feed(tools->info, batch, error);
        if (status == SPOOR_OK) status = spoor_mix_feed(tools->mix, batch, error);
        if (status == SPOOR_OK) status = spoor_check_feed(tools->check, batch, error);
        if (status == SPOOR_OK) status = spoor_profile_feed(tools->profile, batch, error);
        const struct spoor_reference_options options = {.pc_by_order = true};
        struct spoor_references *references = &tools->references;
        references->count = 0;
        if (status == SPOOR_OK) status = spoor_references_add(references, batch, &options, error);
        if (status == SPOOR_OK &&
            !memory_map_feed(&tools->map, references->items, references->count))
            status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
        if (status == SPOOR_OK) {
            tools->reference_count += references->count;
            status = spoor_curve_feed(tools->curve, references->items, references->count, error);
        }
        if (status == SPOOR_OK) status = spoor_pipeline_feed(tools->pipeline, batch, error);
        if (status == SPOOR_OK) status = spoor_branches_add(&tools->branches, batch, error);
        if (status == SPOOR_OK) status = report_trace_feed_branches(tools);
    }
    if (status == SPOOR_OK) status = spoor_branches_end(&tools->branches, error);
    if (status == SPOOR_OK) status = report_trace_feed_branches(tools);
    if (status == SPOOR_OK) status = spoor_info_end(tools->info, error);
    if (status == SPOOR_OK) status = spoor_mix_end(tools->mix, error);
    if (status == SPOOR_OK) status = spoor_check_end(tools->check, error);
    if (status == SPOOR_OK) status = spoor_profile_end(tools->profile, error);
    if (status == SPOOR_OK) status = spoor_curve_end(tools->curve, error);
    if (status == SPOOR_OK)
        status = spoor_prediction_end(tools->prediction, tools->branches.instructions, error);
    if (status == SPOOR_OK) status = spoor_pipeline_end(tools->pipeline, error);
    if (status == SPOOR_OK && !spoor_result_complete(tools->findings))
        status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    return status;
}

/* Reads the trace and adds an object to each of `parts`; returns the exit code.  Without a result,
 * trace->parts are NULL.  The caller frees trace->flame. */
static int report_trace_read(struct report_trace *trace, const char *path,
                             const struct settings *settings,
                             struct spoor_result *const parts[REPORT_PARTS])
{
    struct tools tools = {.findings = spoor_result_new_array()};
    *trace = (struct report_trace){.flame = NULL};
    int code = EXIT_CLEAN;
    if (!image_set_open(&tools.located, settings, path, false)) {
        spoor_result_free(tools.findings);
        return tools.located.code;
    }
    if (!input_open(&tools.trace_input, path, settings)) {
        image_set_close(&tools.located);
        spoor_result_free(tools.findings);
        return tools.trace_input.exit_code;
    }
    enum spoor_status status = report_trace_read_all(&tools, settings);
    for (size_t i = 0; i < REPORT_PARTS && status == SPOOR_OK; i++) {
        trace->parts[i] = spoor_result_object(parts[i], NULL);
        if (trace->parts[i])
            put_trace(trace->parts[i], &tools.trace_input);
        else
            status = spoor_error_set(&tools.error, SPOOR_ENOMEM, "out of memory");
    }
    if (status == SPOOR_OK) {
        report_trace_report(&tools, trace);
        const char *slash = strrchr(path, '/');
        size_t count;
        spoor_profile_rows(tools.profile, &count);
        if (count)
            trace->flame =
                spoor_profile_to_svg(tools.profile, slash ? slash + 1 : path, &trace->flame_size);
        if (count && !trace->flame) spoor_result_fail(trace->parts[REPORT_PROFILE]);
    } else {
        code = fail(&tools.error);
    }
    spoor_info_free(tools.info);
    spoor_mix_free(tools.mix);
    spoor_check_free(tools.check);
    spoor_profile_free(tools.profile);
    spoor_curve_free(tools.curve);
    spoor_prediction_free(tools.prediction);
    spoor_pipeline_free(tools.pipeline);
    hash_map_free(&tools.map.regions);
    spoor_references_free(&tools.references);
    spoor_branches_free(&tools.branches);
    spoor_result_free(tools.findings);
    code = worse(code, image_set_close(&tools.located));
    return worse(code, input_close(&tools.trace_input));
}

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
    OPT('o', "output", OUTPUT, "FILE", AT(output), NULL),
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

enum section {
    SECTION_TRACE,
    SECTION_MIX,
    SECTION_FUNCTIONS,
    SECTION_MEMORY,
    SECTION_BRANCHES,
    SECTION_PIPELINE,
    SECTION_FINDINGS,
};
static const struct page_section sections[] = {
    [SECTION_TRACE] = {"trace", "What it is"},        [SECTION_MIX] = {"mix", "Instruction mix"},
    [SECTION_FUNCTIONS] = {"functions", "Functions"}, [SECTION_MEMORY] = {"memory", "Memory"},
    [SECTION_BRANCHES] = {"branches", "Branches"},    [SECTION_PIPELINE] = {"pipeline", "Pipeline"},
    [SECTION_FINDINGS] = {"findings", "Findings"},
};

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

static void report_put_functions(struct report *report)
{
    page_begin_section(&report->out, &sections[SECTION_FUNCTIONS],
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
    text_puts(&report->out, plots_end);
    if (!count) page_put_note(&report->out, "The trace states no memory references.");
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
    const size_t count = report_put_plots(report, REPORT_BRANCH, "branch", plots_of_branch);
    text_puts(&report->out, plots_end);
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
    page_begin_section(&report->out, &sections[SECTION_TRACE], NULL);
    report_put_facts(report, REPORT_INFO);
    text_puts(&report->out, plots_begin);
    report_put_plots(report, REPORT_INFO, "info", plots_of_info);
    text_puts(&report->out, plots_end);
    page_end_section(&report->out);
    static const char *const plots_of_mix[] = {"classes", "opcodes",   "branch_distances",
                                               "strides", "registers", NULL};
    page_begin_section(&report->out, &sections[SECTION_MIX], NULL);
    text_puts(&report->out, plots_begin);
    const size_t count = report_put_plots(report, REPORT_MIX, "mix", plots_of_mix);
    text_puts(&report->out, plots_end);
    if (!count) page_put_note(&report->out, "The trace states no instructions.");
    page_end_section(&report->out);
    report_put_functions(report);
    report_put_memory(report);
    report_put_branches(report);
    static const char *const plots_of_pipe[] = {"cpi_stack", "windows", NULL};
    page_begin_section(&report->out, &sections[SECTION_PIPELINE],
                       "The trace on an out-of-order machine (the preset general of spoor pipe), "
                       "and the parallelism that windows of micro-ops have.");
    text_puts(&report->out, plots_begin);
    const size_t drawn = report_put_plots(report, REPORT_PIPE, "pipe", plots_of_pipe);
    text_puts(&report->out, plots_end);
    if (drawn)
        report_put_facts(report, REPORT_PIPE);
    else
        page_put_note(&report->out, "The trace states no instructions to simulate.");
    page_end_section(&report->out);
    page_begin_section(&report->out, &sections[SECTION_FINDINGS],
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
    .brief = "an overview of traces, as one HTML page",
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

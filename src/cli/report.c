/* SPDX-License-Identifier: MIT */
/* report.c: the verb `report`: what one wants to know first about traces, as one HTML page. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/image_set.h"
#include "cli/output.h"
#include "cli/pipe_picture.h"
#include "cli/pipe_stages.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "html/memory_map.h"
#include "spoor/check.h"
#include "spoor/curve.h"
#include "spoor/info.h"
#include "spoor/mix.h"
#include "spoor/pipeline.h"
#include "spoor/prediction.h"
#include "spoor/profile.h"

enum { HARDEST = 20, FINDINGS = 20, LOG_ROWS = 48 };

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
    struct log_chart log, log_begin; /* of the log of a pipeline: instructions, the first ones */
    bool is_log;
    struct spoor_references references;
    struct spoor_branches branches;
    struct spoor_result *findings; /* of check */
    struct stated stated;
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
    trace->stated = tools->stated;
    trace->states_exceptions = stated_has_exceptions(&tools->stated, stream->format);
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
    if (tools->is_log) {
        log_chart_report(&tools->log, parts[REPORT_LOG]);
        log_chart_put_rows(&tools->log_begin, true, spoor_result_array(parts[REPORT_LOG], "log"));
    } else if (spoor_pipeline_micro_ops(tools->pipeline, 0)) {
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
    if (status == SPOOR_OK && (!log_chart_open(&tools->log, 0, UINT64_MAX, PICTURE_PAGE_MAXIMUM) ||
                               !log_chart_open(&tools->log_begin, 0, UINT64_MAX, LOG_ROWS)))
        status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    while (status == SPOOR_OK && input_next(&tools->trace_input, &batch)) {
        /* the log of a pipeline has one, so none is simulated */
        tools->is_log |= log_chart_is_log(batch);
        for (size_t i = 0; i < batch->count; i++) stated_add(&tools->stated, &batch->records[i]);
        if (tools->is_log) {
            log_chart_add(&tools->log, batch);
            log_chart_add(&tools->log_begin, batch);
        }
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
        if (status == SPOOR_OK && !tools->is_log)
            status = spoor_pipeline_feed(tools->pipeline, batch, error);
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
    log_chart_end(&tools->log);
    log_chart_end(&tools->log_begin);
    if (status == SPOOR_OK && (tools->log.failed || tools->log_begin.failed))
        status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    if (status == SPOOR_OK && !spoor_result_complete(tools->findings))
        status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    return status;
}

static void report_trace_say_damage(struct report_trace *trace,
                                    const struct trace_input *trace_input)
{
    trace->is_part = trace_input->broken;
    if (trace_input->broken)
        snprintf(trace->damage, sizeof trace->damage,
                 "This report has a part of the trace only.  %s", trace_input->error.text);
    else if (trace_input->faults)
        snprintf(trace->damage, sizeof trace->damage,
                 "%" PRIu64 " record%s of the trace %s not keep its format.", trace_input->faults,
                 trace_input->faults == 1 ? "" : "s", trace_input->faults == 1 ? "does" : "do");
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
    if (!image_set_open(&tools.located, settings, path, OWN_NAMES_READ)) {
        spoor_result_free(tools.findings);
        return tools.located.code;
    }
    if (!input_open(&tools.trace_input, path, settings)) {
        image_set_close(&tools.located);
        spoor_result_free(tools.findings);
        return tools.trace_input.exit_code;
    }
    enum spoor_status status = report_trace_read_all(&tools, settings);
    if (status == SPOOR_OK && tools.trace_input.starved)
        status = spoor_error_set(&tools.error, SPOOR_ENOMEM, "out of memory");
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
    log_chart_close(&tools.log);
    log_chart_close(&tools.log_begin);
    hash_map_free(&tools.map.regions);
    spoor_references_free(&tools.references);
    spoor_branches_free(&tools.branches);
    spoor_result_free(tools.findings);
    report_trace_say_damage(trace, &tools.trace_input);
    code = worse(code, image_set_close(&tools.located));
    return worse(code, input_close(&tools.trace_input));
}

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

/* ---- running ---- */

static int report_run(void *chosen)
{
    const struct report_settings *settings = chosen;
    struct report report = {.title = settings->title};
    if (operand_count(&settings->common) > REPORT_TRACES) {
        complain("report: found %zu traces, expected at most %d", operand_count(&settings->common),
                 REPORT_TRACES);
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
    /* a page without one of the traces, or with what memory sufficed for, is no answer */
    if (report.count == operand_count(&settings->common) && code != EXIT_USAGE) {
        bool good = true;
        for (size_t i = 0; i < REPORT_PARTS; i++) good &= spoor_result_complete(report.parts[i]);
        if (good) report_put_page(&report);
        code = good && !report.out.failed
                   ? worse(code,
                           output_write(settings->output ? settings->output : "-", report.out.bytes,
                                        report.out.size, true, &settings->common))
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

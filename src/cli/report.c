/* SPDX-License-Identifier: MIT */
/* report.c: the verb `report`: what one wants to know first about traces, as one HTML page. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/image_set.h"
#include "cli/output.h"
#include "cli/pipe_stages.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "html/page.h"
#include "serve/overview.h"
#include "serve/survey.h"
#include "spoor/curve.h"
#include "spoor/info.h"
#include "spoor/mix.h"
#include "spoor/pipeline.h"

enum { HARDEST = 20, FINDINGS = 20, LOG_ROWS = 48, LOG_INSTRUCTIONS = 40000 };

struct tools {
    struct trace_input trace_input;
    struct image_set located;
    struct overview overview;
    struct survey_tools survey;
    struct spoor_info *info;
    struct spoor_mix *mix;
    struct spoor_curve *curve;
    struct spoor_pipeline *pipeline;
    struct log_chart log, log_begin; /* of the log of a pipeline: instructions, the first ones */
    bool is_log;
    struct stated stated;
    struct spoor_error error;
};

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
    struct spoor_images *images = tools->located.images;
    spoor_result_text(result, "title", spoor_format_title(stream->format));
    spoor_result_text(result, "compression", spoor_reader_compression(tools->trace_input.reader));
    report_trace_heed(spoor_info_report(tools->info, result), result);
    report_trace_heed(spoor_mix_report(tools->mix, parts[REPORT_MIX], NULL, NULL),
                      parts[REPORT_MIX]);
    report_trace_heed(spoor_profile_report(tools->overview.profile, false, parts[REPORT_PROFILE]),
                      parts[REPORT_PROFILE]);
    if (tools->survey.accesses)
        report_trace_heed(spoor_curve_report(tools->curve, parts[REPORT_CACHE]),
                          parts[REPORT_CACHE]);
    if (tools->survey.branch_count) {
        result = parts[REPORT_BRANCH];
        struct spoor_prediction *prediction = tools->survey.prediction;
        report_trace_heed(spoor_prediction_report(prediction, result), result);
        report_trace_heed(spoor_prediction_report_hardest(prediction, HARDEST, result), result);
        report_trace_heed(spoor_prediction_report_windows(prediction, result), result);
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
    spoor_result_copy(parts[REPORT_CHECK], "findings", tools->survey.findings);
    char *found = survey_tools_report(&tools->survey, images);
    if (!found) spoor_result_fail(parts[REPORT_CHECK]);
    /* the map of memory, which is plotted as that of `mix` */
    const struct spoor_result *map = spoor_result_member(tools->survey.result, "memory_map");
    if (map) spoor_result_copy(parts[REPORT_MIX], "memory_map", map);
    struct text *out = &trace->overview;
    json_begin(out, NULL, '{');
    json_begin(out, "overview", '{');
    overview_put(out, &tools->overview, &tools->stated, stream->format);
    const struct spoor_result *ipc =
        spoor_result_member(parts[tools->is_log ? REPORT_LOG : REPORT_PIPE], "ipc");
    if (ipc && spoor_result_type_of(ipc) != SPOOR_RESULT_NULL) {
        json_raw(out, "ipc", "");
        text_put_exact(out, spoor_result_number(ipc));
    }
    if (tools->is_log) {
        json_begin(out, "log", '{');
        json_number(out, "retired", tools->log.retired);
        json_number(out, "squashed", tools->log.squashed);
        json_number(out, "cycles",
                    spoor_result_whole(spoor_result_member(parts[REPORT_LOG], "cycles")));
        json_end(out, '}');
    }
    json_end(out, '}');
    json_raw(out, "found", found ? found : "{}");
    free(found);
}

static enum spoor_status report_trace_open(struct tools *tools, const struct settings *settings)
{
    static const char *const predictors[] = {"tage-sc-l", "gshare", "bimodal"};
    struct spoor_error *error = &tools->error;
    const struct spoor_stream *stream = tools->trace_input.stream;
    const struct spoor_info_options info = {.struct_size = sizeof info, .stream = stream};
    const struct spoor_profile_options profile = {.struct_size = sizeof profile,
                                                  .images = tools->located.images,
                                                  .maximum_rows = REPORT_ROWS,
                                                  .stream = stream};
    const struct spoor_curve_options curve = {.struct_size = sizeof curve};
    struct spoor_pipeline_config config;
    const struct spoor_pipeline_options pipeline = {
        .struct_size = sizeof pipeline, .limits = true, .memory = settings->memory};
    spoor_pipeline_preset("general", &config);
    enum spoor_status status =
        overview_open(&tools->overview, tools->located.images, &profile, error);
    if (status == SPOOR_OK)
        status =
            survey_tools_open(&tools->survey, predictors, sizeof predictors / sizeof *predictors,
                              settings->memory, FINDINGS, error);
    if (status == SPOOR_OK) status = spoor_info_new(&tools->info, &info, error);
    if (status == SPOOR_OK) status = spoor_mix_new(&tools->mix, NULL, error);
    if (status == SPOOR_OK) status = spoor_curve_new(&tools->curve, &curve, error);
    if (status == SPOOR_OK) status = spoor_pipeline_new(&tools->pipeline, &pipeline, error);
    if (status == SPOOR_OK) status = spoor_pipeline_add(tools->pipeline, &config, error);
    if (status == SPOOR_OK && (!log_chart_open(&tools->log, 0, UINT64_MAX, LOG_INSTRUCTIONS) ||
                               !log_chart_open(&tools->log_begin, 0, UINT64_MAX, LOG_ROWS)))
        status = spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    return status;
}

static enum spoor_status report_trace_read_all(struct tools *tools)
{
    const struct spoor_batch *batch;
    struct spoor_error *error = &tools->error;
    enum spoor_status status = SPOOR_OK;
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
        if (status == SPOOR_OK) status = overview_feed(&tools->overview, batch, error);
        if (status == SPOOR_OK) status = survey_tools_feed(&tools->survey, batch, error);
        const struct spoor_references *references = &tools->survey.references;
        if (status == SPOOR_OK)
            status = spoor_curve_feed(tools->curve, references->items, references->count, error);
        if (status == SPOOR_OK && !tools->is_log)
            status = spoor_pipeline_feed(tools->pipeline, batch, error);
    }
    if (status == SPOOR_OK) status = spoor_info_end(tools->info, error);
    if (status == SPOOR_OK) status = spoor_mix_end(tools->mix, error);
    if (status == SPOOR_OK) status = overview_end(&tools->overview, error);
    if (status == SPOOR_OK) status = survey_tools_end(&tools->survey, error);
    if (status == SPOOR_OK) status = spoor_curve_end(tools->curve, error);
    if (status == SPOOR_OK) status = spoor_pipeline_end(tools->pipeline, error);
    log_chart_end(&tools->log);
    log_chart_end(&tools->log_begin);
    if (status == SPOOR_OK && (tools->log.failed || tools->log_begin.failed ||
                               !spoor_result_complete(tools->survey.findings)))
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
 * trace->parts are NULL.  The caller frees trace->overview. */
static int report_trace_read(struct report_trace *trace, const char *path,
                             const struct settings *settings,
                             struct spoor_result *const parts[REPORT_PARTS])
{
    struct tools tools = {.is_log = false};
    *trace = (struct report_trace){.path = path};
    int code = EXIT_CLEAN;
    if (!image_set_open(&tools.located, settings, path, OWN_NAMES_READ)) return tools.located.code;
    if (!input_open(&tools.trace_input, path, settings)) {
        /* what is no trace that can be read still has a page, which says so */
        image_set_close(&tools.located);
        if (tools.trace_input.error.status != SPOOR_ENOMEM)
            snprintf(trace->damage, sizeof trace->damage, "%s", tools.trace_input.error.text);
        return tools.trace_input.exit_code;
    }
    enum spoor_status status = report_trace_open(&tools, settings);
    if (status == SPOOR_OK) status = report_trace_read_all(&tools);
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
        report_trace_say_damage(trace, &tools.trace_input);
        report_trace_report(&tools, trace);
    } else {
        code = fail(&tools.error);
    }
    spoor_info_free(tools.info);
    spoor_mix_free(tools.mix);
    overview_close(&tools.overview);
    survey_tools_close(&tools.survey);
    spoor_curve_free(tools.curve);
    spoor_pipeline_free(tools.pipeline);
    log_chart_close(&tools.log);
    log_chart_close(&tools.log_begin);
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
    if (!page_is_built(page_files)) return complain_for(EXIT_USAGE, "report: %s", page_is_missing);
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
        if (trace->parts[REPORT_INFO] || (trace->damage[0] && access(path, R_OK) == 0))
            report.count++;
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
    for (size_t i = 0; i < REPORT_TRACES; i++) text_free(&report.traces[i].overview);
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

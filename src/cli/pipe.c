/* SPDX-License-Identifier: MIT */
/* pipe.c: the verb `pipe`: simulate a processor pipeline on a trace. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cores.h"
#include "cli/image_set.h"
#include "cli/layout.h"
#include "cli/lists.h"
#include "cli/output.h"
#include "cli/pipe_against.h"
#include "cli/pipe_cores.h"
#include "cli/pipe_picture.h"
#include "cli/pipe_stages.h"
#include "cli/plugins.h"
#include "cli/selection.h"
#include "cli/simpoints.h"
#include "cli/sweep_axes.h"
#include "html/page.h"
#include "spoor/pipeline.h"

struct pipe_settings {
    struct settings common;
    const char *preset, *predictor, *kanata, *o3, *html;
    struct against_choice against;
    struct list set, sweep, levels;
    struct range region, timeline;
    bool debug, limits, critical, shared;
};

#define AT(member) offsetof(struct pipe_settings, member)
static const struct option options[] = {
    OPT(0, "preset", TEXT, "NAME", AT(preset), "a machine"),
    OPT(0, "set", LIST, "NAME=VALUE", AT(set),
        "set a parameter (see --list parameters; repeatable)"),
    OPT(0, "sweep", LIST, "KEY=VALUES", AT(sweep), "any parameter (see --list parameters)"),
    OPT('p', "predictor", TEXT, "SPEC", AT(predictor), "or perfect; several, combined by +"),
    OPT('l', "level", LIST, "SPEC", AT(levels), NULL),
    PLUGIN_OPTION,
    CORE_OPTION,
    OPT_FLAG(0, "critical", AT(critical), "out of order: print the critical path and the slack"),
    OPT(0, "timeline", RANGE, "A:B", AT(timeline),
        "draw micro-ops A to B, 100 columns wide; of a log of a pipeline, its own stages"),
    OPT(0, "html", OUTPUT, "FILE", AT(html),
        "each micro-op by cycle, as Konata shows it; of a log, its own stages"),
    OPT(0, "against", INPUT, "LOG", AT(against.log),
        "compare the machine with a log of another one, in O3PipeView or Kanata"),
    OPT(0, "kanata", OUTPUT, "FILE", AT(kanata), "write a log for the viewer Konata"),
    OPT(0, "micro-ops", RANGE, "A:B", AT(region),
        "simulate only micro-ops A to B, both included, from 0"),
    OPT_FLAG(0, "limits", AT(limits),
             "print the dataflow limit and the parallelism by window size"),
    OPT_FLAG(0, "debug", AT(debug), "each micro-op, as the course does"),
    OPT(0, "o3pipeview", OUTPUT, "FILE", AT(o3), "write gem5's O3PipeView text"),
    OPT(0, "tolerance", NUMBER, "N", AT(against.tolerance),
        "with --against: stages may differ by N cycles (default 0)"),
    OPT(0, "ticks", NUMBER, "N", AT(against.ticks),
        "with --against: a cycle of the log has N ticks (default: found from its stages)"),
    SHARED_OPTION(AT(shared)),
    IMAGE_OPTIONS,
    CODE_OPTION,
    SELECTION_OPTIONS,
    WARMUP_OPTION,
    SIMPOINT_OPTIONS,
    OPTION_END,
};

/* ---- machines ---- */

static bool pipe_configure(const struct pipe_settings *settings,
                           struct spoor_pipeline_config *config)
{
    struct spoor_error error = {0};
    const char *name = settings->preset ? settings->preset : "general";
    if (!spoor_pipeline_preset(name, config)) {
        const char *near = list_nearest(LIST_PRESETS, name);
        return complain("pipe: no preset is called '%s'%s%s%s; see `spoor pipe --list presets`",
                        name, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    for (size_t i = 0; i < settings->set.count; i++) {
        const char *pair = settings->set.items[i];
        char key[64];
        const size_t length = strcspn(pair, "=");
        if (!pair[length] || length >= sizeof key)
            return complain("pipe --set: found '%s', expected NAME=VALUE", pair);
        snprintf(key, sizeof key, "%.*s", (int)length, pair);
        if (spoor_pipeline_set(config, key, pair + length + 1, &error) == SPOOR_OK) continue;
        complain("pipe: %s; see `spoor pipe --list parameters`", error.text);
        return false;
    }
    if (settings->levels.count) spoor_pipeline_set(config, "level", "none", NULL);
    for (size_t i = 0; i < settings->levels.count; i++)
        if (spoor_pipeline_set(config, "level", settings->levels.items[i], &error) != SPOOR_OK) {
            fail(&error);
            return false;
        }
    if (!settings->predictor) return true;
    if (spoor_pipeline_set(config, "predictor", settings->predictor, &error) == SPOOR_OK)
        return true;
    fail(&error);
    return false;
}

/* ---- logs and timelines ---- */

enum { PICTURES = 5 };
struct pictures {
    struct picture items[PICTURES];
    size_t count;
    struct against_log against;
    struct pc_texts texts;
};

static void pipe_show_event(void *context, const struct spoor_pipeline_event *event)
{
    struct pictures *pictures = context;
    for (size_t i = 0; i < pictures->count; i++) picture_show(&pictures->items[i], event);
    struct against_log *log = &pictures->against;
    if (log->diff && log->error.status == SPOOR_OK)
        spoor_pipeline_diff_event(log->diff, event, &log->error);
}

static bool pipe_open_pictures(struct pictures *pictures, const struct pipe_settings *settings,
                               enum spoor_pipeline_model model, const struct spoor_stream *stream)
{
    const struct {
        bool wanted;
        const struct picture_kind *kind;
        const char *path;
        const struct range *range;
    } all[PICTURES] = {
        {settings->debug, &picture_log, NULL, NULL},
        {settings->kanata, &picture_kanata, settings->kanata, &settings->timeline},
        {settings->o3, &picture_o3, settings->o3, &settings->timeline},
        {settings->html, &picture_html, settings->html, &settings->timeline},
        {settings->timeline.given && !settings->kanata && !settings->o3 && !settings->html,
         settings->common.json ? &picture_rows : &picture_timeline, NULL, &settings->timeline},
    };
    for (int i = 0; i < PICTURES; i++) {
        if (!all[i].wanted) continue;
        if (!picture_open(&pictures->items[pictures->count], all[i].kind, all[i].path,
                          &settings->common, all[i].range, model, stream))
            return false;
        pictures->count++;
    }
    return true;
}

/* ---- results ---- */

struct pipe_study {
    const struct pipe_settings *settings;
    struct spoor_pipeline_config config;
    struct sweep sweep;
};

/* Fills an object.  `pictures`: of the machine, and what a log says of it; NULL: none. */
static void pipe_report(const struct pipe_study *run, const struct spoor_pipeline *pipeline,
                        struct pictures *pictures, const struct trace_input *trace_input,
                        struct spoor_result *result)
{
    const struct pipe_settings *settings = run->settings;
    const struct sweep *sweep = &run->sweep;
    const struct settings *common = &settings->common;
    const bool whole = common->json || (common->table && strcmp(common->table, "machines") != 0);
    const char *name = settings->preset ? settings->preset : "general";
    struct spoor_pipeline_config preset;
    put_trace(result, trace_input);
    spoor_result_text(result, "preset", name);
    spoor_pipeline_report_missing(pipeline, result);
    if (sweep->axis_count) {
        struct spoor_result *array = spoor_result_array(result, "machines");
        for (size_t i = 0; i < sweep_count(sweep); i++) {
            struct spoor_result *row = spoor_result_object(array, NULL);
            struct spoor_result *swept = whole ? spoor_result_object(row, "swept") : row;
            sweep_put(sweep, i, swept);
            if (whole)
                spoor_pipeline_report(pipeline, i, row);
            else
                spoor_pipeline_report_row(pipeline, i, row);
        }
    } else if (common->json || common->csv || !spoor_pipeline_preset(name, &preset)) {
        spoor_pipeline_report(pipeline, 0, result);
    } else {
        spoor_pipeline_report_briefly(pipeline, 0, &preset, result); /* what differs from it */
    }
    if (spoor_pipeline_cpu_count(pipeline) > 1) {
        struct spoor_result *rows = spoor_result_array(result, "cpus");
        for (size_t i = 0; i < sweep_count(sweep); i++)
            for (size_t cpu = 0; cpu < spoor_pipeline_cpu_count(pipeline); cpu++) {
                struct spoor_result *row = spoor_result_object(rows, NULL);
                if (sweep->axis_count) sweep_put(sweep, i, row);
                spoor_pipeline_report_cpu(pipeline, i, cpu, row);
            }
    }
    for (size_t i = 0; pictures && i < pictures->count; i++) {
        const struct picture *picture = &pictures->items[i];
        if (picture->kind != &picture_rows) continue; /* the timeline as a table */
        if (spoor_result_complete(picture->rows))
            spoor_result_copy(result, "timeline", picture->rows);
        else
            spoor_result_fail(result);
    }
    if (pictures && pictures->against.diff) {
        struct spoor_result *against = spoor_result_object(result, "against");
        spoor_result_text(against, "log", pictures->against.path);
        spoor_pipeline_diff_report(pictures->against.diff, against);
    }
    spoor_pipeline_report_limits(pipeline, result);
}

/* ---- running ---- */

/* `batch`: the first one, which has been read; NULL: there is none. */
static int pipe_read_trace(struct spoor_pipeline *pipeline, struct trace_input *trace_input,
                           const struct spoor_batch *batch, struct pictures *pictures)
{
    struct spoor_error error = {0};
    bool warming = !input_counts(trace_input);
    if (warming) spoor_pipeline_begin_warmup(pipeline);
    for (; batch; batch = input_next(trace_input, &batch) ? batch : NULL) {
        if (warming && input_counts(trace_input)) spoor_pipeline_end_warmup(pipeline);
        warming = !input_counts(trace_input);
        if (pictures && pictures->count) pc_texts_add(&pictures->texts, batch);
        if (pictures && pictures->texts.failed)
            return complain_for(EXIT_UNREADABLE, "out of memory");
        if (spoor_pipeline_feed(pipeline, batch, &error) != SPOOR_OK) return fail(&error);
    }
    return spoor_pipeline_end(pipeline, &error) == SPOOR_OK ? EXIT_CLEAN : fail(&error);
}

/* ---- the stages of a log ---- */

/* Draws the stages that the log states, of which `batch` is the first batch. */
static int pipe_draw_log(const struct pipe_study *run, struct trace_input *trace_input,
                         const struct spoor_batch *batch, bool *shown, struct spoor_result *all)
{
    enum { LINES = 4096 };
    const struct pipe_settings *settings = run->settings;
    const struct settings *common = &settings->common;
    struct log_chart chart;
    int code = EXIT_CLEAN;
    const struct range *range = &settings->timeline;
    bool good = log_chart_open(&chart, range->given ? range->first : 0,
                               range->given ? range->last : UINT64_MAX,
                               settings->html ? PICTURE_PAGE_MAXIMUM : LINES);
    for (; good && batch; batch = input_next(trace_input, &batch) ? batch : NULL)
        log_chart_add(&chart, batch);
    log_chart_end(&chart);
    if (!good || chart.failed) {
        complain("out of memory");
        code = EXIT_UNREADABLE;
    } else if (settings->html || !(common->json || common->csv)) {
        /* to a file, or to standard output */
        struct spoor_error error = {0};
        struct spoor_output *output = NULL;
        struct text text = {0};
        if (settings->html)
            log_chart_put_page(&chart, trace_input->stream->path, &text);
        else
            log_chart_put_text(&chart, &text);
        if (text.failed) spoor_error_set(&error, SPOOR_ENOMEM, "out of memory");
        good = !text.failed &&
               output_open(&output, settings->html, &settings->common, &error) == SPOOR_OK;
        if (good) {
            good = spoor_output_put(output, text.bytes, text.size, &error) == SPOOR_OK;
            good = output_close(output, good, good ? &error : NULL) == SPOOR_OK && good;
        }
        text_free(&text);
        code = good ? EXIT_CLEAN : fail(&error);
    }
    if (code == EXIT_CLEAN && (common->json || common->csv)) {
        struct spoor_result *result = result_of(all);
        const uint64_t cycles = log_chart_cycles(&chart);
        /* numbers between those of instructions that end which have no end in the log: gem5 writes
         * an instruction when it frees it, so that those of which something is still held at the
         * end of the simulation are not in the log */
        const uint64_t ended = chart.retired + chart.squashed;
        const uint64_t numbers = chart.highest - chart.lowest + 1;
        const uint64_t missing = ended && numbers > ended ? numbers - ended : 0;
        put_trace(result, trace_input);
        if (missing) {
            char sentence[160];
            snprintf(sentence, sizeof sentence,
                     "no end in the log: %" PRIu64 " of the instructions from %" PRIu64
                     " to %" PRIu64 "; micro_ops and cpi are without them",
                     missing, chart.lowest, chart.highest);
            spoor_result_text(spoor_result_array(result, "missing"), NULL, sentence);
        }
        spoor_result_unsigned(result, "cycles", cycles);
        spoor_result_unsigned(result, "micro_ops", chart.retired);
        spoor_result_unsigned(result, "squashed", chart.squashed);
        if (chart.retired)
            spoor_result_real(result, "cpi", (double)cycles / (double)chart.retired, 4);
        log_chart_put_stack(&chart, result);
        log_chart_put_rows(&chart, false, spoor_result_array(result, "timeline"));
        code = worse(code, show_one(common, result, shown, all));
    }
    log_chart_close(&chart);
    return code;
}

/* The answer first: instructions per cycle, and where the cycles went. */
static int pipe_show_sentence(const struct settings *settings, const struct spoor_result *result,
                              const char *end)
{
    struct layout layout = layout_of(settings, NULL);
    struct text text = {0};
    if (!spoor_result_member(result, "micro_ops") || !spoor_result_member(result, "cycles") ||
        !spoor_result_member(result, "ipc") || prints_data(settings))
        return EXIT_CLEAN;
    /* The parts of the cycles of a micro-op that are largest, in shares of all. */
    const struct spoor_result *stack = spoor_result_member(result, "cpi_stack");
    enum { PARTS = 3 };
    const struct spoor_result *shown[PARTS] = {NULL};
    double all = 0;
    for (const struct spoor_result *part = spoor_result_first(stack); part;
         part = spoor_result_next(part)) {
        const struct spoor_result *moved = part;
        all += spoor_result_number(part);
        for (int i = 0; i < PARTS && moved; i++)
            if (!shown[i] || spoor_result_number(moved) > spoor_result_number(shown[i])) {
                const struct spoor_result *smaller = shown[i];
                shown[i] = moved;
                moved = smaller;
            }
    }
    struct spoor_result *more = spoor_result_new_object();
    struct spoor_result *parts = spoor_result_array(more, "parts");
    for (int i = 0; i < PARTS && shown[i]; i++) {
        struct spoor_result *row = spoor_result_object(parts, NULL);
        char name[64];
        snprintf(name, sizeof name, "%s", spoor_result_key(shown[i]));
        for (char *at = name; (at = strchr(at, '_'));) *at = ' ';
        spoor_result_text(row, "name", name);
        spoor_result_real(row, "cycle_ratio", spoor_result_number(shown[i]) / all, 2);
    }
    layout.around = result;
    layout_put(&layout, " sentence", more, &text);
    spoor_result_free(more);
    text_puts(&text, end);
    const int code = show_text(&text);
    text_free(&text);
    return code;
}

static int pipe_trace(const struct pipe_study *run, struct spoor_pipeline *pipeline,
                      const char *path, bool *shown, struct spoor_result *all)
{
    struct trace_input trace_input;
    static const struct range first_micro_ops = {true, 0, PICTURE_PAGE_MAXIMUM - 1};
    struct image_set located;
    struct pictures pictures = {.count = 0};
    const struct pipe_settings *settings = run->settings;
    const enum own_names names = settings->common.selection.where ? OWN_NAMES_READ : OWN_NAMES_NONE;
    if (!image_set_open(&located, &settings->common, path, names)) return located.code;
    if (!input_open_with(&trace_input, path, &settings->common, image_set_reading(&located))) {
        image_set_close(&located);
        return trace_input.exit_code;
    }
    const struct spoor_batch *first;
    int code = EXIT_UNREADABLE;
    if (!input_next(&trace_input, &first)) first = NULL;
    /* the trace is the log of a pipeline, and pictures of it are wanted as it is */
    if ((settings->timeline.given || settings->html) && !settings->kanata && !settings->o3 &&
        !settings->against.log && first && log_chart_is_log(first)) {
        trace_input.unordered = false; /* a chart sorts by number */
        code = pipe_draw_log(run, &trace_input, first, shown, all);
        code = worse(code, image_set_close(&located));
        return worse(code, input_close(&trace_input));
    }
    if (pipe_open_pictures(&pictures, settings, run->config.model, trace_input.stream) &&
        against_log_open(&pictures.against, &settings->against, &settings->common,
                         settings->html && !settings->timeline.given ? &first_micro_ops
                                                                     : &settings->timeline)) {
        for (size_t i = 0; i < pictures.count; i++) {
            pictures.items[i].texts = &pictures.texts;
            if (pictures.against.diff) pictures.items[i].pairs = &pictures.against.pairs;
        }
        if (pictures.count || pictures.against.diff)
            spoor_pipeline_observe(pipeline, 0, pipe_show_event, &pictures);
        code = pipe_read_trace(pipeline, &trace_input, first, &pictures);
    }
    code = worse(code, against_log_end(&pictures.against, code == EXIT_CLEAN));
    const bool whole = code == EXIT_CLEAN && !trace_input.broken;
    for (size_t i = 0; i < pictures.count; i++)
        code = worse(code, picture_close(&pictures.items[i], whole));
    const bool only_pictures = settings->debug || settings->timeline.given;
    const bool nothing = spoor_pipeline_micro_ops(pipeline, 0) == 0;
    if (code == EXIT_CLEAN && (settings->common.json || !(only_pictures || nothing))) {
        struct spoor_result *result = result_of(all);
        pipe_report(run, pipeline, &pictures, &trace_input, result);
        if (!all) {
            code = show_apart(shown);
            if (code == EXIT_CLEAN) code = pipe_show_sentence(&settings->common, result, "\n\n");
            if (code == EXIT_CLEAN) code = show_result(result, result_form_of(&settings->common));
            spoor_result_free(result);
        } else if (!prints_data(&settings->common)) {
            code = pipe_show_sentence(&settings->common, result, "\n");
            *shown = true;
        }
    }
    const bool all_warmed = settings->common.warmup && !input_counts(&trace_input);
    if (code == EXIT_CLEAN && nothing && !all_warmed) { /* that, input_close() says */
        complain("%s: found no instruction to simulate%s", trace_input.stream->path,
                 settings->region.given ? " in the region" : selection_words(&settings->common));
        code = EXIT_NOTHING;
    }
    for (size_t i = 0; i < pictures.count; i++) spoor_result_free(pictures.items[i].rows);
    pc_texts_free(&pictures.texts);
    against_log_close(&pictures.against);
    code = worse(code, image_set_close(&located));
    return worse(code, input_close(&trace_input));
}

/* True if the requested output is possible for a sweep, if there is one. */
static bool pipe_makes_sense(const struct pipe_settings *settings, const struct sweep *sweep)
{
    const struct against_choice *against = &settings->against;
    const bool pictures = settings->debug || settings->timeline.given || settings->kanata ||
                          settings->o3 || settings->html;
    if (settings->html && !page_is_built(page_files))
        return complain("pipe --html: %s", page_is_missing);
    if (pictures && sweep->axis_count)
        return complain(
            "pipe --sweep: --debug, --timeline, --kanata, --o3pipeview and --html show one "
            "machine, given with --set");
    if (!against->log && (against->tolerance || against->ticks))
        return complain("pipe: --tolerance and --ticks belong to --against LOG");
    if (settings->common.cores.count &&
        (pictures || against->log || sweep->axis_count || settings->critical || settings->limits))
        return complain(
            "pipe --core: --sweep, --critical, --limits, --against and pictures are of one trace");
    if (settings->common.cores.count && settings->shared)
        return complain("pipe --core: cannot be combined with --shared: a core has a machine of "
                        "its own");
    if (against->log && (sweep->axis_count || settings->common.operand_count > 1))
        return complain("pipe --against: one trace and one machine are compared with the log");
    if ((settings->kanata || settings->o3 || settings->html) && settings->common.operand_count > 1)
        return complain("pipe: --kanata, --o3pipeview and --html show one trace, found %d",
                        settings->common.operand_count);
    if (settings->critical && sweep->axis_count && !settings->common.json) {
        complain("pipe --critical: the table of a --sweep has no critical paths; --json "
                 "has");
        return false;
    }
    return true;
}

static void pipe_free(void *pipeline)
{
    spoor_pipeline_free(pipeline);
}

static struct spoor_pipeline_options pipe_options(const struct pipe_settings *settings)
{
    return (struct spoor_pipeline_options){
        .struct_size = sizeof(struct spoor_pipeline_options),
        .first = settings->region.given ? settings->region.first : 0,
        .end = settings->region.given ? settings->region.last + 1 : 0, /* A: wraps to 0 */
        .limits = settings->limits,
        .critical = settings->critical,
        .shared = settings->shared,
        .memory = settings->common.memory,
    };
}

/* Makes the machines, which go on with the predictors and caches of those before. */
static int pipe_make(const void *context, void *before, void **simulator)
{
    const struct pipe_study *run = context;
    const struct pipe_settings *settings = run->settings;
    struct spoor_pipeline *pipeline = NULL;
    struct spoor_pipeline_options how = pipe_options(settings);
    how.after = before;
    struct spoor_error error = {0};
    int code = EXIT_CLEAN;
    if (spoor_pipeline_new(&pipeline, &how, NULL) != SPOOR_OK)
        code = complain_for(EXIT_UNREADABLE, "out of memory");
    for (size_t i = 0; i < sweep_count(&run->sweep) && code == EXIT_CLEAN; i++) {
        struct spoor_pipeline_config config = run->config;
        for (size_t axis = 0; axis < run->sweep.axis_count && code == EXIT_CLEAN; axis++) {
            const char *name = run->sweep.axes[axis].name;
            const char *value = sweep_value(&run->sweep, i, axis);
            if (strcmp(name, "level") == 0) spoor_pipeline_set(&config, "level", "none", NULL);
            if (spoor_pipeline_set(&config, name, value, &error) != SPOOR_OK)
                code = complain_for(
                    EXIT_USAGE, "pipe --sweep: %s; see `spoor pipe --list parameters`", error.text);
        }
        if (code == EXIT_CLEAN && settings->critical && config.model != SPOOR_OUT_OF_ORDER)
            code = complain_for(
                EXIT_USAGE,
                "pipe --critical: only the critical path of an out-of-order machine is known");
        if (code == EXIT_CLEAN && spoor_pipeline_add(pipeline, &config, &error) != SPOOR_OK)
            code = fail(&error);
    }
    if (code == EXIT_CLEAN && before &&
        spoor_pipeline_continue(pipeline, before, &error) != SPOOR_OK)
        code = fail(&error);
    spoor_pipeline_free(before);
    if (code != EXIT_CLEAN) spoor_pipeline_free(pipeline);
    *simulator = pipeline;
    return code;
}

static int pipe_interval(const void *context, struct trace_input *trace_input, void *simulator,
                         struct spoor_result *result)
{
    const struct spoor_batch *first = NULL;
    if (!input_next(trace_input, &first)) first = NULL;
    const int code = pipe_read_trace(simulator, trace_input, first, NULL);
    if (code == EXIT_CLEAN) pipe_report(context, simulator, NULL, trace_input, result);
    return code;
}

/* Runs one trace through machines of its own. */
static int pipe_path(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    void *pipeline;
    int code = pipe_make(context, NULL, &pipeline);
    if (code != EXIT_CLEAN) return code;
    code = pipe_trace(context, pipeline, path, shown, all);
    pipe_free(pipeline);
    return code;
}

/* Runs the traces of --core at once. */
static int pipe_cores(const struct pipe_study *run)
{
    const struct settings *common = &run->settings->common;
    const char *name = run->settings->preset ? run->settings->preset : "general";
    const struct spoor_pipeline_options how = pipe_options(run->settings);
    struct spoor_result *result = spoor_result_new_object();
    struct spoor_pipeline_config preset;
    struct image_set located;
    const bool whole = common->json || common->csv || !spoor_pipeline_preset(name, &preset);
    const enum own_names names = common->selection.where ? OWN_NAMES_READ : OWN_NAMES_NONE;
    int code = EXIT_UNREADABLE;
    if (!result) {
        complain("out of memory");
    } else if (!image_set_open(&located, common, operand(common, 0), names)) {
        code = located.code;
    } else {
        const struct spoor_reader_options reading = image_set_reading(&located);
        code = pipe_run_cores(common, &reading, &how, &run->config, whole ? NULL : &preset, result);
        code = worse(code, image_set_close(&located));
        /* programs are told that nothing was simulated */
        if (spoor_result_count(result) && (code != EXIT_NOTHING || common->json))
            code = worse(code, show_result(result, result_form_of(common)));
    }
    spoor_result_free(result);
    return code;
}

static int pipe_run(void *chosen)
{
    enum { MAX_PIPE_SWEEP = 1024 };
    static const struct interval_simulator simulator = {
        .make = pipe_make, .run = pipe_interval, .free = pipe_free, .has_addresses = true};
    struct pipe_settings *settings = chosen;
    struct pipe_study run = {.settings = settings};
    int code = EXIT_USAGE;
    settings->common.beside = !settings->sweep.count && !settings->debug && !settings->html &&
                              !settings->timeline.given && !settings->against.log;
    if (sweep_parse(&run.sweep, &settings->common, &settings->sweep, MAX_PIPE_SWEEP) &&
        pipe_makes_sense(settings, &run.sweep) && pipe_configure(settings, &run.config))
        code = settings->common.cores.count
                   ? pipe_cores(&run)
                   : simpoints_run(&settings->common, pipe_path, &simulator, &run);
    if (run.sweep.failed) code = EXIT_UNREADABLE;
    sweep_free(&run.sweep);
    return code;
}

const struct verb verb_pipe = {
    .name = "pipe",
    .brief = "simulate a processor pipeline: cycles, their causes, and timelines",
    .operands = "[TRACE...]",
    .about = "Runs the micro-ops of a trace through an in-order, superscalar or out-of-order "
             "machine, or through many machines in one pass, and prints the number of cycles and "
             "their causes.  A trace of instructions without source registers (Tarmac) runs "
             "without their dependences, and the result names the missing information.",
    .options = options,
    .settings_size = sizeof(struct pipe_settings),
    .results = true,
    .many = true,
    .follows = true,
    .run = pipe_run,
};

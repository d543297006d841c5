/* SPDX-License-Identifier: MIT */
/*
 * pipe_cores.c: `pipe --core`: several traces at once, and the speed-up of each against itself
 * alone: weighted (Snavely and Tullsen 2000) and harmonic (Luo, Gummaraju and Franklin 2001).
 */
#include "cli/pipe_cores.h"

#include "cli/cores.h"

/* Feeds the traces to the cores as these need them. */
static int pipe_feed_cores(struct core_inputs *cores, struct spoor_pipeline *pipeline,
                           const struct settings *settings)
{
    struct spoor_error error = {0};
    bool warming[MAX_LIST] = {false};
    const struct spoor_batch *batch;
    if (settings->warmup) spoor_pipeline_begin_warmup(pipeline);
    for (size_t i = 0; i < settings->cores.count; i++) warming[i] = settings->warmup != 0;
    for (size_t core; (core = spoor_pipeline_next_core(pipeline)) != SIZE_MAX;) {
        struct trace_input *input = cores_input(cores, core);
        enum spoor_status status;
        if (input->ended && !cores_reopen(cores, core)) return EXIT_UNREADABLE;
        if (input_next(input, &batch)) {
            if (!cores_check_batch(cores, core, batch)) return EXIT_USAGE;
            if (warming[core] && input_counts(input)) {
                spoor_pipeline_end_core_warmup(pipeline, core);
                warming[core] = false;
            }
            status = spoor_pipeline_feed_core(pipeline, core, batch, &error);
        } else {
            input->ended = true;
            status = spoor_pipeline_end_core(pipeline, core, &error);
        }
        if (status != SPOOR_OK) return fail(&error);
    }
    return EXIT_CLEAN;
}

/* Makes the machines and runs the cores; *pipeline is the caller's, also after a failure. */
static int pipe_run_some_cores(struct core_inputs *cores, const struct settings *settings,
                               const struct spoor_pipeline_options *how,
                               const struct spoor_pipeline_config *config,
                               struct spoor_pipeline **pipeline)
{
    struct spoor_pipeline_options options = *how;
    struct spoor_error error = {0};
    options.struct_size = sizeof options;
    options.cores = settings->cores.count;
    if (spoor_pipeline_new(pipeline, &options, &error) != SPOOR_OK ||
        spoor_pipeline_add(*pipeline, config, &error) != SPOOR_OK)
        return fail(&error);
    const int code = pipe_feed_cores(cores, *pipeline, settings);
    return code;
}

/* The micro-ops of a cycle of a core that runs alone, with all of the shared levels. */
static int pipe_run_alone(const struct settings *settings, size_t core,
                          const struct spoor_pipeline_options *how,
                          const struct spoor_pipeline_config *config, double *ipc)
{
    struct settings own = *settings;
    struct spoor_pipeline *pipeline = NULL;
    int code;
    own.cores.count = 1;
    own.cores.items[0] = settings->cores.items[core];
    own.quiet = true; /* what the trace lacks was said */
    struct core_inputs *cores = cores_open(&own, &(struct spoor_reader_options){0}, &code);
    if (!cores) return code;
    code = pipe_run_some_cores(cores, &own, how, config, &pipeline);
    if (code == EXIT_CLEAN) {
        const uint64_t cycles = spoor_pipeline_cycles(pipeline, 0);
        *ipc = cycles ? (double)spoor_pipeline_micro_ops(pipeline, 0) / (double)cycles : 0;
    }
    spoor_pipeline_free(pipeline);
    return worse(code, cores_close(cores));
}

int pipe_run_cores(const struct settings *settings, const struct spoor_pipeline_options *how,
                   const struct spoor_pipeline_config *config,
                   const struct spoor_pipeline_config *usual, struct spoor_result *result)
{
    const size_t count = settings->cores.count;
    struct spoor_pipeline *pipeline = NULL;
    int code;
    struct core_inputs *cores = cores_open(settings, &(struct spoor_reader_options){0}, &code);
    if (!cores) return code;
    code = pipe_run_some_cores(cores, settings, how, config, &pipeline);
    if (code == EXIT_CLEAN && spoor_pipeline_micro_ops(pipeline, 0) == 0)
        code = complain_for(EXIT_NOTHING, "%s: found no instruction to simulate",
                            cores_stream(cores)->path);
    if (code == EXIT_CLEAN) {
        double weighted = 0, inverse = 0;
        bool known = true;
        spoor_result_text(result, "trace", cores_stream(cores)->path);
        spoor_result_text(result, "format", spoor_format_name(cores_stream(cores)->format));
        spoor_pipeline_report_missing(pipeline, result);
        if (usual)
            spoor_pipeline_report_briefly(pipeline, 0, usual, result);
        else
            spoor_pipeline_report(pipeline, 0, result);
        struct spoor_result *rows = spoor_result_array(result, "cpus");
        for (size_t i = 0; i < count && code == EXIT_CLEAN; i++) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            double alone = 0;
            code = pipe_run_alone(settings, i, how, config, &alone);
            spoor_result_text(row, "trace", settings->cores.items[i]);
            spoor_pipeline_report_cpu(pipeline, 0, i, row);
            const double ipc = spoor_result_number(spoor_result_member(row, "ipc"));
            known = known && alone > 0 && ipc > 0;
            if (!known) continue;
            spoor_result_real(row, "ipc_alone", alone, 4);
            spoor_result_real(row, "speed_up", ipc / alone, 4);
            weighted += ipc / alone;
            inverse += alone / ipc;
        }
        if (known && count) {
            spoor_result_real(result, "weighted_speed_up", weighted, 4);
            spoor_result_real(result, "harmonic_speed_up", (double)count / inverse, 4);
        }
    }
    spoor_pipeline_free(pipeline);
    return worse(code, cores_close(cores));
}

/* SPDX-License-Identifier: MIT */
/*
 * pipe_cores.c: `pipe --core`: several traces at once, and the speed-up of each against itself
 * alone: weighted (Snavely and Tullsen 2000) and harmonic (Luo, Gummaraju and Franklin 2001).
 */
#include "cli/pipe_cores.h"

#include <sys/stat.h>

#include "cli/cores.h"
#include "cli/selection.h"

/* False, with a message, if a trace is none that can be read again: a core begins its trace anew,
 * and runs alone. */
static bool pipe_cores_are_files(const struct settings *settings)
{
    for (size_t i = 0; i < settings->cores.count; i++) {
        const char *path = settings->cores.items[i];
        struct stat status;
        const bool there = stat(path, &status) == 0; /* else opening it says why not */
        if (strcmp(path, "-") == 0 ||
            (there && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
            return complain("pipe --core: found '%s', expected a file, because the trace of a core "
                            "is read several times",
                            path);
    }
    return true;
}

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
    return pipe_feed_cores(cores, *pipeline, settings);
}

/* The micro-ops of a cycle of a core that runs alone, with all of the shared levels. */
static int pipe_run_alone(const struct settings *settings,
                          const struct spoor_reader_options *reading, size_t core,
                          const struct spoor_pipeline_options *how,
                          const struct spoor_pipeline_config *config, double *ipc)
{
    struct settings own = *settings;
    struct spoor_pipeline *pipeline = NULL;
    int code;
    own.cores.count = 1;
    own.cores.items[0] = settings->cores.items[core];
    own.quiet = true; /* what the trace lacks was said */
    struct core_inputs *cores = cores_open(&own, reading, &code);
    if (!cores) return code;
    cores_input(cores, 0)->repeats = true;
    code = pipe_run_some_cores(cores, &own, how, config, &pipeline);
    if (code == EXIT_CLEAN) {
        const uint64_t cycles = spoor_pipeline_cycles(pipeline, 0);
        *ipc = cycles ? (double)spoor_pipeline_micro_ops(pipeline, 0) / (double)cycles : 0;
    }
    spoor_pipeline_free(pipeline);
    return worse(code, cores_close(cores));
}

int pipe_run_cores(const struct settings *settings, const struct spoor_reader_options *reading,
                   const struct spoor_pipeline_options *how,
                   const struct spoor_pipeline_config *config,
                   const struct spoor_pipeline_config *usual, struct spoor_result *result)
{
    const size_t count = settings->cores.count;
    struct spoor_pipeline *pipeline = NULL;
    int code;
    if (!pipe_cores_are_files(settings)) return EXIT_USAGE;
    struct core_inputs *cores = cores_open(settings, reading, &code);
    if (!cores) return code;
    code = pipe_run_some_cores(cores, settings, how, config, &pipeline);
    if (code == EXIT_CLEAN) {
        double weighted = 0, inverse = 0;
        bool known = true;
        spoor_result_text(result, "trace", cores_stream(cores)->path);
        spoor_result_text(result, "format", cores_format(cores));
        spoor_pipeline_report_missing(pipeline, result);
        if (usual)
            spoor_pipeline_report_briefly(pipeline, 0, usual, result);
        else
            spoor_pipeline_report(pipeline, 0, result);
        struct spoor_result *rows = spoor_result_array(result, "cpus");
        for (size_t i = 0; i < count; i++) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            double alone = 0;
            spoor_result_text(row, "trace", settings->cores.items[i]);
            spoor_pipeline_report_cpu(pipeline, 0, i, row);
            const double ipc = spoor_result_number(spoor_result_member(row, "ipc"));
            if (spoor_result_number(spoor_result_member(row, "micro_ops")) > 0)
                code = worse(code, pipe_run_alone(settings, reading, i, how, config, &alone));
            else if (!cores_explain(cores, i))
                code =
                    worse(code, complain_for(EXIT_NOTHING, "%s: found no instruction to simulate%s",
                                             settings->cores.items[i],
                                             how->first || how->end ? " in the region"
                                                                    : selection_words(settings)));
            known = known && alone > 0 && ipc > 0;
            if (!known) continue;
            spoor_result_real(row, "ipc_alone", alone, 4);
            spoor_result_real(row, "speed_up", ipc / alone, 4);
            weighted += ipc / alone;
            inverse += alone / ipc;
        }
        if (known) {
            spoor_result_real(result, "weighted_speed_up", weighted, 4);
            spoor_result_real(result, "harmonic_speed_up", (double)count / inverse, 4);
        }
    }
    spoor_pipeline_free(pipeline);
    return worse(code, cores_close(cores));
}

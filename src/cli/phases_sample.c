/* SPDX-License-Identifier: MIT */
/* phases_sample.c: chooses intervals, and writes them as simpoints. */
#include "cli/phases_sample.h"

#include <inttypes.h>

#include "base/text.h"
#include "cli/output.h"

/* The instructions that an interval stands for: its own times its weight. */
static double instructions_of(const struct sample_interval *interval)
{
    return interval->counts[SAMPLE_INSTRUCTIONS] * interval->weight;
}

static double all_instructions(const struct sample_interval *intervals, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += instructions_of(&intervals[i]);
    return sum;
}

static int write_file(const struct settings *settings, const struct sampling *sampling,
                      const char *simpoints, const char *path, bool whole)
{
    size_t count;
    const struct sample_interval *intervals = sampling_intervals(sampling, &count);
    const double all = all_instructions(intervals, count);
    struct text text = {0};
    text_printf(&text, "# sample of %s: first record, last record, weight, instructions\n", path);
    for (size_t i = 0; i < count; i++) {
        if (intervals[i].weight <= 0) continue;
        text_printf(&text, "%" PRIu64 " %" PRIu64 " ", intervals[i].first, intervals[i].last);
        text_put_exact(&text, instructions_of(&intervals[i]) / all);
        text_printf(&text, " %.0f\n", intervals[i].counts[SAMPLE_INSTRUCTIONS]);
    }
    int code = EXIT_UNREADABLE;
    if (text.failed)
        complain("out of memory");
    else
        code = output_write(simpoints, text.bytes, text.size, whole, settings);
    text_free(&text);
    return code;
}

static void report(const struct sampling *sampling, const struct sampling_options *options,
                   struct spoor_result *result)
{
    size_t count, chosen = 0;
    const struct sample_interval *intervals = sampling_intervals(sampling, &count);
    const double all = all_instructions(intervals, count);
    double instructions = 0;
    for (size_t i = 0; i < count; i++) {
        chosen += intervals[i].weight > 0;
        instructions += intervals[i].counts[SAMPLE_INSTRUCTIONS];
    }
    spoor_result_unsigned(result, "interval", options->interval);
    spoor_result_unsigned(result, "instructions", (uint64_t)instructions);
    spoor_result_unsigned(result, "intervals", count);
    spoor_result_unsigned(result, "seed", options->seed);
    spoor_result_unsigned(result, "sampled", chosen);
    struct spoor_result *rows = spoor_result_array(result, "simpoints");
    for (size_t i = 0; i < count; i++) {
        if (intervals[i].weight <= 0) continue;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_real(row, "weight", instructions_of(&intervals[i]) / all, 4);
        spoor_result_unsigned(row, "interval", i);
        spoor_result_unsigned(row, "first_record", intervals[i].first);
        spoor_result_unsigned(row, "last_record", intervals[i].last);
        spoor_result_unsigned(row, "instructions",
                              (uint64_t)intervals[i].counts[SAMPLE_INSTRUCTIONS]);
    }
}

/* True if the trace has instructions, as weights need. */
static bool feed(struct trace_input *trace_input, struct sampling *sampling)
{
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    while (status == SPOOR_OK && input_next(trace_input, &batch))
        status = sampling_feed(sampling, batch, &error);
    if (status == SPOOR_OK) status = sampling_end(sampling, &error);
    size_t count;
    const struct sample_interval *intervals = sampling_intervals(sampling, &count);
    if (status != SPOOR_OK) {
        trace_input->exit_code = fail(&error);
    } else if (all_instructions(intervals, count) <= 0) {
        complain("%s: found no instruction with an address", trace_input->stream->path);
        trace_input->exit_code = worse(trace_input->exit_code, EXIT_NOTHING);
        return false;
    }
    return status == SPOOR_OK;
}

int phases_sample(const struct settings *settings, const struct sampling_options *options,
                  const char *simpoints, const char *path, bool *shown, struct spoor_result *all)
{
    struct trace_input trace_input;
    struct sampling *sampling = sampling_new(options);
    if (!sampling || !input_open(&trace_input, path, settings)) {
        if (!sampling) complain("out of memory");
        const int code = sampling ? trace_input.exit_code : EXIT_UNREADABLE;
        sampling_free(sampling);
        return code;
    }
    int code = EXIT_CLEAN;
    if (feed(&trace_input, sampling)) {
        struct spoor_result *result =
            all ? spoor_result_object(all, NULL) : spoor_result_new_object();
        if (simpoints) code = write_file(settings, sampling, simpoints, path, !trace_input.broken);
        put_trace(result, &trace_input);
        report(sampling, options, result);
        if (!all) {
            code = worse(code, show_apart(shown));
            code = worse(code, show_result(result, result_form_of(settings)));
            spoor_result_free(result);
        }
    }
    sampling_free(sampling);
    return worse(code, input_close(&trace_input));
}

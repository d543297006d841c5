/* SPDX-License-Identifier: MIT */
/* phases_sample.c: chooses intervals, and writes them as simpoints. */
#include "cli/phases_sample.h"

#include <string.h>

#include "base/text.h"
#include "cli/output.h"
#include "cli/simpoints.h"

static int write_file(const struct settings *settings, const struct spoor_sampling *sampling,
                      const char *simpoints, const char *path, bool whole)
{
    struct spoor_sample sample;
    struct text text = {0};
    text_printf(&text, "# sample of %s: %s\n", path, SIMPOINT_FIELDS);
    for (size_t i = 0; spoor_sampling_sample(sampling, i, &sample); i++) {
        struct simpoint point = {.first = sample.first,
                                 .last = sample.last,
                                 .weight = sample.share,
                                 .instructions = sample.instructions};
        if (sample.replicates) memcpy(point.replicates, sample.replicates, sizeof point.replicates);
        simpoint_put(&text, &point, sample.replicates != NULL);
    }
    int code = EXIT_UNREADABLE;
    if (text.failed)
        complain("out of memory");
    else
        code = output_write(simpoints, text.bytes, text.size, whole, settings);
    text_free(&text);
    return code;
}

/* True if the trace has instructions, as weights need. */
static bool feed(struct trace_input *trace_input, struct spoor_sampling *sampling)
{
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    while (status == SPOOR_OK && input_next(trace_input, &batch))
        status = spoor_sampling_feed(sampling, batch, &error);
    if (status == SPOOR_OK) status = spoor_sampling_end(sampling, &error);
    if (status != SPOOR_OK) {
        trace_input->exit_code = fail(&error);
    } else if (spoor_sampling_instructions(sampling) == 0) {
        complain("%s: found no instruction with an address", trace_input->stream->path);
        trace_input->exit_code = worse(trace_input->exit_code, EXIT_NOTHING);
        return false;
    }
    return status == SPOOR_OK;
}

int phases_sample(const struct settings *settings, const struct spoor_sampling_options *options,
                  const char *simpoints, const char *path, bool *shown, struct spoor_result *all)
{
    struct trace_input trace_input;
    struct spoor_sampling *sampling;
    struct spoor_error error = {0};
    if (spoor_sampling_new(&sampling, options, &error) != SPOOR_OK) return fail(&error);
    if (!input_open(&trace_input, path, settings)) {
        spoor_sampling_free(sampling);
        return trace_input.exit_code;
    }
    int code = EXIT_CLEAN;
    if (feed(&trace_input, sampling)) {
        struct spoor_result *result =
            all ? spoor_result_object(all, NULL) : spoor_result_new_object();
        if (simpoints) code = write_file(settings, sampling, simpoints, path, !trace_input.broken);
        put_trace(result, &trace_input);
        spoor_sampling_report(sampling, result);
        if (!all) {
            code = worse(code, show_apart(shown));
            code = worse(code, show_result(result, result_form_of(settings)));
            spoor_result_free(result);
        }
    }
    spoor_sampling_free(sampling);
    return worse(code, input_close(&trace_input));
}

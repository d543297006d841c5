/* SPDX-License-Identifier: MIT */
/* values.c: the verb `values`: simulate value predictors on the values that a program writes. */
#include "cli/cli.h"
#include "cli/plugins.h"
#include "cli/selection.h"
#include "spoor/value.h"

struct values_settings {
    struct settings common;
    struct list predictors;
    bool loads;
};

#define AT(field) offsetof(struct values_settings, field)
static const struct option options[] = {
    OPT('p', "predictor", LIST, "SPEC", AT(predictors), "(repeatable)"),
    PLUGIN_OPTION,
    OPT(0, "loads", FLAG, NULL, AT(loads), "only values of instructions that read memory"),
    SELECTION_OPTIONS,
    OPTION_END,
};

static const char *const usual_predictors[] = {"last-value", "stride"};

static int values_trace(const void *context, const char *path, bool *shown,
                        struct spoor_result *all)
{
    const struct values_settings *settings = context;
    const struct list *predictors = &settings->predictors;
    const bool usual = predictors->count == 0;
    struct trace_input trace_input;
    struct spoor_values *values = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    if (!input_open(&trace_input, path, &settings->common)) return trace_input.exit_code;
    const struct spoor_values_options chosen = {
        .struct_size = sizeof chosen,
        .stream = trace_input.stream,
        .specs = usual ? usual_predictors : predictors->items,
        .count = usual ? sizeof usual_predictors / sizeof *usual_predictors : predictors->count,
        .loads = settings->loads,
    };
    enum spoor_status status = spoor_values_new(&values, &chosen, &error);
    while (status == SPOOR_OK && input_next(&trace_input, &batch))
        status = spoor_values_feed(values, batch, &error);
    if (status == SPOOR_OK) status = spoor_values_end(values, &error);
    struct spoor_result *result = result_of(all);
    int code = status == SPOOR_OK ? EXIT_CLEAN : fail(&error);
    if (code == EXIT_CLEAN) {
        put_trace(result, &trace_input);
        spoor_values_report(values, result);
        if (spoor_values_count(values) == 0 && trace_input.exit_code == EXIT_CLEAN)
            code = complain_for(EXIT_NOTHING,
                                "%s: found no value that an instruction wrote to a register%s",
                                path, selection_words(&settings->common));
    }
    spoor_values_free(values);
    code = worse(code, input_close(&trace_input));
    const bool shows = status == SPOOR_OK && (code != EXIT_NOTHING || settings->common.json);
    return worse(code, show_one(&settings->common, result, shows ? shown : NULL, all));
}

const struct verb verb_values = {
    .name = "values",
    .brief = "simulate value predictors on the values that instructions write",
    .operands = "[TRACE...]",
    .about = "Predicts the values that the instructions of each trace write to registers with one "
             "or more predictors, independently, in one pass, and counts the predictions that "
             "would be used, and those that are wrong.  A predictor is NAME[:KEY=VALUE,...]; "
             "--list predictors prints the names and keys.  Without -p: last-value and stride.",
    .options = options,
    .settings_size = sizeof(struct values_settings),
    .results = true,
    .many = true,
    .follows = true,
    .each = values_trace,
};

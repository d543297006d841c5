/* SPDX-License-Identifier: MIT */
/* phases.c: the verb `phases`: representative intervals of a trace. */
#include <inttypes.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "spoor/phases.h"

struct phases_settings {
    struct settings common;
    uint64_t interval, maximum, dimensions, seed;
    const char *bbv, *vectors, *simpoints;
};

#define AT(field) offsetof(struct phases_settings, field)
static const struct option options[] = {
    OPT(0, "interval", NUMBER, "N", AT(interval), "instructions of an interval (100,000)"),
    OPT(0, "maximum", NUMBER, "N", AT(maximum), "maximum number of phases (100)"),
    OPT(0, "dimensions", NUMBER, "N", AT(dimensions), "of the projected vectors (15)"),
    OPT(0, "seed", NUMBER, "N", AT(seed), "the projection, the starts of k-means (default: 0)"),
    OPT(0, "write-simpoints", OUTPUT, "FILE", AT(simpoints),
        "also write the simpoints to FILE, which the simulators read"),
    OPT(0, "bbv", OUTPUT, "FILE", AT(bbv),
        "also write the basic block vectors to FILE, as SimPoint reads them"),
    OPT(0, "vectors", OUTPUT, "FILE", AT(vectors),
        "also write the projected vectors to FILE as CSV, with the phase of each interval"),
    SELECTION_OPTIONS,
    OPTION_END,
};

/* ---- files ---- */

static int phases_put_text(const char *path, struct text *text, bool whole,
                           const struct settings *settings)
{
    const int code = text->failed ? complain_for(EXIT_UNREADABLE, "out of memory")
                                  : output_write(path, text->bytes, text->size, whole, settings);
    text_free(text);
    return code;
}

static int phases_write(const struct phases_settings *settings, const struct spoor_phases *phases,
                        const char *path, bool whole)
{
    int code = EXIT_CLEAN;
    size_t size;
    const char *bbv = spoor_phases_bbv(phases, &size);
    if (settings->simpoints) {
        struct text text = {0};
        struct spoor_simpoint point;
        text_printf(&text,
                    "# simpoints of %s: first record, last record, weight, instructions, first "
                    "instruction\n",
                    path);
        for (size_t i = 0; spoor_phases_simpoint(phases, i, &point); i++) {
            text_printf(&text, "%" PRIu64 " %" PRIu64 " ", point.first, point.last);
            text_put_exact(&text, point.weight);
            text_printf(&text, " %" PRIu64 " %" PRIu64 "\n", point.instructions, point.instruction);
        }
        code = phases_put_text(settings->simpoints, &text, whole, &settings->common);
    }
    if (settings->bbv)
        code = worse(code, output_write(settings->bbv, bbv, size, whole, &settings->common));
    if (settings->vectors) {
        struct text text = {0};
        text_puts(&text, "interval,phase");
        unsigned dimensions = 0;
        for (size_t i = 0; i < spoor_phases_intervals(phases); i++) {
            const double *vector = spoor_phases_vector(phases, i, &dimensions);
            for (unsigned d = 0; d < dimensions && i == 0; d++) text_printf(&text, ",v%u", d);
            text_printf(&text, "\n%zu,%zu", i, spoor_phases_of(phases, i));
            for (unsigned d = 0; d < dimensions; d++) {
                text_put(&text, ",", 1);
                text_put_exact(&text, vector[d]);
            }
        }
        text_put(&text, "\n", 1);
        code = worse(code, phases_put_text(settings->vectors, &text, whole, &settings->common));
    }
    return code;
}

/* ---- a trace ---- */

static int phases_find(const void *context, const char *path, bool *shown, struct spoor_result *all)
{
    const struct phases_settings *settings = context;
    const struct spoor_phases_options how = {.struct_size = sizeof how,
                                             .interval = settings->interval,
                                             .clusters = (unsigned)settings->maximum,
                                             .dimensions = (unsigned)settings->dimensions,
                                             .seed = settings->seed,
                                             .keep_vectors = settings->bbv != NULL};
    struct trace_input trace_input;
    struct spoor_phases *phases;
    struct spoor_error error = {0};
    if (spoor_phases_new(&phases, &how, &error) != SPOOR_OK) return fail(&error);
    if (!input_open(&trace_input, path, &settings->common)) {
        spoor_phases_free(phases);
        return trace_input.exit_code;
    }
    const struct spoor_batch *batch;
    enum spoor_status status = SPOOR_OK;
    int code = EXIT_CLEAN;
    while (status == SPOOR_OK && input_next(&trace_input, &batch))
        status = spoor_phases_feed(phases, batch, &error);
    if (status == SPOOR_OK) status = spoor_phases_end(phases, &error);
    if (status != SPOOR_OK) {
        trace_input.exit_code = fail(&error);
    } else if (spoor_phases_intervals(phases) == 0) {
        code = complain_for(EXIT_NOTHING, "%s: found no instruction with an address%s", path,
                            selection_words(&settings->common));
    } else {
        struct spoor_result *result = result_of(all);
        put_trace(result, &trace_input);
        spoor_phases_report(phases, prints_data(&settings->common), result);
        code = worse(code, show_one(&settings->common, result, shown, all));
        code = worse(code, phases_write(settings, phases, path, !trace_input.broken));
    }
    spoor_phases_free(phases);
    return worse(code, input_close(&trace_input));
}

static int phases_run(void *chosen)
{
    const struct phases_settings *settings = chosen;
    const bool writes = settings->bbv || settings->vectors || settings->simpoints;
    if (settings->maximum > UINT16_MAX || settings->dimensions > UINT16_MAX)
        return complain_for(EXIT_USAGE,
                            "phases: --maximum and --dimensions are at most 1,000 and 256");
    if (writes && operand_count(&settings->common) != 1)
        return complain_for(EXIT_USAGE, "phases: a file is written of one trace, found %zu",
                            operand_count(&settings->common));
    return run_each_trace(&settings->common, phases_find, settings);
}

const struct verb verb_phases = {
    .name = "phases",
    .brief = "find the phases of a program, and their representative intervals",
    .operands = "[TRACE...]",
    .about =
        "Divides each trace into intervals of equally many instructions, groups the intervals by "
        "the basic blocks that they execute, and prints for each group an interval that stands "
        "for it (a simpoint) and its weight.  The method is that of SimPoint 3.2: random "
        "projection, k-means, and the Bayesian information criterion.",
    .options = options,
    .settings_size = sizeof(struct phases_settings),
    .results = true,
    .many = true,
    .numbers = true,
    .follows = true,
    .run = phases_run,
};

/* SPDX-License-Identifier: MIT */
/* simpoints.c: simulates the representative intervals of a trace, and combines their results. */
#include "cli/simpoints.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cores.h"
#include "cli/image_set.h"
#include "cli/study.h"
#include "spoor/combine.h"

/* ---- options that make no sense with these ---- */

/* True if an option of a verb was given. */
static bool simpoints_option_is_given(const struct option *option, const struct settings *settings)
{
    const void *at = (const char *)settings + option->at;
    switch (option->type) {
    case OPTION_FLAG: return *(const bool *)at;
    case OPTION_NUMBER:
    case OPTION_COUNT: return *(const uint64_t *)at != 0;
    case OPTION_CHOICE: return *(const int *)at != 0;
    case OPTION_RANGE:
    case OPTION_HEXRANGE: return ((const struct range *)at)->given;
    case OPTION_LIST: return ((const struct list *)at)->count > 0;
    default: return *(const void *const *)at != NULL;
    }
}

/* False, with a message, if an option was given that `one` excludes: a name of the list, which ends
 * with NULL, or, if that is wanted, any file that is written. */
static bool simpoints_option_is_alone(const struct settings *settings, const char *one,
                                      const char *const *names, bool outputs)
{
    for (const struct option *option = settings->verb->options; option->name; option++) {
        bool other = outputs && option->type == OPTION_OUTPUT;
        for (size_t i = 0; names[i]; i++) other |= strcmp(option->name, names[i]) == 0;
        if (!other || !simpoints_option_is_given(option, settings)) continue;
        return complain("%s --%s: cannot be combined with --%s", settings->verb->name, one,
                        option->name);
    }
    return true;
}

/* ---- running ---- */

struct simulation {
    const struct settings *settings;
    const struct interval_simulator *simulator;
    const void *context;
    struct simpoints points;
};

/* A trace that is simulated, and its images. */
struct simulated_trace {
    struct image_set located;
    struct trace_input input;
};

static bool simpoints_open_trace(struct simulated_trace *trace, const struct simulation *simulation,
                                 const char *path, int *code)
{
    const struct settings *settings = simulation->settings;
    struct spoor_reader_options options = {0};
    trace->located = (struct image_set){.images = NULL};
    if (simulation->simulator->has_addresses) {
        if (!image_set_open(&trace->located, settings, path,
                            settings->selection.where ? OWN_NAMES_READ : OWN_NAMES_NONE)) {
            *code = trace->located.code;
            return false;
        }
        options = image_set_reading(&trace->located);
    }
    const bool good = input_open_cores(&trace->input, path, settings, options);
    *code = trace->input.exit_code;
    if (!good && simulation->simulator->has_addresses) image_set_close(&trace->located);
    return good;
}

/* Names the addresses of a result. */
static int simpoints_close_trace(struct simulated_trace *trace, const struct simulation *simulation,
                                 struct spoor_result *result)
{
    int code = EXIT_CLEAN;
    if (simulation->simulator->has_addresses) {
        image_set_name(&trace->located, result, NULL);
        code = image_set_close(&trace->located);
    }
    return worse(code, input_close(&trace->input));
}

/* Simulates a whole trace. */
static int simpoints_run_whole(const void *context, const char *path, bool *shown,
                               struct spoor_result *all)
{
    const struct simulation *simulation = context;
    const struct settings *settings = simulation->settings;
    const struct interval_simulator *kind = simulation->simulator;
    struct simulated_trace trace;
    void *simulator;
    int code = kind->make(simulation->context, NULL, &simulator);
    if (code != EXIT_CLEAN) return code;
    if (!simpoints_open_trace(&trace, simulation, path, &code)) {
        kind->free(simulator);
        return code;
    }
    struct spoor_result *result = spoor_result_new_object();
    if (result) {
        code = kind->run(simulation->context, &trace.input, simulator, result);
    } else {
        complain("out of memory");
        code = EXIT_UNREADABLE;
    }
    code = worse(code, simpoints_close_trace(&trace, simulation, result));
    /* something was simulated, or programs are told that nothing was */
    if (result && code != EXIT_USAGE && (code != EXIT_NOTHING || settings->json)) {
        if (all) {
            if (spoor_result_count(result)) spoor_result_copy(all, NULL, result);
        } else {
            if (!kind->show) code = worse(code, show_apart(shown));
            code =
                worse(code, kind->show ? kind->show(simulation->context, simulator, result, shown)
                                       : show_result(result, result_form_of(settings)));
        }
    }
    spoor_result_free(result);
    kind->free(simulator);
    return code;
}

/* ---- intervals ---- */

/* After an interval was simulated: false, with a message, if the trace ended before it, or within
 * one whose length is stated: such intervals are those of another trace.  The last interval of
 * SimPoint is as long as the trace lets it be. */
static bool simpoint_is_of_trace(const struct simulation *simulation,
                                 const struct trace_input *input, struct simpoint *point)
{
    const struct settings *settings = simulation->settings;
    const bool of_simpoint = simulation->points.of_simpoint;
    const bool begun = input_counts(input);
    const struct selection_place place = selection_place(input->selection);
    if (begun && of_simpoint && input->ended) {
        const uint64_t counted = place.instructions - point->first.at;
        if (counted < point->instructions) point->instructions = counted;
    }
    const bool cut =
        !of_simpoint && point->instructions && input->ended && place.records < point->end.at;
    if (begun && !cut) return true;
    return complain("%s: ends before %s %" PRIu64 ", with which an interval of %s %s%s",
                    input->stream->path, of_simpoint ? "instruction" : "record",
                    begun ? point->end.at - 1 : point->first.at, settings->simpoints,
                    begun ? "ends" : "begins",
                    of_simpoint ? ": state the length of an interval, --simpoint-interval" : "");
}

static bool simpoints_combine(const struct simulation *simulation,
                              const struct spoor_result *results, struct spoor_result *to)
{
    const struct simpoints *points = &simulation->points;
    const struct settings *settings = simulation->settings;
    struct spoor_combine_part *parts = calloc(points->count + 1, sizeof *parts);
    const struct spoor_result *at = spoor_result_first(results);
    for (size_t i = 0; parts && i < points->count; i++, at = spoor_result_next(at)) {
        /* an interval that is shorter than others counts less: counts are scaled to equal lengths
         */
        const struct simpoint *point = &points->items[i];
        const uint64_t length = points->items[0].instructions;
        parts[i] = (struct spoor_combine_part){at, length && point->instructions
                                                       ? point->weight * (double)length /
                                                             (double)point->instructions
                                                       : point->weight};
    }
    spoor_result_unsigned(to, "simpoints", points->count);
    if (settings->warmup) spoor_result_unsigned(to, "warmup", settings->warmup);
    const bool good =
        parts && spoor_combine(settings->verb->name, parts, points->count, to) == SPOOR_OK;
    free(parts);
    return good;
}

static int simpoints_run_weighted(const void *context, const char *path, bool *shown,
                                  struct spoor_result *all)
{
    struct simulation *simulation = (struct simulation *)(uintptr_t)context; /* one trace */
    const struct settings *settings = simulation->settings;
    const struct interval_simulator *kind = simulation->simulator;
    struct simulated_trace trace;
    (void)all;
    void *simulator;
    int code = kind->make(simulation->context, NULL, &simulator);
    if (code != EXIT_CLEAN) return code;
    if (!simpoints_open_trace(&trace, simulation, path, &code)) {
        kind->free(simulator);
        return code;
    }
    struct spoor_result *parts = spoor_result_new_array(), *result = spoor_result_new_object();
    /* a result for each interval in `parts` */
    const size_t count = parts && result ? simulation->points.count : 0;
    for (size_t i = 0; i < count && code == EXIT_CLEAN; i++) {
        struct simpoint *point = &simulation->points.items[i];
        struct interval interval = {.count = point->first, .end = point->end};
        if (settings->warmup) /* what trains before it */
            interval.train = (struct boundary){true, point->instruction > settings->warmup
                                                         ? point->instruction - settings->warmup
                                                         : 0};
        if (i > 0) code = kind->make(simulation->context, simulator, &simulator);
        if (code != EXIT_CLEAN) {
            simulator = NULL;
            break;
        }
        selection_begin(trace.input.selection, &interval);
        code = kind->run(simulation->context, &trace.input, simulator,
                         spoor_result_object(parts, NULL));
        if (code == EXIT_CLEAN && trace.input.exit_code == EXIT_CLEAN &&
            !simpoint_is_of_trace(simulation, &trace.input, point))
            code = EXIT_NOTHING;
    }
    if (simulator) kind->free(simulator);
    if (parts && result) code = worse(code, trace.input.exit_code);
    if (code == EXIT_CLEAN && !(parts && result && spoor_result_complete(parts) &&
                                simpoints_combine(simulation, parts, result))) {
        complain("out of memory");
        code = EXIT_UNREADABLE;
    }
    code = worse(code, simpoints_close_trace(&trace, simulation, result));
    if (code == EXIT_CLEAN && settings->whole) {
        struct spoor_result *whole = WITH_JANSSON ? result_of_file(settings->whole) : NULL;
        if (whole) /* the table of errors against the result of the whole trace, in a file */
            (void)spoor_combine_errors(settings->verb->name, result, whole,
                                       spoor_result_array(result, "errors"));
        else if (WITH_JANSSON)
            code = complain_for(EXIT_UNREADABLE,
                                "%s --whole: %s: expected the result of one trace, as JSON",
                                settings->verb->name, settings->whole);
        else
            code = complain_for(
                EXIT_USAGE,
                "%s --whole: libjansson, which reads JSON, is not built in or not installed",
                settings->verb->name);
        spoor_result_free(whole);
    }
    if (code == EXIT_CLEAN) code = show_apart(shown);
    if (code == EXIT_CLEAN) code = show_result(result, result_form_of(settings));
    spoor_result_free(parts);
    spoor_result_free(result);
    return code;
}

int simpoints_run(const struct settings *settings, trace_runner *run,
                  const struct interval_simulator *simulator, const void *context)
{
    struct simulation simulation = {
        .settings = settings, .simulator = simulator, .context = context};
    /* they select another part, or show one run */
    static const char *const not_weighted[] = {
        "records",   "time",    "references", "branches", "micro-ops", "sample",
        "limit",     "writes",  "against",    "timeline", "debug",     "print",
        "limits",    "like",    "critical",   "by-pc",    "by-region", "by-set",
        "over-time", "hardest", "compare",    NULL};
    /* they count something else than instructions */
    static const char *const not_warmed[] = {"references", "branches", "micro-ops", "sample",
                                             "limit",      "debug",    NULL};
    const char *verb = settings->verb->name;
    if (settings->warmup && !simpoints_option_is_alone(settings, "warmup", not_warmed, false))
        return EXIT_USAGE;
    if (settings->simpoints &&
        !simpoints_option_is_alone(settings, "simpoints", not_weighted, true))
        return EXIT_USAGE;
    if (settings->simpoints && operand_count(settings) != 1)
        return complain_for(EXIT_USAGE,
                            "%s --simpoints: found %zu traces, expected the one of the intervals",
                            verb, operand_count(settings));
    if (!settings->simpoints && (settings->whole || settings->interval))
        return complain_for(EXIT_USAGE, "%s --%s: expected --simpoints, too", verb,
                            settings->whole ? "whole" : "simpoint-interval");
    if (!settings->simpoints)
        return run ? run_each_trace(settings, run, context)
                   : run_each_trace(settings, simpoints_run_whole, &simulation);
    int code = EXIT_USAGE;
    const struct simpoints *points = &simulation.points;
    bool good = simpoints_read(&simulation.points, verb, settings->simpoints, settings->interval);
    for (size_t i = 0; good && settings->warmup && i < points->count; i++)
        if (!points->items[i].placed) /* its warm-up cannot be found */
            good = complain(
                "%s --warmup: %s: found an interval without the number of its first instruction, "
                "the fifth field that phases --write-simpoints writes",
                verb, settings->simpoints);
    if (good) code = run_each_trace(settings, simpoints_run_weighted, &simulation);
    free(simulation.points.items);
    return code;
}

/* SPDX-License-Identifier: MIT */
/* cache_one_pass.c: many caches in one pass. */
#include "cli/cache_one_pass.h"

#include <stdlib.h>

#include "base/text.h"
#include "cli/chart.h"

enum { BAR_WIDTH = 50 };

struct one_pass_simulators {
    struct spoor_curve *curve; /* either may be NULL */
    struct spoor_sweep *sweep;
};

static bool one_pass_feed(void *context, const struct spoor_reference *items, size_t count)
{
    struct one_pass_simulators *simulators = context;
    return (!simulators->curve ||
            spoor_curve_feed(simulators->curve, items, count, NULL) == SPOOR_OK) &&
           (!simulators->sweep ||
            spoor_sweep_feed(simulators->sweep, items, count, NULL) == SPOOR_OK);
}

static void one_pass_forget(void *context)
{
    const struct one_pass_simulators *simulators = context;
    if (simulators->curve) spoor_curve_end_warmup(simulators->curve);
    if (simulators->sweep) spoor_sweep_end_warmup(simulators->sweep);
}

bool one_pass_rate(struct one_pass *pass, const char *words)
{
    char *end;
    pass->rate = 1;
    if (!words) return true;
    pass->rate = strtod(words, &end);
    if (end != words && !*end && pass->rate > 0 && pass->rate <= 1) return true;
    return complain("--rate %s: expected a number above 0 and at most 1", words);
}

static void one_pass_free(void *simulator)
{
    struct one_pass_simulators *simulators = simulator;
    spoor_curve_free(simulators->curve);
    spoor_sweep_free(simulators->sweep);
    free(simulators);
}

static int one_pass_make(const void *context, void *before, void **simulator)
{
    const struct one_pass *pass = context;
    const struct spoor_curve_options options = {.block = pass->block,
                                                .every =
                                                    pass->common->csv && !pass->common->simpoints,
                                                .rate = pass->rate,
                                                .takes = pass->takes,
                                                .shared = pass->shared,
                                                .unknown_size = pass->unknown_size};
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    struct one_pass_simulators *simulators = *simulator =
        before ? before : calloc(1, sizeof *simulators);
    if (before) return EXIT_CLEAN;
    if (!simulators) return complain_for(EXIT_UNREADABLE, "out of memory");
    if (pass->curve) status = spoor_curve_new(&simulators->curve, &options, &error);
    if (status == SPOOR_OK && pass->sweep) {
        struct spoor_sweep_options sweep;
        status = spoor_sweep_parse(&sweep, pass->sweep, &error);
        if (status == SPOOR_OK) {
            if (pass->takes) sweep.takes = pass->takes;
            sweep.seed = pass->seed;
            sweep.shared = pass->shared;
            sweep.unknown_size = pass->unknown_size;
            sweep.memory = pass->common->memory;
            status = spoor_sweep_new(&simulators->sweep, &sweep, &error);
        }
    }
    if (status == SPOOR_OK) return EXIT_CLEAN;
    one_pass_free(simulators);
    return fail(&error);
}

static int one_pass_show(const void *context, void *simulator, const struct spoor_result *result,
                         bool *shown)
{
    const struct one_pass *pass = context;
    const struct spoor_curve *curve = ((const struct one_pass_simulators *)simulator)->curve;
    int code = show_apart(shown);
    code = worse(code, show_result(result, result_form_of(pass->common)));
    if (prints_data(pass->common) || !curve) return code;
    /* The curve as bars: a line for each power of two. */
    const struct chart chart = chart_start(wants_color(pass->common));
    const double accesses = (double)spoor_curve_accesses(curve);
    const uint64_t enough = spoor_curve_enough(curve);
    struct text bars = {0};
    text_puts(&bars, "\nmiss ratio by blocks\n");
    for (uint64_t blocks = 1; accesses > 0; blocks *= 2) {
        const double ratio = spoor_curve_misses(curve, blocks) / accesses;
        text_printf(&bars, "%10llu  %.4f  ", (unsigned long long)blocks, ratio);
        chart_bar(&chart, &bars, ratio, 1, BAR_WIDTH);
        text_puts(&bars, "\n");
        if (blocks >= enough) break;
    }
    code = worse(code, show_text(&bars));
    text_free(&bars);
    return code;
}

static int one_pass_interval(const void *context, struct trace_input *trace_input, void *simulator,
                             struct spoor_result *result)
{
    const struct one_pass *pass = context;
    struct one_pass_simulators *simulators = simulator;
    struct reference_sink sink = {
        .context = simulators, .feed = one_pass_feed, .forget = one_pass_forget};
    const int code = references_run(trace_input, pass->references, &sink);
    if (code == EXIT_USAGE) return code;
    references_put(trace_input, &sink, result);
    if (simulators->sweep) spoor_sweep_report(simulators->sweep, result);
    if (simulators->curve) spoor_curve_report(simulators->curve, result);
    return code;
}

const struct interval_simulator one_pass_simulator = {
    .make = one_pass_make, .run = one_pass_interval, .free = one_pass_free, .show = one_pass_show};

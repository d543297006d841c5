/* SPDX-License-Identifier: MIT */
/* cache_one_pass.c: many caches in one pass. */
#include "cli/cache_one_pass.h"

#include <stdlib.h>

#include "base/text.h"
#include "cli/chart.h"

enum { BAR_WIDTH = 50 };

struct passing {
    struct spoor_curve *curve; /* either may be NULL */
    struct spoor_sweep *sweep;
};

static bool feed(void *context, const struct spoor_reference *items, size_t count)
{
    struct passing *passing = context;
    return (!passing->curve || spoor_curve_feed(passing->curve, items, count, NULL) == SPOOR_OK) &&
           (!passing->sweep || spoor_sweep_feed(passing->sweep, items, count, NULL) == SPOOR_OK);
}

static void forget(void *context)
{
    const struct passing *passing = context;
    if (passing->curve) spoor_curve_end_warmup(passing->curve);
    if (passing->sweep) spoor_sweep_end_warmup(passing->sweep);
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

static enum spoor_status start_sweep(const struct one_pass *pass, struct passing *passing,
                                     struct spoor_error *error)
{
    struct spoor_sweep_options options;
    const enum spoor_status status = spoor_sweep_parse(&options, pass->sweep, error);
    if (status != SPOOR_OK) return status;
    if (pass->takes) options.takes = pass->takes;
    options.seed = pass->seed;
    options.shared = pass->shared;
    options.unknown_size = pass->unknown_size;
    options.memory = pass->common->memory;
    return spoor_sweep_new(&passing->sweep, &options, error);
}

static void one_pass_free(void *simulator)
{
    struct passing *passing = simulator;
    spoor_curve_free(passing->curve);
    spoor_sweep_free(passing->sweep);
    free(passing);
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
    struct passing *passing = *simulator = before ? before : calloc(1, sizeof *passing);
    if (before) return EXIT_CLEAN;
    if (!passing) return complain_for(EXIT_UNREADABLE, "out of memory");
    if (pass->curve) status = spoor_curve_new(&passing->curve, &options, &error);
    if (status == SPOOR_OK && pass->sweep) status = start_sweep(pass, passing, &error);
    if (status == SPOOR_OK) return EXIT_CLEAN;
    one_pass_free(passing);
    return fail(&error);
}

/* The curve as bars: a line for each power of two. */
static void put_bars(const struct spoor_curve *curve, const struct settings *common,
                     struct text *out)
{
    const struct chart chart = chart_start(wants_color(common));
    const double accesses = (double)spoor_curve_accesses(curve);
    const uint64_t enough = spoor_curve_enough(curve);
    text_puts(out, "\nmiss ratio by blocks\n");
    for (uint64_t blocks = 1; accesses > 0; blocks *= 2) {
        const double ratio = spoor_curve_misses(curve, blocks) / accesses;
        text_printf(out, "%10llu  %.4f  ", (unsigned long long)blocks, ratio);
        chart_bar(&chart, out, ratio, 1, BAR_WIDTH);
        text_puts(out, "\n");
        if (blocks >= enough) return;
    }
}

static int one_pass_show(const void *context, void *simulator, const struct spoor_result *result,
                         bool *shown)
{
    const struct one_pass *pass = context;
    const struct passing *passing = simulator;
    struct text bars = {0};
    int code = show_apart(shown);
    code = worse(code, show_result(result, result_form_of(pass->common)));
    if (pass->common->json || pass->common->csv || pass->common->table || !passing->curve)
        return code;
    put_bars(passing->curve, pass->common, &bars);
    code = worse(code, show_text(&bars));
    text_free(&bars);
    return code;
}

static int one_pass_interval(const void *context, struct trace_input *trace_input, void *simulator,
                             struct spoor_result *result)
{
    const struct one_pass *pass = context;
    struct passing *passing = simulator;
    struct reference_sink sink = {.context = passing, .feed = feed, .forget = forget};
    const int code = references_run(trace_input, pass->references, &sink);
    if (code == EXIT_USAGE) return code;
    references_put(trace_input, &sink, result);
    if (passing->sweep) spoor_sweep_report(passing->sweep, result);
    if (passing->curve) spoor_curve_report(passing->curve, result);
    return code;
}

const struct interval_simulator one_pass_simulator = {
    .make = one_pass_make, .run = one_pass_interval, .free = one_pass_free, .show = one_pass_show};

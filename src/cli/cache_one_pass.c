/* SPDX-License-Identifier: MIT */
/* cache_one_pass.c: many caches in one pass. */
#include "cli/cache_one_pass.h"

#include <stdlib.h>

#include "base/text.h"
#include "cli/chart.h"
#include "cli/simpoints.h"

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

static bool parse_rate(const char *words, double *rate)
{
    char *end;
    *rate = 1;
    if (!words) return true;
    *rate = strtod(words, &end);
    if (end != words && !*end && *rate > 0 && *rate <= 1) return true;
    complain("--rate %s: expected a number above 0 and at most 1", words);
    return false;
}

static enum spoor_status start_curve(const struct one_pass *pass, double rate,
                                     struct passing *passing, struct spoor_error *error)
{
    const struct spoor_curve_options options = {
        .block = pass->block, .rate = rate, .unknown_size = pass->unknown_size};
    return pass->curve ? spoor_curve_new(&passing->curve, &options, error) : SPOOR_OK;
}

static enum spoor_status start_sweep(const struct one_pass *pass, struct passing *passing,
                                     struct spoor_error *error)
{
    struct spoor_sweep_options options;
    if (!pass->sweep) return SPOOR_OK;
    const enum spoor_status status = spoor_sweep_parse(&options, pass->sweep, error);
    if (status != SPOOR_OK) return status;
    options.seed = pass->seed;
    options.unknown_size = pass->unknown_size;
    options.memory = pass->common->memory;
    return spoor_sweep_new(&passing->sweep, &options, error);
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

static int show(const struct one_pass *pass, const struct passing *passing,
                const struct spoor_result *result)
{
    struct text bars = {0};
    int code = show_result(result, result_form_of(pass->common));
    if (pass->common->json || pass->common->csv || pass->common->table || !passing->curve)
        return code;
    put_bars(passing->curve, pass->common, &bars);
    code = worse(code, show_text(&bars));
    text_free(&bars);
    return code;
}

static int simulate(const struct one_pass *pass, struct passing *passing, const char *path,
                    bool *shown, struct spoor_result *all)
{
    struct reference_sink sink = {.context = passing, .feed = feed, .forget = forget};
    int code = references_run(path, pass->common, pass->references, &sink);
    if (!sink.has_result) return code;
    struct spoor_result *result = all ? spoor_result_object(all, NULL) : spoor_result_new_object();
    spoor_result_text(result, "trace", path);
    spoor_result_text(result, "format", sink.format);
    spoor_result_unsigned(result, "references", sink.fed);
    if (passing->sweep) spoor_sweep_report(passing->sweep, result);
    if (passing->curve) spoor_curve_report(passing->curve, result);
    if (all) return code;
    code = worse(code, show_apart(shown));
    code = worse(code, show(pass, passing, result));
    spoor_result_free(result);
    return code;
}

static void free_passing(void *state)
{
    struct passing *passing = state;
    spoor_curve_free(passing->curve);
    spoor_sweep_free(passing->sweep);
    free(passing);
}

int one_pass_run(const struct one_pass *pass, const char *path, bool *shown,
                 struct spoor_result *all)
{
    struct passing passing = {0};
    struct spoor_error error = {0};
    double rate;
    struct passing *before = carried_state(pass->common);
    if (!parse_rate(pass->rate, &rate)) return EXIT_USAGE;
    int code = EXIT_CLEAN;
    if (before) {
        passing = *before;
        forget(before);
        free(before);
        code = simulate(pass, &passing, path, shown, all);
    } else if (start_curve(pass, rate, &passing, &error) != SPOOR_OK ||
               start_sweep(pass, &passing, &error) != SPOOR_OK)
        code = fail(&error);
    else
        code = simulate(pass, &passing, path, shown, all);
    struct passing *after = malloc(sizeof *after);
    if (after) {
        *after = passing;
        carry(pass->common, after, free_passing);
        return code;
    }
    spoor_curve_free(passing.curve);
    spoor_sweep_free(passing.sweep);
    complain("out of memory");
    return EXIT_UNREADABLE;
}

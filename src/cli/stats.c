/* SPDX-License-Identifier: MIT */
/* cli/stats.c: the verb `stats`: statistics of the machine's own caches, walks, TLBs and bus. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "cli/cli.h"
#include "cli/levels.h"
#include "cli/option.h"
#include "cli/selection.h"
#include "spoor/cache.h"
#include "spoor/machine_stats.h"

/* ---- stats against ---- */

struct against {
    struct spoor_cache_system *system; /* NULL: nothing is simulated */
    struct spoor_cache_level levels[SPOOR_CACHE_LEVELS];
    size_t count;
    struct spoor_references references;
};

/* True if the level is the one of that unit: "L1D" of "cpu0.l1d_cache". */
static bool against_is_of_unit(const char *level, const char *unit)
{
    const char *dot = strrchr(unit, '.');
    const char *const words[2] = {dot ? dot + 1 : unit, level};
    char lower[2][SPOOR_CACHE_NAME];
    for (int i = 0; i < 2; i++) {
        size_t size = 0;
        for (; words[i][size] && size + 1 < SPOOR_CACHE_NAME; size++)
            lower[i][size] = (char)tolower((unsigned char)words[i][size]);
        lower[i][size] = '\0';
    }
    return strstr(lower[0], lower[1]) != NULL;
}

static void against_put_difference(struct spoor_result *row, uint64_t recorded, uint64_t simulated)
{
    spoor_result_signed(row, "difference", (int64_t)(simulated - recorded));
    spoor_result_real_if(row, "difference_ratio", recorded,
                         ((double)simulated - (double)recorded) / (double)recorded, 4);
}

/* ---- levels ---- */

/* ---- sets ---- */

struct set_difference {
    const char *level;
    size_t set;
    uint64_t recorded, simulated;
};

static uint64_t against_distance(const struct set_difference *set)
{
    return set->recorded < set->simulated ? set->simulated - set->recorded
                                          : set->recorded - set->simulated;
}

static int against_by_distance(const void *left, const void *right)
{
    const struct set_difference *a = left, *b = right;
    if (against_distance(a) != against_distance(b))
        return against_distance(a) < against_distance(b) ? 1 : -1;
    return a->set < b->set ? -1 : a->set > b->set;
}

/* Adds `against` and `against_sets` to the report of the statistics. */
static void against_report(struct against *against, const struct spoor_machine_stats *stats,
                           size_t top, struct spoor_result *result)
{
    if (!against->system) return;
    spoor_cache_system_end(against->system, NULL);
    struct spoor_result *array = spoor_result_array(result, "against");
    for (size_t i = 0; i < against->count; i++) {
        const struct spoor_cache_counts *counts = spoor_cache_system_counts(against->system, i);
        struct spoor_machine_cache cache;
        uint64_t fills = 0, writebacks = 0, misses = 0;
        for (size_t k = 0; k < SPOOR_CACHE_KINDS; k++) misses += counts->misses[k];
        for (size_t j = 0; spoor_machine_stats_cache(stats, j, &cache); j++) {
            if (!against_is_of_unit(against->levels[i].name, cache.unit)) continue;
            fills += cache.fills;
            writebacks += cache.writebacks;
        }
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "level", against->levels[i].name);
        spoor_result_unsigned(row, "recorded_fills", fills);
        spoor_result_unsigned(row, "simulated_misses", misses);
        against_put_difference(row, fills, misses);
        spoor_result_unsigned(row, "recorded_writebacks", writebacks);
        spoor_result_unsigned(row, "simulated_writebacks", counts->writebacks);
    }
    array = spoor_result_array(result, "against_sets");
    for (size_t i = 0; i < against->count; i++) {
        size_t sets = 0;
        const uint64_t *misses = spoor_cache_system_set_misses(against->system, i, &sets);
        struct set_difference *rows = misses ? calloc(sets + 1, sizeof *rows) : NULL;
        struct spoor_machine_cache cache;
        bool any = false;
        for (size_t k = 0; rows && k < sets; k++)
            rows[k] = (struct set_difference){against->levels[i].name, k, 0, misses[k]};
        for (size_t j = 0; rows && spoor_machine_stats_cache(stats, j, &cache); j++) {
            if (!against_is_of_unit(against->levels[i].name, cache.unit) || !cache.sets) continue;
            any = true;
            for (size_t k = 0; k < cache.sets && k < sets; k++)
                rows[k].recorded += spoor_machine_stats_set_fills(stats, j, k);
        }
        if (any) qsort(rows, sets, sizeof *rows, against_by_distance);
        for (size_t k = 0; any && k < sets && k < top && against_distance(&rows[k]); k++) {
            struct spoor_result *row = spoor_result_object(array, NULL);
            spoor_result_text(row, "level", rows[k].level);
            spoor_result_unsigned(row, "set", rows[k].set);
            spoor_result_unsigned(row, "recorded_fills", rows[k].recorded);
            spoor_result_unsigned(row, "simulated_misses", rows[k].simulated);
            against_put_difference(row, rows[k].recorded, rows[k].simulated);
        }
        free(rows);
    }
}

struct stats_settings {
    struct settings common;
    struct list against;
    const char *of;
    uint64_t top, width;
};

#define AT(field) offsetof(struct stats_settings, field)
static const struct option options[] = {
    OPT(0, "of", TEXT, "WHAT", AT(of),
        "an address: every record of its line (cache), page (tlb, bus) or entries (walk)"),
    OPT(0, "top", COUNT, "N", AT(top), "of the longer tables (default: 10)"),
    OPT('l', "level", LIST, "SPEC", AT(against), "simulate it, too, and compare (cache)"),
    OPT(0, "bus-width", NUMBER, "BYTES", AT(width),
        "bus: bytes that it moves in a unit of time (default: 8)"),
    SELECTION_OPTIONS,
    OPTION_END,
};

enum { USUAL_TOP = 10 };

struct stats_job {
    const struct stats_settings *settings;
    struct spoor_machine_stats_options options;
};

static int stats_count_trace(const void *context, const char *path, bool *shown,
                             struct spoor_result *all)
{
    const struct stats_job *job = context;
    struct against against = {0};
    struct trace_input trace_input;
    const struct spoor_batch *batch;
    int code = EXIT_CLEAN;
    if (!prints_data(&job->settings->common)) code = show_apart(shown);
    if (code != EXIT_CLEAN) return code;
    struct spoor_machine_stats *stats = NULL;
    if (spoor_machine_stats_new(&stats, &job->options, NULL) != SPOOR_OK) {
        complain("out of memory");
        code = EXIT_UNREADABLE;
    } else {
        const struct spoor_cache_options how = {.by_set = true,
                                                .memory = job->settings->common.memory};
        against.count = job->settings->against.count;
        code = levels_open_caches(&against.system, against.levels, &job->settings->against, &how,
                                  "--level", "the policy opt is none of a machine");
        const bool opened =
            code == EXIT_CLEAN && input_open(&trace_input, path, &job->settings->common);
        if (opened) {
            bool good = true;
            while (good && input_next(&trace_input, &batch)) {
                good = spoor_machine_stats_feed(stats, batch, NULL) == SPOOR_OK;
                const struct spoor_reference_options physical = {.physical = true};
                if (good && against.system) {
                    against.references.count = 0;
                    good = spoor_references_add(&against.references, batch, &physical, NULL) ==
                               SPOOR_OK &&
                           spoor_cache_system_feed(against.system, against.references.items,
                                                   against.references.count, NULL) == SPOOR_OK;
                }
            }
            struct spoor_result *result = result_of(all);
            put_trace(result, &trace_input);
            spoor_machine_stats_report(stats, result);
            if (good) against_report(&against, stats, job->options.top, result);
            if (trace_input.exit_code == EXIT_USAGE) {
                code = EXIT_USAGE; /* --where has no answer, which has been said */
            } else if (!good) {
                code = complain_for(EXIT_UNREADABLE, "out of memory");
            } else if (spoor_machine_stats_records(stats) == 0) {
                complain("%s: it has no records of its machine's %s%s", path,
                         spoor_machine_kind_name(job->options.kind),
                         selection_words(&job->settings->common));
                code = EXIT_NOTHING;
            } else if (!all) {
                code = show_result(result, result_form_of(&job->settings->common));
            }
            if (!all) spoor_result_free(result);
            code = worse(code, input_close(&trace_input));
        } else if (code == EXIT_CLEAN)
            code = trace_input.exit_code;
        spoor_cache_system_free(against.system);
        spoor_references_free(&against.references);
    }
    spoor_machine_stats_free(stats);
    return code;
}

static int stats_run(void *chosen)
{
    struct stats_settings *settings = chosen;
    struct stats_job job = {.settings = settings};
    /* the first operand says what to count; the others are traces */
    if (settings->common.operand_count == 0)
        return complain_for(EXIT_USAGE, "stats: expected cache, walk, tlb or bus, then traces");
    const char *word = settings->common.operands[0];
    size_t kind = 0;
    while (kind < SPOOR_MACHINE_KINDS && strcmp(word, spoor_machine_kind_name(kind)) != 0) kind++;
    if (kind == SPOOR_MACHINE_KINDS)
        return complain_for(EXIT_USAGE,
                            "stats: found '%s', expected cache, walk, tlb or bus, then traces: "
                            "`spoor info` summarises a trace",
                            word);
    job.options.kind = (enum spoor_machine_kind)kind;
    settings->common.operands++;
    settings->common.operand_count--;
    job.options.has_address = settings->of != NULL;
    if (settings->of && !scan_all_address(settings->of, &job.options.address))
        return complain_for(EXIT_USAGE, "--of: found '%s', expected an address in hexadecimal",
                            settings->of);
    if (settings->against.count && job.options.kind != SPOOR_MACHINE_CACHE)
        return complain_for(EXIT_USAGE, "stats --level is for `stats cache`");
    job.options.table = settings->common.table;
    job.options.top = settings->top ? (size_t)settings->top : USUAL_TOP;
    job.options.bus_width = settings->width < UINT32_MAX ? (uint32_t)settings->width : 0;
    return run_each_trace(&settings->common, stats_count_trace, &job);
}

const struct verb verb_stats = {
    .name = "stats",
    .brief = "what the trace recorded of the machine's own caches, walks, TLBs and bus",
    .operands = "cache|walk|tlb|bus [TRACE]...",
    .about = "Counts the lines that moved into and out of the machine's caches, its translation "
             "table walks, the entries of its TLBs, or the transactions at its pins, and says "
             "which lines, sets, pages and entries thrash.",
    .options = options,
    .settings_size = sizeof(struct stats_settings),
    .results = true,
    .numbers = true, /* --of lists those of records */
    .run = stats_run,
};

/* SPDX-License-Identifier: MIT */
/* simpoints.c: simulates the simpoints of a trace, and combines their results. */
#include "cli/simpoints.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "cli/known_format.h"
#include "cli/located.h"
#include "cli/selecting.h"
#include "cli/study.h"
#include "spoor/combine.h"

/* ---- weights ---- */

/* A simpoint that is shorter than others counts less: its counts are scaled to equal lengths. */
static double scaled_weight(const struct simpoints *points, size_t index)
{
    const struct simpoint *point = &points->items[index];
    const uint64_t length = points->items[0].instructions;
    if (!length || !point->instructions) return point->weight;
    return point->weight * (double)length / (double)point->instructions;
}

/* ---- errors ---- */

int errors_put(struct spoor_result *result, const char *verb, const char *path)
{
    struct spoor_result *whole;
    if (!study_can_read()) {
        complain("%s --whole: libjansson, which reads JSON, is not built in or not installed",
                 verb);
        return EXIT_USAGE;
    }
    whole = result_of_file(path);
    if (!whole) {
        complain("%s --whole: %s: expected the result of one trace, as JSON", verb, path);
        return EXIT_UNREADABLE;
    }
    (void)spoor_combine_errors(result, whole, spoor_result_array(result, "errors"));
    spoor_result_free(whole);
    return EXIT_CLEAN;
}

/* ---- options that make no sense with these ---- */

/* True if an option of a verb was given. */
static bool is_given(const struct option *option, const struct settings *settings)
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

/* True if no option was given that selects another part, or shows one run. */
static bool fits(const struct settings *settings)
{
    static const char *const names[] = {"records",  "time",   "references", "branches",  "region",
                                        "warmup",   "sample", "limit",      "writes",    "timeline",
                                        "against",  "debug",  "show",       "over-time", "limits",
                                        "critical", "by-pc",  "by-region",  "by-set"};
    for (const struct option *option = settings->verb->options; option->name; option++) {
        bool other = option->type == OPTION_OUTPUT;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            other |= strcmp(option->name, names[i]) == 0;
        if (!other || !is_given(option, settings)) continue;
        complain("%s --simpoints: cannot be combined with --%s", settings->verb->name,
                 option->name);
        return false;
    }
    if (operand_count(settings) == 1) return true;
    complain("%s --simpoints: found %zu traces, expected the one of the simpoints",
             settings->verb->name, operand_count(settings));
    return false;
}

/* True if a sample with a history was not asked for another warm-up, or for some of its records. */
static bool fits_history(const struct settings *settings, const struct simpoints *points)
{
    const struct record_selection *selection = &settings->selection;
    if (!points->history || !(selection->warmup || selection->cpu || selection->where)) return true;
    complain("%s %s: cannot be combined with --simpoints %s, which names the history before each "
             "simpoint",
             settings->verb->name,
             selection->warmup ? "--warmup-records"
             : selection->cpu  ? "--cpu"
                               : "--where",
             settings->simpoints);
    return false;
}

static bool makes_sense(const struct settings *settings)
{
    const char *verb = settings->verb->name;
    if (settings->simpoints) return fits(settings);
    if (settings->whole) {
        complain("%s --whole: expected --simpoints, too", verb);
        return false;
    }
    if (!settings->selection.warmup || settings->selection.records.given) return true;
    complain("%s --warmup-records: expected --simpoints or --records, too", verb);
    return false;
}

/* ---- state from simpoint to simpoint ---- */

void *carried_state(const struct settings *settings)
{
    struct carried *carried = settings->carried;
    void *state = carried ? carried->state : NULL;
    if (carried) carried->state = NULL;
    return state;
}

void carry(const struct settings *settings, void *state, void (*free)(void *state))
{
    struct carried *carried = settings->carried;
    if (!carried) {
        free(state);
        return;
    }
    carried->state = state;
    carried->free = free;
}

int carried_close(struct carried *carried)
{
    if (carried->state) carried->free(carried->state);
    spoor_reader_close(carried->reader);
    const int code = carried->located ? located_close(carried->located) : EXIT_CLEAN;
    free(carried->located);
    spoor_index_close(carried->index);
    spoor_replay_close(carried->replay);
    selecting_free(carried->selecting);
    return code;
}

/* ---- running ---- */

struct weighting {
    struct settings *settings;
    trace_runner *run;
    const void *context;
    struct simpoints points;
};

/* Gaps of a simpoint in the history: before its lead, its lead, and its own records.  After the
 * last simpoint, there is one more. */
enum { GAPS = 3 };

/* Opens the history of the sample, if it has one. */
static int open_history(const struct weighting *weighting, struct carried *carried)
{
    const struct verb *verb = weighting->settings->verb;
    const struct simpoints *points = &weighting->points;
    struct spoor_error error = {0};
    if (!points->history) return EXIT_CLEAN;
    int code = EXIT_UNREADABLE;
    if (spoor_replay_open(&carried->replay, points->history, verb->trains, &error) != SPOOR_OK)
        return fail(&error);
    if (spoor_replay_gaps(carried->replay) != GAPS * points->count + 1)
        complain("%s: %s: found the history of %zu simpoints, expected %zu", verb->name,
                 points->history, spoor_replay_gaps(carried->replay) / GAPS, points->count);
    else if (verb->trains && !spoor_replay_has_branches(carried->replay))
        complain("%s: %s: found no branches, expected a sample of cut --history all", verb->name,
                 points->history);
    else
        code = EXIT_CLEAN;
    return code;
}

/* Selects the records of simpoint `i`, and what is before them.  `done`: the records before this
 * one were simulated, or skipped. */
static void select_point(const struct weighting *weighting, size_t i, uint64_t warmup,
                         uint64_t done, struct carried *carried)
{
    struct record_selection *selection = &weighting->settings->selection;
    const struct simpoint *point = &weighting->points.items[i];
    const bool times = weighting->settings->verb->times;
    const uint64_t before_it = point->first > done ? point->first - done : 0;
    selection->records = (struct range){true, point->first, point->last};
    selection->warmup = warmup < before_it || !carried->state ? warmup : before_it;
    carried->done = done;
    if (!carried->replay) return;
    selection->warmup = times ? before_it : 0;
    carried->gap = carried->gap_begin = GAPS * i;
    carried->gap_counted = carried->gap + 2;
    carried->counted = 0;
    carried->gap_end = carried->gap + (times ? 1 : GAPS); /* a verb that times reads the others */
}

/* True if the history has everything that the verb needs of the trace: all branches, or the
 * references that its caches can miss. */
static bool has_everything(const struct weighting *weighting)
{
    const struct verb *verb = weighting->settings->verb;
    return weighting->points.history &&
           ((verb->trains && !verb->times) || weighting->settings->reduced);
}

/* Simulates all of the trace, of which the history has everything: one result in `parts`. */
static int run_history(const struct weighting *weighting, const char *path, struct carried *carried,
                       struct spoor_result *parts)
{
    bool shown = true;
    carried->reduced = weighting->settings->reduced;
    carried->gap_end = carried->reduced ? 1 : spoor_replay_gaps(carried->replay);
    return weighting->run(weighting->context, path, &shown, parts);
}

/* Simulates the simpoints: a result for each in `parts`. */
static int run_points(const struct weighting *weighting, const char *path,
                      struct spoor_result *parts)
{
    struct record_selection *selection = &weighting->settings->selection;
    const uint64_t warmup = selection->warmup;
    uint64_t done = 0; /* records before this one were simulated, or skipped */
    struct carried carried = {.state = NULL};
    weighting->settings->carried = &carried;
    int code = open_history(weighting, &carried);
    bool shown = true;
    const struct spoor_format *from = weighting->settings->from;
    know_format(weighting->settings, path);
    const bool everything = has_everything(weighting);
    if (everything && code == EXIT_CLEAN) code = run_history(weighting, path, &carried, parts);
    for (size_t i = 0; i < weighting->points.count && !everything && code == EXIT_CLEAN; i++) {
        const struct simpoint *point = &weighting->points.items[i];
        const size_t before = spoor_result_count(parts);
        select_point(weighting, i, warmup, done, &carried);
        done = point->last + 1;
        code = weighting->run(weighting->context, path, &shown, parts);
        if (code != EXIT_CLEAN || spoor_result_count(parts) == before + 1) continue;
        complain("%s: records %" PRIu64 " to %" PRIu64 " have no result", path, point->first,
                 point->last);
        code = EXIT_NOTHING;
    }
    weighting->settings->from = from;
    selection->records.given = false;
    selection->warmup = warmup;
    weighting->settings->carried = NULL;
    return worse(code, carried_close(&carried));
}

/* Combines the results, each with its weight times one of its replicate: NULL: with its weight. The
 * result of a history that has everything stands alone. */
static bool combine_by(const struct simpoints *points, const struct spoor_result *results,
                       const size_t *replicate, struct spoor_result *to)
{
    const struct spoor_result *at = spoor_result_first(results);
    const size_t count = spoor_result_count(results);
    struct spoor_combine_part *parts = calloc(count, sizeof *parts);
    for (size_t i = 0; parts && i < count; i++, at = spoor_result_next(at)) {
        const double factor = replicate ? points->items[i].replicates[*replicate] : 1;
        parts[i] = (struct spoor_combine_part){at, factor * scaled_weight(points, i)};
    }
    const bool good = parts && spoor_combine(parts, count, SPOOR_COMBINE_MEANS, to) == SPOOR_OK;
    free(parts);
    return good;
}

/* Adds the table `confidence`, where the simpoints are a sample. */
static bool put_confidence(const struct simpoints *points, const struct spoor_result *results,
                           struct spoor_result *to)
{
    struct spoor_result *replicates[SPOOR_SAMPLING_REPLICATES] = {NULL};
    bool good = true;
    for (size_t i = 0; i < points->replicates && good; i++) {
        replicates[i] = spoor_result_new_object();
        good = replicates[i] && combine_by(points, results, &i, replicates[i]);
    }
    if (points->replicates && good)
        good = spoor_combine_confidence(to, (const struct spoor_result *const *)replicates,
                                        points->replicates,
                                        spoor_result_array(to, "confidence")) == SPOOR_OK;
    for (size_t i = 0; i < points->replicates; i++) spoor_result_free(replicates[i]);
    return good;
}

static bool combine_points(const struct weighting *weighting, const struct spoor_result *results,
                           struct spoor_result *to)
{
    const struct simpoints *points = &weighting->points;
    spoor_result_unsigned(to, "simpoints", points->count);
    if (weighting->settings->selection.warmup)
        spoor_result_unsigned(to, "warmup_records", weighting->settings->selection.warmup);
    return combine_by(points, results, NULL, to) &&
           (has_everything(weighting) || put_confidence(points, results, to));
}

/* A sample takes some milliseconds, of which the first writes to new pages of 4 KiB are a tenth. */
enum { SAMPLE_HEAP = 32 << 20 };

static int run_weighted(const void *context, const char *path, bool *shown,
                        struct spoor_result *all)
{
    const struct weighting *weighting = context;
    const struct settings *settings = weighting->settings;
    struct spoor_result *parts = spoor_result_new_array(), *result = spoor_result_new_object();
    (void)all; /* one trace */
    large_heap(SAMPLE_HEAP);
    int code = parts && result ? run_points(weighting, path, parts) : EXIT_UNREADABLE;
    if (code == EXIT_CLEAN &&
        !(spoor_result_complete(parts) && combine_points(weighting, parts, result))) {
        complain("out of memory");
        code = EXIT_UNREADABLE;
    }
    if (code == EXIT_CLEAN && settings->whole)
        code = errors_put(result, settings->verb->name, settings->whole);
    if (code == EXIT_CLEAN) code = show_apart(shown);
    if (code == EXIT_CLEAN) code = show_result(result, result_form_of(settings));
    spoor_result_free(parts);
    spoor_result_free(result);
    return code;
}

int simpoints_run(struct settings *settings, trace_runner *run, const void *context)
{
    struct weighting weighting = {.settings = settings, .run = run, .context = context};
    int code = EXIT_USAGE;
    if (!makes_sense(settings)) return code;
    if (!settings->simpoints) return run_each_trace(settings, run, context);
    if (simpoints_read(&weighting.points, settings->verb->name, settings->simpoints) &&
        fits_history(settings, &weighting.points))
        code = run_each_trace(settings, run_weighted, &weighting);
    simpoints_free(&weighting.points);
    return code;
}

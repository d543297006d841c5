/* SPDX-License-Identifier: MIT */
/* group.c: the number of phases, the intervals that stand for them, and the report. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/options.h"
#include "phases/phases.h"

/* ---- the number of groups ---- */

/* Groups the vectors into this many groups, and notes the score. */
static bool try_groups(struct spoor_phases *phases, size_t groups, struct grouping *grouping)
{
    const struct vectors vectors = {phases->vectors, phases->interval_count,
                                    phases->options.dimensions};
    const struct kmeans_options how = {phases->options.starts, phases->options.iterations,
                                       phases->options.seed};
    if (!kmeans(grouping, &vectors, groups, &how)) return false;
    for (size_t i = 0; i < phases->try_count; i++)
        if (phases->tries[i].groups == groups) return true;
    if (!array_reserve(&phases->tries, &phases->try_capacity, phases->try_count + 1)) return false;
    phases->tries[phases->try_count++] =
        (struct phase_try){groups, grouping->score, grouping->distortion};
    return true;
}

static bool score_of(struct spoor_phases *phases, size_t groups, double *score)
{
    struct grouping grouping;
    const bool good = try_groups(phases, groups, &grouping);
    *score = grouping.score;
    grouping_free(&grouping);
    return good;
}

/* The score that a number of groups must reach: a share of the range of those that were tried. */
static double needed_score(const struct spoor_phases *phases)
{
    double lowest = phases->tries[0].score, highest = lowest;
    for (size_t i = 1; i < phases->try_count; i++) {
        const double score = phases->tries[i].score;
        if (score < lowest) lowest = score;
        if (score > highest) highest = score;
    }
    return lowest + phases->options.threshold * (highest - lowest);
}

/* The smallest number of groups that reaches the threshold, by bisection between 1 and the maximum,
 * as SimPoint searches. */
static bool find_groups(struct spoor_phases *phases, size_t *groups)
{
    size_t high = phases->options.clusters, low = 1;
    double score;
    if (high > phases->interval_count / 2) high = phases->interval_count / 2;
    if (high < 1) high = 1; /* groups of one interval have no variance to score */
    if (!score_of(phases, low, &score) || !score_of(phases, high, &score)) return false;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (!score_of(phases, middle, &score)) return false;
        if (score >= needed_score(phases))
            high = middle;
        else
            low = middle;
    }
    const double needed = needed_score(phases);
    *groups = SIZE_MAX;
    for (size_t i = 0; i < phases->try_count; i++)
        if (phases->tries[i].score >= needed && phases->tries[i].groups < *groups)
            *groups = phases->tries[i].groups;
    return true;
}

/* ---- simpoints ---- */

/* For each group the interval nearest to its centre, and its share of the instructions. */
static bool find_points(struct spoor_phases *phases)
{
    const struct grouping *grouping = &phases->grouping;
    const unsigned dimensions = phases->options.dimensions;
    double *nearest = calloc(grouping->groups + 1, sizeof *nearest);
    phases->points = calloc(grouping->groups + 1, sizeof *phases->points);
    phases->weights = calloc(grouping->groups + 1, sizeof *phases->weights);
    const bool good = nearest && phases->points && phases->weights;
    for (size_t g = 0; g < grouping->groups && good; g++) nearest[g] = DBL_MAX;
    for (size_t i = 0; i < phases->interval_count && good; i++) {
        const uint32_t group = grouping->of[i];
        const double distance = distance_of(phases->vectors + i * dimensions,
                                            grouping->centres + group * dimensions, dimensions);
        phases->weights[group] +=
            (double)phases->intervals[i].instructions / (double)phases->instructions;
        if (distance >= nearest[group]) continue;
        nearest[group] = distance;
        phases->points[group] = i;
    }
    free(nearest);
    return good;
}

/* Numbers the groups in the order in which the trace enters them. */
static bool number_groups(struct grouping *grouping, size_t count, unsigned dimensions)
{
    uint32_t *ids = malloc(grouping->groups * sizeof *ids), next = 0;
    double *centres = malloc(grouping->groups * dimensions * sizeof *centres);
    const bool good = ids && centres;
    if (good) memset(ids, 0xFF, grouping->groups * sizeof *ids);
    for (size_t i = 0; i < count && good; i++) {
        uint32_t *id = &ids[grouping->of[i]];
        if (*id == UINT32_MAX) {
            memcpy(centres + (size_t)next * dimensions,
                   grouping->centres + (size_t)grouping->of[i] * dimensions,
                   dimensions * sizeof *centres);
            *id = next++;
        }
        grouping->of[i] = *id;
    }
    if (good) {
        free(grouping->centres);
        grouping->centres = centres;
        grouping->groups = next; /* an empty group stands for nothing */
        memset(grouping->sizes, 0, next * sizeof *grouping->sizes);
        for (size_t i = 0; i < count; i++) grouping->sizes[grouping->of[i]]++;
    } else {
        free(centres);
    }
    free(ids);
    return good;
}

bool phases_group(struct spoor_phases *phases)
{
    size_t groups;
    return find_groups(phases, &groups) && try_groups(phases, groups, &phases->grouping) &&
           number_groups(&phases->grouping, phases->interval_count, phases->options.dimensions) &&
           find_points(phases);
}

/* ---- answers ---- */

size_t spoor_phases_intervals(const struct spoor_phases *phases)
{
    return phases->interval_count;
}

bool spoor_phases_simpoint(const struct spoor_phases *phases, size_t phase,
                           struct spoor_simpoint *simpoint)
{
    if (phase >= phases->grouping.groups) return false;
    const size_t number = phases->points[phase];
    const struct phase_interval *interval = &phases->intervals[number];
    *simpoint = (struct spoor_simpoint){.interval = number,
                                        .first = interval->first,
                                        .last = interval->last,
                                        .instruction = interval->instruction,
                                        .instructions = interval->instructions,
                                        .intervals = phases->grouping.sizes[phase],
                                        .weight = phases->weights[phase]};
    return true;
}

size_t spoor_phases_of(const struct spoor_phases *phases, size_t interval)
{
    return phases->grouping.of[interval];
}

const double *spoor_phases_vector(const struct spoor_phases *phases, size_t interval,
                                  unsigned *dimensions)
{
    *dimensions = phases->options.dimensions;
    return phases->vectors + interval * phases->options.dimensions;
}

const char *spoor_phases_bbv(const struct spoor_phases *phases, size_t *size)
{
    *size = phases->bbv.size;
    return phases->options.keep_vectors ? phases->bbv.bytes : NULL;
}

static void report_points(const struct spoor_phases *phases, struct spoor_result *result)
{
    struct spoor_result *rows = spoor_result_array(result, "simpoints");
    struct spoor_simpoint point;
    for (size_t phase = 0; spoor_phases_simpoint(phases, phase, &point); phase++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, "phase", phase);
        spoor_result_real(row, "weight", point.weight, 4);
        spoor_result_unsigned(row, "intervals", point.intervals);
        spoor_result_unsigned(row, "interval", point.interval);
        spoor_result_unsigned(row, "first_record", point.first);
        spoor_result_unsigned(row, "last_record", point.last);
        spoor_result_unsigned(row, "first_instruction", point.instruction);
        spoor_result_unsigned(row, "instructions", point.instructions);
    }
}

static void report_over_time(const struct spoor_phases *phases, struct spoor_result *result)
{
    struct spoor_result *rows = spoor_result_array(result, "over_time");
    for (size_t i = 0; i < phases->interval_count; i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, "interval", i);
        spoor_result_unsigned(row, "first_record", phases->intervals[i].first);
        spoor_result_unsigned(row, "instructions", phases->intervals[i].instructions);
        spoor_result_unsigned(row, "phase", phases->grouping.of[i]);
    }
}

enum spoor_status spoor_phases_report(const struct spoor_phases *phases, bool over_time,
                                      struct spoor_result *result)
{
    spoor_result_unsigned(result, "interval", phases->options.interval);
    spoor_result_unsigned(result, "instructions", phases->instructions);
    spoor_result_unsigned(result, "intervals", phases->interval_count);
    spoor_result_unsigned(result, "blocks", phases->block_count);
    spoor_result_unsigned(result, "dimensions", phases->options.dimensions);
    spoor_result_unsigned(result, "seed", phases->options.seed);
    spoor_result_unsigned(result, "phases", phases->grouping.groups);
    report_points(phases, result);
    struct spoor_result *tries = spoor_result_array(result, "search");
    for (size_t i = 0; i < phases->try_count; i++) {
        struct spoor_result *row = spoor_result_object(tries, NULL);
        spoor_result_unsigned(row, "phases", phases->tries[i].groups);
        spoor_result_real(row, "score", phases->tries[i].score, 1);
        spoor_result_real(row, "distortion", phases->tries[i].distortion, 4);
    }
    if (over_time) report_over_time(phases, result);
    return result_status(result);
}

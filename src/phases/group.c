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
static bool phases_try_groups(struct spoor_phases *phases, size_t groups,
                              struct partition *partition)
{
    const struct vectors vectors = {phases->vectors, phases->interval_count,
                                    phases->options.dimensions};
    const struct kmeans_options how = {phases->options.starts, phases->options.iterations,
                                       phases->options.seed};
    if (!kmeans(partition, &vectors, groups, &how)) return false;
    for (size_t i = 0; i < phases->try_count; i++)
        if (phases->tries[i].groups == groups) return true;
    if (!array_reserve(&phases->tries, &phases->try_capacity, phases->try_count + 1)) return false;
    phases->tries[phases->try_count++] =
        (struct phase_try){groups, partition->score, partition->distortion};
    return true;
}

static bool phases_score(struct spoor_phases *phases, size_t groups, double *score)
{
    struct partition partition;
    const bool good = phases_try_groups(phases, groups, &partition);
    *score = partition.score;
    partition_free(&partition);
    return good;
}

/* The score that a number of groups must reach: a share of the range of those that were tried. */
static double phases_needed_score(const struct spoor_phases *phases)
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
static bool phases_find_groups(struct spoor_phases *phases, size_t *groups)
{
    size_t high = phases->options.clusters, low = 1;
    double score;
    if (high > phases->interval_count / 2) high = phases->interval_count / 2;
    if (high < 1) high = 1; /* groups of one interval have no variance to score */
    if (!phases_score(phases, low, &score) || !phases_score(phases, high, &score)) return false;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (!phases_score(phases, middle, &score)) return false;
        if (score >= phases_needed_score(phases))
            high = middle;
        else
            low = middle;
    }
    const double needed = phases_needed_score(phases);
    *groups = SIZE_MAX;
    for (size_t i = 0; i < phases->try_count; i++)
        if (phases->tries[i].score >= needed && phases->tries[i].groups < *groups)
            *groups = phases->tries[i].groups;
    return true;
}

/* ---- simpoints ---- */

/* For each group the interval nearest to its centre, and its share of the instructions. */
static bool phases_find_points(struct spoor_phases *phases)
{
    const struct partition *partition = &phases->partition;
    const unsigned dimensions = phases->options.dimensions;
    double *nearest = calloc(partition->groups + 1, sizeof *nearest);
    phases->points = calloc(partition->groups + 1, sizeof *phases->points);
    phases->weights = calloc(partition->groups + 1, sizeof *phases->weights);
    const bool good = nearest && phases->points && phases->weights;
    for (size_t g = 0; g < partition->groups && good; g++) nearest[g] = DBL_MAX;
    for (size_t i = 0; i < phases->interval_count && good; i++) {
        const uint32_t group = partition->of[i];
        const double distance = vector_distance(
            phases->vectors + i * dimensions, partition->centres + group * dimensions, dimensions);
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
static bool phases_number_groups(struct partition *partition, size_t count, unsigned dimensions)
{
    uint32_t *ids = malloc(partition->groups * sizeof *ids), next = 0;
    double *centres = malloc(partition->groups * dimensions * sizeof *centres);
    const bool good = ids && centres;
    if (good) memset(ids, 0xFF, partition->groups * sizeof *ids);
    for (size_t i = 0; i < count && good; i++) {
        uint32_t *id = &ids[partition->of[i]];
        if (*id == UINT32_MAX) {
            memcpy(centres + (size_t)next * dimensions,
                   partition->centres + (size_t)partition->of[i] * dimensions,
                   dimensions * sizeof *centres);
            *id = next++;
        }
        partition->of[i] = *id;
    }
    if (good) {
        free(partition->centres);
        partition->centres = centres;
        partition->groups = next; /* an empty group stands for nothing */
        memset(partition->sizes, 0, next * sizeof *partition->sizes);
        for (size_t i = 0; i < count; i++) partition->sizes[partition->of[i]]++;
    } else {
        free(centres);
    }
    free(ids);
    return good;
}

bool phases_group(struct spoor_phases *phases)
{
    size_t groups;
    return phases_find_groups(phases, &groups) &&
           phases_try_groups(phases, groups, &phases->partition) &&
           phases_number_groups(&phases->partition, phases->interval_count,
                                phases->options.dimensions) &&
           phases_find_points(phases);
}

/* ---- answers ---- */

size_t spoor_phases_intervals(const struct spoor_phases *phases)
{
    return phases->interval_count;
}

bool spoor_phases_simpoint(const struct spoor_phases *phases, size_t phase,
                           struct spoor_simpoint *simpoint)
{
    if (phase >= phases->partition.groups) return false;
    const size_t number = phases->points[phase];
    const struct phase_interval *interval = &phases->intervals[number];
    *simpoint = (struct spoor_simpoint){.interval = number,
                                        .first = interval->first,
                                        .last = interval->last,
                                        .instruction = interval->instruction,
                                        .instructions = interval->instructions,
                                        .intervals = phases->partition.sizes[phase],
                                        .weight = phases->weights[phase]};
    return true;
}

size_t spoor_phases_of(const struct spoor_phases *phases, size_t interval)
{
    return phases->partition.of[interval];
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

enum spoor_status spoor_phases_report(const struct spoor_phases *phases, bool over_time,
                                      struct spoor_result *result)
{
    spoor_result_unsigned(result, "interval", phases->options.interval);
    spoor_result_unsigned(result, "instructions", phases->instructions);
    spoor_result_unsigned(result, "intervals", phases->interval_count);
    spoor_result_unsigned(result, "blocks", phases->block_count);
    spoor_result_unsigned(result, "dimensions", phases->options.dimensions);
    spoor_result_unsigned(result, "seed", phases->options.seed);
    spoor_result_unsigned(result, "phases", phases->partition.groups);
    struct spoor_result *points = spoor_result_array(result, "simpoints");
    struct spoor_simpoint point;
    for (size_t phase = 0; spoor_phases_simpoint(phases, phase, &point); phase++) {
        struct spoor_result *row = spoor_result_object(points, NULL);
        spoor_result_unsigned(row, "phase", phase);
        spoor_result_real(row, "weight", point.weight, 4);
        spoor_result_unsigned(row, "intervals", point.intervals);
        spoor_result_unsigned(row, "interval", point.interval);
        spoor_result_unsigned(row, "first_record", point.first);
        spoor_result_unsigned(row, "last_record", point.last);
        spoor_result_unsigned(row, "first_instruction", point.instruction);
        spoor_result_unsigned(row, "instructions", point.instructions);
    }
    struct spoor_result *tries = spoor_result_array(result, "search");
    for (size_t i = 0; i < phases->try_count; i++) {
        struct spoor_result *row = spoor_result_object(tries, NULL);
        spoor_result_unsigned(row, "phases", phases->tries[i].groups);
        spoor_result_real(row, "score", phases->tries[i].score, 1);
        spoor_result_real(row, "distortion", phases->tries[i].distortion, 4);
    }
    struct spoor_result *rows = over_time ? spoor_result_array(result, "over_time") : NULL;
    for (size_t i = 0; over_time && i < phases->interval_count; i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_unsigned(row, "interval", i);
        spoor_result_unsigned(row, "first_record", phases->intervals[i].first);
        spoor_result_unsigned(row, "instructions", phases->intervals[i].instructions);
        spoor_result_unsigned(row, "phase", phases->partition.of[i]);
    }
    return result_status(result);
}

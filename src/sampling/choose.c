/* SPDX-License-Identifier: MIT */
/* choose.c: chooses intervals by their counts, and weights them so that their counts are those of
 * the whole trace. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sampling/choose.h"

/* ---- probabilities ---- */

/* Sets each weight to the score of the interval: 1, and the root mean square of its counts of
 * misses and mispredictions, each relative to the mean of all intervals. */
static void put_scores(struct sample_interval *intervals, size_t count)
{
    static const enum sample_count scored[] = {SAMPLE_BIMODAL,    SAMPLE_GSHARE,    SAMPLE_DATA_512,
                                               SAMPLE_DATA_16384, SAMPLE_DATA_COLD, SAMPLE_CODE_512,
                                               SAMPLE_CODE_COLD};
    enum { SCORED = sizeof scored / sizeof *scored };
    double sums[SCORED] = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < SCORED; k++) sums[k] += intervals[i].counts[scored[k]];
    for (size_t i = 0; i < count; i++) {
        double squares = 0;
        for (size_t k = 0; k < SCORED; k++) {
            const double mean = sums[k] / (double)count;
            const double relative = mean > 0 ? intervals[i].counts[scored[k]] / mean : 0;
            squares += relative * relative;
        }
        intervals[i].weight = 1 + sqrt(squares / SCORED);
    }
}

/* The score from which on an interval is certain to be chosen: with it, all others have
 * probabilities below 1.  *left: the number of others to choose, *sum: of their scores. */
static double certain_score(const struct sample_interval *intervals, size_t count, size_t size,
                            size_t *left, double *sum)
{
    double limit = DBL_MAX;
    for (size_t certain = 0, before = count + 1; certain != before;) {
        before = certain;
        certain = 0;
        *sum = 0;
        for (size_t i = 0; i < count; i++)
            if (intervals[i].weight < limit)
                *sum += intervals[i].weight;
            else
                certain++;
        *left = size - certain;
        if (certain == before || *left == 0) break;
        limit = *sum / (double)*left;
    }
    return limit;
}

/* Replaces scores by the inverse of probabilities where an interval is chosen, and by 0 elsewhere.
 * The sum of probabilities along the trace is met at equal steps from a random start. */
static void choose(struct sample_interval *intervals, size_t count, size_t size, uint64_t seed)
{
    size_t left = size;
    double sum = 0, passed = 0;
    double next = (double)(hash_mix(seed, 1) >> 11) * 0x1p-53;
    const double limit = certain_score(intervals, count, size, &left, &sum);
    for (size_t i = 0; i < count; i++) {
        struct sample_interval *interval = &intervals[i];
        if (interval->weight >= limit) {
            interval->weight = 1;
            continue;
        }
        const double probability = interval->weight * (double)left / sum;
        passed += probability;
        interval->weight = passed > next ? 1 / probability : 0;
        next += passed > next;
    }
}

/* ---- calibration ---- */

/*
 * Raking: weight = design weight * exp(counts . multipliers), where the multipliers minimise
 *
 *     sum of weights - totals . multipliers + RIDGE / 2 * count * |multipliers|^2
 *
 * with counts relative to their means.  The function is convex, so that Newton's method with
 * halved steps finds the minimum.  The last term keeps weights near those of the design where
 * counts depend on each other; the totals are then met up to a small part.
 */
#define RIDGE 1e-3
enum { STEPS = 50, HALVINGS = 40 };

/* Calibration changes a weight by a factor from exp(-20) to exp(20): 2e-9 of an interval adds
 * nothing to any count, and a weight in a replicate can be divided by it. */
#define LARGEST_EXPONENT 20.0

struct calibration {
    const struct sample_interval *intervals;
    size_t count;
    double means[SAMPLE_COUNTS]; /* of all intervals; 0: no interval has any */
    double multipliers[SAMPLE_COUNTS];
};

static double relative(const struct calibration *calibration, size_t interval, size_t k)
{
    const double mean = calibration->means[k];
    return mean > 0 ? calibration->intervals[interval].counts[k] / mean : 0;
}

static double exponent_of(const struct calibration *calibration, size_t interval,
                          const double *multipliers)
{
    double exponent = 0;
    for (size_t k = 0; k < SAMPLE_COUNTS; k++)
        exponent += multipliers[k] * relative(calibration, interval, k);
    return exponent;
}

static double weight_of(const struct calibration *calibration, size_t interval,
                        const double *multipliers)
{
    return calibration->intervals[interval].weight *
           exp(exponent_of(calibration, interval, multipliers));
}

/* What is minimised. */
static double value_at(const struct calibration *calibration, const double *multipliers)
{
    double value = 0;
    for (size_t i = 0; i < calibration->count; i++)
        if (calibration->intervals[i].weight > 0) value += weight_of(calibration, i, multipliers);
    for (size_t k = 0; k < SAMPLE_COUNTS; k++) {
        const double scaled = calibration->means[k] > 0 ? (double)calibration->count : 0;
        value -= scaled * multipliers[k];
        value += RIDGE / 2 * (double)calibration->count * multipliers[k] * multipliers[k];
    }
    return value;
}

/* The gradient, and the second derivatives beside it: a system of linear equations. */
static void put_derivatives(const struct calibration *calibration,
                            double system[SAMPLE_COUNTS][SAMPLE_COUNTS + 1])
{
    const double count = (double)calibration->count;
    memset(system, 0, SAMPLE_COUNTS * sizeof *system);
    for (size_t k = 0; k < SAMPLE_COUNTS; k++) {
        system[k][k] = RIDGE * count;
        system[k][SAMPLE_COUNTS] = RIDGE * count * calibration->multipliers[k];
        if (calibration->means[k] > 0) system[k][SAMPLE_COUNTS] -= count;
    }
    for (size_t i = 0; i < calibration->count; i++) {
        if (calibration->intervals[i].weight <= 0) continue;
        const double weight = weight_of(calibration, i, calibration->multipliers);
        for (size_t k = 0; k < SAMPLE_COUNTS; k++) {
            const double part = weight * relative(calibration, i, k);
            system[k][SAMPLE_COUNTS] += part;
            for (size_t j = 0; j < SAMPLE_COUNTS; j++)
                system[k][j] += part * relative(calibration, i, j);
        }
    }
}

/* Solves the system by elimination; its matrix is positive definite.  The last column is then the
 * solution. */
static void solve(double system[SAMPLE_COUNTS][SAMPLE_COUNTS + 1])
{
    for (size_t pivot = 0; pivot < SAMPLE_COUNTS; pivot++)
        for (size_t row = 0; row < SAMPLE_COUNTS; row++) {
            if (row == pivot) continue;
            const double factor = system[row][pivot] / system[pivot][pivot];
            for (size_t k = pivot; k <= SAMPLE_COUNTS; k++)
                system[row][k] -= factor * system[pivot][k];
        }
    for (size_t row = 0; row < SAMPLE_COUNTS; row++) system[row][SAMPLE_COUNTS] /= system[row][row];
}

/* One step of Newton's method, halved until the value falls; false: it does not fall any more. */
static bool step(struct calibration *calibration)
{
    double system[SAMPLE_COUNTS][SAMPLE_COUNTS + 1], tried[SAMPLE_COUNTS];
    const double before = value_at(calibration, calibration->multipliers);
    put_derivatives(calibration, system);
    solve(system);
    for (int halving = 0; halving < HALVINGS; halving++) {
        const double length = ldexp(1, -halving);
        for (size_t k = 0; k < SAMPLE_COUNTS; k++)
            tried[k] = calibration->multipliers[k] - length * system[k][SAMPLE_COUNTS];
        if (!(value_at(calibration, tried) < before)) continue;
        memcpy(calibration->multipliers, tried, sizeof tried);
        return true;
    }
    return false;
}

static void calibrate(struct sample_interval *intervals, size_t count)
{
    struct calibration calibration = {.intervals = intervals, .count = count};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < SAMPLE_COUNTS; k++)
            calibration.means[k] += intervals[i].counts[k] / (double)count;
    for (unsigned i = 0; i < STEPS && step(&calibration); i++) {
    }
    for (size_t i = 0; i < count; i++) {
        const double exponent = exponent_of(&calibration, i, calibration.multipliers);
        intervals[i].weight *= exp(fmax(-LARGEST_EXPONENT, fmin(exponent, LARGEST_EXPONENT)));
    }
}

/* ---- replicates ---- */

/* True if an interval was chosen by chance. */
static bool is_chance(const struct sample_interval *interval)
{
    return interval->design > 1;
}

/* Sets the weights of the design without one group of the intervals that chance chose: every 16th
 * of them.  The others stand for them. */
static void leave_out(struct sample_interval *intervals, const size_t *chosen, size_t chosen_count,
                      size_t by_chance, size_t group)
{
    const size_t groups = SPOOR_SAMPLING_REPLICATES;
    const size_t left = by_chance - (by_chance - group + groups - 1) / groups;
    for (size_t i = 0, at = 0; i < chosen_count; i++) {
        struct sample_interval *interval = &intervals[chosen[i]];
        interval->weight = interval->design;
        if (!is_chance(interval)) continue;
        const bool out = at++ % groups == group;
        interval->weight *= out ? 0 : (double)by_chance / (double)left;
    }
}

bool sampling_replicate(struct sample_interval *intervals, size_t count, const size_t *chosen,
                        size_t chosen_count, double (*replicates)[SPOOR_SAMPLING_REPLICATES])
{
    size_t by_chance = 0;
    for (size_t i = 0; i < chosen_count; i++) by_chance += is_chance(&intervals[chosen[i]]);
    if (by_chance < SPOOR_SAMPLING_REPLICATES) return false;
    for (size_t group = 0; group < SPOOR_SAMPLING_REPLICATES; group++) {
        leave_out(intervals, chosen, chosen_count, by_chance, group);
        calibrate(intervals, count);
        for (size_t i = 0; i < chosen_count; i++)
            replicates[i][group] = intervals[chosen[i]].weight;
    }
    for (size_t i = 0; i < chosen_count; i++)
        intervals[chosen[i]].weight = intervals[chosen[i]].design;
    calibrate(intervals, count);
    for (size_t i = 0; i < chosen_count; i++)
        for (size_t group = 0; group < SPOOR_SAMPLING_REPLICATES; group++)
            replicates[i][group] /= intervals[chosen[i]].weight;
    return true;
}

/* ---- interface ---- */

void sampling_choose(struct sample_interval *intervals, size_t count, size_t size, uint64_t seed)
{
    if (size >= count) {
        for (size_t i = 0; i < count; i++) intervals[i].weight = intervals[i].design = 1;
        return;
    }
    put_scores(intervals, count);
    choose(intervals, count, size, seed);
    for (size_t i = 0; i < count; i++) intervals[i].design = intervals[i].weight;
    calibrate(intervals, count);
}

/* SPDX-License-Identifier: MIT */
/*
 * kmeans.c: Lloyd's algorithm from random starts, and the Bayesian information criterion for
 * spherical groups of one variance, which SimPoint 3.2 uses (the likelihood is that of the
 * Gaussians; the one printed by Pelleg, Moore, X-means, ICML 2000, lacks factors of the dimension).
 */
#include "phases/kmeans.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double distance_of(const double *a, const double *b, unsigned dimensions)
{
    double sum = 0;
    for (unsigned d = 0; d < dimensions; d++) sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

static const double *vector_at(const struct vectors *vectors, size_t index)
{
    return vectors->items + index * vectors->dimensions;
}

static double *centre_at(const struct grouping *grouping, const struct vectors *vectors,
                         size_t group)
{
    return grouping->centres + group * vectors->dimensions;
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t value = *state += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

/* Centres at vectors chosen at random, each with a probability that grows with the square of its
 * distance to the nearest one chosen before (k-means++: Arthur, Vassilvitskii, SODA 2007).
 * `nearest` has a place for each vector. */
static void choose_centres(struct grouping *grouping, const struct vectors *vectors,
                           double *nearest, uint64_t *random)
{
    size_t chosen = (size_t)(next_random(random) % vectors->count);
    for (size_t i = 0; i < vectors->count; i++) nearest[i] = DBL_MAX;
    for (size_t g = 0;; g++) {
        double sum = 0;
        memcpy(centre_at(grouping, vectors, g), vector_at(vectors, chosen),
               vectors->dimensions * sizeof(double));
        if (g + 1 == grouping->groups) return;
        for (size_t i = 0; i < vectors->count; i++) {
            const double distance =
                distance_of(vector_at(vectors, i), vector_at(vectors, chosen), vectors->dimensions);
            if (distance < nearest[i]) nearest[i] = distance;
            sum += nearest[i];
        }
        double left = (double)(next_random(random) >> 11) * 0x1p-53 * sum;
        for (chosen = 0; chosen + 1 < vectors->count; chosen++) {
            left -= nearest[chosen];
            if (left < 0) break;
        }
    }
}

/* Assigns each vector to the nearest centre; true if any changed its group. */
static bool assign(struct grouping *grouping, const struct vectors *vectors)
{
    bool changed = false;
    grouping->distortion = 0;
    memset(grouping->sizes, 0, grouping->groups * sizeof *grouping->sizes);
    for (size_t i = 0; i < vectors->count; i++) {
        const double *vector = vector_at(vectors, i);
        double nearest = DBL_MAX;
        uint32_t group = 0;
        for (size_t g = 0; g < grouping->groups; g++) {
            const double distance =
                distance_of(vector, centre_at(grouping, vectors, g), vectors->dimensions);
            if (distance >= nearest) continue;
            nearest = distance;
            group = (uint32_t)g;
        }
        changed |= grouping->of[i] != group;
        grouping->of[i] = group;
        grouping->sizes[group]++;
        grouping->distortion += nearest;
    }
    return changed;
}

/* The vector that lies farthest from its centre. */
static size_t farthest(const struct grouping *grouping, const struct vectors *vectors)
{
    size_t found = 0;
    double maximum = -1;
    for (size_t i = 0; i < vectors->count; i++) {
        const double *centre = centre_at(grouping, vectors, grouping->of[i]);
        const double distance = distance_of(vector_at(vectors, i), centre, vectors->dimensions);
        if (distance <= maximum || grouping->sizes[grouping->of[i]] < 2) continue;
        maximum = distance;
        found = i;
    }
    return found;
}

/* An empty group begins again with the farthest vector. */
static void fill_empty(struct grouping *grouping, const struct vectors *vectors)
{
    for (size_t g = 0; g < grouping->groups; g++) {
        if (grouping->sizes[g]) continue;
        const size_t moved = farthest(grouping, vectors);
        grouping->sizes[grouping->of[moved]]--;
        grouping->of[moved] = (uint32_t)g;
        grouping->sizes[g] = 1;
    }
}

static void move_centres(struct grouping *grouping, const struct vectors *vectors)
{
    const unsigned dimensions = vectors->dimensions;
    fill_empty(grouping, vectors);
    memset(grouping->centres, 0, grouping->groups * dimensions * sizeof(double));
    for (size_t i = 0; i < vectors->count; i++) {
        double *centre = centre_at(grouping, vectors, grouping->of[i]);
        for (unsigned d = 0; d < dimensions; d++) centre[d] += vector_at(vectors, i)[d];
    }
    for (size_t g = 0; g < grouping->groups; g++)
        for (unsigned d = 0; d < dimensions; d++)
            centre_at(grouping, vectors, g)[d] /= (double)grouping->sizes[g];
}

/* The Bayesian information criterion of the grouping: the logarithm of the maximum likelihood of
 * spherical Gaussians of one variance, less half a parameter's worth of log(count) for each share,
 * mean and the variance.  Intervals that differ in less than a thousandth of their instructions
 * count as equal: otherwise loops that repeat exactly would have an unlimited score. */
static double score_of(const struct grouping *grouping, const struct vectors *vectors)
{
    const double pi = 3.14159265358979323846, smallest = 1e-6;
    const double count = (double)vectors->count, groups = (double)grouping->groups;
    const double dimensions = vectors->dimensions;
    double spread = grouping->distortion / count;
    if (spread < smallest) spread = smallest;
    double likelihood = -count * dimensions / 2 * (log(2 * pi * spread / dimensions) + 1);
    for (size_t g = 0; g < grouping->groups; g++) {
        const double size = (double)grouping->sizes[g];
        if (size > 0) likelihood += size * log(size / count);
    }
    return likelihood - (groups - 1 + dimensions * groups + 1) / 2 * log(count);
}

static bool grouping_new(struct grouping *grouping, const struct vectors *vectors, size_t groups)
{
    *grouping = (struct grouping){.groups = groups, .distortion = DBL_MAX};
    grouping->of = calloc(vectors->count, sizeof *grouping->of);
    grouping->centres = calloc(groups * vectors->dimensions, sizeof *grouping->centres);
    grouping->sizes = calloc(groups, sizeof *grouping->sizes);
    return grouping->of && grouping->centres && grouping->sizes;
}

void grouping_free(struct grouping *grouping)
{
    free(grouping->of);
    free(grouping->centres);
    free(grouping->sizes);
    *grouping = (struct grouping){.groups = 0};
}

bool kmeans(struct grouping *grouping, const struct vectors *vectors, size_t groups,
            const struct kmeans_options *options)
{
    uint64_t random = options->seed * UINT64_C(0xD1342543DE82EF95) + groups;
    struct grouping tried;
    double *nearest = calloc(vectors->count + 1, sizeof *nearest);
    bool good = grouping_new(grouping, vectors, groups);
    good &= grouping_new(&tried, vectors, groups) && nearest;
    for (unsigned start = 0; start < options->starts && good; start++) {
        choose_centres(&tried, vectors, nearest, &random);
        assign(&tried, vectors);
        for (unsigned i = 0; i < options->iterations; i++) {
            move_centres(&tried, vectors);
            if (!assign(&tried, vectors)) break;
        }
        tried.score = score_of(&tried, vectors);
        if (start > 0 && tried.score <= grouping->score) continue;
        const struct grouping better = tried;
        tried = *grouping;
        *grouping = better;
    }
    grouping_free(&tried);
    free(nearest);
    return good;
}

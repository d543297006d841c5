/* SPDX-License-Identifier: MIT */
/*
 * kmeans.c: groups of vectors: Lloyd's algorithm from random starts, and the Bayesian information
 * criterion for spherical groups of one variance, which SimPoint 3.2 uses (the likelihood is that
 * of the Gaussians; the one printed by Pelleg, Moore, X-means, ICML 2000, lacks factors of the
 * dimension).
 *
 * Sums go in the order of the vectors, so that results do not depend on anything but the input.
 */
#include "phases/phases.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double vector_distance(const double *a, const double *b, unsigned dimensions)
{
    double sum = 0;
    for (unsigned d = 0; d < dimensions; d++) sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

static const double *vector_at(const struct vectors *vectors, size_t index)
{
    return vectors->items + index * vectors->dimensions;
}

static double *centre_at(const struct partition *partition, const struct vectors *vectors,
                         size_t group)
{
    return partition->centres + group * vectors->dimensions;
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t kmeans_random(uint64_t *state)
{
    uint64_t value = *state += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

/* Centres at vectors chosen at random, each with a probability that grows with the square of its
 * distance to the nearest one chosen before (k-means++: Arthur, Vassilvitskii, SODA 2007).
 * `nearest` has a place for each vector. */
static void kmeans_choose_centres(struct partition *partition, const struct vectors *vectors,
                                  double *nearest, uint64_t *random)
{
    size_t chosen = (size_t)(kmeans_random(random) % vectors->count);
    for (size_t i = 0; i < vectors->count; i++) nearest[i] = DBL_MAX;
    for (size_t g = 0;; g++) {
        double sum = 0;
        memcpy(centre_at(partition, vectors, g), vector_at(vectors, chosen),
               vectors->dimensions * sizeof(double));
        if (g + 1 == partition->groups) return;
        for (size_t i = 0; i < vectors->count; i++) {
            const double distance = vector_distance(
                vector_at(vectors, i), vector_at(vectors, chosen), vectors->dimensions);
            if (distance < nearest[i]) nearest[i] = distance;
            sum += nearest[i];
        }
        double left = (double)(kmeans_random(random) >> 11) * 0x1p-53 * sum;
        for (chosen = 0; chosen + 1 < vectors->count; chosen++) {
            left -= nearest[chosen];
            if (left < 0) break;
        }
    }
}

/* Assigns each vector to the nearest centre; true if any changed its group. */
static bool kmeans_assign(struct partition *partition, const struct vectors *vectors)
{
    bool changed = false;
    partition->distortion = 0;
    memset(partition->sizes, 0, partition->groups * sizeof *partition->sizes);
    for (size_t i = 0; i < vectors->count; i++) {
        const double *vector = vector_at(vectors, i);
        double nearest = DBL_MAX;
        uint32_t group = 0;
        for (size_t g = 0; g < partition->groups; g++) {
            const double distance =
                vector_distance(vector, centre_at(partition, vectors, g), vectors->dimensions);
            if (distance >= nearest) continue;
            nearest = distance;
            group = (uint32_t)g;
        }
        changed |= partition->of[i] != group;
        partition->of[i] = group;
        partition->sizes[group]++;
        partition->distortion += nearest;
    }
    return changed;
}

static void kmeans_move_centres(struct partition *partition, const struct vectors *vectors)
{
    const unsigned dimensions = vectors->dimensions;
    /* An empty group begins again with the vector that lies farthest from its centre. */
    for (size_t g = 0; g < partition->groups; g++) {
        if (partition->sizes[g]) continue;
        size_t moved = 0;
        double maximum = -1;
        for (size_t i = 0; i < vectors->count; i++) {
            const double *centre = centre_at(partition, vectors, partition->of[i]);
            const double distance = vector_distance(vector_at(vectors, i), centre, dimensions);
            if (distance <= maximum || partition->sizes[partition->of[i]] < 2) continue;
            maximum = distance;
            moved = i;
        }
        partition->sizes[partition->of[moved]]--;
        partition->of[moved] = (uint32_t)g;
        partition->sizes[g] = 1;
    }
    memset(partition->centres, 0, partition->groups * dimensions * sizeof(double));
    for (size_t i = 0; i < vectors->count; i++) {
        double *centre = centre_at(partition, vectors, partition->of[i]);
        for (unsigned d = 0; d < dimensions; d++) centre[d] += vector_at(vectors, i)[d];
    }
    for (size_t g = 0; g < partition->groups; g++)
        for (unsigned d = 0; d < dimensions; d++)
            centre_at(partition, vectors, g)[d] /= (double)partition->sizes[g];
}

/* The Bayesian information criterion of the partition: the logarithm of the maximum likelihood of
 * spherical Gaussians of one variance, less half a parameter's worth of log(count) for each share,
 * mean and the variance.  Intervals that differ in less than a thousandth of their instructions
 * count as equal: otherwise loops that repeat exactly would have an unlimited score. */
static double partition_score(const struct partition *partition, const struct vectors *vectors)
{
    const double pi = 3.14159265358979323846, smallest = 1e-6;
    const double count = (double)vectors->count, groups = (double)partition->groups;
    const double dimensions = vectors->dimensions;
    double spread = partition->distortion / count;
    if (spread < smallest) spread = smallest;
    double likelihood = -count * dimensions / 2 * (log(2 * pi * spread / dimensions) + 1);
    for (size_t g = 0; g < partition->groups; g++) {
        const double size = (double)partition->sizes[g];
        if (size > 0) likelihood += size * log(size / count);
    }
    return likelihood - (groups - 1 + dimensions * groups + 1) / 2 * log(count);
}

static bool partition_new(struct partition *partition, const struct vectors *vectors, size_t groups)
{
    *partition = (struct partition){.groups = groups, .distortion = DBL_MAX};
    partition->of = calloc(vectors->count, sizeof *partition->of);
    partition->centres = calloc(groups * vectors->dimensions, sizeof *partition->centres);
    partition->sizes = calloc(groups, sizeof *partition->sizes);
    return partition->of && partition->centres && partition->sizes;
}

void partition_free(struct partition *partition)
{
    free(partition->of);
    free(partition->centres);
    free(partition->sizes);
    *partition = (struct partition){.groups = 0};
}

bool kmeans(struct partition *partition, const struct vectors *vectors, size_t groups,
            const struct kmeans_options *options)
{
    uint64_t random = options->seed * UINT64_C(0xD1342543DE82EF95) + groups;
    struct partition tried;
    double *nearest = calloc(vectors->count + 1, sizeof *nearest);
    bool good = partition_new(partition, vectors, groups);
    good &= partition_new(&tried, vectors, groups) && nearest;
    for (unsigned start = 0; start < options->starts && good; start++) {
        kmeans_choose_centres(&tried, vectors, nearest, &random);
        kmeans_assign(&tried, vectors);
        for (unsigned i = 0; i < options->iterations; i++) {
            kmeans_move_centres(&tried, vectors);
            if (!kmeans_assign(&tried, vectors)) break;
        }
        tried.score = partition_score(&tried, vectors);
        if (start > 0 && tried.score <= partition->score) continue;
        const struct partition better = tried;
        tried = *partition;
        *partition = better;
    }
    partition_free(&tried);
    free(nearest);
    return good;
}

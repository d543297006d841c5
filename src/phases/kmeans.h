/* SPDX-License-Identifier: MIT */
/*
 * phases/kmeans.h: groups of vectors, by Lloyd's algorithm, with the score of a number of groups.
 *
 * Sums go in the order of the vectors, so that results do not depend on anything but the input.
 */
#ifndef SPOOR_PHASES_KMEANS_H
#define SPOOR_PHASES_KMEANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vectors {
    const double *items; /* `count` vectors of `dimensions` numbers */
    size_t count;
    unsigned dimensions;
};

struct grouping {
    size_t groups;
    uint32_t *of;      /* the group of each vector */
    double *centres;   /* `groups` vectors */
    size_t *sizes;     /* vectors in each group */
    double distortion; /* sum of the squared distances to the centres */
    double score;      /* Bayesian information criterion: the higher the better */
};

struct kmeans_options {
    unsigned starts, iterations;
    uint64_t seed;
};

/* Groups the vectors, the best of some random starts; false if memory runs out.  1 <= groups <=
 * vectors.  Call grouping_free() even then. */
bool kmeans(struct grouping *grouping, const struct vectors *vectors, size_t groups,
            const struct kmeans_options *options);
void grouping_free(struct grouping *grouping);

/* The squared distance of two vectors. */
double distance_of(const double *a, const double *b, unsigned dimensions);

#endif

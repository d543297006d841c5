/* SPDX-License-Identifier: MIT */
/* geometric.h: history lengths that grow geometrically (Seznec 2005, "Analysis of the O-GEHL"). */
#ifndef SPOOR_SIMULATE_BRANCH_GEOMETRIC_H
#define SPOOR_SIMULATE_BRANCH_GEOMETRIC_H

/* x, at least 1, to the power of numerator / denominator: with bisection and multiplication only,
 * so that the result is the same on every machine. */
static inline double root_power(double x, unsigned numerator, unsigned denominator)
{
    double low = 1, high = x, wanted = 1;
    for (unsigned i = 0; i < numerator; i++) wanted *= x;
    for (unsigned step = 0; step < 200; step++) {
        double middle = (low + high) / 2, power = 1;
        for (unsigned i = 0; i < denominator; i++) power *= middle;
        *(power < wanted ? &low : &high) = middle;
    }
    return low;
}

/* The index-th of `count` lengths from `shortest` to `longest`. */
static inline unsigned geometric(unsigned shortest, unsigned longest, unsigned index,
                                 unsigned count)
{
    if (count < 2) return shortest;
    return (unsigned)(shortest * root_power((double)longest / shortest, index, count - 1) + 0.5);
}

#endif

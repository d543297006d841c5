/* SPDX-License-Identifier: MIT */
/* plot/scale.h: from values to positions, ticks on round numbers, and numbers as labels. */
#ifndef SPOOR_PLOT_SCALE_H
#define SPOOR_PLOT_SCALE_H

#include "plot/plot.h"

enum { MAX_TICKS = 16 };

struct plot_scale {
    double low, high; /* values */
    double from, to;  /* positions of them */
    bool log2;
    enum plot_unit unit;
    double ticks[MAX_TICKS];
    size_t tick_count;
};

/* A scale whose ends are ticks, with at most about `wanted` ticks.  Without logarithm, `zero` makes
 * it contain 0. */
struct plot_scale scale_of(double low, double high, const struct plot_axis *axis, bool zero,
                           unsigned wanted);
/* The same, but the ends are `low` and `high` themselves. */
struct plot_scale scale_within(double low, double high, const struct plot_axis *axis,
                               unsigned wanted);
double scale_at(const struct plot_scale *scale, double value);

/* The value as people read it: 32K, 1,234, 12.5 %, 0x1000. */
void scale_put(struct text *out, double value, enum plot_unit unit);

#endif

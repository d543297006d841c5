/* SPDX-License-Identifier: MIT */
/*
 * chart.h: bars, sparklines and heat maps for text output.
 *
 * Bars use eighths of blocks if the locale is UTF-8, else ASCII.  Only heat maps use colours, and
 * only on request.
 */
#ifndef SPOOR_CLI_CHART_H
#define SPOOR_CLI_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct chart {
    bool ascii, color;
};

/* The style for this environment; `color`: the result of wants_color(). */
struct chart chart_start(bool color);
/* `value` as a bar of at most `width` cells, where `most` is the full width; no trailing blanks. */
void chart_bar(const struct chart *chart, struct text *out, double value, double maximum,
               unsigned width);
/* One cell for each value, scaled from the lowest (0 if none is negative) to the highest. */
void chart_spark(const struct chart *chart, struct text *out, const double *values, size_t count);
/* One cell for each of at most `width` * 8 groups of values, by their mean, `width` to a line; each
 * line begins with the index of its first value, and a last one shows the scale. */
void chart_heat(const struct chart *chart, struct text *out, const double *values, size_t count,
                unsigned width);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * chart.h: bars, sparklines and heat maps for text output.
 *
 * Eighths of blocks where the locale is UTF-8, else ASCII; colours only in heat maps and only where
 * they are asked for.
 */
#ifndef SPOOR_CLI_CHART_H
#define SPOOR_CLI_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct chart {
    bool ascii, color;
};

/* As the environment says; `color` as wants_color() does. */
struct chart chart_start(bool color);
/* `value` of `most` as a bar of at most `width` cells; no blanks behind it. */
void chart_bar(const struct chart *chart, struct text *out, double value, double most,
               unsigned width);
/* One cell for each value, from the lowest (0 where none is negative) to the highest. */
void chart_spark(const struct chart *chart, struct text *out, const double *values, size_t count);
/* One cell for each of at most `width` * 8 groups of values, by their mean, `width` to a line; each
 * line begins with the index of its first value. */
void chart_heat(const struct chart *chart, struct text *out, const double *values, size_t count,
                unsigned width);

#endif

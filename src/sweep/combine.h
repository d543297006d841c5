/* SPDX-License-Identifier: MIT */
/*
 * sweep/combine.h: one result from the results of several parts of a trace, or of several traces.
 *
 * The parts are results of one verb with the same options.  Counts are added or averaged, ratios of
 * counts (CPI, miss ratios, mispredictions per 1,000 instructions) are computed again from the
 * combined counts, numbers that describe the design are copied.  Other ratios are averaged, each by
 * the micro-ops, instructions or references that its part counted.
 */
#ifndef SPOOR_SWEEP_COMBINE_H
#define SPOOR_SWEEP_COMBINE_H

#include <stdbool.h>
#include <stddef.h>

#include "spoor/result.h"

enum combine_how {
    COMBINE_MEANS, /* means by weight */
    COMBINE_SUMS,  /* of the parts of one trace: the weights are not used */
};
struct combine_part {
    const struct spoor_result *result; /* an object */
    double weight;
};

/* Adds the members of one result to an object.  Texts that differ between the parts are left out;
 * so are the rows of a table from the first on whose texts differ. */
void combine(const struct combine_part *parts, size_t count, enum combine_how how,
             struct spoor_result *to);

/* Adds a row to an array for each ratio of counts that both results have: `of`, the names of its
 * table and row; `number`, its name; `estimated`, `whole`, and the relative `error_percent`, null
 * where the whole has 0. */
void combine_errors(const struct spoor_result *estimated, const struct spoor_result *whole,
                    struct spoor_result *rows);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * combine.h: one result from the results of several parts of a trace, or of several traces: means
 * of simpoints by their weight, for example.
 *
 * The parts are results of one tool with the same options.  Counts are added or averaged, ratios of
 * counts (CPI, miss ratios, mispredictions per 1,000 instructions) are computed again from the
 * combined counts, numbers that describe the design are copied.  Other ratios are averaged, each by
 * the micro-ops, instructions or references that its part counted.
 */
#ifndef SPOOR_COMBINE_H
#define SPOOR_COMBINE_H

#include "error.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

enum spoor_combine_how {
    SPOOR_COMBINE_MEANS, /* means by weight */
    SPOOR_COMBINE_SUMS   /* of the parts of one trace: the weights are not used */
};

struct spoor_combine_part {
    const struct spoor_result *result; /* an object */
    double weight;                     /* of any scale: it is divided by the sum of all */
};

/* Adds the members of one result to an object.  Texts that differ between the parts are left out;
 * so are the rows of a table from the first on whose texts differ.  SPOOR_ENOMEM: not all of it
 * was added. */
enum spoor_status spoor_combine(const struct spoor_combine_part *parts, size_t count,
                                enum spoor_combine_how how, struct spoor_result *to);

/* Adds a row to an array for each ratio of counts: `of`, the names of its table and row; `number`,
 * its name; `estimated`, `whole`, and the relative `error_percent`, null where the whole has 0.
 * Rows of a table are paired by their names and the numbers of their design, in any order.  A row
 * that one of the results does not have has null there, and no error.  SPOOR_ENOMEM: not all of
 * them were added. */
enum spoor_status spoor_combine_errors(const struct spoor_result *estimated,
                                       const struct spoor_result *whole, struct spoor_result *rows);

/* Adds a row to an array for each ratio of counts of an estimate: `of`, the names of its table and
 * row; `number`, its name; `estimated`; `plus_minus`, half of the width of its confidence interval
 * of 95 %; `percent`, the same relative to the estimate, null where that is 0.  The replicates, at
 * least 2, are the results of the same parts with the weights of the replicates of a sample
 * (sampling.h).  The variance is that of the delete-a-group jackknife (Kott, J. Official Statistics
 * 17, 2001), the quantile that of Student's distribution with count - 1 degrees of freedom
 * (Abramowitz, Stegun, Handbook of Mathematical Functions, 1964, 26.7.5; for 15 degrees 2.131).
 * The interval is about the choice of the parts; an error that all parts share, such as that of
 * caches that begin empty, is not in it.  SPOOR_ENOMEM: not all rows were added. */
enum spoor_status spoor_combine_confidence(const struct spoor_result *estimated,
                                           const struct spoor_result *const *replicates,
                                           size_t count, struct spoor_result *rows);

#ifdef __cplusplus
}
#endif

#endif

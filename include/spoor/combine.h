/* SPDX-License-Identifier: MIT */
/*
 * combine.h: one result from the results of several parts of a trace, or of several traces: means
 * of representative intervals by their weight, for example.
 *
 * The parts are results of one verb with the same options.  The description of results says of
 * each number how it combines: counts are averaged, where a part that lacks one has 0; ratios of
 * counts (CPI and its stack, miss ratios, mispredictions per 1,000 instructions) are averaged by
 * the count that they are for each unit of, so that a stack adds up to its CPI; of maxima, the
 * highest counts; what describes the design is copied.  Left out is a number that is no whole
 * number and of which the description says nothing, and a ratio whose count is in no part.
 */
#ifndef SPOOR_COMBINE_H
#define SPOOR_COMBINE_H

#include "error.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_combine_part {
    const struct spoor_result *result; /* an object */
    double weight;                     /* of any scale: it is divided by the sum of all */
};

/* Adds the weighted means of the members of results of a verb to an object.  Texts that differ
 * between the parts are left out.  The rows of tables are paired by their texts and the numbers of
 * their design; the result has every row that a part has, in their order.  SPOOR_ENOMEM: not all of
 * it was added. */
enum spoor_status spoor_combine(const char *verb, const struct spoor_combine_part *parts,
                                size_t count, struct spoor_result *to);

/* Adds a row to an array for each ratio of counts: `of`, the names of its table and row; `number`,
 * its name; `estimated`, `whole`, and the relative `error_percent`, null where the whole has 0.
 * Rows of a table are paired by their names and the numbers of their design, in any order.  A row
 * that one of the results does not have has null there, and no error.  SPOOR_ENOMEM: not all of
 * them were added. */
enum spoor_status spoor_combine_errors(const char *verb, const struct spoor_result *estimated,
                                       const struct spoor_result *whole, struct spoor_result *rows);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* result/combine.h: combining results for what the library itself reports. */
#ifndef SPOOR_RESULT_COMBINE_H
#define SPOOR_RESULT_COMBINE_H

#include "spoor/combine.h"

/* Adds the sums of the counts of results of a verb to an object: of several processors, for
 * example.  Ratios, maxima, texts and rows are as in spoor_combine() with equal weights. */
enum spoor_status combine_sums(const char *verb, const struct spoor_result *const *parts,
                               size_t count, struct spoor_result *to);

#endif

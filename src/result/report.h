/* SPDX-License-Identifier: MIT */
/*
 * report.h: what the results of each verb have, as keys.def and reports.def describe it.
 *
 * The JSON Schema of a verb is made from the description, and each result can be held to it.
 */
#ifndef SPOOR_RESULT_REPORT_H
#define SPOOR_RESULT_REPORT_H

#include <stdbool.h>

#include "base/text.h"
#include "spoor/result.h"

/* The name of described verb `number`, in the order of reports.def; NULL past the last. */
const char *report_verb(size_t number);
bool report_describes(const char *verb);
/* Appends the JSON Schema (draft 2020-12) of a verb's result of one trace. */
void report_schema(const char *verb, struct text *text);
/* Appends a line for each member of a result that its description lacks, has as another type, or
 * demands in vain.  The result is that of one trace, or an array of several. */
void report_problems(const char *verb, const struct spoor_result *result, struct text *text);

#endif

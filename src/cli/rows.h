/* SPDX-License-Identifier: MIT */
/*
 * rows.h: printing records as rows of the chosen columns.
 *
 * What a column is in records of each kind is found out once for a trace, so that a row is a run
 * through a short program.
 */
#ifndef SPOOR_CLI_ROWS_H
#define SPOOR_CLI_ROWS_H

#include "cli/columns.h"

struct rows;

/* For the records of one trace, whose columns are settled; `ended`: a newline ends each row.  NULL
 * without memory. */
struct rows *rows_new(const struct columns *columns, bool ended);
void rows_free(struct rows *rows);

/* A record.  JSON: an object of the fields that the record has (a flag that
 * was not asked for only where it is true). */
void rows_put(struct rows *rows, const struct spoor_batch *batch, size_t index, struct text *out);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * rows.h: printing records as rows of the chosen columns.
 *
 * The columns of each kind are compiled once per trace, so that a row runs a short program.
 */
#ifndef SPOOR_CLI_ROWS_H
#define SPOOR_CLI_ROWS_H

#include "cli/columns.h"

struct rows;

/* Rows for the records of one trace, whose columns are determined; `ended`: a newline ends each
 * row.  NULL if memory runs out. */
struct rows *rows_new(const struct columns *columns, bool ended);
void rows_free(struct rows *rows);

/* A record.  JSON: an object of the fields that the record has (a flag that was not requested, only
 * if it is true). */
void rows_put(struct rows *rows, const struct spoor_batch *batch, size_t index, struct text *out);

#endif

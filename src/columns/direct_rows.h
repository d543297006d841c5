/* SPDX-License-Identifier: MIT */
/*
 * direct_rows.h: adds the values of rows to the store of a column in one pass.
 *
 * Most blocks of rows have numbers that fit the store as it is, or words that are known.  Other
 * blocks are added by record_columns.c.
 */
#ifndef SPOOR_COLUMNS_DIRECT_ROWS_H
#define SPOOR_COLUMNS_DIRECT_ROWS_H

#include "columns/kind_order.h"
#include "columns/record_columns.h"

/* Appends the values of records of one kind, or those of a member that all kinds have, and extends
 * the range.  If some rows have none, `present` states which.  False if the rows are to be added in
 * another way: then nothing was appended. */
bool direct_rows_add(struct column *column, unsigned kind, const struct rows *rows,
                     uint8_t *present);
/* The same for `record` and `line`. */
bool direct_rows_add_places(struct column *column, const struct rows *rows);

#endif

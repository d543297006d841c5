/* SPDX-License-Identifier: MIT */
/* result_file.h: the result of a tool as a Parquet file. */
#ifndef SPOOR_COLUMNS_RESULT_FILE_H
#define SPOOR_COLUMNS_RESULT_FILE_H

#include "spoor/result.h"

/* The table that spoor_result_to_csv() prints, as a Parquet file: counts and addresses as unsigned
 * integers, numbers with decimals as doubles; a column whose cells have different types, and lists,
 * as texts.  A result without a table has two columns, `key` and `value`.  The caller frees; NULL
 * if memory runs out, or if the table has more than COLUMNS_MAX columns. */
char *result_to_parquet(const struct spoor_result *root, size_t *size);

#endif

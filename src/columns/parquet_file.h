/* SPDX-License-Identifier: MIT */
/*
 * parquet_file.h: writes records as a Parquet file.
 *
 * A file holds the records of one kind, or of all kinds with a column `kind`.  Columns are those of
 * record_columns.h.  A row group has 131,072 rows and states the smallest and the largest value of
 * each column; so do the pages, of 16,384 rows in columns that ascend with the rows, so that
 * readers pass over what they do not need.  Unsigned numbers have the logical type INTEGER(64,
 * false), texts STRING.  Times that are nanoseconds, microseconds or milliseconds are stated as
 * such in the file's metadata (spoor.time_unit), because they count from the beginning of the
 * trace.
 * ("Parquet file format", README.md, LogicalTypes.md, PageIndex.md, parquet.thrift of Apache
 * Parquet's format 2.11.)
 */
#ifndef SPOOR_COLUMNS_PARQUET_FILE_H
#define SPOOR_COLUMNS_PARQUET_FILE_H

#include "base/text.h"
#include "spoor/batch.h"

struct parquet_file;

/* The file owns the columns, to which parquet_file_add() or the caller (columns_reserve()) adds
 * rows.  The pool is used until the file is freed.  NULL if memory runs out, or has for the columns
 * or the pool. */
struct columns;
struct chunk_pool;
struct parquet_file *parquet_file_new(struct columns *columns, struct chunk_pool *pool);
/* The unit of the records' times; without it, none is stated. */
void parquet_file_unit(struct parquet_file *parquet, const char *unit);
/* Appends the records of these indexes; the bytes of whole row groups go to `out`.  False if memory
 * runs out. */
bool parquet_file_add(struct parquet_file *parquet, const struct spoor_batch *batch,
                      const uint32_t *indexes, size_t count, struct text *out);
/* Ends the row group that was begun, and frees its memory. */
bool parquet_file_flush(struct parquet_file *parquet, struct text *out);
/* Appends the rest and the footer.  `description`: lines "key=value"; may be NULL. */
bool parquet_file_end(struct parquet_file *parquet, const char *description, struct text *out);
/* Bytes of memory that the row group that was begun takes. */
size_t parquet_file_memory(const struct parquet_file *parquet);
void parquet_file_free(struct parquet_file *parquet);

#endif

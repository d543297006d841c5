/* SPDX-License-Identifier: MIT */
/*
 * row_printer.h: prints records as rows of the chosen columns.
 *
 * The columns of each kind are compiled once per trace, so that a row runs a short program.
 */
#ifndef SPOOR_QUERY_ROW_PRINTER_H
#define SPOOR_QUERY_ROW_PRINTER_H

#include "base/text.h"
#include "spoor/rows.h"

struct row_columns {
    enum spoor_rows_form form;
    bool given;   /* the caller chose them */
    bool located; /* JSON, unless `given`: with the fields that images define */
    size_t count;
    enum spoor_field fields[SPOOR_FIELDS_ALL];
};

struct row_printer;

/* Rows for the records of one trace.  NULL if memory runs out. */
struct row_printer *row_printer_new(const struct row_columns *columns);
void row_printer_free(struct row_printer *printer);

/* Appends a record, with a newline unless it is a member of an array.  JSON: an object of the
 * fields that the record has (a flag that was not requested, only if it is true). */
void row_printer_put(struct row_printer *printer, const struct spoor_batch *batch, size_t index,
                     struct text *out);

#endif

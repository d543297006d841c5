/* SPDX-License-Identifier: MIT */
/* value.h: field values and records as text: columns, CSV and JSON. */
#ifndef SPOOR_QUERY_VALUE_H
#define SPOOR_QUERY_VALUE_H

#include "base/text.h"
#include "spoor/field.h"
#include "spoor/rows.h"

/* Decimal, 0x and hexadecimal digits ('-' for each unknown one), 1 or 0 for a flag, text with tab,
 * line end and backslash escaped; nothing for ABSENT. */
void value_put_column(struct text *out, const struct spoor_value *value);
/* The same as a field of CSV (RFC 4180): text with a comma, quote or line end is quoted. */
void value_put_csv(struct text *out, const struct spoor_value *value);
/* A JSON value: hexadecimal numbers are strings "0x...", because JSON has no such numbers; null for
 * ABSENT. */
void value_put_json(struct text *out, const struct spoor_value *value);

/* The order of two texts by their bytes: a beginning of another comes before it. */
static inline int value_compare_texts(struct spoor_slice a, struct spoor_slice b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size ? memcmp(a.bytes, b.bytes, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* ---- row_printer.c ----
 *
 * Prints records as rows of the chosen columns.
 *
 * The columns of each kind are compiled once per trace, so that a row runs a short program. */

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

/* Appends a record, with a newline unless it is a member of an array.  JSON: an object of the
 * fields that the record has (a flag that was not requested, only if it is true). */
void row_printer_put(struct row_printer *printer, const struct spoor_batch *batch, size_t index,
                     struct text *out);

#endif
